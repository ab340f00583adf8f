"""The array values to store; all others are recomputed where they are read.

Stored: what the function returns, reductions and contractions, scatters that cannot be inverted, operands of
BLAS calls, elements of arrays that are about to be updated, and values that cost much and are read more than
once per element. Never stored: index code, masks, constants, structural ops. A value that is not stored is
computed where it is read, so its cost is added to that of each reader; scalars cost nothing to read in a
loop, which computes them before, unless they take long. Where the code of an element gets too long, a value
on the way is stored, which may be index code, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from xdsl.dialects.func import CallOp, ReturnOp
from xdsl.ir import Block, Operation

from mlirad.dialects.array import control, indexing, ordering, reductions, structural
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.callbacks import CALLBACK_OPS
from mlirad.dialects.array.factorisations import FACTORISATION_OPS
from mlirad.dialects.array.frames import NextRowOp, NoFrameOp, RestoreOp, SaveOp
from mlirad.dialects.array.reporting import REPORTING_OPS
from mlirad.dialects.array.transforms import TRANSFORM_OPS
from mlirad.dialects.shapes import (
    Value,
    element_of,
    is_boolean,
    is_integer,
    shape_of,
    values_of,
)
from mlirad.ir.free_values import free_values
from mlirad.lower.kernels.form_kernels.inverses import inverted_positions
from mlirad.lower.kernels.form_kernels.library import is_library_dot
from mlirad.lower.large_sizes import nominal_shape, nominal_size
from mlirad.lower.machine import GATHERED, element_bytes, flops, recomputing_cycles, storing_cycles

HEAVY = 12
"""Scalar cost from which a value is stored as soon as it is read twice per element."""

HEAVY_SCALAR = 64
"""Scalar cost from which a scalar that many elements share is stored: each strip and each task would compute
it.
"""

MANY = 1024
"""The least number of elements that share such a scalar."""

MAX_RECOMPUTED = 8
"""Scalar cost of recomputation per element that is accepted to save a store and loads."""

MAX_LENGTH = 1000
"""The longest code of one element, in additions; where it would be longer, a value on the way is stored.
LLVM's instruction selection and register allocation take time quadratic in the length of straight-line code.
At this length the store and the load cost nothing that can be measured.
"""

CHOICE = 3
"""Scalar cost of choosing between two parts of a concatenation: a comparison, a position, a selection."""

FREE = frozenset[type[Operation]](
    (
        structural.BroadcastOp,
        structural.TransposeOp,
        structural.ReshapeOp,
        structural.SliceOp,
        structural.ReverseOp,
        structural.IotaOp,
        structural.ConstantOp,
        structural.SizeOp,
        NoFrameOp,
        ew.NotOp,
    )
)
_REDUCTIONS = (reductions.SumOp, reductions.ReduceOp, reductions.ArgReductionOp, reductions.DotOp)
_READS_ARRAYS = (
    *control.CONTROL_OPS,
    *ordering.ORDERING_OPS,
    *FACTORISATION_OPS,
    *TRANSFORM_OPS,
    *REPORTING_OPS,
    *CALLBACK_OPS,
    CallOp,
    SaveOp,
    RestoreOp,
    NextRowOp,
)
_STORED = (*_REDUCTIONS, indexing.UpdateOp, *_READS_ARRAYS)
_MOVING = (structural.BroadcastOp, structural.ReshapeOp, structural.TransposeOp, structural.ReverseOp)
"""Structural ops that read each element as often as their results are read."""

MAX_JOINED = 4
"""Concatenations and stacks of more parts than this are written part by part."""


def scalar_cost(op: Operation) -> float:
    """The cost of one element of an op in multiples of an addition, without its operands."""
    if type(op) in FREE:
        return 0
    if isinstance(op, ew.DivOp | ew.SqrtOp):
        return 8
    if isinstance(op, structural.ConcatenateOp):
        return CHOICE * (len(op.parts) - 1)
    if isinstance(op, indexing.GatherOp) and _is_window(op):
        return 0
    if isinstance(op, indexing.GatherOp | indexing.IndexOp):
        return 4 + sum(scalar_cost(inner) for r in op.regions for inner in r.block.ops)
    return flops(op.name.removeprefix("array."))


def _is_window(op: indexing.GatherOp) -> bool:
    """Return whether positions are sums of multiples of indices, and constants: elements of a window, or of a
    diagonal, are read where they lie, like those of a slice.
    """
    return all(
        isinstance(inner, ew.AddOp | ew.SubOp | structural.ConstantOp | indexing.YieldOp)
        or (
            isinstance(inner, ew.MulOp)
            and any(isinstance(o.owner, structural.ConstantOp) for o in inner.operands)
        )
        for inner in op.regions[0].block.ops
    )


def must_store(op: Operation) -> bool:
    """Return whether the results of an op always lie in memory."""
    if isinstance(op, ew.ElementwiseOp):
        return False
    if isinstance(op, indexing.ScatterOp):
        return inverted_positions(op) is None
    if isinstance(op, structural.ConcatenateOp | structural.StackOp):
        return len(op.parts) > MAX_JOINED
    return isinstance(op, _STORED)


def read_in_memory(op: Operation) -> Sequence[Value]:
    """The operands that an op reads as arrays in memory."""
    match op:
        case ew.ElementwiseOp():
            return ()
        case indexing.UpdateOp():
            return (op.base,)
        case reductions.DotOp() if is_library_dot(op):
            return op.operands
        case _ if isinstance(op, _READS_ARRAYS):
            return op.operands
        case _:
            return ()


def materialised(
    ops: Sequence[Operation],
    returned: Sequence[Value],
    captured: set[Value],
    masked: Callable[[set[Value]], set[Value]] = lambda _: set(),
) -> set[Value]:
    """The values among the results of `ops` that are stored.

    Results are the values `returned`, and loops and branches need those `captured` in memory. `masked`
    gives the values that only the terms of masked sums read, unless those of a set need them.
    """
    stored: set[Value] = {v for v in (*returned, *captured) if not isinstance(v.owner, Block)}
    stored |= _read_before_updates(ops)
    for op in ops:
        stored.update(o for o in read_in_memory(op) if not isinstance(o.owner, Block))
    cost: dict[Value, float] = {}
    length: dict[Value, float] = {}
    loads: dict[Value, int] = {}
    is_long = len(ops) > MAX_LENGTH
    readings = Readings(ops)
    in_terms = masked(stored)
    parts = _parts_of_arrays(ops)
    for op in ops:
        needed = free_values(op) if op.results else []
        read = [v for v in needed if v not in stored]
        arrays = sum(cost.get(v, 0) for v in read if shape_of(v))
        scalars = sum(cost.get(v, 0) for v in read if not shape_of(v))
        loaded = sum(loads.get(v, 1) for v in {*needed} if shape_of(v))
        code = max(1, scalar_cost(op)) + sum(length.get(v, 0) for v in read) if is_long else 0
        for value in op.results:
            # Values made of scalars alone are computed once for all elements.
            here = 0 if op in parts else scalar_cost(op)
            own = here + arrays + (0 if shape_of(value) else scalars)
            if must_store(op) or (
                value not in stored
                and value not in in_terms
                and (
                    readings.is_result_of_loop(op)
                    if type(op) in FREE
                    else code > MAX_LENGTH
                    or _pays(value, own, loaded, readings)
                    or _is_slope_of_any(op, stored)
                )
            ):
                stored.add(value)
            cost[value] = 0 if value in stored else own
            length[value] = 0 if value in stored else code
            loads[value] = 1 if value in stored else loaded
    return stored


def _is_slope_of_any(op: Operation, stored: set[Value]) -> bool:
    """Return whether an op is the slope of a function whose value is stored: it costs little beside that."""
    return isinstance(op, ew.TanhSlopeOp | ew.LogisticSlopeOp) and op.rhs in stored


def _read_before_updates(ops: Sequence[Operation]) -> set[Value]:
    """Return what is read of arrays that an op further on updates.

    Were it read where it is used, the update could not work in place, and a loop that writes one element per
    iteration would copy its carry.
    """
    found: set[Value] = set()
    later: set[Value] = set()
    for op in reversed(ops):
        match op:
            case indexing.UpdateOp():
                later.add(op.base)
            case indexing.IndexOp() | indexing.GatherOp() if op.operand in later:
                if is_small_read(op):
                    found.add(op.result)
            case _:
                pass
    return found


def _parts_of_arrays(ops: Sequence[Operation]) -> set[Operation]:
    """Readings of parts at constant positions that together are the whole array, such as the planes of
    complex numbers. As the array is needed whatever is done, a copy of a part saves no memory, and to read an
    element of one costs as much there.
    """
    readers: dict[tuple[Value, int], dict[tuple[Value, ...], list[Operation]]] = {}
    for op in ops:
        if not isinstance(op, indexing.IndexOp) or not shape_of(op.result):
            continue
        if all(isinstance(p.owner, structural.ConstantOp) for p in op.positions):
            places = readers.setdefault((op.operand, len(op.positions)), {})
            places.setdefault(tuple(op.positions), []).append(op)
    found: set[Operation] = set()
    for (array, _), places in readers.items():
        parts = [op for same in places.values() for op in same]
        if len(places) * nominal_size(parts[0].results[0]) >= nominal_size(array):
            found.update(parts)
    return found


def is_small_read(op: Operation) -> bool:
    """Return whether an op reads at most half as many elements of an array as that has."""
    if not isinstance(op, indexing.IndexOp | indexing.GatherOp):
        return False
    return 2 * nominal_size(op.result) <= nominal_size(op.operand)


def _pays(value: Value, cost: float, loaded: int, readings: Readings) -> bool:
    """Return whether storing a value, for which `loaded` arrays are read, is cheaper than computing it at
    each reading.
    """
    if cost <= 0 or is_boolean(value) or is_integer(value):
        return False
    element = element_bytes(element_of(value))
    contracted = readings.by(_contracts, value)
    computing = recomputing_cycles(cost, contracted, element) if contracted > 1 else 0.0
    gathering = (loaded - 1) * GATHERED * readings.by(_gathers, value) if loaded > 1 else 0.0
    if max(computing, gathering) > storing_cycles(nominal_size(value), element):
        return True
    if cost <= 2:
        return False
    if cost >= HEAVY_SCALAR and not shape_of(value) and readings.elements_beside(value) >= MANY:
        return True
    count = readings.of(value)
    if count <= 1:
        return False
    return cost >= HEAVY or cost * (count - 1) > MAX_RECOMPUTED


def _contracts(op: Operation) -> bool:
    return isinstance(op, reductions.DotOp)


def _gathers(op: Operation) -> bool:
    """Return whether an op reads at positions that lie in an array; others are often next to each other."""
    return isinstance(op, indexing.GatherOp) and any(
        isinstance(inner, indexing.IndexOp) for region in op.regions for inner in region.block.ops
    )


class Readings:
    """The number of times that the ops after a value read one of its elements, structural ops seen
    through.
    """

    def __init__(self, ops: Sequence[Operation]):
        self._readers: dict[Value, list[Operation]] = {}
        for op in ops:
            for value in free_values(op):
                self._readers.setdefault(value, []).append(op)
        self._known: dict[Value, float] = {}
        self._known_by: dict[tuple[Callable[[Operation], bool], Value], float] = {}

    def is_result_of_loop(self, op: Operation) -> bool:
        """Return whether an op only joins leading dimensions of what a loop stacks, and is alone in reading
        it.

        The two are the same memory, and nobody has to divide positions in one by extents of the other.
        """
        if not isinstance(op, structural.ReshapeOp) or not isinstance(op.operand.owner, control.ScanOp):
            return False
        old, new = shape_of(op.operand), shape_of(op.result)
        behind = len(new) - 1
        joins = 0 < len(new) < len(old) and new[1:] == old[len(old) - behind :]
        return joins and len(self._readers.get(op.operand, ())) == 1

    def elements_beside(self, value: Value) -> int:
        """The number of elements of an array that share a scalar."""
        readers = self._readers.get(value, ())
        return max(
            (nominal_size(r.result) for r in readers if isinstance(r, structural.BroadcastOp)), default=1
        )

    def by(self, kind: Callable[[Operation], bool], value: Value) -> float:
        """Readings per element by ops of a kind alone."""
        known = self._known_by.get((kind, value))
        if known is None:
            known = 0.0
            for op in self._readers.get(value, ()):
                if kind(op):
                    known += self._by(op, value)
                elif isinstance(op, _MOVING) and shape_of(value):
                    grown = nominal_size(op.result) / max(nominal_size(value), 1)
                    known += self.by(kind, op.result) * grown
            self._known_by[kind, value] = known
        return known

    def of(self, value: Value) -> float:
        """Readings per element. A scalar is read once per kernel, since loops hoist it."""
        known = self._known.get(value)
        if known is None:
            known = sum(self._by(op, value) for op in self._readers.get(value, ()))
            self._known[value] = known
        return known

    def _by(self, op: Operation, value: Value) -> float:
        size = max(nominal_size(value), 1)
        match op:
            case structural.BroadcastOp():
                grown = nominal_size(op.result) / size if shape_of(value) else 1
                return self.of(op.result) * grown
            case structural.ReshapeOp() | structural.TransposeOp() | structural.ReverseOp():
                return self.of(op.result)
            case structural.SliceOp():
                return self.of(op.result) * nominal_size(op.result) / size
            case reductions.DotOp():
                contracted = prod(nominal_shape(op.lhs)[d] for d in values_of(op.lhs_contract))
                return nominal_size(op.result) * contracted / size if shape_of(value) else 1
            case indexing.ScatterOp() if op.operand is value and not must_store(op):
                return self.of(op.result) * nominal_size(op.result) / size
            case indexing.GatherOp() if op.operand is value:
                return nominal_size(op.result) / size
            case ReturnOp():
                return 0
            case _:
                return 1
