"""Facts about sums and contractions of vectors, products of vectors, and functions of values.

%y = array.dot %u, %v      Products: each of a column of %u and one of %v, or their sum, which is a site
%y = array.dot %v, %d      Vectors, if %d is diagonal: its elements are a factor of the columns
%s = array.sum %f          a site, if %f are functions of the values: a trace
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.ir import Operation

from mlirad.dialects.array.reductions import DotOp, SumOp
from mlirad.dialects.shapes import is_float, shape_of, values_of
from mlirad.ir.free_values import own_operands
from mlirad.passes.spectral_functions import pairs
from mlirad.passes.spectral_functions.dimension_moves import moves_of
from mlirad.passes.spectral_functions.facts import (
    Diagonal,
    Fact,
    Factor,
    Mixed,
    Products,
    Spectral,
    Term,
    Trace,
    Vectors,
)
from mlirad.passes.spectral_functions.jets import unrepeated
from mlirad.passes.spectral_functions.known_facts import KnownFacts
from mlirad.passes.spectral_functions.moved_facts import label_moved
from mlirad.passes.spectral_functions.named import Name, Names


def summed(known: KnownFacts, op: SumOp) -> Fact | None:
    """A sum of products, or of functions of values, over some dimensions."""
    known.used.add(op.operand)
    fact, dims = known.facts.get(op.operand), values_of(op.dims)
    names: Names = tuple(("d", k) for k in range(len(shape_of(op.operand))))
    kept = [d for d in range(len(names)) if d not in dims]
    if isinstance(fact, Products):
        return pairs.renamed(fact, [fact.names[d] for d in kept])
    if isinstance(fact, Spectral) and fact.label in dims:
        _note_trace(known, op, fact, [Term(op.operand, names)], names, [names[d] for d in kept])
    return None


def _note_trace(
    known: KnownFacts, op: Operation, fact: Spectral, terms: list[Term], own: Names, kept: Sequence[Name]
) -> None:
    if known.with_traces and is_float(op.results[0]):
        labels = tuple(own[k] for k in fact.kept)
        known.sites[op] = Trace(fact.frame, tuple(terms), tuple(kept), labels, fact.pick)


def contracted(known: KnownFacts, op: DotOp) -> Fact | None:
    """Products of vectors, over the columns or for each, or of vectors and a matrix."""
    facts = known.facts.get(op.lhs), known.facts.get(op.rhs)
    names = _dot_names(op)
    out = _dot_result_names(op, names)
    a, c = facts
    if isinstance(a, Vectors | Mixed) and isinstance(c, Vectors | Mixed):
        left, right = Mixed.of(a, op.lhs), Mixed.of(c, op.rhs)
        kept = [tuple(own[k] for k in s.kept) for own, s in zip(names, (left, right), strict=True)]
        if (left.frame, left.pick, kept[0]) == (right.frame, right.pick, kept[1]):
            known.used.update((op.lhs, op.rhs))
            return pairs.multiplied(left, right, names, out, known.factors)
    for k, fact in enumerate(facts):
        if isinstance(fact, Vectors) and fact.label in op.contract[k]:
            return _by_diagonal(known, op, k, fact)
        if isinstance(fact, Vectors) and fact.label not in op.batch[k]:
            return known.moved(op)
        if isinstance(fact, Products | Spectral) and not isinstance(facts[1 - k], Vectors | Mixed | Products):
            return _weighted(known, op, k, fact, names, out)
    return None


def _by_diagonal(known: KnownFacts, op: DotOp, k: int, fact: Vectors) -> Vectors | None:
    """Vectors times a diagonal matrix, whose elements are a factor of the columns."""
    other = known.facts.get(own_operands(op)[1 - k])
    own, theirs = op.contract[k], op.contract[1 - k]
    if not isinstance(other, Diagonal) or len(own) != 1 or theirs[0] not in other.ends:
        return None
    (end,) = (d for d in other.ends if d != theirs[0])
    places = dict(zip(op.batch[1 - k], op.batch[k], strict=True))
    places.update(dict.fromkeys(other.ends, fact.label))
    if any(d not in places for d in range(len(shape_of(own_operands(op)[1 - k])))):
        return None
    dims = tuple(places[d] for d in other.dims)
    if not known.is_factor(fact, other.value, dims, fact.kept):
        return None
    moves, others = moves_of(op, k), moves_of(op, 1 - k)
    assert moves is not None and others is not None
    moves.to[fact.label] = others.to[end]
    known.through[op.result] = k
    known.used.add(own_operands(op)[k])
    found = label_moved(replace(fact, factors=(*fact.factors, Factor(other.value, dims))), moves)
    return found if isinstance(found, Vectors) else None


def _weighted(
    known: KnownFacts, op: DotOp, k: int, fact: Products | Spectral, names: tuple[Names, Names], out: Names
) -> Products | None:
    """Products of vectors, or functions of values, contracted with an array."""
    own, other = names[k], own_operands(op)[1 - k]
    known.used.add(own_operands(op)[k])
    core, dims = unrepeated(other)
    places = tuple(names[1 - k][d] for d in dims)
    if isinstance(fact, Spectral):
        kept = tuple(own[d] for d in fact.kept)
        if kept[-1] not in out and known.is_factor(fact, core, places, kept):
            terms = [Term(own_operands(op)[k], own), Term(other, names[1 - k])]
            _note_trace(known, op, fact, terms, own, out)
        return None
    if any(n not in fact.names for n in fact.kept):
        return None
    fact = pairs.under(fact, own)
    if not known.is_factor(fact, core, places, fact.kept):
        return None
    return pairs.renamed(pairs.weighted(fact, Term(core, places)), out)


def _dot_names(op: DotOp) -> tuple[Names, Names]:
    """Names of the dimensions of both operands; those that are contracted, or of the batch, are the same."""
    left: list[Name] = [("l", k) for k in range(len(shape_of(op.lhs)))]
    right: list[Name] = [("r", k) for k in range(len(shape_of(op.rhs)))]
    for a, c in (*zip(*op.batch, strict=True), *zip(*op.contract, strict=True)):
        right[c] = left[a]
    return tuple(left), tuple(right)


def _dot_result_names(op: DotOp, names: tuple[Names, Names]) -> Names:
    found: dict[int, Name] = {}
    for k in range(2):
        moves = moves_of(op, k)
        assert moves is not None
        found.update({place: names[k][d] for d, place in moves.to.items()})
    return tuple(found[k] for k in range(len(found)))
