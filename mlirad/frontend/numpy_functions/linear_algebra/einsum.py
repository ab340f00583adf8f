"""`np.einsum`: its subscripts, in both of the ways they are written, and contractions from left to right.

np.einsum("cij,ncj->nci", q, x)       contract("cij", "ncj" -> "nci")
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters
from typing import Any, cast

from mlirad.dialects.extents import is_static
from mlirad.dialects.shapes import Value
from mlirad.frontend.indexing.reads import read
from mlirad.frontend.indexing.views import as_reshaped_view, permuted, read_only
from mlirad.frontend.numpy_functions.arrays.joining import cast_by_rule
from mlirad.frontend.numpy_functions.calls.parameters import Anything, Casting, DtypeLike, Order
from mlirad.frontend.numpy_functions.calls.tracings import tracings
from mlirad.frontend.numpy_functions.linear_algebra.contraction import (
    LABELS,
    contract,
    extents_of,
    on_diagonals,
    spread_to,
    summed,
)
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.dtypes import BOOL
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import Operand, as_array, common, operand_of
from mlirad.frontend.tracing.raising import argument_error, shape_error
from mlirad.frontend.tracing.strides import Strides


def einsum(
    *operands: Anything, dtype: DtypeLike | None = None, order: Order = "K", casting: Casting = "safe"
) -> Array:
    """`np.einsum`, contracted from left to right."""
    subscripts, written = in_letters(operands)
    given = [_operand(x) for x in written]
    arrays = (
        common(given)
        if dtype is None
        else [cast_by_rule(as_array(x), dtype, casting, "einsum") for x in given]
    )
    labels, result = _parse(subscripts, [x.ndim for x in arrays])
    if len(arrays) == 1 and set(labels[0]) == set(result):
        only = given[0]
        x = only if isinstance(only, Array) and only.dtype == arrays[0].dtype else arrays[0]
        return _rearranged(x, labels[0], result)
    extents = extents_of([(x.shape, own) for x, own in zip(arrays, labels, strict=True)], "einsum")
    while len(arrays) > 1:
        later = "".join(labels[2:]) + result
        kept = "".join(c for c in dict.fromkeys(labels[0] + labels[1]) if c in later)
        done = contract(arrays[0], labels[0], arrays[1], labels[1], kept, "einsum")
        arrays[:2], labels[:2] = [done], [kept]
    b = emitting()
    own_extents = extents_of([(arrays[0].shape, labels[0])], "einsum")
    value, own = on_diagonals(b, arrays[0].value, labels[0], own_extents)
    if arrays[0].dtype == BOOL:
        alone = [d for d, c in enumerate(own) if c not in result]
        value, own = b.reduce("or", value, alone), "".join(c for c in own if c in result)
    value, own = summed(b, value, own, result)
    return made(spread_to(b, value, own, result, extents))


def _rearranged(x: Array, labels: str, result: str) -> Array:
    """The dimensions of one array in another order, or diagonals of it, which share its elements."""
    order = [d for c in result for d, own in enumerate(labels) if own == c]
    turned = permuted(x, order)
    if len(labels) == len(result):
        return turned
    extents = extents_of([(x.shape, labels)], "einsum")
    sizes = [extents[c] for c in result]
    counts = [labels.count(c) for c in result]
    if any(not is_static(e) for e in sizes) or any(
        x.shape[d] != extents[own] for d, own in enumerate(labels)
    ):
        return _read_only_diagonals(x, labels, result, extents)
    powers = tuple(n**k for n, k in zip(sizes, counts, strict=True))
    steps = [max((p - 1) // max(n - 1, 1), 1) for n, p in zip(sizes, powers, strict=True)]
    return read(as_reshaped_view(turned, powers), tuple(slice(None, None, step) for step in steps))


def _read_only_diagonals(x: Array, labels: str, result: str, extents: dict[str, Any]) -> Array:
    def read(value: Value) -> Value:
        b = emitting()
        diagonal, own = on_diagonals(b, value, labels, extents)
        return spread_to(b, diagonal, own, result, extents)

    def spread(strides: Strides) -> Strides:
        return tuple(sum(s for s, own in zip(strides, labels, strict=True) if own == c) for c in result)

    return read_only(x, read, "a diagonal that einsum gives", spread)


def in_letters(operands: tuple[Any, ...]) -> tuple[str, list[Any]]:
    """Subscripts as a string, and the operands; numbers of subscripts become letters."""
    if operands and isinstance(operands[0], str):
        return operands[0], list(operands[1:])
    terms = ["".join(_letter(k) for k in _sequence(part)) for part in operands[1::2]]
    arrays = list(operands[::2])
    if len(operands) % 2:
        terms.append("".join(_letter(k) for k in _sequence(arrays.pop())))
        return ",".join(terms[:-1]) + "->" + terms[-1], arrays
    return ",".join(terms), arrays


def _operand(x: Any) -> Operand:
    if isinstance(x, str | bytes | dict | slice) or x is None or callable(x):
        raise argument_error(
            f"einsum needs arrays after its subscripts, got {x!r}", "np.einsum('ij,j->i', a, b)"
        )
    return operand_of(x)


def _sequence(part: Any) -> list[Any]:
    if isinstance(part, list | tuple):
        return list(cast("Sequence[Any]", part))
    raise argument_error(
        "einsum: subscripts are a string, or a list of integers after each operand",
        "np.einsum('ij,j->i', a, b)",
    )


def _letter(number: Any) -> str:
    if number is ...:
        return "..."
    if isinstance(number, int) and 0 <= number < len(ascii_letters):
        return "".join(sorted(ascii_letters, key=str.swapcase))[number]
    raise argument_error(f"einsum: {number!r} is not a subscript", "subscripts are integers from 0 to 51")


def _parse(subscripts: str, ranks: Sequence[int]) -> tuple[list[str], str]:
    """The labels of each operand and of the result, `...` replaced by letters of its own."""
    text = subscripts.replace(" ", "")
    inputs, arrow, result = text.partition("->")
    if any(c not in ascii_letters for c in text.replace("->", "", 1).replace("...", "").replace(",", "")):
        raise argument_error(
            f"einsum: {subscripts!r} is not a pattern of subscripts",
            "letters, commas, '...' and one '->': np.einsum('ij,j->i', a, b)",
        )
    terms = inputs.split(",")
    if len(terms) != len(ranks):
        raise shape_error(
            f"einsum {subscripts!r} is written for {len(terms)} operands, {len(ranks)} given",
            "write one group of subscripts per operand, with commas between",
        )
    dots = [
        max(rank - len(t.replace("...", "")), 0) for t, rank in zip(terms, ranks, strict=True) if "..." in t
    ]
    spare = "".join(c for c in LABELS if c not in text)[: max(dots, default=0)]
    expanded: list[str] = []
    for term, rank in zip(terms, ranks, strict=True):
        count = rank - len(term.replace("...", ""))
        own = term.replace("...", spare[len(spare) - count :] if count > 0 else "")
        if len(own) != rank:
            raise shape_error(
                f"einsum: {term!r} has {len(own)} subscripts for an operand of rank {rank}",
                "write a letter for each dimension, or '...' for those that are left",
            )
        expanded.append(own)
    joined = "".join(expanded)
    if arrow:
        if spare and "..." not in result:
            raise shape_error(f"einsum {subscripts!r}: the result lacks '...'", "write '->...'")
        result = result.replace("...", spare)
    else:
        result = spare + "".join(sorted(c for c in set(joined) - set(spare) if joined.count(c) == 1))
    unknown = [c for c in result if c not in joined]
    if unknown or len(set(result)) != len(result):
        raise shape_error(
            f"einsum {subscripts!r}: the result has wrong subscripts",
            "each letter once, and only letters of the operands",
        )
    return expanded, result


FUNCTIONS = tracings(einsum)
"""The functions that this file traces."""
