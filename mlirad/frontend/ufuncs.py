"""NumPy's and SciPy's ufuncs on traced arrays.

Operands are converted to the dtypes of the loop that NumPy would run, broadcast, and handed to the ufunc's
line in `ufunc_meanings`: a function of the builder and one value per operand, all of one shape. An operator
is the same ufunc, but between Python scalars it gives a Python scalar, whose dtype stays weak.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import i1

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.literals import ELEMENT_TYPES
from mlirad.dialects.shapes import Value, array_type
from mlirad.errors import DtypeError, UnsupportedError
from mlirad.frontend.colliding import one_by_one
from mlirad.frontend.dtypes import BOOL, loop_dtypes
from mlirad.frontend.frames import emitting
from mlirad.frontend.handlers import handlers
from mlirad.frontend.indexing import read_value
from mlirad.frontend.keys import select_key
from mlirad.frontend.numpy_functions.ordering import cumulative
from mlirad.frontend.numpy_functions.reductions import logsumexp
from mlirad.frontend.numpy_functions.results import all_ordered, require_traced_out, written_out
from mlirad.frontend.operations import (
    Operand,
    as_array,
    broadcast_shapes,
    broadcast_value,
    converted,
    kind_of,
    made,
    operand_of,
    select,
    shape_of_operand,
    value_of,
)
from mlirad.frontend.python_numbers import (
    ARITHMETIC,
    COMPARISONS,
    as_numbers,
    order_beyond,
    require_no_repetition,
    wide_enough,
)
from mlirad.frontend.source import user_line
from mlirad.frontend.tracer import Array
from mlirad.frontend.ufunc_meanings import meaning_of
from mlirad.frontend.updates import updated_value
from mlirad.frontend.views import require_writable, view_of
from mlirad.frontend.writes import fitted, replace
from mlirad.ir.arrays import ArrayBuilder

MAX_UNROLLED_POWER = 32
"""Up to this exponent an integer power is a product, beyond it `pow`."""


def apply_operator(ufunc: np.ufunc, *inputs: Any) -> Any:
    """A Python operator on traced operands; `NotImplemented` for operands that are no arrays."""
    if any(isinstance(x, list | tuple) for x in inputs):
        require_no_repetition(ufunc, inputs)
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
    if is_operator and ufunc in ARITHMETIC:
        kinds = as_numbers(kinds)
    dtypes = loop_dtypes(ufunc, kinds)
    b = emitting()
    if ufunc in COMPARISONS:
        known = order_beyond(ufunc, operands)
        if known is not None:
            shape = broadcast_shapes([shape_of_operand(o) for o in operands], f"np.{ufunc.__name__}")
            return made(b.splat(known, array_type(shape, i1)))
        dtypes = wide_enough(b, operands, dtypes)
    values = [value_of(o, d) for o, d in zip(operands, dtypes, strict=False)]
    shape = broadcast_shapes([shape_of_operand(o) for o in operands], f"np.{ufunc.__name__}")
    result = meaning(b, *(broadcast_value(b, v, shape) for v in values))
    result = b.convert(result, ELEMENT_TYPES[dtypes[-1]])
    array = made(result, weak=is_operator and not any(isinstance(k, np.dtype) for k in kinds))
    array._is_row_major = len(shape) < 2 or all_ordered(operands)  # pyright: ignore[reportPrivateUsage]
    return array


def apply_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """NumPy's `__array_ufunc__`."""
    name = f"np.{ufunc.__name__}"
    out = options.pop("out", None)
    if method == "at":
        return update_at(ufunc, *inputs)
    if out is None or all(o is None for o in out):
        return _applied(ufunc, method, inputs, options)
    for o in out:
        if o is not None:
            require_traced_out(name, o)
    where = options.pop("where", True)
    result = _applied(ufunc, method, inputs, options)
    results: tuple[Any, ...] = cast("Any", result) if isinstance(result, tuple) else (result,)
    given = tuple(
        r if o is None else written_out(name, r if where is True else select(where, r, o), o)
        for r, o in zip(results, out, strict=True)
    )
    return given if isinstance(result, tuple) else given[0]


def apply_in_place(ufunc: np.ufunc, x: Array, other: Any) -> Any:
    """`x += other` and the like: written into x, and so into its base. A scalar becomes another."""
    result = apply_operator(ufunc, x, other)
    if result is NotImplemented or (not x.ndim and view_of(x) is None):
        return result
    return written_out(f"np.{ufunc.__name__}", result, x)


def _applied(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
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
    kinds = as_numbers((kind_of(base), kind_of(exponent)))
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


def update_at(ufunc: np.ufunc, x: Any, key: Any, *values: Any) -> None:
    """`ufunc.at(x, key, values)`: the elements of `x` at the positions, one after the other, in place."""
    if not isinstance(x, Array):
        require_traced_out(f"np.{ufunc.__name__}.at", x)
    require_writable(x)
    selection = select_key(x.shape, key)
    kinds = (x.dtype, *(kind_of(operand_of(v)) for v in values))
    loop_dtypes(ufunc, kinds, x.dtype)
    if ufunc in (np.add, np.subtract) and x.dtype != BOOL:
        kind = "add" if ufunc is np.add else "subtract"
        replace(x, handlers.updated(x, key, values[0], kind).value)
        return

    def combine(b: ArrayBuilder, old: Value, *new: Value) -> Value:
        return converted(apply(ufunc, (made(old), *(made(v) for v in new))), x.dtype).value

    if not values:
        old = read_value(x.value, selection)
        replace(x, updated_value(x.value, selection, combine(emitting(), old), "set"))
        return
    kept = as_array(values[0])
    dtype = x.dtype if kept.weak else kept.dtype
    new = fitted(made(x.value) if dtype == x.dtype else converted(x, dtype), kept, selection)
    replace(x, one_by_one(x, selection, new, combine).value)


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
handlers.operator_in_place = apply_in_place
