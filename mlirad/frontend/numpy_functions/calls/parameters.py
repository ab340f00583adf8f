"""Kinds of parameters of NumPy's functions: the annotations of the functions that trace them.

    def roll(a: ArrayLike, shift: Ints, axis: Axes = None) -> Array: ...

An annotation says how an argument is read before the function sees it, and what an error calls it.
`Literal` lists the values of an option, and `... | None` allows None. All kinds but arrays are static: a
traced value is an error that says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from operator import index
from types import NoneType
from typing import Annotated, Any, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from mlirad.dialects.extents import Extent
from mlirad.errors import MliradError, is_from_signal
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.complex_array import holds_complex
from mlirad.frontend.tracing.complex_pairs import as_complex
from mlirad.frontend.tracing.dtypes import BOOL, Dtype, language_dtype
from mlirad.frontend.tracing.operations import (
    Operand,
    as_array,
    contains_traced,
    converted,
    inexact,
    operand_of,
    shape_of_operand,
)
from mlirad.frontend.tracing.values import Higher, no_array
from mlirad.lazy_dataclass import dataclass

UNSET: Any = np._NoValue  # pyright: ignore[reportAttributeAccessIssue, reportPrivateUsage, reportUnknownMemberType, reportUnknownVariableType]
"""NumPy's marker of an option that was not given."""


class WrongKindError(Exception):
    """An argument is not what its parameter takes."""


class TracedOptionError(Exception):
    """An argument is traced where a static one is needed."""


@dataclass(frozen=True)
class Kind:
    """The kind of a parameter: what it takes, in words, and how it is read; `read` raises
    `WrongKindError`.
    """

    wanted: str
    read: Callable[[Any], Any]


def static(value: Any) -> Any:
    """`value`, which must not be traced."""
    parts = list(cast("dict[object, object]", value).values()) if isinstance(value, dict) else value
    if contains_traced(cast(object, parts)):
        raise TracedOptionError
    return cast(Any, value)


def _integer(value: Any) -> int:
    try:
        return index(static(value))
    except TypeError as error:
        raise WrongKindError from error


def _integers(value: Any) -> tuple[int, ...]:
    static(value)
    array = cast(object, value)
    if isinstance(array, np.ndarray) and array.ndim == 0:
        return (_integer(array),)
    if isinstance(value, list | tuple | range | np.ndarray):
        return tuple(_integer(v) for v in cast("Sequence[Any]", value))
    return (_integer(value),)


def _extents(value: Any) -> tuple[int, ...]:
    """A shape, whose extents may have sizes in them."""
    parts = cast("Sequence[Any]", value if isinstance(value, list | tuple) else [value])
    if not any(isinstance(part, Extent) for part in parts):
        return _integers(value)
    return tuple(cast(int, part) if isinstance(part, Extent) else _integer(part) for part in parts)


def _one_or_more(value: Any) -> int | tuple[int, ...]:
    found = _integers(value)
    return found if isinstance(value, list | tuple | range) or np.ndim(value) else found[0]


def _axes(value: Any) -> int | tuple[int, ...]:
    if isinstance(value, list | np.ndarray) and np.ndim(cast(Any, value)):
        raise WrongKindError
    return _one_or_more(value)


def _number(value: Any) -> Any:
    static(value)
    if isinstance(value, np.ndarray):
        array = cast("npt.NDArray[Any]", value)
        value = array[()] if array.ndim == 0 and array.dtype.kind in "iufb" else None
    if isinstance(value, Real | np.bool_):
        return cast(Any, value)
    raise WrongKindError


def _scalar(value: Any) -> Any:
    found = _operand(value)
    if shape_of_operand(found):
        raise WrongKindError
    return found


def _flag(value: Any) -> bool:
    static(value)
    if isinstance(value, bool | int | np.bool_ | np.integer):
        return bool(cast(Any, value))
    raise WrongKindError


def _numbers(value: Any) -> npt.NDArray[Any]:
    static(value)
    try:
        array = np.asarray(value)
    except (ValueError, TypeError) as error:
        raise WrongKindError from error
    if array.dtype.kind not in "iufb":
        raise WrongKindError
    return array


def _plain_numbers(value: Any) -> Any:
    return value if isinstance(value, bool | int | float) else _numbers(value)


def _dtype(value: Any) -> Dtype:
    try:
        known = np.dtype(static(value))
    except (TypeError, ValueError) as error:
        raise WrongKindError from error
    return language_dtype(known)


def _operand(value: Any) -> Operand:
    if isinstance(value, Array):
        return value
    if isinstance(value, Higher):
        raise no_array(value)
    if isinstance(value, str | bytes | dict | set | slice) or value is None or callable(value):
        raise WrongKindError
    return operand_of(value)


def own_dtype(value: Operand) -> Array:
    """An operand as an array, in which Python scalars have the dtype that `np.asarray` gives them."""
    if isinstance(value, Array):
        return made(value.value) if value.weak else value
    return as_array(np.asarray(value))


def complex_or_floats(value: Any) -> Any:
    """A value, or a nest of lists of values, as a traced array: a complex one, else one of floats."""
    return as_complex(value) if holds_complex([value]) else inexact(own_dtype(operand_of(value)))


def _array(value: Any) -> Array:
    return own_dtype(_operand(value))


def _positions(value: Any) -> Any:
    found = _operand(value)
    kind = np.asarray(found).dtype.kind if not isinstance(found, Array) else found.dtype.kind
    if kind not in "ib":
        raise WrongKindError
    return np.asarray(found) if not isinstance(found, Array) else found


def _static_positions(value: Any) -> Any:
    if isinstance(value, slice):
        for bound in (cast(Any, value).start, cast(Any, value).stop, cast(Any, value).step):
            static(bound)
        return cast(Any, value)
    found = _numbers(value)
    if found.dtype.kind not in "ib" and found.size:
        raise WrongKindError
    found = found if found.size else found.astype(np.int64)
    return found if found.ndim else int(found)


def _mask(value: Any) -> Array | None:
    """`None` for a mask that is True."""
    if value is True:
        return None
    mask = _array(value)
    if mask.dtype != BOOL:
        raise WrongKindError
    return mask


def _condition(value: Any) -> Array:
    return converted(_array(value), BOOL)


def _operands(value: Any) -> list[Operand]:
    if isinstance(value, Array) and not value.ndim:
        raise WrongKindError
    if not isinstance(value, list | tuple | np.ndarray | Array):
        raise WrongKindError
    return [_operand(v) for v in cast("Sequence[Any]", value)]


def static_of(*kinds: type[Any]) -> Callable[[Any], Any]:
    """A reader of static values of these types."""

    def read(value: Any) -> Any:
        if isinstance(static(value), kinds):
            return value
        raise WrongKindError

    return read


def _callable(value: Any) -> Callable[..., Any]:
    if not callable(value):
        raise WrongKindError
    return value


def kind(wanted: str, read: Callable[[Any], Any]) -> Kind:
    """A kind whose reader may meet anything: what Python raises for a strange object is a wrong kind too."""

    def careful(value: Any) -> Any:
        try:
            return read(value)
        except (MliradError, WrongKindError, TracedOptionError, RecursionError):
            raise
        except Exception as error:
            if is_from_signal(error):
                raise
            raise WrongKindError from error

    return Kind(wanted, careful)


ComplexLike = Annotated[Any, kind("an array", complex_or_floats)]
"""A traced array, which may be complex, else of floats."""

ArrayLike: TypeAlias = Annotated[Array, kind("an array", _array)]
"""An array, traced. A Python scalar becomes one of its own dtype, as NumPy's functions make it."""

OperandLike: TypeAlias = Annotated[Any, kind("an array or a number", _operand)]
"""An operand as it is: Python scalars keep no dtype of their own."""

OperandList: TypeAlias = Annotated[list[Any], kind("a sequence of arrays", _operands)]
"""Several operands."""

Mask: TypeAlias = Annotated[Array | None, kind("an array of booleans", _mask)]
"""The elements that count; `None` if all do."""

Condition: TypeAlias = Annotated[Array, kind("an array", _condition)]
"""An array by the truth of its elements."""

PositionsLike: TypeAlias = Annotated[Any, kind("an array of integers", _positions)]
"""Positions in an array, traced or not."""

Positions: TypeAlias = Annotated[Any, kind("integers, a slice or a mask", _static_positions)]
"""Static positions in an array, as NumPy reads them."""

Int: TypeAlias = Annotated[int, kind("an integer", _integer)]
"""A static integer."""

Ints: TypeAlias = Annotated[int | tuple[int, ...], kind("an integer or a sequence of integers", _one_or_more)]
"""One static integer or several."""

Axis: TypeAlias = Annotated[int, kind("an integer", _integer)]
"""One dimension."""

Axes: TypeAlias = Annotated[int | tuple[int, ...], kind("an integer or a tuple of integers", _axes)]
"""One dimension or several, in a tuple."""

AxisList: TypeAlias = Annotated[
    int | tuple[int, ...], kind("an integer or a sequence of integers", _one_or_more)
]
"""One dimension or several, in any sequence."""

ShapeLike: TypeAlias = Annotated[tuple[int, ...], kind("made of integers", _extents)]
"""A shape."""

Scalar: TypeAlias = Annotated[Any, kind("a number", _scalar)]
"""A number, which may be traced."""

Number: TypeAlias = Annotated[Any, kind("a number", _number)]
"""A static number."""

Numbers: TypeAlias = Annotated[npt.NDArray[Any], kind("an array of numbers", _numbers)]
"""Static numbers, as an array."""

PlainNumbers: TypeAlias = Annotated[Any, kind("a number or an array of numbers", _plain_numbers)]
"""Static numbers as they were given: Python scalars keep no dtype of their own."""

Flag: TypeAlias = Annotated[bool, kind("True or False", _flag)]
"""True or False."""

DtypeLike: TypeAlias = Annotated[Dtype, kind("a dtype", _dtype)]
"""A dtype of the language."""

Path: TypeAlias = Annotated[
    Any, kind("True, False, a name or the order of the products", static_of(NoneType, bool, str, list, tuple))
]
"""The order in which NumPy multiplies."""

Casting = Literal["no", "equiv", "safe", "same_kind", "unsafe"]
"""The conversions that NumPy allows."""

Order = Literal["C", "F", "A", "K", None]
"""Layouts, which traced arrays do not have."""

Outside = Literal["raise", "wrap", "clip"]
"""The treatment of positions outside of an array."""

Function: TypeAlias = Annotated[Callable[..., Any], kind("a function", _callable)]
"""Something to call."""

Static: TypeAlias = Annotated[Any, kind("static", static)]
"""Anything that is not traced."""

Anything: TypeAlias = Annotated[Any, kind("anything", lambda value: value)]
"""An argument that the function reads itself."""
