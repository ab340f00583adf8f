"""Maps of loops and branches: the maps of all trips are made first, then applied one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, Region

from mlirad.dialects import linear
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.shapes import components_of
from mlirad.interpreter.linear_maps import LinearMap
from mlirad.interpreter.machine import Frame, Meaning
from mlirad.interpreter.spaces import Element, plus, zeros


def _yielded(region: Region, arguments: Sequence[Any], frame: Frame) -> LinearMap:
    frame.bind(region.block, arguments)
    (made,) = frame.run(region.block)
    return made


def _slice(x: Element, i: int) -> list[Element]:
    return [part[i][()] for part in x]


def _scan(op: linear.ScanOp, operands: Sequence[Any], frame: Frame) -> LinearMap:
    trips, (carries, inputs, _) = op.trips, op.counts
    index = numpy_dtype(i64).type
    steps = [_yielded(op.body, [index(i), *(r[i] for r in operands)], frame) for i in range(trips)]
    order = list(reversed(range(trips)) if op.reverse is not None else range(trips))

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


CONTROL_MAP_MEANINGS: dict[type[Operation], Meaning] = {
    linear.ScanOp: _scan,
    linear.WhileOp: _while,
    linear.IfOp: _if,
    linear.SwitchOp: _switch,
    linear.CheckpointOp: _checkpoint,
}
"""From the class of a map of control flow to its meaning."""
