"""Finds the sums over all eigenvectors, or singular vectors, in a function: where spectral functions are.

    %w = array.eigh values %a            Spectral
    %v = array.eigh vectors %a           Vectors
    %f = array.exp %w                    Spectral
    %u = array.mul %v, (broadcast %f)    Vectors, with the factor %f
    %y = array.dot %u, %v                a site: the sum over the columns of products of two of their elements

Every op is read once, in program order. A rule finds what is known of the result from what is known of the
operands; what no rule knows is an array like any other. A factor of vectors has to be a function of their
value alone, and of numbers that are the same for all columns or do not depend on the matrix at all: an array
that depends on the matrix in another way, such as another eigenvector, makes the product something else. A
value that is constant between jumps, such as a sign or a comparison, does not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.reductions import DotOp, SumOp
from mlirad.dialects.array.structural import SliceOp
from mlirad.dialects.shapes import Value, is_float, shape_of
from mlirad.ir.builder import function_block
from mlirad.ir.free_values import free_values, own_operands
from mlirad.ir.structural import scalar_of
from mlirad.passes.spectral_functions import pairs
from mlirad.passes.spectral_functions.contracted_facts import contracted, summed
from mlirad.passes.spectral_functions.diagonals import diagonal, identity_dims
from mlirad.passes.spectral_functions.facts import (
    Diagonal,
    Fact,
    Factor,
    Frame,
    How,
    Mixed,
    Products,
    Spectral,
    Term,
    Vectors,
)
from mlirad.passes.spectral_functions.jets import unrepeated
from mlirad.passes.spectral_functions.known_facts import NO_FRAMES, KnownFacts
from mlirad.passes.spectral_functions.named import Names
from mlirad.passes.spectral_functions.signatures import signature
from mlirad.passes.spectral_functions.sources import (
    FRAMES,
    HIGHEST_ORDER,
    NESTING,
    complex_part,
    frame_of,
    known_of,
)
from mlirad.rules.elementwise_derivatives import FLAT


class Reading(KnownFacts):
    """The facts about the values of a function; `sites` are sums over columns, by the ops that make them.

    The function is differentiated `order` times.
    """

    def __init__(self, function: FuncOp, order: int):
        super().__init__(with_traces=order > 1)
        if order <= HIGHEST_ORDER:
            self._visit_block(function_block(function), frozenset())

    def _visit_block(self, block: Block, around: frozenset[Frame]) -> None:
        for argument in block.args:
            self._frames[argument] = around
        for op in block.ops:
            self._visit(op)

    def _visit(self, op: Operation) -> None:
        if isinstance(op, NESTING):
            frames = frozenset[Frame]().union(*map(self.frames_of, free_values(op)))
            for result in op.results:
                self._frames[result] = frames
            for region in op.regions:
                self._visit_block(region.block, frames)
            return
        if len(op.results) == 1:
            self._find(op)
        read = self.read.get(op, frozenset())
        frames = (
            self.frames_of(v) if v not in read else self._frames.get(v, NO_FRAMES) for v in free_values(op)
        )
        found = NO_FRAMES.union(*frames)
        for result in op.results:
            is_smooth = is_float(result) and not isinstance(op, FLAT)
            self._frames[result] = found if is_smooth else NO_FRAMES
        if isinstance(op, FRAMES):
            self._known[op.result] = frozenset((frame_of(op),))
        elif op not in self.sites and read:
            self._known[op.results[0]] = NO_FRAMES.union(*(self._known.get(v, NO_FRAMES) for v in read))

    def _find(self, op: Operation) -> None:
        """Enter what is known of the result of an op."""
        self.used.clear()
        self._cores.clear()
        fact, (result,) = self._fact(op), op.results
        if fact is not None:
            self.facts[result] = fact
        if fact is not None or op in self.sites or result in self.halves:
            self.read[op] = frozenset(o for o in own_operands(op) if o in self.used or self._is_core(o))

    def _is_core(self, x: Value) -> bool:
        """Tell whether an operand repeats values that are read as factors, or has them as a diagonal."""
        fact = self.facts.get(x)
        return (fact.value if isinstance(fact, Diagonal) else unrepeated(x)[0]) in self._cores

    def _fact(self, op: Operation) -> Fact | None:
        if isinstance(op, FRAMES):
            return known_of(op)
        if isinstance(op, SliceOp):
            part = complex_part(op)
            if part is not None:
                self.used.add(op.operand)
                return known_of(part[0])
        if not any(o in self.facts or o in self.halves for o in own_operands(op)):
            return self._diagonal(op)
        rule = _RULES.get(type(op))
        found = None if rule is None else rule(self, op)
        if isinstance(found, Products) and found.is_closed:
            if found.is_whole:
                self.sites[op] = found
            else:
                self.halves[op.results[0]] = found
            return None
        if found is not None or op in self.sites:
            return found
        self.used.clear()
        return self._elementwise(op) if isinstance(op, ew.ElementwiseOp) else self.moved(op)

    def _scaled(self, fact: Fact | None, x: Value, how: How) -> Fact | None:
        """Vectors, or products of two, times an array of their shape."""
        core, dims = unrepeated(x)
        if isinstance(fact, Vectors | Mixed):
            if not self.is_factor(fact, core, dims, fact.kept):
                return None
            factor = Factor(core, dims, how)
            if isinstance(fact, Mixed):
                parts = tuple(replace(part, factors=(*part.factors, factor)) for part in fact.parts)
                return replace(fact, parts=parts)
            return fact if fact.label not in dims else replace(fact, factors=(*fact.factors, factor))
        if isinstance(fact, Products) and all(n in fact.names for n in fact.kept):
            names = tuple(fact.names[d] for d in dims)
            if self.is_factor(fact, core, names, fact.kept):
                return pairs.weighted(fact, Term(core, names, how))
        return None

    # Elementwise -----------------------------------------------------------------------------------

    def _elementwise(self, op: ew.ElementwiseOp) -> Fact | None:
        """Return what is computed of values is a function of them, if all else is a factor.

        Numbers that are constant, or nothing, to derivatives do not count.
        """
        if isinstance(op, ew.StopGradientOp | ew.DeviationOp):
            return None
        known = [self.facts.get(o) for o in own_operands(op)]
        fact = next((f for f in known if isinstance(f, Spectral)), None)
        if fact is None:
            return None
        for operand, other in zip(own_operands(op), known, strict=True):
            if isinstance(other, Spectral):
                if other != fact:
                    return None
            elif not self.is_factor(fact, *unrepeated(operand), fact.kept):
                return None
        self.used.update(o for o, other in zip(own_operands(op), known, strict=True) if other == fact)
        return fact

    def _diagonal(self, op: Operation) -> Fact | None:
        """A diagonal matrix of numbers that are not values of a frame."""
        match op:
            case ew.MulOp():
                return self._diagonal_product(op)
            case ew.SelectOp() if scalar_of(op.on_false) == 0:
                ends = identity_dims(op.condition)
                return None if ends is None else self._diagonal_of(op.on_true, ends)
            case _:
                return None

    def _diagonal_product(self, op: ew.MulOp | ew.AbsorbingMulOp) -> Diagonal | None:
        left, right = own_operands(op)
        for x, y in ((left, right), (right, left)):
            ends = identity_dims(x)
            if ends is not None:
                return self._diagonal_of(y, ends)
        return None

    def _diagonal_of(self, x: Value, ends: tuple[int, int]) -> Diagonal | None:
        if isinstance(self.facts.get(x), Spectral):
            self.used.add(x)
        return diagonal(x, ends)

    def product(self, op: ew.MulOp | ew.AbsorbingMulOp) -> Fact | None:
        """Vectors times a factor, products of vectors, or a diagonal matrix."""
        left, right = own_operands(op)
        a, c = self.facts.get(left), self.facts.get(right)
        if isinstance(a, Vectors | Mixed) and isinstance(c, Vectors | Mixed):
            sums = Mixed.of(a, left), Mixed.of(c, right)
            if sums[0].aligned(sums[1]):
                self.used.update((left, right))
                names: Names = tuple(("d", k) for k in range(len(shape_of(left))))
                return pairs.multiplied(*sums, (names, names), names, self.factors)
        for k, (fact, x) in enumerate(((a, right), (c, left))):
            found = self._scaled(fact, x, "times")
            if found is not None:
                self.through[op.results[0]] = k
                self.used.add(own_operands(op)[k])
                return found
        return self._diagonal_product(op)

    def quotient(self, op: ew.DivOp) -> Fact | None:
        """Vectors, or products of two, divided by an array."""
        self.used.add(op.lhs)
        return self._scaled(self.facts.get(op.lhs), op.rhs, "over")

    def chosen(self, op: ew.SelectOp) -> Fact | None:
        """Vectors where a condition holds, and 0 elsewhere; or a diagonal matrix."""
        choices: tuple[tuple[Value, Value, How], ...] = (
            (op.on_true, op.on_false, "where"),
            (op.on_false, op.on_true, "unless"),
        )
        for k, (x, zero, how) in enumerate(choices, 1):
            if scalar_of(zero) != 0:
                continue
            ends = identity_dims(op.condition)
            if ends is not None and how == "where":
                return self._diagonal_of(x, ends)
            fact = self.facts.get(x)
            self.through[op.result] = k
            self.used.add(x)
            if shape_of(op.condition) != shape_of(x):
                # One condition for all elements.
                return fact if isinstance(fact, Vectors) else None
            return self._scaled(fact, op.condition, how)
        return None

    def negated(self, op: ew.NegOp) -> Fact | None:
        """Vectors, or products of two, with the other sign."""
        self.used.add(op.operand)
        half = self.halves.get(op.operand)
        if half is not None:
            return pairs.negated(half)
        fact = self.facts.get(op.operand)
        if isinstance(fact, Mixed):
            return replace(fact, parts=tuple(replace(part, sign=-part.sign) for part in fact.parts))
        if isinstance(fact, Vectors):
            return fact
        return pairs.negated(fact) if isinstance(fact, Products) else None

    def converted(self, op: ew.ConvertOp) -> Fact | None:
        """Vectors in another precision."""
        self.used.add(op.operand)
        fact = self.facts.get(op.operand)
        return fact if isinstance(fact, Vectors) and is_float(op.result) else None

    def added(self, op: ew.AddOp | ew.SubOp) -> Fact | None:
        """Sums of vectors, or of products of two."""
        left, right = own_operands(op)
        self.used.update((left, right))
        is_difference = isinstance(op, ew.SubOp)
        a, c = self.facts.get(left), self.facts.get(right)
        if isinstance(a, Vectors | Mixed) and isinstance(c, Vectors | Mixed):
            return self._mixed(left, right, a, c, is_difference=is_difference)
        one, other = self.halves.get(left, a), self.halves.get(right, c)
        if not isinstance(one, Products) or not isinstance(other, Products):
            return None
        other = pairs.negated(other) if is_difference else other
        return pairs.joined(
            one, other, lambda x, turned: signature(x, self.facts, self.through, turned=turned)
        )

    def _mixed(
        self, left: Value, right: Value, a: Vectors | Mixed, c: Vectors | Mixed, *, is_difference: bool
    ) -> Fact | None:
        """A sum of arrays of vectors: vectors again if their factors are the same."""
        if isinstance(a, Vectors) and a == c:
            return a
        one, other = Mixed.of(a, left), Mixed.of(c, right)
        if not one.aligned(other) or one.side != other.side:
            return None
        sign = -1 if is_difference else 1
        parts = (*one.parts, *(replace(part, sign=sign * part.sign) for part in other.parts))
        return replace(one, parts=parts) if len(parts) <= pairs.MOST_PAIRS else None

    # Moves -----------------------------------------------------------------------------------------


_RULES: dict[type[Operation], Callable[[Reading, Any], Fact | None]] = {
    ew.MulOp: Reading.product,
    ew.AbsorbingMulOp: Reading.product,
    ew.DivOp: Reading.quotient,
    ew.SelectOp: Reading.chosen,
    ew.NegOp: Reading.negated,
    ew.ConvertOp: Reading.converted,
    ew.AddOp: Reading.added,
    ew.SubOp: Reading.added,
    SumOp: summed,
    DotOp: contracted,
}
"""The reading rules of ops that do more than move elements."""
