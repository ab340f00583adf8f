"""NumPy's protocols, operators, and the methods and attributes of `np.ndarray`, on traced arrays.

x + y              np.add(x, y)                 x[i]           indexing.reads.read(x, i)
x.sum(axis=0)      np.sum(x, axis=0)            x.sort()       writes np.sort(x) into x
x.fill(1.0)        x[...] = 1.0                 x.tobytes()    an error: there are no bytes yet
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Collection
from typing import Any, NoReturn, cast

import numpy as np
import numpy.typing as npt

from mlirad.dialects.extents import is_static
from mlirad.errors import TracingError
from mlirad.frontend.indexing.masks import MaskedElements
from mlirad.frontend.indexing.reads import read
from mlirad.frontend.indexing.views import set_shape
from mlirad.frontend.numpy_functions.arrays.array_api import DEVICE, Namespace, array_namespace, on_device
from mlirad.frontend.numpy_functions.protocols.flags import Flags
from mlirad.frontend.numpy_functions.protocols.functions import apply_function
from mlirad.frontend.numpy_functions.protocols.ufunc_protocol import apply_ufunc
from mlirad.frontend.numpy_functions.protocols.ufuncs import answers_ufuncs, apply_operator
from mlirad.frontend.numpy_functions.writes.at import At, Flat
from mlirad.frontend.numpy_functions.writes.writes import write
from mlirad.frontend.tracing.array import Array, as_own_array, copied, is_scalar, made, strides_in_bytes
from mlirad.frontend.tracing.complex_array import ComplexArray, holds_complex, is_complex_dtype
from mlirad.frontend.tracing.dtypes import BOOL, F64, I64
from mlirad.frontend.tracing.operations import converted, xp
from mlirad.frontend.tracing.raising import (
    argument_error,
    no_scalar_error,
    shape_error,
    tracing_error,
    unsupported_error,
)
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.usage_hints import elements_hint

_numpy: Any = np  # its functions take traced arrays, which their types do not say


class UnhashableError(TracingError, TypeError):
    """A traced array is asked for what tells it apart from others."""


class ArrayMethods(Array):
    """The methods of `np.ndarray` that `Array` has; its members are given to `Array` itself."""

    __slots__ = ()

    # NumPy's protocols ---------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if any(isinstance(x, MaskedElements) for x in inputs) and method != "at":
            return NotImplemented
        if any(map(answers_ufuncs, inputs)):
            return NotImplemented
        if holds_complex(inputs, options):
            return ComplexArray.apply_ufunc(ufunc, method, inputs, options)
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
        if holds_complex(args, kwargs):
            return ComplexArray.apply_function(function, args, kwargs)
        if function == np.real and self.weak:  # it reads an attribute, of a number of Python here
            return cast("Any", self) * 1 if self.dtype == BOOL else self
        return apply_function(function, args, kwargs)

    # The array API -------------------------------------------------------------------------------

    def __array_namespace__(self, *, api_version: str | None = None) -> Namespace:
        return array_namespace(api_version)

    @property
    def device(self) -> str:
        """Return where arrays are: there is one device."""
        return DEVICE

    def to_device(self, device: str, /, *, stream: None = None) -> Array:
        """The array itself. Raises for any other device than `"cpu"`."""
        return on_device(self, device, stream)

    # Indexing ------------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        return read(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        write(self, key, value)

    @property
    def at(self) -> At:
        """`x.at[i].set(v)` and `x.at[i].add(v)`: copies of x with some elements changed."""
        return At(self)

    def __pow__(self, exponent: Any, modulus: Any = None) -> Any:
        if modulus is not None:
            raise unsupported_error(
                "pow with a modulus is not defined on arrays", "write x**n % m for small powers"
            )
        if holds_complex((exponent,)):
            return ComplexArray.apply_operator(np.power, self, exponent)
        return apply_operator(np.power, self, exponent)

    def __format__(self, specification: str) -> str:
        from mlirad.frontend.tracing.unfinished_texts import formatted  # few programs have texts

        return formatted(self, specification)

    # Other views of the elements -----------------------------------------------------------------

    @Array.shape.setter
    def shape(self, shape: Any) -> None:
        """The extents, which can be changed where that copies nothing."""
        set_shape(self, _numpy.reshape(self, shape))

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
        """The array itself, which is real."""
        return self

    @real.setter
    def real(self, values: Any) -> None:
        write(self, ..., values)

    @property
    def imag(self) -> Array:
        """Zeros, which cannot be written: the array is real."""
        return _numpy.imag(self)

    @imag.setter
    def imag(self, values: Any) -> NoReturn:
        raise tracing_error(
            "a real array has no imaginary part to write", "keep real and imaginary parts in two arrays"
        )

    @property
    def flat(self) -> Flat:
        """The elements one after the other in row-major order, to be read, written and iterated over."""
        return Flat(self)

    @flat.setter
    def flat(self, values: Any) -> None:
        Flat(self)[:] = values

    @property
    def strides(self) -> tuple[int, ...]:
        """Return how many bytes apart neighbours along each dimension would lie."""
        return strides_in_bytes(self)

    @property
    def flags(self) -> Flags:
        """Return how the elements would lie in memory, and whether they can be written."""
        return Flags(self)

    def reshape(self, *shape: Any, **options: Any) -> Array:
        """The same elements in another shape."""
        if not shape:
            raise argument_error("reshape needs a shape", "x.reshape(-1) is flat, x.reshape(()) a scalar")
        return _numpy.reshape(self, shape[0] if len(shape) == 1 else shape, **options)

    def transpose(self, *axes: Any) -> Array:
        """The dimensions in another order, reversed by default."""
        order = axes[0] if len(axes) == 1 else axes or None
        return _numpy.transpose(self, order)

    def view(self, dtype: Any = np.ndarray, type: Any = np.ndarray) -> Array:
        """A view of all elements. Raises for a view as another dtype: traced values have no bytes."""
        if type is np.ndarray and (dtype is np.ndarray or np.dtype(dtype) == self.dtype):
            return read(self, ...)
        is_class = isinstance(dtype, builtins.type) and issubclass(dtype, np.ndarray)
        kind = cast("builtins.type[Any]", dtype if is_class else type)
        if kind is not np.ndarray:
            raise tracing_error(
                f"a traced value cannot be viewed as a {kind.__name__}, whose elements it does not have",
                elements_hint(),
            )
        raise tracing_error(
            "a traced value has no memory, so it cannot be viewed as another dtype",
            "write x.astype(dtype) to convert elements",
        )

    # Copies --------------------------------------------------------------------------------------

    def astype(
        self, dtype: npt.DTypeLike, order: Any = "K", casting: Any = "unsafe", subok: bool = True,
        copy: bool = True,
    ) -> Array:  # fmt: skip
        """The elements converted to another dtype; without `copy` the array itself, if it has that one."""
        if is_complex_dtype(dtype):
            return ComplexArray.apply_function(np.astype, (self, dtype), {})
        found = converted(self, dtype)
        result = found if is_scalar(self) else as_own_array(found)
        if casting != "unsafe" and not np.can_cast(self.dtype, result.dtype, casting):
            raise unsupported_error(
                f"cannot cast {self.dtype} to {result.dtype} by the rule {casting!r}",
                "leave out casting=, or write casting='unsafe'",
            )
        return copied(self) if result is self and copy else result

    def clip(self, min: Any = None, max: Any = None, out: Any = None, **options: Any) -> Array:
        """As `np.clip`, with bounds that may be left out."""
        options |= {} if out is None else {"out": out}
        return cast(Any, np.clip)(self, min, max, **options)

    def compress(self, condition: Any, axis: int | None = None) -> Array:
        """The elements, or slices, where a static condition holds."""
        return _numpy.compress(condition, self, axis)

    def copy(self, order: str = "C") -> Array:
        """The elements as an array of its own; of a scalar the scalar."""
        return copied(self) if is_scalar(self) else _numpy.copy(self, order=order)

    def __copy__(self) -> Array:
        return copied(self)

    def __deepcopy__(self, memo: object) -> Array:
        return copied(self)

    def flatten(self, order: str = "C") -> Array:
        """The elements in one dimension, copied."""
        return copied(_numpy.ravel(self, order))

    def conj(self) -> Array:
        """The array itself, which is real."""
        return self

    conjugate = conj

    def __round__(self, ndigits: int | None = None) -> Array:
        """The nearest number; without a number of digits an integer, as of Python's and NumPy's scalars."""
        if self.ndim:
            raise no_scalar_error("type numpy.ndarray doesn't define __round__ method", "write np.round(x)")
        found = _numpy.round(self, ndigits or 0)
        return converted(found, I64) if ndigits is None and is_scalar(self) else found

    # In place ------------------------------------------------------------------------------------

    def fill(self, value: Any) -> None:
        """Write one value everywhere."""
        write(self, ..., value)

    def sort(self, axis: int = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> None:
        """Sort in place along a dimension."""
        write(self, ..., _numpy.sort(self, axis, kind, order, stable=stable))

    def partition(self, kth: Any, axis: int = -1, kind: Any = "introselect", order: Any = None) -> None:
        """Partition in place along a dimension."""
        write(self, ..., _numpy.partition(self, kth, axis, kind, order))

    def put(self, indices: Any, values: Any, mode: str = "raise") -> None:
        """Write at positions of the flat array."""
        _numpy.put(self, indices, values, mode)

    def resize(self, *shape: Any, refcheck: bool = True) -> None:
        """Does nothing for the shape that the array has; raises for another."""
        wanted: Any = shape[0] if len(shape) == 1 else shape
        if tuple(cast("Any", np.atleast_1d(wanted))) != self.shape:
            raise unsupported_error(
                "the shape of a traced array cannot change in place",
                "write y = np.pad(x, (0, n)) or y = x[:n] and go on with y",
            )

    # Elements -------------------------------------------------------------------------------------

    def item(self, *args: int | tuple[int, ...]) -> Any:
        """One element as a traced scalar, of the dtype that a number of Python has."""
        x: Any = self
        if args:
            key = args[0] if len(args) == 1 else args
            return pythons(x[key] if isinstance(key, tuple) else xp.ravel(x)[key])
        if not is_static(self.size) or self.size != 1:
            raise shape_error(
                f"item(): {self!r} has {self.size} elements, and one becomes a number", "say which: x.item(k)"
            )
        return pythons(xp.reshape(x, ()))

    def tolist(self) -> Any:
        """The elements as traced scalars, in lists as deep as the array has dimensions."""
        x: Any = self
        return [part.tolist() for part in x] if self.ndim else pythons(x)

    def __hash__(self) -> int:
        raise UnhashableError(
            f"{self!r} is traced and has no value yet, so it cannot be a key, or an element of a set",
            location=user_line(),
            hint="to choose by a number write ad.asarray([a, b])[k], or ad.switch(k, [f, g])",
        )

    def __reduce__(self) -> NoReturn:
        raise tracing_error(
            f"{self!r} is traced and has no value yet, so it cannot be pickled",
            "return it from the function, and pickle the result",
        )

    def __getattr__(self, name: str) -> Any:
        from mlirad.frontend.numpy_functions.protocols.missing_attributes import missing_attribute

        raise missing_attribute(
            "a traced array", name, "dir(np.ndarray) lists what it has, except for its memory"
        )


def pythons(x: Any) -> Any:
    """A traced scalar as a number of Python of its kind, which promotes as such."""
    return made(converted(x, {"f": F64, "b": BOOL}.get(x.dtype.kind, I64)).value, weak=True)
