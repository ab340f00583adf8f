"""Sparse matrices of SciPy as structures: stored values are the part, and the places of entries are static.

    leaves, tree = flatten(csr_array([[0.0, 2.0], [3.0, 0.0]]))     [array([2., 3.])], csr_array(data=*, ...)
    tree.unflatten([g])                                             a csr_array with g in the same places

So a gradient by a matrix is a matrix with the same entries. A program is kept for the places, which are
compared at each call. In a trace the matrix is one of traced values, which `frontend/sparse_matrices` makes.
"""

from __future__ import annotations

import hashlib
from typing import Any, ClassVar, Final, cast

import numpy as np
import numpy.typing as npt

from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.containers import Container, Opened, traced_matrix
from mlirad.frontend.tracing.open_traces import Traced
from mlirad.frontend.tracing.raising import unsupported_error

_PLACES: Final = {
    "csr": ("indices", "indptr"),
    "csc": ("indices", "indptr"),
    "bsr": ("indices", "indptr"),
    "coo": ("coords",),
    "dia": ("offsets",),
}
"""The attributes that say where entries are, by the format."""

_MOST_KNOWN: Final = 64
"""The number of latest positions that are compared with before others are made."""

Integers = tuple[npt.NDArray[np.integer[Any]], ...]


class Places:
    """The positions of the entries of a matrix, and its attributes without the values. It does not change."""

    IS_VALUE: ClassVar = True

    def __init__(self, matrix: Any, key: tuple[object, ...], arrays: Integers):
        held = cast("dict[str, Any]", vars(matrix))
        self._attributes = {name: _copied(value) for name, value in held.items() if name != "data"}
        self._arrays: Integers = tuple(np.array(array) for array in arrays)
        self._values = tuple(matrix.data.shape)
        self.count = int(matrix.nnz)
        found = hashlib.blake2b(repr((key, self._values)).encode(), digest_size=16)
        for array in self._arrays:
            found.update(repr(array.dtype.str).encode())
            found.update(array.data)
        self._digest = found.digest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Places) and self._digest == other._digest

    def __hash__(self) -> int:
        return hash(self._digest)

    def __repr__(self) -> str:
        return f"<places of {self.count} entries>"

    def are(self, arrays: Integers) -> bool:
        """Return whether places are these."""
        pairs = zip(self._arrays, arrays, strict=True)
        return all(one.dtype == other.dtype and np.array_equal(one, other) for one, other in pairs)

    def with_values(self, kind: type[Any], values: Any) -> Any:
        """A matrix with these entries. Its places are its own."""
        shape = getattr(values, "shape", self._values)
        if tuple(shape) != self._values:
            raise unsupported_error(
                f"values of shape {tuple(shape)}, as of a Jacobian or a batch, make no {kind.__name__} of "
                f"{self._values} values",
                f"make it a function of the values, lambda values: f({_example(kind)}), and pass a.data",
            )
        made: Any = object.__new__(kind)
        attributes = {name: _copied(value) for name, value in self._attributes.items()}
        cast("dict[str, Any]", vars(made)).update(attributes, data=values)
        return traced_matrix(made, values) if isinstance(values, Traced | ComplexArray) else made


class SparseEntries(Container):
    """The container of matrices of a format that holds all values in one array."""

    static_names = ("places",)

    def open(self, value: Any) -> Opened:
        return Opened(("data",), [value.data], (_places_of(value),))

    def make(self, kind: type[Any], opened: Opened) -> Any:
        (values,), (places,) = opened.parts, opened.static
        return None if values is None else cast(Places, places).with_values(kind, values)

    def differences(self, found: tuple[object, ...], expected: tuple[object, ...]) -> str:
        counts = [cast(Places, places).count for places in (*found, *expected)]
        return f"has {counts[0]} entries in other places than the {counts[1]} of what it belongs to"


class SingleValues(Container):
    """That of formats that hold values one by one, which are refused."""

    def open(self, value: Any) -> Opened:
        name = type(value).__name__
        raise unsupported_error(
            f"a {name} holds its values one by one, and structures consist of arrays",
            "convert it before the call: a.tocsr()",
        )

    def make(self, kind: type[Any], opened: Opened) -> Any:
        raise AssertionError("which is never opened")


def container_of_sparse(kind: type[Any]) -> Container | None:
    """Return how matrices of one of SciPy's own classes are taken apart; `None` for other classes."""
    form, _, rest = kind.__name__.partition("_")
    if rest not in ("array", "matrix"):
        return None
    if form in _PLACES:
        return SparseEntries()
    return SingleValues() if form in ("lil", "dok") else None


_latest: Final[dict[tuple[object, ...], Places]] = {}
"""Places by format, shape and numbers of entries, the latest last."""


def _places_of(matrix: Any) -> Places:
    form: str = matrix.format
    held: list[Any] = [getattr(matrix, name) for name in _PLACES[form]]
    arrays: Integers = tuple(held[0]) if form == "coo" else tuple(held)
    key = form, tuple(matrix.shape), tuple(len(array) for array in arrays), tuple(np.shape(matrix.data))
    known = _latest.get(key)
    if known is not None and known.are(arrays):
        return known
    found = Places(matrix, key, arrays)
    _latest.pop(key, None)
    _latest[key] = found
    while len(_latest) > _MOST_KNOWN:
        _latest.pop(next(iter(_latest)), None)
    return found


def _copied(value: Any) -> Any:
    """An attribute of a matrix that shares nothing with it."""
    if isinstance(value, np.ndarray):
        return cast("npt.NDArray[Any]", value).copy()
    if isinstance(value, tuple):
        return tuple(_copied(part) for part in cast("tuple[Any, ...]", value))
    return value


def _example(kind: type[Any]) -> str:
    """A call that makes a matrix of a class of values, in the places of another one."""
    form = kind.__name__.partition("_")[0]
    places = {"coo": "a.coords", "dia": "a.offsets"}.get(form, "a.indices, a.indptr")
    return f"{kind.__name__}((values, {places}), shape=a.shape)"
