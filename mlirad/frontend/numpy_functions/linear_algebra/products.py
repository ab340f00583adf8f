"""Products of arrays: `dot`, `matmul`, `tensordot` and their relatives, which are contractions.

matmul of [n, k] and [k, m]       contract("ab", "bc" -> "ac")
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from operator import index
from typing import Annotated, Any, TypeAlias, cast

import numpy as np

from mlirad.dialects.extents import nominal
from mlirad.frontend.numpy_functions.calls.parameters import (
    ArrayLike,
    Axis,
    OperandLike,
    OperandList,
    kind,
    own_dtype,
    static,
)
from mlirad.frontend.numpy_functions.calls.tracings import tracings
from mlirad.frontend.numpy_functions.linear_algebra.contraction import LABELS, contract
from mlirad.frontend.tracing.array import Array, checked_rank
from mlirad.frontend.tracing.operations import as_array, broadcast_shapes, common, operand_of, xp
from mlirad.frontend.tracing.raising import shape_error
from mlirad.frontend.tracing.shapes import one_axis


def _axis_pair(value: Any) -> Any:
    """A number of axes, or those of the left and those of the right operand."""
    static(value)
    if isinstance(value, int | np.integer):
        return index(cast(Any, value))
    left, right = cast("Sequence[Any]", value)
    return _indices(left), _indices(right)


def _indices(group: Any) -> tuple[int, ...]:
    return tuple(map(index, cast("Sequence[Any]", group))) if np.ndim(group) else (index(group),)


AxisPair: TypeAlias = Annotated[Any, kind("an integer or a pair of sequences of integers", _axis_pair)]
"""The axes that are summed over."""


def _pair(a: Any, b: Any) -> tuple[Array, Array]:
    """Both operands in their common dtype, in which Python scalars have one of their own."""
    x, y = common([own_dtype(operand_of(a)), own_dtype(operand_of(b))])
    return x, y


def matmul(x1: OperandLike, x2: OperandLike) -> Array:
    """`x1 @ x2`."""
    x, y = _pair(x1, x2)
    if not x.ndim or not y.ndim:
        raise shape_error("matmul of a scalar", "write x * y")
    batch = max(x.ndim, y.ndim, 2) - 2
    names = LABELS[3 : 3 + batch]
    x_labels = names[batch - max(x.ndim - 2, 0) :] + ("ab" if x.ndim > 1 else "b")
    y_labels = names[batch - max(y.ndim - 2, 0) :] + ("bc" if y.ndim > 1 else "b")
    out = names + ("a" if x.ndim > 1 else "") + ("c" if y.ndim > 1 else "")
    if x.shape[-1] != y.shape[max(y.ndim - 2, 0)]:
        raise shape_error(
            f"matmul: shapes {x.shape} and {y.shape} do not fit, {x.shape[-1]} is paired with "
            f"{y.shape[max(y.ndim - 2, 0)]}",
            "the last dimension of the left operand must equal the second last of the right one",
        )
    return contract(x, x_labels, y, y_labels, out, "matmul")


def dot(a: OperandLike, b: OperandLike) -> Array:
    """`np.dot`: the last dimension of a with the second last of b."""
    return _dot(a, b, 2)


def inner(a: OperandLike, b: OperandLike) -> Array:
    """`np.inner`: the last dimensions of both."""
    return _dot(a, b, 1)


def _dot(a: OperandLike, b: OperandLike, place: int) -> Array:
    """The last dimension of `a` summed with that of `b` which is so far from the end."""
    x, y = _pair(a, b)
    if not x.ndim or not y.ndim:
        return x * y
    return tensordot(x, y, ((x.ndim - 1,), (max(y.ndim - place, 0),)))


def vdot(a: OperandLike, b: OperandLike) -> Array:
    """`np.vdot`: all elements of both."""
    return dot(xp.ravel(a), xp.ravel(b))


def outer(a: OperandLike, b: OperandLike) -> Array:
    """`np.outer`."""
    x, y = _pair(a, b)
    return xp.reshape(x, (-1, 1)) * xp.reshape(y, (1, -1))


def tensordot(a: OperandLike, b: OperandLike, axes: AxisPair = 2) -> Array:
    """`np.tensordot`."""
    x, y = _pair(a, b)
    if isinstance(axes, int):
        if not 0 <= axes <= min(x.ndim, y.ndim):
            raise shape_error(
                f"tensordot over {axes} axes of shapes {x.shape} and {y.shape}",
                "as many axes are summed over as both have at most",
            )
        left, right = list(range(x.ndim - axes, x.ndim)), list(range(axes))
    else:
        left, right = list(axes[0]), list(axes[1])
    left = [one_axis(d, x.ndim) for d in left]
    right = [one_axis(d, y.ndim) for d in right]
    if len(left) != len(right):
        raise shape_error("tensordot needs as many axes of a as of b", "axes=([i, j], [k, l])")
    checked_rank(tuple(range(x.ndim + y.ndim - 2 * len(left))))
    x_labels, y_labels = list(LABELS[: x.ndim]), list(LABELS[x.ndim : x.ndim + y.ndim])
    for p, q in zip(left, right, strict=True):
        if x.shape[p] != y.shape[q]:
            raise shape_error(
                f"shapes {x.shape} and {y.shape} do not fit: {x.shape[p]} (dimension {p}) is paired with "
                f"{y.shape[q]} (dimension {q})",
                "the paired dimensions must be equal; axes= says which they are",
            )
        y_labels[q] = x_labels[p]
    out = [c for d, c in enumerate(x_labels) if d not in left]
    out += [c for d, c in enumerate(y_labels) if d not in right]
    return contract(x, "".join(x_labels), y, "".join(y_labels), "".join(out), "tensordot")


def cross(
    a: ArrayLike, b: ArrayLike, axisa: Axis = -1, axisb: Axis = -1, axisc: Axis = -1, axis: Axis | None = None
) -> Array:
    """`np.cross` of vectors of three components."""
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = xp.moveaxis(a, axisa, -1), xp.moveaxis(b, axisb, -1)
    if x.shape[-1] != 3 or y.shape[-1] != 3:
        raise shape_error(
            f"cross needs vectors of three components, got {x.shape} and {y.shape}",
            "of two components: x[..., 0] * y[..., 1] - x[..., 1] * y[..., 0]",
        )
    x, y = common([x, y])
    parts = [xp.subtract(x[..., i] * y[..., j], x[..., j] * y[..., i]) for i, j in ((1, 2), (2, 0), (0, 1))]
    return xp.moveaxis(xp.stack(parts, axis=-1), -1, axisc)


def kron(a: OperandLike, b: OperandLike) -> Array:
    """`np.kron`."""
    x, y = _pair(a, b)
    rank = max(x.ndim, y.ndim)
    left = (*[1] * (rank - x.ndim), *x.shape)
    right = (*[1] * (rank - y.ndim), *y.shape)
    product = xp.reshape(x, [e for extent in left for e in (extent, 1)]) * xp.reshape(
        y, [e for extent in right for e in (1, extent)]
    )
    return xp.reshape(product, [p * q for p, q in zip(left, right, strict=True)])


def multi_dot(arrays: OperandList) -> Array:
    """`np.linalg.multi_dot`, in the order that takes the fewest multiplications."""
    parts = [as_array(a) for a in arrays]
    ranks = [p.ndim for p in parts]
    if len(parts) < 2 or any(r != 2 for r in ranks[1:-1]) or any(r not in (1, 2) for r in ranks):
        raise shape_error(
            f"multi_dot needs two matrices at least, got shapes {', '.join(str(p.shape) for p in parts)}",
            "the first and the last may be vectors",
        )
    first = 1 if ranks[0] == 1 else parts[0].shape[0]
    last = 1 if ranks[-1] == 1 else parts[-1].shape[1]
    extents = [nominal(e) for e in (first, *(p.shape[0] for p in parts[1:]), last)]

    @cache
    def cheapest(i: int, j: int) -> tuple[int, int]:
        """The fewest multiplications for factors i to j, and where the outermost product is split."""
        costs = (
            (cheapest(i, k)[0] + cheapest(k + 1, j)[0] + extents[i] * extents[k + 1] * extents[j + 1], k)
            for k in range(i, j)
        )
        return min(costs, default=(0, i))

    def product(i: int, j: int) -> Array:
        if i == j:
            return parts[i]
        k = cheapest(i, j)[1]
        return dot(product(i, k), product(k + 1, j))

    return product(0, len(parts) - 1)


def vecdot(x1: OperandLike, x2: OperandLike, *, axis: Axis = -1) -> Array:
    """`np.vecdot`: the last dimensions of both, the others broadcast."""
    x, y = _pair(x1, x2)
    if not x.ndim or not y.ndim:
        raise shape_error("vecdot of a scalar", "write x * y")
    x, y = xp.moveaxis(x, axis, -1), xp.moveaxis(y, axis, -1)
    return xp.reshape(
        matmul(x[..., None, :], y[..., None]), broadcast_shapes([x.shape[:-1], y.shape[:-1]], "vecdot")
    )


def matvec(x1: OperandLike, x2: OperandLike) -> Array:
    """`np.matvec`: matrices times vectors."""
    x, y = _pair(x1, x2)
    if x.ndim < 2 or not y.ndim:
        raise shape_error(f"matvec of {x.shape} and {y.shape}", "a matrix and a vector")
    return matmul(x, y[..., None])[..., 0]


def vecmat(x1: OperandLike, x2: OperandLike) -> Array:
    """`np.vecmat`: vectors times matrices."""
    x, y = _pair(x1, x2)
    if not x.ndim or y.ndim < 2:
        raise shape_error(f"vecmat of {x.shape} and {y.shape}", "a vector and a matrix")
    return matmul(x[..., None, :], y)[..., 0, :]


def outer_of_vectors(x1: OperandLike, x2: OperandLike) -> Array:
    """`np.linalg.outer`: of vectors only."""
    x, y = _pair(x1, x2)
    if x.ndim != 1 or y.ndim != 1:
        raise shape_error(f"np.linalg.outer needs vectors, got {x.shape} and {y.shape}", "np.outer")
    return outer(x, y)


def cross_of_vectors(x1: ArrayLike, x2: ArrayLike, *, axis: Axis = -1) -> Array:
    """`np.linalg.cross`."""
    return cross(x1, x2, axis=axis)


def linalg_tensordot(x1: OperandLike, x2: OperandLike, *, axes: AxisPair = 2) -> Array:
    """`np.linalg.tensordot`."""
    return tensordot(x1, x2, axes)


FUNCTIONS = tracings(
    dot, inner, vdot, outer, tensordot, cross, kron, linalg_tensordot, linalg_multi_dot=multi_dot,
    linalg_matmul=matmul, linalg_vecdot=vecdot,
    linalg_outer=outer_of_vectors, linalg_cross=cross_of_vectors,
)  # fmt: skip
"""The functions that this file traces."""
