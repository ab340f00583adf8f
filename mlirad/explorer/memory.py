"""Working memory over the program: which bytes of it hold what, from step to step.

    memory_pieces(entry, origins)      stretches of the arena: bytes, offset, first and last step, origin
    memory_map(pieces, steps, size)    an image: steps from left to right, the arena from bottom to top

A loop or branch is one step. The scratch memory of its regions is one stretch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation

from mlirad.dialects.shapes import Value
from mlirad.explorer.origins import Origins
from mlirad.explorer.svg import Drawing
from mlirad.ir.builder import function_block
from mlirad.ir.locations import name_of, place_of
from mlirad.ir.regions import nested_ops
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.bodies.buffers import Memory, program_buffers
from mlirad.lower.kernels.plan_memory.lifetimes import Lifetimes
from mlirad.lower.kernels.plan_memory.storage import Storage

WIDTH, HEIGHT = 780, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 16, 20, 36

MOST_PIECES = 4000
"""The number of stretches that are drawn, the largest first."""

THIN = 3
"""Pixels up to which a stretch is drawn without an edge."""


@dataclass(frozen=True)
class Piece:
    """A stretch of working memory that holds a value from a step to another."""

    name: str
    offset: int
    nbytes: int
    first: int
    last: int
    origin: int


def memory_pieces(entry: FuncOp, origins: Origins) -> tuple[list[Piece], int]:
    """The stretches of a function of planned kernels, largest first, and the number of its steps."""
    block = function_block(entry)
    lifetimes = Lifetimes(block)
    memory = program_buffers(entry, cast(ReturnOp, block.last_op))
    pieces: list[Piece] = []
    seen: set[int] = set()
    for value, storage in lifetimes.storage.items():
        buffer = memory.buffers.get(value)
        if buffer is None or buffer.place.region != "arena" or id(storage) in seen:
            continue
        seen.add(id(storage))
        owner = value.owner
        origin = origins.of(place_of(owner.location)) if isinstance(owner, Operation) else 0
        pieces.append(_piece(name_of(value), buffer.place.number, storage, origin))
    for op, scratch in lifetimes.scratch.items():
        offsets = [
            memory.buffers[v].place.number for v in _inside(op, memory) if id(scratch.storage) not in seen
        ]
        if offsets and scratch.storage.size:
            origin = origins.of(place_of(op.location))
            pieces.append(_piece(f"inside of {op.name}", min(offsets), scratch.storage, origin))
    return sorted(pieces, key=lambda p: -p.nbytes * (1 + p.last - p.first)), len(lifetimes.ops)


def _piece(name: str, offset: int, storage: Storage, origin: int) -> Piece:
    return Piece(name, offset, storage.size, storage.start, storage.end, origin)


def _inside(op: Operation, memory: Memory) -> list[Value]:
    """The values in the regions of an op that lie in the arena."""
    values = [r for region in op.regions for inner in nested_ops(region) for r in inner.results]
    return [v for v in values if v in memory.buffers and memory.buffers[v].place.region == "arena"]


def memory_map(pieces: Sequence[Piece], steps: int, size: int) -> str:
    """The stretches as rectangles, coloured by where they come from."""
    d = Drawing(WIDTH, HEIGHT)
    width, height = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM
    for k in range(5):
        at = HEIGHT - _BOTTOM - height * k / 4
        d.line(_LEFT, at, WIDTH - _RIGHT, at, "grid")
        d.text(_LEFT - 6, at + 4, shown_bytes(size * k / 4), "tick", "end")
    for piece in pieces[:MOST_PIECES]:
        left = _LEFT + width * piece.first / max(1, steps)
        right = _LEFT + width * (piece.last + 1) / max(1, steps)
        tall = height * piece.nbytes / max(1, size)
        top = HEIGHT - _BOTTOM - height * piece.offset / max(1, size) - tall
        title = f"{piece.name}: {shown_bytes(piece.nbytes)}, steps {piece.first} to {piece.last}"
        kind = f"piece s{piece.origin % 5}{'' if tall > THIN else ' thin'}"
        d.box(left, top, max(1.0, right - left), max(0.8, tall), kind, title, origin=piece.origin)
    d.text(_LEFT, HEIGHT - 12, "step 0", "tick")
    d.text(WIDTH - _RIGHT, HEIGHT - 12, f"step {max(0, steps - 1)}", "tick", "end")
    return d.inline()


def shown_bytes(count: float) -> str:
    """A number of bytes with its unit."""
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} GiB"
