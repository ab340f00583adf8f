"""NumPy's and SciPy's ufuncs on traced arrays.

Operands are converted to the dtypes of the loop that NumPy would run, broadcast, and handed to the ufunc's
line in `ufunc_meanings`: a function of the builder and one value per operand, all of one shape. An operator
is the same ufunc, but between Python scalars it gives a Python scalar, whose dtype stays weak.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.literals import ELEMENT_TYPES
from mlirad.dialects.shapes import Value
from mlirad.errors import DtypeError, UnsupportedError
from mlirad.frontend.dtypes import loop_dtypes
from mlirad.frontend.frames import emitting
from mlirad.frontend.numpy_functions.ordering import cumulative
from mlirad.frontend.numpy_functions.reductions import logsumexp
from mlirad.frontend.operations import (
    Operand,
    broadcast_shapes,
    broadcast_value,
    kind_of,
    made,
    operand_of,
    shape_of_operand,
    value_of,
)
from mlirad.frontend.source import user_line
from mlirad.frontend.tracer import Array, handlers
from mlirad.frontend.ufunc_meanings import meaning_of
from mlirad.ir.arrays import ArrayBuilder

MAX_UNROLLED_POWER = 32
"""Up to this exponent an integer power is a product, beyond it `pow`."""


def apply_operator(ufunc: np.ufunc, *inputs: Any) -> Any:
    """A Python operator on traced operands; `NotImplemented` for operands that are no arrays."""
    if any(x is None or isinstance(x, str | dict | set) or callable(x) for x in inputs):
        return NotImplemented
    return apply(ufunc, inputs, is_operator=True)


def apply(ufunc: np.ufunc, inputs: tuple[Any, ...], *, is_operator: bool = False) -> Any:
    """The ufunc on traced and concrete operands."""
    special_case = SPECIAL.get(ufunc)
    operands = [operand_of(x) for x in inputs]
    if special_case is not None:
        done = special_case(*operands)
        if done is not None:
            return done
    meaning = cast("Callable[..., Value] | None", meaning_of(ufunc))
    if meaning is None:
        raise UnsupportedError(
            f"np.{ufunc.__name__} cannot be traced",
            location=user_line(),
            hint="write it with other functions, or compute it outside if it depends on no traced value",
        )
    kinds = tuple(kind_of(o) for o in operands)
    dtypes = loop_dtypes(ufunc, kinds)
    b = emitting()
    values = [value_of(o, d) for o, d in zip(operands, dtypes, strict=False)]
    shape = broadcast_shapes([shape_of_operand(o) for o in operands], f"np.{ufunc.__name__}")
    result = meaning(b, *(broadcast_value(b, v, shape) for v in values))
    result = b.convert(result, ELEMENT_TYPES[dtypes[-1]])
    return made(result, weak=is_operator and not any(isinstance(k, np.dtype) for k in kinds))


def apply_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """NumPy's `__array_ufunc__`."""
    out = options.pop("out", None)
    if out is not None and any(o is not None for o in out):
        raise UnsupportedError(
            f"np.{ufunc.__name__} cannot write a traced value into an existing array",
            location=user_line(),
            hint="write a = a + x for a += x on a NumPy array, or start from a traced one: ad.asarray(a)",
        )
    where = options.pop("where", True)
    dtype = options.pop("dtype", None)
    if method == "accumulate":
        return _accumulate(ufunc, inputs[0], dtype=dtype, **options)
    if method == "reduce":
        return _reduce(ufunc, inputs[0], where=where, dtype=dtype, **options)
    if options:
        raise UnsupportedError(
            f"np.{ufunc.__name__} is traced without the options {', '.join(options)}", location=user_line()
        )
    if method == "outer":
        left, right = inputs
        shape = (*np.shape(left), *[1] * np.ndim(right))
        return apply(ufunc, (np.reshape(left, shape), right))
    if method != "__call__":
        raise UnsupportedError(f"np.{ufunc.__name__}.{method} cannot be traced", location=user_line())
    if where is not True:
        raise UnsupportedError(
            f"np.{ufunc.__name__} is traced without `where`",
            location=user_line(),
            hint="write np.where(condition, result, other)",
        )
    if dtype is not None:
        inputs = tuple(np.asarray(x, dtype) if not isinstance(x, Array) else x.astype(dtype) for x in inputs)
    return apply(ufunc, inputs)


_REDUCTIONS: dict[np.ufunc, Callable[..., Any]] = {
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
    np.logical_and: np.all,
    np.logical_or: np.any,
    np.logaddexp: logsumexp,
}


def _reduce(
    ufunc: np.ufunc, x: Any, *, axis: Any = 0, where: Any = True, dtype: Any = None, **options: Any
) -> Any:
    function = _REDUCTIONS.get(ufunc)
    if function is None:
        raise UnsupportedError(f"np.{ufunc.__name__}.reduce cannot be traced", location=user_line())
    if where is not True:
        options["where"] = where
    if dtype is not None:
        options["dtype"] = dtype
    return function(x, axis=axis, **options)


_ACCUMULATIONS: dict[np.ufunc, str] = {
    np.add: "sum",
    np.multiply: "prod",
    np.maximum: "max",
    np.minimum: "min",
    np.logical_or: "max",
    np.logical_and: "min",
}


def _accumulate(ufunc: np.ufunc, x: Any, *, axis: Any = 0, dtype: Any = None) -> Any:
    kind = _ACCUMULATIONS.get(ufunc)
    if kind is None:
        raise UnsupportedError(
            f"np.{ufunc.__name__}.accumulate cannot be traced", location=user_line(), hint="use ad.scan"
        )
    return cumulative(kind, x.astype(bool) if ufunc in (np.logical_or, np.logical_and) else x, axis, dtype)


# Powers ------------------------------------------------------------------------------------------


def _power(base: Operand, exponent: Operand) -> Array | None:
    """Integer powers by multiplication, square roots by `sqrt`; `None` for all others."""
    if isinstance(exponent, np.ndarray) and exponent.ndim == 0:
        number = exponent.item()
    elif isinstance(exponent, int | float):
        number = exponent
    else:
        return None
    kinds = (kind_of(base), kind_of(exponent))
    dtype = loop_dtypes(np.power, kinds)[-1]
    weak = not any(isinstance(k, np.dtype) for k in kinds)
    b = emitting()
    x = value_of(base, dtype)
    if dtype.kind == "i" and number < 0:
        raise DtypeError(
            f"an integer to the negative power {number}",
            location=user_line(),
            hint="write x ** float, or convert x with x.astype(np.float64)",
        )
    if dtype.kind not in "fi":
        return None
    if dtype.kind == "f" and number in (0.5, -0.5):
        return made(b.unary(ew.SqrtOp if number > 0 else ew.RsqrtOp, x), weak=weak)
    if number != int(number) or abs(number) > MAX_UNROLLED_POWER:
        return None
    power = integer_power(b, x, abs(int(number)))
    if number < 0:
        power = b.div(b.splat(1, power.type), power)
    return made(power, weak=weak)


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


def _divmod(x: Operand, y: Operand) -> tuple[Any, Any]:
    return apply(np.floor_divide, (x, y), is_operator=True), apply(np.remainder, (x, y), is_operator=True)


def _matmul(x: Operand, y: Operand) -> Any:
    return handlers.function(np.matmul, (x, y), {})


SPECIAL: dict[np.ufunc, Callable[..., Any]] = {
    np.power: _power,
    np.divmod: _divmod,
    np.matmul: _matmul,
}
"""Ufuncs with more to say than their meaning on values; `None` sends the ufunc on to its meaning."""


handlers.ufunc = apply_ufunc
handlers.operator = apply_operator
