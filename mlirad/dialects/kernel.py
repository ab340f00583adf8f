"""The `kernel` dialect: what lowering decided, in a form that can be read, tested and printed to LLVM IR.

A nest is one perfect loop nest over an output space and a reduction space, with one straight-line body of
scalar `array` ops between loads and what it yields. Values keep value semantics: a nest reads arrays and
results in arrays; the layouts and places of its results are properties.

    %z = kernel.nest %x, %y (%i, %r) {space = [100], reduction = [8], combiners = [add], lane = 0, width = 8}
        : tensor<100x8xf64>, tensor<8xf64> -> tensor<100xf64> {
      %a = kernel.load %x[%i, %r] : tensor<100x8xf64> -> f64
      %b = kernel.load %y[%r] : tensor<8xf64> -> f64
      %p = array.mul %a, %b : f64
      array.yield %p : f64
    }

Region arguments are the loop indices: output space first, reduction space after it.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import I64, ArrayAttr, DenseArrayBase, IntegerAttr, StringAttr, UnitAttr, i1, i64
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Attribute, BlockArgument, Dialect, Operation
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    var_operand_def,
    var_result_def,
)
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.elementwise import ElementwiseOp, check_elements
from mlirad.dialects.array.frames import NoFrameOp
from mlirad.dialects.array.indexing import UPDATE_KINDS, YieldOp, check_index_arguments
from mlirad.dialects.array.ordering import CUMULATIVE_KINDS
from mlirad.dialects.array.reductions import COMBINER_ELEMENTS, ContractionOp
from mlirad.dialects.array.reporting import check_report
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.kernel_factorisations import FactorisationOp, TriangularSolveOp
from mlirad.dialects.kernel_strips import StripsOp
from mlirad.dialects.kernel_transforms import FftOp
from mlirad.dialects.shapes import (
    ELEMENTS,
    FLOATS,
    STORED,
    Shape,
    Value,
    array_type,
    check_dims,
    element_of,
    is_array,
    is_ints,
    shape_of,
    values_of,
)
from mlirad.dialects.syntax import StructuredOp

MAX_POINTS = 2**48
"""The most points that the loops of a kernel may have: as many as the elements of the largest array."""

SCHEDULE = ("lane", "width", "tile_dim", "tile", "order", "reduction_outer", "parallel")
"""The properties of a nest that say how its loops run."""

MAX_WRITTEN_OUT = 4096
"""The most values that the body of a nest may yield."""

MAX_UNROLLED = 64
"""The most lanes a loop may have, and the most times it may be unrolled: code grows with both."""


@irdl_op_definition
class LoadOp(StructuredOp):
    """One element of a buffer. Every position lies inside its dimension: whoever makes the op proves it."""

    name = "kernel.load"
    buffer = operand_def()
    positions = var_operand_def(i64)
    result = result_def()
    POSITIONS_FROM: ClassVar = 1

    def verify_(self) -> None:
        """One position per dimension; the result is an element."""
        check_load(self.buffer.type, self.positions, self.result.type)


@irdl_op_definition
class LoadIfOp(StructuredOp):
    """One element of a buffer where the guard holds, 0 elsewhere; memory is touched only where it holds.

    The positions lie inside their dimensions wherever the guard holds.
    """

    name = "kernel.load_if"
    guard = operand_def(i1)
    buffer = operand_def()
    positions = var_operand_def(i64)
    result = result_def()
    POSITIONS_FROM: ClassVar = 2

    def verify_(self) -> None:
        """One position per dimension; the result is an element."""
        check_load(self.buffer.type, self.positions, self.result.type)


def check_load(buffer: Attribute, positions: Sequence[object], result: Attribute) -> None:
    """Require one position per dimension of the buffer and its element as result."""
    if not is_array(buffer):
        raise VerifyException(f"buffer must be a scalar or array, got {buffer}")
    if len(positions) != len(shape_of(buffer)):
        raise VerifyException(f"{len(positions)} positions in a buffer of type {buffer}")
    if result != element_of(buffer):
        raise VerifyException(f"result must be {element_of(buffer)}, got {result}")


class ScheduledOp(StructuredOp, ABC):
    """What nests and scatters share: an iteration space, inputs, a body of scalar ops, a schedule."""

    @property
    def extents(self) -> Shape:
        """The extents of all loops, in the order of the region's arguments."""
        raise TypeError(f"{self.name} states no extents")

    def check_body(self) -> YieldOp:
        """Require loop indices as arguments and a straight-line body of loads and scalar ops."""
        block = self.regions[0].block
        check_index_arguments(block)
        if len(block.args) != len(self.extents):
            raise VerifyException(f"{len(block.args)} region arguments for {len(self.extents)} loops")
        if min(self.extents, default=0) < 0 or prod(max(e, 1) for e in self.extents) > MAX_POINTS:
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
class NestOp(ScheduledOp):
    """A loop nest: `out_k[o...] = combine_k over r... of body_k(o..., r...)`, or `body_k(o...)` without r.

    `combiners` has one entry per result when there is a reduction space, else it is absent. `argmax` and
    `argmin` need a reduction space of one dimension and result in i64 positions, the first of equals.

    A result has a dimension per loop of the output space; neighbouring loops may share one, of the product of
    their extents. Dimensions after these are written out: the body yields each of their elements, the last
    dimension fastest.

    Schedule (every property is optional and has a default):
    `lane` the loop that runs across vector lanes, `width` how many lanes; `tile_dim` an output loop unrolled
    by `tile`, with loads shared; `order` the loops from outermost to innermost; `layouts` the storage order
    of each result, dimensions from outermost to innermost; `reduction_outer`: reduction loops outside, sums
    kept in memory; `parallel`: threads may share the outermost loop, which is one of the output, in blocks of
    that many iterations. Memory plan: `places`, per result a byte offset in the arena, or -1 - k for output
    k.
    """

    name = "kernel.nest"
    inputs = var_operand_def()
    space = prop_def(DenseArrayBase.constr(i64))
    reduction = prop_def(DenseArrayBase.constr(i64))
    combiners = opt_prop_def(ArrayAttr[StringAttr])
    lane = opt_prop_def(IntegerAttr[I64])
    width = opt_prop_def(IntegerAttr[I64])
    tile_dim = opt_prop_def(IntegerAttr[I64])
    tile = opt_prop_def(IntegerAttr[I64])
    order = opt_prop_def(DenseArrayBase.constr(i64))
    layouts = opt_prop_def(ArrayAttr)
    reduction_outer = opt_prop_def(UnitAttr)
    parallel = opt_prop_def(IntegerAttr[I64])
    places = opt_prop_def(DenseArrayBase.constr(i64))
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
        "places",
    )

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
        if self.lane is not None:
            check_dims((self.lane.value.data,), loops, "lane")
        if self.tile_dim is not None:
            check_dims((self.tile_dim.value.data,), outputs, "tile_dim")
        for what, value in (("width", self.width), ("tile", self.tile)):
            if value is not None and not 1 <= value.value.data <= MAX_UNROLLED:
                raise VerifyException(f"{what} {value.value.data} is not between 1 and {MAX_UNROLLED}")
        if self.order is not None and sorted(values_of(self.order)) != list(range(loops)):
            raise VerifyException(f"order must be a permutation of the {loops} loops")
        if self.parallel is not None:
            first = 0 if self.order is None else values_of(self.order)[0]
            if not 0 <= first < outputs or self.reduction_outer is not None:
                raise VerifyException("parallel needs the outermost loop to be one of the output")
            check_parallel(self.parallel)
        check_places(self, self.places)
        check_layouts(self, self.layouts)


def check_parallel(block: IntegerAttr[I64]) -> None:
    """Require a number of iterations that can be a block."""
    if not 1 <= block.value.data <= MAX_POINTS:
        raise VerifyException(f"blocks of {block.value.data} iterations: parallel is 1 or more")


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
    """How far a step of each loop of an output space moves in a result of these strides."""
    dims = loop_dimensions(space, shape)
    assert dims is not None
    found: list[int] = []
    for x, d in enumerate(dims):
        inner = (e for e, other in zip(space[x + 1 :], dims[x + 1 :], strict=True) if other == d)
        found.append(strides[d] * prod(inner))
    return tuple(found)


def is_element_wise(op: NestOp) -> bool:
    """Whether each result has exactly the loops of the output space as dimensions."""
    space = values_of(op.space)
    return all(shape_of(root) == space for root in op.roots)


def check_layouts(op: Operation, layouts: ArrayAttr[Attribute] | None) -> None:
    """Require a storage order per result, if there are layouts; few ops read what is not row-major."""
    if layouts is None:
        return
    if len(layouts.data) != len(op.results):
        raise VerifyException(f"{len(layouts.data)} layouts for {len(op.results)} results")
    for layout, result in zip(layouts.data, op.results, strict=True):
        order = values_of(layout) if is_ints(layout) else None
        row_major = tuple(range(len(shape_of(result))))
        if order is None or tuple(sorted(order)) != row_major:
            raise VerifyException(f"a layout must be a permutation of {len(row_major)} dimensions")
        if order != row_major:
            _check_readers(result)


def _check_readers(value: Value) -> None:
    """Require that a value that is not row-major is read by ops alone that know of its layout."""
    for use in value.uses:
        op = use.operation
        reads = isinstance(op, NestOp | LoadOp | LoadIfOp | DotOp | ReturnOp)
        if not reads and not (isinstance(op, ScatterOp) and (use.index > 0 or op.from_zero is not None)):
            raise VerifyException(f"a result with a layout of its own is read by {op.name}")


def check_places(op: Operation, places: DenseArrayBase[I64] | None) -> None:
    """Require a place per result, if there are places."""
    if places is not None and len(values_of(places)) != len(op.results):
        raise VerifyException(f"{len(values_of(places))} places for {len(op.results)} results")


@irdl_op_definition
class ScatterOp(ScheduledOp):
    """A sequential nest over `space` that adds to, or sets, elements of a base array.

    The body yields the value, then one position per dimension of the result, each inside it, then
    optionally an i1 guard: where it does not hold nothing is written. The first operand is the base unless
    `from_zero` is present (the result then starts at 0). With `in_place` the result shares the base's memory.
    With `masked` the guard holds in few iterations, which are looked for many at a time.
    """

    name = "kernel.scatter"
    inputs = var_operand_def()
    kind = prop_def(StringAttr)
    space = prop_def(DenseArrayBase.constr(i64))
    from_zero = opt_prop_def(UnitAttr)
    in_place = opt_prop_def(UnitAttr)
    masked = opt_prop_def(UnitAttr)
    lane = opt_prop_def(IntegerAttr[I64])
    width = opt_prop_def(IntegerAttr[I64])
    layouts = opt_prop_def(ArrayAttr)
    places = opt_prop_def(DenseArrayBase.constr(i64))
    body = region_def("single_block")
    result = result_def()
    KEYWORD: ClassVar = "kind"
    BRACED: ClassVar = ("space", "from_zero", "in_place", "masked", "lane", "width", "layouts", "places")

    @property
    def extents(self) -> Shape:
        """The iteration space."""
        return values_of(self.space)

    def verify_(self) -> None:
        """A known kind; a value and one position per dimension of the result; a base of its type."""
        if self.kind.data not in UPDATE_KINDS:
            raise VerifyException(f"kind '{self.kind.data}' is not one of {', '.join(UPDATE_KINDS)}")
        last = self.check_body()
        rank = len(shape_of(self.result))
        types = list(last.values.types)
        positions = types[1 : 1 + rank]
        if len(types) not in (1 + rank, 2 + rank) or types[0] != element_of(self.result):
            raise VerifyException(
                f"body must yield a {element_of(self.result)}, {rank} positions and at most a guard"
            )
        if any(t != i64 for t in positions) or types[1 + rank :] not in ([], [i1]):
            raise VerifyException("positions must be i64, the guard i1")
        check_elements(types[0], UPDATE_KINDS[self.kind.data], f"what is to {self.kind.data}")
        if self.lane is not None:
            check_dims((self.lane.value.data,), len(self.extents), "lane")
        if self.width is not None and not 1 <= self.width.value.data <= MAX_UNROLLED:
            raise VerifyException(f"width {self.width.value.data} is not between 1 and {MAX_UNROLLED}")
        if self.from_zero is not None and self.in_place is not None:
            raise VerifyException("from_zero and in_place exclude each other")
        check_places(self, self.places)
        check_layouts(self, self.layouts)
        if self.from_zero is None and (not self.inputs or self.inputs[0].type != self.result.type):
            raise VerifyException("the first operand must be the base, of the result's type")


@irdl_op_definition
class DotOp(ContractionOp):
    """A contraction passed to BLAS: `array.dot` with its properties, of arrays laid out as matrices.

    With `parallel` threads may share it in blocks of so many members of its first batch dimension or, without
    one, so many rows: free positions of the left operand.
    """

    name = "kernel.dot"
    lhs = operand_def()
    rhs = operand_def()
    layouts = opt_prop_def(ArrayAttr)
    parallel = opt_prop_def(IntegerAttr[I64])
    places = opt_prop_def(DenseArrayBase.constr(i64))
    result = result_def()
    BRACED: ClassVar = (*ContractionOp.BRACED, "layouts", "parallel", "places")

    @property
    def shared_extent(self) -> int:
        """How many members of the first batch dimension or, without one, how many rows there are."""
        shape, batch = shape_of(self.lhs), values_of(self.lhs_batch)
        if batch:
            return shape[batch[0]]
        return prod(e for d, e in enumerate(shape) if d not in values_of(self.lhs_contract))

    def verify_(self) -> None:
        """As `array.dot`; blocks of one row or member at least."""
        check_elements(self.lhs.type, FLOATS, "left operand")
        if self.parallel is not None:
            check_parallel(self.parallel)
        check_places(self, self.places)
        check_layouts(self, self.layouts)
        shape = self.contracted_shape(self.lhs, self.rhs)
        expected = array_type(shape, element_of(self.lhs))
        if self.result.type != expected or element_of(self.rhs) != element_of(self.lhs):
            raise VerifyException(f"result has type {self.result.type}, the op computes {expected}")


@irdl_op_definition
class CumulativeOp(StructuredOp):
    """`array.cumulative` with its properties, of row-major arrays."""

    name = "kernel.cumulative"
    kind = prop_def(StringAttr)
    operand = operand_def()
    dim = prop_def(IntegerAttr[I64])
    reverse = opt_prop_def(UnitAttr)
    places = opt_prop_def(DenseArrayBase.constr(i64))
    result = result_def()
    KEYWORD: ClassVar = "kind"
    BRACED: ClassVar = ("dim", "reverse", "places")

    def verify_(self) -> None:
        """As `array.cumulative`."""
        if self.kind.data not in CUMULATIVE_KINDS:
            raise VerifyException(f"kind '{self.kind.data}' is not one of {', '.join(CUMULATIVE_KINDS)}")
        check_elements(self.operand.type, COMBINER_ELEMENTS[CUMULATIVE_KINDS[self.kind.data]], "operand")
        check_dims((self.dim.value.data,), len(shape_of(self.operand)), "dim")
        check_places(self, self.places)
        if self.result.type != self.operand.type:
            raise VerifyException(f"result must have type {self.operand.type}, got {self.result.type}")


@irdl_op_definition
class SortOp(StructuredOp):
    """`array.sort` along `dim` or, with `positions`, `array.argsort`, of row-major arrays.

    The results after the first are memory that the op works in, of unspecified content: two lines of the
    operand's elements and, with `positions`, two lines of positions.
    """

    name = "kernel.sort"
    operand = operand_def()
    dim = prop_def(IntegerAttr[I64])
    positions = opt_prop_def(UnitAttr)
    places = opt_prop_def(DenseArrayBase.constr(i64))
    outputs = var_result_def()
    BRACED: ClassVar = ("dim", "positions", "places")

    def verify_(self) -> None:
        """Elements or positions in the shape of the operand; two lines to work in for each."""
        check_elements(self.operand.type, ELEMENTS, "operand")
        check_dims((self.dim.value.data,), len(shape_of(self.operand)), "dim")
        check_places(self, self.places)
        expected = sort_types(self.operand.type, self.dim.value.data, positions=self.positions is not None)
        if list(self.result_types) != expected:
            raise VerifyException(f"results must have types {', '.join(map(str, expected))}")


def sort_types(operand: Attribute, dim: int, *, positions: bool) -> list[Attribute]:
    """The types of the results of `kernel.sort`."""
    shape = shape_of(operand)
    elements = array_type((2 * shape[dim],), element_of(operand))
    if not positions:
        return [operand, elements]
    return [array_type(shape, i64), elements, array_type((2 * shape[dim],), i64)]


@irdl_op_definition
class ReportOp(StructuredOp):
    """`array.report` of row-major arrays."""

    name = "kernel.report"
    token = operand_def(i64)
    condition = operand_def()
    values = var_operand_def()
    kind = prop_def(StringAttr)
    message = prop_def(StringAttr)
    source = opt_prop_def(StringAttr)
    batch_rank = prop_def(IntegerAttr[I64])
    places = opt_prop_def(DenseArrayBase.constr(i64))
    result = result_def(i64)
    KEYWORD: ClassVar = "kind"
    BRACED: ClassVar = ("message", "source", "batch_rank", "places")

    def verify_(self) -> None:
        """As `array.report`."""
        batch_rank = self.batch_rank.value.data
        check_report(self.kind.data, self.message.data, batch_rank, self.condition, self.values)
        check_places(self, self.places)


KERNEL_RESULT_OPS = (
    NestOp,
    ScatterOp,
    DotOp,
    CumulativeOp,
    SortOp,
    FactorisationOp,
    TriangularSolveOp,
    FftOp,
    ReportOp,
)
"""The ops of the dialect that write arrays."""

KERNEL_OPS = (*KERNEL_RESULT_OPS, LoadOp, LoadIfOp, StripsOp)
"""Every op of the dialect."""

Kernel = Dialect("kernel", [*KERNEL_OPS], [])
