"""Readings through ops that place elements: only the positions are recomputed.

A rule `(reader, op, slots)` gives the reading of the result of `op`, `None` where the result is read itself.
"""

from __future__ import annotations

from xdsl.ir import Operation

from mlirad.dialects.array import indexing, structural
from mlirad.dialects.shapes import shape_of, values_of
from mlirad.passes.bulk_operations.reader import BatchReader, ReadingRule, dims_left
from mlirad.passes.bulk_operations.terms import Slots, Term


def _through_broadcast(r: BatchReader, op: structural.BroadcastOp, slots: Slots) -> Term:
    """The operand at those positions whose dimensions it has, repeated along the rest."""
    dims, left, shape = values_of(op.dims), dims_left(slots), shape_of(op.result)
    inner = r.read(op.operand, tuple(slots[d] for d in dims))
    return r.broadcast(inner, tuple(shape[d] for d in left), [left.index(d) for d in dims if d in left])


def _through_iota(r: BatchReader, op: structural.IotaOp, slots: Slots) -> Term | None:
    """The clamped position."""
    p = slots[op.dim.value.data]
    return r.clamp(p, shape_of(op.result)[0]) if p is not None and len(slots) == 1 else None


def _through_index(r: BatchReader, op: indexing.IndexOp, slots: Slots) -> Term:
    """x[p][q] = x[p, q]."""
    return r.read(op.operand, (*(r.whole(p) for p in op.positions), *slots))


def _through_reverse(r: BatchReader, op: structural.ReverseOp, slots: Slots) -> Term:
    """The mirrored position; dimensions left whole are reversed afterwards."""
    dims, left, shape = values_of(op.dims), dims_left(slots), shape_of(op.result)
    inner = tuple(
        r.affine(r.clamp(s, shape[d]), -1, shape[d] - 1) if s is not None and d in dims else s
        for d, s in enumerate(slots)
    )
    return r.reverse(r.read(op.operand, inner), [left.index(d) for d in dims if d in left])


def _through_slice(r: BatchReader, op: structural.SliceOp, slots: Slots) -> Term | None:
    """The position in the operand, unless dimensions that are left whole are cut as well."""
    shape, old = shape_of(op.result), shape_of(op.operand)
    if any(shape[d] != old[d] for d in dims_left(slots)):
        return None
    starts, strides = values_of(op.starts), values_of(op.strides)
    inner = tuple(
        s if s is None or shape[d] == old[d] else r.affine(r.clamp(s, shape[d]), strides[d], starts[d])
        for d, s in enumerate(slots)
    )
    return r.read(op.operand, inner)


def _through_reshape(r: BatchReader, op: structural.ReshapeOp, slots: Slots) -> Term | None:
    """The row-major number of the position, decomposed for the operand; what trails may stay whole."""
    new, old = shape_of(op.result), shape_of(op.operand)
    count = sum(s is not None for s in slots)
    positions = [s for s in slots[:count] if s is not None]
    trailing = len(new) - count
    if len(positions) < count or len(old) < trailing or old[len(old) - trailing :] != new[count:]:
        return None
    leading = old[: len(old) - trailing]
    number = r.ravel(positions, new[:count])
    return r.read(op.operand, (*r.unravel(number, leading), *[None] * trailing))


def _through_stack(r: BatchReader, op: structural.StackOp, slots: Slots) -> Term | None:
    """The part that a constant position names; else what is read of every part, stacked."""
    dim = op.dim.value.data
    others = (*slots[:dim], *slots[dim + 1 :])
    slot = slots[dim]
    k = None if slot is None else _constant(r, slot, len(op.parts))
    if k is not None:
        return r.read(op.parts[k], others)
    if (
        all(s is None for s in others)
        or op.result not in r.single_use
        or not r.no_dearer(op.parts[0], others)
    ):
        return None
    parts = [r.read(p, others) for p in op.parts]
    at = sum(s is None for s in slots[:dim])
    stacked = r.stack(parts, at)
    return _read_again(r, stacked, at, slot)


def _through_concatenate(r: BatchReader, op: structural.ConcatenateOp, slots: Slots) -> Term | None:
    """The part that a constant position falls in; else what is read of every part, put together."""
    dim = op.dim.value.data
    slot = slots[dim]
    k = None if slot is None else _constant(r, slot, shape_of(op.result)[dim])
    if k is not None:
        for part in op.parts:
            extent = shape_of(part)[dim]
            if k < extent:
                inner = r.whole(r.b.index_constant(k))
                return r.read(part, (*slots[:dim], inner, *slots[dim + 1 :]))
            k -= extent
    others = (*slots[:dim], None, *slots[dim + 1 :])
    if all(s is None for s in others) or op.result not in r.single_use or not r.no_dearer(op.result, others):
        return None
    at = sum(s is None for s in slots[:dim])
    return _read_again(r, r.concatenate([r.read(p, others) for p in op.parts], at), at, slot)


def _read_again(r: BatchReader, x: Term, dim: int, slot: Term | None) -> Term:
    """x read at one position, or x itself."""
    if slot is None:
        return x
    return r.read_term(x, tuple(slot if d == dim else None for d in range(len(x.shape))))


def _constant(r: BatchReader, slot: Term, extent: int) -> int | None:
    """A constant position, clamped."""
    known = None if slot.axes else r.b.scalar_of(r.value(slot))
    return None if known is None else min(max(int(known), 0), extent - 1)


PLACING_RULES: dict[type[Operation], ReadingRule] = {
    structural.BroadcastOp: _through_broadcast,
    structural.IotaOp: _through_iota,
    structural.ReverseOp: _through_reverse,
    structural.SliceOp: _through_slice,
    structural.ReshapeOp: _through_reshape,
    structural.StackOp: _through_stack,
    structural.ConcatenateOp: _through_concatenate,
    indexing.IndexOp: _through_index,
}
"""Applied whoever else reads the array."""
