"""Products that sum over paired dimensions: `dot`, `matmul`, `tensordot`, `einsum` and their relatives.

All are one contraction of two operands whose dimensions carry labels: a label in both operands and in the
result is a batch dimension, one in both only is summed over, one in the result only is kept.

    matmul of [n, k] and [k, m]       contract("ab", "bc" -> "ac")
    np.einsum("cij,ncj->nci", q, x)   the same letters
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from string import ascii_letters
from typing import Any, cast

import numpy as np

from mlirad.dialects.shapes import Shape, Value, is_float, shape_of
from mlirad.errors import ShapeError, UnsupportedError
from mlirad.frontend.dtypes import BOOL, I64
from mlirad.frontend.frames import emitting
from mlirad.frontend.numpy_functions.axes import one_axis
from mlirad.frontend.operations import as_array, common, converted, made, operand_of, xp
from mlirad.frontend.source import user_line
from mlirad.frontend.tracer import Array
from mlirad.ir.arrays import ArrayBuilder


def contract(x: Array, x_labels: str, y: Array, y_labels: str, out: str, what: str) -> Array:
    """The contraction of operands of one dtype. Equal labels have equal extents, or one of them 1."""
    b = emitting()
    if x.dtype == BOOL:
        counted = contract(converted(x, I64), x_labels, converted(y, I64), y_labels, out, what)
        return cast(Array, cast(Any, counted) != 0)
    extents = _extents([(x.shape, x_labels), (y.shape, y_labels)], what)
    left, x_labels = _reduced(b, x.value, x_labels, y_labels + out, extents)
    right, y_labels = _reduced(b, y.value, y_labels, x_labels + out, extents)
    batch = [c for c in x_labels if c in y_labels and c in out]
    summed = [c for c in x_labels if c in y_labels and c not in out]
    free = [c for c in x_labels if c not in y_labels] + [c for c in y_labels if c not in x_labels]
    labels = "".join([*batch, *free])
    if is_float(left) and (summed or not (left is right or labels)):
        value = b.dot(
            left, right,
            [x_labels.index(c) for c in batch], [y_labels.index(c) for c in batch],
            [x_labels.index(c) for c in summed], [y_labels.index(c) for c in summed],
        )  # fmt: skip
    else:
        full = labels + "".join(summed)
        shape = tuple(extents[c] for c in full)
        aligned = [
            b.broadcast(v, shape, [full.index(c) for c in own])
            for v, own in ((left, x_labels), (right, y_labels))
        ]
        value = b.sum(b.mul(*aligned), range(len(labels), len(full)))
    return made(_spread(b, value, labels, out, extents), weak=x.weak and y.weak)


def _extents(operands: Sequence[tuple[Shape, str]], what: str) -> dict[str, int]:
    extents: dict[str, int] = {}
    for shape, labels in operands:
        for extent, c in zip(shape, labels, strict=True):
            known = extents.setdefault(c, extent)
            if known == 1:
                extents[c] = extent
            elif extent not in (1, known):
                shapes = " and ".join(str(s) for s, _ in operands)
                raise ShapeError(
                    f"{what}: shapes {shapes} do not fit, {known} is paired with {extent}",
                    location=user_line(),
                    hint="the paired dimensions must be equal; transpose one operand if they are swapped",
                )
    return extents


def _reduced(
    b: ArrayBuilder, x: Value, labels: str, others: str, extents: dict[str, int]
) -> tuple[Value, str]:
    """`x` on its diagonals, without dimensions of extent 1 that stand for more, summed over what nobody
    else has.
    """
    for c in dict.fromkeys(labels):
        while labels.count(c) > 1:
            x, labels = _diagonal(b, x, labels, c)
    stretched = [d for d, c in enumerate(labels) if shape_of(x)[d] != extents[c]]
    if stretched:
        kept = [d for d in range(len(labels)) if d not in stretched]
        x = b.reshape(x, [shape_of(x)[d] for d in kept])
        labels = "".join(labels[d] for d in kept)
    alone = [d for d, c in enumerate(labels) if c not in others]
    if alone:
        x = b.sum(x, alone)
        labels = "".join(c for c in labels if c in others)
    return x, labels


def _diagonal(b: ArrayBuilder, x: Value, labels: str, label: str) -> tuple[Value, str]:
    first = labels.index(label)
    second = labels.index(label, first + 1)
    rest = [d for d in range(len(labels)) if d not in (first, second)]
    moved = b.transpose(x, [first, second, *rest])
    value = b.gather(moved, [shape_of(moved)[0]], _twice)
    return value, label + "".join(labels[d] for d in rest)


def _twice(i: Value) -> list[Value]:
    return [i, i]


def _spread(b: ArrayBuilder, value: Value, labels: str, out: str, extents: dict[str, int]) -> Value:
    """Dimensions in the order of the result."""
    return b.broadcast(value, tuple(extents[c] for c in out), [out.index(c) for c in labels])


# Products of two arrays --------------------------------------------------------------------------


def _pair(a: Any, b: Any) -> tuple[Array, Array]:
    x, y = common([operand_of(a), operand_of(b)])
    return x, y


def matmul(x1: Any, x2: Any, /) -> Array:
    """`x1 @ x2`."""
    x, y = _pair(x1, x2)
    if not x.ndim or not y.ndim:
        raise ShapeError("matmul of a scalar", location=user_line(), hint="write x * y")
    batch = max(x.ndim, y.ndim, 2) - 2
    names = ascii_letters[3 : 3 + batch]
    x_labels = names[batch - max(x.ndim - 2, 0) :] + ("ab" if x.ndim > 1 else "b")
    y_labels = names[batch - max(y.ndim - 2, 0) :] + ("bc" if y.ndim > 1 else "b")
    out = names + ("a" if x.ndim > 1 else "") + ("c" if y.ndim > 1 else "")
    if x.shape[-1] != y.shape[max(y.ndim - 2, 0)]:
        raise ShapeError(
            f"matmul: shapes {x.shape} and {y.shape} do not fit, {x.shape[-1]} is paired with "
            f"{y.shape[max(y.ndim - 2, 0)]}",
            location=user_line(),
            hint="the last dimension of the left operand must equal the second last of the right one",
        )
    return contract(x, x_labels, y, y_labels, out, "matmul")


def dot(a: Any, b: Any, out: None = None) -> Array:
    """`np.dot`: the last dimension of a with the second last of b."""
    x, y = _pair(a, b)
    if not x.ndim or not y.ndim:
        return x * y
    return tensordot(x, y, ((x.ndim - 1,), (max(y.ndim - 2, 0),)))


def inner(a: Any, b: Any) -> Array:
    """`np.inner`: the last dimensions of both."""
    x, y = _pair(a, b)
    if not x.ndim or not y.ndim:
        return x * y
    return tensordot(x, y, ((x.ndim - 1,), (y.ndim - 1,)))


def vdot(a: Any, b: Any) -> Array:
    """`np.vdot`: all elements of both."""
    return dot(xp.ravel(a), xp.ravel(b))


def outer(a: Any, b: Any, out: None = None) -> Array:
    """`np.outer`."""
    x, y = _pair(a, b)
    return xp.reshape(x, (-1, 1)) * xp.reshape(y, (1, -1))


def tensordot(a: Any, b: Any, axes: Any = 2) -> Array:
    """`np.tensordot`."""
    x, y = _pair(a, b)
    if isinstance(axes, int):
        left, right = list(range(x.ndim - axes, x.ndim)), list(range(axes))
    else:
        left, right = ([g] if isinstance(g, int) else list(cast("Sequence[int]", g)) for g in axes)
    left = [one_axis(d, x.ndim) for d in left]
    right = [one_axis(d, y.ndim) for d in right]
    if len(left) != len(right):
        raise ShapeError("tensordot needs as many axes of a as of b", location=user_line())
    x_labels, y_labels = list(ascii_letters[: x.ndim]), list(ascii_letters[x.ndim : x.ndim + y.ndim])
    for p, q in zip(left, right, strict=True):
        if x.shape[p] != y.shape[q]:
            raise ShapeError(
                f"shapes {x.shape} and {y.shape} do not fit: {x.shape[p]} (dimension {p}) is paired with "
                f"{y.shape[q]} (dimension {q})",
                location=user_line(),
            )
        y_labels[q] = x_labels[p]
    out = [c for d, c in enumerate(x_labels) if d not in left]
    out += [c for d, c in enumerate(y_labels) if d not in right]
    return contract(x, "".join(x_labels), y, "".join(y_labels), "".join(out), "tensordot")


# einsum ------------------------------------------------------------------------------------------


def einsum(*operands: Any, out: None = None, optimize: object = False, **options: object) -> Array:
    """`np.einsum` with subscripts as a string, contracted from left to right."""
    subscripts = operands[0]
    if not isinstance(subscripts, str):
        raise UnsupportedError(
            "einsum is traced with its subscripts as a string",
            location=user_line(),
            hint="np.einsum('ij,j->i', a, b)",
        )
    arrays = common([operand_of(x) for x in operands[1:]])
    labels, result = _parse(subscripts, [x.ndim for x in arrays])
    _extents([(x.shape, own) for x, own in zip(arrays, labels, strict=True)], "einsum")
    while len(arrays) > 1:
        later = "".join(labels[2:]) + result
        kept = "".join(c for c in dict.fromkeys(labels[0] + labels[1]) if c in later)
        done = contract(arrays[0], labels[0], arrays[1], labels[1], kept, "einsum")
        arrays[:2], labels[:2] = [done], [kept]
    b = emitting()
    extents = _extents([(arrays[0].shape, labels[0])], "einsum")
    value, own = _reduced(b, arrays[0].value, labels[0], result, extents)
    return made(_spread(b, value, own, result, extents))


def _parse(subscripts: str, ranks: Sequence[int]) -> tuple[list[str], str]:
    """The labels of each operand and of the result, `...` replaced by letters of its own."""
    text = subscripts.replace(" ", "")
    inputs, arrow, result = text.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(ranks):
        raise ShapeError(
            f"einsum {subscripts!r} is written for {len(terms)} operands, {len(ranks)} given",
            location=user_line(),
        )
    dots = [
        max(rank - len(t.replace("...", "")), 0) for t, rank in zip(terms, ranks, strict=True) if "..." in t
    ]
    spare = "".join(c for c in ascii_letters if c not in text)[: max(dots, default=0)]
    expanded: list[str] = []
    for term, rank in zip(terms, ranks, strict=True):
        count = rank - len(term.replace("...", ""))
        own = term.replace("...", spare[len(spare) - count :] if count > 0 else "")
        if len(own) != rank:
            raise ShapeError(
                f"einsum: {term!r} has {len(own)} subscripts for an operand of rank {rank}",
                location=user_line(),
            )
        expanded.append(own)
    joined = "".join(expanded)
    if arrow:
        result = result.replace("...", spare)
    else:
        result = spare + "".join(sorted(c for c in set(joined) - set(spare) if joined.count(c) == 1))
    unknown = [c for c in result if c not in joined]
    if unknown or len(set(result)) != len(result):
        raise ShapeError(f"einsum {subscripts!r}: the result has wrong subscripts", location=user_line())
    return expanded, result


def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Array:
    """`np.cross` of vectors of three components."""
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = xp.moveaxis(as_array(a), axisa, -1), xp.moveaxis(as_array(b), axisb, -1)
    if x.shape[-1] != 3 or y.shape[-1] != 3:
        raise ShapeError(
            f"cross needs vectors of three components, got {x.shape} and {y.shape}", location=user_line()
        )
    parts = [x[..., i] * y[..., j] - x[..., j] * y[..., i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return xp.moveaxis(xp.stack(parts, axis=-1), -1, axisc)


def kron(a: Any, b: Any) -> Array:
    """`np.kron`."""
    x, y = _pair(a, b)
    rank = max(x.ndim, y.ndim)
    left = (*[1] * (rank - x.ndim), *x.shape)
    right = (*[1] * (rank - y.ndim), *y.shape)
    product = xp.reshape(x, [e for extent in left for e in (extent, 1)]) * xp.reshape(
        y, [e for extent in right for e in (1, extent)]
    )
    return xp.reshape(product, [p * q for p, q in zip(left, right, strict=True)])


def multi_dot(arrays: Sequence[Any], *, out: None = None) -> Array:
    """`np.linalg.multi_dot`, from left to right."""
    result, *others = [as_array(a) for a in arrays]
    for other in others:
        result = dot(result, other)
    return result


def matrix_power(a: Any, n: int) -> Array:
    """`np.linalg.matrix_power` of a power that is not negative, by repeated squaring."""
    x = as_array(a)
    if n < 0:
        raise UnsupportedError("a negative power of a matrix cannot be traced", location=user_line())
    result: Array | None = None
    while n:
        if n & 1:
            result = x if result is None else matmul(result, x)
        n >>= 1
        if n:
            x = matmul(x, x)
    return as_array(np.eye(x.shape[-1], dtype=x.dtype) + xp.zeros_like(x)) if result is None else result


FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.matmul: matmul,
    np.dot: dot,
    np.inner: inner,
    np.vdot: vdot,
    np.outer: outer,
    np.tensordot: tensordot,
    np.einsum: einsum,
    np.cross: cross,
    np.kron: kron,
    np.linalg.multi_dot: multi_dot,
    np.linalg.matrix_power: matrix_power,
}
"""What this file traces."""
