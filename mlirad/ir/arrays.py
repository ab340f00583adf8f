"""The folding builder of the array dialect, and the rebuilding of existing ops through it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias, cast

from xdsl.dialects.builtin import i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects import linear
from mlirad.dialects.array import control, indexing, ordering, reductions, structural
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.array.literals import literal_array, literal_number
from mlirad.dialects.array.structural import BroadcastOp
from mlirad.dialects.extents import at_most
from mlirad.dialects.function import FUNCTION_OPS
from mlirad.dialects.kernel.nests import ScheduledOp
from mlirad.dialects.shapes import (
    Value,
    array_type,
    dot_shape,
    element_of,
    int_lists,
    integer,
    ints,
    keyword,
    reduce_shape,
    shape_of,
    size_of,
    values_of,
)
from mlirad.ir.builder import function_block, returned, yields
from mlirad.ir.control_rebuilding import fold_control, fold_ordering
from mlirad.ir.functions import FunctionBuilder, fold_function
from mlirad.ir.maps import MapBuilder
from mlirad.ir.reporting import ReportingBuilder
from mlirad.ir.structural import MAX_FOLDED_ELEMENTS, untransposed

Environment: TypeAlias = dict[Value, Value]


class Images:
    """Code that is emitted for a source: `env` maps the source's values to their images.

    A value that `env` does not hold stands outside the source and is its own image.
    """

    env: Environment

    def value(self, source: Value) -> Value:
        """The image of a source value."""
        return self.env.get(source, source)

    def values(self, sources: Iterable[Value]) -> list[Value]:
        """The images of source values."""
        return [self.value(v) for v in sources]


class ArrayBuilder(FunctionBuilder, ReportingBuilder, MapBuilder):
    """Every constructor of the array and function dialects and of linear maps, folding and sharing."""

    def sum(self, x: Value, dims: Sequence[int]) -> Value:
        """The sum over `dims`. A value that is broadcast along a summed dimension is scaled by its extent."""
        shape, dims = shape_of(x), sorted(dims)
        if any(shape[d] == 0 for d in dims):
            return self.zeros(array_type(reduce_shape(shape, dims), element_of(x)))
        kept = [d for d in dims if shape[d] != 1]
        if len(kept) != len(dims):
            inner = self.sum(x, kept)
            return self.reshape(inner, reduce_shape(shape, dims))
        if not dims:
            return x
        owner = x.owner
        if isinstance(owner, BroadcastOp):
            source = values_of(owner.dims)
            new = [d for d in dims if d not in source]
            if new:
                extent = 1
                for d in new:
                    extent *= shape[d]
                left = [d for d in range(len(shape)) if d not in new]
                small = self.broadcast(
                    owner.operand, [shape[d] for d in left], [left.index(d) for d in source]
                )
                return self.scaled(self.sum(small, [left.index(d) for d in dims if d in left]), extent)
        if isinstance(owner, ew.NegOp):
            return self.neg(self.sum(owner.operand, dims))
        if isinstance(owner, reductions.SumOp):
            inner_shape = shape_of(owner.operand)
            inner_dims = values_of(owner.dims)
            left = [d for d in range(len(inner_shape)) if d not in inner_dims]
            return self.sum(owner.operand, [*inner_dims, *(left[d] for d in dims)])
        type_ = array_type(reduce_shape(shape, dims), element_of(x))
        return self.emit(reductions.SumOp, (x,), type_, int_lists(dims=dims))

    def reduce(self, kind: str, x: Value, dims: Sequence[int]) -> Value:
        """Reduction by `max`, `min`, `prod`, `and` or `or`."""
        shape, dims = shape_of(x), sorted(dims)
        owner = x.owner
        units = [d for d in dims if shape[d] == 1]
        if isinstance(owner, BroadcastOp) and kind != "prod":
            source = values_of(owner.dims)
            new = [d for d in dims if d not in source and shape[d] > 0]
            if new:
                left = [d for d in range(len(shape)) if d not in new]
                small = self.broadcast(
                    owner.operand, [shape[d] for d in left], [left.index(d) for d in source]
                )
                return self.reduce(kind, small, [left.index(d) for d in dims if d in left])
        if units:
            inner = self.reduce(kind, x, [d for d in dims if d not in units])
            return self.reshape(inner, reduce_shape(shape, dims))
        if not dims:
            return x
        type_ = array_type(reduce_shape(shape, dims), element_of(x))
        properties = {"kind": keyword(kind), **int_lists(dims=dims)}
        return self.emit(reductions.ReduceOp, (x,), type_, properties)

    def argmax(self, x: Value, dim: int) -> Value:
        """The position of the first largest element along `dim`."""
        return self._arg_reduction(reductions.ArgmaxOp, x, dim)

    def argmin(self, x: Value, dim: int) -> Value:
        """The position of the first smallest element along `dim`."""
        return self._arg_reduction(reductions.ArgminOp, x, dim)

    def _arg_reduction(self, op_class: type[reductions.ArgReductionOp], x: Value, dim: int) -> Value:
        type_ = array_type(reduce_shape(shape_of(x), (dim,)), i64)
        if at_most(shape_of(x)[dim], 1):
            return self.zeros(type_)
        return self.emit(op_class, (x,), type_, {"dim": integer(dim)})

    def dot(
        self,
        x: Value,
        y: Value,
        lhs_batch: Sequence[int] = (),
        rhs_batch: Sequence[int] = (),
        lhs_contract: Sequence[int] = (),
        rhs_contract: Sequence[int] = (),
    ) -> Value:
        """General contraction; see `array.dot`. A matrix that is transposed is read as it lies."""
        x, lhs_batch, lhs_contract = untransposed(x, lhs_batch, lhs_contract)
        y, rhs_batch, rhs_contract = untransposed(y, rhs_batch, rhs_contract)
        groups = [tuple(d) for d in (lhs_batch, rhs_batch, lhs_contract, rhs_contract)]
        shape = dot_shape(shape_of(x), shape_of(y), *groups)
        names = ("lhs_batch", "rhs_batch", "lhs_contract", "rhs_contract")
        properties: dict[str, Attribute] = {
            name: ints(group) for name, group in zip(names, groups, strict=True)
        }
        return self.emit(reductions.DotOp, (x, y), array_type(shape, element_of(x)), properties)

    # Rebuilding ----------------------------------------------------------------------------------

    def rebuild(self, op: Operation, env: Environment) -> None:
        """Rebuild `op` on what `env` maps its operands to, through the folding constructors.

        The results are entered in `env`. A value that `env` does not know stands for itself.
        """
        self.location = op.location
        self.name_hint = op.results[0].name_hint if op.results else None
        operands = [env.get(o, o) for o in op.operands]
        if isinstance(op, ew.ElementwiseOp):
            result = op.results[0]
            env[result] = self.apply_elementwise(type(op), operands, op.properties, element_of(result))
            return
        if isinstance(op, control.CONTROL_OPS):
            values = fold_control(
                self, op, operands, lambda region, args: self.inline_region(region, args, env)
            )
            self._enter_results(op, values, env)
            return
        if isinstance(op, FUNCTION_OPS):
            values = fold_function(
                self, op, operands, lambda region, args: self.inline_region(region, args, env)
            )
            self._enter_results(op, values, env)
            return
        folded = _fold(self, op, operands, env)
        if folded is None:
            self.rebuild_unfolded(op, env)
        else:
            env[op.results[0]] = folded

    def rebuild_unfolded(self, op: Operation, env: Environment) -> Operation:
        """Rebuild `op` on mapped operands without folding; returns the op that now stands for it."""
        self.location = op.location
        self.name_hint = op.results[0].name_hint if op.results else None
        new = self.insert(
            type(op),
            [env.get(o, o) for o in op.operands],
            op.result_types,
            op.properties,
            [self.clone_region(r, env, extents_of(op)) for r in op.regions],
        )
        self._enter_results(op, new.results, env)
        return new

    @staticmethod
    def _enter_results(op: Operation, values: Sequence[Value], env: Environment) -> None:
        for old, value in zip(op.results, values, strict=True):
            env[old] = value
            if value.name_hint is None:
                value.name_hint = old.name_hint

    def clone_region(self, region: Region, env: Mapping[Value, Value], extents: Sequence[int]) -> Region:
        """The region rebuilt, outer values mapped by `env`; its leading arguments range over `extents`.

        The body of a kernel is copied: it reads nothing from outside but what it loads, so it shares no
        ops with the code around it.
        """
        if isinstance(region.parent, ScheduledOp):
            copied = Region()
            region.clone_into(copied, value_mapper=dict(env))
            return copied

        def body(*args: Value) -> list[Value]:
            for old, arg in zip(region.block.args, args, strict=True):
                arg.name_hint = old.name_hint
            return self.inline_region(region, args, env)

        return self.region_over(extents, region.block.arg_types, body)

    def inline_region(self, region: Region, args: Sequence[Value], env: Mapping[Value, Value]) -> list[Value]:
        """Emit the body of a region here, its arguments replaced; returns what it yields."""
        return self.inline_block(region.block, args, env)

    def inline_block(self, block: Block, args: Sequence[Value], env: Mapping[Value, Value]) -> list[Value]:
        """Emit the ops of a block here, its arguments replaced; returns its terminator's operands."""
        inner = dict(env)
        inner.update(zip(block.args, args, strict=True))
        for op in block.ops:
            if isinstance(op, YieldOp | ReturnOp):
                return [inner.get(v, v) for v in op.operands]
            self.rebuild(op, inner)
        raise AssertionError("a block without a terminator")


def extents_of(op: Operation) -> tuple[int, ...]:
    """The extents that the leading region arguments of an op range over, if they are indices."""
    match op:
        case indexing.BuildOp() | indexing.GatherOp():
            return shape_of(op.result)[: len(op.body.block.args)]
        case indexing.ScatterOp() | indexing.UpdateOp():
            return shape_of(op.operand)[: len(op.body.block.args)]
        case linear.GatherOp():
            return shape_of(op.codomain)[: len(op.body.block.args)]
        case linear.ScatterOp():
            return shape_of(op.domain)[: len(op.body.block.args)]
        case linear.UpdateOp():
            return shape_of(op.operand_space)[: len(op.body.block.args)]
        case control.ScanOp() | linear.ScanOp():
            return (op.iterations,)
        case linear.IndexedMapOp():
            return op.space
        case _:
            return ()


def new_function(
    name: str,
    argument_types: Sequence[Attribute],
    body: Callable[..., Sequence[Value]],
    visibility: str | None = None,
    hints: Sequence[str | None] = (),
    builder_class: Callable[[Block], ArrayBuilder] = ArrayBuilder,
) -> FuncOp:
    """A function: `body` gets the builder and the arguments, emits through it, returns the results."""
    block = Block(arg_types=argument_types)
    for arg, hint in zip(block.args, hints, strict=False):
        arg.name_hint = hint
    builder = builder_class(block)
    results = list(body(builder, *block.args))
    block.add_op(ReturnOp.create(operands=results))
    builder.write_out_single_uses()
    results = list(cast(ReturnOp, block.last_op).operands)
    return FuncOp(name, (list(argument_types), [r.type for r in results]), Region(block), visibility)


def with_body(
    function: FuncOp,
    body: Callable[..., Sequence[Value]],
    builder_class: Callable[[Block], ArrayBuilder] = ArrayBuilder,
) -> FuncOp:
    """A function of the same name, arguments and attributes with another body; see `new_function`."""
    source = function_block(function)
    new = new_function(
        function.sym_name.data,
        list(source.arg_types),
        body,
        None if function.sym_visibility is None else function.sym_visibility.data,
        [a.name_hint for a in source.args],
        builder_class,
    )
    new.location = function.location
    new.attributes.update(function.attributes)
    for name in ("arg_attrs", "res_attrs"):
        if name in function.properties:
            new.properties[name] = function.properties[name]
    return new


def rebuild_function(
    function: FuncOp,
    visit: Callable[[ArrayBuilder, Operation, Environment], None] | None = None,
    builder_class: Callable[[Block], ArrayBuilder] = ArrayBuilder,
) -> FuncOp:
    """The function rebuilt, each op of its body through `visit` (by default the folding rebuild)."""
    source = function_block(function)

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        env: Environment = dict(zip(source.args, args, strict=True))
        for op in source.ops:
            if isinstance(op, ReturnOp):
                break
            b.location = op.location
            b.name_hint = op.results[0].name_hint if op.results else None
            if visit is None:
                b.rebuild(op, env)
            else:
                visit(b, op, env)
        return [env.get(v, v) for v in returned(function)]

    return with_body(function, body, builder_class)


def _fold(b: ArrayBuilder, op: Operation, o: Sequence[Value], env: Mapping[Value, Value]) -> Value | None:
    """The op with operands `o` through its folding constructor; `None` when it has none."""
    match op:
        case structural.ConstantOp() if not shape_of(op.result):
            return b.constant(literal_number(op), op.result.type)
        case structural.ConstantOp() if 0 < size_of(op.result) <= MAX_FOLDED_ELEMENTS:
            return b.constant(literal_array(op), element_of(op.result))
        case structural.IotaOp():
            return b.iota(shape_of(op.result), op.dim.value.data)
        case structural.BroadcastOp():
            return b.broadcast(o[0], shape_of(op.result), values_of(op.dims))
        case structural.TransposeOp():
            return b.transpose(o[0], values_of(op.permutation))
        case structural.ReshapeOp():
            return b.reshape(o[0], shape_of(op.result))
        case structural.SliceOp():
            starts, limits = values_of(op.starts), values_of(op.limits)
            return b.slice(o[0], starts, limits, values_of(op.strides))
        case structural.PadOp():
            low, high = values_of(op.low), values_of(op.high)
            return b.pad(o[0], o[1], low, high, values_of(op.interior))
        case structural.ConcatenateOp():
            return b.concatenate(o, op.dim.value.data)
        case structural.ReverseOp():
            return b.reverse(o[0], values_of(op.dims))
        case structural.StackOp():
            return b.stack(o, op.dim.value.data)
        case indexing.IndexOp():
            return b.index(o[0], o[1:])
        case indexing.GatherOp():
            extents = extents_of(op)
            return b.gather(o[0], extents, b.clone_region(op.body, env, extents))
        case indexing.ScatterOp():
            space = extents_of(op)
            region = b.clone_region(op.body, env, space)
            leading = shape_of(op.result)[: len(yields(op.body))]
            return b.scatter(o[0], len(space), leading, region)
        case indexing.BuildOp():
            extents = extents_of(op)
            return b.build_from(extents, b.clone_region(op.body, env, extents))
        case reductions.SumOp():
            return b.sum(o[0], values_of(op.dims))
        case reductions.ReduceOp():
            return b.reduce(op.kind.data, o[0], values_of(op.dims))
        case reductions.ArgmaxOp() | reductions.ArgminOp():
            extremum = b.argmax if isinstance(op, reductions.ArgmaxOp) else b.argmin
            return extremum(o[0], op.dim.value.data)
        case reductions.DotOp():
            return b.dot(o[0], o[1], *op.batch, *op.contract)
        case ordering.SortOp() | ordering.ArgsortOp() | ordering.CumulativeOp():
            return fold_ordering(b, op, o[0])
        case linear.MapOp():
            return b.fold_map(op, o)
        case _:
            return None
