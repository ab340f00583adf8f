"""The backward half of a sweep: the steps of a block taken in reverse, with a sum of cotangents per value.

    y = op x ..        a step: the cotangent of y is pulled back, and added to the sum of x

A sum is complete when every step that reads its value is taken. Of the steps that may come next, calls, loops
and branches come last, and those that only read parts of arrays come after those that pass on whole
cotangents. A part of an array waits while a whole is still to come, which may be the first (as in
`mlirad.linear_maps.apply.contributions`). So a loop whose iterations update one element of a carry and read
others costs O(1) per iteration.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from heapq import heappop, heappush
from typing import TypeAlias

from xdsl.dialects.builtin import LocationAttr

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.free_values import own_operands
from mlirad.lazy_dataclass import dataclass
from mlirad.linear_maps.apply.evaluator import MapEvaluator
from mlirad.linear_maps.apply.in_place import PARTS, accumulate_transposed
from mlirad.linear_maps.apply.primitives import apply_transposed
from mlirad.linear_maps.elements import as_value, value_of

Cotangents: TypeAlias = "Sequence[Value | None]"
"""Cotangents, `None` where they are zero."""

ORDINARY, HANDS_ON_WHOLES, READS_PARTS = range(3)
"""The kinds of steps by how long they wait for others."""


@dataclass(frozen=True)
class BackwardStep:
    """Pulls the cotangents of `results` back, and adds to the accumulators of `inputs`.

    All are source values. Of the inputs those in `wholes` may be handed a whole cotangent.
    """

    results: Sequence[Value]
    inputs: Collection[Value]
    wholes: Collection[Value]
    pull: Callable[[Backward, Cotangents], None]
    location: LocationAttr
    waits: int = ORDINARY


class Backward:
    """The sums of cotangents of the source values of a block, while its steps are taken."""

    def __init__(self, b: ArrayBuilder, steps: Sequence[BackwardStep]):
        self.b = b
        self.sums: dict[Value, Value] = {}
        self._steps = steps
        self._makers = {v: n for n, step in enumerate(steps) for v in step.results}
        self._readers = Counter(v for step in steps for v in step.inputs)
        self._wholes = Counter(v for step in steps for v in step.wholes)
        self._untaken = [sum(self._readers[v] > 0 for v in step.results) for step in steps]
        self._ready: list[tuple[int, int]] = []
        self._waiting: dict[Value, list[tuple[linear.MapOp, Value]]] = {}

    def add(self, value: Value, cotangent: Value) -> None:
        """Add a whole cotangent to the sum of a source value."""
        known = self.sums.get(value)
        self.sums[value] = cotangent if known is None else self.b.add(known, cotangent)

    def taken_sum(self, value: Value) -> Value:
        """The sum of a source value, zeros where none has begun."""
        return value_of(self.b, self.sums.get(value), value.type)

    def add_pulled(self, value: Value, tangent_map: Value, cotangent: Value) -> None:
        """Add the image of a cotangent under the transpose of a local map, of several composed or a spine.

        A spine, whose nodes share others, is what has sums of maps in it.
        """
        if not is_chain(tangent_map):
            self._add_swept(value, tangent_map, cotangent)
            return
        op = tangent_map.owner
        while isinstance(op, linear.ComposeOp):
            outer, inner = own_operands(op)
            image = self._image(outer, cotangent)
            if image is None:
                return
            cotangent, op = image, inner.owner
        match op:
            case linear.ZeroOp():
                pass
            case linear.IdentityOp():
                self.add(value, cotangent)
            case linear.PrimitiveMapOp():
                if isinstance(op, PARTS) and self._wholes[value] > 0:
                    self._waiting.setdefault(value, []).append((op, cotangent))
                else:
                    self._add_image(value, op, cotangent)
            case _:
                raise AssertionError(f"no local map: {op}")

    def _image(self, tangent_map: Value, cotangent: Value) -> Value | None:
        op = tangent_map.owner
        if isinstance(op, linear.ComposeOp):
            outer, inner = own_operands(op)
            image = self._image(outer, cotangent)
            return None if image is None else self._image(inner, image)
        if isinstance(op, linear.IdentityOp):
            return cotangent
        if isinstance(op, linear.ZeroOp):
            return None
        assert isinstance(op, linear.PrimitiveMapOp), op
        image = apply_transposed(self.b, op, {}, cotangent)
        return None if image is None else as_value(image)

    def _add_image(self, value: Value, op: linear.PrimitiveMapOp, cotangent: Value) -> None:
        found = accumulate_transposed(self.b, op, {}, self.sums.get(value), cotangent)
        if found is not None:
            self.sums[value] = as_value(found)

    def _add_swept(self, value: Value, tangent_map: Value, cotangent: Value) -> None:
        op = tangent_map.owner
        assert isinstance(op, linear.MapOp)
        before = self.sums.get(value)
        (found,) = MapEvaluator(self.b, op, {}).transposed_onto({}, tangent_map, [cotangent], [before])
        if found is not None:
            self.sums[value] = as_value(found)

    def run(self) -> None:
        """Take all steps; the sums of what no step makes remain."""
        for n, count in enumerate(self._untaken):
            if not count:
                self._push(n)
        while self._ready:
            step = self._steps[-heappop(self._ready)[1]]
            self._wholes.subtract(list(step.wholes))
            for v in step.results:
                self._finish(v)
            cotangents: Cotangents = [self.sums.pop(v, None) for v in step.results]
            if any(ct is not None for ct in cotangents):
                self.b.location = step.location
                step.pull(self, cotangents)
            for v in step.inputs:
                self._readers[v] -= 1
                if not self._readers[v] and v in self._makers:
                    self._untaken[self._makers[v]] -= 1
                    if not self._untaken[self._makers[v]]:
                        self._push(self._makers[v])
        for v in list(self._waiting):
            self._finish(v)

    def _finish(self, value: Value) -> None:
        """Add the parts that waited for the sum of a value to begin."""
        for op, cotangent in self._waiting.pop(value, ()):
            assert isinstance(op, linear.PrimitiveMapOp)
            self._add_image(value, op, cotangent)

    def _push(self, n: int) -> None:
        heappush(self._ready, (self._steps[n].waits, -n))


def is_chain(tangent_map: Value) -> bool:
    """Return whether a map is local, or local maps composed."""
    op = tangent_map.owner
    if isinstance(op, linear.ComposeOp):
        return all(is_chain(part) for part in own_operands(op))
    return not isinstance(op, linear.AddOp)
