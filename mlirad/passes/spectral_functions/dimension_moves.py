"""The movement of an array's dimensions, and the selection of their elements, in ops that move elements.

broadcast {dims = [2, 0]}                          0 to 2, 1 to 0
slice {starts = [0, 1], limits = [3, 3]}           0 to 0; of dimension 1 the positions 1, 2
gather (i, j) {yield i, order[j]}                  0 to 0; of dimension 1 those at the elements of `order`
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any

from xdsl.ir import Operation

from mlirad.dialects.array import indexing, ordering, structural
from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.array.reductions import DotOp, SumOp
from mlirad.dialects.extents import is_static
from mlirad.dialects.shapes import Value, shape_of, values_of
from mlirad.ir.arrays import extents_of
from mlirad.ir.builder import yields
from mlirad.ir.structural import scalar_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.spectral_functions.facts import Pick


@dataclass
class Moves:
    """The places of an operand's dimensions in the result, and those that are there in part only."""

    to: dict[int, int]
    picks: dict[int, Pick] = field(default_factory=dict[int, Pick])


def moves_of(op: Operation, operand: int) -> Moves | None:
    """Return what an op does to the dimensions of an operand; `None` for an op that is not known."""
    rule = _MOVES.get(type(op))
    return None if rule is None else rule(op, operand)


def same_dims(old: tuple[int, ...], new: tuple[int, ...]) -> dict[int, int]:
    """The dimensions that a reshape leaves as they are."""
    found: dict[int, int] = {}
    i = j = 0
    while i < len(old) and j < len(new):
        if old[i] == new[j]:
            found[i] = j
            i, j = i + 1, j + 1
        elif old[i] == 1:
            i += 1
        elif new[j] == 1:
            j += 1
        else:
            p, q = old[i], new[j]
            while p != q:
                if not (is_static(p) and is_static(q)):
                    return found
                if p < q:
                    i += 1
                    p *= old[i]
                else:
                    j += 1
                    q *= new[j]
            i, j = i + 1, j + 1
    return found


def is_injective(index: Value) -> bool:
    """Return whether all elements of an index vector are known to differ."""
    owner = index.owner
    if isinstance(owner, structural.ReverseOp | structural.SliceOp):
        return is_injective(owner.operand)
    return isinstance(owner, ordering.ArgsortOp) and len(shape_of(index)) == 1


def _broadcast(op: structural.BroadcastOp, _: int) -> Moves:
    return Moves(dict(enumerate(values_of(op.dims))))


def _transpose(op: structural.TransposeOp, _: int) -> Moves:
    return Moves({d: k for k, d in enumerate(values_of(op.permutation))})


def _reshape(op: structural.ReshapeOp, _: int) -> Moves:
    return Moves(same_dims(shape_of(op.operand), shape_of(op.result)))


def _slice(op: structural.SliceOp, _: int) -> Moves:
    shape = shape_of(op.operand)
    found = Moves({})
    bounds = zip(values_of(op.starts), values_of(op.limits), values_of(op.strides), strict=True)
    for d, (start, limit, stride) in enumerate(bounds):
        found.to[d] = d
        if (start, stride) != (0, 1) or limit != shape[d]:
            if is_static(limit):
                found.picks[d] = Pick(None, tuple(range(start, limit, stride)))
            else:
                del found.to[d]
    return found


def _reverse(op: structural.ReverseOp, _: int) -> Moves:
    shape = shape_of(op.operand)
    found = Moves({d: d for d in range(len(shape))})
    for d in values_of(op.dims):
        if is_static(shape[d]):
            found.picks[d] = Pick(None, tuple(range(shape[d] - 1, -1, -1)))
        else:
            del found.to[d]
    return found


def _gather(op: indexing.GatherOp, _: int) -> Moves:
    shape, extents = shape_of(op.operand), extents_of(op)
    arguments: list[Value] = list(op.body.block.args)
    targets = yields(op.body)
    rest = range(len(targets), len(shape))
    found = Moves({d: len(extents) + d - len(targets) for d in rest})
    for d, target in enumerate(targets):
        if target in arguments:
            k = arguments.index(target)
            if extents[k] == shape[d] and k not in found.to.values():
                found.to[d] = k
            continue
        pick = _pick(target, arguments, shape[d])
        if pick is not None:
            found.to[d] = pick[0]
            found.picks[d] = pick[1]
    return found


def _index(op: indexing.IndexOp, operand: int) -> Moves | None:
    count = len(op.positions)
    return None if operand else Moves({d: d - count for d in range(count, len(shape_of(op.operand)))})


def _pick(target: Value, arguments: list[Any], extent: int) -> tuple[int, Pick] | None:
    """The argument of a gather, and the elements of an outer vector that contain a position."""
    op = target.owner
    if not isinstance(op, indexing.IndexOp) or len(op.positions) != 1 or op.positions[0] not in arguments:
        return None
    index, k = op.operand, arguments.index(op.positions[0])
    if len(shape_of(index)) != 1:
        return None
    if isinstance(index.owner, structural.ConstantOp):
        positions = tuple(int(p) for p in literal_array(index.owner))
        are_places = len(set(positions)) == len(positions) and all(0 <= p < extent for p in positions)
        return (k, Pick(None, positions)) if are_places else None
    return (k, Pick(index)) if is_injective(index) else None


def _dot(op: DotOp, operand: int) -> Moves:
    batch, contract = op.batch, op.contract
    free = [
        [d for d in range(len(shape_of(x))) if d not in batch[k] and d not in contract[k]]
        for k, x in enumerate((op.lhs, op.rhs))
    ]
    start = len(batch[0]) + (len(free[0]) if operand else 0)
    moved = dict(zip(batch[operand], range(len(batch[0])), strict=True))
    return Moves(moved | {d: start + k for k, d in enumerate(free[operand])})


def _sum(op: SumOp, _: int) -> Moves:
    kept = [d for d in range(len(shape_of(op.operand))) if d not in values_of(op.dims)]
    return Moves({d: k for k, d in enumerate(kept)})


def _pad(op: structural.PadOp, operand: int) -> Moves | None:
    if operand or scalar_of(op.value) != 0:
        return None
    sides = zip(values_of(op.low), values_of(op.high), values_of(op.interior), strict=True)
    return Moves({d: d for d, side in enumerate(sides) if side == (0, 0, 0)})


_MOVES: dict[type[Operation], Callable[[Any, int], Moves | None]] = {
    structural.BroadcastOp: _broadcast,
    structural.TransposeOp: _transpose,
    structural.ReshapeOp: _reshape,
    structural.SliceOp: _slice,
    structural.ReverseOp: _reverse,
    structural.PadOp: _pad,
    indexing.GatherOp: _gather,
    indexing.IndexOp: _index,
    DotOp: _dot,
    SumOp: _sum,
}
