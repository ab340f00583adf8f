"""Linear code emitted where some of what it takes is a structural zero: no code, and no addition.

add %sum, %x      where no sum has begun: x
mul %k, %ct       where there is no cotangent: nothing

Adding zeros to an array would take as long as the array is large, and x + 0 = x is not a law of
floating-point numbers: x may be -0.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, Region

from mlirad.dialects import linear
from mlirad.dialects.array import control
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.indexing import UpdateOp, YieldOp
from mlirad.dialects.array.ordering import CumulativeOp
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.control_rebuilding import fold_control
from mlirad.ir.free_values import free_values, own_operands
from mlirad.linear_maps.elements import value_of


def inlined(
    b: ArrayBuilder, region: Region, arguments: Sequence[Value | None], env: Environment
) -> list[Value | None]:
    """Emit a region, which is linear in the arguments that are `None`; what it yields, `None` for zeros."""
    return _inlined(b, region, arguments, env, frozenset())


def _inlined(
    b: ArrayBuilder,
    region: Region,
    arguments: Sequence[Value | None],
    env: Environment,
    absent: frozenset[Value],
) -> list[Value | None]:
    inner, zeros = dict(env), set(absent)
    for argument, value in zip(region.block.args, arguments, strict=True):
        if value is None:
            zeros.add(argument)
        else:
            inner[argument] = value
    for op in region.block.ops:
        if isinstance(op, YieldOp):
            return [None if v in zeros else inner.get(v, v) for v in own_operands(op)]
        _emit(b, op, inner, zeros)
    raise AssertionError("a region without a terminator")


def _emit(b: ArrayBuilder, op: Operation, env: Environment, zeros: set[Value]) -> None:
    missing = [v for v in free_values(op) if v in zeros]
    operands = own_operands(op)
    if missing and _is_zero(op, zeros):
        zeros.update(op.results)
    elif missing and isinstance(op, ew.AddOp | ew.XorOp):
        (left,) = (v for v in operands if v not in zeros)
        env[op.results[0]] = env.get(left, left)
    elif missing and isinstance(op, UpdateOp) and op.kind.data == "add" and op.operand in zeros:
        env[op.results[0]] = env.get(op.base, op.base)
    elif missing and isinstance(op, control.BranchOp):
        b.location, b.name_hint = op.location, None

        def branch(inner: Region, arguments: Sequence[Value]) -> list[Value]:
            found = _inlined(b, inner, arguments, env, frozenset(zeros))
            return [value_of(b, v, r.type) for v, r in zip(found, op.results, strict=True)]

        results = fold_control(b, op, [env.get(v, v) for v in operands], branch)
        env.update(zip(op.results, results, strict=True))
    else:
        env.update((v, b.zeros(v.type)) for v in missing)
        b.rebuild(op, env)


def _is_zero(op: Operation, zeros: set[Value]) -> bool:
    """Return whether an op is linear in operands that are zeros."""
    if isinstance(op, CumulativeOp) and op.kind.data != "sum":
        return False
    operands = own_operands(op)
    if isinstance(op, ew.AndOp):
        return any(v in zeros for v in operands)
    groups = linear.LINEAR_IN.get(type(op), ())
    read = [operands if linear.ALL in group else [operands[k] for k in group] for group in groups]
    return any(all(v in zeros for v in values) for values in read)
