"""When the results in a block are live, by the number of the op, and which of them share memory.

The regions of a loop or branch are planned first. Their temporaries form one stretch of scratch memory, which
is live while that op runs, so whatever the op reads, captures or writes lies elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation, OpResult

from mlirad.dialects.array.control import BranchOp
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.kernel import KERNEL_RESULT_OPS, NestOp, ScatterOp
from mlirad.dialects.kernel.factorisations import TriangularSolveOp
from mlirad.dialects.kernel.nests import copied_arrays
from mlirad.dialects.kernel.plans import COPIED, IN_PLACE
from mlirad.dialects.kernel.strips import LOWERED_CONTROL, LOWERED_LOOPS
from mlirad.dialects.kernel.transforms import FftOp
from mlirad.dialects.shapes import Value, is_array, shape_of
from mlirad.ir.free_values import captures, free_values
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.kernels.concurrent_contractions import keep_operands
from mlirad.lower.kernels.plan_memory.arena import Arena, SizedArena, aligned
from mlirad.lower.kernels.plan_memory.carries import (
    PLACED_OPS,
    body_of,
    carry_arguments,
    initial_carries,
    is_copied,
    overwritten_argument,
    returns_to_start,
)
from mlirad.lower.kernels.plan_memory.in_place import OVERWRITING, may_overwrite, may_write_over
from mlirad.lower.kernels.plan_memory.outputs import use_outputs
from mlirad.lower.kernels.plan_memory.records import Records
from mlirad.lower.kernels.plan_memory.storage import Storage, bytes_of, is_row_major
from mlirad.lower.large_sizes import are_static


@dataclass(slots=True)
class Scratch:
    """The scratch memory of a loop or branch while it runs: for carries and temporaries of its regions."""

    storage: Storage
    regions: list[Lifetimes]
    inner: int = 0
    """The position of the first temporary."""
    carries: list[int] = field(default_factory=list[int])
    updated: dict[int, Value] = field(default_factory=dict[int, Value])
    """For a branch: the results that overwrite a captured value, whichever region runs."""


class Lifetimes:
    """The storage of the results of a block.

    `carries` maps block arguments to the numbers of the yields that replace them.
    """

    def __init__(self, block: Block, carries: Mapping[Value, int] | None = None):
        self.block = block
        self.ops = list(block.ops)
        self.last_read: dict[Value, int] = {}
        self.storage: dict[Value, Storage] = {}
        self.in_place: list[ScatterOp] = []
        self.scratch: dict[Operation, Scratch] = {}
        self.in_order: list[Storage] = []
        self.updated: set[int] = set()
        """The numbers of the yields that overwrite the carry they replace."""
        self._is_function = isinstance(block.parent_op(), FuncOp)
        self._numbers = {op: n for n, op in enumerate(self.ops)}
        self._shares: dict[Value, Value] = {}
        for n, op in enumerate(self.ops):
            for value in free_values(op):
                self.last_read[value] = n
        keep_operands(self.ops, self.last_read)
        last = block.last_op
        returned = () if last is None else last.operands
        excluded: set[Value] = set()
        while not self._plan_regions(carries or {}, returned, excluded):
            pass
        for n, op in enumerate(self.ops):
            if isinstance(op, (*KERNEL_RESULT_OPS, *PLACED_OPS)):
                self._add_records(op, n)
                for result in op.results:
                    if is_array(result.type) and result not in self.storage:
                        self._add(op, result, n)
                if op in self.scratch:
                    self.in_order.append(self.scratch[op].storage)
        for k, value in enumerate(returned):
            storage = self.storage.get(value)
            kept = carries is None or k not in carries.values() or not is_copied(value)
            if storage is not None and storage.output is None and is_row_major(value) and kept:
                storage.output = k
        if self._is_function:
            use_outputs(self.in_order, self._values(), () if carries is None else carries.values())

    def _plan_regions(
        self, carries: Mapping[Value, int], returned: Sequence[Value], excluded: set[Value]
    ) -> bool:
        """Plan the loops and branches in the block, then which of its own carries are updated in place.

        Branches may overwrite what they capture, except for the values `excluded`. An argument can only be
        overwritten if it is a carry in place, which may depend on the branch: where it turns out that one is
        not, it is excluded, and the answer is that planning has to start again.
        """
        self.storage.clear()
        self.updated.clear()
        self._shares.clear()
        for n, op in enumerate(self.ops):
            if isinstance(op, LOWERED_CONTROL):
                here = [v for v in captured_here(op) if self.last_read[v] == n and v not in excluded]
                self.scratch[op] = _scratch(op, n, here)
        for carry, k in carries.items():
            self._update_in_place(carry, k, returned[k])
        overwritten = [v for scratch in self.scratch.values() for v in scratch.updated.values()]
        wrong = {v for v in overwritten if isinstance(v.owner, Block) and v not in self.storage}
        excluded |= wrong
        return not wrong

    def in_arena(self) -> list[Storage]:
        """Return what the arena has to hold, in the order in which it becomes live."""
        return [s for s in self.in_order if s.output is None]

    def _values(self) -> list[Storage]:
        """Return what lies in the arena and is one array at a time: neither records nor what a loop works
        in.
        """
        shared = {id(storage): storage for storage in self.storage.values()}
        return [s for s in shared.values() if s.output is None and s.records is None]

    def _add(self, op: Operation, result: Value, n: int) -> None:
        end = max(n, self.last_read.get(result, n))
        base = self._shares.get(result)
        if base is None:
            found = self._overwritable(op, result, n)
            base = next((v for v in found if not isinstance(op, OVERWRITING) or self._gives_way(op, v)), None)
        shared = None if base is None else self.storage.get(base)
        if shared is None:
            shared = Storage(n, end, bytes_of(result))
            self.in_order.append(shared)
        else:
            shared.end = max(end, shared.end)
            if isinstance(op, ScatterOp):
                self.in_place.append(op)
        self.storage[result] = shared

    def _gives_way(self, op: NestOp | FftOp | TriangularSolveOp, value: Value) -> bool:
        """Return whether a kernel writes a result where an array of this block lies that it reads last.

        In regions only a nest does, if all that it does is to give the array another shape: where the array
        lies, nothing is left to be done.
        """
        storage = self.storage.get(value)
        if storage is None or storage.records is not None or not isinstance(value, OpResult):
            return False
        if self._is_function:
            is_taken = any(self.storage.get(result) is storage for result in op.results)
            return storage.end <= self._numbers[op] and bool(shape_of(value)) and not is_taken
        if not isinstance(op, NestOp):
            return False
        shape, new = shape_of(value), shape_of(op.results[0])
        return shape != new and bool(shape and new) and copied_arrays(op) == [value]

    def _add_records(self, op: Operation, n: int) -> None:
        records = Records.of(op)
        if records is None:
            return
        end = max(self.last_read[value] for value in records.starts)
        shared = Storage(n, end, records.nbytes, records=records)
        self.in_order.append(shared)
        self.storage.update(dict.fromkeys(records.starts, shared))

    # Work in place -------------------------------------------------------------------------------

    def _update_in_place(self, carry: Value, k: int, value: Value) -> None:
        """Let the next value of a carry overwrite it, if all on the way from one to the other can."""
        if is_copied(carry):
            return
        links = self._links(value, carry, set())
        if links is not None:
            self.updated.add(k)
            self.storage[carry] = Storage(0, len(self.ops), bytes_of(carry), output=k)
            self._shares.update(links)

    def updatable(self, k: int) -> set[Value]:
        """The values that yield number k could overwrite if they were carries, beside those that it does.

        A plan says the same of one of them, but takes as long as the block is.
        """
        last = self.block.last_op
        found: set[Value] = set()
        left = [] if last is None else [last.operands[k]]
        while left:
            value = left.pop()
            if value in found:
                continue
            found.add(value)
            owner = value.owner
            n = None if isinstance(owner, Block) else self._numbers.get(owner)
            if not isinstance(owner, Block) and n is not None and value not in self._shares:
                left += self._overwritable(owner, value, n)
        return found

    def _links(self, value: Value, carry: Value, dead_ends: set[Value]) -> dict[Value, Value] | None:
        """From each value on the way back to the carry to the one that it overwrites.

        A value on the way of another carry is out of the question. `dead_ends` are values from which there
        is no way.
        """
        if value is carry:
            return {}
        owner = value.owner
        n = None if isinstance(owner, Block) else self._numbers.get(owner)
        if isinstance(owner, Block) or n is None or value in dead_ends or value in self._shares:
            return None
        bases = self._overwritable(owner, value, n)
        for base in [carry] if carry in bases else bases:
            links = self._links(base, carry, dead_ends)
            if links is not None:
                return {**links, value: base}
        dead_ends.add(value)
        return None

    def _overwritable(self, op: Operation, result: Value, n: int) -> list[Value]:
        """Return what an op, the last to read it, may overwrite with its result."""
        found: list[Value] = []
        match op:
            case ScatterOp() if op.from_zero is None:
                if may_overwrite(op, op.inputs[0]):
                    found.append(op.inputs[0])
            case NestOp() | FftOp() | TriangularSolveOp():
                dying = [v for v in op.operands if self.last_read[v] == n]
                found += [v for v in dying if may_write_over(op, v, result)]
            case CallOp() if isinstance(result, OpResult):
                argument = overwritten_argument(op, result.index)
                if argument is not None:
                    found.append(argument)
            case _ if isinstance(op, BranchOp) and isinstance(result, OpResult):
                if result.index in self.scratch[op].updated:
                    found.append(self.scratch[op].updated[result.index])
            case _ if isinstance(op, LOWERED_LOOPS) and isinstance(result, OpResult):
                modes = self.scratch[op].carries
                if result.index < len(modes) and returns_to_start(op, modes[result.index]):
                    start = initial_carries(op)[result.index]
                    inside = [v for region in op.regions for v in captures(region)]
                    if is_row_major(start) and [*op.operands, *inside].count(start) == 1:
                        found.append(start)
            case _:
                pass
        return [v for v in found if self.last_read[v] == n]


# Loops and branches ------------------------------------------------------------------------------


def captured_here(op: Operation) -> list[Value]:
    """The values of the block around a branch that its regions capture, unless they are also operands."""
    if not isinstance(op, BranchOp):
        return []
    found = dict.fromkeys(v for region in op.regions for v in captures(region))
    return [
        v
        for v in found
        if (v.owner is op.parent or (isinstance(v, OpResult) and v.op.parent is op.parent))
        and v not in op.operands
        and not isinstance(v.owner, ConstantOp)
    ]


def _scratch(op: Operation, n: int, last_here: Sequence[Value] = ()) -> Scratch:
    """Plan the regions of a loop or branch, and how it keeps its carries.

    `last_here` are the values captured by a branch that nobody reads afterwards.
    """
    if isinstance(op, BranchOp):
        return _branch_scratch(op, n, last_here)
    numbers = {carry: k for k, carry in enumerate(carry_arguments(op))}
    body = body_of(op)
    regions = [Lifetimes(r.block, numbers if r is body and numbers else None) for r in op.regions]
    size = 0
    modes: list[int] = []
    for carry, k in numbers.items():
        if is_copied(carry):
            modes.append(COPIED)
        elif k in regions[-1].updated:
            modes.append(IN_PLACE)
        else:
            modes.append(size)
            size += aligned(bytes_of(carry))
    arena = max((place(region) for region in regions), default=0)
    return Scratch(Storage(n, n, size + arena), regions, size, modes)


def _branch_scratch(op: Operation, n: int, last_here: Sequence[Value]) -> Scratch:
    """Plan the regions of a branch. A result may overwrite a captured value if it can in every region."""
    regions = [Lifetimes(region.block) for region in op.regions]
    updated: dict[int, Value] = {}
    for k, result in enumerate(op.results):
        alike = [v for v in last_here if v.type == result.type and v not in updated.values()]
        updatable = [region.updatable(k) for region in regions] if alike else []
        for value in alike:
            if is_copied(value) or not is_row_major(value):
                continue
            if all(value in values for values in updatable):
                tried = {v: j for j, v in {**updated, k: value}.items()}
                inside = [Lifetimes(region.block, tried) for region in op.regions]
                if all(len(one.updated) == len(tried) for one in inside):
                    regions, updated[k] = inside, value
                    break
    size = max((place(region) for region in regions), default=0)
    return Scratch(Storage(n, n, size), regions, updated=updated)


def place(lifetimes: Lifetimes) -> int:
    """Give the storage of a block its places; returns the bytes of arena that it needs."""
    arena = Arena() if are_static(s.size for s in lifetimes.in_arena()) else SizedArena()
    by_end: dict[int, list[Storage]] = {}
    done = 0
    for storage in lifetimes.in_arena():
        for n in range(done, storage.start):
            for dead in by_end.pop(n, ()):
                arena.release(dead.place, dead.size)
        done = storage.start
        storage.place = arena.take(storage.size)
        by_end.setdefault(storage.end, []).append(storage)
    return arena.size
