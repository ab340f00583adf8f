"""Code as one combinator: J of the curry paper, section 3, for blocks of ops and every construct.

    J[x_k] = proj k                      J[f a] = eval ∘ prod J[f] J[a]
    J[(a, b)] = prod J[a] J[b]           J[λx. e] = curry J[e]

A block over values x... is the composition of a step for each op, each from the tuple of the values that are
needed there to that with the results of the op; then of the projections to what the block yields. An op of
the array dialect is a `primitive`, with the back-propagator that the derivative table gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import SymbolRefAttr, TupleType
from xdsl.dialects.func import CallOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects.array import control
from mlirad.dialects.array.custom import CheckpointOp
from mlirad.dialects.array.indexing import BuildOp, YieldOp
from mlirad.dialects.function import (
    FUNCTION_OPS,
    ApplyOp,
    CaseOp,
    GetOp,
    InjectOp,
    LambdaOp,
    PartialOp,
    RollOp,
    TupleOp,
    UnrollOp,
)
from mlirad.dialects.function import combinators as core
from mlirad.dialects.function import control_combinators as of_control
from mlirad.dialects.function.rep import CombinatorOp, RepType
from mlirad.dialects.linear import Linear, PullOp, PushOp
from mlirad.dialects.shapes import Value, integer, ints, shape_of, tuple_type
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.first_order import is_higher
from mlirad.ir.free_values import captures, free_values, own_operands
from mlirad.ir.regions import nested_ops
from mlirad.passes.chad.specification.derivation import Derivation, underivable
from mlirad.passes.chad.specification.specification import CONSTRUCTS
from mlirad.passes.chad.types import Types

SUFFIX = "_curry"
"""The suffix of the combinator's name, after the name of the function."""

CURRY = "the differentiable curry"

Values = Sequence[Value]


class Translation:
    """Emits combinators; `called` are the names of the functions that they refer to."""

    def __init__(self, b: ArrayBuilder):
        self.b = b
        self.called: dict[str, None] = {}

    # Combinators ---------------------------------------------------------------------------------

    def emit(
        self,
        op_class: type[CombinatorOp],
        domain: Attribute,
        codomain: Attribute,
        operands: Values = (),
        properties: dict[str, Attribute] | None = None,
    ) -> Value:
        """A combinator of a type."""
        return self.b.emit(op_class, operands, RepType(domain, codomain), properties)

    def compose(self, outer: Value, inner: Value) -> Value:
        """x to outer(inner(x))."""
        if isinstance(outer.owner, core.IdentityOp):
            return inner
        if isinstance(inner.owner, core.IdentityOp):
            return outer
        return self.emit(core.ComposeOp, _rep(inner).domain, _rep(outer).codomain, (outer, inner))

    def proj(self, domain: Attribute, index: int) -> Value:
        """The component of a tuple."""
        assert isinstance(domain, TupleType)
        return self.emit(core.ProjOp, domain, domain.types.data[index], (), {"index": integer(index)})

    def prod(self, domain: Attribute, functions: Values) -> Value:
        """x to the tuple of all f(x)."""
        return self.emit(core.ProdOp, domain, tuple_type([_rep(f).codomain for f in functions]), functions)

    def select(self, values: Values, wanted: Values) -> Value:
        """From the tuple of some values to that of wanted ones among them."""
        domain = _types(values)
        if list(values) == list(wanted):
            return self.emit(core.IdentityOp, domain, domain)
        places = {v: k for k, v in enumerate(values)}
        return self.prod(domain, [self.proj(domain, places[v]) for v in wanted])

    def flat(self, context: Attribute, others: Sequence[Attribute]) -> Value:
        """From the tuple of a context, itself a tuple, and others to the tuple of all of them."""
        assert isinstance(context, TupleType)
        domain = tuple_type([context, *others])
        whole = self.proj(domain, 0)
        parts = [self.compose(self.proj(context, k), whole) for k in range(len(context.types.data))]
        return self.prod(domain, [*parts, *(self.proj(domain, k + 1) for k in range(len(others)))])

    # Blocks --------------------------------------------------------------------------------------

    def block(self, block: Block, given: Values) -> Value:
        """The combinator from the tuple of some values to the tuple of what a block yields or returns."""
        *ops, last = block.ops
        assert isinstance(last, YieldOp | ReturnOp)
        results = list(own_operands(last))
        needed = _needed(ops, results)
        total = self.select(given, given)
        values = list(given)
        for op, after in zip(ops, needed, strict=True):
            self.b.location = op.location
            kept = [v for v in [*values, *op.results] if v in after]
            total = self.compose(self._step(op, values, kept), total)
            values = kept
        return self.compose(self.select(values, results), total)

    def _step(self, op: Operation, values: Values, kept: Values) -> Value:
        """From the values before an op to those that are needed after it."""
        domain = _types(values)
        own = self.op(op, values)
        if all(v in op.results for v in kept):
            return self.compose(self.select(op.results, kept), own)
        both = self.prod(domain, [self.select(values, values), own])
        domain, results = tuple_type([_types(values), _rep(own).codomain]), list(op.results)
        places = {v: (0, k) for k, v in enumerate(values)} | {v: (1, k) for k, v in enumerate(results)}
        halves = [self.proj(domain, k) for k in range(2)]
        parts = [(halves[h], k) for h, k in (places[v] for v in kept)]
        chosen = [self.compose(self.proj(_rep(half).codomain, k), half) for half, k in parts]
        return self.compose(self.prod(domain, chosen), both)

    def region(self, region: Region, captured: Values) -> Value:
        """The combinator of a region, from the tuple of captured values and arguments."""
        return self.block(region.block, [*captured, *region.block.args])

    def in_context(self, region: Region, captured: Values) -> Value:
        """The same, from the tuple of a context, which is the tuple of the captured values, and arguments."""
        body = self.region(region, captured)
        return self.compose(body, self.flat(_types(captured), region.block.arg_types))

    # Ops -----------------------------------------------------------------------------------------

    def op(self, op: Operation, values: Values) -> Value:
        """The combinator from the tuple of all values so far to the tuple of the results of an op."""
        match op:
            case LambdaOp():
                captured = captures(op.body)
                function = self.in_context(op.body, captured)
                return self.prod(_types(values), [self._curried(function, op.closure, values, captured)])
            case PartialOp():
                return self._partial(op, values)
            case ApplyOp():
                given = [op.closure, *op.arguments]
                applied = self.emit(core.EvalOp, _types(given), _types(op.outputs))
                return self.compose(applied, self.select(values, given))
            case CallOp():
                name = self._named(op.callee.root_reference.data, _types(op.arguments), _types(op.res))
                return self.compose(name, self.select(values, op.arguments))
            case TupleOp():
                return self.prod(_types(values), [self.select(values, op.components)])
            case GetOp():
                whole = self.select(values, [op.operand])
                part = self.proj(op.operand.type, op.index.value.data)
                return self._within(whole, [part])
            case InjectOp():
                properties: dict[str, Attribute] = {"index": op.index}
                injection = self.emit(of_control.InjectOp, op.value.type, op.result.type, (), properties)
                return self._within(self.select(values, [op.value]), [injection])
            case RollOp() | UnrollOp():
                (given,) = own_operands(op)
                op_class = of_control.RollOp if isinstance(op, RollOp) else of_control.UnrollOp
                renaming = self.emit(op_class, given.type, op.result.type)
                return self._within(self.select(values, [given]), [renaming])
            case CheckpointOp():
                captured = captures(op.body)
                return self.compose(self.region(op.body, captured), self.select(values, captured))
            case _ if _is_first_order(op):
                return self._primitive(op, values)
            case CaseOp() | control.IfOp() | control.SwitchOp():
                return self._choice(op, values)
            case BuildOp():
                return self._build(op, values)
            case control.ScanOp():
                return self._scan(op, values)
            case control.WhileOp() if op.record is None:
                return self._while(op, values)
            case _:
                raise underivable(op, CURRY)

    def _within(self, whole: Value, functions: Values) -> Value:
        """A function of each component of a tuple."""
        domain = _rep(whole).codomain
        parts = [self.compose(f, self.proj(domain, k)) for k, f in enumerate(functions)]
        return self.compose(self.prod(domain, parts), whole)

    def _curried(self, function: Value, closure: Value, values: Values, captured: Values) -> Value:
        curried = self.emit(core.CurryOp, _types(captured), closure.type, (function,))
        return self.compose(curried, self.select(values, captured))

    def _named(self, name: str, domain: Attribute, codomain: Attribute) -> Value:
        self.called[name] = None
        properties: dict[str, Attribute] = {"callee": SymbolRefAttr(name + SUFFIX)}
        return self.emit(core.NamedOp, domain, codomain, (), properties)

    def _partial(self, op: PartialOp, values: Values) -> Value:
        type_ = op.closure.type
        fixed = _types(op.fixed)
        name = self._named(
            op.callee_name, tuple_type([*type_.inputs, *fixed.types.data]), tuple_type(type_.outputs)
        )
        domain = tuple_type([fixed, *type_.inputs])
        whole = self.proj(domain, 0)
        arguments = [self.proj(domain, k + 1) for k in range(len(type_.inputs))]
        arguments += [self.compose(self.proj(fixed, k), whole) for k in range(len(op.fixed))]
        function = self.compose(name, self.prod(domain, arguments))
        return self.prod(_types(values), [self._curried(function, op.closure, values, op.fixed)])

    def _primitive(self, op: Operation, values: Values) -> Value:
        """An op without closures, with its back-propagator by the derivative table."""
        b, read = self.b, free_values(op)

        def body(*arguments: Value) -> list[Value]:
            d = Derivation(b, Types("reverse"), CONSTRUCTS, _no_call, method=CURRY)
            inner = d.inner(zip(read, arguments, strict=True), read)
            inner.op(op)
            return [*inner.values(op.results), inner.map([read], op.results)]

        region = b.region([v.type for v in read], body)
        type_ = RepType(_types(read), _types(op.results))
        function = b.emit(core.PrimitiveOp, (), type_, None, (region,))
        return self.compose(function, self.select(values, read))

    def _choice(self, op: CaseOp | control.IfOp | control.SwitchOp, values: Values) -> Value:
        captured = list(dict.fromkeys(v for region in op.regions for v in captures(region)))
        chosen, context, results = own_operands(op)[0], _types(captured), _types(op.outputs)
        given = self._given(values, captured, [chosen])
        if isinstance(op, CaseOp):
            functions = [self.in_context(arm, captured) for arm in op.arms]
            choice = self.emit(of_control.MatchOp, tuple_type([context, chosen.type]), results, functions)
        else:
            functions = [self.region(region, captured) for region in op.regions]
            choice = self.emit(of_control.ChooseOp, tuple_type([context, chosen.type]), results, functions)
        return self.compose(choice, given)

    def _build(self, op: BuildOp, values: Values) -> Value:
        captured = captures(op.body)
        extents = shape_of(op.result)[: len(op.body.block.args)]
        function = self.in_context(op.body, captured)
        properties: dict[str, Attribute] = {"extents": ints(extents)}
        results = _types(op.results)
        table = self.emit(of_control.TabulateOp, _types(captured), results, (function,), properties)
        return self.compose(table, self.select(values, captured))

    def _scan(self, op: control.ScanOp, values: Values) -> Value:
        captured = captures(op.body)
        function = self.in_context(op.body, captured)
        names = [n for n in ("carries", "length", "reverse") if n in op.properties]
        properties = {name: op.properties[name] for name in names}
        read = own_operands(op)
        domain = tuple_type([_types(captured), *(v.type for v in read)])
        loop = self.emit(of_control.FoldOp, domain, _types(op.results), (function,), properties)
        return self.compose(loop, self._given(values, captured, read))

    def _while(self, op: control.WhileOp, values: Values) -> Value:
        captured = list(dict.fromkeys([*captures(op.condition), *captures(op.body)]))
        functions = [self.in_context(region, captured) for region in (op.condition, op.body)]
        domain = tuple_type([_types(captured), *(v.type for v in op.init)])
        loop = self.emit(of_control.IterateOp, domain, _types(op.results), functions)
        return self.compose(loop, self._given(values, captured, op.init))

    def _given(self, values: Values, captured: Values, others: Values) -> Value:
        """From the tuple of all values to that of a context and of others."""
        domain = _types(values)
        places = {v: k for k, v in enumerate(values)}
        return self.prod(
            domain, [self.select(values, captured), *(self.proj(domain, places[v]) for v in others)]
        )


def _types(values: Iterable[Value]) -> TupleType:
    return tuple_type([v.type for v in values])


def _rep(function: Value) -> RepType:
    assert isinstance(function.type, RepType)
    return function.type


def _needed(ops: Sequence[Operation], results: Values) -> list[set[Value]]:
    """The values that are read after each op."""
    after: list[set[Value]] = []
    read = set(results)
    for op in reversed(ops):
        after.append(set(read))
        read.update(free_values(op))
    return after[::-1]


def _is_first_order(op: Operation) -> bool:
    """Return whether an op has arrays alone, inside of it too."""
    inside = (inner for region in op.regions for inner in nested_ops(region))
    if any(isinstance(inner, (*FUNCTION_OPS, CallOp)) for inner in inside):
        return False
    if type(op) in Linear.operations and not isinstance(op, PushOp | PullOp):
        return False
    return not any(is_higher(v.type) for v in (*free_values(op), *op.results))


def _no_call(name: str) -> str:
    raise AssertionError(f"@{name} is called in a primitive")
