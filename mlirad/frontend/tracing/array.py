"""`Array`: what a traced function gets in place of a NumPy array.

It answers NumPy's operators, ufuncs, functions and indexing by adding ops to the function being traced. It
has a shape and a dtype and no elements, so whatever needs elements (`if x > 0`, `float(x)`, `math.sin(x)`,
`np.array([x])`) is a `TracingError` that says what to write instead.

The meanings of NumPy's operators, functions and methods are defined above, and bound to the class by
`numpy_functions.protocols.operators`. Here is what an array holds: its value, whether it is a view of another
one, and in which order its elements would lie in memory.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

import numpy as np
from xdsl.ir import Operation

from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.extents import is_static
from mlirad.dialects.shapes import MAX_RANK, Shape, Value, shape_of, size_of
from mlirad.errors import SizeNeeded, TracingError
from mlirad.frontend.tracing.asked_class import asks_for_numpys, class_of
from mlirad.frontend.tracing.control import blocked
from mlirad.frontend.tracing.frames import Scope, current_frame
from mlirad.frontend.tracing.library_calls import require_listening
from mlirad.frontend.tracing.open_traces import Traced, open_traces
from mlirad.frontend.tracing.pytree import LEAF_CLASSES, SCALAR_CLASSES, flatten
from mlirad.frontend.tracing.raising import no_scalar_error, shape_error, tracing_error, unsupported_error
from mlirad.frontend.tracing.scipy_frames import hint_for, scipy_function
from mlirad.frontend.tracing.sizes import LOOPS, sized, sized_shape
from mlirad.frontend.tracing.strides import Strides, is_descending, row_major, strides_reshaped
from mlirad.frontend.tracing.told_functions import require_asking, require_asking_to_store
from mlirad.frontend.tracing.usage_hints import elements_hint, truth_hint
from mlirad.ir.locations import location_of
from mlirad.lazy_dataclass import dataclass

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class View:
    """The way in which an array is a part of another one, `parent`; `base` holds the elements of both.

    `indexing.views` defines the kinds.
    """

    parent: Array
    base: Array
    read: Callable[[Value], Value]
    """The value, from that of the parent."""
    origin: Shape
    """The shape of the parent when the view was made: `x.shape = shape` changes it, and no views of x."""

    def current(self) -> Value:
        """The value that it has now."""
        value = self.parent.value
        return self.read(
            value if shape_of(value) == self.origin else current_frame().builder.reshape(value, self.origin)
        )

    def strides(self, parent: Strides) -> Strides | None:
        """The strides of the view from those of its parent; `None` if they are not known."""
        raise NotImplementedError


class Array(Traced):
    """A traced array: an argument of a function while it is traced, or what the function computes from it.

    It has the methods, attributes and operators of NumPy's arrays, and NumPy's and SciPy's functions take it.

        >>> def squares(x):
        ...     print(isinstance(x, ad.Array), x.shape, x.dtype)
        ...     return x**2
        >>> ad.jit(squares)(np.arange(3.0))
        True (3,) float64
        array([0., 1., 4.])
    """

    # `weak` marks a scalar that promotes like the Python one it comes from. An array is written in the scope
    # that made it, `_owner`. A view (see `views`) keeps the value that it read from its base when that had
    # been written `_version` times. `_twins` are arrays that may hold the same elements, depending on which
    # way the program went, and how often they had been written then. `_stand_ins` are the copies that stand
    # for it in bodies that are being traced; each notes in `_is_passed_by` that the body reads what
    # it stands for by another name. `_is_array` is true for an array of rank 0 that is not a scalar.

    __slots__ = (
        "_is_array", "_is_passed_by", "_is_row_major", "_owner", "_scope", "_stand_ins", "_twins", "_value",
        "_version", "_view", "weak",
    )  # fmt: skip
    __array_priority__ = 1000
    __hash__ = None  # type: ignore[assignment]
    __iter__ = None  # type: ignore[assignment]

    if TYPE_CHECKING:  # what `numpy_functions.protocols.operators` binds

        def __getattr__(self, name: str) -> Any: ...
        def __getitem__(self, key: Any) -> Array: ...
        def __setitem__(self, key: Any, value: Any) -> None: ...
        def __len__(self) -> int: ...
        def __iter__(self) -> Iterator[Array]: ...
        def _operator(self, other: Any) -> Any: ...
        def _sign(self) -> Any: ...

        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _operator
        __floordiv__ = __mod__ = __pow__ = __rpow__ = __matmul__ = __and__ = __or__ = __xor__ = _operator
        __lt__ = __le__ = __gt__ = __ge__ = _operator
        __neg__ = __invert__ = _sign

    def __new__(cls, value: Value, scope: Scope, weak: bool = False) -> Array:
        return object.__new__(Rows if shape_of(value) else Array)

    def __init__(self, value: Value, scope: Scope, weak: bool = False):
        self._value = value
        self._scope = self._owner = scope
        self._view: View | None = None
        self._version = 0
        self._twins: tuple[tuple[Array, int], ...] = ()
        self._stand_ins: tuple[Array, ...] = ()
        self._is_passed_by = False
        self._is_row_major = True
        self._is_array = False
        shape = checked_rank(shape_of(value))
        self.weak = weak and not shape

    @property
    def value(self) -> Value:
        """The SSA value, as one that can be used in the function being traced."""
        if self._view is not None or self._twins or self._stand_ins:
            self._refresh()
        return current_frame().value(self._value, self._scope)

    def _refresh(self) -> None:
        """Re-read a view if its base has been written since, or if it was read in a scope that has ended."""
        base = base_of(self)
        if is_doubtful(base):
            raise tracing_error(
                f"{self!r} may be an array that has been written since, or a part of it: that depends on "
                f"which way the program went",
                "make it an array of its own where it is assigned: y = x.copy()",
            )
        if base._stand_ins and _pass_by(base._stand_ins):
            raise tracing_error(
                f"{self!r} is or may be written by another name in this branch or loop, and read by this one",
                "write and read it by one name there, or make one of the two a copy before: y = x.copy()",
            )
        view = self._view
        if view is None or (self._version == view.base._version and self._scope.is_open):
            return
        self._value = view.current()
        self._scope, self._version = current_frame().scope, view.base._version

    # Properties -----------------------------------------------------------------------------------

    @property
    def shape(self) -> Shape:
        """The extents: integers, and sizes where dimensions are dynamic."""
        return sized_shape(shape_of(self._value))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type."""
        return numpy_dtype(self._value.type)

    @dtype.setter
    def dtype(self, dtype: Any) -> None:
        if dtype != self.dtype:
            raise unsupported_error(
                "the dtype of a traced array cannot change in place",
                "write y = x.astype(dtype) and go on with y",
            )

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(shape_of(self._value))

    @property
    def size(self) -> int:
        """The number of elements."""
        return sized(size_of(self._value))

    @property
    def nbytes(self) -> int:
        """The number of bytes of its elements."""
        return self.size * self.dtype.itemsize

    @property
    def itemsize(self) -> int:
        """The number of bytes of one element."""
        return self.dtype.itemsize

    @property
    def __class__(self) -> type[Any]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The class itself for mlirad, NumPy and Python; see `asked_class`."""
        return self._class_for_others() if asks_for_numpys() else type(self)

    def _class_for_others(self) -> type[Any]:
        """The class of the value that it stands for."""
        return class_of(self.dtype, is_array=not is_scalar(self), weak=self.weak)

    def __repr__(self) -> str:
        from mlirad.frontend.tracing.unfinished_texts import represented  # few programs have texts

        name = self._value.name_hint
        return represented(f"Array({'' if name is None else name + ': '}{self.dtype}{list(self.shape)})")

    def __str__(self) -> str:
        from mlirad.frontend.tracing.unfinished_texts import text_of  # few programs have texts

        owner = self._value.owner
        place = location_of(owner) if isinstance(owner, Operation) else None
        return text_of(repr(self) if place is None else f"{self!r} made at {place}")

    def __array__(self, dtype: object = None, copy: object = None) -> NoReturn:
        require_asking()
        require_listening()
        name = scipy_function()
        if name is not None:
            raise tracing_error(
                f"SciPy's {name} works on NumPy arrays, and {self!r} is traced",
                hint_for(name),
            )
        raise blocked(
            f"{self!r} is traced and has no elements, so NumPy cannot make an array of it",
            elements_hint(),
        )

    # Elements -------------------------------------------------------------------------------------

    def __bool__(self) -> bool:
        known = known_number(self)
        if known is not None:
            return bool(known)
        require_asking_to_store()
        name = scipy_function()
        if name is not None:
            require_listening()
            raise blocked(
                f"SciPy's {name} decides by the elements of {self!r}, which is traced", hint_for(name)
            )
        if size_of(self._value) != 1:
            raise shape_error(f"the truth of {self!r} is ambiguous: it has not one element", truth_hint())
        raise blocked(f"the truth of {self!r} is not known while the function is traced", truth_hint())

    def _no_scalar(self, message: str, hint: str) -> TracingError:
        """The error of what needs the one element; where an array is not a number NumPy refuses it, too."""
        return blocked(message, hint) if is_number(self) else no_scalar_error(message, hint)

    def __float__(self) -> float:
        known = known_number(self)
        if known is not None:
            return float(known)
        require_asking()
        raise self._no_scalar(
            f"{self!r} is traced and has no value yet, so it cannot become a Python float",
            "write np.sin(x) for math.sin(x), np.exp(x) for math.exp(x) and so on, and "
            "x.astype(np.float64) for float(x)",
        )

    def __int__(self) -> int:
        known = known_number(self)
        if known is not None:
            return int(known)
        require_asking()
        raise self._no_scalar(
            f"{self!r} is traced and has no value yet, so it cannot become a Python int",
            "write x.astype(np.int64) for int(x), np.floor(x) for math.floor(x)",
        )

    __trunc__ = __floor__ = __ceil__ = __int__

    def __complex__(self) -> complex:
        known = known_number(self)
        if known is not None:
            return complex(known)
        require_asking()
        raise self._no_scalar(
            f"{self!r} is traced and has no value yet, so it cannot become a Python complex number",
            "write x + 0j for complex(x), and y = np.zeros(n, complex) before y[i] = x",
        )

    def __index__(self) -> int:
        known = known_number(self)
        if known is not None and self.dtype.kind == "i":
            return int(known)
        require_asking()
        raise self._no_scalar(
            f"{self!r} is traced and cannot be a Python index, a shape or the bound of a range",
            "write ad.fori_loop(0, n, body, init) for `for i in range(n)`; to index a NumPy array or a "
            "list by it, make that traced first: ad.asarray(a)[i]; shapes must be static (list the argument "
            "in static_argnames if it is one)",
        )


class Rows(Array):
    """A traced array of at least one dimension, which has a length and can be iterated over."""

    __slots__ = ()

    def __len__(self) -> int:
        if not is_static(self.shape[0]):
            raise SizeNeeded(
                f"len of {self!r} is {self.shape[0]}, and Python insists on an integer", self.shape[0]
            )
        return self.shape[0]

    def __iter__(self) -> Iterator[Array]:
        if not is_static(self.shape[0]):
            raise SizeNeeded(f"a loop over {self!r} needs the number of its rows", self.shape[0], hint=LOOPS)
        return map(self.__getitem__, range(self.shape[0]))


LEAF_CLASSES.update((Array, Rows))
SCALAR_CLASSES.add(Array)


def known_number(x: Array) -> Any:
    """The one element of an array, `None` if it is not known while tracing, or if there are more."""
    if size_of(x._value) != 1 or not open_traces.frames:
        return None
    from mlirad.frontend.tracing.known_values import known_value  # which most programs do without

    found = known_value(x)
    return None if found is None else found.item()


def become(x: Array, value: Value, scope: Scope) -> None:
    """Let `x` be a value of another shape."""
    x._value, x._scope = value, scope
    _CLASS.__set__(x, Rows if shape_of(value) else Array)


_CLASS: Any = vars(object)["__class__"]


def made(value: Value, *, weak: bool = False) -> Array:
    """A value just emitted, as an array."""
    return Array(value, current_frame().scope, weak)


def pythons_truth(flag: Array) -> Array:
    """A truth value as one of Python's, such as `not` gives of anything."""
    return made(flag.value, weak=True)


def checked_rank(shape: Shape) -> Shape:
    """A shape with as many dimensions as NumPy's arrays can have."""
    if len(shape) > MAX_RANK:
        raise shape_error(
            f"a shape of {len(shape)} dimensions, and NumPy's arrays have no more than {MAX_RANK}",
            "join some of them",
        )
    return shape


def forget(x: Array) -> None:
    """Have reading an array, and views of it, be an error: it was written on some ways only."""
    x._version += 1
    doubt(x)


def doubt(x: Array) -> None:
    """The same of one that may be another array which was written."""
    x._twins = (*x._twins, (x, x._version - 1))


def is_doubtful(base: Array) -> bool:
    """Return whether an array, not a view, may have been written as another one, depending on the way."""
    return any(twin._version != version for twin, version in base._twins)


def known_bound(bound: Any) -> Any:
    """A bound, a traced one as an integer if it is known while tracing."""
    found = known_number(bound) if isinstance(bound, Array) and bound.dtype.kind == "i" else None
    return bound if found is None else int(found)


def twins_of(base: Array) -> list[Array]:
    """Return what an array that is not a view may be, or may have been before that was written."""
    return [twin for twin, _ in base._twins]


def current_twins(base: Array) -> list[Array]:
    """Return what an array that is not a view may be, as far as that has not been written since."""
    return [twin for twin, version in base._twins if twin._version == version]


def note_write(base: Array) -> None:
    """Note that an array that is not a view is written, which may be other ones."""
    base._version += 1
    if base._twins:
        twins = current_twins(base)
        for frame in current_frame().around():
            frame.doubted += twins


def _pass_by(stand_ins: tuple[Array, ...]) -> bool:
    """Note that what these stand for is read; whether one of them has been written."""
    is_written = False
    for copy in stand_ins:
        copy._is_passed_by = True
        is_written = _pass_by(copy._stand_ins) or copy._version > 0 or is_written
    return is_written


def base_of(x: Array) -> Array:
    """The array that `x` is a part of, itself if it is not a view."""
    how = x._view
    return x if how is None else how.base


def view_of(x: Array) -> View | None:
    """Return how `x` is a view of another array, or `None` if it is not a view."""
    return x._view


_CONVERTS_DIMENSIONS: Final = [int(part) for part in np.__version__.split(".")[:2]] < [2, 4]
"""A flag: NumPy takes arrays of one element for numbers, whatever their rank."""


def is_number(x: Array) -> bool:
    """Tell if Python makes a number of an array of NumPy of this shape, as by `float(x)`."""
    return not x.ndim or (_CONVERTS_DIMENSIONS and size_of(x._value) == 1)


def is_scalar(x: Array) -> bool:
    """Return whether `x` is what NumPy has as a scalar, which `x += y` replaces and does not write."""
    return type(x) is Array and not x._is_array and view_of(x) is None


def as_own_array(x: Array) -> Array:
    """A scalar as an array of rank 0, which can be written; any other array as it is."""
    if not is_scalar(x):
        return x
    result = copied(x)
    result.weak, result._is_array = False, True
    return result


def copied(x: Array) -> Array:
    """The elements that `x` has now, as an array of its own: nothing is computed."""
    x._refresh()
    result = Array(x._value, x._scope, x.weak)
    result._owner = current_frame().scope
    result._is_row_major = is_ordered(x)
    result._is_array = x._is_array
    return result


def copied_leaves(structure: T) -> T:
    """A structure with copies of its traced arrays, as arguments and results are passed.

    So a function that is traced on its own can write its arguments, and its caller does not see it.
    """
    leaves, tree = flatten(structure)
    if not any(isinstance(leaf, Array) for leaf in leaves):
        return structure
    return tree.unflatten([copied(leaf) if isinstance(leaf, Array) else leaf for leaf in leaves])


def strides_of(x: Array) -> Strides | None:
    """The strides that `x` would have in NumPy, in elements; `None` if they are not known."""
    how = view_of(x)
    if how is None:
        return row_major(x.shape) if x.ndim < 2 or x._is_row_major else None
    parent = strides_of(how.parent)
    if parent is not None and how.parent.shape != how.origin:
        parent = strides_reshaped(how.parent.shape, parent, how.origin)
    return None if parent is None else how.strides(parent)


def strides_in_bytes(x: Array) -> tuple[int, ...]:
    """`x.strides`: those that NumPy's array in the place of `x` would have."""
    strides = strides_of(x)
    if strides is None:
        raise tracing_error(
            f"how the elements of {x!r} lie in memory is not known",
            "write np.ascontiguousarray(x), which is contiguous",
        )
    return tuple(s * x.dtype.itemsize for s in strides)


def is_ordered(x: Array) -> bool:
    """Return whether what NumPy computes from `x`, element by element, is in row-major order."""
    if view_of(x) is None:
        return x.ndim < 2 or x._is_row_major
    if x.ndim < 2:
        return True
    strides = strides_of(x)
    return strides is not None and is_descending(x.shape, strides)


def is_ordered_array(x: np.ndarray[Any, Any]) -> bool:
    """The same of a NumPy array."""
    return x.ndim < 2 or bool(x.flags.c_contiguous) or is_descending(x.shape, x.strides)
