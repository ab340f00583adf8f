"""The contents of a function's scratch memory at its peak, by line of the source.

    peak_by_line(f) = {"model.py:12": 8192, "model.py:15": 512}

Arrays that a loop stacks for the reverse sweep count for the lines that make them in its body; memory that
regions need while they run, for the lines inside. Results, which lie in memory of their own, and the tapes of
data-dependent loops, which grow at run time, are not in it.
"""

from __future__ import annotations

from collections import Counter

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, OpResult

from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.shapes import Value
from mlirad.ir.builder import function_block, yields
from mlirad.ir.locations import location_of
from mlirad.lower.kernels.plan_memory.lifetimes import Lifetimes
from mlirad.lower.kernels.plan_memory.storage import Storage

NOWHERE = "(no line)"
"""The name for code without a place in a source."""


def peak_by_line(function: FuncOp) -> dict[str, int]:
    """Bytes of scratch memory at its peak by `file:line`, most first; for a function of kernels."""
    found = _at_peak(Lifetimes(function_block(function)))
    return dict(found.most_common())


def _at_peak(lifetimes: Lifetimes) -> Counter[str]:
    pieces = lifetimes.in_arena()
    loops = {id(s.storage): op for op, s in lifetimes.scratch.items()}
    lines: dict[int, str] = {}
    for value, storage in lifetimes.storage.items():
        lines.setdefault(id(storage), _line_of(value))
    found: Counter[str] = Counter()
    for piece in _alive(pieces, _fullest(pieces)):
        op = loops.get(id(piece))
        if op is None:
            found[lines[id(piece)]] += piece.size
        else:
            inside = max((_at_peak(r) for r in lifetimes.scratch[op].regions), key=lambda c: c.total())
            found += inside
            found[_line(op)] += piece.size - inside.total()
    return +found


def _alive(pieces: list[Storage], step: int) -> list[Storage]:
    return [p for p in pieces if p.start <= step <= p.end]


def _fullest(pieces: list[Storage]) -> int:
    """The number of the op at which most bytes are live."""
    change: Counter[int] = Counter()
    for piece in pieces:
        change[piece.start] += piece.size
        change[piece.end + 1] -= piece.size
    most = now = best = 0
    for step in sorted(change):
        now += change[step]
        if now > most:
            most, best = now, step
    return best


def _line_of(value: Value) -> str:
    """The line that makes a value; for what a loop stacks, the one in its body."""
    if isinstance(value, OpResult) and isinstance(value.op, ScanOp):
        made = yields(value.op.regions[0])[value.index]
        if isinstance(made, OpResult):
            return _line_of(made)
    owner = value.owner
    return _line(owner) if isinstance(owner, Operation) else NOWHERE


def _line(op: Operation) -> str:
    place = location_of(op)
    return NOWHERE if place is None else place
