"""Keys of arrays of vectors, by which the real and the imaginary part of one are found to belong together.

x = Re(V) diag(f) c               (1, key)
y = -Im(V) diag(f) c              (-1, the key that x has if all vectors are multiplied by i)
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.structural import SliceOp
from mlirad.dialects.shapes import Value, shape_of
from mlirad.ir.free_values import own_operands
from mlirad.passes.spectral_functions.dimension_moves import moves_of
from mlirad.passes.spectral_functions.facts import Fact, Vectors
from mlirad.passes.spectral_functions.sources import complex_part, frame_of, side_of


def signature(
    x: Value, facts: Mapping[Value, Fact], through: Mapping[Value, int], *, turned: bool = False
) -> tuple[int, object]:
    """A sign, and a key that arrays of vectors share which are equal up to that sign.

    With `turned` of what the array would be if all vectors were multiplied by i. `facts` are what is known of
    values, and `through` says which operand has the vectors of an array.
    """
    op = x.owner
    assert isinstance(op, Operation)
    if isinstance(op, SliceOp):
        part = complex_part(op)
        if part is not None:
            source, k = part
            kept = 1 - k if turned else k
            sign = -1 if turned and (k == 0) == (side_of(source) == "left") else 1
            return sign, ("part", frame_of(source), side_of(source), kept)
    is_sum = isinstance(op, ew.AddOp | ew.SubOp)
    place = through.get(x, 0)
    inner = [
        signature(o, facts, through, turned=turned) if is_sum or k == place else (1, o)
        for k, o in enumerate(own_operands(op))
    ]
    sign, keys = 1, [key for _, key in inner]
    if is_sum:
        (one, left), (other, right) = inner
        other = -other if isinstance(op, ew.SubOp) else other
        if hash(right) < hash(left):
            one, left, other, right = other, right, one, left
        return one, ("plus" if one == other else "minus", left, right)
    for s, _ in inner:
        sign *= s
    if isinstance(op, ew.NegOp):
        return -sign, keys[0]
    before, fact = facts[own_operands(op)[place]], facts[x]
    assert isinstance(before, Vectors) and isinstance(fact, Vectors)
    if len(before.factors) < len(fact.factors):
        # A factor is compared beside the vectors.
        return sign, keys[place]
    move = _moves_key(op) if op.regions else tuple(sorted(op.properties.items()))
    return sign, (type(op), move, *keys)


def _moves_key(op: Operation) -> object:
    """Return what an op with a region does to its operand: equal for ops that do the same."""
    moves = moves_of(op, 0)
    if moves is None or len(moves.to) != len(shape_of(own_operands(op)[0])):
        return id(op)
    return tuple(sorted(moves.to.items())), frozenset(moves.picks.items()), shape_of(op.results[0])
