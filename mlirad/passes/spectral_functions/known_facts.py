"""The facts that are known while a function is read, and the questions that rules ask about them.

known.is_factor(fact, core, places, kept)      whether an array may be a factor of the columns of vectors
known.moved(op)                                the fact that an op which moves elements passes on
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from mlirad.dialects.array.reductions import DotOp, SumOp
from mlirad.dialects.shapes import Value, shape_of
from mlirad.ir.free_values import own_operands
from mlirad.passes.spectral_functions import pairs
from mlirad.passes.spectral_functions.dimension_moves import moves_of
from mlirad.passes.spectral_functions.facts import (
    Component,
    Diagonal,
    Fact,
    Frame,
    Mixed,
    Products,
    Site,
    Spectral,
    Term,
    Vectors,
)
from mlirad.passes.spectral_functions.moved_facts import label_moved, mixed_moved
from mlirad.passes.spectral_functions.named import Name, Names

NO_FRAMES: frozenset[Frame] = frozenset()


class KnownFacts:
    """Facts about values; `sites` are sums over columns, by the ops that make them."""

    def __init__(self, *, with_traces: bool):
        self.facts: dict[Value, Fact] = {}
        self.halves: dict[Value, Products] = {}
        """Sums over columns of products of real parts, which need those of the imaginary parts, too."""
        self.sites: dict[Operation, Site] = {}
        self.through: dict[Value, int] = {}
        """The operand whose vectors an array has."""
        self.read: dict[Operation, frozenset[Value]] = {}
        """The operands whose vectors, or values, are accounted for in what is known of the result."""
        self.used: set[Value] = set()
        self._cores: set[Value] = set()
        """The arrays that the op at hand reads as vectors, and those whose values it reads as factors."""
        self.with_traces = with_traces
        self._frames: dict[Value, frozenset[Frame]] = {}
        """The frames whose vectors or values a value depends on, in a way that is not known."""
        self._known: dict[Value, frozenset[Frame]] = {}
        """Those on which it depends in the way that is known: a sum over all columns has none of these."""

    def frames_of(self, x: Value) -> frozenset[Frame]:
        """All frames that a value depends on."""
        return self._frames.get(x, NO_FRAMES) | self._known.get(x, NO_FRAMES)

    def is_factor(
        self,
        fact: Vectors | Mixed | Spectral | Products,
        core: Value,
        places: Sequence[Name],
        kept: Sequence[Name],
    ) -> bool:
        """Return whether an array is a function of the value of each column, or the same for all.

        `places` says where its dimensions are, and `kept` where the batch and the columns of `fact` are.
        """
        if kept[-1] not in places:
            return True
        known = self.facts.get(core)
        if isinstance(known, Spectral) and (known.frame, known.pick) == (fact.frame, fact.pick):
            are_aligned = [places[k] for k in known.kept] == list(kept)
            if are_aligned:
                self._cores.add(core)
            return are_aligned
        return fact.frame not in self.frames_of(core)

    def factors(self, part: Component, names: Names) -> list[Term]:
        """The factors of a part of a sum of arrays of vectors, by the names of the dimensions of the sum."""
        fact = self.facts[part.value]
        assert isinstance(fact, Vectors)
        own = [Term(f.value, tuple(names[part.dims[d]] for d in f.dims), f.how) for f in fact.factors]
        return own + [Term(f.value, tuple(names[d] for d in f.dims), f.how) for f in part.factors]

    def moved(self, op: Operation) -> Fact | None:
        """The moved vectors, or values, if an op moves or takes some of them."""
        for k, operand in enumerate(own_operands(op)):
            fact = self.facts.get(operand)
            if fact is None or (isinstance(op, DotOp) and not _is_free(op, k, fact)):
                continue
            if isinstance(op, SumOp) and isinstance(fact, Spectral | Mixed):
                continue
            moves = moves_of(op, k)
            if moves is None:
                continue
            self.through[op.results[0]] = k
            self.used = {operand}
            match fact:
                case Products():
                    return pairs.moved(fact, moves, shape_of(operand), shape_of(op.results[0]))
                case Mixed():
                    return mixed_moved(fact, moves)
                case Vectors() | Spectral():
                    return label_moved(fact, moves)
                case Diagonal():
                    continue
        return None


def _is_free(op: DotOp, k: int, fact: Fact) -> bool:
    """Return whether a contraction leaves the columns of vectors as they are."""
    return isinstance(fact, Vectors) and fact.label not in (*op.batch[k], *op.contract[k])
