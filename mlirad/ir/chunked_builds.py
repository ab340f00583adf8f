"""Builds as loops: one position after another, or a chunk of positions at a time.

    build 1000 (i. t)   --> chunk = 1       scan over i of t
                            chunk = 100     scan over k < 10 of build 100 (j. t with 100 k + j for i)
    build 30x40 (i j. t)    chunk = 40      scan over i of build 40 (j. t)

Of several indices the last ones become a build inside, as many as fit; the next one is cut into chunks, and
each of those in front is a loop of its own. In nested loops what depends on an outer index alone stands in
front of the inner loop, and indices need no divisions, as they would in a loop over a flattened space.

Made bulk, a build has the values of all positions live at once; a loop only those of `chunk` positions. With
`checkpoint` "recompute" that holds for its derivatives too: transposed, each iteration is recomputed, which
adds the cost of the primal.

Builds are cut into blocks after memory is planned, not before, as only the plan shows what fusion has left.
An estimate from the body would count every value, and would cut builds that fuse into one kernel. So a
program is compiled a second time, in blocks, only if its plan exceeds the limit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TypeAlias

from mlirad.dialects.extents import is_static, nominal
from mlirad.dialects.shapes import Shape, Value, shape_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.builder import yields
from mlirad.ir.regions import discard
from mlirad.lazy_dataclass import dataclass

BuildBody: TypeAlias = Callable[..., Sequence[Value]]
"""From the indices of a position to its values; called once or more."""


def chunked_build(
    b: ArrayBuilder, extents: Shape, body: BuildBody, chunk: int = 1, checkpoint: str | None = "recompute"
) -> list[Value]:
    """The arrays of the values of `body` at all positions of `extents`, made `chunk` positions at a time.

    `checkpoint` is that of the loops: see `array.scan`.
    """
    return _Chunked(b, body, chunk, checkpoint).over(tuple(extents), ())


@dataclass(frozen=True)
class _Chunked:
    b: ArrayBuilder
    body: BuildBody
    chunk: int
    checkpoint: str | None

    def over(self, extents: Shape, outer: tuple[Value, ...]) -> list[Value]:
        """The arrays over `extents`, inside loops whose indices are `outer`."""
        if not extents:
            return list(self.body(*outer))
        size = prod(extents)
        if is_static(size) and 1 < size <= self.chunk:
            return self._bulk(extents, lambda *at: self.body(*outer, *at))
        width = self.chunk * nominal(extents[0]) // nominal(size) if size != 0 else 1
        if width > 1:
            return self._in_chunks(extents, outer, chunk_width(extents[0], width))
        return self._loop(extents[0], lambda i: self.over(extents[1:], (*outer, i)))

    def _in_chunks(self, extents: Shape, outer: tuple[Value, ...], width: int) -> list[Value]:
        b, n = self.b, extents[0]
        count, rest = divmod(n, width)

        def rows(start: Value, number: int) -> list[Value]:
            def position(j: Value, *inner: Value) -> Sequence[Value]:
                i = b.add(start, j)
                b.ranges.set(i, 0, n - 1)
                return self.body(*outer, i, *inner)

            return self._bulk((number, *extents[1:]), position)

        chunks = self._loop(count, lambda k: rows(b.mul(k, b.index_constant(width)), width))
        whole = [b.reshape(y, (count * width, *shape_of(y)[2:])) for y in chunks]
        if rest == 0:
            return whole
        last = rows(b.index_constant(count * width), rest)
        return [b.concatenate([y, z], 0) for y, z in zip(whole, last, strict=True)]

    def _loop(self, iterations: int, body: Callable[[Value], Sequence[Value]]) -> list[Value]:
        def iteration(
            i: Value, _carries: list[Value], _slices: list[Value]
        ) -> tuple[list[Value], list[Value]]:
            return [], list(body(i))

        return self.b.scan([], [], iterations, iteration, checkpoint=self.checkpoint, kept=True)[1]

    def _bulk(self, extents: Shape, body: BuildBody) -> list[Value]:
        b = self.b
        region = b.index_region(extents, body)
        count = len(yields(region))
        if count == 1:
            return [b.build_from(extents, region)]

        def part(k: int) -> Callable[..., Value]:
            return lambda *at: b.inline_region(region, at, {})[k]

        parts = [b.build(extents, part(k)) for k in range(count)]
        discard(region)
        return parts


def chunk_width(extent: int, width: int) -> int:
    """Return how many of `extent` positions make a chunk, at most `width`: a divisor, if one is not much
    smaller.
    """
    for candidate in range(width, width // 2, -1):
        if extent % candidate == 0:
            return candidate
    return width
