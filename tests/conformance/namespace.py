"""The namespace of the standard: NumPy's functions of these names, each call a program of mlirad.

    ARRAY_API_TESTS_MODULE=tests.conformance.namespace pytest array_api_tests

Where elements decide how long a result is, its length is found by NumPy outside of the program, which has it
as `size=`: `nonzero`, `unique_values` and their like, and masks. Counts of `repeat` are known outside, too.
"""

from __future__ import annotations

import builtins
import functools
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

import mlirad as ad
from tests.conformance.array import MODE, Array, run

__array_api_version__ = "2025.12"

DTYPES = ("bool", "int32", "int64", "float32", "float64", "complex64", "complex128")
"""Those that programs have; the standard has narrower and unsigned integers too."""

TRACED = (
    "abs", "acos", "acosh", "add", "all", "any", "arange", "argmax", "argmin", "argsort", "asin", "asinh",
    "astype", "atan", "atan2", "atanh", "bitwise_and", "bitwise_invert", "bitwise_left_shift",
    "bitwise_or", "bitwise_right_shift", "bitwise_xor", "broadcast_arrays", "broadcast_to", "ceil",
    "clip", "concat", "conj", "copysign", "cos", "cosh", "count_nonzero", "cumulative_prod",
    "cumulative_sum", "diff", "divide", "empty", "empty_like", "equal", "exp", "expand_dims", "expm1",
    "eye", "flip", "floor", "floor_divide", "full", "full_like", "greater", "greater_equal", "hypot",
    "imag", "isfinite", "isin", "isinf", "isnan", "less", "less_equal", "linspace", "log", "log10",
    "log1p", "log2", "logaddexp", "logical_and", "logical_not", "logical_or", "logical_xor", "matmul",
    "matrix_transpose", "max", "maximum", "mean", "meshgrid", "min", "minimum", "moveaxis", "multiply",
    "negative", "nextafter", "not_equal", "ones", "ones_like", "permute_dims", "positive", "pow", "prod",
    "real", "reciprocal", "remainder", "reshape", "roll", "round", "searchsorted", "sign", "signbit",
    "sin", "sinh", "sort", "sqrt", "square", "squeeze", "stack", "std", "subtract", "sum", "take",
    "take_along_axis", "tan", "tanh", "tensordot", "tile", "tril", "triu", "trunc", "unstack", "var",
    "vecdot", "where", "zeros", "zeros_like",
)  # fmt: skip
LATER = ("cumulative_prod", "cumulative_sum", "unstack")
"""The functions that NumPy has since 2.1."""

LINALG = (
    "cholesky", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "matmul",
    "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet",
    "solve", "svd", "svdvals", "tensordot", "trace", "vecdot", "vector_norm",
)  # fmt: skip
FFT = (
    "fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft", "irfft",
    "irfftn", "rfft", "rfftfreq", "rfftn",
)  # fmt: skip


def _traced(name: str) -> Callable[..., Any]:
    """NumPy's function, looked up while a program is traced: its name may stand for another one then."""
    *path, last = name.split(".")

    def found() -> Any:
        return getattr(functools.reduce(getattr, path, np if MODE == "numpy" else ad.numpy), last)

    @functools.wraps(found())
    def call(*args: Any, **options: Any) -> Any:
        return run(lambda *given, **named: found()(*given, **named), *args, **options)

    return call


globals().update({name: _traced(name) for name in TRACED if name not in LATER or hasattr(np, name)})
linalg = SimpleNamespace(**{name: _traced(f"linalg.{name}") for name in LINALG})
fft = SimpleNamespace(**{name: _traced(f"fft.{name}") for name in FFT})

# Dtypes and constants ----------------------------------------------------------------------------

globals().update({name: np.dtype(name) for name in DTYPES})
e, inf, nan, newaxis, pi = np.e, np.inf, np.nan, np.newaxis, np.pi
isdtype, broadcast_shapes = np.isdtype, np.broadcast_shapes


@functools.wraps(np.result_type)
def result_type(*arrays_and_dtypes: Any) -> Any:
    return run(np.result_type, *arrays_and_dtypes)


@functools.wraps(np.can_cast)
def can_cast(from_: Any, to: Any, /) -> Any:
    return builtins.bool(run(np.can_cast, from_, to))


def finfo(type: Any, /) -> Any:
    return np.finfo(type.dtype if isinstance(type, Array) else type)


def iinfo(type: Any, /) -> Any:
    return np.iinfo(type.dtype if isinstance(type, Array) else type)


def __array_namespace_info__() -> Any:
    return _Info()


class _Info:
    """NumPy's own information, about the dtypes that programs have."""

    def __init__(self) -> None:
        self.of_numpy = np.__array_namespace_info__()

    def capabilities(self) -> Any:
        return self.of_numpy.capabilities()

    def default_device(self) -> Any:
        return self.of_numpy.default_device()

    def default_dtypes(self, *, device: Any = None) -> Any:
        return self.of_numpy.default_dtypes(device=device)

    def devices(self) -> Any:
        return tuple(self.of_numpy.devices())

    def dtypes(self, *, device: Any = None, kind: Any = None) -> Any:
        found = self.of_numpy.dtypes(device=device, kind=kind)
        return {name: dtype for name, dtype in found.items() if name in DTYPES}


# Arrays of other values ------------------------------------------------------------------------------


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: Any = None) -> Any:
    if isinstance(obj, Array):
        if not copy and (dtype is None or dtype == obj.dtype):
            return obj
        if copy is False:
            raise ValueError("another dtype needs a copy")
        return run(lambda x: x.astype(x.dtype if dtype is None else dtype), obj)
    return run(lambda given: _array_of(given, dtype), obj)


def _array_of(given: Any, dtype: Any) -> Any:
    return (np if MODE == "numpy" else ad.numpy).asarray(given, dtype)


def from_dlpack(x: Any, /, *, device: Any = None, copy: Any = None) -> Any:
    return Array(np.from_dlpack(x, device=device, copy=copy))


# Lengths that elements decide --------------------------------------------------------------------


def nonzero(x: Any, /) -> Any:
    if MODE == "numpy":
        return run(np.nonzero, x)
    count = int(np.count_nonzero(x.value))
    return run(lambda x: ad.nonzero(x, size=count), x)


@functools.wraps(np.repeat)
def repeat(x: Any, repeats: Any, /, *, axis: Any = None) -> Any:
    return run(np.repeat, x, repeats.value if isinstance(repeats, Array) else repeats, axis=axis)


def _unique(name: str) -> Callable[..., Any]:
    own = getattr(np, name)
    parts = getattr(own(np.zeros(1)), "_fields", ("values",))

    @functools.wraps(own)
    def call(x: Any, /) -> Any:
        if MODE == "numpy":
            return run(own, x)
        count = np.unique_values(x.value).size
        found = run(
            lambda x: ad.unique(
                x,
                "indices" in parts,
                "inverse_indices" in parts,
                "counts" in parts,
                size=count,
                equal_nan=False,
            ),
            x,
        )
        return found if len(parts) == 1 else type(own(np.zeros(1)))(*found)

    return call


unique_values, unique_all = _unique("unique_values"), _unique("unique_all")
unique_counts, unique_inverse = _unique("unique_counts"), _unique("unique_inverse")

Array.namespace = sys.modules[__name__]
