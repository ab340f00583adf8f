"""Linear maps as values become closures: what CHAD makes of programs with functions is compiled.

    !linear.map<S, T>            !function.closure<(leaves of S) -> (leaves of T)>
    linear.lambda                function.lambda
    linear.apply of a value      function.apply
    linear.apply of a known map  the image, where it stands (`images.py`)
    linear.plus, nothing, roll   a cell, or a closure (`elements.py`)

A map that is made of others, or that an op has a rule for, is a closure only where it flows on as a value: it
is applied where it is known. Of a map that is known as a closure alone, the transpose takes the images of a
basis, as the interpreter does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects import linear
from mlirad.dialects.array import control
from mlirad.dialects.array.custom import CheckpointOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.function import (
    FUNCTION_OPS,
    ApplyOp,
    CaseOp,
    ClosureType,
    GetOp,
    InjectOp,
    LambdaOp,
    PartialOp,
    RollOp,
    SumType,
    TupleOp,
    UnrollOp,
)
from mlirad.dialects.shapes import Value
from mlirad.errors import UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, Environment, extents_of, new_function
from mlirad.ir.builder import function_block
from mlirad.ir.call_graph import callee_name, functions_of
from mlirad.ir.first_order import is_higher
from mlirad.ir.free_values import own_operands
from mlirad.ir.functions import Room
from mlirad.ir.locations import location_of
from mlirad.linear_maps.elements import from_leaves
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.function_pass import replace_function
from mlirad.passes.maps_to_closures.elements import Elements, Types
from mlirad.passes.maps_to_closures.images import Images


def maps_to_closures(module: ModuleOp) -> None:
    """Make closures of the linear maps of a module, in place.

    Raises `UnsupportedError` for maps of derivatives that are not expanded, and for the transpose of a
    closure between spaces of functions.
    """
    types = Types(module)
    for op in module.walk():
        if isinstance(op, linear.RollOp):
            types.define(op.result.type, op.leaves.types)
        elif isinstance(op, linear.UnrollOp):
            types.define(op.operand.type, op.leaves.types)
    rewriting = Rewriting(Elements(module, types))
    for function in functions_of(module):
        replace_function(function, rewriting.function(function))
    module.body.block.add_ops(rewriting.elements.functions)


class Builder(ArrayBuilder):
    """Leaves lambdas that return closures where they are: every one of CHAD's does."""

    def __init__(self, block: Block):
        super().__init__(block)
        self.room = Room(0)


class Rewriting:
    """Emits code on what stands for maps and elements."""

    def __init__(self, elements: Elements):
        self.elements, self.types = elements, elements.types
        self.images = Images(elements, self.block)

    def function(self, function: FuncOp) -> FuncOp:
        """The function on what stands for its values."""
        block = function_block(function)

        def body(b: ArrayBuilder, *arguments: Value) -> list[Value]:
            env: Environment = dict(zip(block.args, arguments, strict=True))
            return self.handed_over(b, self.block(b, block, env), env)

        visibility = function.sym_visibility
        new = new_function(
            function.sym_name.data,
            self.types.all_of(block.arg_types),
            body,
            None if visibility is None else visibility.data,
            [a.name_hint for a in block.args],
            Builder,
        )
        new.location = function.location
        new.attributes.update(function.attributes)
        if new.function_type == function.function_type:
            new.properties.update(function.properties)
        return eliminate_dead_code(new)

    def block(self, b: ArrayBuilder, block: Block, env: Environment) -> list[Value]:
        """Emit the ops of a block, enter their results; the source values that it hands over."""
        for op in block.ops:
            if isinstance(op, YieldOp | ReturnOp):
                return list(own_operands(op))
            b.location = op.location
            b.name_hint = op.results[0].name_hint if op.results else None
            made = self.op(b, op, env)
            if made is None:
                continue
            for result, value in zip(op.results, made, strict=True):
                env[result] = value
                if value.name_hint is None:
                    value.name_hint = result.name_hint
        raise AssertionError("a block without a terminator")

    def handed_over(self, b: ArrayBuilder, values: Sequence[Value], env: Environment) -> list[Value]:
        """Return what stands for values that flow on, known maps as closures."""
        return [self.images.value(b, v, env) for v in values]

    def _body(self, b: ArrayBuilder, region: Region, env: Environment) -> Callable[..., list[Value]]:
        """Emits the body of a region on what stands for its arguments."""

        def body(*arguments: Value) -> list[Value]:
            for value, source in zip(arguments, region.block.args, strict=True):
                if value.name_hint is None:
                    value.name_hint = source.name_hint
            inner = {**env, **dict(zip(region.block.args, arguments, strict=True))}
            return self.handed_over(b, self.block(b, region.block, inner), inner)

        return body

    def op(self, b: ArrayBuilder, op: Operation, env: Environment) -> Sequence[Value] | None:
        """Return what stands for the results of an op; None where these are in the environment, or known
        maps.
        """
        if isinstance(op, _LINEAR):
            return self._linear(b, op, env)
        if not _is_concerned(op):
            b.rebuild(op, env)
            return None
        o = self.handed_over(b, own_operands(op), env)
        types = self.types.all_of(op.result_types)
        match op:
            case LambdaOp():
                inputs = self.types.all_of(op.body.block.arg_types)
                return [b.lambda_(inputs, self._body(b, op.body, env))]
            case PartialOp():
                type_ = self.types.of(op.closure.type)
                assert isinstance(type_, ClosureType)
                return [b.partial(op.callee_name, o, type_)]
            case ApplyOp():
                return b.apply(o[0], o[1:])
            case TupleOp():
                return [b.tuple_(o)]
            case GetOp():
                return [b.get(o[0], op.index.value.data)]
            case InjectOp():
                type_ = self.types.of(op.result.type)
                assert isinstance(type_, SumType)
                return [b.alternative(o[0], op.index.value.data, type_)]
            case CaseOp():
                return b.case(o[0], [self._body(b, arm, env) for arm in op.arms])
            case RollOp():
                return [b.roll(o[0], op.result.type)]
            case UnrollOp():
                return [b.unroll(o[0], types[0])]
            case CallOp():
                return b.call(callee_name(op), o, types)
            case control.IfOp() | control.SwitchOp() | CheckpointOp():
                return b.choose(o[0] if o else None, [self._body(b, r, env) for r in op.regions])
            case control.ScanOp():
                count, body = op.carry_count, self._body(b, op.body, env)

                def iteration(
                    i: Value, state: list[Value], xs: list[Value]
                ) -> tuple[list[Value], list[Value]]:
                    made = body(i, *state, *xs)
                    return made[:count], made[count:]

                final, stacked = b.scan_like(op, o[:count], o[count:], iteration)
                return [*final, *stacked]
            case control.WhileOp():
                condition = self._body(b, op.condition, env)
                record = None if op.record is None else op.record.value.data
                return b.while_(o, lambda *s: condition(*s)[0], self._body(b, op.body, env), record)
            case _:
                regions = [
                    b.region_over(extents_of(op), self.types.all_of(r.block.arg_types), self._body(b, r, env))
                    for r in op.regions
                ]
                return b.insert(type(op), o, types, op.properties, regions).results

    def _linear(self, b: ArrayBuilder, op: Operation, env: Environment) -> Sequence[Value] | None:
        match op:
            case linear.LambdaOp():
                return [b.lambda_(self.types.leaves(op.domain), self._body(b, op.body, env))]
            case linear.MapOp():
                return None
            case linear.ApplyOp() | linear.ApplyTransposeOp():
                b.name_hint = None
                transposed = isinstance(op, linear.ApplyTransposeOp)
                type_ = linear.map_type(op.map.type, "map")
                source, target = (type_.domain, type_.codomain)[:: -1 if transposed else 1]
                given = from_leaves(source, [env.get(a, a) for a in op.arguments])
                image = self.images.image(b, op.map, given, env, transposed=transposed)
                return self.elements.written(b, image, target)
            case linear.PushOp() | linear.PullOp():
                b.rebuild(op, env)
                return None
            case linear.PlusOp():
                return [self.elements.added(b, env[op.lhs], env[op.rhs])]
            case linear.RollOp():
                return [self.elements.rolled(b, _inductive(op.result), [env[v] for v in op.leaves])]
            case linear.UnrollOp():
                return self.elements.unrolled(b, _inductive(op.operand), env[op.operand])
            case linear.NothingOp():
                return [self.elements.zero(b, self.types.of(op.result.type))]
            case _:
                raise UnsupportedError(
                    f"{op.name} is not a closure: its derivative is not expanded",
                    location=location_of(op),
                    hint="run the pass chad before",
                )


def _inductive(element: Value) -> linear.InductiveSpace:
    assert isinstance(element.type, linear.InductiveSpace)
    return element.type


def _is_concerned(op: Operation) -> bool:
    """Return whether an op, or one in its regions, has values that may be maps or hold some."""
    return any(
        isinstance(inner, (*_LINEAR, *FUNCTION_OPS))
        or any(isinstance(t, linear.MapType) or is_higher(t) for t in _types_of(inner))
        for inner in op.walk()
    )


def _types_of(op: Operation) -> list[Attribute]:
    return [v.type for v in (*own_operands(op), *op.results)]


_LINEAR = (linear.MapOp, *linear.VALUE_OPS, *linear.ELEMENT_OPS, *linear.CALL_VALUES)
"""The ops of the dialect of maps."""
