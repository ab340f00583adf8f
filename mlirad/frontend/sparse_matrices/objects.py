"""Sparse matrices of traced values: objects of classes derived from SciPy's, with a traced array as `data`.

    a = traced_like(skeleton, values)               a csr_array of the places of the skeleton
    isinstance(a, sp.csr_array), a.nnz, a.indices   as SciPy has them
    moved(lambda a: a.tocsc(), a)                   entries moved by SciPy, see `numbering.py`

The places of entries are known while a function is traced.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias, cast

import numpy as np

from mlirad.frontend.sparse_matrices.entries import Entries, Places
from mlirad.frontend.sparse_matrices.numbering import Numbering
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.complex_pairs import real_or_complex
from mlirad.frontend.tracing.operations import contains_traced, xp
from mlirad.frontend.tracing.raising import unsupported_error
from mlirad.packages import scipy_module

Sparse: TypeAlias = Any
"""A sparse array or matrix, SciPy's own or one of traced values."""

FORMATS = ("csr", "csc", "coo", "dia", "bsr")
"""The formats that hold values in one array."""


class TracedMatrix:
    """The base of classes of matrices of traced values, besides one of SciPy's; see `methods.py`."""

    __slots__ = ()


METHODS: dict[str, Callable[..., Any]] = {}
"""The methods of these classes by their names; `methods.py` enters them."""


def is_traced_matrix(value: Any) -> bool:
    """Tell whether a value is a matrix of traced values."""
    return isinstance(value, TracedMatrix)


def is_sparse(value: object) -> bool:
    """Tell whether a value is a sparse matrix."""
    return isinstance(value, TracedMatrix) or bool(scipy_module("sparse").issparse(value))


def is_array(matrix: Sparse) -> bool:
    """Tell whether a sparse matrix is one of SciPy's arrays, for which `*` is elementwise."""
    return isinstance(matrix, scipy_module("sparse").sparray)


def holds_traced(values: Any) -> bool:
    """Tell whether a nest of lists and tuples holds a traced value, or a matrix of them."""
    if isinstance(values, list | tuple):
        return any(map(holds_traced, cast("list[Any]", values)))
    return isinstance(values, TracedMatrix) or contains_traced(values)


def is_dense(value: object) -> bool:
    """Tell whether a value is an array or a number, traced or not."""
    if isinstance(value, Array | ComplexArray | np.ndarray | np.generic):
        return True
    return isinstance(value, int | float | complex)


def plain_class(kind: type[Any]) -> type[Any]:
    """SciPy's class of a matrix."""
    bases = cast("tuple[type[Any], ...]", kind.__mro__)
    return next(base for base in bases if not issubclass(base, TracedMatrix))


@cache
def derived_class(kind: type[Any]) -> type[Any]:
    """The class of matrices of traced values that is derived from one of SciPy's."""
    own = {"__module__": kind.__module__, "KIND_IN_STRUCTURES": kind}
    return type(kind.__name__, (kind, TracedMatrix), {**own, **METHODS})


def class_of(matrix: Sparse) -> type[Any]:
    """The class of a matrix."""
    return cast("type[Any]", type(matrix))


def _with_values(kind: type[Any], matrix: Sparse, values: Any) -> Sparse:
    made: Any = object.__new__(kind)
    cast("dict[str, Any]", vars(made)).update(cast("dict[str, Any]", vars(matrix)))
    made.data = values
    return made


def plain_like(matrix: Sparse, values: Any) -> Sparse:
    """A matrix of SciPy's own with entries in the same places, of these values."""
    return _with_values(plain_class(class_of(matrix)), matrix, values)


def traced_like(matrix: Sparse, values: Any) -> Sparse:
    """A matrix of traced values with entries in the same places."""
    if matrix.format not in FORMATS:
        raise unsupported_error(
            f"the format {matrix.format} holds values one by one, so they cannot be traced",
            "build the matrix with scipy.sparse.coo_array((values, (rows, columns)), shape=shape)",
        )
    return _with_values(derived_class(plain_class(class_of(matrix))), matrix, values)


def ones_like(matrix: Sparse) -> Sparse:
    """A matrix of SciPy's own with entries in the same places, all 1."""
    return plain_like(matrix, np.ones(matrix.data.shape)) if matrix.format in FORMATS else matrix


def traced(matrix: Sparse) -> Sparse:
    """A matrix as one of traced values. One whose format holds no array of values becomes compressed rows."""
    if is_traced_matrix(matrix):
        return matrix
    if matrix.format not in FORMATS:
        matrix = matrix.tocsr()
    return traced_like(matrix, matrix.data)


def entries_of(matrix: Sparse) -> Entries:
    """The entries of a matrix; one of one dimension is a row."""
    matrix = traced(matrix)
    rows, columns, numbers = _places(matrix)
    values = real_or_complex(matrix.data).reshape(-1)
    if numbers.size != values.size or not xp.array_equal(numbers, np.arange(values.size)):
        values = values[numbers]
    shape = (1, *matrix.shape)[-2:]
    return Entries(rows, columns, values, (int(shape[0]), int(shape[1])))


def _places(matrix: Sparse) -> tuple[Places, Places, Places]:
    """The rows and columns of entries, and which of the values each has."""
    numbers: Any = xp.arange(1, matrix.data.size + 1).reshape(matrix.data.shape)
    coo = plain_like(matrix, numbers).tocoo()
    coords: Any = getattr(coo, "coords", None) or (coo.row, coo.col)
    if len(coords) > 2:
        raise unsupported_error(
            f"a sparse array of traced values has {len(coords)} dimensions",
            "work with matrices, of two dimensions",
        )
    columns = coords[-1].astype(np.intp)
    rows = coords[0].astype(np.intp) if len(coords) == 2 else np.zeros_like(columns)
    return rows, columns, coo.data.astype(np.intp) - 1


def matrix_of(entries: Entries, like: Sparse, form: str | None = None) -> Sparse:
    """Entries as a matrix of a format, an array or a matrix as `like` is."""
    sparse = scipy_module("sparse")
    places = (entries.rows, entries.columns)
    shape = entries.shape
    if is_array(like) and len(like.shape) == 1 and shape[0] == 1:
        places, shape = places[1:], shape[1:]
    kind = sparse.coo_array if is_array(like) else sparse.coo_matrix
    coo = kind((np.ones(entries.rows.size), places), shape=shape)
    found = traced_like(coo, entries.values)
    return found if form in (None, "coo") else converted(found, form)


def converted(matrix: Sparse, form: str) -> Sparse:
    """A matrix in another format."""

    def convert(m: Sparse) -> Sparse:
        return m.asformat(form)

    return moved(convert, matrix)


def without_duplicates(matrix: Sparse) -> Sparse:
    """A matrix with one entry for each place."""
    if matrix.format == "dia":
        return matrix
    rows, columns, _ = _places(matrix)
    if np.unique(rows * matrix.shape[-1] + columns).size == rows.size:
        return matrix
    return matrix_of(entries_of(matrix).summed(), matrix, matrix.format)


def moved(function: Callable[..., Any], *matrices: Sparse) -> Any:
    """The result of a function of SciPy's that moves the entries of matrices, and adds none."""
    numbering = Numbering()
    return restored(function(*(numbered(m, numbering) for m in matrices)), numbering)


def numbered(matrix: Sparse, numbering: Numbering) -> Sparse:
    """A matrix of SciPy's own with numbers for its values."""
    found = without_duplicates(traced(matrix))
    return plain_like(found, numbering.numbers_of(found.data))


def restored(found: Any, numbering: Numbering) -> Any:
    """A matrix or an array of numbers with the values that these belong to."""
    if is_sparse(found):
        if found.format in FORMATS:
            return traced_like(found, numbering.values_at(found.data))
        return traced_like(found, None)
    return numbering.values_at(np.asarray(found))
