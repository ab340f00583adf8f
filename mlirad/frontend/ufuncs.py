"""NumPy's and SciPy's ufuncs on traced arrays.

Operands are converted to the dtypes of the loop that NumPy would run, broadcast, and handed to the ufunc's
line in `ufunc_meanings`: a function of the builder and one value per operand, all of one shape. An operator
is the same ufunc, but between Python scalars it gives a Python scalar, whose dtype stays weak.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import i1

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.literals import ELEMENT_TYPES
from mlirad.dialects.shapes import Value, array_type
from mlirad.errors import (
    ArgumentError,
    DtypeError,
    MliradError,
    PositionError,
    ShapeError,
    UnsupportedError,
)
from mlirad.frontend.colliding import one_by_one
from mlirad.frontend.dtypes import BOOL, Dtype, language_dtype, loop_dtypes
from mlirad.frontend.frames import emitting
from mlirad.frontend.handlers import handlers
from mlirad.frontend.indexing import read_value
from mlirad.frontend.keys import select_key
from mlirad.frontend.loops import fori_loop, scan
from mlirad.frontend.numpy_functions.alternatives import alternative_to
from mlirad.frontend.numpy_functions.axes import all_axes, one_axis
from mlirad.frontend.numpy_functions.binding import Binding, Casting, internal_error
from mlirad.frontend.numpy_functions.contraction import matmul, matvec, vecdot, vecmat
from mlirad.frontend.numpy_functions.filling import Order
from mlirad.frontend.numpy_functions.ordering import cumulative
from mlirad.frontend.numpy_functions.parameters import (
    UNSET,
    ArrayLike,
    Axes,
    Axis,
    DtypeLike,
    Flag,
    Mask,
    Numbers,
    OperandLike,
    Scalar,
)
from mlirad.frontend.numpy_functions.reductions import initial_value, logsumexp, shaped, spread
from mlirad.frontend.numpy_functions.results import all_ordered, in_order, require_traced_out, written_out
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
    xp,
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
    if ufunc is np.matmul:
        return matmul(*map(operand_of, inputs))
    return apply(ufunc, inputs, is_operator=True)


def apply(
    ufunc: np.ufunc,
    inputs: tuple[Any, ...],
    *,
    is_operator: bool = False,
    dtype: Dtype | None = None,
    casting: str = "same_kind",
) -> Any:
    """The ufunc on traced and concrete operands."""
    special_case = SPECIAL.get(ufunc)
    operands = [operand_of(x) for x in inputs]
    if special_case is not None and dtype is None:
        done = special_case(*operands)
        if done is not None:
            return in_order(done, inputs, all_ordered(operands))
    meaning = cast("Callable[..., Value] | None", meaning_of(ufunc))
    if meaning is None:
        raise UnsupportedError(
            f"{name_of(ufunc)} cannot be traced",
            location=user_line(),
            hint=alternative_to(name_of(ufunc).removeprefix("np.").removeprefix("scipy.")),
        )
    kinds = tuple(kind_of(o) for o in operands)
    if is_operator and ufunc in ARITHMETIC:
        kinds = as_numbers(kinds)
    dtypes = loop_dtypes(ufunc, kinds, dtype=dtype, casting=casting)
    b = emitting()
    if ufunc in COMPARISONS:
        known = order_beyond(ufunc, operands)
        if known is not None:
            shape = broadcast_shapes([shape_of_operand(o) for o in operands], name_of(ufunc))
            return made(b.splat(known, array_type(shape, i1)))
        dtypes = wide_enough(b, operands, dtypes)
    values = [value_of(o, d) for o, d in zip(operands, dtypes, strict=False)]
    shape = broadcast_shapes([shape_of_operand(o) for o in operands], name_of(ufunc))
    result = meaning(b, *(broadcast_value(b, v, shape) for v in values))
    result = b.convert(result, ELEMENT_TYPES[dtypes[-1]])
    array = made(result, weak=is_operator and not any(isinstance(k, np.dtype) for k in kinds))
    return in_order(array, inputs, len(shape) < 2 or all_ordered(operands))


def apply_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """NumPy's `__array_ufunc__`."""
    name = name_of(ufunc) + ("" if method == "__call__" else f".{method}")
    out = options.pop("out", None)
    if method == "at":
        return update_at(ufunc, *inputs)
    if out is None or all(o is None for o in out):
        return _applied(ufunc, method, name, inputs, options)
    for o in out:
        if o is not None:
            require_traced_out(name, o)
    if method in ("reduce", "accumulate", "reduceat") and ufunc not in _LOGICAL:
        own, wanted = getattr(inputs[0], "dtype", BOOL), out[0].dtype
        if options.get("dtype") is None and wanted != BOOL and np.can_cast(own, wanted, "same_kind"):
            options["dtype"] = wanted  # as NumPy, whose reductions are in the dtype of `out`
    where = options.pop("where", True) if method == "__call__" else True
    result = _applied(ufunc, method, name, inputs, options)
    casting = options.get("casting", "same_kind")
    results: tuple[Any, ...] = cast("Any", result) if isinstance(result, tuple) else (result,)
    given = tuple(
        r if o is None else written_out(name, r if where is True else select(where, r, o), o, casting=casting)
        for r, o in zip(results, out, strict=True)
    )
    return given if isinstance(result, tuple) else given[0]


def apply_in_place(ufunc: np.ufunc, x: Array, other: Any) -> Any:
    """`x += other` and the like: written into x, and so into its base. A scalar becomes another."""
    result = apply_operator(ufunc, x, other)
    if result is NotImplemented or (not x.ndim and view_of(x) is None):
        return result
    return written_out(f"np.{ufunc.__name__}", result, x)


def _applied(
    ufunc: np.ufunc, method: str, name: str, inputs: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    handler = _HANDLERS.get((ufunc.__name__ if ufunc.signature else "", method))
    if handler is None:
        raise UnsupportedError(
            f"{name} cannot be traced", location=user_line(), hint="write a loop with ad.scan"
        )
    try:
        return binding_of_method(ufunc, handler, name).call(inputs, options)[0]
    except (MliradError, RecursionError):
        raise
    except Exception as error:
        raise internal_error(name, error) from error


@cache
def binding_of_method(ufunc: np.ufunc, handler: Callable[..., Any], name: str) -> Binding:
    """How the arguments of a ufunc, or of a method of one, are read."""
    traced = functools.partial(handler, ufunc)
    own = inspect.signature(traced)
    others = [
        inspect.Parameter(option, inspect.Parameter.KEYWORD_ONLY, default=default)
        for option, default in _OPTIONS.items()
        if option not in own.parameters
    ]
    return Binding(name, own.replace(parameters=[*own.parameters.values(), *others]), traced)


def name_of(ufunc: np.ufunc) -> str:
    """A ufunc as users write it."""
    return f"{'np' if getattr(np, ufunc.__name__, None) is ufunc else 'scipy.special'}.{ufunc.__name__}"


def _call(
    ufunc: np.ufunc, *inputs: OperandLike, dtype: DtypeLike | None = None, casting: Casting = "same_kind",
    order: Order = "K",
) -> Any:  # fmt: skip
    return apply(ufunc, inputs, dtype=dtype, casting=casting)


def _outer(
    ufunc: np.ufunc, A: ArrayLike, B: ArrayLike, dtype: DtypeLike | None = None,
    casting: Casting = "same_kind",
) -> Any:  # fmt: skip
    left = xp.reshape(A, (*np.shape(A), *[1] * np.ndim(B))) if np.ndim(A) else A
    return apply(ufunc, (left, B), dtype=dtype, casting=casting)


# Methods of ufuncs -------------------------------------------------------------------------------

_REDUCTIONS: dict[np.ufunc, Callable[..., Any]] = {
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
    np.logical_and: np.all,
    np.logical_or: np.any,
}


_LOGICAL = (np.logical_and, np.logical_or, np.logical_xor)


def _reduce(
    ufunc: np.ufunc, array: ArrayLike, axis: Axes | None = 0, dtype: DtypeLike | None = None,
    keepdims: Flag = False, initial: Scalar | None = UNSET, where: Mask = None,
) -> Any:  # fmt: skip
    axes = all_axes(axis, array.ndim)
    function = _REDUCTIONS.get(ufunc)
    given: dict[str, Any] = {"keepdims": keepdims}
    if ufunc is np.logaddexp and initial is UNSET:
        return logsumexp(_loop_operand(ufunc, array, dtype)[1], axis, keepdims, where)
    if function is None or (ufunc in (np.maximum, np.minimum) and dtype is not None and dtype != array.dtype):
        return _folded(ufunc, array, axes, dtype, keepdims, initial, where)
    if ufunc in (np.add, np.multiply):
        given["dtype"] = dtype
    elif ufunc in (np.logical_and, np.logical_or) and dtype is not None and dtype != BOOL:
        return _folded(ufunc, array, axes, dtype, keepdims, initial, where)
    if where is not None:
        given["where"] = where
    if initial is UNSET or initial is None:
        return function(array, axis=axis, **given)
    if ufunc in (np.logical_and, np.logical_or):
        return ufunc(function(array, axis=axis, **given), initial)
    return function(array, axis=axis, initial=initial, **given)


def _folded(
    ufunc: np.ufunc,
    array: Array,
    axes: list[int],
    dtype: Dtype | None,
    keepdims: bool,
    initial: Any,
    where: Any,
) -> Array:
    """Any ufunc of two operands, element by element along one axis after the other."""
    _require_binary(ufunc, "reduce")
    first, x = _loop_operand(ufunc, array, dtype)
    if len(axes) > 1 and not _is_reorderable(ufunc):
        raise ArgumentError(
            f"{name_of(ufunc)}.reduce along several axes depends on their order",
            location=user_line(),
            hint="reduce along one axis after the other",
        )
    if where is not None:
        if initial is UNSET and ufunc.identity is None:
            raise ArgumentError(
                f"{name_of(ufunc)}.reduce with `where` needs `initial`",
                location=user_line(),
                hint="give the result of no elements with initial=",
            )
        keep = spread(where, x)
    else:
        keep = None
    rows = xp.moveaxis(x, axes, range(len(axes)))
    rows = xp.reshape(rows, (prod(x.shape[d] for d in axes), *rows.shape[len(axes) :]))
    start = ufunc.identity if initial is UNSET else initial
    if keep is not None:
        keep = xp.reshape(xp.moveaxis(keep, axes, range(len(axes))), rows.shape)
    if start is None and not rows.shape[0]:
        raise ShapeError(
            f"{name_of(ufunc)}.reduce of no elements: shape {x.shape} along {axes}",
            location=user_line(),
            hint="give its value there with initial=",
        )
    if start is None:
        carry, begin = rows[0], 1
    else:
        carry, begin = xp.broadcast_to(as_array(initial_value(start, first)), rows.shape[1:]), 0

    def step(k: Any, carry: Any) -> Any:
        row = rows[k]
        combined = apply(ufunc, (carry, row), dtype=dtype).astype(first)
        return combined if keep is None else select(keep[k], combined, carry)

    result = fori_loop(begin, rows.shape[0], step, carry) if rows.shape[0] > begin else carry
    return shaped(as_array(result), x, axes, keepdims)


def _require_binary(ufunc: np.ufunc, method: str) -> None:
    if ufunc.nin != 2 or ufunc.nout != 1:
        raise ArgumentError(
            f"{name_of(ufunc)}.{method} needs a ufunc of two operands and one result",
            location=user_line(),
            hint="call the ufunc itself",
        )


def _loop_operand(ufunc: np.ufunc, array: Array, dtype: Dtype | None) -> tuple[Dtype, Array]:
    """The dtype that a reduction is carried on in, and the array in it."""
    try:
        given: dict[str, Any] = {} if dtype is None else {"signature": (dtype, None, None)}
        resolved = ufunc.resolve_dtypes(
            (None, array.dtype, None), casting=cast(Any, "unsafe"), reduction=True, **given
        )
    except TypeError as error:
        raise DtypeError(
            f"{name_of(ufunc)}.reduce is not defined on {array.dtype}",
            location=user_line(),
            hint=f"NumPy says: {error}",
        ) from error
    result = language_dtype(resolved[2])
    operand = language_dtype(resolved[1])
    if resolved[0] != resolved[2]:
        raise DtypeError(
            f"{name_of(ufunc)}.reduce would turn {operand} into {result}",
            location=user_line(),
            hint="both must be one dtype",
        )
    return result, array.astype(operand)


_REORDERABLE = frozenset(
    [
        "add",
        "multiply",
        "maximum",
        "minimum",
        "fmax",
        "fmin",
        "logical_and",
        "logical_or",
        "logical_xor",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "hypot",
        "logaddexp",
        "logaddexp2",
    ]
)


def _is_reorderable(ufunc: np.ufunc) -> bool:
    return ufunc.__name__ in _REORDERABLE


_ACCUMULATIONS: dict[np.ufunc, str] = {
    np.add: "sum",
    np.multiply: "prod",
    np.maximum: "max",
    np.minimum: "min",
    np.logical_or: "max",
    np.logical_and: "min",
}


def _accumulate(ufunc: np.ufunc, array: ArrayLike, axis: Axis = 0, dtype: DtypeLike | None = None) -> Any:
    if not array.ndim:
        raise ShapeError("cannot accumulate on a scalar", location=user_line(), hint="np.atleast_1d")
    dim = one_axis(axis, array.ndim)
    kind = _ACCUMULATIONS.get(ufunc)
    is_logical = ufunc in (np.logical_or, np.logical_and)
    if kind is not None and (not is_logical or dtype is None or dtype == BOOL):
        return cumulative(kind, array.astype(bool) if is_logical else array, dim, dtype)
    _require_binary(ufunc, "accumulate")
    result, x = _loop_operand(ufunc, array, dtype)
    rows = xp.moveaxis(x, dim, 0)
    if not rows.shape[0]:
        return x.astype(result)

    def step(carry: Any, row: Any) -> tuple[Any, Any]:
        following = apply(ufunc, (carry, row), dtype=dtype).astype(result)
        return following, following

    first = rows[0].astype(result)
    if rows.shape[0] == 1:
        return xp.moveaxis(first[None], 0, dim)
    _, others = scan(step, first, rows[1:])
    return xp.moveaxis(xp.concatenate([first[None], others]), 0, dim)


def _reduceat(
    ufunc: np.ufunc, array: ArrayLike, indices: Numbers, axis: Axis = 0, dtype: DtypeLike | None = None
) -> Any:
    """Slices between static positions, each reduced."""
    if not array.ndim or indices.ndim != 1 or indices.dtype.kind not in "ib":
        raise ShapeError(
            f"{name_of(ufunc)}.reduceat needs an array and a vector of positions",
            location=user_line(),
            hint="positions are integers: [0, 3, 5]",
        )
    dim = one_axis(axis, array.ndim)
    starts = indices.tolist()
    extent = array.shape[dim]
    if any(not 0 <= s < extent for s in starts):
        raise PositionError(
            f"positions {starts} lie outside of a dimension of extent {extent}",
            location=user_line(),
            hint="slices begin inside of the array",
        )
    parts: list[Any] = []
    for s, e in zip(starts, [*starts[1:], extent], strict=False):
        part = array[(*[slice(None)] * dim, slice(s, max(e, s + 1)))]
        parts.append(_reduce(ufunc, part, dim, dtype, keepdims=True, initial=None))
    if not parts:
        return xp.zeros_like(array[(*[slice(None)] * dim, slice(0, 0))], dtype=dtype)
    return xp.concatenate(parts, axis=dim)


def _product(function: Callable[..., Any]) -> Callable[..., Any]:
    """A ufunc on the last dimensions, which is a contraction."""

    def call(ufunc: np.ufunc, x1: OperandLike, x2: OperandLike, *, dtype: DtypeLike | None = None) -> Any:
        if dtype is not None:
            x1, x2 = (as_array(x).astype(dtype) for x in (x1, x2))
        return function(x1, x2)

    return call


def _vecdot(
    ufunc: np.ufunc, x1: OperandLike, x2: OperandLike, *, axis: Axis = -1, dtype: DtypeLike | None = None
) -> Any:
    if dtype is not None:
        x1, x2 = (as_array(x).astype(dtype) for x in (x1, x2))
    return vecdot(x1, x2, axis=axis)


_HANDLERS: dict[tuple[str, str], Callable[..., Any]] = {
    ("", "__call__"): _call,
    ("", "outer"): _outer,
    ("", "reduce"): _reduce,
    ("", "accumulate"): _accumulate,
    ("", "reduceat"): _reduceat,
    ("matmul", "__call__"): _product(matmul),
    ("matvec", "__call__"): _product(matvec),
    ("vecmat", "__call__"): _product(vecmat),
    ("vecdot", "__call__"): _vecdot,
}
"""What traces a ufunc, or a method of one; ufuncs on whole dimensions by name."""

_OPTIONS: dict[str, Any] = {
    "where": True, "order": "K", "subok": True, "casting": "same_kind", "signature": None, "sig": None,
    "axes": UNSET, "axis": UNSET, "keepdims": False,
}  # fmt: skip
"""What ufuncs take beside their operands; those that a handler does not have are refused."""


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
    if dtype.kind == "f" and number == 0.5:
        return made(b.unary(ew.SqrtOp, x), weak=weak)
    if dtype.kind == "f" and number == -0.5:
        # Unlike 1 / sqrt(x), the power is inf at -0, and 0 at -inf.
        root = b.unary(ew.RsqrtOp, b.add(x, b.splat(0.0, x.type)))
        far = b.compare("eq", x, b.splat(-np.inf, x.type))
        return made(b.select(far, b.zeros(x.type), root), weak=weak)
    if not float(number).is_integer() or abs(number) > MAX_UNROLLED_POWER:
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


def _modf(x: Operand) -> tuple[Any, Any]:
    whole = xp.trunc(x)
    part = select(xp.isinf(x), 0.0, xp.subtract(x, whole))
    return xp.copysign(part, x), whole


SPECIAL: dict[np.ufunc, Callable[..., Any]] = {
    np.power: _power,
    np.divmod: _divmod,
    np.modf: _modf,
}
"""Ufuncs with more to say than their meaning on values; `None` sends the ufunc on to its meaning."""


handlers.ufunc = apply_ufunc
handlers.operator = apply_operator
handlers.operator_in_place = apply_in_place
