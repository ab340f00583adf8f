"""Packs: buffers read along a strided lane are copied once into lane order.

    %t = kernel.nest %x (%i, %j) {space = [1000, 10], ..., layouts = [[1, 0]]} : ... { yield load %x[%i, %j] }

is a value equal to %x, stored with dimension 0 innermost: loads whose lanes run along that dimension read it
instead, contiguously. One copy serves all its readers.
"""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects.builtin import ArrayAttr, i64
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.extents import at_most, divides, nominal
from mlirad.dialects.kernel import LoadIfOp, LoadOp, NestOp
from mlirad.dialects.shapes import Shape, Value, element_of, integer, ints, is_float, shape_of
from mlirad.lower.cpu.schedule_kernels.lanes import packable_dimension
from mlirad.lower.cpu.schedule_kernels.profiles import Profile, layout_of, row_major
from mlirad.lower.machine import element_bytes

COPY_TILE = 8
"""The number of neighbours in the source that a copy reads before it moves on: about one cache line."""


class Packs:
    """The copies made so far in one function, and the layouts of all buffers, to which it adds theirs."""

    def __init__(self, layouts: dict[Value, Shape], vector_bytes: int):
        self.layouts = layouts
        self._vector_bytes = vector_bytes
        self._made: dict[tuple[Value, int], Value] = {}

    def pack_inputs(self, op: NestOp, p: Profile, lane: int) -> None:
        """Let the nest's loads with strided lanes read copies, where that pays. Updates its profile."""
        replaced: list[Value] = []
        for k, load in enumerate(p.loads):
            strides = load.strides(self.layouts)
            if not strides or strides[lane] in (0, 1, -1, None):
                continue
            d = packable_dimension(p, load, lane)
            if d is None:
                continue
            copy = self._copy(op, load.buffer, d)
            load.op.operands[1 if isinstance(load.op, LoadIfOp) else 0] = copy
            replaced.append(load.buffer)
            p.loads[k] = replace(load, buffer=copy)
        if replaced:
            self._state_inputs(op, replaced, p)

    def _state_inputs(self, op: NestOp, replaced: list[Value], p: Profile) -> None:
        """The operands of the nest: those still loaded from, and the copies."""
        loaded = {o.buffer for o in op.body.block.ops if isinstance(o, LoadOp | LoadIfOp)}
        kept = [v for v in op.operands if v in loaded or v not in replaced]
        copies = dict.fromkeys(load.buffer for load in p.loads if load.buffer not in op.operands)
        op.operands = [*kept, *copies]

    def _copy(self, before: Operation, buffer: Value, innermost: int) -> Value:
        """The copy of a buffer with one dimension innermost.

        If it is new it is made before `before`, outside of the loops that do not change the buffer.
        """
        key = (buffer, innermost)
        known = self._made.get(key)
        if known is None:
            source = layout_of(buffer, self.layouts)
            order = (*(d for d in row_major(len(source)) if d != innermost), innermost)
            nest = copy_nest(buffer, source, order, self._vector_bytes)
            nest.location = before.location
            home = buffer.owner if isinstance(buffer.owner, Block) else buffer.owner.parent
            while before.parent is not home:
                around = before.parent_op()
                assert around is not None
                before = around
            assert home is not None
            home.insert_op_before(nest, before)
            known = self._made[key] = nest.roots[0]
            known.name_hint = None if buffer.name_hint is None else f"{buffer.name_hint}_packed"
            if order != row_major(len(order)):
                self.layouts[known] = order
        return known


def copy_nest(buffer: Value, source: Shape, order: Shape, vector_bytes: int) -> NestOp:
    """A nest that copies a buffer stored in `source` order into a new one stored in `order`: in squares of
    lanes, which are transposed in registers, where both have as many neighbours.
    """
    shape = shape_of(buffer)
    block = Block(arg_types=[i64] * len(shape))
    load = LoadOp.create(operands=[buffer, *block.args], result_types=[element_of(buffer)])
    block.add_ops([load, YieldOp.create(operands=[load.result])])
    properties: dict[str, Attribute] = {"space": ints(shape), "reduction": ints(()), "order": ints(order)}
    if order != row_major(len(order)):
        properties["layouts"] = ArrayAttr([ints(order)])
    line, innermost, element = source[-1], order[-1], element_of(buffer)
    lanes = vector_bytes // element_bytes(element)
    if (
        is_float(buffer)
        and line != innermost
        and at_most(lanes, shape[line])
        and at_most(lanes, shape[innermost])
    ):
        properties["order"] = ints((*(d for d in order if d not in (line, innermost)), innermost, line))
        properties |= {"lane": integer(line), "width": integer(lanes)}
        properties |= {"tile_dim": integer(innermost), "tile": integer(lanes)}
        return _copying(buffer, properties, block)
    most = min(COPY_TILE, nominal(shape[line]))
    tile = next((t for t in range(most, 3, -1) if divides(t, shape[line])), 0)
    if tile:
        properties["tile_dim"] = integer(line)
        properties["tile"] = integer(tile)
    return _copying(buffer, properties, block)


def _copying(buffer: Value, properties: dict[str, Attribute], block: Block) -> NestOp:
    return NestOp.create(
        operands=[buffer], result_types=[buffer.type], properties=properties, regions=[Region(block)]
    )
