"""The check of a memory plan: all writes stay inside, and nothing that is still needed is ever overwritten.

Independent of how the plan was made: it walks every block backwards with the set of values that are still to
be read, and at each op requires that what it writes overlaps none of them. Bytes and places may have sizes in
them; what is required is to hold for all of these. Inside a loop these are also all that any iteration
captures, and the results themselves, which earlier iterations have written to. Values that a region yields
must be written where the region hands them over, and elements that a kernel leaves out must not be read, so
no memory is read that nobody has written.

No plan that comes from a file is used unchecked: `mlirad.compiler` checks those of all functions it emits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation, OpResult

from mlirad.dialects.array.control import BranchOp, ScanOp
from mlirad.dialects.extents import is_static
from mlirad.dialects.kernel import KERNEL_RESULT_OPS, NestOp, ScatterOp
from mlirad.dialects.kernel.factorisations import TriangularSolveOp
from mlirad.dialects.kernel.plans import (
    ARENA_ATTRIBUTE,
    COPIED,
    IN_PLACE,
    stated_arena,
    stated_carries,
    stated_places,
    stated_strides,
    stated_updates,
)
from mlirad.dialects.kernel.strips import LOWERED_CONTROL
from mlirad.dialects.kernel.transforms import FftOp
from mlirad.dialects.shapes import Value, is_array, values_of
from mlirad.errors import VerifyError
from mlirad.ir.builder import function_block, returned, yields
from mlirad.ir.free_values import captures, free_values
from mlirad.ir.locations import location_of
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.kernels.arena_offsets import ends_before, is_place
from mlirad.lower.kernels.plan_memory import bytes_of, is_row_major
from mlirad.lower.kernels.plan_memory.carries import (
    PLACED_OPS,
    body_of,
    carry_arguments,
    initial_carries,
    is_copied,
    overwritten_argument,
    returns_to_start,
)
from mlirad.lower.kernels.plan_memory.in_place import may_overwrite, may_write_over
from mlirad.lower.kernels.plan_memory.records import ELEMENT_ALIGNMENT, is_read_by_slices, row_bytes
from mlirad.lower.kernels.reads import check_skipped

_HINT = "this is a defect of the memory plan"


class _Piece(NamedTuple):
    """Bytes of the arena, of an output or of memory that belongs to nothing else."""

    region: object
    start: int
    size: int
    stride: int = 0
    row: int = 0
    """The bytes from one row to the next, and those of a row, for a piece of rows in records."""

    def overlaps(self, other: _Piece) -> bool:
        if self.stride and self.stride == other.stride and is_static(other.start - self.start):
            apart = (other.start - self.start) % self.stride
            if self.row <= apart <= self.stride - other.row:
                return False
        return self.region == other.region and not (
            ends_before(self.start, self.size, other.start)
            or ends_before(other.start, other.size, self.start)
        )


@dataclass(frozen=True)
class _Handover:
    """The place at which a block passes a value, and the values that may be overwritten by it."""

    pieces: tuple[_Piece, ...]
    replaced: frozenset[Value]
    value: Value
    """The value that is handed over."""


def verify_plan(function: FuncOp) -> None:
    """Raise `VerifyError` unless every kernel result of a planned function has a sound place."""
    arena = stated_arena(function)
    if arena is None:
        raise VerifyError(f"the function has no {ARENA_ATTRIBUTE}", location=location_of(function))
    outputs = [
        _Handover((_Piece(("output", k), 0, bytes_of(v)),), frozenset(), v)
        for k, v in enumerate(returned(function))
    ]
    verifier = _Verifier(arena)
    _check_updates(function)
    check_skipped(function)
    args = function_block(function).args
    for k, j in stated_updates(function).items():
        verifier.pieces[args[j]] = outputs[k].pieces
    verifier.block(function_block(function), outputs, set())
    for k in stated_updates(function):
        if verifier.pieces.get(outputs[k].value) != outputs[k].pieces:
            raise VerifyError(
                f"result {k} overwrites an argument, so it must be written in its output",
                location=location_of(function),
            )


def verify_plans(entry: FuncOp, callees: Sequence[FuncOp]) -> None:
    """Raise `VerifyError` unless the plans of a function and of those that it calls are sound together."""
    if stated_updates(entry):
        raise VerifyError(
            "a function that is called from outside cannot overwrite its arguments",
            location=location_of(entry),
        )
    for callee in callees:
        _check_updates(callee)
    updates = {f.sym_name.data: stated_updates(f) for f in callees}
    for function in (entry, *callees):
        for op in function.walk():
            if isinstance(op, CallOp) and stated_updates(op) != updates[op.callee.root_reference.data]:
                raise VerifyError(
                    "the call and the function do not state the same kernel.updates",
                    location=location_of(op),
                )
        verify_plan(function)


def _check_updates(function: FuncOp) -> None:
    """Require that results overwrite arguments that exist and have their types."""
    made, args = returned(function), function_block(function).args
    for k, j in stated_updates(function).items():
        if not (0 <= k < len(made) and 0 <= j < len(args)) or made[k].type != args[j].type:
            raise VerifyError(
                f"result {k} cannot overwrite argument {j}: they must exist and have one type",
                location=location_of(function),
            )


def _fits(value: Value, handed: Value) -> bool:
    """Return whether a value may lie where another one is handed over, before that or as the same bytes."""
    return ends_before(0, bytes_of(value), bytes_of(handed))


class _Verifier:
    """Checks block by block. `pieces` says where each value may lie."""

    def __init__(self, arena: int):
        self.arena = arena
        self.pieces: dict[Value, tuple[_Piece, ...]] = {}
        self.replaced: dict[Value, frozenset[Value]] = {}

    def block(self, block: Block, outputs: Sequence[_Handover], live: set[Value]) -> None:
        """Check a block after which the values `live` are still needed."""
        ops = list(block.ops)
        for op in ops:
            self._enter(op, outputs)
        live = set(live)
        for op in reversed(ops):
            written = [r for r in op.results if r in self.pieces]
            live.difference_update(written)
            read = free_values(op)
            if isinstance(op, ScatterOp) and op.in_place is not None:
                self._check_in_place(op)
            for k, result in enumerate(written):
                kept = [v for v in read if v not in live and self._may_replace(op, v, result)]
                self._check_write(op, result, [v for v in (*live, *read) if v not in kept])
                self._check_write(op, result, written[k + 1 :])
            if isinstance(op, LOWERED_CONTROL):
                self._control(op, live)
            live.update(read)

    # Places --------------------------------------------------------------------------------------

    def _enter(self, op: Operation, outputs: Sequence[_Handover]) -> None:
        """Note where the results of an op lie."""
        if isinstance(op, KERNEL_RESULT_OPS):
            stated = () if op.places is None else values_of(op.places)
        elif isinstance(op, PLACED_OPS):
            stated = stated_places(op) or ()
        else:
            return
        strides = stated_strides(op)
        if not len(stated) == len(strides) == len(op.results):
            raise VerifyError(f"{op.name} needs one place per result", location=location_of(op))
        for result, place, stride in zip(op.results, stated, strides, strict=True):
            if not is_array(result.type):
                continue
            if stride:
                piece = self._rows_of_records(op, result, place, stride)
                sound = piece is not None
                if piece is not None:
                    self.pieces[result] = (piece,)
            elif not is_static(place) or place >= 0:
                self.pieces[result] = (_Piece("arena", place, bytes_of(result)),)
                sound = is_place(place) and ends_before(place, bytes_of(result), self.arena)
            else:
                k = -1 - place
                sound = k < len(outputs) and _fits(result, outputs[k].value)
                handed = [o.value for o in outputs]
                is_there = sound and handed[k] is result and is_row_major(result)
                sound = sound and (is_there or result not in handed)
                if sound:
                    self.pieces[result] = outputs[k].pieces
                    self.replaced[result] = outputs[k].replaced
            if not sound:
                raise VerifyError(f"place {place} does not fit {result.type}", location=location_of(op))

    def _rows_of_records(self, op: Operation, result: Value, place: int, stride: int) -> _Piece | None:
        """Return where rows of a result of a loop lie that are not next to each other, None where they
        cannot.
        """
        if not isinstance(op, ScanOp) or result not in op.stacked or not is_read_by_slices(result):
            return None
        row, iterations = row_bytes(result), op.iterations
        size = (iterations - 1) * stride + row
        sound = iterations > 0 and stride >= row and place >= 0 and place + size <= self.arena
        aligned = place % ELEMENT_ALIGNMENT == 0 and stride % ELEMENT_ALIGNMENT == 0
        return _Piece("arena", place, size, stride, row) if sound and aligned else None

    def _check_write(self, op: Operation, result: Value, needed: Iterable[Value]) -> None:
        for other in needed:
            if other is result or other in self.replaced.get(result, ()):
                continue
            for piece in self.pieces[result]:
                if any(piece.overlaps(o) for o in self.pieces.get(other, ())):
                    raise VerifyError(
                        f"a result at {piece.region} {piece.start} overwrites a value that is still needed",
                        location=location_of(op),
                        hint=_HINT,
                    )

    def _may_replace(self, op: Operation, value: Value, result: Value) -> bool:
        """Return whether an op that reads a value may write its result in the same place."""
        if self.pieces.get(value) != self.pieces[result]:
            return False
        match op:
            case ScatterOp():
                return op.in_place is not None and op.inputs[0] is value
            case NestOp() | FftOp() | TriangularSolveOp():
                return may_write_over(op, value, result)
            case CallOp() if isinstance(result, OpResult):
                return overwritten_argument(op, result.index) is value
            case _ if isinstance(op, BranchOp):
                return value not in op.operands
            case _:
                start, modes = initial_carries(op), stated_carries(op) or ()
                inside = [v for region in op.regions for v in captures(region)]
                return (
                    any(
                        v is value and returns_to_start(op, mode) and op.results[k] is result
                        for k, (v, mode) in enumerate(zip(start, modes, strict=False))
                    )
                    and [*op.operands, *inside].count(value) == 1
                )

    def _check_in_place(self, op: ScatterOp) -> None:
        base = None if op.from_zero is not None else op.inputs[0]
        if base is None or self.pieces.get(base) != self.pieces[op.result]:
            raise VerifyError("a scatter in place must have its base's place", location=location_of(op))
        if not may_overwrite(op, base):
            raise VerifyError("a scatter in place loads what it has written", location=location_of(op))

    # Loops and branches --------------------------------------------------------------------------

    def _control(self, op: Operation, after: set[Value]) -> None:
        """Check the regions of a loop or branch after which the values `after` are needed."""
        through = {*after, *op.operands, *(v for region in op.regions for v in captures(region))}
        modes = stated_carries(op) or ()
        carries = carry_arguments(op)
        if len(modes) != len(carries):
            raise VerifyError(f"{op.name} must say how it keeps each carry", location=location_of(op))
        for k, (init, mode) in enumerate(zip(initial_carries(op), modes, strict=True)):
            if returns_to_start(op, mode) and self.pieces.get(init) == self.pieces[op.results[k]]:
                through.discard(init)
        if isinstance(op, BranchOp):
            places = [self.pieces[r] for r in op.results]
            through -= {v for v in through if v not in after and self.pieces.get(v) in places}
        results = [r for r in op.results if r in self.pieces]
        body = body_of(op)
        for region in op.regions:
            made = yields(region)
            outputs: list[_Handover] = []
            for k, value in enumerate(made):
                if (region is body or not carries) and k < len(results):
                    result = op.results[k]
                    pieces, replaced = self.pieces[result], {result, *self.replaced.get(result, ())}
                else:
                    pieces, replaced = (_Piece((op, region, k), 0, bytes_of(value)),), set[Value]()
                if region is body and k < len(carries):
                    pieces = self._enter_carry(op, k, carries[k], modes[k], pieces, replaced)
                outputs.append(_Handover(pieces, frozenset(replaced), value))
            self.block(region.block, outputs, {*through, *results, *made})
            copied = [k for k, mode in enumerate(modes) if mode == COPIED] if region is body else []
            for k, (value, output) in enumerate(zip(made, outputs, strict=True)):
                is_made_here = isinstance(value, OpResult) and value.op.parent is region.block
                is_there = is_made_here and self.pieces.get(value) == output.pieces
                if k not in copied and not is_there:
                    raise VerifyError(
                        f"value {k} that a region of {op.name} yields is not written where it is handed over",
                        location=location_of(region.block.last_op or op),
                    )
            if region is body:
                for k, mode in enumerate(modes):
                    if mode == COPIED:
                        others = [v for v in (*through, *results, *made) if v is not op.results[k]]
                        self._check_write(op, op.results[k], others)

    def _enter_carry(
        self,
        op: Operation,
        k: int,
        carry: Value,
        mode: int,
        home: tuple[_Piece, ...],
        replaced: set[Value],
    ) -> tuple[_Piece, ...]:
        """Note where a carry lies; where the next one is handed over."""
        start = initial_carries(op)[k]
        if (is_static(mode) and mode < COPIED) or (mode == COPIED and not is_copied(carry)):
            raise VerifyError(
                f"carry {k} of {op.name}, of type {carry.type}, cannot be kept by {mode}",
                location=location_of(op),
            )
        # A carry of a loop around takes turns with the place of the result, so it lies elsewhere.
        init = () if start in replaced else self.pieces.get(start, ())
        if mode == IN_PLACE:
            self.pieces[carry] = home
            return home
        if mode == COPIED:
            self.pieces[carry] = home
            return (_Piece((op, "next", k), 0, bytes_of(carry)),)
        spare = _Piece("arena", mode, bytes_of(carry))
        if not is_place(mode) or not ends_before(mode, spare.size, self.arena):
            raise VerifyError(f"spare memory at {mode} does not fit", location=location_of(op))
        turns = (*home, spare)
        returns = init == home and returns_to_start(op, mode)
        for place in (*home, *init):
            meets_home = not returns and place in init and any(place.overlaps(h) for h in home)
            if place.overlaps(spare) or meets_home:
                raise VerifyError(
                    "the pieces of memory that take turns for a carry overlap",
                    location=location_of(op),
                    hint=_HINT,
                )
        self.pieces[carry] = (*turns, *init)
        replaced.add(carry)
        return turns
