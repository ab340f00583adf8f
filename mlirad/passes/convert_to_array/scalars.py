"""Ops of `arith` and `math`, on scalars and arrays alike.

    arith.addf   ->  array.add              arith.cmpf olt   ->  array.compare lt
    math.fma     ->  array.mul, array.add   arith.divui      ->  array.div, corrected by the remainder

Fast-math and overflow flags allow other results, and are ignored. What is undefined upstream has a value:
division by zero gives 0, a shift by the width or more gives 0 or the sign, a conversion out of range the
nearest integer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import log
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, i1
from xdsl.ir import Attribute, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value, array_type, element_of, is_boolean, is_float, shape_of, size_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.passes.convert_to_array.conversion import Conversion, Handler
from mlirad.passes.convert_to_array.source_ops import (
    attribute,
    language_type,
    operands,
    refusal,
)

Formula: TypeAlias = Callable[..., Value]
"""From the builder and operands of one shape to the result."""


def _is_nan(b: ArrayBuilder, x: Value) -> Value:
    return b.apply_elementwise(ew.IsNanOp, (x,))


def _is_finite(b: ArrayBuilder, x: Value) -> Value:
    return b.apply_elementwise(ew.IsFiniteOp, (x,))


def _select(b: ArrayBuilder, condition: Value, x: Value, y: Value) -> Value:
    return b.select(condition, x, y)


def _as_signed(b: ArrayBuilder, x: Value) -> Value:
    """Integers moved so that their signed order is the unsigned order of x."""
    if is_boolean(x):
        return x
    width = cast(Any, element_of(x)).width.data
    return b.binary(ew.XorOp, x, b.splat(-(2 ** (width - 1)), x.type))


def _unsigned_compare(b: ArrayBuilder, predicate: str, x: Value, y: Value) -> Value:
    return b.compare(predicate, _as_signed(b, x), _as_signed(b, y))


def _unsigned_extremum(b: ArrayBuilder, x: Value, y: Value, *, predicate: str) -> Value:
    return b.select(_unsigned_compare(b, predicate, x, y), x, y)


def _shift_right_unsigned(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """Shifted by one and cleared of the sign, then by the rest."""
    width = cast(Any, element_of(x)).width.data
    one, zero = b.splat(1, x.type), b.zeros(x.type)
    half = b.binary(ew.AndOp, b.binary(ew.ShiftRightOp, x, one), b.splat(2 ** (width - 1) - 1, x.type))
    if b.scalar_of(y) == 1:
        return half
    shifted = b.binary(ew.ShiftRightOp, half, b.sub(y, one))
    return b.select(b.compare("eq", y, zero), x, shifted)


def _divide_unsigned(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """Half of x divided, doubled, and one more where the remainder allows it; divisors beyond are large."""
    if _known_positive(b, x) and _known_positive(b, y):
        return b.div(x, y)
    one, zero = b.splat(1, x.type), b.zeros(x.type)
    half = _shift_right_unsigned(b, x, one)
    quotient = b.binary(ew.ShiftLeftOp, b.div(half, y), one)
    more = _unsigned_compare(b, "ge", b.sub(x, b.mul(quotient, y)), y)
    small = b.add(quotient, b.select(more, one, zero))
    large = b.select(_unsigned_compare(b, "ge", x, y), one, zero)
    return b.select(b.compare("lt", y, zero), large, small)


def _known_positive(b: ArrayBuilder, x: Value) -> bool:
    interval = b.ranges.interval(x)
    return interval is not None and interval[0] >= 0


def _remainder_unsigned(b: ArrayBuilder, x: Value, y: Value) -> Value:
    return b.sub(x, b.mul(_divide_unsigned(b, x, y), y))


def _ceil_divide(b: ArrayBuilder, x: Value, y: Value) -> Value:
    return b.neg(b.binary(ew.FloorDivOp, b.neg(x), y))


def _extremum_of_numbers(b: ArrayBuilder, x: Value, y: Value, *, op_class: type[ew.BinaryOp]) -> Value:
    """The extremum, and the other operand where one is NaN."""
    chosen = b.binary(op_class, x, y)
    chosen = b.select(_is_nan(b, y), x, chosen)
    return b.select(_is_nan(b, x), y, chosen)


def _integer_product(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """Booleans multiply as a conjunction."""
    return b.logical_and(x, y) if is_boolean(x) else b.mul(x, y)


def _integer_sum(b: ArrayBuilder, x: Value, y: Value, *, op_class: type[ew.BinaryOp]) -> Value:
    """Booleans add modulo 2."""
    return b.binary(ew.XorOp if is_boolean(x) else op_class, x, y)


def _round_half_away(b: ArrayBuilder, x: Value) -> Value:
    whole = b.unary(ew.TruncOp, x)
    rest = b.unary(ew.AbsOp, b.sub(x, whole))
    away = b.add(whole, b.binary(ew.CopysignOp, b.splat(1.0, x.type), x))
    return b.select(b.compare("ge", rest, b.splat(0.5, x.type)), away, whole)


def _log10(b: ArrayBuilder, x: Value) -> Value:
    return b.scaled(b.unary(ew.LogOp, x), 1 / log(10))


def _fused(b: ArrayBuilder, x: Value, y: Value, z: Value) -> Value:
    """x * y + z, rounded twice."""
    return b.add(b.mul(x, y), z)


def _power_of_integer(b: ArrayBuilder, x: Value, n: Value) -> Value:
    return b.binary(ew.PowOp, x, b.convert(n, element_of(x)))


def _unary(op_class: type[ew.UnaryOp]) -> Callable[[ArrayBuilder, Value], Value]:
    return lambda b, x: b.unary(op_class, x)


def _binary(op_class: type[ew.BinaryOp]) -> Callable[[ArrayBuilder, Value, Value], Value]:
    return lambda b, x, y: b.binary(op_class, x, y)


_FORMULAS: dict[str, tuple[int, Formula]] = {
    **{
        f"math.{name}": (1, _unary(op_class))
        for name, op_class in {
            "absf": ew.AbsOp, "absi": ew.AbsOp, "acos": ew.AcosOp, "acosh": ew.AcoshOp, "asin": ew.AsinOp,
            "asinh": ew.AsinhOp, "atan": ew.AtanOp, "atanh": ew.AtanhOp, "cbrt": ew.CbrtOp,
            "ceil": ew.CeilOp, "cos": ew.CosOp, "cosh": ew.CoshOp, "erf": ew.ErfOp, "erfc": ew.ErfcOp,
            "exp": ew.ExpOp, "exp2": ew.Exp2Op, "expm1": ew.Expm1Op, "floor": ew.FloorOp, "log": ew.LogOp,
            "log1p": ew.Log1pOp, "log2": ew.Log2Op, "roundeven": ew.RoundOp, "rsqrt": ew.RsqrtOp,
            "sin": ew.SinOp, "sinh": ew.SinhOp, "sqrt": ew.SqrtOp, "tan": ew.TanOp, "tanh": ew.TanhOp,
            "trunc": ew.TruncOp,
        }.items()
    },
    "math.isfinite": (1, _is_finite),
    "math.isnan": (1, _is_nan),
    "math.atan2": (2, _binary(ew.Atan2Op)),
    "math.copysign": (2, _binary(ew.CopysignOp)),
    "math.fma": (3, _fused),
    "math.fpowi": (2, _power_of_integer),
    "math.ipowi": (2, _binary(ew.PowOp)),
    "math.log10": (1, _log10),
    "math.powf": (2, _binary(ew.PowOp)),
    "math.round": (1, _round_half_away),
    "arith.addf": (2, _binary(ew.AddOp)),
    "arith.addi": (2, partial(_integer_sum, op_class=ew.AddOp)),
    "arith.andi": (2, _binary(ew.AndOp)),
    "arith.ceildivsi": (2, _ceil_divide),
    "arith.divf": (2, _binary(ew.DivOp)),
    "arith.divsi": (2, _binary(ew.DivOp)),
    "arith.divui": (2, _divide_unsigned),
    "arith.floordivsi": (2, _binary(ew.FloorDivOp)),
    "arith.maximumf": (2, _binary(ew.MaxOp)),
    "arith.maxnumf": (2, partial(_extremum_of_numbers, op_class=ew.MaxOp)),
    "arith.maxsi": (2, _binary(ew.MaxOp)),
    "arith.maxui": (2, partial(_unsigned_extremum, predicate="ge")),
    "arith.minimumf": (2, _binary(ew.MinOp)),
    "arith.minnumf": (2, partial(_extremum_of_numbers, op_class=ew.MinOp)),
    "arith.minsi": (2, _binary(ew.MinOp)),
    "arith.minui": (2, partial(_unsigned_extremum, predicate="le")),
    "arith.mulf": (2, _binary(ew.MulOp)),
    "arith.muli": (2, _integer_product),
    "arith.negf": (1, _unary(ew.NegOp)),
    "arith.ori": (2, _binary(ew.OrOp)),
    "arith.remf": (2, _binary(ew.FmodOp)),
    "arith.remsi": (2, _binary(ew.FmodOp)),
    "arith.remui": (2, _remainder_unsigned),
    "arith.select": (3, _select),
    "arith.shli": (2, _binary(ew.ShiftLeftOp)),
    "arith.shrsi": (2, _binary(ew.ShiftRightOp)),
    "arith.shrui": (2, _shift_right_unsigned),
    "arith.subf": (2, _binary(ew.SubOp)),
    "arith.subi": (2, partial(_integer_sum, op_class=ew.SubOp)),
    "arith.xori": (2, _binary(ew.XorOp)),
}  # fmt: skip
"""How many operands an op takes, and what it becomes."""


def _formula(count: int, formula: Formula) -> Handler:
    def handler(c: Conversion, op: Operation) -> Sequence[Value]:
        values = c.aligned(operands(op, count))
        *others, last = values
        if any(shape_of(v) != shape_of(last) for v in others):
            raise refusal(op, "takes operands of one shape")
        if others and others[-1].type != last.type and formula is not _power_of_integer:
            raise refusal(op, f"takes operands of one type, got {others[-1].type} and {last.type}")
        return [formula(c.b, *values)]

    return handler


# Comparisons ---------------------------------------------------------------------------------------

_ORDERS = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
"""The predicates of `arith.cmpi` by number."""

_FLOAT_ORDERS = (
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno",
    "true",
)  # fmt: skip
"""The predicates of `arith.cmpf` by number."""

_NEGATED = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}


def _predicate(op: Operation, names: Sequence[str]) -> str:
    found = attribute(op, "predicate")
    number = cast("IntegerAttr[Any]", found).value.data if isinstance(found, IntegerAttr) else -1
    if not 0 <= number < len(names):
        raise refusal(op, "has a predicate of no known number")
    return names[number]


def _compared(c: Conversion, op: Operation) -> list[Value]:
    values = c.aligned(operands(op, 2))
    if values[0].type != values[1].type:
        raise refusal(op, f"takes operands of one type, got {values[0].type} and {values[1].type}")
    return values


def _compare_integers(c: Conversion, op: Operation) -> Sequence[Value]:
    x, y = _compared(c, op)
    name = _predicate(op, _ORDERS)
    b = c.b
    if is_boolean(x):
        return [_compare_booleans(b, name, x, y)]
    if name[0] == "u" and not (_known_positive(b, x) and _known_positive(b, y)):
        return [_unsigned_compare(b, name[1:], x, y)]
    return [b.compare(name[1:] if name[0] in "su" else name, x, y)]


def _compare_booleans(b: ArrayBuilder, name: str, x: Value, y: Value) -> Value:
    """True is 1 without a sign, and -1 with one."""
    if name in ("eq", "ne"):
        differ = b.binary(ew.XorOp, x, y)
        return differ if name == "ne" else b.logical_not(differ)
    if name[0] == "s":
        x, y = y, x
    if name[1:] in ("gt", "ge"):
        x, y = y, x
    less = b.logical_and(b.logical_not(x), y)
    return less if name.endswith("t") else b.binary(ew.OrOp, b.logical_not(x), y)


def _compare_floats(c: Conversion, op: Operation) -> Sequence[Value]:
    """Of NaN all ordered comparisons are false, all unordered ones true."""
    b = c.b
    x, y = _compared(c, op)
    name = _predicate(op, _FLOAT_ORDERS)
    unordered = lambda: b.binary(ew.OrOp, _is_nan(b, x), _is_nan(b, y))  # noqa: E731
    one = lambda: b.binary(ew.OrOp, b.compare("lt", x, y), b.compare("gt", x, y))  # noqa: E731
    match name:
        case "true" | "false":
            return [b.splat(name == "true", array_type(shape_of(x), i1))]
        case "ord":
            return [b.logical_not(unordered())]
        case "uno":
            return [unordered()]
        case "one":
            return [one()]
        case "ueq":
            return [b.logical_not(one())]
        case "oeq" | "une":
            return [b.compare(name[1:], x, y)]
        case _ if name[0] == "u":
            return [b.logical_not(b.compare(_NEGATED[name[1:]], x, y))]
        case _:
            return [b.compare(name[1:], x, y)]


# Conversions and constants -------------------------------------------------------------------------


def _converted(c: Conversion, op: Operation) -> Sequence[Value]:
    """A conversion to the element type of the result, of signed integers."""
    (x,) = c.values(operands(op, 1))
    element = element_of(language_type(op.results[0].type, op))
    b = c.b
    if element == i1 and not is_boolean(x):
        # The lowest bit, where integers are truncated.
        one = b.splat(1, x.type)
        return [b.compare("ne", b.binary(ew.AndOp, x, one), b.zeros(x.type))]
    made = b.convert(x, element)
    # True is -1 with a sign.
    return [b.neg(made) if is_boolean(x) else made]


def _unsigned_converted(c: Conversion, op: Operation) -> Sequence[Value]:
    """A conversion of integers without sign."""
    (x,) = c.values(operands(op, 1))
    element = element_of(language_type(op.results[0].type, op))
    b = c.b
    if is_boolean(x) or (_known_positive(b, x) and element_of(x) != element):
        return [b.convert(x, element)]
    made = b.convert(x, element)
    if element_of(x) == element:
        return [made]
    width = cast(Any, element_of(x)).width.data
    if is_float(made):
        # Rounded once: the halves of a negative number keep the bit that is shifted out.
        one = b.splat(1, x.type)
        half = b.binary(ew.OrOp, _shift_right_unsigned(b, x, one), b.binary(ew.AndOp, x, one))
        doubled = b.scaled(b.convert(half, element), 2.0)
        return [b.select(b.compare("lt", x, b.zeros(x.type)), doubled, made)]
    return [b.binary(ew.AndOp, made, b.splat(2**width - 1, made.type))]


def _float_to_unsigned(c: Conversion, op: Operation) -> Sequence[Value]:
    (x,) = c.values(operands(op, 1))
    element = element_of(language_type(op.results[0].type, op))
    b = c.b
    width = cast(Any, element).width.data
    border = b.splat(2.0 ** (width - 1), x.type)
    if width == 1:
        return [b.compare("ge", x, b.splat(1.0, x.type))]
    small = b.convert(x, element)
    large = b.convert(b.sub(x, border), element)
    return [b.select(b.compare("lt", x, border), small, _as_signed(b, large))]


def constant_of(b: ArrayBuilder, op: Operation, found: Attribute, type_: Attribute) -> Value:
    """The value of the attribute of a constant."""
    match found:
        case FloatAttr() | IntegerAttr():
            number = cast(Any, found).value.data
            return b.splat(number, type_)
        case DenseIntOrFPElementsAttr():
            numbers = np.array(cast(Any, found).get_values())
            shape = shape_of(type_)
            if numbers.size == 1 and size_of(type_) != 1:
                return b.splat(numbers[0], type_)
            return b.constant(numbers.reshape(shape), element_of(type_))
        case _:
            raise refusal(op, f"{found} is no literal that can be read")


def _constant(c: Conversion, op: Operation) -> Sequence[Value]:
    operands(op, 0)
    return [constant_of(c.b, op, attribute(op, "value"), language_type(op.results[0].type, op))]


ELEMENTWISE: dict[str, Handler] = {
    **{name: _formula(count, formula) for name, (count, formula) in _FORMULAS.items()},
    "arith.cmpi": _compare_integers,
    "arith.cmpf": _compare_floats,
    "arith.constant": _constant,
    **dict.fromkeys(
        (
            "arith.extf",
            "arith.truncf",
            "arith.extsi",
            "arith.trunci",
            "arith.sitofp",
            "arith.fptosi",
            "arith.index_cast",
        ),
        _converted,
    ),
    **dict.fromkeys(("arith.extui", "arith.uitofp", "arith.index_castui"), _unsigned_converted),
    "arith.fptoui": _float_to_unsigned,
}
"""Every op whose operands and results are taken element by element."""
