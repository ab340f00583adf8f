"""`ComplexArray`: a traced complex array, which is a pair of real ones.

The language has real numbers. A complex number is a structure of two of them, in arguments, results, carries
and tangents, so nothing below the frontend knows of it:

    flatten(np.ones(3) * 1j)          [zeros, ones], complex(real=*, imag=*)

NumPy's functions on a pair are defined in `frontend.complex_numbers`, and bound to the class there.

A complex element type would be a case in every package: scalar meanings, all derivative tables and transposes
(with conjugates), patterns, the emitter of every elementwise op, vector code of elementary functions,
layouts, calls. As a pytree of two leaves it is one package of the frontend, and no pass knows of it. The
price: parts lie apart in memory, so complex arguments and results are copied, and a transform first writes
its operand as pairs, some 5 % of its time; without complex BLAS a product is four real ones. C's rules for
infinite parts are not repeated, as they would cost a branch in each product; nor are those of elementary
functions, some ten cases each, every one a selection in the program and in its derivatives, for numbers that
occur after an overflow.

Cotangents of complex arrays are not conjugated: with JAX's convention, Re(c z), the derivative of a
holomorphic function multiplies cotangents as it does tangents. Programs know only the inner product of pairs,
Re(conj(c) z); so the frontend negates imaginary parts where cotangents come in and go out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, cast

import numpy as np

from mlirad.frontend.tracing.asked_class import asks_for_numpys, class_of
from mlirad.frontend.tracing.containers import Container, Opened, enter
from mlirad.frontend.tracing.open_traces import Traced, TracedParts
from mlirad.frontend.tracing.raising import tracing_error
from mlirad.frontend.tracing.told_functions import require_asking

PARTS = ("real", "imag")
"""The names of the parts of a complex number."""


class ComplexArray(TracedParts):
    """The traced real and imaginary parts of one array, of one shape and dtype.

    Where a structure stands for something else than values, such as axes, a pair holds that of either part.
    """

    __slots__ = ("_imag", "_real")
    __array_priority__ = 1001
    __hash__ = None  # type: ignore[assignment]

    apply_ufunc: ClassVar[Callable[..., Any]]
    apply_function: ClassVar[Callable[..., Any]]
    apply_operator: ClassVar[Callable[..., Any]]
    """NumPy's protocols for operands that include a complex one, as `frontend.complex_numbers` has them."""

    if TYPE_CHECKING:  # what `complex_numbers` binds

        def __getattr__(self, name: str) -> Any: ...
        def _operator(self, other: Any) -> Any: ...

        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _operator
        __getitem__ = _operator

        def __setitem__(self, key: Any, value: Any) -> None: ...

    def __init__(self, real: Any, imag: Any):
        self._real = real
        self._imag = imag

    @property
    def real(self) -> Any:
        """The real parts, which are written where the array is."""
        return self._real

    @real.setter
    def real(self, values: Any) -> None:
        self._real[...] = values

    @property
    def imag(self) -> Any:
        """The imaginary parts."""
        return self._imag

    @imag.setter
    def imag(self, values: Any) -> None:
        self._imag[...] = values

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents, which can be changed where that copies nothing."""
        return self.real.shape

    @shape.setter
    def shape(self, shape: Any) -> None:
        self.real.shape = self.imag.shape = shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """complex64 or complex128."""
        return complex_dtype(self.real.dtype)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.real.size

    @property
    def __class__(self) -> type[Any]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The class itself for mlirad, NumPy and Python; see `asked_class`."""
        return self._class_for_others() if asks_for_numpys() else type(self)

    def _class_for_others(self) -> type[Any]:
        """The class of the value that it stands for."""
        return class_of(self.dtype, is_array=self.ndim > 0, weak=False)

    def __len__(self) -> int:
        return len(self.real)

    def __repr__(self) -> str:
        from mlirad.frontend.tracing.unfinished_texts import represented  # few programs have texts

        if not hasattr(self.real, "dtype"):
            return represented(f"ComplexArray({self.real!r}, {self.imag!r})")
        return represented(f"ComplexArray({self.dtype}{list(self.shape)})")

    def __str__(self) -> str:
        from mlirad.frontend.tracing.unfinished_texts import text_of  # few programs have texts

        return text_of(repr(self))

    def __format__(self, specification: str) -> str:
        from mlirad.frontend.tracing.unfinished_texts import formatted  # few programs have texts

        return formatted(self, specification)

    def __array__(self, dtype: object = None, copy: object = None) -> NoReturn:
        require_asking()
        raise tracing_error(
            f"{self!r} is traced and complex, which this function does not take",
            "write what is meant with z.real and z.imag",
        )

    def _no_value(self) -> NoReturn:
        require_asking()
        raise tracing_error(
            f"{self!r} is traced and has no value yet, so it cannot become a Python number",
            "use the traced value itself; np.where chooses between values, ad.cond between computations; "
            "write y = np.zeros(n, complex) before y[i] = z",
        )

    __bool__ = __float__ = __int__ = __complex__ = __index__ = _no_value


def complex_dtype(part: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of complex numbers with parts of this dtype."""
    return np.dtype(np.complex64 if part == np.float32 else np.complex128)


def is_complex(value: object) -> bool:
    """Return whether a value is complex: a traced array, or a number or an array of Python or NumPy."""
    if isinstance(value, Traced):
        return False
    if isinstance(value, ComplexArray | complex | np.complexfloating):
        return True
    return isinstance(value, np.ndarray) and cast(Any, value).dtype.kind == "c"


def is_complex_dtype(dtype: object) -> bool:
    """Return whether something names a complex dtype."""
    if isinstance(dtype, type):
        return issubclass(dtype, complex | np.complexfloating)
    if isinstance(dtype, str | np.dtype):
        try:
            return np.dtype(cast(Any, dtype)).kind == "c"
        except TypeError:
            return False
    return False


def holds_complex(values: Sequence[object], options: Mapping[str, object] | None = None) -> bool:
    """Return whether one of the arguments of a call is complex, or holds what is, or names a complex
    dtype.
    """
    given = list(values) if options is None else [*values, *options.values()]
    if options is not None and is_complex_dtype(options.get("dtype")):
        return True
    return any(_holds_complex(value) for value in given)


def _holds_complex(value: object) -> bool:
    if isinstance(value, Traced):
        return False
    if isinstance(value, list | tuple):
        return any(_holds_complex(part) for part in cast("Sequence[object]", value))
    return is_complex(value) or (isinstance(value, type | np.dtype) and is_complex_dtype(cast(object, value)))


def parts_of_complex(value: Any) -> tuple[Any, Any]:
    """The real and the imaginary part of what is complex; of what is real and stands for it, itself and 0."""
    if is_complex(value):
        return value.real, value.imag
    if value is None:
        return None, None
    if isinstance(value, int | float):
        return value, 0.0
    return value, np.zeros(np.shape(value), getattr(value, "dtype", None))


def joined(real: Any, imag: Any) -> Any:
    """The complex number or array of these parts; a pair of what are not numbers."""
    if real is None and imag is None:
        return None
    if not isinstance(real, np.ndarray | np.generic | float | int):
        return ComplexArray(real, imag)
    real = cast(Any, real)
    dtype = complex_dtype(np.asarray(real).dtype)
    result = np.empty(np.shape(real), dtype)
    result.real, result.imag = real, imag
    return result if isinstance(real, np.ndarray) else result[()]


class _Parts(Container):
    """Those of complex numbers and arrays of all classes, which structures know by the class `complex`."""

    def open(self, value: Any) -> Opened:
        return Opened(PARTS, parts_of_complex(value))

    def make(self, kind: type[Any], opened: Opened) -> Any:
        return joined(*opened.parts)


enter(complex, _Parts())
