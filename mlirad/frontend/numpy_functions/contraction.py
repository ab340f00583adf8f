"""Products that sum over paired dimensions: `dot`, `matmul`, `tensordot`, `einsum` and their relatives.

All are one contraction of two operands whose dimensions carry labels: a label in both operands and in the
result is a batch dimension, one in both only is summed over, one in the result only is kept.

    matmul of [n, k] and [k, m]       contract("ab", "bc" -> "ac")
    np.einsum("cij,ncj->nci", q, x)   the same letters
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from string import ascii_letters
from typing import Annotated, Any, Literal, TypeAlias, cast

import numpy as np

from mlirad.dialects.shapes import Shape, Value, is_float, shape_of
from mlirad.errors import ArgumentError, DtypeError, ShapeError, UnsupportedError
from mlirad.frontend.indexing.views import permuted, read_only
from mlirad.frontend.numpy_functions.parameters import (
    Anything,
    ArrayLike,
    Axis,
    DtypeLike,
    Int,
    OperandLike,
    OperandList,
    kind,
    own_dtype,
    static,
)
from mlirad.frontend.tracing.array import Array, Strides, made
from mlirad.frontend.tracing.dtypes import BOOL, I64, Dtype
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import (
    Operand,
    as_array,
    broadcast_shapes,
    common,
    converted,
    operand_of,
    xp,
)
from mlirad.frontend.tracing.shapes import one_axis
from mlirad.frontend.tracing.source import user_line
from mlirad.ir.arrays import ArrayBuilder


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
"""Which axes are summed over."""


def contract(x: Array, x_labels: str, y: Array, y_labels: str, out: str, what: str) -> Array:
    """The contraction of operands of one dtype. Equal labels have equal extents, or one of them 1."""
    b = emitting()
    if x.dtype == BOOL:
        counted = contract(converted(x, I64), x_labels, converted(y, I64), y_labels, out, what)
        return cast(Array, cast(Any, counted) != 0)
    extents = _extents([(x.shape, x_labels), (y.shape, y_labels)], what)
    left, x_labels = _own(b, x.value, x_labels, extents)
    right, y_labels = _own(b, y.value, y_labels, extents)
    left, x_labels = _summed(b, left, x_labels, y_labels + out)
    right, y_labels = _summed(b, right, y_labels, x_labels + out)
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


def _own(b: ArrayBuilder, x: Value, labels: str, extents: dict[str, int]) -> tuple[Value, str]:
    """`x` on its diagonals, and without dimensions of extent 1 that stand for more."""
    for c in dict.fromkeys(labels):
        while labels.count(c) > 1:
            x, labels = _diagonal(b, x, labels, c)
    stretched = [d for d, c in enumerate(labels) if shape_of(x)[d] != extents[c]]
    if stretched:
        kept = [d for d in range(len(labels)) if d not in stretched]
        x = b.reshape(x, [shape_of(x)[d] for d in kept])
        labels = "".join(labels[d] for d in kept)
    return x, labels


def _summed(b: ArrayBuilder, x: Value, labels: str, others: str) -> tuple[Value, str]:
    """`x` summed over what nobody else has."""
    alone = [d for d, c in enumerate(labels) if c not in others]
    return (b.sum(x, alone), "".join(c for c in labels if c in others)) if alone else (x, labels)


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
    """Both operands in their common dtype, in which Python scalars have one of their own."""
    x, y = common([own_dtype(operand_of(a)), own_dtype(operand_of(b))])
    return x, y


def matmul(x1: OperandLike, x2: OperandLike) -> Array:
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


def dot(a: OperandLike, b: OperandLike) -> Array:
    """`np.dot`: the last dimension of a with the second last of b."""
    x, y = _pair(a, b)
    if not x.ndim or not y.ndim:
        return x * y
    return tensordot(x, y, ((x.ndim - 1,), (max(y.ndim - 2, 0),)))


def inner(a: OperandLike, b: OperandLike) -> Array:
    """`np.inner`: the last dimensions of both."""
    x, y = _pair(a, b)
    if not x.ndim or not y.ndim:
        return x * y
    return tensordot(x, y, ((x.ndim - 1,), (y.ndim - 1,)))


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
            raise ShapeError(
                f"tensordot over {axes} axes of shapes {x.shape} and {y.shape}",
                location=user_line(),
                hint="as many axes are summed over as both have at most",
            )
        left, right = list(range(x.ndim - axes, x.ndim)), list(range(axes))
    else:
        left, right = list(axes[0]), list(axes[1])
    left = [one_axis(d, x.ndim) for d in left]
    right = [one_axis(d, y.ndim) for d in right]
    if len(left) != len(right):
        raise ShapeError(
            "tensordot needs as many axes of a as of b", location=user_line(), hint="axes=([i, j], [k, l])"
        )
    x_labels, y_labels = list(ascii_letters[: x.ndim]), list(ascii_letters[x.ndim : x.ndim + y.ndim])
    for p, q in zip(left, right, strict=True):
        if x.shape[p] != y.shape[q]:
            raise ShapeError(
                f"shapes {x.shape} and {y.shape} do not fit: {x.shape[p]} (dimension {p}) is paired with "
                f"{y.shape[q]} (dimension {q})",
                location=user_line(),
                hint="the paired dimensions must be equal; axes= says which they are",
            )
        y_labels[q] = x_labels[p]
    out = [c for d, c in enumerate(x_labels) if d not in left]
    out += [c for d, c in enumerate(y_labels) if d not in right]
    return contract(x, "".join(x_labels), y, "".join(y_labels), "".join(out), "tensordot")


# einsum ------------------------------------------------------------------------------------------


def einsum(
    *operands: Anything, dtype: DtypeLike | None = None, order: Literal["C", "F", "A", "K", None] = "K",
    casting: Literal["no", "equiv", "safe", "same_kind", "unsafe"] = "safe",
) -> Array:  # fmt: skip
    """`np.einsum`, contracted from left to right."""
    subscripts, given = _subscripts(operands)
    arrays = common(given) if dtype is None else [_cast(as_array(x), dtype, casting) for x in given]
    labels, result = _parse(subscripts, [x.ndim for x in arrays])
    if len(arrays) == 1 and set(labels[0]) == set(result):
        only = given[0]
        x = only if isinstance(only, Array) and only.dtype == arrays[0].dtype else arrays[0]
        return _rearranged(x, labels[0], result)
    extents = _extents([(x.shape, own) for x, own in zip(arrays, labels, strict=True)], "einsum")
    while len(arrays) > 1:
        later = "".join(labels[2:]) + result
        kept = "".join(c for c in dict.fromkeys(labels[0] + labels[1]) if c in later)
        done = contract(arrays[0], labels[0], arrays[1], labels[1], kept, "einsum")
        arrays[:2], labels[:2] = [done], [kept]
    b = emitting()
    own_extents = _extents([(arrays[0].shape, labels[0])], "einsum")
    value, own = _own(b, arrays[0].value, labels[0], own_extents)
    if arrays[0].dtype == BOOL:
        alone = [d for d, c in enumerate(own) if c not in result]
        value, own = b.reduce("or", value, alone), "".join(c for c in own if c in result)
    value, own = _summed(b, value, own, result)
    return made(_spread(b, value, own, result, extents))


def _rearranged(x: Array, labels: str, result: str) -> Array:
    """The dimensions of one array in another order, or diagonals of it, which share its elements."""
    if len(labels) == len(result):
        return permuted(x, [labels.index(c) for c in result])
    extents = _extents([(x.shape, labels)], "einsum")

    def read(value: Value) -> Value:
        b = emitting()
        diagonal, own = _own(b, value, labels, extents)
        return _spread(b, diagonal, own, result, extents)

    def spread(strides: Strides) -> Strides:
        return tuple(sum(s for s, own in zip(strides, labels, strict=True) if own == c) for c in result)

    return read_only(x, read, "a diagonal that einsum gives", spread)


def _cast(x: Array, dtype: Dtype, casting: str) -> Array:
    if not np.can_cast(x.dtype, dtype, casting):  # pyright: ignore[reportArgumentType]
        raise DtypeError(
            f"einsum: {x.dtype} is not cast to {dtype} by the rule {casting!r}",
            location=user_line(),
            hint="casting='unsafe' allows it",
        )
    return converted(x, dtype)


def _subscripts(operands: tuple[Any, ...]) -> tuple[str, list[Any]]:
    """Subscripts as a string, and the operands; numbers of subscripts become letters."""
    if operands and isinstance(operands[0], str):
        return operands[0], [_operand(x) for x in operands[1:]]
    terms = ["".join(_letter(k) for k in _sequence(part)) for part in operands[1::2]]
    arrays = list(operands[::2])
    if len(operands) % 2:
        terms.append("".join(_letter(k) for k in _sequence(arrays.pop())))
        return ",".join(terms[:-1]) + "->" + terms[-1], [_operand(x) for x in arrays]
    return ",".join(terms), [_operand(x) for x in arrays]


def _operand(x: Any) -> Operand:
    if isinstance(x, str | bytes | dict | slice) or x is None or callable(x):
        raise ArgumentError(
            f"einsum needs arrays after its subscripts, got {x!r}",
            location=user_line(),
            hint="np.einsum('ij,j->i', a, b)",
        )
    return operand_of(x)


def _sequence(part: Any) -> list[Any]:
    if isinstance(part, list | tuple):
        return list(cast("Sequence[Any]", part))
    raise ArgumentError(
        "einsum: subscripts are a string, or a list of integers after each operand",
        location=user_line(),
        hint="np.einsum('ij,j->i', a, b)",
    )


def _letter(number: Any) -> str:
    if number is ...:
        return "..."
    if isinstance(number, int) and 0 <= number < len(ascii_letters):
        return "".join(sorted(ascii_letters, key=str.swapcase))[number]
    raise ArgumentError(
        f"einsum: {number!r} is no subscript",
        location=user_line(),
        hint="subscripts are integers from 0 to 51",
    )


def _parse(subscripts: str, ranks: Sequence[int]) -> tuple[list[str], str]:
    """The labels of each operand and of the result, `...` replaced by letters of its own."""
    text = subscripts.replace(" ", "")
    inputs, arrow, result = text.partition("->")
    if any(c not in ascii_letters for c in text.replace("->", "", 1).replace("...", "").replace(",", "")):
        raise ArgumentError(
            f"einsum: {subscripts!r} is no pattern of subscripts",
            location=user_line(),
            hint="letters, commas, '...' and one '->': np.einsum('ij,j->i', a, b)",
        )
    terms = inputs.split(",")
    if len(terms) != len(ranks):
        raise ShapeError(
            f"einsum {subscripts!r} is written for {len(terms)} operands, {len(ranks)} given",
            location=user_line(),
            hint="write one group of subscripts per operand, with commas between",
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
                hint="write a letter for each dimension, or '...' for those that are left",
            )
        expanded.append(own)
    joined = "".join(expanded)
    if arrow:
        if spare and "..." not in result:
            raise ShapeError(
                f"einsum {subscripts!r}: the result lacks '...'", location=user_line(), hint="write '->...'"
            )
        result = result.replace("...", spare)
    else:
        result = spare + "".join(sorted(c for c in set(joined) - set(spare) if joined.count(c) == 1))
    unknown = [c for c in result if c not in joined]
    if unknown or len(set(result)) != len(result):
        raise ShapeError(
            f"einsum {subscripts!r}: the result has wrong subscripts",
            location=user_line(),
            hint="each letter once, and only letters of the operands",
        )
    return expanded, result


# Others ------------------------------------------------------------------------------------------


def cross(
    a: ArrayLike, b: ArrayLike, axisa: Axis = -1, axisb: Axis = -1, axisc: Axis = -1, axis: Axis | None = None
) -> Array:
    """`np.cross` of vectors of three components."""
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = xp.moveaxis(a, axisa, -1), xp.moveaxis(b, axisb, -1)
    if x.shape[-1] != 3 or y.shape[-1] != 3:
        raise ShapeError(
            f"cross needs vectors of three components, got {x.shape} and {y.shape}",
            location=user_line(),
            hint="of two components: x[..., 0] * y[..., 1] - x[..., 1] * y[..., 0]",
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
    """`np.linalg.multi_dot`, from left to right."""
    parts = [as_array(a) for a in arrays]
    ranks = [p.ndim for p in parts]
    if len(parts) < 2 or any(r != 2 for r in ranks[1:-1]) or any(r not in (1, 2) for r in ranks):
        raise ShapeError(
            f"multi_dot needs two matrices at least, got shapes {', '.join(str(p.shape) for p in parts)}",
            location=user_line(),
            hint="the first and the last may be vectors",
        )
    result = parts[0]
    for other in parts[1:]:
        result = dot(result, other)
    return result


def matrix_power(a: ArrayLike, n: Int) -> Array:
    """`np.linalg.matrix_power` of a power that is not negative, by repeated squaring."""
    x = a
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ShapeError(
            f"matrix_power needs square matrices, got shape {x.shape}",
            location=user_line(),
            hint="x @ x.T is one",
        )
    if n < 0:
        raise UnsupportedError(
            f"the power {n} of a matrix cannot be traced", location=user_line(), hint=INVERSE
        )
    if n == 3:  # as NumPy multiplies
        return matmul(matmul(x, x), x)
    result: Array | None = None
    while n:
        if n & 1:
            result = x if result is None else matmul(result, x)
        n >>= 1
        if n:
            x = matmul(x, x)
    return as_array(np.eye(x.shape[-1], dtype=x.dtype) + xp.zeros_like(x)) if result is None else result


INVERSE = (
    "inverses are not traced: give the function that solves A x = b a derivative with ad.custom_derivative, "
    "or solve by iterations of A @ x in ad.while_loop"
)
"""What to do where a matrix is inverted."""


def vecdot(x1: OperandLike, x2: OperandLike, *, axis: Axis = -1) -> Array:
    """`np.vecdot`: the last dimensions of both, the others broadcast."""
    x, y = _pair(x1, x2)
    if not x.ndim or not y.ndim:
        raise ShapeError("vecdot of a scalar", location=user_line(), hint="write x * y")
    x, y = xp.moveaxis(x, axis, -1), xp.moveaxis(y, axis, -1)
    return xp.reshape(
        matmul(x[..., None, :], y[..., None]), broadcast_shapes([x.shape[:-1], y.shape[:-1]], "vecdot")
    )


def matvec(x1: OperandLike, x2: OperandLike) -> Array:
    """`np.matvec`: matrices times vectors."""
    x, y = _pair(x1, x2)
    if x.ndim < 2 or not y.ndim:
        raise ShapeError(
            f"matvec of {x.shape} and {y.shape}", location=user_line(), hint="a matrix and a vector"
        )
    return matmul(x, y[..., None])[..., 0]


def vecmat(x1: OperandLike, x2: OperandLike) -> Array:
    """`np.vecmat`: vectors times matrices."""
    x, y = _pair(x1, x2)
    if not x.ndim or y.ndim < 2:
        raise ShapeError(
            f"vecmat of {x.shape} and {y.shape}", location=user_line(), hint="a vector and a matrix"
        )
    return matmul(x[..., None, :], y)[..., 0, :]


def outer_of_vectors(x1: OperandLike, x2: OperandLike) -> Array:
    """`np.linalg.outer`: of vectors only."""
    x, y = _pair(x1, x2)
    if x.ndim != 1 or y.ndim != 1:
        raise ShapeError(
            f"np.linalg.outer needs vectors, got {x.shape} and {y.shape}",
            location=user_line(),
            hint="np.outer",
        )
    return outer(x, y)


def cross_of_vectors(x1: ArrayLike, x2: ArrayLike, *, axis: Axis = -1) -> Array:
    """`np.linalg.cross`."""
    return cross(x1, x2, axis=axis)


def linalg_tensordot(x1: OperandLike, x2: OperandLike, *, axes: AxisPair = 2) -> Array:
    """`np.linalg.tensordot`."""
    return tensordot(x1, x2, axes)


FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {
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
    np.linalg.matmul: matmul,
    np.linalg.vecdot: vecdot,
    np.linalg.outer: outer_of_vectors,
    np.linalg.cross: cross_of_vectors,
    np.linalg.tensordot: linalg_tensordot,
}
"""What this file traces."""
