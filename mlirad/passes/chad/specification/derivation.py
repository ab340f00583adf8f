"""CHAD of a block: its code on primal parts, and one map between linear parts whose code is the sweep.

    %z = array.mul %x, %y     -->     %z = array.mul %x, %y
                                      %m = linear.lambda (%ct_z : f64) {
                                        %ct_x = linear.apply_transpose (linear.scale %y), %ct_z
                                        %ct_y = linear.apply_transpose (linear.scale %x), %ct_z
                                        array.yield %ct_x, %ct_y
                                      }

A `Derivation` emits the code and notes a step for each op. A `Sweep` takes the steps while the code of the
map is emitted: backwards from the cotangents of the results, or forward from the tangents of the inputs. It
holds an element of the linear part for each value, with structural zeros; so the record over a context, which
the paper makes of tuples, is a table of the compiler and no value (CHAD paper, section 6 with its Table 1
applied to lets and pairs). A value that does not depend on the inputs has no element and costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, TypeAlias

from xdsl.dialects.func import ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from mlirad.dialects import linear
from mlirad.dialects.array import control
from mlirad.dialects.array.frames import FRAME_OPS
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.shapes import Value, tuple_type
from mlirad.errors import DifferentiationError
from mlirad.ir.arrays import ArrayBuilder, Environment, Images, extents_of
from mlirad.ir.carries import name_arguments_like
from mlirad.ir.free_values import own_operands
from mlirad.ir.locations import location_of
from mlirad.lazy_dataclass import dataclass
from mlirad.linear_maps.elements import (
    Element,
    as_value,
    assembled,
    components,
    from_leaves,
    injected,
    is_zero,
    part,
    sum_of,
    typed_leaves,
)
from mlirad.passes.chad.types import Types
from mlirad.pipeline_options import METHODS
from mlirad.rules.derivatives import DERIVATIVES, ZERO, Joint, Partial

Groups: TypeAlias = Sequence[Sequence[Value]]
"""Values whose linear parts make an element: of one group their product, of several the tuple of these."""

CHAD = "the specification of CHAD"

Construct: TypeAlias = "Callable[[Derivation, Any], None]"
"""Emits what stands for an op, enters its results, and notes a step."""


@dataclass
class Derivation(Images):
    """The images of the values of a block, which of them depend on the inputs, and the steps so far."""

    b: ArrayBuilder
    types: Types
    constructs: Mapping[type[Operation], Construct]
    derivative_of: Callable[[str], str]
    """The name of the derivative of a function, which is made when it is first needed."""
    env: Environment = field(default_factory=dict[Value, Value])
    active: set[Value] = field(default_factory=set[Value])
    method: str = CHAD
    """The name of the method in messages."""
    is_plain: bool = False
    """True in code that is not differentiated: nothing in it depends on inputs."""
    steps: list[Callable[[Sweep], None]] = field(default_factory=list["Callable[[Sweep], None]"])

    def enter(self, sources: Sequence[Value], values: Sequence[Value]) -> None:
        """Note what the results of an op became."""
        for source, value in zip(sources, values, strict=True):
            self.env[source] = value
            if value.name_hint is None:
                value.name_hint = source.name_hint

    def activate(self, sources: Iterable[Value]) -> None:
        """Note that values depend on the inputs: those whose linear part is not a point."""
        if not self.is_plain:
            self.active.update(v for v in sources if linear.carried(self.types.linear(v.type)))

    def active_of(self, sources: Iterable[Value]) -> list[Value]:
        """Those of some values that depend on the inputs, each once."""
        return [v for v in dict.fromkeys(sources) if v in self.active]

    def step(self, op: Operation, run: Callable[[Sweep], None]) -> None:
        """Note a step, whose code stands at the line of the op."""

        def located(sweep: Sweep) -> None:
            self.b.location, self.b.name_hint = op.location, None
            run(sweep)

        self.steps.append(located)

    def component(self, op: Operation, whole: Value, one: Value, index: int) -> None:
        """Note the step between the element of a tuple or sum and that of its component `index`."""
        space = self.types.linear(whole.type)
        self.activate([one])

        def run(sweep: Sweep) -> None:
            if sweep.types.is_reverse:
                known = sweep.of(one)
                sweep.add(whole, None if known is None else injected(known, space, index))
            else:
                sweep.add(one, part(sweep.of(whole), index))

        self.step(op, run)

    def inner(self, arguments: Iterable[tuple[Value, Value]], active: Iterable[Value] = ()) -> Derivation:
        """The derivation of a region: of its values alone, unless some are said to be active."""
        inputs, env = list(active), {**self.env, **dict(arguments)}
        inner = replace(self, env=env, active=set(), steps=[], is_plain=self.is_plain and not inputs)
        inner.activate(inputs)
        return inner

    # Ops -----------------------------------------------------------------------------------------

    def block(self, block: Block) -> list[Value]:
        """Emit the ops of a block; the source values that it yields or returns."""
        for op in block.ops:
            if isinstance(op, YieldOp | ReturnOp):
                return list(own_operands(op))
            self.op(op)
        raise AssertionError("a block without a terminator")

    def op(self, op: Operation) -> None:
        """Emit an op."""
        self.b.location = op.location
        self.b.name_hint = op.results[0].name_hint if op.results else None
        self.constructs.get(type(op), _by_table)(self, op)

    def primal(self, op: Operation) -> Operation:
        """Emit an op of the array dialect as it is."""
        regions = [self.region(r, extents_of(op)) for r in op.regions]
        operands = self.values(own_operands(op))
        new = self.b.insert(type(op), operands, op.result_types, op.properties, regions)
        self.enter(op.results, new.results)
        return new

    def region(self, region: Region, extents: Sequence[int] = ()) -> Region:
        """The region on primal parts; its leading arguments range over `extents`."""

        def body(*arguments: Value) -> list[Value]:
            return self.inlined(region, arguments)

        return self.b.region_over(extents, region.block.arg_types, body)

    def inlined(self, region: Region, arguments: Sequence[Value]) -> list[Value]:
        """The values that a region yields for arguments, emitted here without their derivative."""
        name_arguments_like(arguments, region.block.args)
        inner = self.inner(zip(region.block.args, arguments, strict=True))
        return inner.values(inner.block(region.block))

    # Maps ----------------------------------------------------------------------------------------

    def space(self, groups: Groups) -> Attribute:
        """The space of the linear parts of values."""
        parts = [self.types.linear_product([v.type for v in group]) for group in groups]
        return parts[0] if len(parts) == 1 else tuple_type(parts)

    def map(self, inputs: Groups, results: Sequence[Value]) -> Value:
        """The derivative of what has been emitted, as a map between the linear parts of source values."""

        def run(sweep: Sweep, element: Element) -> Element:
            if self.types.is_reverse:
                sweep.spread([results], element)
                for step in reversed(self.steps):
                    step(sweep)
                return sweep.joined(inputs)
            sweep.spread(inputs, element)
            for step in self.steps:
                step(sweep)
            return sweep.joined([results])

        return self.coded(self.space(inputs), self.space([results]), run)

    def coded(self, inputs: Attribute, outputs: Attribute, run: Callable[[Sweep, Element], Element]) -> Value:
        """A derivative, between the linear parts of inputs and outputs, by what it makes of an element."""
        b, type_ = self.b, self.types.map(inputs, outputs)

        def body(*given: Value) -> list[Value]:
            sweep = Sweep(self)
            return sweep.written(run(sweep, from_leaves(type_.domain, given)), type_.codomain)

        b.name_hint = None
        region = b.region(linear.carried(type_.domain), body)
        return b.emit(linear.LambdaOp, (), type_, None, (region,))


class Sweep:
    """The elements of linear parts known so far while the code of a map is emitted."""

    def __init__(self, d: Derivation):
        self.b, self.types = d.b, d.types
        self._d = d
        self._elements: dict[Value, Element] = {}

    def of(self, source: Value) -> Element:
        """The element of a source value."""
        return self._elements.get(source)

    def add(self, source: Value, element: Element) -> None:
        """Add to the element of a source value; nothing for one that does not depend on the inputs."""
        if source in self._d.active:
            total = self._elements[source] = self.plus(self.of(source), element)
            if isinstance(total, SSAValue) and total.name_hint is None and source.name_hint is not None:
                total.name_hint = ("ct_" if self.types.is_reverse else "d_") + source.name_hint

    def plus(self, x: Element, y: Element) -> Element:
        """The sum of two elements."""
        return sum_of(x, y, lambda f, g: self._added(as_value(f), as_value(g)))

    def _added(self, x: Value, y: Value) -> Value:
        if isinstance(x.type, linear.ElementSpace):
            return self.b.emit(linear.PlusOp, (x, y), x.type)
        return self.b.add(x, y)

    def joined(self, groups: Groups) -> Element:
        """The element that those of source values make."""
        parts = [assembled([self.of(v) for v in group], self._d.space([group])) for group in groups]
        return parts[0] if len(parts) == 1 else parts

    def spread(self, groups: Groups, element: Element) -> None:
        """Add the parts of an element to those of source values."""
        products = [element] if len(groups) == 1 else components(element, self._d.space(groups))
        for group, whole in zip(groups, products, strict=True):
            for source, x in zip(group, components(whole, self._d.space([group])), strict=True):
                self.add(source, x)

    def rolled(self, element: Element, held: Attribute, space: Attribute) -> Element:
        """The element of an inductive space that one of the space `held` makes."""
        if is_zero(element):
            return None
        return self.b.emit(linear.RollOp, self.written(element, held), space)

    def unrolled(self, element: Element, held: Attribute) -> Element:
        """The element of the space `held` that one of an inductive space was made of."""
        if is_zero(element):
            return None
        results = self.b.insert(linear.UnrollOp, [as_value(element)], linear.carried(held)).results
        return from_leaves(held, results)

    def apply(self, map_: Value, element: Element, *, transposed: bool = False) -> Element:
        """The image of an element, 0 for what is 0 by structure."""
        if is_zero(element) or isinstance(map_.owner, linear.ZeroOp):
            return None
        if isinstance(map_.owner, linear.IdentityOp):
            return element
        type_ = linear.map_type(map_.type, "map")
        source, target = (type_.domain, type_.codomain)[:: -1 if transposed else 1]
        op_class = linear.ApplyTransposeOp if transposed else linear.ApplyOp
        operands = [map_, *self.written(element, source)]
        return from_leaves(target, self.b.insert(op_class, operands, linear.carried(target)).results)

    def through(self, map_: Value, inputs: Groups, results: Sequence[Value]) -> None:
        """Take the elements of the results back to the inputs, or those of the inputs to the results."""
        source, target = ([results], inputs) if self.types.is_reverse else (inputs, [results])
        self.spread(target, self.apply(map_, self.joined(source)))

    def same(self, inputs: Sequence[Value], results: Sequence[Value]) -> None:
        """Take elements from values to others that are the same."""
        sources, targets = (results, inputs) if self.types.is_reverse else (inputs, results)
        for source, target in zip(sources, targets, strict=True):
            self.add(target, self.of(source))

    def written(self, element: Element, space: Attribute) -> list[Value]:
        """The leaves of an element, zeros written out."""
        return [self._leaf(s, leaf) for s, leaf in typed_leaves(element, space)]

    def _leaf(self, space: Attribute, leaf: Any) -> Value:
        if leaf is not None:
            return as_value(leaf)
        if isinstance(space, linear.ElementSpace):
            return self.b.emit(linear.NothingOp, (), space)
        return self.b.zeros(space)


def _by_table(d: Derivation, op: Operation) -> None:
    """An op of the array dialect, by the derivative table."""
    sources, rule = list(own_operands(op)), DERIVATIVES.get(type(op))
    if rule is None and type(op) not in ZERO:
        raise underivable(op, d.method)
    if rule is None or not d.active_of(sources):
        _rebuilt(d, op)
        return
    new = d.primal(op)
    d.activate(op.results)
    (result,) = op.results
    if result not in d.active:
        return
    if isinstance(rule, Joint):
        space = tuple_type([d.types.linear(v.type) for v in sources])
        d.step(op, lambda sweep: _joint(sweep, rule.rule, sources, space, new, result))
    else:
        partials = [(p, v) for p, v in zip(rule, sources, strict=False) if p is not None and v in d.active]
        d.step(op, lambda sweep: _partials(sweep, partials, new, result))


def _joint(
    sweep: Sweep, rule: Partial, sources: Sequence[Value], space: Attribute, op: Operation, result: Value
) -> None:
    """Between a result and all operands, by one map from the tuple of these."""
    if not sweep.types.is_reverse:
        sweep.add(result, sweep.apply(rule(sweep.b, op), [sweep.of(v) for v in sources]))
    elif sweep.of(result) is not None:
        image = sweep.apply(rule(sweep.b, op), sweep.of(result), transposed=True)
        for source, x in zip(sources, components(image, space), strict=True):
            sweep.add(source, x)


def _partials(sweep: Sweep, partials: Sequence[tuple[Partial, Value]], op: Operation, result: Value) -> None:
    """Between a result and the operands that it depends on, each by a map of its own."""
    reverse = sweep.types.is_reverse
    for partial, operand in partials:
        source, target = (result, operand) if reverse else (operand, result)
        if sweep.of(source) is not None:
            sweep.add(target, sweep.apply(partial(sweep.b, op), sweep.of(source), transposed=reverse))


def _rebuilt(d: Derivation, op: Operation) -> None:
    """Emit an op without its derivative, folded if it has no region."""
    if op.regions:
        d.primal(op)
    else:
        d.b.rebuild(op, d.env)


def underivable(op: Operation, method: str = CHAD) -> DifferentiationError:
    """The error that an op has no derivative by a method that is a specification."""
    what = f"cannot differentiate {op.name}"
    if isinstance(op, linear.DifferentiationOp):
        what = f"differentiates once, and a derivative of @{op.callee_name} is taken inside"
    elif isinstance(op, control.WhileOp | control.ReplayOp):
        what = "cannot differentiate the derivative of a loop whose number of iterations depends on data"
    elif isinstance(op, FRAME_OPS):
        what = "cannot differentiate the derivative of a function that calls itself"
    return DifferentiationError(
        f"{method} {what}",
        location=location_of(op),
        hint=f"choose one of the methods {', '.join(METHODS)}",
    )
