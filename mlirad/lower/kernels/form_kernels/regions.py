"""Preparation of loops and branches for kernels: loop-invariant ops outside, captured values in memory.

    %y = array.scan %c (%i, %a : f64) {...} {   %e is made once, before the loop, and stored: the iterations
      %e = array.exp %x : tensor<9xf64>         read its elements
      ...

Nothing is moved in the source: `Bodies` lists the ops of each region without those that belong outside. All
ops except calls, data-dependent loops and reads of activation records can always run, so they may run before
a loop that makes no iteration. Branches keep their ops: only one of them is to run.

A captured value is stored by the code outside unless recomputing it in each iteration is as cheap as a load:
structural ops, index code and masks are, and stay affine and constant for their readers. A branch outside of
loops runs once at most, so it recomputes other elementwise code, too, if that is cheap.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.func import CallOp, ReturnOp
from xdsl.ir import Block, Operation, Region

from mlirad.dialects.array import control, indexing, structural
from mlirad.dialects.array.elementwise import ElementwiseOp
from mlirad.dialects.array.frames import NextRowOp, RestoreOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.shapes import Value, is_boolean, is_integer, shape_of
from mlirad.ir.builder import yields
from mlirad.ir.free_values import free_values
from mlirad.lower.kernels.form_kernels.materialise import (
    FREE,
    is_small_read,
    must_store,
    read_in_memory,
    scalar_cost,
)
from mlirad.lower.large_sizes import nominal_size

MAX_INDEX_COST = 4
"""Scalar cost of index code up to which it is recomputed rather than stored."""

LOOPS = (control.ScanOp, control.WhileOp, control.ReplayOp)


class Bodies:
    """The ops of every block of a function, invariant ones taken out of loops."""

    def __init__(self, block: Block):
        self._regions: dict[Region, list[Operation]] = {}
        self.main = self._flattened(block)

    def of(self, region: Region) -> list[Operation]:
        """The ops of the region of a loop or branch that are not invariant."""
        return self._regions[region]

    def _flattened(self, block: Block) -> list[Operation]:
        """The ops of a block, with the invariant ops of each loop in front of it."""
        result: list[Operation] = []
        for op in block.ops:
            if isinstance(op, control.CONTROL_OPS):
                for region in op.regions:
                    ops = self._flattened(region.block)
                    if isinstance(op, LOOPS):
                        varying = self._varying(region, ops)
                        result += [o for o in ops if o not in varying]
                        ops = [o for o in ops if o in varying]
                    self._regions[region] = ops
            if not isinstance(op, ReturnOp | YieldOp):
                result.append(op)
        return self._reads_first(result)

    def _reads_first(self, ops: list[Operation]) -> list[Operation]:
        """The ops, small reads of arrays in front of updates of these, so that the updates work in place."""
        places = {op: n for n, op in enumerate(ops)}
        last_read = {op.operands[0]: op for op in ops if is_small_read(op)}
        for update in [op for op in ops if isinstance(op, indexing.UpdateOp)]:
            last = last_read.get(update.base)
            if last is None or places[last] < places[update]:
                continue
            start, end = places[update], places[last] + 1
            behind: set[Value] = set(update.results)
            free: list[Operation] = []
            for op in ops[start + 1 : end]:
                if any(v in behind for v in self.reads(op)):
                    behind.update(op.results)
                else:
                    free.append(op)
            wanted: set[Value] = set()
            first: set[Operation] = set()
            for op in reversed(free):
                is_read = is_small_read(op) and op.operands[0] is update.base
                if is_read or any(r in wanted for r in op.results):
                    first.add(op)
                    wanted.update(self.reads(op))
            within = ops[start:end]
            ops[start:end] = [o for o in within if o in first] + [o for o in within if o not in first]
            places.update((op, start + n) for n, op in enumerate(ops[start:end]))
        return ops

    def _varying(self, region: Region, ops: Sequence[Operation]) -> set[Operation]:
        """The ops that depend on the arguments of a loop's region."""
        varying: set[Value] = set(region.block.args)
        found: set[Operation] = set()
        for op in ops:
            if _may_not_end(op) or any(v in varying for v in self.reads(op)):
                varying.update(op.results)
                found.add(op)
        return found

    def reads(self, op: Operation) -> Iterable[Value]:
        """Return what an op reads from outside itself; for a loop also what was taken out of it."""
        if not isinstance(op, control.CONTROL_OPS):
            return free_values(op)
        found = dict.fromkeys(op.operands)
        for region in op.regions:
            ops = self._regions[region]
            defined: set[Value] = {*region.block.args, *(r for inner in ops for r in inner.results)}
            found.update(dict.fromkeys(v for inner in ops for v in self.reads(inner) if v not in defined))
            found.update(dict.fromkeys(v for v in yields(region) if v not in defined))
        return found

    def captured(self, ops: Iterable[Operation]) -> set[Value]:
        """The values that control ops among `ops` need in memory, if they are made outside of them."""
        pins = _Pins()
        for op in ops:
            if isinstance(op, control.CONTROL_OPS):
                self._capture(op, pins, once=True)
        return {v for v in pins.found if not isinstance(v.owner, Block)}

    def _capture(self, op: Operation, pins: _Pins, once: bool) -> None:
        once = once and not isinstance(op, LOOPS)
        pins.found.update(op.operands)
        for region in op.regions:
            last = region.block.last_op
            assert last is not None
            for inner in (*self._regions[region], last):
                if isinstance(inner, control.CONTROL_OPS):
                    self._capture(inner, pins, once)
                    continue
                pins.found.update(read_in_memory(inner))
                for value in free_values(inner):
                    pins.pin(value, once)


def _may_not_end(op: Operation) -> bool:
    return any(isinstance(inner, CallOp | control.WhileOp | RestoreOp | NextRowOp) for inner in op.walk())


class _Pins:
    """The memory from which regions read values."""

    def __init__(self) -> None:
        self.found: set[Value] = set()
        self._seen: set[tuple[Value, bool]] = set()

    def pin(self, value: Value, once: bool) -> None:
        """Ask for the memory from which a region, that runs `once` or may repeat, reads a value."""
        if (value, once) in self._seen:
            return
        self._seen.add((value, once))
        op = value.owner
        if isinstance(op, Block | structural.ConstantOp):
            return
        if not must_store(op) and (is_cheap_to_read(op) or (once and _is_cheap_once(op))):
            for operand in free_values(op):
                self.pin(operand, once)
        else:
            self.found.add(value)


def _is_cheap_once(op: Operation) -> bool:
    """Return whether computing an element once more costs less than storing all of them."""
    return isinstance(op, ElementwiseOp) and bool(shape_of(op.results[0])) and scalar_cost(op) <= 1


def is_cheap_to_read(op: Operation) -> bool:
    """Return whether computing an element in every iteration of a loop costs no more than loading it."""
    if type(op) in FREE:
        return True
    result = op.results[0]
    cost = scalar_cost(op)
    if is_integer(result) or is_boolean(result):
        return cost <= MAX_INDEX_COST and (not shape_of(result) or cost <= 1)
    if not shape_of(result):
        return False
    read = sum(_source_size(o) for o in op.operands)
    return cost <= 1 and nominal_size(result) > 2 * read


def _source_size(value: Value) -> int:
    """The size of what a value is broadcast from."""
    owner = value.owner
    return nominal_size(owner.operand if isinstance(owner, structural.BroadcastOp) else value)
