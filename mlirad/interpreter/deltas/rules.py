"""Delta terms of whole ops, element by element.

Ops that move elements are run, as the interpreter runs them, on the *numbers* of their elements instead of
the elements: the numbers in the result say which term each element takes (section 4.1 of the dual-arrays
paper: index and build are structure, and differentiate to themselves). Ops that add elements state which
elements end where, likewise by numbers, and make an `Add` per element. Products and prefix reductions are the
folds that they stand for, element after element. Arrays of terms are flat, row-major.

    gather x (i) -> 2 - i        on the numbers [1, 2, 3]: [3, 2, 1], so the terms in reverse order
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import isnan, prod
from typing import Any, Generic, TypeVar

import numpy as np
from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import indexing, ordering, reductions, structural
from mlirad.dialects.shapes import Shape, is_float, shape_of, values_of
from mlirad.interpreter import arrays
from mlirad.interpreter.array_ops import ARRAY_MEANINGS
from mlirad.interpreter.arrays import Array
from mlirad.interpreter.deltas.delta_terms import ZERO, Add, Delta, Scale, Share, Terms, Zero
from mlirad.interpreter.deltas.partials import CONSTANT, PARTIALS, Factor
from mlirad.interpreter.machine import Frame
from mlirad.lazy_dataclass import dataclass

Op = TypeVar("Op", bound=Operation, covariant=True)


@dataclass(frozen=True)
class Execution(Generic[Op]):
    """One execution of an op.

    `terms` has a list per operand; one without derivative (an integer, or a float that depends on no input)
    has only `ZERO`s. `frame` runs regions, whose positions have no terms. `ids` are fresh.
    """

    op: Op
    operands: Sequence[Any]
    result: Any
    terms: Sequence[Terms]
    frame: Frame
    ids: Iterator[int]


def _share(term: Delta, ids: Iterator[int]) -> Delta:
    """A term that may be used more than once; those that cost nothing need no name (section 2.5)."""
    return term if isinstance(term, Zero) else Share(next(ids), term)


def _scaled(factor: float | None, term: Delta) -> Delta:
    return term if factor is None or isinstance(term, Zero) else Scale(factor, term)


def combination(pairs: Iterable[tuple[float | None, Delta]], ids: Iterator[int]) -> Delta:
    """The shared sum of `factor * term`, without the terms that are zero."""
    nonzero = [_scaled(factor, term) for factor, term in pairs if not isinstance(term, Zero)]
    return _share(_added(nonzero[0], nonzero[1:]), ids) if nonzero else ZERO


def _added(term: Delta, others: Sequence[Delta]) -> Delta:
    """The sum, from the left, of a term and of what is not zero among the others."""
    for other in others:
        if not isinstance(other, Zero):
            term = Add(term, other)
    return term


# Scalar functions --------------------------------------------------------------------------------


def _elementwise(step: Execution[ew.ElementwiseOp]) -> Terms:
    """`Share id (Add (Scale df/dx dx) (Scale df/dy dy))`, without the operands that depend on no input."""
    doubles = [np.asarray(o, np.float64) for o in step.operands]
    factors = PARTIALS[type(step.op)](step.op, doubles, np.asarray(step.result, np.float64))
    columns = [_numbers(f, len(own)) for f, own in zip(factors, step.terms, strict=True)]
    pairs = [list(zip(c, own, strict=True)) for c, own in zip(columns, step.terms, strict=True)]
    return [combination(row, step.ids) for row in zip(*pairs, strict=True)]


def _numbers(factor: Factor, size: int) -> Sequence[float | None]:
    return [None] * size if factor is None else factor.ravel().tolist()


def _constant(step: Execution[Operation]) -> Terms:
    zeros: list[Delta] = [ZERO] * np.size(step.result)
    return zeros


def _convert(step: Execution[ew.ConvertOp]) -> Terms:
    return step.terms[0]


# Structure ---------------------------------------------------------------------------------------


def _moved(step: Execution[Operation]) -> Terms:
    """The terms that the op's own meaning, run on the numbers of the float elements, selects."""
    table: list[Delta] = [ZERO]
    inputs: list[Any] = []
    for value, operand, own in zip(step.op.operands, step.operands, step.terms, strict=True):
        if is_float(value):
            inputs.append(np.arange(len(table), len(table) + len(own)).reshape(np.shape(operand))[()])
            table += own
        else:
            inputs.append(operand)
    chosen = np.asarray(ARRAY_MEANINGS[type(step.op)](step.op, inputs, step.frame))
    return [table[k] for k in _integers(chosen)]


def _integers(x: Array) -> list[int]:
    return x.ravel().tolist()


# Sums --------------------------------------------------------------------------------------------


def _numbered(shape: Shape) -> Array:
    """The elements of an array numbered from 1, so that 0 is not an element."""
    return np.arange(1, prod(shape) + 1).reshape(shape)


def _collected(places: Array, terms: Terms, size: int) -> list[list[Delta]]:
    """For each of `size` elements, the terms whose place is its number."""
    found: list[list[Delta]] = [[] for _ in range(size)]
    for place, term in zip(_integers(places), terms, strict=True):
        if place and not isinstance(term, Zero):
            found[place - 1].append(term)
    return found


def _totals(step: Execution[Any], places: Array, terms: Terms) -> Terms:
    """The sum of the terms for each element of the result, begun from zero as a fold of the array is."""
    found = _collected(places, terms, np.size(step.result))
    return [_share(_added(ZERO, own), step.ids) for own in found]


def _reduced_places(op: reductions.SumOp | reductions.ReduceOp) -> Array:
    """For every element of the operand, the number of the element of the result that it goes into."""
    shape, dims = shape_of(op.operand), values_of(op.dims)
    kept = [d for d in range(len(shape)) if d not in dims]
    return arrays.broadcast(_numbered(shape_of(op.result)), kept, shape)


def _sum(step: Execution[reductions.SumOp]) -> Terms:
    return _totals(step, _reduced_places(step.op), step.terms[0])


def _reduce(step: Execution[reductions.ReduceOp]) -> Terms:
    """Equal shares for the elements that attain the extremum; of a product, the last one of the fold."""
    places = _reduced_places(step.op)
    if step.op.kind.data == "prod":
        lines: list[list[int]] = [[] for _ in range(np.size(step.result))]
        for k, place in enumerate(_integers(places)):
            lines[place - 1].append(k)
        return [[ZERO, *_products(step, line)][-1] for line in lines]
    attaining: Array = np.equal(step.operands[0], np.append(0, step.result)[places])
    number = np.bincount(places[attaining], minlength=np.size(step.result) + 1).tolist()
    shares: list[Delta] = [
        _scaled(1 / number[place], term) if attains else ZERO
        for place, attains, term in zip(
            _integers(places), np.ravel(attaining).tolist(), step.terms[0], strict=True
        )
    ]
    return _totals(step, places, shares)


def _scatter(step: Execution[indexing.ScatterOp]) -> Terms:
    return _totals(step, _written_places(step.op, step.frame), step.terms[0])


def _update(step: Execution[indexing.UpdateOp]) -> Terms:
    if step.op.kind.data == "set":
        return _moved(step)
    base, written = step.terms
    found = _collected(_written_places(step.op, step.frame), written, np.size(step.result))
    return [_share(_added(b, own), step.ids) if own else b for b, own in zip(base, found, strict=True)]


def _written_places(op: indexing.ScatterOp | indexing.UpdateOp, frame: Frame) -> Array:
    """For every element that is written, the number of the element of the result: the numbers, gathered."""
    space = shape_of(op.operand)[: len(op.body.block.args)]
    return arrays.read(_numbered(shape_of(op.result)), frame.region(op.body, space), space)


def _dot(step: Execution[reductions.DotOp]) -> Terms:
    """Products in the space of the result's dimensions and the contracted ones, then their sums."""
    lhs, rhs = (np.asarray(o, np.float64) for o in step.operands)
    batch, contract = step.op.batch, step.op.contract
    left, right, out = arrays.contraction_labels(lhs.ndim, rhs.ndim, batch, contract)
    labels = [*out, *(left[d] for d in contract[0])]
    extents = {**dict(zip(left, lhs.shape, strict=True)), **dict(zip(right, rhs.shape, strict=True))}
    space = tuple(extents[label] for label in labels)

    def spread(x: Array, own: Sequence[int]) -> Array:
        return arrays.broadcast(x, [labels.index(label) for label in own], space).ravel()

    factors = spread(rhs, right).tolist(), spread(lhs, left).tolist()
    numbers = [np.arange(x.size).reshape(x.shape) for x in (lhs, rhs)]
    chosen = _integers(spread(numbers[0], left)), _integers(spread(numbers[1], right))
    products = [
        combination(((y, step.terms[0][i]), (x, step.terms[1][j])), step.ids)
        for y, x, i, j in zip(*factors, *chosen, strict=True)
    ]
    places = arrays.broadcast(_numbered(shape_of(step.op.result)), range(len(out)), space)
    return _totals(step, places, products)


# Orders ------------------------------------------------------------------------------------------


def _lines(step: Execution[ordering.SortOp | ordering.CumulativeOp]) -> Array:
    """The numbers of the elements, from 0, with the dimension of the op last."""
    shape = np.shape(step.operands[0])
    return np.moveaxis(np.arange(prod(shape)).reshape(shape), step.op.dim.value.data, -1)


def _sort(step: Execution[ordering.SortOp]) -> Terms:
    order = np.argsort(step.operands[0], axis=step.op.dim.value.data, kind="stable")
    numbers = np.arange(order.size).reshape(order.shape)
    return [step.terms[0][k] for k in _integers(np.take_along_axis(numbers, order, step.op.dim.value.data))]


def _cumulative(step: Execution[ordering.CumulativeOp]) -> Terms:
    """The terms of each line, one after another: they are reduced as the elements are."""
    lines = _lines(step)
    backwards = step.op.reverse is not None
    found: list[Delta] = [ZERO] * lines.size
    for line in lines.reshape(prod(lines.shape[:-1]), lines.shape[-1]):
        numbers: list[int] = (line[::-1] if backwards else line).tolist()
        for k, term in zip(numbers, PREFIXES[step.op.kind.data](step, numbers), strict=True):
            found[k] = term
    return found


def _sums(step: Execution[Any], line: Sequence[int]) -> Iterator[Delta]:
    total: Delta = ZERO
    for k in line:
        total = combination(((None, total), (None, step.terms[0][k])), step.ids)
        yield total


def _products(step: Execution[Any], line: Sequence[int]) -> Iterator[Delta]:
    """The terms of the products of ever more elements."""
    elements: list[float] = np.asarray(step.operands[0], np.float64).ravel().tolist()
    product, total = 1.0, ZERO
    for k in line:
        total = combination(((elements[k], total), (product, step.terms[0][k])), step.ids)
        product *= elements[k]
        yield total


def _first_attaining(step: Execution[ordering.CumulativeOp], line: Sequence[int]) -> Iterator[Delta]:
    """The term of the first of the elements so far that is their extremum, or NaN."""
    elements: list[float] = np.asarray(step.operands[0], np.float64).ravel().tolist()
    sign = 1.0 if step.op.kind.data == "max" else -1.0
    best = line[0] if line else 0
    for k in line:
        if sign * elements[k] > sign * elements[best] or (isnan(elements[k]) and not isnan(elements[best])):
            best = k
        yield step.terms[0][best]


PREFIXES: dict[str, Callable[[Execution[ordering.CumulativeOp], Sequence[int]], Iterator[Delta]]] = {
    "sum": _sums,
    "prod": _products,
    "max": _first_attaining,
    "min": _first_attaining,
}
"""The terms along a line by the kind of a prefix reduction, given the numbers of its elements."""


RULES: dict[type[Operation], Callable[[Execution[Any]], Terms]] = {
    **dict.fromkeys(PARTIALS, _elementwise),
    **dict.fromkeys(CONSTANT, _constant),
    ew.SelectOp: _moved,
    ew.ConvertOp: _convert,
    structural.BroadcastOp: _moved,
    structural.TransposeOp: _moved,
    structural.ReshapeOp: _moved,
    structural.SliceOp: _moved,
    structural.PadOp: _moved,
    structural.ConcatenateOp: _moved,
    structural.ReverseOp: _moved,
    structural.StackOp: _moved,
    indexing.IndexOp: _moved,
    indexing.GatherOp: _moved,
    indexing.ScatterOp: _scatter,
    indexing.UpdateOp: _update,
    reductions.SumOp: _sum,
    reductions.ReduceOp: _reduce,
    reductions.DotOp: _dot,
    ordering.SortOp: _sort,
    ordering.CumulativeOp: _cumulative,
}
"""The terms of every op from floats to floats that has no region to be run."""
