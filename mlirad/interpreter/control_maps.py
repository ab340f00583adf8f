"""Maps of loops, branches and index spaces, and of code.

The maps of all iterations, or positions, are made first, then applied one after the other. Linear code is run
on its argument; its transpose is found from its images of the basis, as the matrix that they make.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Operation, Region

from mlirad.dialects import linear
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.shapes import components_of
from mlirad.errors import DifferentiationError
from mlirad.interpreter.linear_maps import LinearMap, from_leaves, leaves_of, transposed_by_basis
from mlirad.interpreter.machine import Frame, Meaning
from mlirad.interpreter.spaces import (
    Element,
    Function,
    Pairs,
    parts_of,
    plus,
    stacked,
    zeros,
)


def _yielded(region: Region, arguments: Sequence[Any], frame: Frame) -> LinearMap:
    frame.bind(region.block, arguments)
    (made,) = frame.run(region.block)
    return made


def _slice(x: Element, i: int) -> list[Element]:
    return [part[i][()] for part in x]


def _scan(op: linear.ScanOp, operands: Sequence[Any], frame: Frame) -> LinearMap:
    iterations, (carries, inputs, _) = op.iterations, op.counts
    index = numpy_dtype(i64).type
    steps = [_yielded(op.body, [index(i), *(r[i] for r in operands)], frame) for i in range(iterations)]
    order = list(reversed(range(iterations)) if op.reverse is not None else range(iterations))

    def forward(x: Element) -> Element:
        state, xs, captured = x[:carries], x[carries : carries + inputs], x[carries + inputs :]
        ys = [zeros(space) for space in components_of(op.codomain)[carries:]]
        for i in order:
            image = steps[i].apply((*state, *_slice(xs, i), *captured))
            state = image[:carries]
            for y, part in zip(ys, image[carries:], strict=True):
                y[i] = part
        return (*state, *ys)

    def backward(ct: Element) -> Element:
        state, cts = ct[:carries], ct[carries:]
        spaces = components_of(op.domain)
        xs = [zeros(space) for space in spaces[carries : carries + inputs]]
        captured = [zeros(space) for space in spaces[carries + inputs :]]
        for i in reversed(order):
            image = steps[i].apply_transpose((*state, *_slice(cts, i)))
            state = image[:carries]
            for x, part in zip(xs, image[carries : carries + inputs], strict=True):
                x[i] = part
            captured = [plus(c, p) for c, p in zip(captured, image[carries + inputs :], strict=True)]
        return (*state, *xs, *captured)

    return LinearMap(op.domain, op.codomain, forward, backward)


def _while(op: linear.WhileOp, operands: Sequence[Any], frame: Frame) -> LinearMap:
    carries = op.carries.value.data
    steps = [_yielded(op.body, entry, frame) for entry in operands[0]]

    def forward(x: Element) -> Element:
        state, captured = x[:carries], x[carries:]
        for step in steps:
            state = step.apply((*state, *captured))
        return tuple(state)

    def backward(ct: Element) -> Element:
        captured = [zeros(space) for space in components_of(op.domain)[carries:]]
        for step in reversed(steps):
            image = step.apply_transpose(tuple(ct))
            ct = image[:carries]
            captured = [plus(c, p) for c, p in zip(captured, image[carries:], strict=True)]
        return (*ct, *captured)

    return LinearMap(op.domain, op.codomain, forward, backward)


def _if(op: linear.IfOp, operands: Sequence[Any], frame: Frame) -> LinearMap:
    return _yielded(op.then if operands[0] else op.otherwise, (), frame)


def _switch(op: linear.SwitchOp, operands: Sequence[Any], frame: Frame) -> LinearMap:
    branch = int(np.clip(operands[0], 0, len(op.branches) - 1))
    return _yielded(op.branches[branch], (), frame)


def _checkpoint(op: linear.CheckpointOp, operands: Sequence[Any], frame: Frame) -> LinearMap:
    return _yielded(op.body, (), frame)


# Index spaces ----------------------------------------------------------------------------------------


def _positions(op: linear.IndexedMapOp, frame: Frame) -> list[tuple[tuple[int, ...], LinearMap]]:
    """The map at every position, in row-major order."""
    index = numpy_dtype(i64).type
    return [(i, _yielded(op.body, [index(k) for k in i], frame)) for i in np.ndindex(*op.space)]


def _at(x: Element, position: tuple[int, ...]) -> Element:
    """The element at a position of an array of elements."""
    if isinstance(x, tuple):
        return tuple(_at(part, position) for part in cast("tuple[Element, ...]", x))
    return x[position]


def _build(op: linear.BuildOp, operands: Sequence[Any], frame: Frame) -> LinearMap:
    maps = _positions(op, frame)
    part = cast(linear.MapType, yielded_type(op.body)).codomain

    def forward(x: Element) -> Element:
        return stacked(part, op.space, [m.apply(x) for _, m in maps])

    def backward(ct: Element) -> Element:
        total = zeros(linear.dual(op.domain))
        for i, m in maps:
            total = plus(total, m.apply_transpose(_at(ct, i)))
        return total

    return LinearMap(op.domain, op.codomain, forward, backward)


def _build_transpose(op: linear.BuildTransposeOp, operands: Sequence[Any], frame: Frame) -> LinearMap:
    maps = _positions(op, frame)
    part = cast(linear.MapType, yielded_type(op.body)).domain

    def forward(x: Element) -> Element:
        total = zeros(op.codomain)
        for i, m in maps:
            total = plus(total, m.apply(_at(x, i)))
        return total

    def backward(ct: Element) -> Element:
        return stacked(part, op.space, [m.apply_transpose(ct) for _, m in maps])

    return LinearMap(op.domain, op.codomain, forward, backward)


def yielded_type(region: Region) -> Attribute:
    """The type of the first value that a region yields."""
    last = region.block.last_op
    assert last is not None
    return last.operands[0].type


# Functions -------------------------------------------------------------------------------------------


def _at_points(op: linear.PointwiseMapOp, frame: Frame) -> Callable[..., LinearMap]:
    """The map that the region makes of a point."""
    captured = frame.captured_by(op)

    def at(*point: Any) -> LinearMap:
        return _yielded(op.body, point, Frame(frame.machine, dict(captured)))

    return at


def _function(op: linear.FunctionOp, operands: Sequence[Any], frame: Frame) -> LinearMap:
    at = _at_points(op, frame)

    def forward(x: Element) -> Element:
        return Function(lambda *point: at(*point).apply(x))

    def backward(ct: Element) -> Element:
        return _total(linear.dual(op.domain), [at(*point).apply_transpose(w) for point, w in ct.pairs])

    return LinearMap(op.domain, op.codomain, forward, backward)


def _eliminate(op: linear.EliminateOp, operands: Sequence[Any], frame: Frame) -> LinearMap:
    at = _at_points(op, frame)

    def forward(x: Element) -> Element:
        return _total(op.codomain, [at(*point).apply(w) for point, w in x.pairs])

    def backward(ct: Element) -> Element:
        return Function(lambda *point: at(*point).apply_transpose(ct))

    return LinearMap(op.domain, op.codomain, forward, backward)


def _total(space: Attribute, elements: Sequence[Element]) -> Element:
    """The sum of elements of a space."""
    return reduce(plus, elements) if elements else zeros(space)


def _evaluate(op: linear.EvaluateOp, operands: Sequence[Any], frame: Frame) -> LinearMap:
    point = tuple(operands)
    return LinearMap(op.domain, op.codomain, lambda h: h.at(*point), lambda w: Pairs(((point, w),)))


def _single(op: linear.SingleOp, operands: Sequence[Any], frame: Frame) -> LinearMap:
    point = tuple(operands)
    return LinearMap(op.domain, op.codomain, lambda w: Pairs(((point, w),)), lambda h: h.at(*point))


# Code ------------------------------------------------------------------------------------------------


def _lambda(op: linear.LambdaOp, operands: Sequence[Any], frame: Frame) -> LinearMap:
    captured = frame.captured_by(op)

    def forward(x: Element) -> Element:
        inside = Frame(frame.machine, dict(captured))
        inside.bind(op.body.block, leaves_of(op.domain, x))
        return from_leaves(op.codomain, inside.run(op.body.block))

    return LinearMap(op.domain, op.codomain, forward, transposed_by_basis(op.domain, forward))


def _rule(op: linear.RuleOp, operands: Sequence[Any], frame: Frame) -> LinearMap:
    captured = frame.captured_by(op)

    def run_by(region: Region | None, direction: str) -> Callable[[Element], Element]:
        def image(x: Element) -> Element:
            if region is None:
                raise DifferentiationError(f"a rule without code for that is applied {direction}")
            inside = Frame(frame.machine, dict(captured))
            inside.bind(region.block, parts_of(x))
            return tuple(inside.run(region.block))

        return image

    forward, backward = run_by(op.forward_code, "forward"), run_by(op.transposed_code, "transposed")
    return LinearMap(op.domain, op.codomain, forward, backward)


CONTROL_MAP_MEANINGS: dict[type[Operation], Meaning] = {
    linear.ScanOp: _scan,
    linear.WhileOp: _while,
    linear.IfOp: _if,
    linear.SwitchOp: _switch,
    linear.CheckpointOp: _checkpoint,
    linear.BuildOp: _build,
    linear.BuildTransposeOp: _build_transpose,
    linear.FunctionOp: _function,
    linear.EliminateOp: _eliminate,
    linear.EvaluateOp: _evaluate,
    linear.SingleOp: _single,
    linear.LambdaOp: _lambda,
    linear.RuleOp: _rule,
}
"""From the class of a map with a region to its meaning."""
