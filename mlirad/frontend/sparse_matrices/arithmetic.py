"""Arithmetic of sparse matrices with a traced operand.

    product(a, x)        a @ x, of an array or of another sparse matrix
    multiplied(a, x)     a.multiply(x): numbers, arrays and sparse matrices, elementwise

Formats of results are those that SciPy gives to matrices with entries in the same places.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from mlirad.frontend.sparse_matrices.entries import Entries
from mlirad.frontend.sparse_matrices.objects import (
    Sparse,
    entries_of,
    is_array,
    is_dense,
    is_sparse,
    matrix_of,
    ones_like,
    traced,
    traced_like,
)
from mlirad.frontend.tracing.complex_pairs import real_or_complex
from mlirad.frontend.tracing.operations import contains_traced, xp
from mlirad.frontend.tracing.raising import shape_error, unsupported_error
from mlirad.packages import scipy_module


def is_number(value: Any) -> bool:
    """Tell whether a value is a number, traced or not."""
    return is_dense(value) and np.ndim(value) == 0


def array_operand(value: Any) -> Any:
    """An operand that is not a sparse matrix as an array, or `NotImplemented`."""
    is_nest = isinstance(value, list | tuple)
    return real_or_complex(value) if is_dense(value) or is_nest else NotImplemented


def product(a: Sparse, x: Any) -> Any:
    """`a @ x`."""
    a = traced(a)
    if is_sparse(x):
        x = traced(x)
        if min(len(a.shape), len(x.shape)) < 2:
            return product(a, x.toarray())
        found = entries_of(a).product(entries_of(x))
        return _as_scipys(found, ones_like(a) @ ones_like(x))
    x = array_operand(x)
    if x is NotImplemented:
        return x
    found = entries_of(a).times(x)
    return found[0] if len(a.shape) == 1 else found


def product_from_right(a: Sparse, x: Any) -> Any:
    """`x @ a`."""
    a, x = traced(a), array_operand(x)
    if x is NotImplemented:
        return x
    if len(a.shape) == 1:
        return product(a, x.T)
    return xp.transpose(entries_of(a).transposed.times(xp.transpose(x)))


def scaled(a: Sparse, factor: Any) -> Sparse:
    """A matrix times a number."""
    a = traced(a)
    return traced_like(a, a.data * factor)


def multiplied(a: Sparse, other: Any) -> Any:
    """`a.multiply(other)`: elementwise, with the entries of `a` that stay."""
    a = traced(a)
    if is_number(other):
        return scaled(a, other)
    if is_sparse(other):
        if tuple(other.shape) == tuple(a.shape):
            found = entries_of(a).common(entries_of(other), xp.multiply)
            return _as_scipys(found, ones_like(a).multiply(ones_like(traced(other))))
        if np.prod(other.shape) > np.prod(a.shape):
            return multiplied(other, a)
        other = traced(other).toarray()
    other = array_operand(other)
    if other is NotImplemented:
        return other
    entries = entries_of(a)
    try:
        shape = np.broadcast_shapes(a.shape, other.shape)
    except ValueError:
        raise shape_error(
            f"a sparse matrix of shape {a.shape} cannot be multiplied elementwise by an array of shape "
            f"{other.shape}",
            "shapes broadcast as those of arrays do",
        ) from None
    if len(shape) > 2:
        return a.toarray() * other
    whole = (1,) * (2 - len(shape)) + shape
    found = _spread(entries, whole).scaled_by(other)
    form = ones_like(a).multiply(np.ones(other.shape))
    return matrix_of(found, a if len(shape) == len(a.shape) else form, form.format)


def _as_scipys(found: Entries, like: Sparse) -> Sparse:
    """Entries as a matrix of the kind that SciPy makes of other values."""
    return matrix_of(found, like, like.format)


def _spread(entries: Entries, shape: tuple[int, ...]) -> Entries:
    """Entries repeated along dimensions of extent 1 that are longer in a shape."""
    if entries.shape == shape:
        return entries
    times_rows = shape[0] if entries.shape[0] == 1 else 1
    times_columns = shape[1] if entries.shape[1] == 1 else 1
    count, times = entries.rows.size, times_rows * times_columns
    which = np.tile(np.arange(count), times)
    step_rows, step_columns = np.divmod(np.repeat(np.arange(times), count), times_columns)
    values = entries.values[which]
    rows, columns = entries.rows[which] + step_rows, entries.columns[which] + step_columns
    return Entries(rows, columns, values, (shape[0], shape[1]))


def plus(a: Sparse, other: Any) -> Any:
    """`a + other`: sparse if the other is, or 0."""
    a = traced(a)
    if is_sparse(other):
        other = traced(other)
        found = entries_of(a).plus(entries_of(other))
        return _as_scipys(found, ones_like(a) + ones_like(other))
    if is_number(other):
        if contains_traced(other) or other != 0:
            raise unsupported_error(
                "a number is added to a sparse matrix, which would fill it",
                "add to its dense form, a.toarray()",
            )
        return a.copy()
    other = array_operand(other)
    return other if other is NotImplemented else a.toarray() + xp.broadcast_to(other, a.shape)


def minus(a: Sparse, other: Any) -> Any:
    """`a - other`."""
    if is_sparse(other):
        one, two = traced(a), traced(other)
        found = entries_of(one).plus(entries_of(-two))
        return _as_scipys(found, ones_like(one) - ones_like(two))
    negative = _negative(other)
    return negative if negative is NotImplemented else plus(a, negative)


def minus_from(a: Sparse, other: Any) -> Any:
    """`other - a`."""
    return plus(-traced(a), other)


def _negative(other: Any) -> Any:
    other = other if is_number(other) else array_operand(other)
    return other if other is NotImplemented else -other


def divided(a: Sparse, other: Any) -> Any:
    """`a / other`, of a number or an array."""
    if is_sparse(other):
        raise unsupported_error(
            "a sparse matrix is divided by another, which is NaN wherever both have no entry",
            "divide the values of matrices with the same places, or dense forms",
        )
    a = traced(a)
    if is_number(other):
        return traced_like(a, a.data / other)
    other = array_operand(other)
    return other if other is NotImplemented else multiplied(a, 1 / other)


def power_of(a: Sparse, n: Any) -> Any:
    """`a ** n`: of the values of an array, of a matrix as a matrix."""
    if is_array(a):
        return a.power(n)
    if len(a.shape) != 2 or a.shape[0] != a.shape[1] or not isinstance(n, int) or n < 0:
        raise unsupported_error(
            f"a sparse matrix of shape {a.shape} cannot be raised to the power {n}",
            "the matrix is square, the power an integer from 0 on",
        )
    if n == 0:
        return traced(scipy_module("sparse").eye(a.shape[0], dtype=a.dtype, format=a.format))
    found = traced(a).copy()
    for _ in range(n - 1):
        found = product(a, found)
    return found


def refuse_division(_: Sparse, __: Any) -> NoReturn:
    """`other / a`."""
    raise unsupported_error(
        "a sparse matrix is a divisor, which would divide by 0 wherever it has no entry",
        "divide by its values, or by its dense form, a.toarray()",
    )
