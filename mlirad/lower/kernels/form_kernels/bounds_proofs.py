"""Proofs that indices lie inside arrays: always, or where conditions hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from mlirad.dialects.extents import at_most, is_static
from mlirad.dialects.shapes import Value
from mlirad.ir.affine import Affine, AffineForms, Fact
from mlirad.ir.arrays import ArrayBuilder
from mlirad.lower.large_sizes import are_static

Guard: TypeAlias = tuple[Value, ...]
"""Conditions."""


class Inside:
    """Answers for positions that are computed in the body of one kernel, by their affine forms and ranges."""

    def __init__(self, builder: ArrayBuilder):
        self._b = builder
        self._forms = AffineForms()
        self.loops: dict[Value, int] = {}
        """The indices of the kernel's loops, and their extents."""

    def is_inside(self, p: Value, extent: int, guard: Guard) -> bool:
        """Return whether a position lies inside its dimension wherever the guard holds."""
        return self.stays_inside(p, extent) or self.proof(p, extent, guard) is not None

    def stays_inside(self, p: Value, extent: int) -> bool:
        """Return whether a position lies inside its dimension whatever the loops are at."""
        if self._b.ranges.inside(p, extent):
            return True
        span = (
            None if is_static(extent) and are_static(self.loops.values()) else self._span(self._forms.of(p))
        )
        return span is not None and at_most(0, span[0]) and at_most(span[1], extent - 1)

    def _span(self, form: Affine) -> tuple[int, int] | None:
        """The least and the greatest value of a form over all loops; None where it has other variables."""
        low = high = form.constant
        for variable, coefficient in form.terms:
            extent = self.loops.get(variable)
            known = self._b.ranges.interval(variable) if extent is None else (0, extent - 1)
            if known is None or not is_static(coefficient):
                return None
            reach = [coefficient * end for end in known]
            low, high = low + reach[coefficient < 0], high + reach[coefficient > 0]
        return low, high

    def proof(self, p: Value, extent: int, guard: Guard) -> list[Value] | None:
        """Conditions of the guard from which `0 <= p < extent` follows, if there are such.

        Of a position that may wrap, facts of the form say that the form lies inside and so does not wrap, and
        facts of the value that the value does; one of either says nothing.
        """
        form, ranges = self._forms.of(p), self._b.ranges
        facts = [fact for g in guard for fact in self._forms.facts(g, ranges)]
        exact = [fact for fact in facts if fact.wrapped is None]
        same = [fact for fact in facts if fact.wrapped == form]
        kinds = [[*exact, *same]] if self._forms.is_exact(p, ranges) else [exact, same]
        proofs = (self._proof_from(p, extent, kind) for kind in kinds)
        return next((proof for proof in proofs if proof is not None), None)

    def _proof_from(self, p: Value, extent: int, facts: Sequence[Fact]) -> list[Value] | None:
        """The conditions of those of these facts from which `0 <= p < extent` follows."""
        form = self._forms.of(p)
        found: list[Value] = []
        interval = self._b.ranges.interval(p)
        bounds: list[Affine] = []
        if interval is None or interval[0] < 0:
            bounds.append(form)
        if interval is None or not at_most(interval[1] + 1, extent):
            bounds.append(form.times(-1).plus(extent - 1))
        for bound in bounds:
            reason = next((fact.condition for fact in facts if fact.implies(bound)), None)
            if reason is None:
                return None
            found.append(reason)
        return found
