"""The methods and attributes of `np.ndarray` on traced arrays, most of which are functions of NumPy.

x.sum(axis=0)      np.sum(x, axis=0)            x.sort()       writes np.sort(x) into x
x.fill(1.0)        x[...] = 1.0                 x.tobytes()    an error: there are no bytes yet
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np
import numpy.typing as npt

from mlirad.errors import ArgumentError, TracingError, UnsupportedError
from mlirad.frontend.handlers import handlers
from mlirad.frontend.source import user_line

if TYPE_CHECKING:
    from mlirad.frontend.tracer import Array

_numpy: Any = np  # its functions take traced arrays, which their types do not say


class MissingAttributeError(UnsupportedError, AttributeError):
    """What a traced array lacks; `hasattr` says so."""


class ArrayMethods:
    """What `Array` has of `np.ndarray` besides its operators."""

    __slots__ = ()

    # Other views of the elements -----------------------------------------------------------------

    @property
    def T(self) -> Array:
        """The dimensions in reverse order."""
        return _numpy.transpose(self)

    @property
    def mT(self) -> Array:
        """The last two dimensions exchanged."""
        return _numpy.matrix_transpose(self)

    @property
    def real(self) -> Array:
        """The array itself: there are no complex numbers."""
        return cast("Array", self)

    @real.setter
    def real(self, values: Any) -> None:
        handlers.write(cast("Array", self), ..., values)

    @property
    def imag(self) -> Array:
        """Zeros, which cannot be written: there are no complex numbers."""
        return _numpy.imag(self)

    @imag.setter
    def imag(self, values: Any) -> NoReturn:
        raise TracingError(
            "a real array has no imaginary part to write",
            location=user_line(),
            hint="keep real and imaginary parts in two arrays",
        )

    @property
    def flat(self) -> Flat:
        """The elements one after the other in row-major order, to be read, written and iterated over."""
        return Flat(cast("Array", self))

    @flat.setter
    def flat(self, values: Any) -> None:
        Flat(cast("Array", self))[:] = values

    def reshape(self, *shape: Any, **options: Any) -> Array:
        """The same elements in another shape."""
        if not shape:
            raise ArgumentError(
                "reshape needs a shape",
                location=user_line(),
                hint="x.reshape(-1) is flat, x.reshape(()) a scalar",
            )
        return _numpy.reshape(self, shape[0] if len(shape) == 1 else shape, **options)

    def transpose(self, *axes: Any) -> Array:
        """The dimensions in another order, reversed by default."""
        order = axes[0] if len(axes) == 1 else axes or None
        return _numpy.transpose(self, order)

    def view(self, dtype: Any = None, type: Any = None) -> Array:
        """A view of all elements. Raises for a view as another dtype: traced values have no bytes."""
        if (dtype is None or dtype == cast("Array", self).dtype) and type is None:
            return handlers.read(cast("Array", self), ...)
        raise TracingError(
            "a traced value has no memory, so it cannot be viewed as another dtype",
            location=user_line(),
            hint="write x.astype(dtype) to convert elements",
        )

    # Copies --------------------------------------------------------------------------------------

    def astype(
        self, dtype: npt.DTypeLike, order: Any = "K", casting: Any = "unsafe", subok: bool = True,
        copy: bool = True,
    ) -> Array:  # fmt: skip
        """The elements converted to another dtype; without `copy` the array itself, if it has that one."""
        array = cast("Array", self)
        result = handlers.convert(array, dtype)
        if casting != "unsafe" and not np.can_cast(array.dtype, result.dtype, casting):
            raise UnsupportedError(
                f"cannot cast {array.dtype} to {result.dtype} by the rule {casting!r}", location=user_line()
            )
        return handlers.copy(array) if result is array and copy else result

    def copy(self, order: str = "C") -> Array:
        """The elements as an array of its own."""
        return _numpy.copy(self, order=order)

    def __copy__(self) -> Array:
        return handlers.copy(cast("Array", self))

    def __deepcopy__(self, memo: object) -> Array:
        return handlers.copy(cast("Array", self))

    def flatten(self, order: str = "C") -> Array:
        """The elements in one dimension, copied."""
        return handlers.copy(_numpy.ravel(self, order))

    def conj(self) -> Array:
        """The array itself: there are no complex numbers."""
        return cast("Array", self)

    conjugate = conj

    def __round__(self, ndigits: int = 0) -> Array:
        return _numpy.round(self, ndigits)

    # In place ------------------------------------------------------------------------------------

    def fill(self, value: Any) -> None:
        """Write one value everywhere."""
        handlers.write(cast("Array", self), ..., value)

    def sort(self, axis: int = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> None:
        """Sort in place along a dimension."""
        handlers.write(cast("Array", self), ..., _numpy.sort(self, axis, kind, order, stable=stable))

    def partition(self, kth: Any, axis: int = -1, kind: Any = "introselect", order: Any = None) -> None:
        """Partition in place along a dimension."""
        handlers.write(cast("Array", self), ..., _numpy.partition(self, kth, axis, kind, order))

    def put(self, indices: Any, values: Any, mode: str = "raise") -> None:
        """Write at positions of the flat array."""
        _numpy.put(self, indices, values, mode)

    def resize(self, *shape: Any, refcheck: bool = True) -> None:
        """Does nothing for the shape that the array has; raises for another."""
        wanted: Any = shape[0] if len(shape) == 1 else shape
        if tuple(cast("Any", np.atleast_1d(wanted))) != cast("Array", self).shape:
            raise UnsupportedError(
                "the shape of a traced array cannot change in place",
                location=user_line(),
                hint="write y = np.pad(...) or y = x[...] and go on with y",
            )

    # What needs elements -------------------------------------------------------------------------

    def item(self, *args: object) -> NoReturn:
        """Raises: a traced value has no elements to hand out."""
        raise TracingError(
            f"{self!r} is traced and has no value yet, so .item() cannot return one",
            location=user_line(),
            hint="use the traced value itself, or return it from the function",
        )

    def tolist(self) -> NoReturn:
        """Raises: a traced value has no elements to hand out."""
        self.item()

    def __reduce__(self) -> NoReturn:
        raise TracingError(
            f"{self!r} is traced and has no value yet, so it cannot be pickled",
            location=user_line(),
            hint="return it from the function, and pickle the result",
        )

    def __getattr__(self, name: str) -> Any:
        raise MissingAttributeError(
            f"a traced array has no attribute {name!r}", location=user_line(), hint=_hint(name)
        )


class Flat:
    """`x.flat`: the elements of an array one after the other, in row-major order."""

    __slots__ = ("_array",)

    def __init__(self, array: Array):
        self._array = array

    def __len__(self) -> int:
        return prod(self._array.shape)

    def __getitem__(self, key: Any) -> Array:
        return handlers.copy(self._elements()[key])

    def __setitem__(self, key: Any, values: Any) -> None:
        elements = self._elements()
        place, given = elements[key], _numpy.ravel(values)
        if given.size not in (1, place.size) and given.size:  # NumPy repeats what is too short
            given = _numpy.take(given, np.arange(place.size) % given.size)
        handlers.write(elements, key, _numpy.reshape(given, () if given.size == 1 else place.shape))

    def __iter__(self) -> Iterator[Array]:
        return (self[k] for k in range(len(self)))

    def copy(self) -> Array:
        """The elements in one dimension."""
        return handlers.copy(self._elements())

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        self._array.__array__(dtype, copy)

    def _elements(self) -> Array:
        return handlers.flat(self._array)


_HINTS = {
    "memory": (
        "base ctypes data flags strides setflags getfield setfield byteswap newbyteorder tobytes tofile "
        "tostring dump dumps device to_device",
        "a traced array has no memory; shape, dtype, ndim and size are known. Ask for this outside of the "
        "traced function",
    ),
    "item": ("itemset", "write x[i] = v"),
    "argpartition": ("argpartition", "write np.argsort"),
    "choose": ("choose", "write np.select, or np.where for two choices"),
    "shape": ("compress", "the shape depends on elements; write np.where(condition, x, 0)"),
}


def _hint(name: str) -> str:
    for names, hint in _HINTS.values():
        if name in names.split():
            return hint
    return "it has the attributes of a NumPy array that do not need its elements"


def _method(name: str) -> None:
    function = cast("Callable[..., Any]", getattr(np, name))

    def method(self: Array, *args: Any, **options: Any) -> Any:
        return function(self, *args, **options)

    method.__name__, method.__doc__ = name, f"As `np.{name}`."
    setattr(ArrayMethods, name, method)


for _name in (
    "sum", "mean", "max", "min", "all", "any", "argmax", "argmin", "var", "std", "dot", "ravel", "squeeze",
    "swapaxes", "take", "clip", "round", "diagonal", "trace", "repeat", "ptp",
    "searchsorted", "prod", "cumsum", "cumprod", "argsort", "nonzero",
):  # fmt: skip
    _method(_name)
