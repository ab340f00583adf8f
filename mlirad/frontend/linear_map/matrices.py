"""Linear maps as matrices: products with flat vectors and with matrices, and the dense matrix.

    J @ v       v flat, of shape [n]         the image, flat, of shape [m]
    J @ V       V of shape [n, k]            the images of its columns, of shape [m, k]

A flat vector is the leaves of the space that have a derivative, one after the other, each in row-major order.
The columns of a matrix are a batch: one program computes all images together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlirad.errors import ShapeError
from mlirad.frontend.constructs.basis_images import images_of_basis
from mlirad.frontend.constructs.build import build_over
from mlirad.frontend.linear_map.expressions import MapExpression
from mlirad.frontend.linear_map.nodes import transposed
from mlirad.frontend.linear_map.programs import apply_traced, run
from mlirad.frontend.linear_map.spaces import Space
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.dtypes import Dtype, plain_array
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.frontend.tracing.source import user_line


def product(expression: MapExpression, arrays: Sequence[Any], vectors: Any) -> Any:
    """The image of a flat vector, or the images of the columns of a matrix; raises where it does not fit."""
    given: Any = as_array(vectors) if is_tracing() else plain_array(vectors)
    size = expression.domain.size
    if given.ndim not in (1, 2) or given.shape[0] != size:
        raise ShapeError(
            f"the map has {size} columns and cannot be multiplied with an array of shape {given.shape}",
            location=user_line(),
            hint="flat vectors have one dimension; a vector in the structure of the arguments goes to J(dx)",
        )
    if is_tracing():
        return flat_images(expression, list(arrays), [given])[0]
    given = np.ascontiguousarray(given, expression.domain.dtype)
    return run(expression, "flat", flat_images, arrays, [given])[0]


def flat_images(expression: MapExpression, arrays: Sequence[Any], given: Sequence[Array]) -> list[Array]:
    """The image of a flat vector, or those of the columns of a matrix, in a trace."""
    (vectors,) = given
    if vectors.ndim == 1:
        return [_flat_image(expression, arrays, vectors)]

    def column(j: Array) -> Array:
        return _flat_image(expression, arrays, xp.transpose(vectors)[j])

    return [xp.transpose(build_over((vectors.shape[1],), column))]


def _flat_image(expression: MapExpression, arrays: Sequence[Any], vector: Array) -> Array:
    return _flat(apply_traced(expression, arrays, expression.domain.split(vector)), expression.codomain.dtype)


def _flat(leaves: Sequence[Any], dtype: Dtype) -> Array:
    """Leaves as one flat vector."""
    parts = [as_array(xp.reshape(leaf, (-1,)), dtype) for leaf in leaves]
    return as_array(xp.concatenate(parts)) if parts else as_array(np.zeros(0, dtype))


# The dense matrix --------------------------------------------------------------------------------


def dense(expression: MapExpression, arrays: Sequence[Any], *, blocks: bool) -> Any:
    """The matrix, or its blocks by leaves of results and arguments."""
    body = _blocks if blocks else _matrix
    if is_tracing():
        made: Sequence[Any] = body(expression, list(arrays), [])
    else:
        made = run(expression, ("dense", blocks), body, arrays, [])
    if not blocks:
        return made[0]
    rest = iter(made)
    rows = [_like_domain(expression.domain, rest) for _ in expression.codomain.moving]
    return expression.codomain.write(rows)


def _like_domain(domain: Space, rest: Any) -> Any:
    return domain.write([next(rest) for _ in domain.moving])


def _matrix(expression: MapExpression, arrays: list[Array], given: list[Array]) -> list[Array]:
    rows, columns = expression.codomain.moving, expression.domain.moving
    dtype = np.result_type(expression.domain.dtype, expression.codomain.dtype)
    found = iter(_blocks(expression, arrays, given))
    lines: list[Any] = []
    for row in rows:
        line = [_as_matrix(next(found), row, column, dtype) for column in columns]
        if line:
            lines.append(xp.concatenate(line, axis=1))
    if not lines:
        return [as_array(np.zeros((expression.codomain.size, expression.domain.size), dtype))]
    return [as_array(xp.concatenate(lines, axis=0))]


def _as_matrix(block: Array, row: LeafType, column: LeafType, dtype: Dtype) -> Array:
    extents = int(np.prod(row.shape)), int(np.prod(column.shape))
    return as_array(xp.reshape(block, extents), dtype)


def _blocks(expression: MapExpression, arrays: list[Array], given: list[Array]) -> list[Array]:
    """For each leaf of the results, a block per leaf of the arguments."""
    rows, columns = expression.codomain.moving, expression.domain.moving
    if expression.domain.size <= expression.codomain.size:
        images = [
            images_of_basis(
                lambda vectors: apply_traced(expression, arrays, vectors), columns, n, come_last=True
            )
            for n in range(len(columns))
        ]
        return [column[r] for r in range(len(rows)) for column in images]
    back = transposed(expression)
    return [
        row
        for n in range(len(rows))
        for row in images_of_basis(lambda vectors: apply_traced(back, arrays, vectors), rows, n)
    ]
