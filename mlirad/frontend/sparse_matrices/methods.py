"""Methods of sparse matrices of traced values, by their names in SciPy.

    a.T, a.tocsc(), a[1:, :2], a.diagonal()      moved by SciPy
    a @ x, a + b, a.multiply(x)                  arithmetic
    a.max(), a > 0                               refused: results depend on values, or on which are 0

Methods that are not named here are SciPy's own, and work with these.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, NoReturn, cast

import numpy as np

from mlirad.frontend.sparse_matrices import arithmetic
from mlirad.frontend.sparse_matrices.numbering import Numbering
from mlirad.frontend.sparse_matrices.objects import (
    METHODS,
    Sparse,
    entries_of,
    holds_traced,
    is_array,
    is_sparse,
    moved,
    numbered,
    plain_like,
    restored,
    traced_like,
    without_duplicates,
)
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.operations import contains_traced, xp
from mlirad.frontend.tracing.raising import tracing_error, unsupported_error

_MOVING = (
    "transpose", "tocsr", "tocsc", "tocoo", "tobsr", "todia", "reshape", "diagonal", "getrow", "getcol",
    "_getrow", "_getcol", "sorted_indices", "__getitem__",
)  # fmt: skip
"""The methods that move entries."""

_REFUSED = (
    "max", "min", "nanmax", "nanmin", "argmax", "argmin", "maximum", "minimum", "nonzero", "count_nonzero",
    "tolil", "todok", "resize", "tensordot", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__",
    "__round__",
)  # fmt: skip
"""The methods whose results depend on values, or on which are 0."""


def _moving(name: str) -> Callable[..., Any]:
    def method(self: Sparse, *args: Any, **kwargs: Any) -> Any:
        if contains_traced([*args, *kwargs.values()]) or any(map(_is_traced_key, args)):
            raise tracing_error(
                f"places in a sparse matrix are traced: {name} takes known ones",
                "index with integers and slices that are known, or index a.toarray()",
            )

        def move(m: Sparse) -> Any:
            return getattr(m, name)(*args, **kwargs)

        return moved(move, self)

    return method


def _is_traced_key(key: Any) -> bool:
    if isinstance(key, slice):
        found = cast("slice[Any, Any, Any]", key)
        return _is_traced_key((found.start, found.stop, found.step))
    if isinstance(key, tuple):
        return any(map(_is_traced_key, cast("tuple[Any, ...]", key)))
    return holds_traced(key)


def _refused(name: str) -> Callable[..., Any]:
    def method(self: Sparse, *_: Any, **__: Any) -> NoReturn:
        raise unsupported_error(
            f"{name} of a sparse matrix of traced values depends on which of them are 0",
            "work with its values, a.data, or with its dense form, a.toarray()",
        )

    return method


def _with_data(self: Sparse, data: Any, copy: bool = True) -> Sparse:
    return traced_like(self, data)


def _copy(self: Sparse) -> Sparse:
    return traced_like(self, self.data.copy())


def _toarray(self: Sparse, order: Any = None, out: Any = None) -> Any:
    if out is not None:
        raise unsupported_error("toarray of traced values has no out", "use what it returns")
    return entries_of(self).toarray().reshape(self.shape)


def _replaced(self: Sparse, found: Sparse) -> None:
    """Make a matrix another one of its class, in place."""
    cast("dict[str, Any]", vars(self)).update(cast("dict[str, Any]", vars(found)))


def _sum_duplicates(self: Sparse) -> None:
    if self.format in ("csr", "csc", "coo", "bsr"):
        _replaced(self, without_duplicates(self))


def _sort_indices(self: Sparse) -> None:
    _replaced(self, self.sorted_indices())


def _no_change(self: Sparse) -> None:
    """Do nothing: an entry stays, whether it is 0 or not."""


def _deduped_data(self: Sparse) -> Any:
    self.sum_duplicates()
    return self.data


def _astype(self: Sparse, dtype: Any, casting: str = "unsafe", copy: bool = True) -> Sparse:
    return traced_like(self, self.data.astype(dtype))


def _conj(self: Sparse, copy: bool = True) -> Sparse:
    return traced_like(self, xp.conj(self.data)) if isinstance(self.data, ComplexArray) else self.copy()


def _power(self: Sparse, n: Any, dtype: Any = None) -> Sparse:
    data = _deduped_data(self)
    return traced_like(self, (data if dtype is None else data.astype(dtype)) ** n)


def _sum(self: Sparse, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    if out is not None:
        raise unsupported_error(
            "sums of a sparse matrix of traced values have no out", "use what sum returns"
        )
    entries, rank = entries_of(self), len(self.shape)
    if isinstance(axis, tuple):
        axes = cast("tuple[int, ...]", axis)
        axis = axes[0] if len(axes) == 1 else None
    if axis is None or rank == 1:
        found = xp.sum(entries.values)
    elif axis in (0, 1, -1, -2):
        found = entries.sums(axis % 2)
        if not is_array(self):
            found = xp.expand_dims(found, axis % 2)
    else:
        raise unsupported_error(f"a sparse matrix has no axis {axis}", "axes are 0, 1 and None")
    return found if dtype is None else found.astype(dtype)


def _mean(self: Sparse, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    total = _sum(self, axis, dtype, out)
    return total / (prod(self.shape) / xp.size(total))


def _setitem(self: Sparse, key: Any, value: Any) -> None:
    if _is_traced_key(key):
        raise tracing_error(
            "places in a sparse matrix are traced: entries are written in known ones",
            "write to its data, or add to the values before the matrix is built",
        )
    numbering = Numbering()
    place = numbered(self, numbering)
    place[key] = numbered(value, numbering) if is_sparse(value) else numbering.numbers_of(value)
    _replaced(self, restored(place, numbering))


def _setdiag(self: Sparse, values: Any, k: int = 0) -> None:
    numbering = Numbering()
    place = numbered(self, numbering)
    place.setdiag(numbering.numbers_of(values), k)
    _replaced(self, restored(place, numbering))


def _multiplied_as_matrix(self: Sparse, other: Any) -> Any:
    """`*`, which is a product of matrices for matrices, and elementwise for arrays."""
    if is_array(self):
        return arithmetic.multiplied(self, other)
    if arithmetic.is_number(other):
        return arithmetic.scaled(self, other)
    return arithmetic.product(self, other)


def _multiplied_from_left(self: Sparse, other: Any) -> Any:
    if is_array(self) or arithmetic.is_number(other):
        return _multiplied_as_matrix(self, other)
    return arithmetic.product_from_right(self, other)


def _dot(self: Sparse, other: Any) -> Any:
    return arithmetic.scaled(self, other) if arithmetic.is_number(other) else arithmetic.product(self, other)


def _negative(self: Sparse) -> Sparse:
    return traced_like(self, -self.data)


def _repr(self: Sparse) -> str:
    """The text that SciPy prints, without values."""
    return repr(plain_like(self, np.zeros(self.data.shape, self.dtype)))


ARITHMETIC: dict[str, Callable[..., Any]] = {
    "__add__": arithmetic.plus,
    "__radd__": arithmetic.plus,
    "__sub__": arithmetic.minus,
    "__rsub__": arithmetic.minus_from,
    "__mul__": _multiplied_as_matrix,
    "__rmul__": _multiplied_from_left,
    "__matmul__": arithmetic.product,
    "__rmatmul__": arithmetic.product_from_right,
    "__truediv__": arithmetic.divided,
    "__rtruediv__": arithmetic.refuse_division,
    "_matmul_dispatch": arithmetic.product,
    "_rmatmul_dispatch": arithmetic.product_from_right,
    "multiply": arithmetic.multiplied,
    "dot": _dot,
}
"""Methods of two operands; either may be traced."""

METHODS.update(
    {
        **ARITHMETIC,
        **{name: _moving(name) for name in _MOVING},
        **{name: _refused(name) for name in _REFUSED},
        "__pow__": arithmetic.power_of,
        "__neg__": _negative,
        "__setitem__": _setitem,
        "__str__": _repr,
        "_with_data": _with_data,
        "_deduped_data": _deduped_data,
        "_mul_scalar": arithmetic.scaled,
        "astype": _astype,
        "conj": _conj,
        "conjugate": _conj,
        "copy": _copy,
        "eliminate_zeros": _no_change,
        "mean": _mean,
        "power": _power,
        "prune": _no_change,
        "setdiag": _setdiag,
        "sort_indices": _sort_indices,
        "sum": _sum,
        "sum_duplicates": _sum_duplicates,
        "toarray": _toarray,
        "todense": _toarray,
        "__hash__": object.__hash__,
    }
)
