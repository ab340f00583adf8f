"""Powers by static exponents: as products, roots and quotients.

x ** 3       x * (x * x)            x ** 0.5       sqrt x
"""

from __future__ import annotations

import numpy as np

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value
from mlirad.frontend.numpy_functions.meanings.python_numbers import as_numbers
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.dtypes import loop_dtypes
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import Operand, kind_of, value_of
from mlirad.frontend.tracing.raising import argument_error
from mlirad.frontend.tracing.run_time_checks import check_exponent
from mlirad.ir.arrays import ArrayBuilder

MAX_UNROLLED_POWER = 32
"""Up to this exponent an integer power is a product, beyond it `pow`."""


def power(base: Operand, exponent: Operand) -> Array | None:
    """Integer powers by multiplication, square roots by `sqrt`; `None` for all others."""
    kinds = as_numbers((kind_of(base), kind_of(exponent)))
    dtype = loop_dtypes(np.power, kinds)[-1]
    if isinstance(exponent, np.ndarray) and exponent.ndim == 0:
        number = exponent.item()
    elif isinstance(exponent, int | float):
        number = exponent
    else:
        if dtype.kind == "i":
            check_exponent(value_of(exponent, dtype))
        return None
    weak = not any(isinstance(k, np.dtype) for k in kinds)
    b = emitting()
    x = value_of(base, dtype)
    if dtype.kind == "i" and number < 0:
        raise argument_error(
            f"an integer to the negative power {number}",
            "write x ** -1.0, a float, or x.astype(np.float64) ** -1",
        )
    if dtype.kind not in "fi":
        return None
    if dtype.kind == "f" and number == 0.5:
        return made(b.unary(ew.SqrtOp, x), weak=weak)
    if dtype.kind == "f" and number == -0.5:
        # Unlike 1 / sqrt(x), the power is inf at -0, and 0 at -inf.
        root = b.unary(ew.RsqrtOp, b.add(x, b.splat(0.0, x.type)))
        far = b.compare("eq", x, b.splat(-np.inf, x.type))
        return made(b.select(far, b.zeros(x.type), root), weak=weak)
    if not float(number).is_integer() or abs(number) > MAX_UNROLLED_POWER:
        return None
    if number < 0:
        # Powers of 1 / x: neither x^n nor, in derivatives, its square over- or underflows before the result.
        x = b.div(b.splat(1, x.type), x)
    return made(integer_power(b, x, abs(int(number))), weak=weak)


def integer_power(b: ArrayBuilder, x: Value, exponent: int) -> Value:
    """x to a natural number, by repeated squaring."""
    result: Value | None = None
    while exponent:
        if exponent & 1:
            result = x if result is None else b.mul(result, x)
        exponent >>= 1
        if exponent:
            x = b.mul(x, x)
    return b.splat(1, x.type) if result is None else result
