"""Values of fewer rows than all: slices along the rows, and pads and joins of them, as values of all rows.

    %d = array.sub (slice %x[1 : n]), (slice %x[0 : n - 1])         n - 1 rows
    array.gather %x (%i, %j) { %i + %j }                            windows of k rows each

    %d = array.sub (%x moved by 1), %x                              n rows, and the last one is not used
    array.stack %x, (%x moved by 1), ..., (%x moved by k - 1)

So equal rows are in the same chunk. Rows at the end that a value has too many are left out where rows are
combined, and of results where these are put together (`plan.Rows`). `neighbours.py` moves rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from xdsl.dialects.builtin import FunctionType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.control import IfOp, SwitchOp
from mlirad.dialects.array.indexing import GatherOp, ScatterOp
from mlirad.dialects.array.ordering import CUMULATIVE_KINDS, CumulativeOp
from mlirad.dialects.array.reductions import ArgmaxOp, ArgminOp, DotOp, ReduceOp, SumOp, identity
from mlirad.dialects.array.structural import (
    BroadcastOp,
    ConcatenateOp,
    IotaOp,
    PadOp,
    ReshapeOp,
    ReverseOp,
    SliceOp,
    StackOp,
    TransposeOp,
)
from mlirad.dialects.extents import is_static, size, sizes_of, text_of
from mlirad.dialects.shapes import (
    Value,
    array_type,
    element_of,
    int_lists,
    integer_of,
    ints,
    shape_of,
    values_of,
)
from mlirad.ir.free_values import free_values, own_operands, replace_operand
from mlirad.ir.regions import nested_ops
from mlirad.passes.shard_rows.emission import before, chosen, padded, splat
from mlirad.passes.shard_rows.flow import CUT, PREFIX
from mlirad.passes.shard_rows.neighbours import BorderOp, moved_by
from mlirad.passes.shard_rows.states import behind_all, refused
from mlirad.passes.shard_rows.windows import moved, windows_of


def aligned(function: FuncOp, name: str) -> None:
    """Rewrite values of fewer rows than all, in place, in branches too.

    Raises `SplitError` for an op that cannot have rows beside those that count.
    """
    if _has_short(function.body, name):
        _Alignment(function, name).run()


def _has_short(region: Region, name: str) -> bool:
    """Tell if an op makes a value of fewer rows than all."""
    return any(
        (behind_all(extent, name) or 0) < 0
        for op in nested_ops(region)
        for value in op.results
        for extent in shape_of(value)
    )


LOCAL_OPS: Final = (ew.ElementwiseOp, BroadcastOp, TransposeOp, StackOp, ReshapeOp, IotaOp, ConcatenateOp)
"""Ops whose rows depend on the same rows of their operands."""


Reduction: TypeAlias = SumOp | ReduceOp | ArgmaxOp | ArgminOp | DotOp | CumulativeOp | ReverseOp
"""Ops that read several rows for one."""


class _Alignment:
    def __init__(self, function: FuncOp, name: str):
        self.function = function
        self.name = name
        self.all: int = size(name)
        self.block: Block = function.body.block
        self.env: dict[Value, Value] = {}
        """The values of n rows, by those of fewer."""

    def run(self) -> None:
        self._walk(self.block)
        self._join_borders()

    def _walk(self, block: Block) -> None:
        for op in list(block.ops):
            if op is not block.last_op:
                if self._is_concerned(op):
                    self._op(op)
            elif block is self.block:
                self._returned(op)
            else:
                self._reread(op)
        for op in reversed(list(block.ops)):
            if op is not block.last_op and any(r in self.env for r in op.results):
                op.detach()
                op.erase()

    def _is_concerned(self, op: Operation) -> bool:
        read = any(v in self.env for v in free_values(op))
        return read or any(map(self._dim, op.results)) or any(_has_short(r, self.name) for r in op.regions)

    def _join_borders(self) -> None:
        """Have the borders of a value on one side be the longest of them."""
        found: dict[tuple[Value, Attribute], list[BorderOp]] = {}
        for op in self.block.ops:
            if isinstance(op, BorderOp):
                found.setdefault((own_operands(op)[0], op.attributes[PREFIX]), []).append(op)
        for same in found.values():
            longest = max(same, key=lambda op: abs(integer_of(op.offset)))
            first = same[0]
            if longest is not first:
                longest.detach()
                self.block.insert_op_before(longest, first)
            for op in same:
                if op is not longest:
                    op.rows.replace_all_uses_with(longest.rows)
                    op.detach()
                    op.erase()

    def _dim(self, value: Value) -> tuple[int, int] | None:
        """The dimension of a value that has n + k rows, and k < 0."""
        found = [(d, k) for d, e in enumerate(shape_of(value)) if (k := behind_all(e, self.name) or 0)]
        return found[0] if len(found) == 1 else None

    def _rows(self, value: Value) -> tuple[int, int] | None:
        """The dimension of n + k rows, and k, which may be 0."""
        shape = shape_of(value)
        return (shape.index(self.all), 0) if self.all in shape else self._dim(value)

    def _op(self, op: Operation) -> None:
        operands = [self.env.get(v, v) for v in own_operands(op)]
        if isinstance(op, GatherOp | ScatterOp) and (windows := windows_of(op, self.name)) is not None:
            self._enter(op.result, moved(op, operands[0], windows, self.name))
        elif isinstance(op, IfOp | SwitchOp):
            self._branches(op, operands)
        elif op.regions:
            raise self._refused(op)
        elif isinstance(op, SliceOp):
            self._sliced(op, operands[0])
        elif isinstance(op, PadOp):
            self._padded(op, *operands)
        elif isinstance(op, ConcatenateOp) and self._along_rows(op):
            self._concatenated(op)
        elif isinstance(op, Reduction):
            self._along(op, operands)
        elif isinstance(op, LOCAL_OPS):
            self._emit(op, operands)
        else:
            raise self._refused(op)

    def _branches(self, op: IfOp | SwitchOp, operands: Sequence[Value]) -> None:
        for region in op.regions:
            self._walk(region.block)
        self._emit(op, operands, [op.detach_region(region) for region in list(op.regions)])

    def _refused(self, op: Operation) -> Exception:
        inner = (v for region in op.regions for o in nested_ops(region) for v in o.results)
        values = (*op.results, *free_values(op), *inner)
        extent = next(shape_of(v)[found[0]] for v in values if (found := self._dim(v)))
        return refused(
            op,
            f"{text_of(extent)} rows of {self.name} are not the rows of one chunk",
            "mask rows by np.where instead of cutting them off, and write rows by np.add.at",
        )

    def _emit(self, op: Operation, operands: Sequence[Value], regions: Sequence[Region] = ()) -> None:
        """The op on values of n rows."""
        types = [self._type(op, r) for r in op.results]
        made = type(op).create(
            operands=operands,
            result_types=types,
            properties=dict(op.properties),
            attributes=dict(op.attributes),
            regions=regions,
            location=op.location,
        )
        block = op.parent
        assert block is not None
        block.insert_op_before(made, op)
        for old, new in zip(op.results, made.results, strict=True):
            self._enter(old, new)

    def _type(self, op: Operation, value: Value) -> Attribute:
        shape = list(shape_of(value))
        found = self._dim(value)
        if found is not None:
            shape[found[0]] = self.all
        elif any(not is_static(e) and e != self.all and self.name in sizes_of(e) for e in shape):
            raise self._refused(op)
        return array_type(tuple(shape), element_of(value))

    def _enter(self, old: Value, new: Value) -> None:
        """Have a value take the place of another one, whose users follow."""
        self.env[old] = new
        if self._dim(old) is None:
            old.replace_all_uses_with(new)

    # Structure ------------------------------------------------------------------------------------

    def _sliced(self, op: SliceOp, x: Value) -> None:
        found, kept = self._rows(op.operand), self._rows(op.result)
        if found is None:
            raise self._refused(op)
        dim, _ = found
        starts, limits, strides = (list(values_of(p)) for p in (op.starts, op.limits, op.strides))
        if kept is None:  # rows whose number is known
            self._emit(op, [x])
            return
        start = starts[dim]
        if strides[dim] != 1 or not is_static(start) or kept[0] != dim:
            raise self._refused(op)
        starts[dim], limits[dim] = 0, self.all
        shape = list(shape_of(op.result))
        shape[dim] = self.all
        if tuple(shape) != shape_of(x):
            type_ = array_type(tuple(shape), element_of(x))
            x = before(op, SliceOp, [x], type_, int_lists(starts=starts, limits=limits, strides=strides))
        self._enter(op.result, moved_by(op, x, dim, start))

    def _padded(self, op: PadOp, x: Value, value: Value) -> None:
        found, made = self._rows(op.operand), self._rows(op.result)
        if found is None and made is not None:  # a known number of rows among n - k
            self._few(op, x, value, made[0])
            return
        if found is None or made is None or found[0] != made[0]:
            raise self._refused(op)
        dim, behind = found
        low, high, interior = (list(values_of(p)) for p in (op.low, op.high, op.interior))
        first = low[dim]
        if interior[dim] or not is_static(first) or not is_static(high[dim]):
            raise self._refused(op)
        end = self.all + behind + first
        is_after = high[dim] > 0
        low[dim] = high[dim] = 0
        if any((*low, *high, *interior)):
            shape = list(shape_of(op.result))
            shape[dim] = self.all
            type_ = array_type(tuple(shape), element_of(x))
            x = before(op, PadOp, [x, value], type_, int_lists(low=low, high=high, interior=interior))
        x = moved_by(op, x, dim, -first)
        padding = before(op, BroadcastOp, [value], x.type, {"dims": ints(())})
        if first:
            x = chosen(op, dim, first, padding, x)
        if is_after:
            x = chosen(op, dim, end, x, padding)
        self._enter(op.result, x)

    def _few(self, op: PadOp, x: Value, value: Value, dim: int) -> None:
        """A known number of rows with others around, of n - k in all: with those at the end, n."""
        low, high, interior = (list(values_of(p)) for p in (op.low, op.high, op.interior))
        high[dim] = high[dim] + self.all - shape_of(op.result)[dim]
        widths = int_lists(low=low, high=high, interior=interior)
        self._enter(op.result, before(op, PadOp, [x, value], self._type(op, op.result), widths))

    def _along_rows(self, op: ConcatenateOp) -> bool:
        found = self._rows(op.result)
        return found is not None and found[0] == integer_of(op.dim)

    def _concatenated(self, op: ConcatenateOp) -> None:
        """Parts one after the other: one of n - k rows, others of a number of rows that is known."""
        dim = integer_of(op.dim)
        parts = [p for p in own_operands(op) if shape_of(p)[dim] != 0]
        if len([p for p in parts if self._rows(p) is not None]) != 1 or len(parts) == 1:
            raise refused(
                op,
                "concatenating along all rows needs the rows of all chunks at once",
                "concatenate before the rows are split",
            )
        starts = [0]
        for part in parts:
            starts.append(starts[-1] + shape_of(part)[dim])
        total: Value | None = None
        for part, start, end in reversed(list(zip(parts, starts, starts[1:], strict=False))):
            if self._rows(part) is not None:
                there = moved_by(op, self.env.get(part, part), dim, -start)
            else:
                there = padded(op, part, 0, dim, start, self.all - end)
            total = there if total is None else chosen(op, dim, end, there, total)
        assert total is not None
        self._enter(op.result, total)

    # Reductions -----------------------------------------------------------------------------------

    def _along(self, op: Reduction, operands: list[Value]) -> None:
        """Leave out the rows that are too many where an op combines rows."""
        for k, value in enumerate(own_operands(op)):
            found = self._dim(value)
            if found is None or found[0] not in _combined(op, k):
                continue
            if isinstance(op, CumulativeOp) and op.reverse is None:
                continue  # the rows that count come first
            fill = _neutral(op, element_of(value))
            if fill is None:
                raise self._refused(op)
            other = splat(op, fill, operands[k])
            operands[k] = chosen(op, found[0], self.all + found[1], operands[k], other)
        self._emit(op, operands)

    def _reread(self, op: Operation) -> None:
        for k, value in enumerate(own_operands(op)):
            if value in self.env:
                replace_operand(op, k, self.env[value])

    def _returned(self, op: Operation) -> None:
        """Have results of fewer rows cut off where they are put together (`plan.Rows`)."""
        returned = own_operands(op)
        if not any(v in self.env for v in returned):
            return
        left_out = [-(found[1] if (found := self._dim(v)) else 0) for v in returned]
        self._reread(op)
        inputs = list(self.function.function_type.inputs.data)
        self.function.function_type = FunctionType.from_lists(inputs, [v.type for v in own_operands(op)])
        op.attributes[CUT] = ints(tuple(left_out))


def _combined(op: Reduction, k: int) -> Sequence[int]:
    """The dimensions of an operand along which an op combines elements."""
    if isinstance(op, DotOp):
        return op.contract[k]
    if isinstance(op, ArgmaxOp | ArgminOp | CumulativeOp):
        return (integer_of(op.dim),)
    return values_of(op.dims)


def _neutral(op: Reduction, element: Attribute) -> float | None:
    """The number that an op combines with others without a change of these; None if there is none."""
    if isinstance(op, ReverseOp):
        return None
    if isinstance(op, SumOp | DotOp):
        return identity("add", element)
    if isinstance(op, ReduceOp):
        return identity(op.kind.data, element)
    if isinstance(op, CumulativeOp):
        return identity(CUMULATIVE_KINDS[op.kind.data], element)
    return identity(op.name.removeprefix("array.arg"), element)
