"""Pointful reading: the scalar code that computes one element of an array value.

    at(add(x, y), p)        = at(x, p) + at(y, p)
    at(broadcast x, p)      = at(x, p at the dims of x)
    at(gather x (e), (i,r)) = at(x, (clamp e(i), r))
    at(stored value, p)     = load value[p], unless all its elements are one number

Positions stay integer scalars of the body until a load is reached. A guard, the conditions under which the
element matters, is carried down to the loads: where a condition proves that a position lies inside, the
load is made under it at the unclamped, affine position instead of clamping first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import i1, i32, i64
from xdsl.ir import Block, Operation, Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import indexing, structural
from mlirad.dialects.array.frames import NoFrameOp
from mlirad.dialects.extents import at_most
from mlirad.dialects.kernel import LoadIfOp, LoadOp
from mlirad.dialects.kernel.factorisations import FactorisationOp
from mlirad.dialects.shapes import (
    Value,
    element_of,
    shape_of,
    values_of,
)
from mlirad.errors import CompileError
from mlirad.ir.arrays import ArrayBuilder, extents_of
from mlirad.ir.builder import yields
from mlirad.ir.locations import location_of
from mlirad.lower.kernels.form_kernels.bounds_proofs import Guard, Inside
from mlirad.lower.kernels.form_kernels.inverses import inverted_positions
from mlirad.lower.kernels.form_kernels.positions import Position, linear, reshaped

Read: TypeAlias = tuple[Value, Position]
ScalarOf: TypeAlias = Callable[[Value], Value]


class ElementReader:
    """Reads elements of array values into the body of one kernel.

    `stored` maps the values that lie in memory to the buffers that stand for them in the new function;
    `builder` is open in the kernel's body.
    """

    def __init__(self, builder: ArrayBuilder, stored: Mapping[Value, Value]):
        self.b = builder
        self.stored = stored
        self.inside = Inside(builder)
        self.buffers: dict[Value, None] = {}
        self._memo: dict[tuple[Value, Position, Guard], Value] = {}

    def at(self, value: Value, position: Position, guard: Guard = ()) -> Value:
        """The element of `value` at `position`, needed only where every condition of `guard` holds.

        Chains of elementwise ops are followed without recursion: straight-line programs have thousands.
        """
        pending = [(value, position)]
        while pending:
            x, p = pending[-1]
            if (x, p, guard) in self._memo:
                pending.pop()
                continue
            missing = [read for read in self._same_reads(x, p) if (*read, guard) not in self._memo]
            if missing:
                pending += reversed(missing)
                continue
            self._memo[x, p, guard] = self._read_located(x, p, guard)
        return self._memo[value, position, guard]

    def _same_reads(self, value: Value, position: Position) -> list[Read]:
        """Return what an element of an elementwise op is computed from, all of it under the guard of the
        element.
        """
        op = value.owner
        if value in self.stored or not isinstance(op, ew.ElementwiseOp) or isinstance(op, ew.SelectOp):
            return []
        return [(o, position if shape_of(o) else ()) for o in op.operands]

    def _read_located(self, value: Value, position: Position, guard: Guard) -> Value:
        """`_read` with the location and the name of the value."""
        location, hint = self.b.location, self.b.name_hint
        owner = value.owner
        if not isinstance(owner, Block):
            self.b.location = owner.location
        self.b.name_hint = value.name_hint
        element = self._read(value, position, guard)
        self.b.location, self.b.name_hint = location, hint
        return element

    def _read(self, value: Value, position: Position, guard: Guard) -> Value:
        buffer = self.stored.get(value)
        if buffer is not None and self.b.scalar_of(value) is None:
            return self._load(buffer, position, guard)
        op = value.owner
        if isinstance(op, Block):
            return value
        b = self.b
        match op:
            case ew.SelectOp():
                return self._read_select(op, position, guard)
            case ew.ElementwiseOp():
                operands = [self._same(o, position, guard) for o in op.operands]
                return b.apply_elementwise(type(op), operands, op.properties, element_of(value))
            case structural.ConstantOp() | structural.SizeOp() | NoFrameOp():
                return b.rebuild_unfolded(op, {}).results[0]
            case structural.IotaOp():
                return position[op.dim.value.data]
            case structural.BroadcastOp():
                return self.at(op.operand, tuple(position[d] for d in values_of(op.dims)), guard)
            case structural.TransposeOp():
                permutation = values_of(op.permutation)
                inner = tuple(position[permutation.index(k)] for k in range(len(position)))
                return self.at(op.operand, inner, guard)
            case structural.ReshapeOp():
                inner = reshaped(self.b, position, shape_of(value), shape_of(op.operand))
                return self.at(op.operand, inner, guard)
            case structural.SliceOp():
                steps = zip(position, values_of(op.starts), values_of(op.strides), strict=True)
                return self.at(op.operand, tuple(linear(self.b, p, k, s) for p, s, k in steps), guard)
            case structural.ReverseOp():
                return self.at(op.operand, self._reversed(op, position), guard)
            case structural.PadOp():
                return self._read_pad(op, position, guard)
            case structural.ConcatenateOp():
                return self._read_concatenation(op, position, guard)
            case structural.StackOp():
                return self._read_stack(op, position, guard)
            case indexing.IndexOp():
                inner = [self.at(p, (), guard) for p in op.positions]
                return self._read_inside(op.operand, inner, position, guard)
            case indexing.GatherOp():
                count = len(op.body.block.args)
                inner = self.region_positions(op.body, position[:count], guard)
                return self._read_inside(op.operand, inner, position[count:], guard)
            case indexing.ScatterOp():
                return self._read_scatter(op, position, guard)
            case _:
                raise CompileError(f"{op.name} cannot be read element by element", location=location_of(op))

    def _same(self, operand: Value, position: Position, guard: Guard) -> Value:
        """An operand of an elementwise op: at the same position, or a scalar."""
        return self.at(operand, position if shape_of(operand) else (), guard)

    # Loads ---------------------------------------------------------------------------------------

    def _load(self, buffer: Value, position: Position, guard: Guard) -> Value:
        """A load at positions that lie inside wherever the guard holds.

        It is made under those conditions that prove it; where positions were computed from proven ones
        (through a reshape, say) and no single condition proves them, under the whole guard.
        """
        self.buffers[buffer] = None
        needed: dict[Value, None] = {}
        for p, extent in zip(position, shape_of(buffer), strict=True):
            if not self.inside.stays_inside(p, extent):
                proof = self.inside.proof(p, extent, guard)
                needed.update(dict.fromkeys(guard if proof is None else proof))
        element = element_of(buffer)
        if not needed:
            loaded = self._widened(self.b.emit(LoadOp, (buffer, *position), element), buffer)
            interval = self.b.ranges.interval(buffer)
            if interval is not None:
                self.b.ranges.set(loaded, *interval)
            return loaded
        condition = self._all(list(needed))
        return self._widened(self.b.emit(LoadIfOp, (condition, buffer, *position), element), buffer)

    def _widened(self, loaded: Value, buffer: Value) -> Value:
        """A loaded number; row numbers of factorisations, which have 32 bits in memory, have 64 elsewhere."""
        if not isinstance(buffer.owner, FactorisationOp) or loaded.type != i32:
            return loaded
        return self.b.elementwise(ew.ConvertOp, (loaded,), i64)

    def _read_inside(self, x: Value, positions: Sequence[Value], rest: Position, guard: Guard) -> Value:
        """`x` at leading positions that may lie outside: clamped unless they matter only inside.

        There is nothing to clamp to in an array that turns out to be empty: nothing of it is read.
        """
        shape = shape_of(x)
        if 0 in shape:
            return self.b.zeros(element_of(x))
        inner: list[Value] = []
        there: list[Value] = []
        for p, e in zip(positions, shape, strict=False):
            if self.inside.is_inside(p, e, guard):
                inner.append(p)
                continue
            inner.append(self.b.clamp(p, e))
            if not at_most(1, e):
                there.append(self.b.compare("lt", self.b.index_constant(0), self.b.index_constant(e)))
        if not there:
            return self.at(x, (*inner, *rest), guard)
        condition = self._all(there)
        element = self.at(x, (*inner, *rest), (*guard, condition))
        return self.b.select(condition, element, self.b.zeros(element_of(x)))

    def _all(self, conditions: Sequence[Value]) -> Value:
        result = conditions[0]
        for condition in conditions[1:]:
            result = self.b.logical_and(result, condition)
        return result

    # Positions -----------------------------------------------------------------------------------

    def _reversed(self, op: structural.ReverseOp, position: Position) -> Position:
        dims, shape = values_of(op.dims), shape_of(op.result)
        return tuple(linear(self.b, p, -1, shape[d] - 1) if d in dims else p for d, p in enumerate(position))

    def region_positions(self, body: Region, arguments: Sequence[Value], guard: Guard) -> list[Value]:
        """The positions a region computes from its arguments; what it captures is read as scalars."""
        env: dict[Value, Value] = dict(zip(body.block.args, arguments, strict=True))

        def mapped(value: Value) -> Value:
            found = env.get(value)
            if found is None:
                found = env[value] = self.at(value, (), guard)
            return found

        for op in body.block.ops:
            if isinstance(op, indexing.YieldOp):
                break
            env[op.results[0]] = self._scalar(op, mapped, guard)
        return [mapped(v) for v in yields(body)]

    def _scalar(self, op: Operation, mapped: ScalarOf, guard: Guard) -> Value:
        """One op of an index region on scalars: `index` reads an outer array, the others are elementwise."""
        match op:
            case indexing.IndexOp() if not shape_of(op.result):
                inner = [mapped(p) for p in op.positions]
                return self._read_inside(op.operand, inner, (), guard)
            case ew.ElementwiseOp() if not shape_of(op.results[0]):
                operands = [mapped(o) for o in op.operands]
                element = element_of(op.results[0])
                return self.b.apply_elementwise(type(op), operands, op.properties, element)
            case structural.ConstantOp() | structural.SizeOp() if not shape_of(op.result):
                return self.b.rebuild_unfolded(op, {}).results[0]
            case _:
                raise CompileError(
                    f"{op.name} cannot stand in the index region of a kernel",
                    location=location_of(op),
                )

    # Ops with several sources --------------------------------------------------------------------

    def _read_select(self, op: ew.SelectOp, position: Position, guard: Guard) -> Value:
        condition = self._same(op.condition, position, guard)
        known = self.b.scalar_of(condition)
        if known is not None:
            return self.at(op.on_true if known else op.on_false, position, guard)
        if condition in guard:
            return self.at(op.on_true, position, guard)
        negated = self.b.logical_not(condition)
        on_true = self.at(op.on_true, position, (*guard, condition))
        on_false = self.at(op.on_false, position, (*guard, negated))
        return self.b.select(condition, on_true, on_false)

    def _choose(self, condition: Value, then: Read, otherwise: Read, guard: Guard) -> Value:
        """`then` where the condition holds, else `otherwise`, each read under its guard."""
        known = self.b.scalar_of(condition)
        if known is not None:
            return self.at(*(then if known else otherwise), guard)
        negated = self.b.logical_not(condition)
        return self.b.select(
            condition, self.at(*then, (*guard, condition)), self.at(*otherwise, (*guard, negated))
        )

    def _read_pad(self, op: structural.PadOp, position: Position, guard: Guard) -> Value:
        b, shape = self.b, shape_of(op.operand)
        if 0 in shape:
            return self.at(op.value, (), guard)
        inner: list[Value] = []
        inside = b.constant(True, i1)
        for p, low, mid, e in zip(position, values_of(op.low), values_of(op.interior), shape, strict=True):
            q = linear(self.b, p, 1, -low)
            if mid:
                step = b.index_constant(mid + 1)
                inside = b.logical_and(
                    inside, b.compare("eq", b.binary(ew.RemOp, q, step), b.index_constant(0))
                )
                q = b.binary(ew.FloorDivOp, q, step)
            inside = b.logical_and(inside, b.inside([q], [e]))
            inner.append(q)
        return self._choose(inside, (op.operand, tuple(inner)), (op.value, ()), guard)

    def _read_concatenation(self, op: structural.ConcatenateOp, position: Position, guard: Guard) -> Value:
        dim = op.dim.value.data
        parts = [p for p in op.parts if not at_most(shape_of(p)[dim], 0)]
        offsets = [0]
        for part in parts:
            offsets.append(offsets[-1] + shape_of(part)[dim])

        def read(k: int, guard: Guard) -> Value:
            shifted = linear(self.b, position[dim], 1, -offsets[k])
            inner = (*position[:dim], shifted, *position[dim + 1 :])
            if k == len(parts) - 1:
                return self.at(parts[k], inner, guard)
            before = self.b.compare("lt", position[dim], self.b.index_constant(offsets[k + 1]))
            known = self.b.scalar_of(before)
            if known is not None:
                return self.at(parts[k], inner, guard) if known else read(k + 1, guard)
            after = self.b.logical_not(before)
            on_true = self.at(parts[k], inner, (*guard, before))
            return self.b.select(before, on_true, read(k + 1, (*guard, after)))

        return read(0, guard)

    def _read_stack(self, op: structural.StackOp, position: Position, guard: Guard) -> Value:
        dim = op.dim.value.data
        inner = (*position[:dim], *position[dim + 1 :])

        def read(k: int) -> Value:
            if k == len(op.parts) - 1:
                return self.at(op.parts[k], inner, guard)
            here = self.b.compare("eq", position[dim], self.b.index_constant(k))
            known = self.b.scalar_of(here)
            if known is not None:
                return self.at(op.parts[k], inner, guard) if known else read(k + 1)
            return self.b.select(here, self.at(op.parts[k], inner, guard), read(k + 1))

        return read(0)

    def _read_scatter(self, op: indexing.ScatterOp, position: Position, guard: Guard) -> Value:
        """A scatter that can be inverted is a read at the inverse position where there is one, else 0."""
        inverse = inverted_positions(op)
        if inverse is None:
            raise CompileError("scatter to colliding positions must be stored", location=location_of(op))
        b = self.b
        found: dict[int, Value] = {}
        for k, (source, sign, offset) in enumerate(inverse.targets):
            if source is not None:
                found[source] = linear(self.b, position[k], sign, -sign * offset)
        arguments = [found[a] for a in range(len(found))]
        inside = b.inside(arguments, extents_of(op)) if arguments else b.constant(True, i1)
        if None in (source for source, _, _ in inverse.targets):
            written = self.region_positions(op.body, arguments, (*guard, inside))
            for k, (source, _, _) in enumerate(inverse.targets):
                if source is None:
                    there = b.clamp(written[k], shape_of(op.result)[k])
                    inside = b.logical_and(inside, b.compare("eq", position[k], there))
        zero = b.zeros(element_of(op.result))
        inner = (*arguments, *position[len(inverse.targets) :])
        known = b.scalar_of(inside)
        if known is not None:
            return self.at(op.operand, inner, guard) if known else zero
        return b.select(inside, self.at(op.operand, inner, (*guard, inside)), zero)
