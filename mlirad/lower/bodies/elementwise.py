"""LLVM code of every elementwise op on scalars and on vectors of lanes.

`emit_elementwise(f, op, operands)` writes one op. Its meaning, down to the bits of integers and to NaN,
infinities and the conventions where machines trap, is that of `mlirad.dialects.array.scalars`; elementary
functions have the error bounds of `mlirad.lower.llvm.elementary`, and the sign of a zero is open that
absorbs, or that `max` or `min` chooses between two zeros. Additions, subtractions and products may be
contracted to fused multiply-adds; nothing else is relaxed.

Operands that differ in width are widened, so a value that is the same in every lane stays scalar until it
meets a vector.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isnan
from typing import Final, TypeAlias, cast

from xdsl.dialects.builtin import f32, f64, i1, i32, i64
from xdsl.ir import Attribute, Block, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.special_functions import NATIVE
from mlirad.dialects.frame_type import FrameType
from mlirad.dialects.kernel import RecurrenceOp
from mlirad.dialects.shapes import Value as Ssa
from mlirad.dialects.shapes import element_of
from mlirad.errors import CompileError
from mlirad.ir.locations import location_of
from mlirad.lower.bodies import integers, remainders
from mlirad.lower.llvm.elementary import WITH_SLOPE, emit
from mlirad.lower.llvm.elementary.floats import at_least, at_most
from mlirad.lower.llvm.text import IRBuilder, Kind, Value, constant, mangled
from mlirad.lower.llvm.text.call_sites import OFTEN

_KINDS: Final[dict[Attribute, Kind]] = {f64: "double", f32: "float", i64: "i64", i32: "i32", i1: "i1"}

CONTRACT: Final = "contract"

_Code: TypeAlias = Callable[..., Value]


def kind_of(what: Ssa | Attribute) -> Kind:
    """LLVM's type for the elements of a value or type; frames, which are addresses, are moved as integers."""
    element = element_of(what)
    return "i64" if isinstance(element, FrameType) else _KINDS[element]


def emit_elementwise(f: IRBuilder, op: Operation, operands: Sequence[Value]) -> Value:
    """The value of a scalar elementwise op on operands of any widths."""
    code = _PLAIN.get(type(op))
    if isinstance(op, ew.AbsorbingMulOp) and _in_chain(f, op, operands):
        return _chained_absorbing_mul(f, *operands)
    if code is not None:
        return code(f, *operands)
    match op:
        case ew.TanhOp() | ew.LogisticOp() if any(_is_pair(op, use.operation) for use in op.result.uses):
            return _with_slope(f, op, operands[0])[0]
        case ew.TanhSlopeOp() | ew.LogisticSlopeOp() if _is_pair(op.rhs.owner, op):
            return _with_slope(f, op, operands[0])[1]
        case ew.CompareOp():
            return _compare(f, op.predicate.data, *operands)
        case ew.ConvertOp():
            return _convert(f, operands[0], kind_of(op.result))
        case ew.PolygammaOp():
            return emit(f, "polygamma", operands, order=op.order.value.data)
        case ew.SpecialOp() if op.function.data in NATIVE:
            return emit(f, op.function.data, operands)
        case ew.SpecialOp():
            return emit(f, "special", operands, function=op.function.data)
        case _:
            name = op.name.removeprefix("array.")
            if not isinstance(op, ew.ElementwiseOp):
                raise CompileError(f"{op.name} cannot stand in a kernel body", location=location_of(op))
            return emit(f, name, operands)


def _is_pair(op: Operation | Block, slope: Operation) -> bool:
    """Return whether the code that stands next to each other is of a function and of its slope at the same
    place.
    """
    match op, slope:
        case (ew.TanhOp(), ew.TanhSlopeOp()) | (ew.LogisticOp(), ew.LogisticSlopeOp()):
            return slope.rhs is op.result and slope.lhs is op.operand and slope.parent is op.parent
        case _:
            return False


def _with_slope(f: IRBuilder, op: Operation, x: Value) -> tuple[Value, Value]:
    name = op.name.removeprefix("array.").removesuffix("_slope")
    return WITH_SLOPE[name](f, x)


def maximum(f: IRBuilder, x: Value, y: Value) -> Value:
    """The larger; NaN if either is."""
    return _extremum(f, "max", x, y)


def minimum(f: IRBuilder, x: Value, y: Value) -> Value:
    """The smaller; NaN if either is."""
    return _extremum(f, "min", x, y)


def _extremum(f: IRBuilder, which: str, x: Value, y: Value) -> Value:
    for limit, other in ((x, y), (y, x)):
        if other.is_float and isinstance(limit.literal, float) and not isnan(limit.literal):
            return (at_least if which == "max" else at_most)(f, other, limit.literal)
    x, y = f.common(x, y)
    if not x.is_float:
        return f.intrinsic(f"{'u' if x.kind == 'i1' else 's'}{which}", x, y)
    # without the order of signed zeros it takes three instructions on x86
    name = f"llvm.{which}imum.{mangled(x.kind, x.width)}"
    return f.call_pure(name, x.kind, x.width, x, y, flags="nsz")


def _by_kind(of_floats: _Code, of_integers: _Code) -> _Code:
    def code(f: IRBuilder, x: Value, *others: Value) -> Value:
        return (of_floats if x.is_float else of_integers)(f, x, *others)

    return code


def _neg(f: IRBuilder, x: Value) -> Value:
    return f.fneg(x) if x.is_float else f.neg(x)


def _abs(f: IRBuilder, x: Value) -> Value:
    return f.intrinsic("fabs", x) if x.is_float else integers.absolute(f, x)


def _sign(f: IRBuilder, x: Value) -> Value:
    if not x.is_float:
        return integers.sign(f, x)
    signed = f.intrinsic("copysign", 1.0, x)
    return f.select(f.fcmp("ueq", x, 0.0), x, signed)


def _add(f: IRBuilder, x: Value, y: Value) -> Value:
    return f.fadd(x, y, CONTRACT) if x.is_float else f.add(x, y)


def _sub(f: IRBuilder, x: Value, y: Value) -> Value:
    return f.fsub(x, y, CONTRACT) if x.is_float else f.sub(x, y)


def product(f: IRBuilder, x: Value, y: Value) -> Value:
    """The product of two numbers."""
    return f.fmul(x, y, CONTRACT) if x.is_float else f.mul(x, y)


def _absorbing_mul(f: IRBuilder, k: Value, dx: Value) -> Value:
    """Two compares into a mask and a masked product; masks of whole vectors are never packed."""
    k, dx = f.common(k, dx)
    both = f.and_(f.fcmp("une", k, 0.0), f.fcmp("une", dx, 0.0))
    return f.select(both, f.fmul(k, dx, CONTRACT), 0.0)


def _in_chain(f: IRBuilder, op: ew.AbsorbingMulOp, operands: Sequence[Value]) -> bool:
    """Return whether products may wait for one another, and often: in recurrences, and in scalar code of
    loops.
    """
    is_scalar = all(x.width == 1 for x in operands)
    return f.runs >= OFTEN and (is_scalar or isinstance(op.parent_op(), RecurrenceOp))


def _chained_absorbing_mul(f: IRBuilder, k: Value, dx: Value) -> Value:
    """A product, and a branch that nothing waits for, taken where it is NaN: only there do zeros matter."""
    k, dx = f.common(k, dx)
    product = f.fmul(k, dx, CONTRACT)
    with f.conditional(f.any_lane(_is_nan_in_halves(f, product)), [product], unlikely=True) as branch:
        branch.give(_absorbing_mul(f, k, dx))
    return branch.results[0]


def _is_nan_in_halves(f: IRBuilder, x: Value) -> Value:
    """Return which lanes are NaN; of a long vector, which are in either half, by one compare for both."""
    half = x.width // 2
    if half < 8:
        return _is_nan(f, x)
    return f.fcmp("uno", f.shuffle(x, x, [*range(half)]), f.shuffle(x, x, [*range(half, 2 * half)]))


def _is_finite(f: IRBuilder, x: Value) -> Value:
    return f.fcmp("olt", f.intrinsic("fabs", x), float("inf"))


def _is_nan(f: IRBuilder, x: Value) -> Value:
    return f.fcmp("uno", x, x)


def _select(f: IRBuilder, condition: Value, x: Value, y: Value) -> Value:
    return f.select(condition, x, y)


def _float_pow(f: IRBuilder, x: Value, y: Value) -> Value:
    return emit(f, "pow", [x, y])


def _copysign(f: IRBuilder, x: Value, y: Value) -> Value:
    return f.intrinsic("copysign", x, y)


_FLOAT_PREDICATES = {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge"}


def _compare(f: IRBuilder, predicate: str, x: Value, y: Value) -> Value:
    if x.is_float:
        return f.fcmp(_FLOAT_PREDICATES[predicate], x, y)
    if predicate in ("eq", "ne"):
        return f.icmp(predicate, x, y)
    return f.icmp(("u" if x.kind == "i1" else "s") + predicate, x, y)


def _convert(f: IRBuilder, x: Value, kind: Kind) -> Value:
    if x.kind == kind:
        return x
    if kind == "i1":
        return f.fcmp("une", x, 0.0) if x.is_float else f.icmp("ne", x, 0)
    if kind in ("double", "float"):
        if x.is_float:
            return f.fpext(x) if kind == "double" else f.fptrunc(x)
        # A mask of comparisons selects in one instruction, and would be packed and unpacked to be converted.
        return f.select(x, constant(kind, 1), constant(kind, 0)) if x.kind == "i1" else f.sitofp(x, kind)
    if x.is_float:
        return f.fptosi_sat(x, kind)
    if x.kind == "i1":
        return f.zext(x, kind)
    return f.sext(x, kind) if kind == "i64" else f.trunc(x, kind)


def _same(f: IRBuilder, x: Value) -> Value:
    return x


def _deviation(f: IRBuilder, x: Value) -> Value:
    return constant(x.kind, -0.0)


def _method(name: str) -> _Code:
    return cast("_Code", getattr(IRBuilder, name))


_PLAIN: Final[dict[type[Operation], _Code]] = {
    ew.NegOp: _neg,
    ew.StopGradientOp: _same,
    ew.DeviationOp: _deviation,
    ew.AbsOp: _abs,
    ew.SignOp: _sign,
    ew.NotOp: _method("not_"),
    ew.IsFiniteOp: _is_finite,
    ew.IsNanOp: _is_nan,
    ew.AddOp: _add,
    ew.SubOp: _sub,
    ew.MulOp: product,
    ew.AbsorbingMulOp: _absorbing_mul,
    ew.DivOp: _by_kind(_method("fdiv"), integers.div),
    ew.PowOp: _by_kind(_float_pow, integers.power),
    ew.MaxOp: maximum,
    ew.MinOp: minimum,
    ew.RemOp: _by_kind(remainders.rem, integers.rem),
    ew.FloorDivOp: _by_kind(remainders.floor_div, integers.floor_div),
    ew.FmodOp: _by_kind(remainders.fmod, integers.fmod),
    ew.CopysignOp: _copysign,
    ew.AndOp: _method("and_"),
    ew.OrOp: _method("or_"),
    ew.XorOp: _method("xor"),
    ew.ShiftLeftOp: integers.shift_left,
    ew.ShiftRightOp: integers.shift_right,
    ew.SelectOp: _select,
}
"""The ops that are an instruction or a few, without properties; all others are elementary functions."""
