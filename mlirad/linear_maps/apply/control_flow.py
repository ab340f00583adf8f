"""Maps of loops and branches as array code: loops over tangents, and reversed loops over cotangents.

    scan     forward: a scan over tangents, slices of residuals and of dxs
             transposed: a reversed scan; its carries are the cotangents of the carries and the sums of the
             cotangents of captured values; its stacked values are the cotangents of dxs
    while    the same as a replay of the tape
    if       an `if` of the images, or of the sums after the branch has added to them; `checkpoint` likewise

A sum of cotangents goes through a loop or branch as a value, to which the body adds in place: a loop that
reads one element of a captured array per iteration adds one element per iteration to one sum. A structural
zero in every iteration is not carried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from xdsl.ir import Region

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value, components_of
from mlirad.ir.free_values import own_operands
from mlirad.linear_maps.apply import calls, indexed, pointwise, rules
from mlirad.linear_maps.apply.regions import Application
from mlirad.linear_maps.elements import Elements, accumulated, as_value, value_of
from mlirad.linear_maps.nonzeros import Nonzero, nonzero

Iteration: TypeAlias = Callable[[list[Value], list[Value], list[Value]], tuple[list[Value], list[Value]]]
"""From the arguments of the primal code, carries and slices to the new carries and what is stacked."""

Loop: TypeAlias = Callable[[list[Value], list[Value], Iteration], tuple[Sequence[Value], Sequence[Value]]]
"""From the first carries, what is sliced and the iteration to the last carries and what was stacked."""


def _scan(m: Application, op: linear.ScanOp, x: Elements, sums: Elements) -> Elements:
    carries, inputs, _ = op.counts
    outputs = len(components_of(op.codomain)) - carries
    residuals = m.own(op.residuals)

    def loop(
        init: list[Value], xs: list[Value], iteration: Iteration
    ) -> tuple[Sequence[Value], Sequence[Value]]:
        def body(index: Value, state: list[Value], slices: list[Value]) -> tuple[list[Value], list[Value]]:
            return iteration([index, *slices[: len(residuals)]], state, slices[len(residuals) :])

        backwards = (op.reverse is not None) != m.transposed
        return m.b.scan(
            init,
            [*residuals, *xs],
            op.iterations,
            body,
            reverse=backwards,
            checkpoint=op.checkpointing,
            kept=op.kept is not None,
        )

    sliced, stacked = (outputs, inputs) if m.transposed else (inputs, outputs)
    return _looped(m, op, loop, (carries, sliced, stacked), x, sums)


def _while(m: Application, op: linear.WhileOp, x: Elements, sums: Elements) -> Elements:
    (tape,) = m.own([op.tape])

    def loop(
        init: list[Value], xs: list[Value], iteration: Iteration
    ) -> tuple[Sequence[Value], Sequence[Value]]:
        def body(entry: list[Value], state: list[Value]) -> list[Value]:
            return iteration(entry, state, [])[0]

        return m.b.replay(tape, init, body, reverse=m.transposed), []

    return _looped(m, op, loop, (op.carries.value.data, 0, 0), x, sums)


def _looped(
    m: Application,
    op: linear.ScanOp | linear.WhileOp,
    loop: Loop,
    counts: tuple[int, int, int],
    x: Elements,
    sums: Elements,
) -> Elements:
    """The sums after a loop, given how many components are carried, sliced and stacked.

    Further sums given are the same in every iteration; further ones made are sums over all iterations.
    """
    b, (carries, slices_given, slices_made) = m.b, counts
    spaces = components_of(m.directed(op.domain, op.codomain)[1])
    first_sum = carries + slices_made
    reaching = _fixed_point(nonzero(x), carries, lambda given: m.nonzero(op.body, given))
    carried = [k for k in range(carries) if k in reaching]
    sliced = [k for k in range(carries, carries + slices_given) if x[k] is not None]
    summed = [k for k in sorted(m.nonzero(op.body, reaching)) if k >= first_sum]
    stacked: list[int] = []

    def iteration(
        arguments: list[Value], state: list[Value], slices: list[Value]
    ) -> tuple[list[Value], list[Value]]:
        given, before = list(x), _at(len(spaces), summed, state[len(carried) :])
        for k, value in zip((*carried, *sliced), (*state[: len(carried)], *slices), strict=True):
            given[k] = value
        image = m.image(op.body, arguments, given, before if m.transposed else None)
        stacked[:] = [k for k in range(carries, first_sum) if image[k] is not None]
        new = [value_of(b, image[k], spaces[k]) for k in (*carried, *summed)]
        return new, [as_value(image[k]) for k in stacked]

    init = [value_of(b, x[k], spaces[k]) for k in carried]
    init += [value_of(b, sums[k], spaces[k]) for k in summed]
    final, ys = loop(init, [as_value(x[k]) for k in sliced], iteration)
    result = list(sums)
    for k, value in zip((*carried, *stacked), (*final[: len(carried)], *ys), strict=True):
        result[k] = accumulated(b, result[k], value)
    for k, value in zip(summed, final[len(carried) :], strict=True):
        result[k] = value
    return result


def _at(count: int, places: Sequence[int], values: Sequence[Value]) -> Elements:
    """`count` elements, zero except for the given ones."""
    elements: Elements = [None] * count
    for k, value in zip(places, values, strict=True):
        elements[k] = value
    return elements


def _fixed_point(given: Nonzero, carries: int, image: Callable[[Nonzero], Nonzero]) -> Nonzero:
    """The smallest set with `given` that holds those of the first `carries` components that it leads to."""
    while True:
        more = given | {k for k in image(given) if k < carries}
        if more == given:
            return given
        given = more


def _branch(m: Application, op: linear.BranchOp, x: Elements, sums: Elements) -> Elements:
    spaces = components_of(m.directed(op.domain, op.codomain)[1])
    present = nonzero(x)
    reached = sorted(frozenset[int]().union(*(m.nonzero(region, present) for region in op.regions)))
    # Made here, so that branches which leave them as they are agree.
    unchanged = {k: value_of(m.b, sums[k], spaces[k]) for k in reached}

    def image(region: Region) -> list[Value]:
        made = m.image(region, (), x, list(sums) if m.transposed else None)
        return [unchanged[k] if made[k] is None else as_value(made[k]) for k in reached]

    choice = next(iter(m.own(own_operands(op))), None)
    branches = [partial(image, region) for region in op.regions]
    result = list(sums)
    for k, value in zip(reached, m.b.choose(choice, branches), strict=True):
        result[k] = value
    return result


Rule: TypeAlias = Callable[[Application, Any, Elements, Elements], Elements]

CONTROL: dict[type[linear.MapOp], Rule] = {
    linear.ScanOp: _scan,
    linear.WhileOp: _while,
    linear.IfOp: _branch,
    linear.SwitchOp: _branch,
    linear.CheckpointOp: _branch,
    linear.BuildOp: indexed.at_positions,
    linear.BuildTransposeOp: indexed.at_positions,
    linear.FunctionOp: pointwise.at_points,
    linear.EliminateOp: pointwise.at_points,
    linear.RuleOp: rules.rule,
    linear.CallOp: calls.called,
    linear.DerivativeOp: calls.derivative,
    linear.CurvatureOp: calls.curvature,
    linear.RecordedOp: calls.recorded,
}
"""The sums with the image of an element added, in either direction, under maps with regions and of calls."""
