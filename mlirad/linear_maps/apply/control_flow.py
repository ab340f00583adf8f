"""Maps of loops and branches as array code: loops over tangents, and over cotangents the other way round.

    scan     forward: a scan over tangents, slices of residuals and of dxs
             transposed: a reversed scan; its carries are the cotangents of the carries and the sums of the
             cotangents of captured values; its stacked values are the cotangents of dxs
    while    the same as a replay of the tape
    if       an `if` of the images, or of the sums after the branch has added to them; `checkpoint` likewise

A sum of cotangents goes through a loop or branch as a value, to which the body adds in place: a loop that
reads one element of a captured array per trip adds one element per trip to one sum. What is a structural zero
in every trip is not carried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from xdsl.ir import Region

from mlirad.dialects import linear
from mlirad.dialects.array.custom import CheckpointOp
from mlirad.dialects.shapes import Value, components_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.builder import yields
from mlirad.linear_maps.apply import indexed, pointwise
from mlirad.linear_maps.apply.calls import accumulate_call, apply_call
from mlirad.linear_maps.apply.regions import Elements, Expressions, enter, present
from mlirad.linear_maps.apply.rules import rule, rule_transposed
from mlirad.linear_maps.elements import Element, accumulated, as_value, assembled, components, value_of
from mlirad.linear_maps.nonzeros import Alive
from mlirad.linear_maps.transposes import Captured


def apply_control(
    b: ArrayBuilder, op: linear.MapOp, captured: Captured, x: Element, expressions: Expressions
) -> Element:
    """The image of x, which is not zero, under a map of control flow."""
    given = components(x, op.domain)
    if isinstance(op, linear.CALL_MAPS):
        return assembled(apply_call(b, op, captured, given), op.codomain)
    image = FORWARD_CONTROL[type(op)](b, op, captured, given, expressions)
    return assembled(image, op.codomain)


def accumulate_control(
    b: ArrayBuilder,
    op: linear.MapOp,
    captured: Captured,
    sums: Elements,
    ct: Element,
    expressions: Expressions,
) -> Elements:
    """One sum per component of the domain, after the transposed image of ct, which is not zero, is added."""
    given = components(ct, op.codomain)
    if isinstance(op, (linear.CallOp, *linear.CALL_MAPS)):
        return accumulate_call(b, op, captured, sums, given)
    return TRANSPOSED_CONTROL[type(op)](b, op, captured, sums, given, expressions)


def _at(count: int, places: Sequence[int], values: Sequence[Element]) -> Elements:
    """`count` elements, zero but for the given ones."""
    elements: Elements = [None] * count
    for k, value in zip(places, values, strict=True):
        elements[k] = value
    return elements


def _fixed_point(living: Alive, carries: int, image: Callable[[Alive], Alive]) -> Alive:
    """The smallest set with `living` that holds those of the first `carries` components that it leads to."""
    while True:
        more = living | {k for k in image(living) if k < carries}
        if more == living:
            return living
        living = more


# Scan ------------------------------------------------------------------------------------------------


def _scan(
    b: ArrayBuilder, op: linear.ScanOp, captured: Captured, x: Elements, expressions: Expressions
) -> Elements:
    carries, inputs, _ = op.counts
    spaces, codomain = components_of(op.domain), components_of(op.codomain)
    root = yields(op.body)[0]
    living = _fixed_point(present(x), carries, lambda alive: expressions.alive_image(root, alive))
    carried = [k for k in range(carries) if k in living]
    sliced = [k for k in range(carries, carries + inputs) if x[k] is not None]
    residuals = [captured.get(r, r) for r in op.residuals]
    stacked: list[int] = []

    def trip(index: Value, state: list[Value], slices: list[Value]) -> tuple[list[Value], list[Value]]:
        given = [*x[:carries], *([None] * inputs), *x[carries + inputs :]]
        for k, value in zip((*carried, *sliced), (*state, *slices[len(residuals) :]), strict=True):
            given[k] = value
        map_, env = enter(b, op.body, [index, *slices[: len(residuals)]], captured)
        image = expressions.forward(env, map_, given)
        stacked[:] = sorted(k for k in present(image) if k >= carries)
        new = [value_of(b, image[k], spaces[k]) for k in carried]
        return new, [_given(image[k]) for k in stacked]

    init = [value_of(b, x[k], spaces[k]) for k in carried]
    xs = [*residuals, *(_given(x[k]) for k in sliced)]
    final, ys = b.scan_like(op, init, xs, trip)
    return _at(len(codomain), (*carried, *stacked), (*final, *ys))


def _scan_transposed(
    b: ArrayBuilder,
    op: linear.ScanOp,
    captured: Captured,
    sums: Elements,
    ct: Elements,
    expressions: Expressions,
) -> Elements:
    carries, inputs, _ = op.counts
    spaces = components_of(op.domain)
    root = yields(op.body)[0]
    first_captured = carries + inputs

    def back(alive: Alive) -> Alive:
        return expressions.alive_cotangent(root, alive)

    living = _fixed_point(present(ct), carries, back)
    reached = back(living)
    carried = [k for k in range(carries) if k in living]
    sliced = [k for k in range(carries, len(ct)) if ct[k] is not None]
    summed = [k for k in range(first_captured, len(spaces)) if k in reached]
    residuals = [captured.get(r, r) for r in op.residuals]
    stacked: list[int] = []

    def trip(index: Value, state: list[Value], slices: list[Value]) -> tuple[list[Value], list[Value]]:
        given = _at(len(ct), (*carried, *sliced), (*state[: len(carried)], *slices[len(residuals) :]))
        before = _at(len(spaces), summed, state[len(carried) :])
        map_, env = enter(b, op.body, [index, *slices[: len(residuals)]], captured)
        image = expressions.transposed(env, map_, given, before)
        stacked[:] = [k for k in range(carries, first_captured) if image[k] is not None]
        new = [value_of(b, image[k], spaces[k]) for k in (*carried, *summed)]
        return new, [_given(image[k]) for k in stacked]

    init = [
        *(value_of(b, ct[k], spaces[k]) for k in carried),
        *(value_of(b, sums[k], spaces[k]) for k in summed),
    ]
    xs = [*residuals, *(_given(ct[k]) for k in sliced)]
    kept = op.kept is not None
    final, ys = b.scan(
        init, xs, op.trips, trip, reverse=op.reverse is None, checkpoint=op.checkpointing, kept=kept
    )
    result = list(sums)
    for k, value in zip((*carried, *stacked), (*final[: len(carried)], *ys), strict=True):
        result[k] = accumulated(b, result[k], value)
    for k, value in zip(summed, final[len(carried) :], strict=True):
        result[k] = value
    return result


# While -----------------------------------------------------------------------------------------------


def _while(
    b: ArrayBuilder, op: linear.WhileOp, captured: Captured, x: Elements, expressions: Expressions
) -> Elements:
    carries, spaces = op.carries.value.data, components_of(op.domain)
    root = yields(op.body)[0]
    living = _fixed_point(present(x), carries, lambda alive: expressions.alive_image(root, alive))
    carried = [k for k in range(carries) if k in living]

    def trip(entry: list[Value], state: list[Value]) -> list[Value]:
        given = list(x)
        for k, value in zip(carried, state, strict=True):
            given[k] = value
        map_, env = enter(b, op.body, entry, captured)
        image = expressions.forward(env, map_, given)
        return [value_of(b, image[k], spaces[k]) for k in carried]

    init = [value_of(b, x[k], spaces[k]) for k in carried]
    final = b.replay(captured.get(op.tape, op.tape), init, trip)
    return _at(carries, carried, final)


def _while_transposed(
    b: ArrayBuilder,
    op: linear.WhileOp,
    captured: Captured,
    sums: Elements,
    ct: Elements,
    expressions: Expressions,
) -> Elements:
    carries, spaces = op.carries.value.data, components_of(op.domain)
    root = yields(op.body)[0]

    def back(alive: Alive) -> Alive:
        return expressions.alive_cotangent(root, alive)

    living = _fixed_point(present(ct), carries, back)
    carried = [k for k in range(carries) if k in living]
    summed = [k for k in sorted(back(living)) if k >= carries]

    def trip(entry: list[Value], state: list[Value]) -> list[Value]:
        given = _at(carries, carried, state[: len(carried)])
        before = _at(len(spaces), summed, state[len(carried) :])
        map_, env = enter(b, op.body, entry, captured)
        image = expressions.transposed(env, map_, given, before)
        return [value_of(b, image[k], spaces[k]) for k in (*carried, *summed)]

    init = [
        *(value_of(b, ct[k], spaces[k]) for k in carried),
        *(value_of(b, sums[k], spaces[k]) for k in summed),
    ]
    final = b.replay(captured.get(op.tape, op.tape), init, trip, reverse=True)
    result = list(sums)
    for k, value in zip(carried, final, strict=False):
        result[k] = accumulated(b, result[k], value)
    for k, value in zip(summed, final[len(carried) :], strict=True):
        result[k] = value
    return result


# Branches --------------------------------------------------------------------------------------------


def _chosen(
    b: ArrayBuilder,
    op: linear.BranchOp,
    captured: Captured,
    image: Callable[[Region], list[Value]],
) -> list[Value]:
    """The values that `image` makes of the branch that is taken."""
    if isinstance(op, linear.CheckpointOp):
        region = b.region((), lambda: image(op.body))
        types = [v.type for v in yields(region)]
        return list(b.insert(CheckpointOp, (), types, None, (region,)).results)
    branches = [lambda region=region: image(region) for region in op.regions]
    if isinstance(op, linear.IfOp):
        return b.if_(captured.get(op.condition, op.condition), branches[0], branches[1])
    return b.switch(captured.get(op.index, op.index), branches)


def _branch(
    b: ArrayBuilder, op: linear.BranchOp, captured: Captured, x: Elements, expressions: Expressions
) -> Elements:
    spaces = components_of(op.codomain)
    alive = present(x)
    roots = [yields(region)[0] for region in op.regions]
    reached = sorted(frozenset[int]().union(*(expressions.alive_image(root, alive) for root in roots)))
    zeros = {k: b.zeros(spaces[k]) for k in reached}

    def image(region: Region) -> list[Value]:
        map_, env = enter(b, region, (), captured)
        made = expressions.forward(env, map_, x)
        return [_or(made[k], zeros[k]) for k in reached]

    return _at(len(spaces), reached, _chosen(b, op, captured, image))


def _branch_transposed(
    b: ArrayBuilder,
    op: linear.BranchOp,
    captured: Captured,
    sums: Elements,
    ct: Elements,
    expressions: Expressions,
) -> Elements:
    spaces = components_of(op.domain)
    alive = present(ct)
    roots = [yields(region)[0] for region in op.regions]
    reached = sorted(frozenset[int]().union(*(expressions.alive_cotangent(root, alive) for root in roots)))
    # Made here, so that branches which leave them as they are agree.
    unchanged = {k: value_of(b, sums[k], spaces[k]) for k in reached}

    def image(region: Region) -> list[Value]:
        map_, env = enter(b, region, (), captured)
        made = expressions.transposed(env, map_, ct, list(sums))
        return [_or(made[k], unchanged[k]) for k in reached]

    result = list(sums)
    for k, value in zip(reached, _chosen(b, op, captured, image), strict=True):
        result[k] = value
    return result


def _given(element: Element) -> Value:
    """An element of an array space that is not zero."""
    return as_value(element)


def _or(element: Element, zero: Value) -> Value:
    return zero if element is None else as_value(element)


Forward: TypeAlias = Callable[[ArrayBuilder, Any, Captured, Elements, Expressions], Elements]

Transposed: TypeAlias = Callable[[ArrayBuilder, Any, Captured, Elements, Elements, Expressions], Elements]

FORWARD_CONTROL: dict[type[linear.MapOp], Forward] = {
    linear.ScanOp: _scan,
    linear.WhileOp: _while,
    linear.IfOp: _branch,
    linear.SwitchOp: _branch,
    linear.CheckpointOp: _branch,
    linear.BuildOp: indexed.build,
    linear.BuildTransposeOp: indexed.join,
    linear.FunctionOp: pointwise.function,
    linear.EliminateOp: pointwise.eliminate,
    linear.RuleOp: rule,
}
"""The image of a tangent under every map with regions."""

TRANSPOSED_CONTROL: dict[type[linear.MapOp], Transposed] = {
    linear.ScanOp: _scan_transposed,
    linear.WhileOp: _while_transposed,
    linear.IfOp: _branch_transposed,
    linear.SwitchOp: _branch_transposed,
    linear.CheckpointOp: _branch_transposed,
    linear.BuildOp: indexed.build_transposed,
    linear.BuildTransposeOp: indexed.join_transposed,
    linear.FunctionOp: pointwise.function_transposed,
    linear.EliminateOp: pointwise.eliminate_transposed,
    linear.RuleOp: rule_transposed,
}
"""The sums of cotangents with the transposed image of a cotangent added, under every map with regions."""
