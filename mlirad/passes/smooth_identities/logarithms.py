"""Logarithms of what saturates: 0 or 1 in floats, so that the derivative made op by op is 0 times infinity.

    log(logistic(z))                                by z: logistic(-z)
    log(1 - logistic(z)), log1p(-logistic(z))       by z: -logistic(z)
    log(1 + exp(w)), log1p(exp(w))                  by w: logistic(w)
    log(exp(s) / t)                                 by s: 1, by t: -1 / t

The logistic function may also be written as 1 / (1 + exp(-z)), and elements may be chosen and moved before
the logarithm is taken. Values stay those of what is written, -inf where a probability underflows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.array.indexing import CHOICES
from mlirad.dialects.array.reductions import SumOp
from mlirad.dialects.array.structural import BroadcastOp
from mlirad.dialects.shapes import Value, is_float, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.builder import yields
from mlirad.ir.free_values import own_operands
from mlirad.ir.moves import moved
from mlirad.ir.structural import scalar_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.smooth_identities.exponentials import exponent_of_one_more, is_distance
from mlirad.passes.smooth_identities.roots import is_radius

Slope: TypeAlias = Callable[[ArrayBuilder, Sequence[Value], Sequence[Value]], Value]
"""`(b, arguments, tangents) -> the tangent of the logarithm`."""

_MOST_OPS = 40
"""The most ops in which kinks are looked for."""


@dataclass(frozen=True)
class _Logarithm:
    """The argument of a logarithm, and its derivative by that."""

    arguments: Sequence[Value]
    slope: Slope
    is_moved: bool = False
    """True if the slope is that of all elements, before some are chosen and moved."""


def logarithm(b: ArrayBuilder, op_class: type[ew.LogOp | ew.Log1pOp], x: Value) -> Value | None:
    """log(x) or log1p(x) with a derivative that does not saturate; `None` where it has one by itself."""
    found = _of_one_more(b, x) if op_class is ew.Log1pOp else _of(b, x)
    if found is None or any(_has_kinks(v) for v in found.arguments):
        return None
    count, types = 1 + len(found.arguments), [x.type, *(v.type for v in found.arguments)]

    def rule(*values: Value) -> list[Value]:
        return [found.slope(b, values[1:count], values[count + 1 :])]

    def value(*values: Value) -> list[Value]:
        return [b.unary(op_class, values[0])]

    regions = [b.region(types, value), b.region([*types, *types], rule)]
    return b.insert(CustomOp, [x, *found.arguments], [x.type], {}, regions).results[0]


def _of(b: ArrayBuilder, x: Value) -> _Logarithm | None:
    """The logarithm of a value."""
    op = x.owner
    z = _logit(b, x)
    if z is not None:
        return _Logarithm([z], _rest)
    match op:
        case ew.SubOp() if scalar_of(op.lhs) == 1:
            z = _logit(b, op.rhs)
            return None if z is None else _Logarithm([z], _negative_share)
        case ew.AddOp():
            return _of_sum(exponent_of_one_more(x))
        case ew.DivOp():
            return _of_ratio(b, x)
        case CustomOp() if len(op.results) == 1:
            written = yields(op.body)[0].owner
            is_ratio = isinstance(written, ew.DivOp) and isinstance(written.lhs.owner, ew.ExpOp)
            return _of_ratio(b, b.inline_region(op.body, own_operands(op), {})[0]) if is_ratio else None
        case _:
            return _moved(b, x, partial(_of, b))


def _of_ratio(b: ArrayBuilder, x: Value) -> _Logarithm | None:
    """The logarithm of exp(s) / t, as it stands or in the body of softmax."""
    op = x.owner
    if not isinstance(op, ew.DivOp):
        return None
    moves, exponential = _moves_of(op.lhs)
    if not isinstance(exponential.owner, ew.ExpOp):
        return None
    total = _moves_of(op.rhs)[1].owner
    if isinstance(total, SumOp) and total.operand is exponential:
        return _of_share(b, exponential.owner.operand, values_of(total.dims), moves)
    s = exponential.owner.operand
    for move in moves:
        s = moved(b, move, [s])
    return _Logarithm([s, op.rhs], _ratio)


def _moves_of(x: Value) -> tuple[list[Operation], Value]:
    """The ops that move and choose elements, the first one first, and the value whose elements these are."""
    op = x.owner
    if not isinstance(op, CHOICES):
        return [], x
    moves, source = _moves_of(own_operands(op)[0])
    return [*moves, op], source


def _of_share(b: ArrayBuilder, s: Value, summed: Sequence[int], moves: Sequence[Operation]) -> _Logarithm:
    """The logarithm of exp(s) over its sum, then moved. The shift of s cancels, and gets no derivative."""
    match s.owner:
        case ew.SubOp(lhs=unshifted, rhs=shift) if _is_same(shift, summed):
            s = b.sub(unshifted, b.unary(ew.StopGradientOp, shift))
        case _:
            pass
    shape = shape_of(s)
    kept = [d for d in range(len(shape)) if d not in summed]

    def total(x: Value) -> Value:
        return b.broadcast(b.sum(x, summed), shape, kept)

    def slope(b: ArrayBuilder, arguments: Sequence[Value], tangents: Sequence[Value]) -> Value:
        """ds less the mean of all ds by their shares; of the largest share, by those of the others alone."""
        share, ds = arguments[1], tangents[0]
        zeros = b.zeros(share.type)
        is_most = b.compare("gt", share, b.splat(0.5, share.type))
        changes = b.mul(share, ds)
        rest, others = (total(b.select(is_most, zeros, v)) for v in (share, changes))
        found = b.select(is_most, b.sub(b.mul(rest, ds), others), b.sub(ds, total(changes)))
        for move in moves:
            found = moved(b, move, [found])
        return found

    exponential = b.unary(ew.ExpOp, s)
    return _Logarithm([s, b.div(exponential, total(exponential))], slope, is_moved=True)


def _is_same(x: Value, dims: Sequence[int]) -> bool:
    """Return whether a value is broadcast over these dimensions."""
    return isinstance(x.owner, BroadcastOp) and set(values_of(x.owner.dims)).isdisjoint(dims)


def _of_one_more(b: ArrayBuilder, x: Value) -> _Logarithm | None:
    """The logarithm of 1 + x."""
    op = x.owner
    match op:
        case ew.ExpOp():
            return _of_sum(op.operand)
        case ew.NegOp():
            z = _logit(b, op.operand)
            return None if z is None else _Logarithm([z], _negative_share)
        case _:
            return _moved(b, x, partial(_of_one_more, b))


def _of_sum(exponent: Value | None) -> _Logarithm | None:
    """The logarithm of 1 + exp(w), unless w is never positive."""
    return None if exponent is None or is_distance(exponent) else _Logarithm([exponent], _share)


def _moved(
    b: ArrayBuilder, x: Value, logarithm_of: Callable[[Value], _Logarithm | None]
) -> _Logarithm | None:
    """The logarithm of what only moves or chooses elements, as at traced positions, which may be outside."""
    op = x.owner
    if isinstance(op, ew.SelectOp) and scalar_of(op.on_false) is not None:
        found, condition = logarithm_of(op.on_true), op.condition
        if found is None:
            return None
        return _then(found, lambda b, slope: b.select(condition, slope, b.zeros(slope.type)))
    if not isinstance(op, CHOICES):
        return None
    found = logarithm_of(own_operands(op)[0])
    if found is None:
        return None
    if found.is_moved:
        return _then(found, lambda b, slope: moved(b, op, [slope]))
    return replace(found, arguments=[moved(b, op, [v]) for v in found.arguments])


def _then(found: _Logarithm, made: Callable[[ArrayBuilder, Value], Value]) -> _Logarithm:
    """A logarithm whose slope is made of that of another one."""

    def slope(b: ArrayBuilder, arguments: Sequence[Value], tangents: Sequence[Value]) -> Value:
        return made(b, found.slope(b, arguments, tangents))

    return replace(found, slope=slope)


def _logit(b: ArrayBuilder, x: Value) -> Value | None:
    """The z of logistic(z), or of 1 / (1 + exp(-z))."""
    op = x.owner
    match op:
        case ew.LogisticOp():
            return op.operand
        case ew.DivOp() if scalar_of(op.lhs) == 1:
            w = exponent_of_one_more(op.rhs)
            if w is None or is_distance(w):
                return None
            return w.owner.operand if isinstance(w.owner, ew.NegOp) else b.neg(w)
        case _:
            return None


def _has_kinks(value: Value) -> bool:
    """Return whether a value is made elementwise of what has kinks, or of too much to tell."""
    seen: set[Value] = set()

    def visit(v: Value) -> bool:
        op = v.owner
        if v in seen or not isinstance(op, ew.ElementwiseOp) or not is_float(v):
            return is_radius(v)
        seen.add(v)
        if len(seen) > _MOST_OPS or isinstance(op, _KINKS) or is_radius(v):
            return True
        return any(visit(o) for o in own_operands(op))

    return visit(value)


_KINKS: Final = (ew.AbsOp, ew.MaxOp, ew.MinOp)


# Slopes --------------------------------------------------------------------------------------------


def _rest(b: ArrayBuilder, arguments: Sequence[Value], tangents: Sequence[Value]) -> Value:
    return b.mul(b.unary(ew.LogisticOp, b.neg(arguments[0])), tangents[0])


def _share(b: ArrayBuilder, arguments: Sequence[Value], tangents: Sequence[Value]) -> Value:
    return b.mul(b.unary(ew.LogisticOp, arguments[0]), tangents[0])


def _negative_share(b: ArrayBuilder, arguments: Sequence[Value], tangents: Sequence[Value]) -> Value:
    return b.neg(_share(b, arguments, tangents))


def _ratio(b: ArrayBuilder, arguments: Sequence[Value], tangents: Sequence[Value]) -> Value:
    return b.sub(tangents[0], b.div(tangents[1], arguments[1]))
