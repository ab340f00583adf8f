"""Emission of upstream ops: constants, bodies, structured ops over a space, loops.

    u.op(arith.AddfOp, x, y)                                   the one result of an op
    u.generate(type, lambda i, j: u.op(...))                   an array from its elements at positions
    u.elementwise(type, [x, y], lambda a, b: u.op(...))        an array from the elements of others
    u.loop(n, [init], lambda i, carries: [...])                the last carries of `scf.for`

Positions are i64, as in the array dialect; they are cast to `index` where upstream ops want that. Arrays of
rank 0 are scalars: they become tensors of rank 0 only around reductions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from math import prod
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    LocationAttr,
    TensorType,
    UnknownLoc,
    i64,
)
from xdsl.dialects.func import CallOp
from xdsl.dialects.linalg import ops
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.ir.affine import AffineDimExpr, AffineMap

from mlirad.dialects.array.literals import literal
from mlirad.dialects.shapes import Shape, Value, element_of, shape_of

INDEX = IndexType()

Body = Callable[..., Value]


class Emitter:
    """Appends upstream ops to the innermost open block."""

    def __init__(self, block: Block):
        self.blocks = [block]
        self.location: LocationAttr = UnknownLoc()
        self.c_functions: dict[str, tuple[Sequence[Attribute], Attribute]] = {}
        """The functions of the C library that are called, with the types that they take and return."""
        self._constants: list[dict[Attribute, Value]] = [{}]

    def add(self, op: Operation) -> Operation:
        """Append an op."""
        op.location = self.location
        self.blocks[-1].add_op(op)
        return op

    def op(self, op_class: Callable[..., Operation], *arguments: Any) -> Value:
        """The one result of an op made of these arguments."""
        return self.add(op_class(*arguments)).results[0]

    def binary(self, op_class: Callable[..., Operation]) -> Callable[[Value, Value], Value]:
        """The function that puts an op of two operands here."""

        def made(x: Value, y: Value) -> Value:
            return self.op(op_class, x, y)

        return made

    def region(
        self, types: Sequence[Attribute], body: Callable[..., Iterable[Value]], end: type[Operation]
    ) -> Region:
        """A region of one block that ends by handing on what `body` returns."""
        block = Block(arg_types=types)
        self.blocks.append(block)
        self._constants.append({})
        try:
            values = list(body(*block.args))
            self.add(end.create(operands=values))
        finally:
            self.blocks.pop()
            self._constants.pop()
        return Region(block)

    # Constants and types ---------------------------------------------------------------------------

    def constant(self, value: npt.ArrayLike, type_: Attribute) -> Value:
        """A literal; a scalar for an array type is all of its elements. Shared where it is visible."""
        attribute = self._literal(value, type_)
        for known in self._constants:
            if attribute in known:
                return known[attribute]
        made = self.op(arith.ConstantOp, attribute)
        self._constants[-1][attribute] = made
        return made

    @staticmethod
    def _literal(value: npt.ArrayLike, type_: Attribute) -> Attribute:
        if isinstance(type_, IndexType):
            return IntegerAttr(int(np.asarray(value)), type_)
        element, shape = element_of(type_), shape_of(type_)
        if not shape:
            return literal(value, element)
        numbers = np.asarray(value)
        scalar = cast("Any", literal(numbers.reshape(-1)[0] if numbers.size else 0, element))
        if not numbers.shape:
            return DenseIntOrFPElementsAttr.from_list(cast(Any, type_), [scalar.value.data])
        return literal(np.broadcast_to(numbers, shape), element)

    def index(self, value: int) -> Value:
        """A position or extent as an `index`."""
        return self.constant(value, INDEX)

    def as_index(self, position: Value) -> Value:
        """A position as an `index`."""
        return self.op(arith.IndexCastOp, position, INDEX)

    def as_position(self, index: Value) -> Value:
        """An `index` as a position."""
        return self.op(arith.IndexCastOp, index, i64)

    def empty(self, type_: Attribute) -> Value:
        """A tensor whose elements are written later."""
        return self.op(tensor.EmptyOp, [], type_)

    def as_tensor(self, x: Value) -> Value:
        """A scalar as a tensor of rank 0; a tensor as it is."""
        if isinstance(x.type, TensorType):
            return x
        return self.add(
            tensor.FromElementsOp.create(operands=[x], result_types=[TensorType(x.type, ())])
        ).results[0]

    def as_value(self, x: Value) -> Value:
        """A tensor of rank 0 as a scalar; another one as it is."""
        return x if shape_of(x) else self.extract(x, [])

    # Structured ops --------------------------------------------------------------------------------

    def generic(
        self,
        inputs: Sequence[Value],
        maps: Sequence[Sequence[int]],
        outputs: Sequence[Value],
        output_dims: Sequence[int],
        rank: int,
        body: Callable[..., Iterable[Value]],
    ) -> list[Value]:
        """`linalg.generic` over `rank` dimensions; the outputs have `output_dims` of these, inputs `maps`."""
        types = [element_of(v) for v in (*inputs, *outputs)]
        region = self.region(types, body, ops.YieldOp)
        affine = [_projection(rank, tuple(dims)) for dims in (*maps, *[output_dims] * len(outputs))]
        parallel, reduction = IteratorTypeAttr.parallel(), IteratorTypeAttr.reduction()
        iterators = [parallel if d in output_dims else reduction for d in range(rank)]
        op = ops.GenericOp(inputs, outputs, region, affine, iterators, [v.type for v in outputs])
        return list(self.add(op).results)

    def elementwise(self, type_: Attribute, operands: Sequence[Value], body: Body) -> Value:
        """The array of what `body` makes of elements at one position; of scalars, the scalar."""
        rank = len(shape_of(type_))
        if not rank:
            return body(*operands)
        maps = [range(rank) if shape_of(v) else () for v in operands]
        made = self.generic(
            operands, maps, [self.empty(type_)], range(rank), rank, lambda *a: [body(*a[:-1])]
        )
        return made[0]

    def generate(self, type_: Attribute, body: Body) -> Value:
        """The array of what `body` makes of positions; of rank 0, the scalar."""
        rank = len(shape_of(type_))
        if not rank:
            return body()

        def element(_: Value) -> list[Value]:
            return [body(*(self.as_position(self.op(ops.IndexOp, d)) for d in range(rank)))]

        return self.generic([], [], [self.empty(type_)], range(rank), rank, element)[0]

    # Elements and slices ---------------------------------------------------------------------------

    def extract(self, x: Value, positions: Sequence[Value]) -> Value:
        """An element at positions inside the array; a scalar is its own."""
        if not isinstance(x.type, TensorType):
            return x
        indices = [self.as_index(p) for p in positions]
        return self.op(tensor.ExtractOp, x, indices, element_of(x))

    def slice(self, x: Value, positions: Sequence[Value], type_: Attribute) -> Value:
        """The part of an array at leading positions inside of it."""
        if not shape_of(type_):
            return self.extract(x, positions)
        offsets, sizes, ones = self._leading(x, positions)
        return self.op(tensor.ExtractSliceOp, x, offsets, sizes, ones, type_)

    def replace(self, base: Value, part: Value, positions: Sequence[Value]) -> Value:
        """The array with its part at leading positions replaced."""
        if not shape_of(part):
            return self.op(tensor.InsertOp, part, base, [self.as_index(p) for p in positions])
        return self.insert_slice(base, part, *self._leading(base, positions))

    def insert_slice(
        self,
        base: Value,
        part: Value,
        offsets: Sequence[Value | int],
        sizes: Sequence[int],
        strides: Sequence[int],
    ) -> Value:
        """`tensor.insert_slice` at static or computed offsets."""
        dynamic = [v for v in offsets if not isinstance(v, int)]
        statics = [v if isinstance(v, int) else DYNAMIC_INDEX for v in offsets]
        op = tensor.InsertSliceOp.build(
            operands=[part, base, dynamic, [], []],
            result_types=[base.type],
            properties={
                "static_offsets": _dense(statics),
                "static_sizes": _dense(sizes),
                "static_strides": _dense(strides),
            },
        )
        return self.add(op).results[0]

    def _leading(
        self, x: Value, positions: Sequence[Value]
    ) -> tuple[list[Value | int], list[int], list[int]]:
        shape, count = shape_of(x), len(positions)
        offsets: list[Value | int] = [*map(self.as_index, positions), *[0] * (len(shape) - count)]
        return offsets, [*[1] * count, *shape[count:]], [1] * len(shape)

    def reshape(self, x: Value, type_: Attribute) -> Value:
        """The elements in order under another shape."""
        old, new, element = shape_of(x), shape_of(type_), element_of(x)
        if old == new:
            return x
        if not new:
            return self.extract(x, [self.constant(0, i64)] * len(old))
        if not old:
            op = tensor.FromElementsOp.create(operands=[x], result_types=[type_])
            return self.add(op).results[0]
        line = TensorType(element, (prod(old),))
        if len(old) > 1:
            x = self.add(
                tensor.CollapseShapeOp.create(
                    operands=[x], result_types=[line], properties={"reassociation": _one_group(len(old))}
                )
            ).results[0]
        if len(new) > 1:
            x = self.op(tensor.ExpandShapeOp, x, [], _one_group(len(new)), list(new), type_)
        return x

    # Control ---------------------------------------------------------------------------------------

    def loop(
        self, iterations: int, init: Sequence[Value], body: Callable[[Value, list[Value]], Sequence[Value]]
    ) -> list[Value]:
        """The last carries of a loop over positions 0, 1, ..."""
        if not iterations:
            return list(init)
        types = [INDEX, *(v.type for v in init)]

        def iteration(index: Value, *carries: Value) -> Sequence[Value]:
            return body(self.as_position(index), list(carries))

        low, high, step = self.index(0), self.index(iterations), self.index(1)
        region = self.region(types, iteration, scf.YieldOp)
        return list(self.add(scf.ForOp(low, high, step, init, region)).results)

    def nest(
        self,
        extents: Shape,
        init: Sequence[Value],
        body: Callable[[list[Value], list[Value]], Sequence[Value]],
    ) -> list[Value]:
        """The last carries of loops over all positions of a space, in row-major order."""

        def inner(positions: list[Value], carries: list[Value]) -> Sequence[Value]:
            depth = len(positions)
            if depth == len(extents):
                return body(positions, carries)
            return self.loop(extents[depth], carries, lambda i, c: inner([*positions, i], c))

        return list(inner([], list(init)))

    def call_c(self, name: str, operands: Sequence[Value], type_: Attribute) -> Value:
        """The value of a function of the C library, which the module declares."""
        self.c_functions[name] = ([v.type for v in operands], type_)
        return self.op(CallOp, name, list(operands), [type_])


@cache
def _projection(rank: int, dims: Shape) -> AffineMapAttr:
    return AffineMapAttr(AffineMap(rank, 0, tuple(AffineDimExpr(d) for d in dims)))


def _dense(values: Sequence[int]) -> DenseArrayBase[Any]:
    return DenseArrayBase.from_list(i64, values)


def _one_group(rank: int) -> ArrayAttr[ArrayAttr[IntegerAttr[Any]]]:
    return ArrayAttr([ArrayAttr([IntegerAttr(d, i64) for d in range(rank)])])
