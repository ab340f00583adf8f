"""Folding constructors of functions as values, tuples and sums.

    f = b.lambda_([f64], lambda z: [b.mul(z, w)])
    (y,) = b.apply(f, [x])
    r = b.case(s, [lambda n: [b.convert(n, f64)], lambda x: [x]])

The following fold: β, η, projections, and known facts about a sum:

    apply (lambda x. t) a                  -->   t[a]
    apply (partial @g e) a                 -->   call @g(a, e)
    lambda x. apply f x                    -->   f
    get k (tuple a..)                      -->   a_k              tuple (get 0 t, get 1 t, ..)  -->  t
    case (inject k a) {..}                 -->   arm k at a
    branches that all inject the same alternative                      -->   that, after them
    branches that yield equal closures                                 -->   the one closure, before them

A lambda is written out where it is applied if that is its only use, which is known once the function is
finished; or if it is second-order, that is, takes or returns closures, as long as there is `Room`. Any
other lambda with several uses stays a lambda: a chain f_{k+1} = λz. f_k z + f_k (z/2) would have 2ⁿ copies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import cache
from typing import cast

from xdsl.dialects.builtin import SymbolRefAttr, TupleType
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects.function import (
    ApplyOp,
    CaseOp,
    ClosureType,
    GetOp,
    InductiveType,
    InjectOp,
    LambdaOp,
    PartialOp,
    RollOp,
    SumType,
    TupleOp,
    UnrollOp,
    closure_type,
)
from mlirad.dialects.function.closures import signature_of
from mlirad.dialects.function.data import alternatives_of
from mlirad.dialects.shapes import Value, integer, tuple_type
from mlirad.ir.builder import yields
from mlirad.ir.control import ControlBuilder, Values
from mlirad.ir.free_values import free_values
from mlirad.ir.locations import name_of
from mlirad.ir.regions import discard
from mlirad.lazy_dataclass import dataclass

Inline = Callable[[Region, Sequence[Value]], list[Value]]
"""Emits the body of a source region here on the given arguments; returns what it yields."""

LEAST_ROOM = 10_000
"""The number of ops that may be written out in any program."""


@dataclass
class Room:
    """The number of ops that may still be inlined: second-order lambdas can grow without bound."""

    left: int = LEAST_ROOM
    refused: dict[str, None] = field(default_factory=dict[str, None])
    """The names of what was not written out for want of room."""

    def take(self, op: LambdaOp | FuncOp) -> bool:
        """Return whether there is room for the code of a lambda or function, which is then counted."""
        count = sum(1 for _ in op.body.walk())
        if count > self.left:
            self.refused[name_of(op.closure) if isinstance(op, LambdaOp) else f"@{op.sym_name.data}"] = None
            return False
        self.left -= count
        return True


class FunctionBuilder(ControlBuilder):
    """Constructors of the `function` dialect."""

    def __init__(self, block: Block):
        super().__init__(block)
        self.room = Room()
        self._lambdas: list[LambdaOp] = []

    def inline_region(self, region: Region, args: Sequence[Value], env: Mapping[Value, Value]) -> list[Value]:
        """Emit the body of a region here, its arguments replaced; returns what it yields."""
        raise NotImplementedError

    # Closures ------------------------------------------------------------------------------------

    def lambda_(self, types: Sequence[Attribute], body: Callable[..., Iterable[Value]]) -> Value:
        """The function from values of the given types to what `body` emits and returns for them."""
        region = self.region(types, body)
        made = yields(region)
        first, last = region.block.first_op, region.block.last_op
        if isinstance(first, ApplyOp) and first.next_op is last:
            # The closure that is applied stands outside: there is no other op in the region.
            same = list(first.arguments) == list(region.block.args) and made == list(first.outputs)
            if same and first.closure not in region.block.args:
                closure = first.closure
                discard(region)
                return closure
        type_ = closure_type(types, [v.type for v in made])
        op = cast(LambdaOp, self.insert(LambdaOp, (), (type_,), None, (region,)))
        self._lambdas.append(op)
        return op.closure

    def partial(self, callee: str, fixed: Values, type_: ClosureType) -> Value:
        """The function of that name with its last parameters fixed."""
        return self.emit(PartialOp, fixed, type_, {"callee": SymbolRefAttr(callee)})

    def apply(self, closure: Value, arguments: Values) -> list[Value]:
        """The results of a closure at the arguments."""
        owner, outputs = closure.owner, signature_of(closure).outputs
        if isinstance(owner, PartialOp):
            return self.call(owner.callee_name, [*arguments, *owner.fixed], outputs)
        if (
            isinstance(owner, LambdaOp)
            and holds_closures((*signature_of(closure).inputs, *outputs))
            and self.room.take(owner)
        ):
            return self.inline_region(owner.body, arguments, {})
        return list(self.insert(ApplyOp, [closure, *arguments], outputs).results)

    def call(self, callee: str, arguments: Values, results: Sequence[Attribute]) -> list[Value]:
        """The results of the function of that name."""
        return list(self.insert(CallOp, arguments, results, {"callee": SymbolRefAttr(callee)}).results)

    def write_out_single_uses(self) -> None:
        """Move the code of every lambda whose only use is an application to there, once all code stands."""
        pending = self._lambdas[::-1]
        while pending:
            op = pending.pop()
            use = op.closure.get_user_of_unique_use() if op.parent is not None else None
            if not isinstance(use, ApplyOp) or use.closure is not op.closure:
                continue
            block, home = op.body.block, use.parent
            assert home is not None
            made = yields(op.body)
            for parameter, argument in zip(list(block.args), list(use.arguments), strict=True):
                made = [argument if v is parameter else v for v in made]
                parameter.replace_all_uses_with(argument)
            for inner in list(block.ops)[:-1]:
                inner.detach()
                home.insert_op_before(inner, use)
            for result, value in zip(list(use.outputs), made, strict=True):
                result.replace_all_uses_with(value)
            for erased in (use, op):
                erased.detach()
                erased.erase()
            pending += [v.owner for v in made if isinstance(v.owner, LambdaOp)]

    # Tuples and sums -----------------------------------------------------------------------------

    def tuple_(self, components: Values) -> Value:
        """The tuple of the components; of one, that component."""
        if len(components) == 1:
            return components[0]
        whole = _source_of(components)
        if whole is not None:
            return whole
        return self.emit(TupleOp, components, tuple_type([c.type for c in components]))

    def get(self, whole: Value, index: int) -> Value:
        """Component number `index` of a tuple."""
        if isinstance(whole.owner, TupleOp):
            return whole.owner.components[index]
        type_ = cast(TupleType, whole.type).types.data[index]
        return self.emit(GetOp, (whole,), type_, {"index": integer(index)})

    def alternative(self, value: Value, index: int, type_: SumType) -> Value:
        """The value as alternative number `index` of a sum."""
        return self.emit(InjectOp, (value,), type_, {"index": integer(index)})

    def roll(self, value: Value, type_: InductiveType) -> Value:
        """The value as one of the type of a name."""
        return self.emit(RollOp, (value,), type_)

    def unroll(self, value: Value, type_: Attribute) -> Value:
        """The value, of type `type_`, that one of the type of a name was rolled from."""
        if isinstance(value.owner, RollOp):
            return value.owner.value
        return self.emit(UnrollOp, (value,), type_)

    def case(self, value: Value, arms: Sequence[Callable[[Value], Values]]) -> list[Value]:
        """The values of the arm for the alternative that the value of a sum is."""
        if isinstance(value.owner, InjectOp):
            return list(arms[value.owner.index.value.data](value.owner.value))
        types = alternatives_of(value)
        regions = [self.region((t,), arm) for t, arm in zip(types, arms, strict=True)]
        if len(regions) == 1:
            results = [v.type for v in yields(regions[0])]
            return list(self.insert(CaseOp, (value,), results, None, regions).results)
        return self._chosen(CaseOp, value, regions)

    def _chosen(self, op_class: type[Operation], choice: Value, regions: list[Region]) -> list[Value]:
        made = [yields(region) for region in regions]
        injected: dict[int, InjectOp] = {}
        for k, column in enumerate(zip(*made, strict=True)):
            if isinstance(column[0].type, SumType):
                first = column[0].owner
                if isinstance(first, InjectOp) and all(_injects(v, first) for v in column):
                    injected[k] = first
                    column = tuple(cast(InjectOp, v.owner).value for v in column)
            elif isinstance(column[0].type, ClosureType):
                column = self._hoisted(column, regions)
            for values, value in zip(made, column, strict=True):
                values[k] = value
        for region, values in zip(regions, made, strict=True):
            last = region.block.last_op
            if last is not None and list(last.operands) != values:
                last.operands = values
        results = super()._chosen(op_class, choice, regions)
        for k, op in injected.items():
            results[k] = self.alternative(results[k], op.index.value.data, op.result.type)
        return results

    def _hoisted(self, column: tuple[Value, ...], regions: Sequence[Region]) -> tuple[Value, ...]:
        """Closures that branches yield: where these are equal, one that stands before the branches."""
        keys: set[object] = set()
        for value, region in zip(column, regions, strict=True):
            op = value.owner
            if not isinstance(op, LambdaOp | PartialOp) or op.parent is not region.block:
                return column
            if any(_is_inside(v, region) for v in free_values(op)):
                return column
            keys.add(self._key(type(op), op.operands, op.result_types, op.properties, op.regions))
        if len(keys) != 1:
            return column
        op = cast(LambdaOp | PartialOp, column[0].owner)
        bodies = [region.clone() for region in op.regions]
        one = self.insert(type(op), op.operands, op.result_types, op.properties, bodies)
        if isinstance(one, LambdaOp):
            self._lambdas.append(one)
        return (one.results[0],) * len(column)


def fold_function(b: FunctionBuilder, op: Operation, o: Sequence[Value], inline: Inline) -> Sequence[Value]:
    """The results of an op of the dialect rebuilt with operands `o`."""
    match op:
        case LambdaOp():
            return [b.lambda_(op.body.block.arg_types, _named(op.body, inline))]
        case PartialOp():
            return [b.partial(op.callee_name, o, signature_of(op.closure))]
        case ApplyOp():
            return b.apply(o[0], o[1:])
        case TupleOp():
            return [b.tuple_(o)]
        case GetOp():
            return [b.get(o[0], op.index.value.data)]
        case InjectOp():
            return [b.alternative(o[0], op.index.value.data, op.result.type)]
        case CaseOp():
            return b.case(o[0], [_named(arm, inline) for arm in op.arms])
        case RollOp():
            return [b.roll(o[0], op.result.type)]
        case UnrollOp():
            return [b.unroll(o[0], op.result.type)]
        case _:
            raise AssertionError(f"{op.name} is not an op of the dialect")


def _named(region: Region, inline: Inline) -> Callable[..., list[Value]]:
    """Emits the body of a region on arguments, which get the names of its own."""

    def body(*args: Value) -> list[Value]:
        for value, old in zip(args, region.block.args, strict=True):
            if value.name_hint is None and isinstance(value.owner, Block):
                value.name_hint = old.name_hint
        return inline(region, args)

    return body


def _source_of(components: Values) -> Value | None:
    """The tuple whose components these are, all and in order."""
    gets = [c.owner for c in components]
    if not gets or not isinstance(gets[0], GetOp):
        return None
    whole = gets[0].operand
    in_order = all(
        isinstance(g, GetOp) and g.operand is whole and g.index.value.data == k for k, g in enumerate(gets)
    )
    return whole if in_order and len(cast(TupleType, whole.type).types.data) == len(gets) else None


def _injects(value: Value, first: InjectOp) -> bool:
    """Return whether a value is injected as `first` is."""
    return isinstance(value.owner, InjectOp) and value.owner.index == first.index


def _is_inside(value: Value, region: Region) -> bool:
    home = value.owner if isinstance(value.owner, Block) else value.owner.parent
    return home is region.block


# Types ---------------------------------------------------------------------------------------------


@cache
def _has_closures(type_: Attribute) -> bool:
    match type_:
        case ClosureType():
            return True
        case TupleType() | SumType():
            return any(map(_has_closures, cast("Sequence[Attribute]", type_.types.data)))
        case _:
            return False


def holds_closures(types: Iterable[Attribute]) -> bool:
    """Return whether a value of one of the types may be a closure, or hold one."""
    return any(map(_has_closures, types))
