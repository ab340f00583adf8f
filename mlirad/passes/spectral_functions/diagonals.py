"""Diagonal matrices that a program makes: of an identity matrix, or of where row and column are equal.

select (iota 0 == iota 1), (broadcast %f), 0           mul (broadcast %f), [[1, 0], [0, 1]]
"""

from __future__ import annotations

import numpy as np

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.array.structural import ConstantOp, IotaOp
from mlirad.dialects.shapes import Value, shape_of
from mlirad.ir.free_values import own_operands
from mlirad.ir.structural import scalar_of
from mlirad.passes.spectral_functions.facts import Diagonal
from mlirad.passes.spectral_functions.jets import unrepeated


def identity_dims(x: Value) -> tuple[int, int] | None:
    """The two dimensions in which an array is the identity matrix, of numbers or of booleans."""
    core, dims = unrepeated(x)
    op = core.owner
    if isinstance(op, ConstantOp) and len(dims) == 2:
        numbers = literal_array(op)
        is_identity = numbers.shape[0] == numbers.shape[1] and np.array_equal(numbers, np.eye(len(numbers)))
        return (dims[0], dims[1]) if is_identity else None
    if isinstance(op, ew.SelectOp):
        found = identity_dims(op.condition) if shape_of(op.condition) == shape_of(core) else None
        is_identity = scalar_of(op.on_true) == 1 and scalar_of(op.on_false) == 0
        return (dims[found[0]], dims[found[1]]) if found is not None and is_identity else None
    if isinstance(op, ew.ConvertOp):
        found = identity_dims(op.operand)
        return None if found is None else (dims[found[0]], dims[found[1]])
    if isinstance(op, ew.CompareOp) and op.predicate.data == "eq":
        sides = [unrepeated(o) for o in own_operands(op)]
        if all(isinstance(s.owner, IotaOp) and len(d) == 1 for s, d in sides):
            p, q = sides[0][1][0], sides[1][1][0]
            shape = shape_of(core)
            return (dims[p], dims[q]) if p != q and shape[p] == shape[q] else None
    return None


def diagonal(x: Value, ends: tuple[int, int]) -> Diagonal | None:
    """The matrices with the diagonal of an array that varies along one of the two dimensions."""
    core, dims = unrepeated(x)
    return Diagonal(core, dims, ends) if sum(e in dims for e in ends) == 1 else None
