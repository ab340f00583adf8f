"""NumPy's functions on complex arrays.

np.concatenate([z, x])     of the real parts, and of the imaginary ones (`partwise.py`)
np.prod(z)                 products of halves
np.roll(x, 1 + 2j)         an error: only operands can be complex
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from mlirad.frontend.complex_numbers.elementwise import BINARY, add, multiply
from mlirad.frontend.complex_numbers.extrema import EXTREMA
from mlirad.frontend.complex_numbers.partwise import apart, complex_part, functions_apart, operands_apart
from mlirad.frontend.complex_numbers.products import PRODUCTS
from mlirad.frontend.complex_numbers.static_queries import FORMS
from mlirad.frontend.numpy_functions.arrays.elementwise import SCIMATH
from mlirad.frontend.numpy_functions.calls.binding import Binding, qualified_name
from mlirad.frontend.numpy_functions.calls.results import require_traced_out
from mlirad.frontend.numpy_functions.protocols.functions import LINEAR_ALGEBRA, known_binding
from mlirad.frontend.numpy_functions.protocols.functions import apply_function as apply_transform
from mlirad.frontend.numpy_functions.signals.transforms import TRANSFORMS
from mlirad.frontend.tracing.complex_array import ComplexArray, holds_complex, is_complex_dtype
from mlirad.frontend.tracing.complex_pairs import as_complex, cast_parts, paired, part_dtype, parts
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.frontend.tracing.raising import argument_error, unsupported_error


def apply_function(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of NumPy on arguments that include a complex one, or with a complex result.

    Raises `UnsupportedError` for a function that does not take complex arrays, and `ArgumentError` for a
    complex argument that is not an operand of it.
    """
    binding = known_binding(function)
    bound = binding.bound(args, kwargs)
    _require_real_options(function, binding, bound)
    out = bound.arguments.pop("out", None)
    result = _applied(function, bound.args, bound.kwargs)
    return result if out is None else written(binding.name, result, out)


READING_COMPLEX = TRANSFORMS | LINEAR_ALGEBRA | frozenset(SCIMATH)
"""The functions that read complex arrays themselves."""


def _applied(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if function in READING_COMPLEX:
        return apply_transform(function, args, kwargs)
    if function in PRODUCTS:
        return PRODUCTS[function](function, *args, **kwargs)
    if function in OWN:
        return OWN[function](*args, **kwargs)
    if function in functions_apart():
        return apart(function, args, kwargs)
    raise unsupported_error(
        f"{qualified_name(function)} of complex arrays cannot be traced",
        "write what is meant with z.real, z.imag or np.abs(z)",
    )


def _require_real_options(
    function: Callable[..., Any], binding: Binding, bound: inspect.BoundArguments
) -> None:
    """Raise for a complex argument that is not an operand: those are in `APART`, or have no default."""
    if function in functions_apart():
        operands = operands_apart(function)
    else:
        parameters = bound.signature.parameters.values()
        operands = [p.name for p in parameters if p.default is inspect.Parameter.empty]
    for name, value in bound.arguments.items():
        if name not in operands and name not in ("dtype", "out") and holds_complex((value,)):
            raise binding.wrong_kind(name, "real", value)


def written(name: str, result: Any, target: Any) -> Any:
    """A result, written into an array. Raises `ArgumentError` if that is real and the result is not."""
    if isinstance(target, tuple):
        several = cast("tuple[Any, ...]", target)
        if len(several) != 1:
            raise argument_error(f"{name} gives one array, got {len(several)} in `out`", "give one array")
        target = several[0]
    if not isinstance(target, ComplexArray) and is_complex_dtype(getattr(target, "dtype", np.dtype(bool))):
        require_traced_out(name, target)
    if isinstance(result, ComplexArray) and not isinstance(target, ComplexArray):
        raise argument_error(
            f"{name} gives complex numbers, which do not fit into a real array",
            "write the result, or its .real, where it is needed",
        )
    target[...] = result
    return target


# Functions of their own ----------------------------------------------------------------------------


def _prod(a: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False) -> Any:
    """Products of halves, of these, and so on."""
    z = _typed(np.prod, a, dtype)
    count = z.ndim
    axes = range(count) if axis is None else [d % count for d in np.atleast_1d(axis)]
    order = [*axes, *(d for d in range(count) if d not in axes)]
    shape = tuple(z.shape[d] for d in order)
    flat = apart(np.transpose, (z, order), {})
    flat = apart(np.reshape, (flat, (int(np.prod(shape[: len(axes)])), *shape[len(axes) :])), {})
    while flat.shape[0] > 1:
        half = flat.shape[0] // 2
        product = multiply(flat[:half], flat[half : 2 * half])
        flat = apart(np.concatenate, ([product, flat[2 * half :]],), {}) if flat.shape[0] % 2 else product
    result = flat[0] if flat.shape[0] else as_complex(np.ones(shape[len(axes) :], z.dtype))
    return apart(np.expand_dims, (result, tuple(sorted(axes))), {}) if keepdims else result


def _cumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """Products with what stands 1, 2, 4, ... places before."""
    z = _typed(np.cumprod, a, dtype)
    if axis is None:
        z, axis = apart(np.ravel, (z,), {}), 0
    z = apart(np.moveaxis, (z, axis, 0), {})
    step = 1
    while step < z.shape[0]:
        z = apart(np.concatenate, ([z[:step], multiply(z[step:], z[:-step])],), {})
        step *= 2
    return apart(np.moveaxis, (z, 0, axis), {})


def _typed(function: Callable[..., Any], value: Any, dtype: Any) -> ComplexArray:
    """The operand of a function in the dtype that it is computed in."""
    z = as_complex(value)
    return z if dtype is None else cast_parts(z, complex_part(qualified_name(function), dtype))


def _var(a: Any, axis: Any = None, dtype: Any = None, **options: Any) -> Any:
    """The mean square distance from the mean."""
    return _of_both(xp.var, xp.add, a, axis, dtype, options)


def _of_both(
    spread: Callable[..., Any], joined: Callable[..., Any], a: Any, axis: Any, dtype: Any, options: Any
) -> Any:
    """Return what is made of the spreads of real and imaginary parts."""
    z = _typed(np.var, a, dtype)
    real = spread(z.real, axis=axis, **options)
    if "mean" in options:  # a real one
        options["mean"] = xp.zeros_like(as_array(options["mean"]))
    found = joined(real, spread(z.imag, axis=axis, **options))
    return found if dtype is None else paired(found, 0.0)


def _nansum(a: Any, axis: Any = None, dtype: Any = None, **options: Any) -> Any:
    """The sum of those that have no part that is not a number."""
    z = as_complex(a)
    is_number = xp.logical_not(xp.logical_or(xp.isnan(z.real), xp.isnan(z.imag)))
    return apart(np.sum, (apart(np.where, (is_number, z, 0.0), {}), axis, dtype), options)


def _average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, **options: Any) -> Any:
    """The mean, by real weights."""
    z = as_complex(a)
    (real, scale), (imag, _) = (
        xp.average(part, axis, weights, returned=True, **options) for part in (z.real, z.imag)
    )
    found = ComplexArray(real, imag)
    return (found, paired(scale, 0.0)) if returned else found


def _logspace(start: Any, stop: Any, *args: Any, base: Any = 10.0, dtype: Any = None, **options: Any) -> Any:
    """Powers of the base."""
    found = BINARY[np.power](base, apart(np.linspace, (start, stop, *args), options))
    return found if dtype is None else astype(found, dtype)


def _std(a: Any, axis: Any = None, dtype: Any = None, **options: Any) -> Any:
    """The root of the mean square distance from the mean."""
    return _of_both(xp.std, xp.hypot, a, axis, dtype, options)


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
        raise unsupported_error(
            "np.isclose of complex arrays with equal_nan cannot be traced", "compare z.real, and z.imag"
        )
    return xp.absolute(_minus(a, b)) <= atol + rtol * xp.absolute(as_complex(b))


def _minus(a: Any, b: Any) -> ComplexArray:
    return as_complex(BINARY[np.subtract](as_complex(a), as_complex(b)))


def _real_if_close(a: Any, tol: float = 100) -> ComplexArray:
    """Complex in any case, as a dtype depends on no value; imaginary parts are 0 where NumPy drops them."""
    z = as_complex(a)
    least = tol * np.finfo(z.dtype).eps if tol > 1 else tol
    is_close = xp.all(xp.abs(z.imag) < least)
    return paired(z.real, xp.where(is_close, 0.0, z.imag))


def _allclose(a: Any, b: Any, **options: Any) -> Any:
    return xp.all(_isclose(a, b, **options))


def _array_equal(a1: Any, a2: Any) -> Any:
    x, y = as_complex(a1), as_complex(a2)
    return x.shape == y.shape and xp.all(BINARY[np.equal](x, y))


def _polyval(p: Any, x: Any) -> Any:
    """By Horner's rule."""
    coefficients = as_complex(p)
    total: Any = add(coefficients[0], xp.zeros_like(as_array(parts(x)[0])))
    for k in range(1, coefficients.shape[0]):
        total = add(multiply(total, x), coefficients[k])
    return total


def _count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    z = as_complex(a)
    return xp.sum(xp.logical_or(z.real != 0, z.imag != 0), axis=axis, keepdims=keepdims)


def _real(val: Any) -> Any:
    return parts(val)[0]


def _imag(val: Any) -> Any:
    real, imag = parts(val)
    return xp.zeros_like(real) if imag is None else imag


def _iscomplex(x: Any) -> Any:
    return as_complex(x).imag != 0


def _isreal(x: Any) -> Any:
    return as_complex(x).imag == 0


def _astype(x: Any, dtype: Any, /, **options: Any) -> Any:
    z = astype(x, dtype)
    return ComplexArray(*(xp.astype(part, part.dtype, **options) for part in (z.real, z.imag)))


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
    np.nansum: _nansum,
    np.average: _average,
    np.logspace: _logspace,
    np.std: _std,
    np.all: _truth(xp.all),
    np.any: _truth(xp.any),
    np.count_nonzero: _count_nonzero,
    np.isclose: _isclose,
    np.allclose: _allclose,
    np.real_if_close: _real_if_close,
    np.array_equal: _array_equal,
    np.polyval: _polyval,
    np.iscomplex: _iscomplex,
    np.isreal: _isreal,
    **EXTREMA,
    **FORMS,
    **({np.astype: _astype} if hasattr(np, "astype") else {}),
}
"""The functions that are not those of the parts."""
