"""Schedules of kernels: the segments that loops are cut into, and the register tiles of products.

    #kernel.loop<1, 0 to 96 by 8 lanes, 92 to 100 by 8 lanes repeats 4>

Loop 1 takes blocks of 8 vector lanes, and a last one whose first 4 lanes, done before, are masked off.

    0 to 100 by 8 lanes clamped         the last block starts at 92: lanes are computed twice
    96 to 100 by 8 lanes masked         lanes from 100 on are masked off
    96 to 100 by 8 lanes in pieces      lanes inside are loaded and stored in pieces of 4, 2 and 1
    0 to 96 by 4                        4 iterations at a time, written one after the other
    0 to 96 by 2 x 8 lanes              2 blocks of 8 lanes at a time

    #kernel.product<128 x 96 by 4 x 2>              a product of matrices in tiles of 4 rows and 2 vectors
    #kernel.product<128 x 96 by 4 x 2 turned>       its left operand lies by columns, and is copied by rows

Bounds, and the number of lanes that are repeated, may have sizes in them. A kernel lists its loops from the
outermost to the innermost; those of extent 1 may be left out. `CutLoops.check` requires that the segments of
a loop run each of its iterations, none outside of it, and none twice unless that is harmless.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

from xdsl.dialects.builtin import I64, ArrayAttr, IntegerAttr
from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.reductions import IDEMPOTENT
from mlirad.dialects.extents import at_most, divides, is_static, text_of
from mlirad.dialects.extents_attribute import MAX_NESTING, parse_extent
from mlirad.dialects.shapes import Shape
from mlirad.lazy_dataclass import dataclass

MAX_UNROLLED = 64
"""The most lanes a loop may have, and the most times it may be unrolled: code grows with both."""

MAX_SEGMENTS = 8
"""The most segments a loop may be cut into."""

MOST_ROWS: Final = 32
MOST_VECTORS: Final = 4
"""The most rows and vectors of a tile of a product: more of them leave no registers."""

MOST_LANES: Final = 16
"""The most lanes of the vectors of products and transforms: those of the shortest floats, in the longest."""


class Segment(NamedTuple):
    """`for start in range(lower, upper, copies * width)`, each a block of `copies` times `width` iterations.

    The first `repeated` lanes were done before, and are masked off. With `clamped` a block starts early
    enough to end inside, `masked` lanes outside of the loop are masked off, and with `in_pieces`, too, those
    inside are loaded and stored piece by piece, each of a power of two of lanes.
    """

    lower: int
    upper: int
    copies: int = 1
    width: int = 1
    repeated: int = 0
    clamped: bool = False
    masked: bool = False
    in_pieces: bool = False

    @property
    def step(self) -> int:
        """The iterations of a block."""
        return self.copies * self.width

    @property
    def last_start(self) -> int:
        """The start of the last block that stays inside."""
        return self.upper - self.step

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return -(-(self.upper - self.lower) // self.step)

    @property
    def known_blocks(self) -> int | None:
        """The number of blocks where it does not depend on sizes."""
        return self.blocks if is_static(self.blocks) else None

    @property
    def least_blocks(self) -> int:
        """0 where the segment may be empty, else 1."""
        return int(at_most(self.lower + 1, self.upper))

    @property
    def text(self) -> str:
        """The segment as programs state it."""
        parts = [f"{text_of(self.lower)} to {text_of(self.upper)}"]
        if self.step > 1:
            lanes = f"{self.width} lanes"
            copies = str(self.copies) if self.width == 1 else f"{self.copies} x {lanes}"
            parts.append("by " + (lanes if self.copies == 1 else copies))
        if not is_static(self.repeated) or self.repeated:
            parts.append(f"repeats {text_of(self.repeated)}")
        stated = {
            "clamped": self.clamped,
            "masked": self.masked and not self.in_pieces,
            "in pieces": self.in_pieces,
        }
        return " ".join([*parts, *(word for word, holds in stated.items() if holds)])


LoopCut: TypeAlias = tuple[int, tuple[Segment, ...]]
"""The number of a loop and its segments."""


def number_of(stated: IntegerAttr[I64] | None) -> int | None:
    """The number that a property states, if it is there."""
    return None if stated is None else stated.value.data


def lanes_of(width: IntegerAttr[I64] | None, default: int = 1) -> int:
    """The lanes that the property `width` states, `default` if it is not there."""
    return default if width is None else width.value.data


def loops_around(order: Sequence[int], outputs: int) -> int:
    """Return how many loops of an order stand around a store: all but the reductions that it ends in."""
    outer = len(order)
    while outer and order[outer - 1] >= outputs:
        outer -= 1
    return outer


@irdl_attr_definition
class LoopAttr(Data[LoopCut]):
    """One loop of a kernel: its number, and the segments that it is cut into, in their order."""

    name = "kernel.loop"

    def print_parameter(self, printer: Printer) -> None:
        """Print the loop in angle brackets."""
        number, segments = self.data
        with printer.in_angle_brackets():
            printer.print_string(", ".join([str(number), *(s.text for s in segments)]))

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> LoopCut:
        """Read what `print_parameter` prints."""
        with parser.in_angle_brackets():
            number = parser.parse_integer(allow_boolean=False, allow_negative=False)
            segments: list[Segment] = []
            while parser.parse_optional_punctuation(","):
                segments.append(_parse_segment(parser))
            return number, tuple(segments)


def _parse_segment(parser: AttrParser) -> Segment:
    lower = parse_extent(parser, MAX_NESTING)
    parser.parse_keyword("to")
    upper = parse_extent(parser, MAX_NESTING)
    copies, width = 1, 1
    if parser.parse_optional_keyword("by"):
        copies = parser.parse_integer(allow_boolean=False, allow_negative=False)
        if parser.parse_optional_keyword("lanes"):
            copies, width = 1, copies
        elif parser.parse_optional_keyword("x"):
            width = parser.parse_integer(allow_boolean=False, allow_negative=False)
            parser.parse_keyword("lanes")
    repeated = parse_extent(parser, MAX_NESTING) if parser.parse_optional_keyword("repeats") else 0
    clamped = parser.parse_optional_keyword("clamped") is not None
    masked = parser.parse_optional_keyword("masked") is not None
    in_pieces = not masked and parser.parse_optional_keyword("in") is not None
    if in_pieces:
        parser.parse_keyword("pieces")
    return Segment(lower, upper, copies, width, repeated, clamped, masked or in_pieces, in_pieces)


def check_width(stated: IntegerAttr[I64] | None, most: int) -> None:
    """Require a width that is a power of two, `most` at most."""
    if stated is not None:
        width = stated.value.data
        if not 1 <= width <= most or width & (width - 1):
            raise VerifyException(f"width {width} is not a power of two up to {most}")


@dataclass(frozen=True)
class CutLoops:
    """The loops of a kernel from the outermost to the innermost, and the role of each in its schedule.

    `order[:outer]` are the loops around a store, `order[outer:]` reductions, whose sums are in registers;
    `in_memory` says that reductions are among the outer ones. The blocks of `lane` are lanes, `width` at
    most, those of `tile` and of the innermost reduction, `unroll`, are copies. A sum in registers has
    `accumulators` side by side.
    """

    order: tuple[int, ...]
    outer: int
    lane: int | None
    tile: int | None
    width: int
    accumulators: int
    in_memory: bool
    outputs: int
    segments: dict[int, tuple[Segment, ...]]

    @classmethod
    def of(
        cls,
        loops: Sequence[tuple[int, Sequence[Segment]]],
        outputs: int,
        *,
        lane: int | None = None,
        tile: int | None = None,
        width: int | None = None,
        accumulators: int | None = None,
    ) -> CutLoops:
        """The loops of these numbers and segments; the numbers below `outputs` are those of the output."""
        order = tuple(number for number, _ in loops)
        outer = loops_around(order, outputs)
        return cls(
            order,
            outer,
            lane if lane in order else None,
            tile if tile in order and tile != lane else None,
            1 if width is None or lane not in order else width,
            1 if accumulators is None else accumulators,
            any(d >= outputs for d in order[:outer]),
            outputs,
            {number: tuple(segments) for number, segments in loops},
        )

    @property
    def stated(self) -> ArrayAttr[LoopAttr]:
        """The loops as a property of their kernel."""
        return ArrayAttr([LoopAttr((d, self.segments[d])) for d in self.order])

    @property
    def lane_is_reduced(self) -> bool:
        """Return whether lanes are terms of one sum."""
        return self.lane is not None and self.lane >= self.outputs

    @property
    def lane_is_innermost(self) -> bool:
        """Return whether the innermost loop runs in blocks of several lanes."""
        return self.width > 1 and self.order[-1] == self.lane

    @property
    def unroll(self) -> int | None:
        """The innermost reduction loop, if several of its terms are under way."""
        return self.order[-1] if self.accumulators > 1 and self.order else None

    @property
    def may_be_shared(self) -> bool:
        """Return whether threads may share the outermost loop: it is one of the output, around all others."""
        return bool(self.order) and self.order[0] < self.outputs and not self.in_memory

    def around(self, inner: int) -> CutLoops:
        """These loops with another one inside of them, of single iterations."""
        return replace(self, order=(*self.order, inner))

    def check(self, extents: Shape, combiners: Sequence[str]) -> None:
        """Require loops that run each iteration, once where it counts, and combine in a possible order."""
        reduces = self.outer < len(self.order)
        loops, idempotent = range(len(extents)), all(c in IDEMPOTENT for c in combiners)
        first = len(extents) if self.in_memory and not idempotent else 0
        repeatable = loops[first : len(extents) if idempotent else self.outputs]
        unrolled = (self.tile, self.order[-1]) if reduces else (self.tile,)
        self.check_segments(extents, unrolled, repeatable)
        if self.in_memory and any(c.startswith("arg") for c in combiners):
            raise VerifyException("positions of extrema need reductions to be the innermost loops")
        if self.lane_is_reduced and self.lane in self.order[: self.outer]:
            raise VerifyException(
                f"loop {self.lane} has lanes, so it is to be among the innermost reductions"
            )
        copies = [s.copies for s in self.segments[self.order[-1]]] if reduces else []
        if not max(copies, default=1) <= self.accumulators <= (MAX_UNROLLED if reduces else 1):
            raise VerifyException(
                f"{self.accumulators} accumulators for {copies} copies of the innermost reduction"
            )

    def check_segments(
        self, extents: Shape, unrolled: Collection[int | None] = (), repeatable: Collection[int] = ()
    ) -> None:
        """Require loops of other extents than 1, once each, in segments that run each iteration of them.

        Blocks have copies in the loops `unrolled`, and iterations may run twice in those `repeatable`.
        """
        if len(self.segments) != len(self.order) or not all(0 <= d < len(extents) for d in self.order):
            raise VerifyException(
                f"{list(self.order)} are not loops of a kernel of {len(extents)}, once each"
            )
        for d, extent in enumerate(extents):
            if d not in self.order and not at_most(extent, 1):
                raise VerifyException(f"loop {d} of extent {text_of(extent)} is not among the loops")
        for d, segments in self.segments.items():
            may = (d == self.lane, d in unrolled, d in repeatable)
            try:
                _check_segments(segments, extents[d], may)
            except VerifyException as error:
                raise VerifyException(f"loop {d} of extent {text_of(extents[d])}: {error}") from None
        widths = {s.width for s in self.segments[self.lane]} if self.lane is not None else {self.width}
        if max(widths, default=1) > self.width or (self.lane_is_reduced and widths != {self.width}):
            raise VerifyException(
                f"loop {self.lane} has blocks of {sorted(widths)} lanes, width is {self.width}"
            )

    def check_whole_blocks(self) -> None:
        """Require blocks that need neither a mask of lanes outside of their loop nor an earlier start."""
        for segment in (s for segments in self.segments.values() for s in segments):
            if segment.masked or segment.clamped:
                raise VerifyException(f"'{segment.text}': blocks are whole ones")

    @property
    def repeats(self) -> bool:
        """Return whether iterations may run twice."""
        return any(
            _repeats(segment, before.upper if before else 0)
            for segments in self.segments.values()
            for before, segment in zip((None, *segments), segments, strict=False)
        )


def _check_segments(segments: Sequence[Segment], extent: int, may: tuple[bool, bool, bool]) -> None:
    """Require segments that together run each iteration of a loop, and none outside of it.

    `may` says if blocks may have lanes, and copies, and if iterations may run twice.
    """
    has_lanes, has_copies, may_repeat = may
    if len(segments) > MAX_SEGMENTS:
        raise VerifyException(f"{len(segments)} segments, there are at most {MAX_SEGMENTS}")
    progress = _Progress(extent)
    for segment in segments:
        most = (MAX_UNROLLED if has_copies else 1, MAX_UNROLLED if has_lanes else 1)
        if not (1 <= segment.copies <= most[0] and 1 <= segment.width <= most[1]):
            raise VerifyException(
                f"'{segment.text}': this loop may have 1 to {most[0]} copies and 1 to {most[1]} lanes"
            )
        if segment.width & (segment.width - 1):
            raise VerifyException(f"{segment.width} lanes are not a power of two")
        if not may_repeat and _repeats(segment, progress.done):
            raise VerifyException(f"'{segment.text}' runs iterations twice, which changes results here")
        progress.check(segment)
    if progress.done != extent:
        raise VerifyException(f"the segments end at {text_of(progress.done)}")


class _Progress:
    """The iterations `done` by segments of a loop: those from 0 on, none beyond its `extent`.

    Fewer than `left` are left, if it is not None: of extents with sizes in them that is known by how they
    were cut.
    """

    def __init__(self, extent: int):
        self.done = 0
        self._extent = extent
        self._left: int | None = None

    def check(self, segment: Segment) -> None:
        """Require a segment that begins where iterations are done, and stays inside of the loop."""
        extent, done, text = self._extent, self.done, segment.text
        lower, upper, step = segment.lower, segment.upper, segment.step
        if segment.masked + segment.clamped + _masks_first(segment) > 1:
            raise VerifyException(f"'{text}' states more than one of clamped, masked and repeats")
        whole = done + (extent - done) // step * step
        if upper not in (extent, whole) and not (at_most(upper, extent) and at_most(done, upper)):
            raise VerifyException(
                f"'{text}' does not end in the loop, behind the {text_of(done)} that are done"
            )
        if lower != done or _masks_first(segment):
            self._check_overlapping(segment)
        elif segment.masked:
            is_known = is_static(lower) and is_static(upper)
            if segment.copies > 1 or (is_known and upper - lower > step):
                raise VerifyException(f"'{text}': masked lanes are one block")
            if segment.in_pieces and not is_known:
                raise VerifyException(f"'{text}': the number of lanes in pieces is not known")
        elif segment.clamped:
            if not at_most(step, upper):
                raise VerifyException(f"'{text}': no block fits into the loop")
        elif divides(step, upper - lower) is not True:
            raise VerifyException(f"'{text}' is no whole number of blocks")
        self.done, self._left = upper, step if upper == whole else None

    def _check_overlapping(self, segment: Segment) -> None:
        """Require one block, which runs iterations that are done and those next to them."""
        lower, upper, step, text = segment.lower, segment.upper, segment.step, segment.text
        is_near = upper == self._extent and self._left is not None and self._left <= step
        is_marked = segment.masked or segment.clamped
        if (
            is_marked
            or upper - lower != step
            or not at_most(0, lower)
            or not (is_near or at_most(lower, self.done))
        ):
            raise VerifyException(f"'{text}' is not a block next to the {text_of(self.done)} iterations done")
        repeated = self.done - lower
        if _masks_first(segment) and (segment.copies > 1 or segment.repeated != repeated):
            raise VerifyException(f"'{text}' does not repeat {text_of(repeated)} iterations")


def _masks_first(segment: Segment) -> bool:
    return not is_static(segment.repeated) or segment.repeated != 0


def _repeats(segment: Segment, done: int) -> bool:
    """Return whether iterations done before may run again."""
    if segment.clamped:
        return divides(segment.step, segment.upper - segment.lower) is not True
    return segment.lower != done and not _masks_first(segment)


class TiledProduct(NamedTuple):
    """A product with `rows` and `columns`, in tiles of `tile_rows` rows and `tile_vectors` vectors.

    `turned`: the left operand is copied by rows first.
    """

    rows: int
    columns: int
    tile_rows: int
    tile_vectors: int
    turned: bool = False

    @property
    def text(self) -> str:
        """The product as programs state it."""
        tile = f"{self.tile_rows} x {self.tile_vectors}"
        return f"{self.rows} x {self.columns} by {tile}{' turned' * self.turned}"


@irdl_attr_definition
class ProductAttr(Data[TiledProduct]):
    """A product that is computed by tiles: a contraction, or blocks of its result that threads share."""

    name = "kernel.product"

    def print_parameter(self, printer: Printer) -> None:
        """Print the product in angle brackets."""
        with printer.in_angle_brackets():
            printer.print_string(self.data.text)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> TiledProduct:
        """Read what `print_parameter` prints."""

        def pair() -> tuple[int, int]:
            first = parser.parse_integer(allow_boolean=False, allow_negative=False)
            parser.parse_keyword("x")
            return first, parser.parse_integer(allow_boolean=False, allow_negative=False)

        with parser.in_angle_brackets():
            extents = pair()
            parser.parse_keyword("by")
            return TiledProduct(*extents, *pair(), parser.parse_optional_keyword("turned") is not None)

    def verify(self) -> None:
        """Require a tile for which there are registers."""
        _, _, down, across, _ = self.data
        if not (1 <= down <= MOST_ROWS and 1 <= across <= MOST_VECTORS):
            raise VerifyException(
                f"a tile of {down} rows and {across} vectors: at most {MOST_ROWS} and {MOST_VECTORS}"
            )
