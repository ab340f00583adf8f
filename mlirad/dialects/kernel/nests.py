"""Nests: loops over an output space and a reduction space, and how they may be scheduled."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import I64, ArrayAttr, DenseArrayBase, IntegerAttr, StringAttr, UnitAttr, i64
from xdsl.ir import Attribute, BlockArgument, Operation
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def, region_def, var_operand_def, var_result_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.elementwise import ElementwiseOp, check_elements
from mlirad.dialects.array.frames import NoFrameOp
from mlirad.dialects.array.indexing import YieldOp, check_index_arguments, yielded
from mlirad.dialects.array.reductions import COMBINER_ELEMENTS
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.extents import at_most, is_static
from mlirad.dialects.kernel.layouts import LayoutReader, check_layouts, check_places
from mlirad.dialects.kernel.loads import LoadIfOp, LoadOp
from mlirad.dialects.kernel.schedules import MAX_UNROLLED, CutLoops, LoopAttr, number_of
from mlirad.dialects.shapes import (
    EXTENT,
    EXTENT_LIST,
    STORED,
    Shape,
    Value,
    check_dims,
    element_of,
    integer_of,
    is_float,
    shape_of,
    values_of,
)
from mlirad.dialects.syntax import StructuredOp

MAX_POINTS = 2**48
"""The most points that the loops of a kernel may have: as many as the elements of the largest array."""


UNCUT = ("order", "reduction_outer", "tile")
"""The properties of a nest that `loops` stand for, once they are cut."""


MAX_PREFETCH = 1 << 20
"""The most bytes ahead that a nest may ask for memory."""


FAST_PATHS = ("inside", "inside_and_borders", "products", "totals")
"""The assumptions about a body under which a fast path computes it: `mlirad/lower/bodies/assumptions.py`."""


MAX_WRITTEN_OUT = 4096
"""The most values that the body of a nest may yield."""


class ScheduledOp(StructuredOp, ABC):
    """The common part of nests and scatters: an iteration space, inputs, a body of scalar ops, a schedule."""

    inputs = var_operand_def()
    space = prop_def(EXTENT_LIST)
    lane = opt_prop_def(IntegerAttr[I64])
    width = opt_prop_def(IntegerAttr[I64])
    loops = opt_prop_def(ArrayAttr[LoopAttr])
    places = opt_prop_def(EXTENT_LIST)
    ATTRIBUTE_LISTS: ClassVar = ("loops",)

    @property
    def extents(self) -> Shape:
        """The extents of all loops, in the order of the region's arguments."""
        return values_of(self.space)

    @property
    def cut_loops(self) -> CutLoops:
        """The loops over the space, which a complete schedule states."""
        return self._cut()

    def _cut(self, *, tile: int | None = None, accumulators: int | None = None) -> CutLoops:
        assert self.loops is not None
        return CutLoops.of(
            [loop.data for loop in self.loops.data],
            len(values_of(self.space)),
            lane=number_of(self.lane),
            tile=tile,
            width=number_of(self.width),
            accumulators=accumulators,
        )

    def check_lanes(self, loops: int) -> None:
        """Require that lanes run along one of a given number of loops, a possible number of them."""
        if self.lane is not None:
            check_dims((self.lane.value.data,), loops, "lane")
        check_block("width", self.width)

    def check_body(self, carried: Sequence[Attribute] = ()) -> YieldOp:
        """Require loop indices, and scalars of the types `carried`, as arguments, and a straight-line body of
        loads and scalar ops.
        """
        block, loops = self.regions[0].block, len(self.extents)
        if len(block.args) != loops + len(carried):
            carries = f" and {len(carried)} carries" if carried else ""
            raise VerifyException(f"{len(block.args)} region arguments for {loops} loops{carries}")
        check_index_arguments(block.args[:loops])
        for argument, type_ in zip(block.args[loops:], carried, strict=True):
            if argument.type != type_:
                raise VerifyException(
                    f"region argument {argument.index} must be {type_}, got {argument.type}"
                )
        points = prod(max(e, 1) for e in self.extents if is_static(e))
        if not all(at_most(0, e) for e in self.extents) or points > MAX_POINTS:
            raise VerifyException(f"loops of extents {list(self.extents)}: none is negative, none too long")
        last = block.last_op
        if not isinstance(last, YieldOp):
            raise VerifyException("body must end in array.yield")
        for op in block.ops:
            self._check_scalar(op)
        return last

    def _check_scalar(self, op: Operation) -> None:
        if isinstance(op, LoadOp | LoadIfOp):
            if op.buffer not in self.operands:
                raise VerifyException("the body loads from a buffer that is not an operand")
        elif isinstance(op, ElementwiseOp | ConstantOp | NoFrameOp | YieldOp):
            for value in (*op.operands, *op.results):
                if value.type not in STORED:
                    raise VerifyException(f"{op.name} in a kernel body must be scalar")
        else:
            raise VerifyException(f"{op.name} cannot stand in a kernel body")
        for operand in op.operands:
            home = operand.block if isinstance(operand, BlockArgument) else operand.owner.parent_block()
            is_buffer = isinstance(op, LoadOp | LoadIfOp) and operand is op.buffer
            if home is not op.parent and not is_buffer:
                raise VerifyException("the body reads a value from outside that it does not load")


@irdl_op_definition
class NestOp(ScheduledOp, LayoutReader):
    """A loop nest: `out_k[o...] = combine_k over r... of body_k(o..., r...)`, or `body_k(o...)` without r.

    `combiners` has one entry per result when there is a reduction space, else it is absent. `argmax` and
    `argmin` need a reduction space of one dimension and result in i64 positions, the first of equals.

    A result has a dimension per loop of the output space; neighbouring loops may share one, of the product of
    their extents. Dimensions after these are written out: the body yields each of their elements, the last
    dimension fastest.

    Schedule, by `schedule-kernels`: `lane` the loop that runs across vector lanes, `width` how many lanes;
    `tile_dim` an output loop unrolled by `tile`, with loads shared; `order` the loops from outermost to
    innermost; `layouts` the storage order of each result, dimensions from outermost to innermost;
    `reduction_outer`: reduction loops outside, sums kept in memory; `parallel`: threads may share the
    outermost loop, which is one of the output, in blocks of that many iterations; `within = [x, y, c, ...]`:
    only elements whose index x is at most index y + c are read, others may be left out and then have no
    value. A property that is missing has a default: loops are scalar, those of the output come first.

    `complete-schedules` states `loops` from the outermost to the innermost, in place of `order`,
    `reduction_outer` and `tile`; how many `accumulators` of a sum in registers stand side by side; the
    `fast_path` of the body; how many bytes ahead `prefetch` asks for memory that a loop around the nest goes
    through. Memory plan: `places`, per result a byte offset in the arena, or -1 - k for output k.
    """

    name = "kernel.nest"
    reduction = prop_def(EXTENT_LIST)
    combiners = opt_prop_def(ArrayAttr[StringAttr])
    tile_dim = opt_prop_def(IntegerAttr[I64])
    tile = opt_prop_def(IntegerAttr[I64])
    order = opt_prop_def(DenseArrayBase.constr(i64))
    layouts = opt_prop_def(ArrayAttr)
    reduction_outer = opt_prop_def(UnitAttr)
    parallel = opt_prop_def(EXTENT)
    within = opt_prop_def(DenseArrayBase.constr(i64))
    accumulators = opt_prop_def(IntegerAttr[I64])
    fast_path = opt_prop_def(StringAttr)
    prefetch = opt_prop_def(IntegerAttr[I64])
    body = region_def("single_block")
    roots = var_result_def()
    BRACED: ClassVar = (
        "space",
        "reduction",
        "combiners",
        "lane",
        "width",
        "tile_dim",
        "tile",
        "order",
        "layouts",
        "reduction_outer",
        "parallel",
        "within",
        "loops",
        "accumulators",
        "fast_path",
        "prefetch",
        "places",
    )

    def block_of(self, loop: int) -> int:
        """The iterations of a loop in a block, as far as `schedule-kernels` has stated them."""
        if number_of(self.lane) == loop and self.width is not None:
            return self.width.value.data
        if number_of(self.tile_dim) == loop and self.tile is not None:
            return self.tile.value.data
        return 1

    @property
    def bounds(self) -> Sequence[tuple[int, int, int]]:
        """The triples (x, y, c) of `within`."""
        stated = () if self.within is None else values_of(self.within)
        return list(zip(stated[::3], stated[1::3], stated[2::3], strict=True))

    @property
    def extents(self) -> Shape:
        """Output space, then reduction space."""
        return (*values_of(self.space), *values_of(self.reduction))

    def verify_(self) -> None:
        """Results over the output space; combiners exactly when there is a reduction; a sound schedule."""
        space, reduction = values_of(self.space), values_of(self.reduction)
        last = self.check_body()
        written_out = [written_out_shape(space, shape_of(root)) for root in self.roots]
        for root, shape in zip(self.roots, written_out, strict=True):
            if shape is None:
                raise VerifyException(f"result has type {root.type}, the output space is {list(space)}")
        counts = [prod(shape or ()) for shape in written_out]
        if not self.roots or len(last.values) != sum(counts) or sum(counts) > MAX_WRITTEN_OUT:
            raise VerifyException(f"{len(last.values)} values yielded for {len(self.roots)} results")
        combiners = [] if self.combiners is None else [c.data for c in self.combiners.data]
        if len(combiners) != (len(self.roots) if reduction else 0):
            raise VerifyException("needs one combiner per result exactly when it reduces")
        kinds = combiners or [""] * len(self.roots)
        pairs = [(r, c) for r, c, n in zip(self.roots, kinds, counts, strict=True) for _ in range(n)]
        for value, (root, combiner) in zip(last.values, pairs, strict=True):
            if combiner and combiner not in COMBINER_ELEMENTS:
                raise VerifyException(f"combiner '{combiner}' is not one of {', '.join(COMBINER_ELEMENTS)}")
            if combiner:
                check_elements(value.type, COMBINER_ELEMENTS[combiner], f"what '{combiner}' combines")
            is_position = combiner.startswith("arg")
            if is_position and len(reduction) != 1:
                raise VerifyException(f"{combiner} reduces one dimension, got {len(reduction)}")
            if element_of(root) != (expected := i64 if is_position else value.type):
                raise VerifyException(f"result has type {root.type}, the nest computes {expected}")
        self._check_schedule(len(space), len(space) + len(reduction))

    def _check_schedule(self, outputs: int, loops: int) -> None:
        self.check_lanes(loops)
        if self.tile_dim is not None:
            check_dims((self.tile_dim.value.data,), outputs, "tile_dim")
        check_block("tile", self.tile)
        if self.order is not None and sorted(values_of(self.order)) != list(range(loops)):
            raise VerifyException(f"order must be a permutation of the {loops} loops")
        if self.parallel is not None:
            first = 0 if self.order is None else values_of(self.order)[0]
            is_output = first < outputs if self.loops is None else self.cut_loops.may_be_shared
            if not is_output or self.reduction_outer is not None:
                raise VerifyException("parallel needs the outermost loop to be one of the output")
            check_parallel(self.parallel)
        self._check_bounds(outputs)
        check_fast_path(self.fast_path)
        if self.prefetch is not None and not 1 <= self.prefetch.value.data <= MAX_PREFETCH:
            raise VerifyException(
                f"prefetch {self.prefetch.value.data} is not from 1 to {MAX_PREFETCH} bytes"
            )
        if self.loops is not None:
            self._check_loops()
        elif self.accumulators is not None:
            raise VerifyException("accumulators are stated with the loops")
        check_places(self, self.places)
        check_layouts(self, self.layouts)

    @property
    def cut_loops(self) -> CutLoops:
        """The loops of a nest with a complete schedule."""
        return self._cut(tile=number_of(self.tile_dim), accumulators=number_of(self.accumulators))

    def _check_loops(self) -> None:
        """Require loops that run each iteration, and sums that fit how they are nested."""
        if any(name in self.properties for name in UNCUT):
            raise VerifyException(
                "loops state order and tile: leave out the properties order, reduction_outer and tile"
            )
        self.cut_loops.check(
            self.extents, () if self.combiners is None else [c.data for c in self.combiners.data]
        )

    def _check_bounds(self, outputs: int) -> None:
        if self.within is None:
            return
        if len(values_of(self.within)) % 3:
            raise VerifyException("within has three numbers for each bound: two loops and an offset")
        for x, y, offset in self.bounds:
            check_dims((x, y), outputs, "within")
            if abs(offset) > MAX_POINTS:
                raise VerifyException(f"within: an offset of {offset} is longer than any loop")
        if not is_element_wise(self) or not all(is_float(root) for root in self.roots):
            raise VerifyException("within needs results that are floats, with a dimension for each loop")


SCHEDULE = tuple(
    name for name in NestOp.BRACED if name not in ("space", "reduction", "combiners", "layouts", "places")
)
"""The properties of a nest that say how its loops run."""


def check_block(what: str, stated: IntegerAttr[I64] | None) -> None:
    """Require a number of iterations that are written side by side."""
    if stated is not None and not 1 <= stated.value.data <= MAX_UNROLLED:
        raise VerifyException(f"{what} {stated.value.data} is not between 1 and {MAX_UNROLLED}")


def check_fast_path(stated: StringAttr | None) -> None:
    """Require the name of a fast path."""
    if stated is not None and stated.data not in FAST_PATHS:
        raise VerifyException(f"fast_path '{stated.data}' is not one of {', '.join(FAST_PATHS)}")


def check_parallel(stated: IntegerAttr[I64]) -> None:
    """Require a number of iterations that can be a block."""
    block = integer_of(stated)
    if not at_most(1, block) or not (at_most(block, MAX_POINTS) or not is_static(block)):
        raise VerifyException(f"blocks of {block} iterations: parallel is 1 or more")


def loop_dimensions(space: Shape, shape: Shape) -> Shape | None:
    """The dimension of a result that each loop of an output space moves along; `None` if they do not fit.

    (4, 32, 10) in an array of 128 x 10 x 2    (0, 0, 1)
    """
    if shape[: len(space)] == space:
        return tuple(range(len(space)))
    dims: list[int] = []
    d, covered = 0, 1
    for extent in space:
        if d >= len(shape) or covered * extent > shape[d]:
            return None
        dims.append(d)
        covered *= extent
        if covered == shape[d]:
            d, covered = d + 1, 1
    return tuple(dims) if covered == 1 else None


def written_out_shape(space: Shape, shape: Shape) -> Shape | None:
    """The dimensions of a result whose elements are yielded one by one; `None` if the loops do not fit."""
    dims = loop_dimensions(space, shape)
    return None if dims is None else shape[max(dims, default=-1) + 1 :]


def loop_strides(space: Shape, shape: Shape, strides: Shape) -> Shape:
    """Return how far a step of each loop of an output space moves in a result of these strides."""
    dims = loop_dimensions(space, shape)
    assert dims is not None
    found: list[int] = []
    for x, d in enumerate(dims):
        inner = (e for e, other in zip(space[x + 1 :], dims[x + 1 :], strict=True) if other == d)
        found.append(strides[d] * prod(inner))
    return tuple(found)


def is_element_wise(op: NestOp) -> bool:
    """Return whether each result has exactly the loops of the output space as dimensions."""
    space = values_of(op.space)
    return all(shape_of(root) == space for root in op.roots)


def copied_arrays(op: NestOp) -> list[Value]:
    """The arrays that a nest copies, in the order of their elements; none if it does anything else.

    A copy may join neighbouring dimensions.
    """
    here, values = list(op.body.block.args), yielded(op.body)[1].values
    if values_of(op.reduction) or len(values) != len(op.roots):
        return []
    found = [
        v.owner.buffer for v in values if isinstance(v.owner, LoadOp) and list(v.owner.positions) == here
    ]
    return found if len(found) == len(values) else []
