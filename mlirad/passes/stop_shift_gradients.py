"""Stop the gradient of an extremum that shifts exponents and cancels again, as in log-sum-exp.

    %m = array.reduce max %x {dims = [0]}
    %d = array.sub %x, %m                      d = x - m
    %e = array.exp %d                          e = exp(x) exp(-m)
    %s = array.sum %e {dims = [0]}             s = exp(-m) sum exp(x)
    %l = array.log %s                          l = log sum exp(x) - m
    %r = array.add %m, %l                      r = log sum exp(x), whatever m is

    -->  %m = array.stop_gradient (array.reduce max %x)

The derivative with respect to m is zero in exact arithmetic. Left to differentiation it costs a comparison
with every element, a count of ties and a sum, and it is rounding noise. A value that depends on m is followed
as long as it has one of the forms

    v0 + c m          shifted c times          v0 exp(c m)          scaled c times

with v0 free of m. Where c becomes 0, and where two values of the same form are compared, m has cancelled. An
extremum is detached unless a value that is not free of it meets an op unknown here, or leaves the block.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, Literal, NoReturn, TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.reductions import ArgmaxOp, ArgminOp, ArgReductionOp, DotOp, ReduceOp, SumOp
from mlirad.dialects.array.structural import BroadcastOp, ReshapeOp, TransposeOp
from mlirad.dialects.extents import is_static
from mlirad.dialects.linear import JetOp, LinearizeOp
from mlirad.dialects.shapes import Shape, Value, is_float, shape_of, values_of
from mlirad.ir.call_graph import functions_of
from mlirad.ir.free_values import own_operands
from mlirad.ir.regions import nested_ops
from mlirad.ir.structural import scalar_of
from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True)
class StopShiftGradientsPass(ModulePass):
    """Stop gradients of extrema that shift exponents and cancel again, as in log-sum-exp."""

    name = "stop-shift-gradients"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Detach the shifts of all functions, if something is differentiated."""
        if any(isinstance(o, LinearizeOp | JetOp) for o in nested_ops(op.body)):
            for function in functions_of(op):
                stop_shift_gradients(function)


def stop_shift_gradients(function: FuncOp) -> None:
    """Detach, in place, the extrema of a function that cancel, those in regions too."""
    for op in [o for o in nested_ops(function.body) if _is_extremum(o) and _cancels(o)]:
        _detach(op)


def _is_extremum(op: Operation) -> bool:
    if isinstance(op, ReduceOp):
        return op.kind.data in ("max", "min") and is_float(op.result)
    return isinstance(op, ew.MaxOp | ew.MinOp) and is_float(op.result)


def _detach(op: Operation) -> None:
    """Let all that reads the result of `op` read it without derivative."""
    (result,) = op.results
    detached = ew.StopGradientOp.create(operands=[result], result_types=[result.type], location=op.location)
    block = op.parent
    assert block is not None
    block.insert_op_after(detached, op)
    result.replace_uses_with_if(detached.results[0], lambda use: use.operation is not detached)
    detached.results[0].name_hint = result.name_hint


@dataclass(frozen=True)
class _Form:
    """The dependence of a value on m: `v0 + times * m` if shifted, else `v0 * exp(times * m)`.

    Dimension k of m, leaving out those of extent 1, is dimension `dims[k]` of the value.
    """

    kind: Literal["shifted", "scaled"]
    times: float
    dims: Shape

    def repeated(self, times: float) -> _Form:
        """The form after multiplication of the exponent or shift."""
        return replace(self, times=self.times * times)

    def as_(self, kind: Literal["shifted", "scaled"]) -> _Form:
        """The other form with the same number, as `exp` and `log` make it."""
        return replace(self, kind=kind)


_Forms: TypeAlias = Mapping[Value, _Form]


class _UnknownError(Exception):
    """A value that depends on m is read by an op without a rule."""


def _cancels(op: Operation) -> bool:
    """Return whether the result of `op` is read, and no value that leaves the block depends on it."""
    (m,) = op.results
    forms: dict[Value, _Form] = {}
    try:
        unread = _enter(m, _Form("shifted", 1.0, _long_dims(shape_of(m))), op, forms)
        reader = op.next_op
        while unread:
            assert reader is not None
            met = sum(operand in forms for operand in own_operands(reader))
            if met:
                unread -= met
                rule = _RULES.get(type(reader))
                form = _unknown() if rule is None else rule(reader, forms)
                if form is not None and form.times != 0:
                    unread += _enter(reader.results[0], form, op, forms)
            reader = reader.next_op
    except _UnknownError:
        return False
    return m.first_use is not None


def _enter(value: Value, form: _Form, op: Operation, forms: dict[Value, _Form]) -> int:
    """Note the form of a value; how often it is read, which must be in the block of `op`."""
    forms[value] = form
    if any(use.operation.parent is not op.parent for use in value.uses):
        _unknown()
    return value.uses.get_length()


def _unknown() -> NoReturn:
    raise _UnknownError


def _long_dims(shape: Shape) -> Shape:
    return tuple(d for d, extent in enumerate(shape) if extent != 1)


# Ops: the form of the result, or none if it is free of m ----------------------------------------------


def _sum(op: Operation, forms: _Forms, sign: float) -> _Form | None:
    """Shifts are added; what is scaled must be scaled alike."""
    left, right = (forms.get(o) for o in own_operands(op))
    if any(f is not None and f.kind == "scaled" for f in (left, right)):
        return _alike(op, forms)
    if left is None or right is None:
        return left if right is None else right.repeated(sign)
    if left.dims != right.dims:
        _unknown()
    return replace(left, times=left.times + sign * right.times)


def _product(op: Operation, forms: _Forms, sign: float) -> _Form | None:
    """Scales are multiplied; what is shifted may be multiplied by a finite constant, or divided by one."""
    left, right = (forms.get(o) for o in own_operands(op))
    if left is not None and right is not None:
        if left.kind == right.kind == "scaled" and left.dims == right.dims:
            return replace(left, times=left.times + sign * right.times)
        _unknown()
    found = left or right
    assert found is not None
    if found.kind == "scaled":
        return found if right is None else found.repeated(sign)
    factor = scalar_of(own_operands(op)[1 if right is None else 0])
    if factor is None or not math.isfinite(factor) or factor == 0 or (sign < 0 and right is not None):
        _unknown()
    return found.repeated(factor if sign > 0 else 1 / factor)


def _neg(op: Operation, forms: _Forms) -> _Form | None:
    form = forms[own_operands(op)[0]]
    return form.repeated(-1.0) if form.kind == "shifted" else form


def _exp(op: Operation, forms: _Forms) -> _Form | None:
    form = forms[own_operands(op)[0]]
    return form.as_("scaled") if form.kind == "shifted" else _unknown()


def _log(op: Operation, forms: _Forms) -> _Form | None:
    form = forms[own_operands(op)[0]]
    return form.as_("shifted") if form.kind == "scaled" else _unknown()


def _same(op: Operation, forms: _Forms) -> _Form | None:
    return forms[own_operands(op)[0]]


def _abs(op: Operation, forms: _Forms) -> _Form:
    form = forms[own_operands(op)[0]]
    return form if form.kind == "scaled" else _unknown()


def _sqrt(op: Operation, forms: _Forms) -> _Form | None:
    return _abs(op, forms).repeated(0.5)


def _alike(op: Operation, forms: _Forms, values: Sequence[Value] | None = None) -> _Form:
    """The form that all values have, by default the operands. A value that no shift or no scale changes fits
    any form.
    """
    values = own_operands(op) if values is None else values
    found = next(forms[v] for v in values if v in forms)
    neutral = (math.inf, -math.inf) if found.kind == "shifted" else (0,)
    if any(forms.get(v) != found and scalar_of(v) not in neutral for v in values):
        _unknown()
    return found


def _compared(op: Operation, forms: _Forms) -> None:
    """Free of m, if both sides are shifted or scaled alike."""
    _alike(op, forms)


def _select(op: Operation, forms: _Forms) -> _Form | None:
    return _unknown() if own_operands(op)[0] in forms else _alike(op, forms, own_operands(op)[1:])


def _broadcast(op: Operation, forms: _Forms) -> _Form | None:
    assert isinstance(op, BroadcastOp)
    return _moved(forms[op.operand], values_of(op.dims))


def _transpose(op: Operation, forms: _Forms) -> _Form | None:
    assert isinstance(op, TransposeOp)
    permutation = values_of(op.permutation)
    return _moved(forms[op.operand], [permutation.index(d) for d in range(len(permutation))])


def _reshape(op: Operation, forms: _Forms) -> _Form | None:
    """Only where dimensions of extent 1 come and go, or m is a scalar."""
    assert isinstance(op, ReshapeOp)
    form, old, new = forms[op.operand], shape_of(op.operand), shape_of(op.result)
    before, after = _long_dims(old), _long_dims(new)
    if not form.dims:
        return form
    if [old[d] for d in before] != [new[d] for d in after]:
        _unknown()
    return _moved(form, dict(zip(before, after, strict=True)))


def _array_sum(op: Operation, forms: _Forms) -> _Form | None:
    assert isinstance(op, SumOp)
    form, dims, shape = forms[op.operand], values_of(op.dims), shape_of(op.operand)
    count = math.prod(shape[d] for d in dims) if form.kind == "shifted" else 1
    if not is_static(count):
        _unknown()
    return _reduced(form.repeated(count), dims, len(shape))


def _reduce(op: Operation, forms: _Forms) -> _Form | None:
    assert isinstance(op, ReduceOp)
    if op.kind.data not in ("max", "min"):
        _unknown()
    return _reduced(forms[op.operand], values_of(op.dims), len(shape_of(op.operand)))


def _arg_reduction(op: Operation, forms: _Forms) -> None:
    """The position of an extremum is free of m, if m is the same for all elements that are compared."""
    assert isinstance(op, ArgReductionOp)
    _reduced(forms[op.operand], (op.dim.value.data,), len(shape_of(op.operand)))


def _reduced(form: _Form, dims: Shape, rank: int) -> _Form:
    """The form after dimensions, along which m may not vary, have gone."""
    if set(dims) & set(form.dims):
        _unknown()
    kept = [d for d in range(rank) if d not in dims]
    return _moved(form, {d: k for k, d in enumerate(kept)})


def _dot(op: Operation, forms: _Forms) -> _Form | None:
    """A contraction of one operand that is scaled, by a factor that is the same along what is summed."""
    assert isinstance(op, DotOp)
    if op.lhs in forms and op.rhs in forms:
        _unknown()
    side = 0 if op.lhs in forms else 1
    form = forms[own_operands(op)[side]]
    if form.kind == "shifted" or set(op.contract[side]) & set(form.dims):
        _unknown()
    batch = op.batch[side]
    ranks = [len(shape_of(o)) for o in own_operands(op)]
    free = [d for d in range(ranks[side]) if d not in batch and d not in op.contract[side]]
    others = ranks[0] - len(op.batch[0]) - len(op.contract[0])
    start = len(batch) + (0 if side == 0 else others)
    places = {d: k for k, d in enumerate(batch)} | {d: start + k for k, d in enumerate(free)}
    return _moved(form, places)


def _moved(form: _Form, places: Sequence[int] | Mapping[int, int]) -> _Form:
    """The form of a value whose dimension `d` was dimension `places[d]` of the result."""
    return replace(form, dims=tuple(places[d] for d in form.dims))


_RULES: Final[Mapping[type[Operation], Callable[[Operation, _Forms], _Form | None]]] = {
    ew.AddOp: partial(_sum, sign=1.0),
    ew.SubOp: partial(_sum, sign=-1.0),
    ew.NegOp: _neg,
    ew.MulOp: partial(_product, sign=1.0),
    ew.AbsorbingMulOp: partial(_product, sign=1.0),
    ew.DivOp: partial(_product, sign=-1.0),
    ew.ExpOp: _exp,
    ew.LogOp: _log,
    ew.SqrtOp: _sqrt,
    ew.AbsOp: _abs,
    ew.StopGradientOp: _same,
    ew.MaxOp: _alike,
    ew.MinOp: _alike,
    ew.SelectOp: _select,
    ew.CompareOp: _compared,
    BroadcastOp: _broadcast,
    TransposeOp: _transpose,
    ReshapeOp: _reshape,
    SumOp: _array_sum,
    ReduceOp: _reduce,
    ArgmaxOp: _arg_reduction,
    ArgminOp: _arg_reduction,
    DotOp: _dot,
}
"""The ops through which a form can be followed."""
