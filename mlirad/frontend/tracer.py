"""`Array`: what a traced function gets in place of a NumPy array.

It answers NumPy's operators, ufuncs, functions and indexing by adding ops to the function being traced. It
has a shape and a dtype and no elements, so whatever needs elements (`if x > 0`, `float(x)`, `math.sin(x)`,
`np.array([x])`) is a `TracingError` that says what to write instead.

`Array` knows only how to ask; what the ufuncs and functions mean is registered by the modules that define it
(`handlers`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn, cast

import numpy as np
import numpy.typing as npt
from xdsl.ir import Operation

from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.shapes import Shape, Value, shape_of, size_of
from mlirad.errors import TracingError, UnsupportedError
from mlirad.frontend.frames import Scope, current_frame
from mlirad.frontend.scipy_functions import WRITTEN_OUT, scipy_function
from mlirad.frontend.source import user_line
from mlirad.ir.locations import location_of


class Handlers:
    """What the operations on arrays mean; assigned once, when the package is imported."""

    ufunc: Callable[[np.ufunc, str, tuple[Any, ...], dict[str, Any]], Any]
    operator: Callable[..., Any]
    function: Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]
    read: Callable[[Array, Any], Array]
    write: Callable[[Array, Any, Any, str], Array]
    convert: Callable[[Array, npt.DTypeLike], Array]


handlers = Handlers()

_numpy: Any = np  # its functions take traced arrays, which their types do not say


def _binary(ufunc: np.ufunc) -> Callable[[Array, object], Any]:
    def method(self: Array, other: object) -> Any:
        return handlers.operator(ufunc, self, other)

    return method


def _reflected(ufunc: np.ufunc) -> Callable[[Array, object], Any]:
    def method(self: Array, other: object) -> Any:
        return handlers.operator(ufunc, other, self)

    return method


def _unary(ufunc: np.ufunc) -> Callable[[Array], Any]:
    def method(self: Array) -> Any:
        return handlers.operator(ufunc, self)

    return method


class Array:
    """A traced value. `weak` marks one that promotes like the Python scalar it comes from."""

    __slots__ = ("_scope", "_value", "weak")
    __array_priority__ = 1000
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Value, scope: Scope, weak: bool = False):
        self._value = value
        self._scope = scope
        self.weak = weak

    @property
    def value(self) -> Value:
        """The SSA value, as one that can be used in the function being traced."""
        return current_frame().value(self._value, self._scope)

    # What is known of it -------------------------------------------------------------------------

    @property
    def shape(self) -> Shape:
        """The extents."""
        return shape_of(self._value)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type."""
        return numpy_dtype(self._value.type)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(shape_of(self._value))

    @property
    def size(self) -> int:
        """The number of elements."""
        return size_of(self._value)

    @property
    def nbytes(self) -> int:
        """The number of bytes of its elements."""
        return self.size * self.dtype.itemsize

    @property
    def itemsize(self) -> int:
        """The number of bytes of one element."""
        return self.dtype.itemsize

    def __len__(self) -> int:
        if not self.shape:
            raise TracingError("a scalar has no length", location=user_line())
        return self.shape[0]

    def __iter__(self) -> Iterator[Array]:
        if not self.shape:
            raise TracingError("a scalar has no elements to iterate over", location=user_line())
        return (self[k] for k in range(self.shape[0]))

    def __repr__(self) -> str:
        name = self._value.name_hint
        return f"Array({'' if name is None else name + ': '}{self.dtype}{list(self.shape)})"

    def __str__(self) -> str:
        owner = self._value.owner
        place = location_of(owner) if isinstance(owner, Operation) else None
        return repr(self) if place is None else f"{self!r} made at {place}"

    # NumPy's protocols ---------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return handlers.ufunc(ufunc, method, inputs, options)

    def __array_function__(
        self, function: Callable[..., Any], types: object, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        return handlers.function(function, args, kwargs)

    def __array__(self, dtype: object = None, copy: object = None) -> NoReturn:
        name = scipy_function()
        if name is not None:
            raise TracingError(
                f"SciPy's {name} works on NumPy arrays, and {self!r} is traced",
                location=user_line(),
                hint=f"write {WRITTEN_OUT[name]}"
                if name in WRITTEN_OUT
                else "write it with NumPy's functions and SciPy's ufuncs",
            )
        raise TracingError(
            f"{self!r} is traced and has no elements, so NumPy cannot make an array of it",
            location=user_line(),
            hint="write np.stack or ad.stack for np.array([...]), ad.asarray(a) for a NumPy array `a` that "
            "is indexed by traced positions, and a.at[i].set(v) on ad.asarray(a) for a[i] = v",
        )

    # What needs elements -------------------------------------------------------------------------

    def __bool__(self) -> bool:
        raise TracingError(
            f"the truth of {self!r} is not known while the function is traced",
            location=user_line(),
            hint="write np.where(condition, a, b) for a choice between values, ad.cond(condition, f, g) for "
            "one between computations, ad.while_loop(condition, body, init) for `while`, np.logical_and "
            "for `and`, np.maximum for max; shapes and other static things may steer Python code",
        )

    def __float__(self) -> float:
        raise TracingError(
            f"{self!r} is traced and has no value yet, so it cannot become a Python float",
            location=user_line(),
            hint="write np.sin(x) for math.sin(x), np.exp(x) for math.exp(x) and so on, and "
            "x.astype(np.float64) for float(x)",
        )

    def __int__(self) -> int:
        raise TracingError(
            f"{self!r} is traced and has no value yet, so it cannot become a Python int",
            location=user_line(),
            hint="write x.astype(np.int64) for int(x), np.floor(x) for math.floor(x)",
        )

    __trunc__ = __floor__ = __ceil__ = __int__

    def __complex__(self) -> complex:
        raise TracingError(
            f"{self!r} is traced, and there are no complex numbers in the language", location=user_line()
        )

    def __index__(self) -> int:
        raise TracingError(
            f"{self!r} is traced and cannot be a Python index, a shape or the bound of a range",
            location=user_line(),
            hint="write ad.fori_loop(0, n, body, init) for `for i in range(n)`; to index a NumPy array or a "
            "list by it, make that traced first: ad.asarray(a)[i]; shapes must be static (list the argument "
            "in static_argnames if it is one)",
        )

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

    # Indexing ------------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Array:
        return handlers.read(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        updated = handlers.write(self, key, value, "set")
        self._value, self._scope, self.weak = updated._value, updated._scope, updated.weak

    @property
    def at(self) -> At:
        """`x.at[i].set(v)` and `x.at[i].add(v)`: copies of x with some elements changed."""
        return At(self)

    # Operators -----------------------------------------------------------------------------------

    __add__, __radd__ = _binary(np.add), _reflected(np.add)
    __sub__, __rsub__ = _binary(np.subtract), _reflected(np.subtract)
    __mul__, __rmul__ = _binary(np.multiply), _reflected(np.multiply)
    __truediv__, __rtruediv__ = _binary(np.true_divide), _reflected(np.true_divide)
    __floordiv__, __rfloordiv__ = _binary(np.floor_divide), _reflected(np.floor_divide)
    __mod__, __rmod__ = _binary(np.remainder), _reflected(np.remainder)
    __divmod__, __rdivmod__ = _binary(np.divmod), _reflected(np.divmod)
    _power, __rpow__ = _binary(np.power), _reflected(np.power)

    def __pow__(self, exponent: Any, modulus: Any = None) -> Any:
        if modulus is not None:
            raise UnsupportedError(
                "pow with a modulus is not defined on arrays",
                location=user_line(),
                hint="write x**n % m for small powers",
            )
        return self._power(exponent)

    def __format__(self, specification: str) -> str:
        if specification:
            raise TracingError(
                f"a traced value has no digits to format as {specification!r} while tracing",
                location=user_line(),
                hint="print(x) shows its type; return the value and format it outside",
            )
        return str(self)

    __matmul__, __rmatmul__ = _binary(np.matmul), _reflected(np.matmul)
    __and__, __rand__ = _binary(np.bitwise_and), _reflected(np.bitwise_and)
    __or__, __ror__ = _binary(np.bitwise_or), _reflected(np.bitwise_or)
    __xor__, __rxor__ = _binary(np.bitwise_xor), _reflected(np.bitwise_xor)
    __lshift__, __rlshift__ = _binary(np.left_shift), _reflected(np.left_shift)
    __rshift__, __rrshift__ = _binary(np.right_shift), _reflected(np.right_shift)
    __lt__, __le__ = _binary(np.less), _binary(np.less_equal)
    __gt__, __ge__ = _binary(np.greater), _binary(np.greater_equal)
    __eq__ = _binary(np.equal)  # type: ignore[assignment]
    __ne__ = _binary(np.not_equal)  # type: ignore[assignment]
    __neg__, __pos__, __abs__ = _unary(np.negative), _unary(np.positive), _unary(np.absolute)
    __invert__ = _unary(np.invert)

    def __round__(self, ndigits: int = 0) -> Array:
        return _numpy.round(self, ndigits)

    # Methods and attributes of ndarray -----------------------------------------------------------

    @property
    def T(self) -> Array:
        """The dimensions in reverse order."""
        return _numpy.transpose(self)

    @property
    def mT(self) -> Array:
        """The last two dimensions exchanged."""
        return _numpy.swapaxes(self, -1, -2)

    @property
    def real(self) -> Array:
        """The array itself: there are no complex numbers."""
        return self

    def astype(self, dtype: npt.DTypeLike, **options: object) -> Array:
        """The elements converted to another dtype."""
        return handlers.convert(self, dtype)

    def reshape(self, *shape: Any, **options: Any) -> Array:
        """The same elements in another shape."""
        return _numpy.reshape(self, shape[0] if len(shape) == 1 else shape, **options)

    def transpose(self, *axes: Any) -> Array:
        """The dimensions in another order, reversed by default."""
        order = axes[0] if len(axes) == 1 else axes or None
        return _numpy.transpose(self, order)

    def flatten(self, order: str = "C") -> Array:
        """The elements in one dimension."""
        return _numpy.ravel(self, order)

    def view(self, *args: object) -> NoReturn:
        """Raises: traced values have no memory to look at in another way."""
        raise TracingError(
            "a traced value has no memory, so it has no views",
            location=user_line(),
            hint="write x.astype(dtype) to convert elements",
        )


class At:
    """`x.at`: waits for positions."""

    __slots__ = ("_array",)

    def __init__(self, array: Array):
        self._array = array

    def __getitem__(self, key: Any) -> Place:
        return Place(self._array, key)


class Place:
    """`x.at[key]`: waits for what to do there. Positions outside the array write nothing."""

    __slots__ = ("_array", "_key")

    def __init__(self, array: Array, key: Any):
        self._array = array
        self._key = key

    def set(self, values: Any) -> Array:
        """`x` with `values` at the positions; of colliding ones the last in row-major order wins."""
        return handlers.write(self._array, self._key, values, "set")

    def add(self, values: Any) -> Array:
        """`x` with `values` added at the positions; colliding ones add up."""
        return handlers.write(self._array, self._key, values, "add")

    def subtract(self, values: Any) -> Array:
        """`x` with `values` subtracted at the positions."""
        return handlers.write(self._array, self._key, np.negative(values), "add")

    def multiply(self, values: Any) -> Array:
        """`x` with the elements at the positions, which must not collide, multiplied by `values`."""
        return handlers.write(self._array, self._key, self.get() * values, "set")

    def get(self) -> Array:
        """`x[key]`."""
        return self._array[self._key]


def _method(name: str, doc: str) -> None:
    function = cast("Callable[..., Any]", getattr(np, name))

    def method(self: Array, *args: Any, **options: Any) -> Any:
        return function(self, *args, **options)

    method.__name__, method.__doc__ = name, doc
    setattr(Array, name, method)


for _name in (
    "sum", "mean", "max", "min", "all", "any", "argmax", "argmin", "var", "std", "dot", "ravel", "squeeze",
    "swapaxes", "take", "clip", "round", "diagonal", "trace", "repeat", "copy", "ptp",
    "prod", "cumsum", "cumprod", "sort", "argsort", "nonzero",
):  # fmt: skip
    _method(_name, f"As `np.{_name}`.")
