"""Functions of Python that programs call while they run, by their names.

    name = named(key, "model.table", call)         what programs call it, such as "model.table"
    results(name, Call(...), condition, values)    what it returns, as arrays of the types that were stated

A program is text, so it has a function by name. A name is given once: another function of the same name gets
a number behind it. Names of programs from files, which nobody has given, are an error when they are called.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import count
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from mlirad.errors import ArgumentError, DtypeError, ShapeError
from mlirad.lazy_dataclass import dataclass

Arrays: TypeAlias = "Sequence[npt.NDArray[Any]]"
Flat: TypeAlias = "Callable[[Sequence[Any]], Sequence[Any]]"
"""From the leaves of the arguments to the leaves of the result, or a `StructureError`."""


class StructureError(ValueError):
    """A function of Python returned a structure that was not stated."""


@dataclass(frozen=True)
class _Given:
    """The owner of a name, and the function that programs call by it."""

    key: Hashable
    flat: Flat


_given: Final[dict[str, _Given]] = {}
"""Every function that a trace of this process has named. It stays, as programs have no more than its name."""


def named(key: Hashable, name: str, flat: Flat) -> str:
    """The name of a function, which has the same name again for an equal key."""
    given = _Given(key, flat)
    for number in count(1):
        tried = name if number == 1 else f"{name}#{number}"
        if _given.setdefault(tried, given).key == key:
            return tried
    raise AssertionError


@dataclass(frozen=True)
class Call:
    """A call of a program: the dtype and shape of each result for one element of the batch, the choice of one
    call for all elements, and the user's line.
    """

    results: tuple[tuple[np.dtype[Any], tuple[int, ...]], ...]
    vectorized: bool
    source: str | None


def results(
    name: str, call: Call, condition: npt.NDArray[np.bool_], values: Arrays
) -> list[npt.NDArray[Any]]:
    """The results for the elements of a batch for which the condition holds, and 0 for the others.

    See `write_results`.
    """
    made = [np.empty((*condition.shape, *shape), dtype) for dtype, shape in call.results]
    write_results(made, name, call, condition, values)
    return made


def write_results(
    made: Arrays, name: str, call: Call, condition: npt.NDArray[np.bool_], values: Arrays
) -> None:
    """Write the results for the elements of a batch for which the condition holds, and 0 for the others.

    The condition and the values begin with the axes of the batch. An exception of the function gets a note
    with the user's line. Raises `ArgumentError` for an unknown name and for a result of another structure,
    `ShapeError` and `DtypeError` for an array of another type than was stated.
    """
    given = _given.get(name)
    if given is None:
        raise ArgumentError(
            f"the program calls {name!r}, and no function has this name in this process",
            location=call.source,
            hint="run the program by the function that was traced: text has no more than the name",
        )
    if not condition.all():
        for whole in made:
            whole.fill(0)
    if not condition.ndim:
        chosen: list[Any] = [()] if condition else []
    elif call.vectorized:
        chosen = [condition] if condition.any() else []
    else:
        chosen = list(zip(*np.nonzero(condition), strict=True))
    for at in chosen:
        passed = [v[at] for v in values]
        for k, (whole, leaf) in enumerate(zip(made, _called(given.flat, name, call, passed), strict=True)):
            whole[at] = _fitting(leaf, whole.dtype, whole[at].shape, name, k, call)


def perform(name: str, source: str | None, values: Sequence[Any]) -> None:
    """Call a function for its effects. Exceptions that it raises pass through."""
    results(name, Call((), False, source), np.array(True), [np.asarray(v) for v in values])


def _called(flat: Flat, name: str, call: Call, values: Sequence[Any]) -> Sequence[Any]:
    try:
        return flat(values)
    except StructureError as error:
        raise ArgumentError(
            str(error),
            location=call.source,
            hint="state what the function returns, with an array such as np.empty(3) for each leaf",
        ) from error
    except Exception as error:
        where = "" if call.source is None else f" at {call.source}"
        error.add_note(f"{name} was called by a program{where}")
        raise


def _fitting(
    leaf: Any, dtype: np.dtype[Any], shape: tuple[int, ...], name: str, k: int, call: Call
) -> npt.NDArray[Any]:
    """A result as the array that was stated; Python's numbers and smaller types are converted."""
    array = np.asarray(leaf)
    if array.shape != shape:
        raise ShapeError(
            f"{name} returns {_which(k, call)} of shape {array.shape}, and {dtype}{list(shape)} was stated",
            location=call.source,
            hint="state the shapes and dtypes that the function returns, as in np.empty(3)",
        )
    if array.dtype != dtype and not (np.can_cast(array.dtype, dtype, "safe") or _is_number_for(leaf, dtype)):
        raise DtypeError(
            f"{name} returns {_which(k, call)} of {array.dtype}, and {dtype}{list(shape)} was stated",
            location=call.source,
            hint=f"convert what the function returns to {dtype}, or state {array.dtype}",
        )
    return array


def _which(k: int, call: Call) -> str:
    """The words for a result in messages."""
    return "a result" if len(call.results) == 1 else f"result {k}"


def _is_number_for(leaf: Any, dtype: np.dtype[Any]) -> bool:
    """Tell whether a value is a number of Python, which takes the dtype that it meets."""
    return (type(leaf) is float and dtype.kind == "f") or (type(leaf) is int and dtype.kind in "iuf")
