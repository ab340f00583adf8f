"""`plan-memory`: where every intermediate result of a function lies.

Shapes are static, so a call needs no allocator: values whose lifetimes do not overlap share bytes of one
arena, whose size is known at compile time. A value is live from the op that makes it to the last op that
reads it, both included.

- A value that is returned, row-major, is written straight into the result array.
- A scatter onto a base that nobody reads afterwards works on the base's own memory.
- A nest that gives a value another shape, and reads it last, leaves it where it is. One that reads a value
  last, element by element, writes its result over it, and so do transforms and triangular systems.
- A value that is read last before a result is made may have the memory of that result; see `outputs.py`.
- A yielded value is written straight to its destination: the next carry, the slice of the stacked result, the
  recorded entry or the result of the branch; see `carries.py` for how carries are kept.
- A result of a called function, or of one whose caller donates arguments, overwrites an argument, where all
  between the two can; see `updates.py`.
- Values that loops stack for other loops in many short rows share records; see `records.py`.
- All else gets the smallest free gap of the arena that holds it, aligned to 64 bytes.

Written down as `places` of each kernel (a byte offset, or -1 - k where the block hands over its k-th value),
`in_place` of scatters, `kernel.places`, `kernel.strides` and `kernel.carries` of loops and branches, and the
function's attribute `kernel.arena_bytes`. Arguments and constants have no place and are never written.

    %a = kernel.nest %x ... {places = [0]}          arena bytes 0 to 800
    %b = kernel.nest %a ... {places = [832]}
    %c = kernel.nest %b ... {places = [-1]}         output 0

**Slots.** The slot -1 - k is where the block passes on its k-th value: output k, the next carry, the slice of
a stacked result, an entry of the record, the result of the branch. Every other slot is an offset in the
arena. In a function, values that are read last before result k is made may have that slot too, so an output
holds its result only when the function ends. A kernel may overwrite what it reads last (`in_place.py`);
emission sees that by the slots.

**Carries.** `kernel.carries` is -1 where a carry is updated in place, an offset of spare memory with which it
takes turns, or -2 where a scalar is copied at the end of an iteration. Only the first lets an update of one
element cost O(1). With spare memory and an even number of iterations, the result lies where the initial value
did, if nobody else reads that.

**Records.** Values in shared records (`kernel.strides`) are not row-major, and only slices of them are read.

**Branches and calls.** A result of a branch overwrites a captured value that nobody reads later, if all
regions yield or update it. A result of a private function may take the memory of the argument that updates,
branches and loops make it from.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from mlirad.dialects.kernel import KERNEL_RESULT_OPS
from mlirad.dialects.kernel.plans import (
    ARENA_ATTRIBUTE,
    CARRIES_ATTRIBUTE,
    PLACES_ATTRIBUTE,
    STRIDES_ATTRIBUTE,
    UPDATES_ATTRIBUTE,
    stated_arena,
)
from mlirad.dialects.shapes import FLAG, Value, integer, ints
from mlirad.ir.builder import function_block
from mlirad.ir.call_graph import functions_of
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.kernels.plan_memory.arena import Arena
from mlirad.lower.kernels.plan_memory.carries import PLACED_OPS
from mlirad.lower.kernels.plan_memory.lifetimes import Lifetimes, place
from mlirad.lower.kernels.plan_memory.storage import bytes_of, is_row_major
from mlirad.lower.kernels.plan_memory.updates import planned_lifetimes, updated_arguments

__all__ = [
    "ARENA_ATTRIBUTE",
    "Arena",
    "PlanMemoryPass",
    "bytes_of",
    "is_row_major",
    "peak_bytes",
    "plan_function",
    "plan_in_place",
    "plan_together",
]


@dataclass(frozen=True)
class PlanMemoryPass(ModulePass):
    """Gives every kernel result a place in the arena or in an output.

    With `keep` a plan that all functions have stays; who uses it must check it (`plan_verification`). Results
    of the function `entry` may take the memory of its arguments `donate`.
    """

    name = "plan-memory"

    keep: bool = False
    entry: str = "main"
    donate: tuple[int, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Plan every function of the module."""
        functions = functions_of(op)
        if not self.keep or any(stated_arena(f) is None for f in functions):
            plan_together(functions, {self.entry: self.donate})


def plan_function(function: FuncOp) -> FuncOp:
    """The function with places for its kernel results and the size of its arena."""
    planned = function.clone()
    plan_in_place(planned)
    return planned


def plan_in_place(function: FuncOp) -> None:
    """Give the kernel results of this function their places."""
    _place(function, Lifetimes(function_block(function)))


def plan_together(functions: Iterable[FuncOp], donated: Mapping[str, Collection[int]] | None = None) -> None:
    """Plan functions that call each other; results of private ones overwrite arguments where they can.

    Those of the others overwrite the arguments `donated`, by the name of the function. An earlier plan is
    replaced.
    """
    planned = list(functions)
    for function in planned:
        function.attributes.pop(UPDATES_ATTRIBUTE, None)
    updates = updated_arguments({f.sym_name.data: f for f in planned}, donated or {})
    for function in planned:
        _place(function, planned_lifetimes(function, updates))


def _place(function: FuncOp, lifetimes: Lifetimes) -> None:
    size = place(lifetimes)
    _state(lifetimes, 0)
    function.attributes[ARENA_ATTRIBUTE] = integer(size)


def _state(lifetimes: Lifetimes, start: int) -> None:
    """Write the places of a block down, whose part of the arena begins at `start`."""

    def stated(value: Value) -> int:
        storage = lifetimes.storage.get(value)
        if storage is None:
            return 0
        if storage.output is not None:
            return -1 - storage.output
        inside = 0 if storage.records is None else storage.records.starts[value]
        return start + storage.place + inside

    def stride(value: Value) -> int:
        storage = lifetimes.storage.get(value)
        return 0 if storage is None or storage.records is None else storage.records.stride

    for op in lifetimes.ops:
        if isinstance(op, KERNEL_RESULT_OPS):
            op.properties["places"] = ints(tuple(stated(r) for r in op.results))
            op.properties.pop("in_place", None)
        if isinstance(op, PLACED_OPS):
            op.attributes[PLACES_ATTRIBUTE] = ints(tuple(stated(r) for r in op.results))
            op.attributes.pop(STRIDES_ATTRIBUTE, None)
            if any(map(stride, op.results)):
                op.attributes[STRIDES_ATTRIBUTE] = ints(tuple(map(stride, op.results)))
        scratch = lifetimes.scratch.get(op)
        if scratch is not None:
            base = start + scratch.storage.place
            if scratch.carries:
                carries = tuple(c if c < 0 else base + c for c in scratch.carries)
                op.attributes[CARRIES_ATTRIBUTE] = ints(carries)
            for region in scratch.regions:
                _state(region, base + scratch.inner)
    for scatter in lifetimes.in_place:
        scatter.properties["in_place"] = FLAG


def peak_bytes(function: FuncOp) -> int:
    """The most bytes of intermediate results that are live at once: no arena can be smaller."""
    lifetimes = Lifetimes(function_block(function))
    change = [0] * (len(lifetimes.ops) + 1)
    for storage in lifetimes.in_arena():
        change[storage.start] += storage.size
        change[storage.end + 1] -= storage.size
    peak = now = 0
    for step in change:
        now += step
        peak = max(peak, now)
    return peak
