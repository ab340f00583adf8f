"""Rules of elementwise ops: kinds of elements, and one shape for all.

stablehlo.floor takes floats; the result has the type of the operand
stablehlo.is_finite takes floats; the result has booleans
"""

from __future__ import annotations

from typing import Any, Final, cast

from xdsl.dialects.builtin import ComplexType, f32, f64, i1
from xdsl.ir import Operation

from mlirad.dialects.stablehlo.attributes import ComparisonDirection, ComparisonType
from mlirad.dialects.stablehlo.specification.checks import (
    BOOLEAN,
    COMPLEX,
    FLOAT,
    INTEGER,
    NUMBER,
    SIGNED,
    UNSIGNED,
    bits,
    element,
    extents,
    fit,
    kind,
    number,
    operands,
    refuse,
    require,
    require_elements,
    require_same,
    require_type,
    results,
    rule,
)

_ANY: Final = (BOOLEAN, *NUMBER)
_BITS: Final = (BOOLEAN, *INTEGER)
_CONTINUOUS: Final = (FLOAT, COMPLEX)

KINDS: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(
        (
            "atan2", "cbrt", "cosine", "exponential", "exponential_minus_one", "imag", "log", "log_plus_one",
            "logistic", "real", "rsqrt", "sine", "sqrt", "tan", "tanh",
        ),
        _CONTINUOUS,
    ),
    **dict.fromkeys(
        ("ceil", "floor", "is_finite", "reduce_precision", "round_nearest_afz", "round_nearest_even"),
        (FLOAT,),
    ),
    **dict.fromkeys(("abs", "sign"), (SIGNED, FLOAT, COMPLEX)),
    **dict.fromkeys(
        ("count_leading_zeros", "popcnt", "shift_left", "shift_right_arithmetic", "shift_right_logical"),
        INTEGER,
    ),
    **dict.fromkeys(("negate", "divide", "power", "remainder", "subtract"), NUMBER),
    **dict.fromkeys(("and", "not", "or", "xor"), _BITS),
    **dict.fromkeys(("add", "maximum", "minimum", "multiply", "clamp"), _ANY),
}  # fmt: skip
"""The kinds of elements that ops of StableHLO take."""

CHLO_KINDS: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(("acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh", "sinh", "tan"), _CONTINUOUS),
    **dict.fromkeys(
        (
            "bessel_i0e", "bessel_i1e", "digamma", "erf", "erf_inv", "erfc", "is_inf", "is_neg_inf",
            "is_pos_inf", "lgamma", "next_after", "polygamma", "zeta",
        ),
        (FLOAT,),
    ),
    "conj": NUMBER,
    "square": NUMBER,
}  # fmt: skip

BINARY: Final = frozenset((
    "add", "and", "atan2", "divide", "maximum", "minimum", "multiply", "or", "power", "remainder",
    "shift_left", "shift_right_arithmetic", "shift_right_logical", "subtract", "xor", "next_after",
    "polygamma", "zeta",
))  # fmt: skip

_TESTS: Final = frozenset(("is_finite", "is_inf", "is_neg_inf", "is_pos_inf"))
_PARTS: Final = frozenset(("abs", "imag", "real"))
"""Ops whose results have parts of complex operands."""


def _elementwise(op: Operation) -> None:
    dialect, _, name = op.name.partition(".")
    x, *others = operands(op, 2 if name in BINARY else 1)
    (result,) = results(op)
    require_elements("operand 0", x, *(CHLO_KINDS if dialect == "chlo" else KINDS)[name])
    for other in others:
        require_same("operand 1", other, "operand 0", x)
    of = element(x)
    if name in _TESTS:
        of = i1
    elif name in _PARTS and isinstance(of, ComplexType):
        of = cast("ComplexType[Any]", of).element_type
    require_type("the result", result, extents(x), of)


_OWN_RULES: Final = frozenset(("clamp", "reduce_precision"))

for _name in KINDS.keys() - _OWN_RULES:
    rule(f"stablehlo.{_name}")(_elementwise)
for _name in CHLO_KINDS:
    rule(f"chlo.{_name}")(_elementwise)


@rule("stablehlo.complex")
def _complex(op: Operation) -> None:
    x, y = operands(op, 2)
    require_same("operand 1", y, "operand 0", x)
    require(element(x) in (f32, f64), f"operand 0 is {x}, and must have elements of type f32 or f64")
    require_type("the result", results(op)[0], extents(x), ComplexType(cast(Any, element(x))))


@rule("stablehlo.convert")
def _convert(op: Operation) -> None:
    (x,), (result,) = operands(op, 1), results(op)
    require_elements("operand 0", x, *_ANY)
    require_elements("the result", result, *_ANY)
    require_type("the result", result, extents(x), element(result))


@rule("stablehlo.bitcast_convert")
def _bitcast_convert(op: Operation) -> None:
    (x,), (result,) = operands(op, 1), results(op)
    require(
        (kind(element(x)) == COMPLEX) == (kind(element(result)) == COMPLEX),
        f"operand 0 is {x}, and the result {result}: both must be complex, or none",
    )
    have, want = bits(element(x)), bits(element(result))
    large, small = (extents(x), extents(result)) if have > want else (extents(result), extents(x))
    if have != want:
        ratio, rest = divmod(max(have, want), max(min(have, want), 1))
        require(rest == 0, f"elements of {have} bits are not made of such of {want}")
        large = (*large, ratio)
    if not fit(large, small):
        refuse(f"operand 0 is {x}, and the result {result}, which has not the same bits")


@rule("stablehlo.compare")
def _compare(op: Operation) -> None:
    x, y = operands(op, 2)
    require_same("operand 1", y, "operand 0", x)
    require_type("the result", results(op)[0], extents(x), i1)
    chosen = op.properties.get("compare_type")
    word = chosen.data if isinstance(chosen, ComparisonType) else "NOTYPE"
    known: dict[str, tuple[str, ...]] = {
        "FLOAT": (FLOAT, COMPLEX),
        "TOTALORDER": (FLOAT,),
        "SIGNED": (SIGNED,),
        "UNSIGNED": (UNSIGNED, BOOLEAN),
    }
    require(
        kind(element(x)) in known.get(word, _ANY),
        f"operand 0 is {x}, whose elements are not compared as {word}",
    )
    direction = cast(ComparisonDirection, op.properties["comparison_direction"]).data
    require(
        kind(element(x)) != COMPLEX or direction in ("EQ", "NE"),
        f"complex numbers have no order, so they are not compared by {direction}",
    )


@rule("stablehlo.select")
def _select(op: Operation) -> None:
    condition, x, y = operands(op, 3)
    require_same("operand 2", y, "operand 1", x)
    require_same("the result", results(op)[0], "operand 1", x)
    require_elements("operand 0", condition, BOOLEAN)
    _require_scalar_or_same("operand 0", condition, extents(x))


@rule("stablehlo.clamp")
def _clamp(op: Operation) -> None:
    low, x, high = operands(op, 3)
    require_elements("operand 1", x, *KINDS["clamp"])
    for what, bound in (("operand 0", low), ("operand 2", high)):
        of = element(x)
        require(element(bound) == of, f"{what} is {bound}, and operand 1 has elements of type {of}")
        _require_scalar_or_same(what, bound, extents(x))
    require_same("the result", results(op)[0], "operand 1", x)


def _require_scalar_or_same(what: str, type_: Any, shape: tuple[int, ...]) -> None:
    own = extents(type_)
    holds = not own or fit(own, shape)
    require(holds, f"{what} is {type_}, and must be of rank 0 or of shape {list(shape)}")


@rule("stablehlo.reduce_precision")
def _reduce_precision(op: Operation) -> None:
    (x,) = operands(op, 1)
    require_elements("operand 0", x, *KINDS["reduce_precision"])
    require_same("the result", results(op)[0], "operand 0", x)
    require(number(op, "exponent_bits") >= 1, "`exponent_bits` must be 1 or more")
    require(number(op, "mantissa_bits") >= 0, "`mantissa_bits` must be 0 or more")
