"""Elementary functions as straight-line LLVM IR, for double and float at any vector width.

`emit(f, "exp", [x])` gives the function of a value, in the code that an `IRBuilder` writes: by a call of a
function of the module, which all its uses share and which LLVM inlines where that pays. None branches, except
that sin, cos and tan skip their path for huge arguments and erfinv that for arguments near 1, and none traps
or touches memory. Special values (NaN, infinities, signed zeros, subnormals, overflow) are those of C99 and
NumPy.

    module = ModuleText()
    f = module.function("f", [Parameter("x", "double", 8)], "double", 8)
    f.ret(emit(f, "tanh", f.arguments))

`ELEMENTARY` lists every function with its error bound in ulp (units in the last place of the result,
by tests against exact values), which holds for both formats, and a rough cost, in fused
multiply-adds of equal width, in double precision.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from mlirad.lazy_dataclass import dataclass
from mlirad.lower.llvm.elementary import (
    error_function,
    exponential,
    gamma,
    inverse_trigonometric,
    logarithm,
    power,
    rounding,
    special,
    trigonometric,
)
from mlirad.lower.llvm.elementary.calls import shared
from mlirad.lower.llvm.text import IRBuilder, Value

__all__ = ["ELEMENTARY", "Elementary", "elementary", "emit"]


@dataclass(frozen=True)
class Elementary:
    """One function: how it is written, how accurate it is, what it costs.

    `ulp` bounds the error; near zeros of the function other than x = 0 that of `lgamma` and
    `polygamma` is absolute, in ulps of 1. `flops` is for cost models. `calls` says that it calls a C
    function in every lane, `start` what one call for all lanes costs before the first of them. `in_few`
    writes it for operands with which it is a few instructions, and gives None for others.
    """

    write: Callable[..., Value]
    ulp: float
    flops: int
    calls: bool = False
    start: int = 0
    arity: int = 1
    in_few: Callable[..., Value | None] | None = None


LEAST_SHARED: Final = 16
"""The number of `flops` from which a function is one that its uses share."""


ELEMENTARY: Final[dict[str, Elementary]] = {
    "sqrt": Elementary(rounding.sqrt, 0.5, 10),
    "floor": Elementary(rounding.floor, 0, 1),
    "ceil": Elementary(rounding.ceil, 0, 1),
    "round": Elementary(rounding.round_to_even, 0, 1),
    "trunc": Elementary(rounding.truncate, 0, 1),
    "sign": Elementary(rounding.sign, 0, 4),
    "exp": Elementary(exponential.exp, 1, 28),
    "exp2": Elementary(exponential.exp2, 1.5, 24),
    "expm1": Elementary(exponential.expm1, 1.5, 34),
    "sinh": Elementary(exponential.sinh, 2.5, 54),
    "cosh": Elementary(exponential.cosh, 1.5, 30),
    "tanh": Elementary(exponential.tanh, 2.5, 46),
    "logistic": Elementary(exponential.logistic, 2.5, 46),
    # As the functions themselves are near 1, slopes made of them lose digits before the tails begin.
    "tanh_slope": Elementary(exponential.tanh_slope, 20_000, 8, arity=2),
    "logistic_slope": Elementary(exponential.logistic_slope, 10_000, 8, arity=2),
    "log": Elementary(logarithm.log, 1, 34),
    "log2": Elementary(logarithm.log2, 1, 50),
    "log1p": Elementary(logarithm.log1p, 1, 44),
    "softplus": Elementary(logarithm.softplus, 2, 98),
    "asinh": Elementary(logarithm.asinh, 1.5, 84),
    "acosh": Elementary(logarithm.acosh, 2, 80),
    "atanh": Elementary(logarithm.atanh, 1.5, 64),
    "sin": Elementary(trigonometric.sin, 1, 38),
    "cos": Elementary(trigonometric.cos, 1, 38),
    "tan": Elementary(trigonometric.tan, 1.5, 54),
    "asin": Elementary(inverse_trigonometric.asin, 1.5, 32),
    "acos": Elementary(inverse_trigonometric.acos, 1.5, 32),
    "atan": Elementary(inverse_trigonometric.atan, 1, 52),
    "atan2": Elementary(inverse_trigonometric.atan2, 1, 90, arity=2),
    "pow": Elementary(power.power, 1, 185, arity=2, in_few=power.simple_power),
    "rsqrt": Elementary(power.rsqrt, 1.5, 24),
    "hypot": Elementary(power.hypot, 1, 30, arity=2),
    "cbrt": Elementary(power.cbrt, 1, 54),
    "erf": Elementary(error_function.erf, 1.5, 85),
    "erfc": Elementary(error_function.erfc, 5, 85),
    "erfinv": Elementary(error_function.erfinv, 2.5, 66),
    "lgamma": Elementary(gamma.lgamma, 8, 500, calls=True),
    "polygamma": Elementary(gamma.polygamma, 16, 130),
    # Special functions that are written here: `NATIVE` in `mlirad.dialects.array.special_functions`.
    "log_ratio": Elementary(logarithm.log_ratio, 2, 48, arity=2),
    "sincpi_slope": Elementary(trigonometric.sincpi_slope, 12, 56),
}

WITH_SLOPE: Final[dict[str, Callable[[IRBuilder, Value], tuple[Value, Value]]]] = {
    "tanh": exponential.tanh_with_slope,
    "logistic": exponential.logistic_with_slope,
}
"""Functions that are computed with their slopes where code needs both."""

SPECIAL: Final = Elementary(special.special, 0, special.FLOPS, calls=True, start=special.START)
"""Any special function that SciPy computes; its error is that of SciPy."""


def elementary(name: str) -> Elementary | None:
    """Return what is known of the native code of an op of this name, `None` if it is no function."""
    return SPECIAL if name == "special" else ELEMENTARY.get(name)


def emit(f: IRBuilder, name: str, args: Sequence[Value], **attributes: int | str) -> Value:
    """Write an elementary function of operands of one float kind and width; `polygamma` takes
    `order=n`, `special` takes `function=name`.

    Raises KeyError for a name that is not known.
    """
    function = elementary(name)
    if function is None:
        raise KeyError(name)
    operands = f.common(*args)
    few = function.in_few(f, *operands) if function.in_few else None
    if few is not None:
        return few
    if function.flops < LEAST_SHARED:
        return function.write(f, *operands, **attributes)
    shown = name + "".join(map(str, attributes.values()))
    return shared(f, shown, operands, partial(function.write, **attributes))
