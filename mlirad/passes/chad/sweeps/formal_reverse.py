"""Formal derivatives over Z/2 by the reverse sweep: what it takes beside constructs of loops and branches.

    r = and p, q       s[p] = s[p] xor (q and s[r]),   s[q] = s[q] xor (p and s[r])

A boolean is added by exclusive or. What is added to an element of an array is read, added to and set.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i1
from xdsl.dialects.func import CallOp
from xdsl.ir import Operation

from mlirad.dialects.array import control, structural
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CheckpointOp
from mlirad.dialects.array.indexing import IndexOp
from mlirad.dialects.shapes import Value, element_of, shape_of
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.free_values import free_values, own_operands
from mlirad.ir.regions import discard
from mlirad.passes.chad.instances import exclusive, formal_partial, no_formal_derivative
from mlirad.passes.chad.sweeps.backward import Backward, Cotangents, Step
from mlirad.passes.chad.sweeps.branches import branch
from mlirad.passes.chad.sweeps.scan import scan
from mlirad.passes.chad.sweeps.sweep import Accumulation, Construct, Sweep
from mlirad.passes.dual_arrays.activity import Kind


def swept(
    b: ArrayBuilder,
    env: Environment,
    ops: Sequence[Operation],
    given: Sequence[Value],
    wanted: Sequence[tuple[Value, Value]],
) -> tuple[Sweep, list[Value]]:
    """Emit ops and go back through them: where the forward half stands, and the sums of the values `given`.

    `env` says what the arguments became; `wanted` are booleans with their cotangents.
    """
    s = Sweep(b, _CONSTRUCTS, {}, _hands_whole, env, set(given), accumulation=FORMAL)
    s.transform(ops)
    back = Backward(b, s.steps, exclusive)
    for value, cotangent in wanted:
        if value in s.active:
            back.add(value, cotangent)
    back.run()
    discard(*s.scratch)
    return s, [back.taken_sum(v) for v in given]


def _hands_whole(op: CallOp, operand: int) -> bool:
    return True


def _note(s: Sweep, op: Operation) -> None:
    """Emit an op, and note how the cotangent of its result goes back."""
    s.b.rebuild(op, s.env)
    operands = own_operands(op)
    active = [k for k, v in enumerate(operands) if v in s.active]
    (result,) = op.results
    if element_of(result.type) != i1 or any(v in s.active for v in free_values(op) if v not in operands):
        raise no_formal_derivative(op)
    if not isinstance(op, (ew.ElementwiseOp, IndexOp, structural.ReshapeOp)):
        raise no_formal_derivative(op, " in reverse mode")

    def pull(back: Backward, cotangents: Cotangents) -> None:
        (cotangent,) = cotangents
        assert cotangent is not None
        for k in active:
            _add(s, back, op, k, cotangent)

    read = dict.fromkeys(operands[k] for k in active)
    s.enter(Step([result], read, read, pull, op.location))


def _add(s: Sweep, back: Backward, op: Operation, k: int, cotangent: Value) -> None:
    b, operand = back.b, own_operands(op)[k]
    match op:
        case IndexOp():
            positions = s.values(op.positions)
            total = back.taken_sum(operand)
            new = exclusive(b, b.index(total, positions), cotangent)
            back.sums[operand] = b.update("set", total, new, 0, lambda: positions)
        case structural.ReshapeOp():
            back.add(operand, b.reshape(cotangent, shape_of(operand)))
        case _:
            back.add(operand, formal_partial(b, op, k, s.value, cotangent))


def _decided(s: Sweep, op: control.IfOp) -> None:
    if op.condition in s.active:
        raise no_formal_derivative(op)
    branch(s, op)


_CONSTRUCTS: dict[type[Operation], Construct] = {
    control.ScanOp: scan,
    control.IfOp: _decided,
    control.SwitchOp: branch,
    CheckpointOp: branch,
}

FORMAL = Accumulation(Kind(lambda v: element_of(v.type) == i1), exclusive, _note)
"""Booleans, added by exclusive or."""
