"""NumPy's functions on complex arrays: those that treat real and imaginary parts alike, and others.

np.concatenate([z, x])     of the real parts, and of the imaginary ones, that of x being 0
np.prod(z)                 products of halves
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np

from mlirad.frontend.complex_numbers.elementwise import BINARY, UNARY, add, multiply
from mlirad.frontend.complex_numbers.matrices import MATRICES
from mlirad.frontend.complex_numbers.products import PRODUCTS
from mlirad.frontend.numpy_functions.binding import qualified_name
from mlirad.frontend.numpy_functions.functions import apply_function as apply_transform
from mlirad.frontend.numpy_functions.transforms import TRANSFORMS
from mlirad.frontend.numpy_functions.ufuncs import name_of
from mlirad.frontend.tracing.complex_array import ComplexArray, is_complex_dtype
from mlirad.frontend.tracing.complex_pairs import as_complex, cast_parts, paired, part_dtype, parts
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.frontend.tracing.raising import argument_error, unsupported_error

_FIRST = (
    "reshape", "ravel", "transpose", "permute_dims", "swapaxes", "moveaxis", "rollaxis", "squeeze",
    "expand_dims", "broadcast_to", "flip", "fliplr", "flipud", "rot90", "matrix_transpose", "roll",
    "tile", "repeat", "resize", "diag", "diagflat", "diagonal", "tril", "triu", "trace", "pad", "take",
    "take_along_axis", "delete", "split", "array_split", "hsplit", "vsplit", "dsplit", "unstack", "copy",
    "sum", "mean", "cumsum", "nansum", "diff", "atleast_1d", "atleast_2d", "atleast_3d",
    "broadcast_arrays", "meshgrid", "zeros_like", "empty_like", "stack", "concatenate", "concat",
    "hstack", "vstack", "dstack", "column_stack", "block", "gradient", "average", "around", "round",
    "linalg.trace", "linalg.diagonal", "linalg.matrix_transpose", "cumulative_sum",
)  # fmt: skip

APART: dict[str, str] = dict.fromkeys(_FIRST, "") | {
    "where": "x y",
    "select": "choicelist default",
    "append": "arr values",
    "insert": "arr values",
    "full_like": "a fill_value",
    "trapezoid": "y",
    "interp": "fp",
    "linspace": "start stop",
    "logspace": "start stop",
    "ediff1d": "ary to_end to_begin",
}
"""Functions that are those of the parts, with the names of the operands that have parts: the first, or all of
those that can come in any number."""


def apply_function(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of NumPy on arguments of which one is complex, or whose result is to be.

    Raises `UnsupportedError` for a function that does not take complex arrays.
    """
    if function in TRANSFORMS:
        return apply_transform(function, args, kwargs)
    if function in PRODUCTS:
        return PRODUCTS[function](function, *args, **kwargs)
    own = OWN.get(function)
    if own is not None:
        return own(*args, **kwargs)
    if function in _apart_functions():
        return _apart(function, args, kwargs)
    name = qualified_name(function)
    raise unsupported_error(
        f"{name} of complex arrays cannot be traced", "write what is meant with z.real, z.imag or np.abs(z)"
    )


@cache
def _apart_functions() -> dict[Callable[..., Any], str]:
    found: dict[Callable[..., Any], str] = {}
    for name, operands in APART.items():
        holder: Any = np
        *modules, last = name.split(".")
        for module in modules:
            holder = getattr(holder, module)
        if hasattr(holder, last):
            found[getattr(holder, last)] = operands
    return found


def _apart(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The function of the real parts and of the imaginary ones."""
    bound = inspect.signature(function).bind(*args, **kwargs)
    dtype = bound.arguments.get("dtype")
    if dtype is not None:
        if not is_complex_dtype(dtype):
            raise argument_error(
                f"{qualified_name(function)} of complex numbers is not of dtype {np.dtype(dtype)}",
                "write z.real for the real part",
            )
        bound.arguments["dtype"] = part_dtype(dtype)
    parameters = bound.signature.parameters
    names = _apart_functions()[function].split() or [next(iter(parameters))]
    given = {name: bound.arguments[name] for name in names if name in bound.arguments}
    out = bound.arguments.pop("out", None)
    found: list[Any] = []
    for k in range(2):
        for name, value in given.items():
            is_several = parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
            bound.arguments[name] = tuple(_part(v, k) for v in value) if is_several else _part(value, k)
        found.append(function(*bound.args, **bound.kwargs))
    result = _joined(*found)
    return result if out is None else _written(qualified_name(function), result, out)


def _part(value: Any, k: int) -> Any:
    """One part of an operand, of which lists hold several."""
    if isinstance(value, list | tuple):
        several = [_part(v, k) for v in cast("list[Any]", value)]
        return tuple(several) if isinstance(value, tuple) else several
    real, imag = parts(value)
    if k == 0:
        return real
    if imag is None:
        return xp.zeros_like(as_array(real))
    return imag


def _joined(real: Any, imag: Any) -> Any:
    if isinstance(real, list | tuple):
        several = [_joined(r, i) for r, i in zip(cast("list[Any]", real), imag, strict=True)]
        return tuple(several) if isinstance(real, tuple) else several
    return ComplexArray(real, imag) if real.dtype == imag.dtype else paired(real, imag)


# Functions of their own ----------------------------------------------------------------------------


def _prod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """Products of halves, of these, and so on."""
    z = _typed(as_complex(a), dtype)
    count = z.ndim
    axes = range(count) if axis is None else [d % count for d in np.atleast_1d(axis)]
    order = [*axes, *(d for d in range(count) if d not in axes)]
    shape = tuple(z.shape[d] for d in order)
    flat = _apart(np.transpose, (z, order), {})
    flat = _apart(np.reshape, (flat, (int(np.prod(shape[: len(axes)])), *shape[len(axes) :])), {})
    while flat.shape[0] > 1:
        half = flat.shape[0] // 2
        product = multiply(flat[:half], flat[half : 2 * half])
        flat = _apart(np.concatenate, ([product, flat[2 * half :]],), {}) if flat.shape[0] % 2 else product
    result = flat[0] if flat.shape[0] else as_complex(np.ones(shape[len(axes) :], z.dtype))
    return _apart(np.expand_dims, (result, tuple(sorted(axes))), {}) if keepdims else result


def _cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Products with what stands 1, 2, 4, ... places before."""
    z = _typed(as_complex(a), dtype)
    if axis is None:
        z, axis = _apart(np.ravel, (z,), {}), 0
    z = _apart(np.moveaxis, (z, axis, 0), {})
    step = 1
    while step < z.shape[0]:
        z = _apart(np.concatenate, ([z[:step], multiply(z[step:], z[:-step])],), {})
        step *= 2
    return _apart(np.moveaxis, (z, 0, axis), {})


def _typed(z: ComplexArray, dtype: Any) -> ComplexArray:
    return z if dtype is None else cast_parts(z, part_dtype(dtype))


def _var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, **options: Any) -> Any:
    """The mean square distance from the mean."""
    z = as_complex(a)
    options = {"axis": axis, "ddof": ddof, **options}
    return xp.var(z.real, **options) + xp.var(z.imag, **options)


def _std(a: Any, *args: Any, **options: Any) -> Any:
    return xp.sqrt(_var(a, *args, **options))


def _angle(z: Any, deg: bool = False) -> Any:
    real, imag = parts(z)
    found = xp.arctan2(imag, real)
    return found * (180.0 / np.pi) if deg else found


def _truth(reduction: Any) -> Callable[..., Any]:
    def reduce(a: Any, axis: Any = None, **options: Any) -> Any:
        z = as_complex(a)
        return reduction(xp.logical_or(z.real != 0, z.imag != 0), axis=axis, **options)

    return reduce


def _isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    if equal_nan:
        raise unsupported_error("np.isclose of complex arrays with equal_nan cannot be traced")
    return xp.absolute(_minus(a, b)) <= atol + rtol * xp.absolute(as_complex(b))


def _minus(a: Any, b: Any) -> ComplexArray:
    return as_complex(BINARY[np.subtract](as_complex(a), as_complex(b)))


def _allclose(a: Any, b: Any, **options: Any) -> Any:
    return xp.all(_isclose(a, b, **options))


def _array_equal(a1: Any, a2: Any) -> Any:
    x, y = as_complex(a1), as_complex(a2)
    return x.shape == y.shape and xp.all(BINARY[np.equal](x, y))


def _polyval(p: Any, x: Any) -> Any:
    """By Horner's rule."""
    coefficients = as_complex(p)
    total: Any = coefficients[0]
    for k in range(1, coefficients.shape[0]):
        total = add(multiply(total, x), coefficients[k])
    return total


def _count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    z = as_complex(a)
    return xp.sum(xp.logical_or(z.real != 0, z.imag != 0), axis=axis, keepdims=keepdims)


def _ones_like(a: Any, dtype: Any = None, order: Any = "K", subok: bool = True, shape: Any = None) -> Any:
    z = as_complex(a)
    own = part_dtype(dtype) if dtype is not None else z.real.dtype
    ones = xp.ones_like(z.real, dtype=own, shape=shape)
    return paired(ones, xp.zeros_like(ones))


def _real(val: Any) -> Any:
    return parts(val)[0]


def _imag(val: Any) -> Any:
    real, imag = parts(val)
    return xp.zeros_like(real) if imag is None else imag


def _iscomplex(x: Any) -> Any:
    return as_complex(x).imag != 0


def _isreal(x: Any) -> Any:
    return as_complex(x).imag == 0


def _shape(a: Any) -> tuple[int, ...]:
    return as_complex(a).shape


def _ndim(a: Any) -> int:
    return as_complex(a).ndim


def _size(a: Any, axis: int | None = None) -> int:
    return as_complex(a).size if axis is None else as_complex(a).shape[axis]


def _astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    return astype(x, dtype)


def astype(x: Any, dtype: Any) -> ComplexArray:
    """An array with parts of another dtype. Raises for a real one, which would lose imaginary parts."""
    if not is_complex_dtype(dtype):
        raise unsupported_error(
            f"a complex array converted to {np.dtype(dtype)} would lose its imaginary part",
            "write z.real.astype(dtype)",
        )
    return cast_parts(as_complex(x), part_dtype(dtype))


OWN: dict[Callable[..., Any], Callable[..., Any]] = {
    np.real: _real,
    np.imag: _imag,
    np.angle: _angle,
    np.prod: _prod,
    np.cumprod: _cumprod,
    np.var: _var,
    np.std: _std,
    np.all: _truth(xp.all),
    np.any: _truth(xp.any),
    np.count_nonzero: _count_nonzero,
    np.isclose: _isclose,
    np.allclose: _allclose,
    np.array_equal: _array_equal,
    np.polyval: _polyval,
    np.ones_like: _ones_like,
    np.iscomplex: _iscomplex,
    np.isreal: _isreal,
    np.shape: _shape,
    np.ndim: _ndim,
    np.size: _size,
    **({np.astype: _astype} if hasattr(np, "astype") else {}),
    **MATRICES,
}
"""The functions that are not those of the parts."""


# Ufuncs -------------------------------------------------------------------------------------------


def apply_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """NumPy's `__array_ufunc__` on operands of which one is complex.

    Raises `UnsupportedError` for a ufunc, or an option of it, that does not take complex operands.
    """
    name = name_of(ufunc) + ("" if method == "__call__" else f".{method}")
    out = options.pop("out", None)
    dtype = options.pop("dtype", None)
    if method == "__call__" and ufunc in PRODUCTS:
        result = PRODUCTS[ufunc](ufunc, *inputs, **options)
    elif method == "reduce" and ufunc in (np.add, np.multiply):
        options = {"axis": 0, **options}
        axis = options.pop("axis")
        reduce = apply_function if ufunc is np.multiply else _apart
        result = reduce(np.prod if ufunc is np.multiply else np.sum, (inputs[0],), {"axis": axis, **options})
    elif method == "outer" and ufunc in BINARY:
        x, y = (as_complex(v) for v in inputs)
        result = BINARY[ufunc](x[(..., *[None] * y.ndim)], y)
    else:
        result = _called(ufunc, method, name, inputs, options)
    if dtype is not None:
        result = astype(result, dtype)
    if out is None or all(o is None for o in out):
        return result
    return _written(name, result, out[0])


def _called(ufunc: np.ufunc, method: str, name: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    unary, binary = UNARY.get(ufunc), BINARY.get(ufunc)
    if method != "__call__" or (unary is None and binary is None):
        raise unsupported_error(
            f"{name} of complex arrays cannot be traced",
            "write what is meant with z.real, z.imag or np.abs(z)",
        )
    left = {k: v for k, v in options.items() if k not in ("casting", "order", "subok")}
    where = left.pop("where", True)
    if left or where is not True:
        raise unsupported_error(
            f"{name} of complex arrays takes no {', '.join(left or ['where'])}", "write np.where(...)"
        )
    if unary is not None:
        z = as_complex(inputs[0])
        return unary(z.real, z.imag)
    assert binary is not None
    return binary(*inputs)


def _written(name: str, result: Any, target: Any) -> Any:
    """The result, written into an array."""
    if not isinstance(target, ComplexArray):
        raise argument_error(
            f"{name} gives complex numbers, which do not fit into a real array",
            "write the result, or its .real, where it is needed",
        )
    target[...] = result
    return target


def apply_operator(ufunc: np.ufunc, *inputs: Any) -> Any:
    """A Python operator on operands of which one is complex."""
    if any(x is None or isinstance(x, str | dict | set) or callable(x) for x in inputs):
        return NotImplemented
    if ufunc is np.matmul:
        return PRODUCTS[np.matmul](np.matmul, *inputs)
    return _called(ufunc, "__call__", name_of(ufunc), inputs, {})
