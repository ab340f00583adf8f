"""A masked sum as a scatter of the terms whose condition holds (`masked_sums.py`).

Where the condition is looked for along one dimension of n elements, a nest sums j + n over the positions j
at which it holds. A sum below 2 n is that of one position, so the scatter need not search:

    x = [3, 1, 4]   min 1   j + 3 = [., 4, .]    sum 4: position 1
    x = [1, 1, 4]   min 1   j + 3 = [3, 4, .]    sum 7: a tie

The derivative counts the ties in the same nest, once these are fused.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Block

from mlirad.dialects import kernel
from mlirad.dialects.array import reductions
from mlirad.dialects.shapes import FLAG, Value, array_type, ints, keyword, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.lower.kernels.form_kernels.masked_sums import Condition
from mlirad.lower.kernels.form_kernels.nest_builder import NestBuilder
from mlirad.lower.kernels.form_kernels.reader import ElementReader


class MaskedScatters(NestBuilder):
    """Builds the scatters of a function."""

    def __init__(self, b: ArrayBuilder, buffers: Environment):
        super().__init__(b, buffers)
        self._sums: dict[tuple[Block, Value, int], Value] = {}

    def scatter(self, op: reductions.SumOp, condition: Condition) -> Value:
        """A sum as a scatter of the terms whose condition holds."""
        space = shape_of(op.operand)
        kept = [d for d in range(len(space)) if d not in values_of(op.dims)]
        searched = condition.searched
        sums = None if searched is None else self._sums_of_positions(condition.value, searched)

        def body(reader: ElementReader, p: Sequence[Value]) -> list[Value]:
            at = tuple(p[d] for d in condition.dims)
            holds = reader.at(condition.value, at)
            value = reader.at(op.operand, tuple(p), (holds,))
            yielded = [value, *(p[d] for d in kept), holds]
            if sums is not None and searched is not None:
                outside = self.b.index_constant(shape_of(condition.value)[searched])
                row = (*at[:searched], *at[searched + 1 :])
                yielded.append(self.b.sub(reader.at(sums, row), outside))
            return yielded

        region, inputs = self.region(space, body)
        properties: dict[str, Attribute] = {
            "space": ints(space),
            "kind": keyword("add"),
            "from_zero": FLAG,
            "masked": FLAG,
        }
        return self.b.emit(kernel.ScatterOp, inputs, op.result.type, properties, (region,))

    def _sums_of_positions(self, condition: Value, dim: int) -> Value:
        """The sums, along a dimension of n elements, of j + n for each position j at which a condition holds.

        A sum below 2 n is that of one position.
        """
        known = self._sums.get((self.b.block, condition, dim))
        if known is not None:
            return known
        shape = shape_of(condition)
        kept = [d for d in range(len(shape)) if d != dim]

        def body(reader: ElementReader, p: Sequence[Value]) -> list[Value]:
            loop_of = dict(zip((*kept, dim), p, strict=True))
            holds = reader.at(condition, tuple(loop_of[d] for d in range(len(shape))))
            number = self.b.add(p[-1], self.b.index_constant(shape[dim]))
            return [self.b.select(holds, number, self.b.index_constant(0))]

        space = tuple(shape[d] for d in kept)
        sums = self.nest(space, (shape[dim],), "add", array_type(space, i64), body)
        self.buffers[sums] = sums
        self._sums[self.b.block, condition, dim] = sums
        return sums
