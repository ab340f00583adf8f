"""Protocols, operators, indexing and `np.ndarray` methods of traced complex arrays."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

import numpy as np

from mlirad.errors import MliradError, is_from_signal
from mlirad.frontend.complex_numbers.functions import apply_function, astype
from mlirad.frontend.complex_numbers.ufuncs import apply_operator, apply_ufunc
from mlirad.frontend.indexing.masks import MaskedElements
from mlirad.frontend.numpy_functions.arrays.array_api import on_device
from mlirad.frontend.numpy_functions.calls.binding import internal_error, qualified_name
from mlirad.frontend.numpy_functions.protocols.array_methods import ArrayMethods
from mlirad.frontend.numpy_functions.protocols.members import give_functions, give_members, give_operators
from mlirad.frontend.tracing.array import is_scalar
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.complex_pairs import as_complex
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.raising import tracing_error, unsupported_error


class ComplexMethods(ComplexArray):
    """The methods of `np.ndarray` that `ComplexArray` has; its members are given to `ComplexArray` itself."""

    __slots__ = ()

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if any(isinstance(x, MaskedElements) for x in inputs):
            return NotImplemented
        return apply_ufunc(ufunc, method, inputs, options)

    def __array_function__(
        self,
        function: Callable[..., Any],
        types: Collection[type],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        if MaskedElements in types:
            return NotImplemented
        return _applied(function, args, kwargs)

    def __getitem__(self, key: Any) -> Any:
        real, imag = self.real[key], self.imag[key]
        if isinstance(real, MaskedElements):
            return MaskedElements(ComplexArray(real.elements, imag.elements), real.mask, real.dim)
        return ComplexArray(real, imag)

    def __setitem__(self, key: Any, value: Any) -> None:
        z = value if isinstance(value, MaskedElements) else as_complex(value)
        self.real[key] = z.real
        self.imag[key] = z.imag

    def __iter__(self) -> Iterator[ComplexArray]:
        return (self[k] for k in range(len(self)))

    @property
    def at(self) -> Any:
        """`z.at[i].set(v)` and `z.at[i].add(v)`: copies of z with some elements changed."""
        return _At(self)

    @property
    def T(self) -> ComplexArray:
        """The dimensions in reverse order."""
        return ComplexArray(self.real.T, self.imag.T)

    @property
    def mT(self) -> ComplexArray:
        """The last two dimensions exchanged."""
        return ComplexArray(self.real.mT, self.imag.mT)

    @property
    def itemsize(self) -> int:
        """The number of bytes of one element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """The number of bytes of its elements."""
        return self.size * self.itemsize

    def conjugate(self) -> Any:
        """The complex conjugates."""
        return xp.conjugate(self)

    conj = conjugate

    def astype(self, dtype: Any, copy: bool = True) -> ComplexArray:
        """The elements converted to another complex dtype; without `copy` the array itself, if it has it."""
        found = astype(self, dtype)
        return xp.copy(self) if copy and found is self else found

    def view(self, dtype: Any = np.ndarray, type: Any = np.ndarray) -> ComplexArray:
        """A view of all elements. Raises for a view as another dtype: traced values have no bytes."""
        if type is np.ndarray and (dtype is np.ndarray or np.dtype(dtype) == self.dtype):
            return self[...]
        raise tracing_error(
            "a traced value has no memory, so it cannot be viewed as another dtype",
            "write z.real and z.imag, or np.stack([z.real, z.imag], -1) for pairs",
        )

    def fill(self, value: Any) -> None:
        """Write one value everywhere."""
        self[...] = value

    def reshape(self, *shape: Any, **options: Any) -> ComplexArray:
        """The same elements in another shape."""
        return ComplexArray(self.real.reshape(*shape, **options), self.imag.reshape(*shape, **options))

    def transpose(self, *axes: Any) -> ComplexArray:
        """The dimensions in another order, reversed by default."""
        return ComplexArray(self.real.transpose(*axes), self.imag.transpose(*axes))

    def copy(self, order: str = "C") -> Any:
        """The elements as an array of their own."""
        return xp.copy(self)

    def flatten(self, order: str = "C") -> Any:
        """The elements one after the other, as an array of their own."""
        return xp.copy(self.ravel(order))

    __array_namespace__, device = ArrayMethods.__array_namespace__, ArrayMethods.device

    def to_device(self, device: str, /, *, stream: None = None) -> Any:
        """The array itself. Raises for any other device than `"cpu"`."""
        return on_device(self, device, stream)

    item, tolist = ArrayMethods.item, ArrayMethods.tolist

    def __getattr__(self, name: str) -> Any:
        from mlirad.frontend.numpy_functions.protocols.missing_attributes import missing_attribute

        raise missing_attribute("a traced complex array", name, "write it with z.real and z.imag")


class _At:
    """Copies of a complex array with elements changed."""

    def __init__(self, array: ComplexArray):
        self._array = array

    def __getitem__(self, key: Any) -> _Place:
        return _Place(self._array, key)


class _Place:
    """Elements of a complex array."""

    def __init__(self, array: ComplexArray, key: Any):
        self._real, self._imag = array.real.at[key], array.imag.at[key]
        self._array, self._key = array, key

    def set(self, value: Any) -> ComplexArray:
        """The array with these elements replaced."""
        z = as_complex(value)
        return ComplexArray(self._real.set(z.real), self._imag.set(z.imag))

    def add(self, value: Any) -> ComplexArray:
        """The array with a value added to these elements."""
        z = as_complex(value)
        return ComplexArray(self._real.add(z.real), self._imag.add(z.imag))


METHODS = (
    "sum", "mean", "all", "any", "var", "std", "dot", "ravel", "squeeze", "swapaxes", "take", "round",
    "diagonal", "trace", "repeat", "prod", "cumsum", "cumprod",
)  # fmt: skip
"""The methods that are functions of NumPy."""

OPERATORS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "pow": np.power,
    "matmul": np.matmul,
}  # fmt: skip
"""The operators of two operands that can be reflected."""

OTHERS = {
    "eq": np.equal, "ne": np.not_equal, "neg": np.negative, "pos": np.positive, "abs": np.absolute,
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "floordiv": np.floor_divide, "mod": np.remainder,
}  # fmt: skip


def bind(cls: type[ComplexArray]) -> None:
    """Give `cls` the operators and methods, and what `Array` calls where an operand is complex."""
    cls.apply_ufunc, cls.apply_operator = staticmethod(apply_ufunc), staticmethod(apply_operator)
    cls.apply_function = staticmethod(_applied)
    give_functions(cls, METHODS)
    give_operators(cls, OPERATORS, _operator, _in_place)
    for name, ufunc in OTHERS.items():
        setattr(cls, f"__{name}__", _operator(ufunc))
    give_members(cls, ComplexMethods)


def _applied(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    try:
        return apply_function(function, args, kwargs)
    except (MliradError, RecursionError):
        raise
    except TypeError as error:
        name = qualified_name(function)
        raise unsupported_error(
            f"{name} of complex arrays cannot be traced with these arguments: {error}",
            "write what is meant with z.real and z.imag",
        ) from error
    except Exception as error:
        if is_from_signal(error):
            raise
        raise internal_error(qualified_name(function), error) from error


def _operator(ufunc: np.ufunc, *, is_reflected: bool = False) -> Callable[..., Any]:
    def method(self: ComplexArray, *other: object) -> Any:
        return apply_operator(ufunc, *other, self) if is_reflected else apply_operator(ufunc, self, *other)

    return method


def _in_place(ufunc: np.ufunc) -> Callable[[ComplexArray, object], Any]:
    def method(self: ComplexArray, other: object) -> Any:
        result = apply_operator(ufunc, self, other)
        if result is NotImplemented or is_scalar(self.real):
            return result
        self[...] = result
        return self

    return method
