"""Scans that work element by element, and the recurrences that they are.

Every kernel of the body is a map over one space, or computes a scalar. From the iteration, a carry or the
result of another kernel, it reads its own element only; of arrays from outside, slices of stacked ones
included, it may read any.

    carry      a tensor over the space, or a scalar that nobody reads after the loop
    slice      element p of slice k of %xs     load %xs[k, p]
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.kernel import LoadIfOp, LoadOp, NestOp, RecurrenceOp
from mlirad.dialects.kernel.nests import is_element_wise
from mlirad.dialects.shapes import (
    FLAG,
    Shape,
    Value,
    array_type,
    element_of,
    integer,
    ints,
    shape_of,
    values_of,
)
from mlirad.ir.builder import yields
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.large_sizes import is_loop


@dataclass(frozen=True)
class ElementLoop:
    """A scan that works element by element, its kernels, and the space of its elements.

    `kept` are the numbers of the stacked results that are read.
    """

    op: ScanOp
    nests: Sequence[NestOp]
    space: Shape
    kept: Sequence[int]

    @staticmethod
    def of(op: ScanOp) -> ElementLoop | None:
        """The loop that a scan is, None if it does more than work element by element."""
        block = op.body.block
        nests = [inner for inner in block.ops if isinstance(inner, NestOp)]
        if not op.carry_count or not is_loop(op.iterations) or len(nests) != len(block.ops) - 1:
            return None
        space = max((values_of(nest.space) for nest in nests), key=len, default=())
        if not space or not all(_is_map(nest, space) for nest in nests):
            return None
        read = [k for k, result in enumerate(op.stacked) if result.first_use is not None]
        loop = ElementLoop(op, nests, space, read)
        return loop if loop._is_closed() and all(loop._reads_own(nest) for nest in nests) else None

    @property
    def carries(self) -> Sequence[Value]:
        """The carries in the body."""
        return self.op.body.block.args[1 : 1 + self.op.carry_count]

    def _is_closed(self) -> bool:
        """Return whether carries and what is read of the results are elements of the space."""
        made, count = yields(self.op.body), self.op.carry_count
        for carry, value, result in zip(self.carries, made, self.op.final, strict=False):
            is_unread_scalar = not shape_of(carry) and result.first_use is None
            if not is_unread_scalar and shape_of(carry) != self.space:
                return False
            if isinstance(value.owner, Block) and value not in self.carries:
                return False
        stacked = [made[count + k] for k in self.kept]
        return all(shape_of(value) == self.space and self._is_own(value) for value in stacked)

    def _is_own(self, value: Value) -> bool:
        """Return whether a value is the iteration, a carry or what a kernel of the body makes."""
        block = self.op.body.block
        return value.owner in self.nests or value is block.args[0] or value in self.carries

    def _reads_own(self, nest: NestOp) -> bool:
        """Return whether a kernel reads what the loop makes at its own element."""
        here: Sequence[Value] = nest.body.block.args
        return all(
            not self._is_own(inner.buffer)
            or (isinstance(inner, LoadOp) and list(inner.positions) == list(here)[: len(inner.positions)])
            for inner in nest.body.block.ops
            if isinstance(inner, LoadOp | LoadIfOp)
        )

    def recurrence(self) -> RecurrenceOp:
        """The recurrence that the scan is, which is put nowhere yet."""
        return _recurrence(self)

    def replace_by(self, new: RecurrenceOp) -> None:
        """Put the recurrence in the place of the scan."""
        op = self.op
        results = [*op.final, *(op.stacked[k] for k in self.kept)]
        for old, result in zip(results, new.roots, strict=True):
            result.name_hint = old.name_hint
            if old.first_use is not None:
                old.replace_all_uses_with(result)
        block = op.parent
        assert block is not None
        block.insert_op_before(new, op)
        op.detach()
        op.erase(safe_erase=False)


def _is_map(nest: NestOp, space: Shape) -> bool:
    own = values_of(nest.space)
    unscheduled = all(p in ("space", "reduction") for p in nest.properties)
    return not values_of(nest.reduction) and is_element_wise(nest) and own in ((), space) and unscheduled


def _recurrence(loop: ElementLoop) -> RecurrenceOp:
    op, space = loop.op, loop.space
    types: list[Attribute] = [i64] * (len(space) + 1)
    types += [element_of(carry) for carry in loop.carries]
    block = Block(arg_types=types)
    inside = _Inside(loop, block)
    for nest in loop.nests:
        inside.add(nest)
    made, count = yields(op.body), op.carry_count
    yielded = [inside.elements[made[k]] for k in (*range(count), *(count + k for k in loop.kept))]
    block.add_op(YieldOp.create(operands=yielded))
    read = [o.buffer for o in block.ops if isinstance(o, LoadOp | LoadIfOp)]
    results = [array_type(space, element_of(v)) for v in op.init]
    results += [op.stacked[k].type for k in loop.kept]
    properties: dict[str, Attribute] = {
        "carries": integer(count),
        "space": ints(space),
        "length": integer(op.iterations),
    }
    if op.reverse is not None:
        properties["reverse"] = FLAG
    return RecurrenceOp.create(
        operands=[*op.init, *dict.fromkeys(read)],
        result_types=results,
        properties=properties,
        regions=[Region(block)],
        location=op.location,
    )


class _Inside:
    """The body of a recurrence being written: the scalar that each array of the scan's body is there."""

    def __init__(self, loop: ElementLoop, block: Block):
        op = loop.op
        self._block = block
        self._indices = block.args[: len(loop.space)]
        self._iteration = block.args[len(loop.space)]
        arguments = op.body.block.args
        self.elements: dict[Value, Value] = {arguments[0]: self._iteration}
        self.elements.update(zip(loop.carries, block.args[len(loop.space) + 1 :], strict=True))
        self._wholes: dict[Value, Value] = dict(zip(arguments[1 + op.carry_count :], op.xs, strict=True))
        self._known: dict[object, Value] = {}

    def add(self, nest: NestOp) -> None:
        """Write the body of a kernel; what is computed already is not computed again."""
        body = nest.body.block
        env: dict[Value, Value] = dict(zip(body.args, self._indices, strict=False))
        for op in list(body.ops)[:-1]:
            result = op.results[0]
            if isinstance(op, LoadOp) and op.buffer in self.elements:
                env[result] = self.elements[op.buffer]
                continue
            env[result] = self._entered(op, [env.get(o, o) for o in op.operands])
        self.elements.update(zip(nest.roots, (env[v] for v in yields(nest.body)), strict=True))

    def _entered(self, op: Operation, operands: list[Value]) -> Value:
        """An op of a body on these operands; slices are read in the arrays that they are slices of."""
        if isinstance(op, LoadOp | LoadIfOp) and op.buffer in self._wholes:
            at = operands.index(op.buffer)
            operands[at : at + 1] = [self._wholes[op.buffer], self._iteration]
        properties = sorted(op.properties.items(), key=lambda item: item[0])
        key = (type(op), *operands, op.results[0].type, *properties)
        known = self._known.get(key)
        if known is None:
            new = type(op).create(
                operands=operands,
                result_types=[op.results[0].type],
                properties=dict(op.properties),
                location=op.location,
            )
            self._block.add_op(new)
            known = self._known[key] = new.results[0]
            known.name_hint = op.results[0].name_hint
        return known
