"""Comparisons, conversions and constants of `arith`.

arith.cmpf ugt          ->  array.not of array.compare le: a comparison with NaN is true
arith.uitofp            ->  array.convert, doubled where the integer is beyond the signed ones
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, i1
from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.shapes import Value, array_type, element_of, is_boolean, is_float, shape_of, size_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.passes.convert_to_array.conversion import Conversion, Handler
from mlirad.passes.convert_to_array.scalars import (
    FORMULAS,
    as_signed,
    is_nan,
    known_positive,
    shift_right_unsigned,
    unsigned_compare,
)
from mlirad.passes.convert_to_array.source_ops import attribute, language_type, operands, refusal

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
    if name[0] == "u" and not (known_positive(b, x) and known_positive(b, y)):
        return [unsigned_compare(b, name[1:], x, y)]
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
    """A comparison of floats; with NaN all ordered ones are false, all unordered ones true."""
    b = c.b
    x, y = _compared(c, op)
    name = _predicate(op, _FLOAT_ORDERS)
    unordered = lambda: b.binary(ew.OrOp, is_nan(b, x), is_nan(b, y))  # noqa: E731
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
    if is_boolean(x) or (known_positive(b, x) and element_of(x) != element):
        return [b.convert(x, element)]
    made = b.convert(x, element)
    if element_of(x) == element:
        return [made]
    width = cast(Any, element_of(x)).width.data
    if is_float(made):
        # Rounded once: the halves of a negative number keep the bit that is shifted out.
        one = b.splat(1, x.type)
        half = b.binary(ew.OrOp, shift_right_unsigned(b, x, one), b.binary(ew.AndOp, x, one))
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
    return [b.select(b.compare("lt", x, border), small, as_signed(b, large))]


def _constant(c: Conversion, op: Operation) -> Sequence[Value]:
    """A literal, whose type is that of the result; of a uniform array the one element."""
    operands(op, 0)
    b, found, stated = c.b, attribute(op, "value"), op.results[0].type
    type_ = language_type(stated, op)
    match found:
        case FloatAttr() | IntegerAttr() if cast(Any, found).type == stated:
            return [b.splat(cast(Any, found).value.data, type_)]
        case DenseIntOrFPElementsAttr() if cast(Any, found).type == stated:
            numbers = np.frombuffer(cast(Any, found).data.data, numpy_dtype(type_))
            if numbers.size == 1 and size_of(type_) != 1:
                return [b.splat(numbers[0], type_)]
            return [b.constant(numbers.reshape(shape_of(type_)), element_of(type_))]
        case _:
            raise refusal(op, f"{found} is not a literal of type {stated}")


ELEMENTWISE: dict[str, Handler] = {
    **FORMULAS,
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
