"""Prefetches an iteration's successor: the record that the next iteration writes or reads.

    records of 3704 bytes, iteration i     the lines of record i + 1 are fetched; in reverse, of record i - 1

Processors fetch ahead where addresses grow by small steps. The kernels of an iteration go through a record in
an order of their own, and where each of their accesses goes next is on another page. A fetch never fails, so
the last iteration may ask for what lies beyond the records.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from xdsl.ir import OpResult

from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.extents import is_static
from mlirad.dialects.kernel.plans import stated_strides
from mlirad.dialects.shapes import Value as Ssa
from mlirad.lower.bodies.buffers import MemorySlot
from mlirad.lower.cpu.emit.addresses import ValueAddresses
from mlirad.lower.kernels.plan_memory.records import row_bytes
from mlirad.lower.llvm.text import Value
from mlirad.lower.machine import LINE_BYTES, MOST_FETCHED


class Stretch(NamedTuple):
    """Bytes of the first record: from where in the arena to where, and how far it is to the next record."""

    start: int
    end: int
    stride: int


def fetch_records(at: ValueAddresses, op: ScanOp, index: Value) -> None:
    """Fetch what the iteration after the one at an index writes to records, or reads of them."""
    for values, writes in ((op.stacked, True), (op.xs, False)):
        stretches = _stretches(at, values)
        if sum(end - start for start, end, _ in stretches) > MOST_FETCHED:
            continue
        for start, end, stride in stretches:
            after = at.f.add(index, -1 if op.reverse is not None else 1)
            pointer = at.f.gep(at.pointers[MemorySlot("arena", start)], at.f.mul(after, stride), "i8")
            for offset in (*range(0, end - start, LINE_BYTES), end - start - 1):
                at.f.prefetch(at.f.gep(pointer, offset, "i8"), writes=writes)


def _stretches(at: ValueAddresses, values: Iterable[Ssa]) -> list[Stretch]:
    """The rows of those values that lie in records; rows that lie side by side are one."""
    found: list[Stretch] = []
    for row in sorted(row for value in values if (row := _row(at, value)) is not None):
        last = found[-1] if found else None
        if last is not None and row.start - last.end < LINE_BYTES and row.stride == last.stride:
            found[-1] = Stretch(last.start, max(last.end, row.end), last.stride)
        else:
            found.append(row)
    return found


def _row(at: ValueAddresses, value: Ssa) -> Stretch | None:
    """The first row of a value that lies in records; None of any other."""
    if not isinstance(value, OpResult) or not isinstance(value.op, ScanOp):
        return None
    stride, place = stated_strides(value.op)[value.index], at.buffer(value).place
    if not stride or place.region != "arena" or not is_static(place.number):
        return None
    return Stretch(place.number, place.number + row_bytes(value), stride)
