"""`Array`: what a traced function gets in place of a NumPy array.

It answers NumPy's operators, ufuncs, functions and indexing by adding ops to the function being traced. It
has a shape and a dtype and no elements, so whatever needs elements (`if x > 0`, `float(x)`, `math.sin(x)`,
`np.array([x])`) is a `TracingError` that says what to write instead.

`Array` knows only how to ask; what the ufuncs and functions mean is registered by the modules that define it
(`handlers`). Its methods that stand for functions of NumPy are in `array_methods`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from xdsl.ir import Operation

from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.shapes import Shape, Value, shape_of, size_of
from mlirad.errors import TracingError, UnsupportedError
from mlirad.frontend.tracing.array_methods import ArrayMethods
from mlirad.frontend.tracing.frames import Scope, current_frame
from mlirad.frontend.tracing.handlers import handlers
from mlirad.frontend.tracing.places import At
from mlirad.frontend.tracing.scipy_functions import WRITTEN_OUT, scipy_function
from mlirad.frontend.tracing.source import user_line
from mlirad.ir.locations import location_of


def _binary(ufunc: np.ufunc) -> Callable[[Array, object], Any]:
    def method(self: Array, other: object) -> Any:
        return handlers.operator(ufunc, self, other)

    return method


def _reflected(ufunc: np.ufunc) -> Callable[[Array, object], Any]:
    def method(self: Array, other: object) -> Any:
        return handlers.operator(ufunc, other, self)

    return method


def _in_place(ufunc: np.ufunc) -> Callable[[Array, object], Any]:
    def method(self: Array, other: object) -> Any:
        return handlers.operator_in_place(ufunc, self, other)

    return method


def _unary(ufunc: np.ufunc) -> Callable[[Array], Any]:
    def method(self: Array) -> Any:
        return handlers.operator(ufunc, self)

    return method


@dataclass(slots=True, eq=False)
class View:
    """How an array is a part of another one, `parent`; `base` is the array that holds the elements of both.

    `views` defines the kinds.
    """

    parent: Array
    base: Array
    read: Callable[[Value], Value]
    """The value, from that of the parent."""


class Array(ArrayMethods):
    """A traced value. `weak` marks a scalar that promotes like the Python one it comes from.

    It is written in the scope that made it, `_owner`. A view (see `views`) keeps the value that it read from
    its base when that had been written `_version` times.
    """

    __slots__ = ("_is_row_major", "_owner", "_scope", "_value", "_version", "_view", "weak")
    __array_priority__ = 1000
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Value, scope: Scope, weak: bool = False):
        self._value = value
        self._scope = self._owner = scope
        self._view: View | None = None
        self._version = 0
        self._is_row_major = True
        self.weak = weak and not shape_of(value)

    @property
    def value(self) -> Value:
        """The SSA value, as one that can be used in the function being traced."""
        if self._view is not None:
            self._refresh()
        return current_frame().value(self._value, self._scope)

    def _refresh(self) -> None:
        """Read a view again if its base has been written since, or it was read in a scope that has ended."""
        view = self._view
        if view is None or (self._version == view.base._version and self._scope.is_open):
            return
        self._value = view.read(view.parent.value)
        self._scope, self._version = current_frame().scope, view.base._version

    # What is known of it -------------------------------------------------------------------------

    @property
    def shape(self) -> Shape:
        """The extents."""
        return shape_of(self._value)

    @shape.setter
    def shape(self, shape: Any) -> NoReturn:
        raise UnsupportedError(
            "the shape of a traced array cannot change in place",
            location=user_line(),
            hint="write y = x.reshape(shape) and go on with y",
        )

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type."""
        return numpy_dtype(self._value.type)

    @dtype.setter
    def dtype(self, dtype: Any) -> NoReturn:
        raise UnsupportedError(
            "the dtype of a traced array cannot change in place",
            location=user_line(),
            hint="write y = x.astype(dtype) and go on with y",
        )

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

    # Indexing ------------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Array:
        return handlers.read(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        handlers.write(self, key, value)

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

    __iadd__, __isub__ = _in_place(np.add), _in_place(np.subtract)
    __imul__, __itruediv__ = _in_place(np.multiply), _in_place(np.true_divide)
    __ifloordiv__, __imod__ = _in_place(np.floor_divide), _in_place(np.remainder)
    __ipow__, __imatmul__ = _in_place(np.power), _in_place(np.matmul)
    __iand__, __ior__, __ixor__ = (
        _in_place(np.bitwise_and),
        _in_place(np.bitwise_or),
        _in_place(np.bitwise_xor),
    )
    __ilshift__, __irshift__ = _in_place(np.left_shift), _in_place(np.right_shift)
