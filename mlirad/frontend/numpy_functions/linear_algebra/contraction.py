"""Products that sum over paired dimensions: all of them are one contraction.

The dimensions of two operands carry labels: a label in both operands and in the
result is a batch dimension, one in both only is summed over, one in the result only is kept.

    matmul of [n, k] and [k, m]       contract("ab", "bc" -> "ac")
    np.einsum("cij,ncj->nci", q, x)   the same letters
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters
from typing import Any, Final, cast

from mlirad.dialects.shapes import MAX_RANK, Shape, Value, is_float, shape_of
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.dtypes import BOOL, I64
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import converted
from mlirad.frontend.tracing.raising import shape_error
from mlirad.ir.arrays import ArrayBuilder

LABELS: Final = ascii_letters + "".join(map(chr, range(0x4E00, 0x4E00 + 2 * MAX_RANK)))
"""Labels for dimensions: letters, and others where two operands have more than there are."""


def contract(x: Array, x_labels: str, y: Array, y_labels: str, out: str, what: str) -> Array:
    """The contraction of operands of one dtype. Equal labels have equal extents, or one of them 1."""
    b = emitting()
    if x.dtype == BOOL:
        counted = contract(converted(x, I64), x_labels, converted(y, I64), y_labels, out, what)
        return cast(Array, cast(Any, counted) != 0)
    extents = extents_of([(x.shape, x_labels), (y.shape, y_labels)], what)
    left, x_labels = on_diagonals(b, x.value, x_labels, extents)
    right, y_labels = on_diagonals(b, y.value, y_labels, extents)
    left, x_labels = summed(b, left, x_labels, y_labels + out)
    right, y_labels = summed(b, right, y_labels, x_labels + out)
    batch = [c for c in x_labels if c in y_labels and c in out]
    paired = [c for c in x_labels if c in y_labels and c not in out]
    free = [c for c in x_labels if c not in y_labels] + [c for c in y_labels if c not in x_labels]
    labels = "".join([*batch, *free])
    if is_float(left) and (paired or not (left is right or labels)):
        value = b.dot(
            left, right,
            [x_labels.index(c) for c in batch], [y_labels.index(c) for c in batch],
            [x_labels.index(c) for c in paired], [y_labels.index(c) for c in paired],
        )  # fmt: skip
    else:
        full = labels + "".join(paired)
        shape = tuple(extents[c] for c in full)
        aligned = [
            b.broadcast(v, shape, [full.index(c) for c in own])
            for v, own in ((left, x_labels), (right, y_labels))
        ]
        value = b.sum(b.mul(*aligned), range(len(labels), len(full)))
    return made(spread_to(b, value, labels, out, extents), weak=x.weak and y.weak)


def extents_of(operands: Sequence[tuple[Shape, str]], what: str) -> dict[str, int]:
    """The extent of each label; raises where two do not fit."""
    extents: dict[str, int] = {}
    for shape, labels in operands:
        for extent, c in zip(shape, labels, strict=True):
            known = extents.setdefault(c, extent)
            if known == 1:
                extents[c] = extent
            elif extent not in (1, known):
                shapes = " and ".join(str(s) for s, _ in operands)
                raise shape_error(
                    f"{what}: shapes {shapes} do not fit, {known} is paired with {extent}",
                    "the paired dimensions must be equal; transpose one operand if they are swapped",
                )
    return extents


def on_diagonals(b: ArrayBuilder, x: Value, labels: str, extents: dict[str, int]) -> tuple[Value, str]:
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


def summed(b: ArrayBuilder, x: Value, labels: str, others: str) -> tuple[Value, str]:
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


def spread_to(b: ArrayBuilder, value: Value, labels: str, out: str, extents: dict[str, int]) -> Value:
    """Dimensions in the order of the result."""
    return b.broadcast(value, tuple(extents[c] for c in out), [out.index(c) for c in labels])
