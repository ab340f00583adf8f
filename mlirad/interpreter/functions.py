"""Closures, tuples and sums: a closure is its code and what it captured, and each application is a frame.

A lambda captures the values that its region reads, and nothing else of where it was made. Since every
application has a frame of its own, recursion and loops cannot overwrite what was captured. Tuples are Python
tuples, a value of a sum is its alternative's number with the value, a value of a name the value itself.

Applications are counted by the op that made the closure, in `OperationCounter.applications`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir import Operation

from mlirad.dialects.function import (
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
from mlirad.interpreter.machine import Frame, Meaning
from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True)
class Closure:
    """The value of a lambda or of a partial application; `captured` are outer values or fixed arguments."""

    code: LambdaOp | PartialOp
    captured: Sequence[Any]

    def __repr__(self) -> str:
        return f"<{self.code.name} with {len(self.captured)} values>"


@dataclass(frozen=True)
class Alternative:
    """The value of a sum: of alternative number `index`."""

    index: int
    value: Any


def _lambda(op: LambdaOp, operands: Sequence[Any], frame: Frame) -> Closure:
    return Closure(op, list(frame.captured_by(op).values()))


def _partial(op: PartialOp, operands: Sequence[Any], frame: Frame) -> Closure:
    return Closure(op, list(operands))


def _apply(op: ApplyOp, operands: Sequence[Any], frame: Frame) -> Any:
    closure, *arguments = operands
    assert isinstance(closure, Closure)
    code, machine = closure.code, frame.machine
    if machine.counter is not None:
        machine.counter.applications[code] += 1
    if isinstance(code, PartialOp):
        results = machine.call(code.callee_name, [*arguments, *closure.captured])
    else:
        with machine.deeper("applications of a closure", code):
            own = machine.frame(dict(zip(machine.captures_of(code), closure.captured, strict=True)))
            own.bind(code.body.block, arguments)
            results = tuple(own.run(code.body.block))
    return results[0] if len(results) == 1 else results


def _tuple(op: TupleOp, operands: Sequence[Any], frame: Frame) -> Any:
    return tuple(operands)


def _get(op: GetOp, operands: Sequence[Any], frame: Frame) -> Any:
    return operands[0][op.index.value.data]


def _inject(op: InjectOp, operands: Sequence[Any], frame: Frame) -> Alternative:
    return Alternative(op.index.value.data, operands[0])


def _case(op: CaseOp, operands: Sequence[Any], frame: Frame) -> Any:
    (chosen,) = operands
    assert isinstance(chosen, Alternative)
    block = op.arms[chosen.index].block
    frame.bind(block, [chosen.value])
    results = frame.run(block)
    return results[0] if len(results) == 1 else tuple(results)


def _itself(op: RollOp | UnrollOp, operands: Sequence[Any], frame: Frame) -> Any:
    return operands[0]


FUNCTION_MEANINGS: dict[type[Operation], Meaning] = {
    LambdaOp: _lambda,
    PartialOp: _partial,
    ApplyOp: _apply,
    TupleOp: _tuple,
    GetOp: _get,
    InjectOp: _inject,
    CaseOp: _case,
    RollOp: _itself,
    UnrollOp: _itself,
}
"""From the class of an op to its meaning."""
