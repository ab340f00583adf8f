"""Systems of orthonormal vectors as products: of eigenvectors of symmetric matrices, and of singular vectors.

    array.solve %v, %y                       V^-1 Y = V^H Y
    array.solve (transposed %v), %y          V^-T Y = V Y

Products are linear in V, and sums over the columns can be found in them. Of complex vectors the parts are
written out, as those of other products of complex matrices are.
"""

from __future__ import annotations

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array.factorisations import EighOp, SolveOp, SvdOp
from mlirad.dialects.array.structural import BroadcastOp, ReshapeOp, SliceOp, StackOp
from mlirad.dialects.shapes import Value, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.structural import scalar_of
from mlirad.passes.function_pass import holds, visit_regions
from mlirad.passes.spectral_functions.diagonals import identity_dims
from mlirad.passes.spectral_functions.sources import FRAMES, NESTING, complex_part


def without_systems(function: FuncOp) -> FuncOp:
    """The function with products in the place of systems of eigenvectors."""
    if not holds(function, SolveOp):
        return function
    halves: dict[Value, list[Value]] = {}

    def visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
        if isinstance(op, NESTING):
            visit_regions(b, op, env, visit)
            return
        match op:
            case SolveOp(complex=None) if _is_basis(op.matrix):
                env[op.result] = _product(b, env[op.matrix], env[op.operand])
            case SolveOp() if op.complex is not None and _is_complex_basis(op.matrix):
                halves[op.result] = _complex_product(b, env[op.matrix], env[op.operand])
                env[op.result] = b.stack(halves[op.result], len(shape_of(op.result)) - 1)
            case SliceOp() if op.operand in halves and shape_of(op.result)[-1] == 1:
                part = halves[op.operand][values_of(op.starts)[-1]]
                bounds = [values_of(v)[:-1] for v in (op.starts, op.limits, op.strides)]
                env[op.result] = b.reshape(b.slice(part, *bounds), shape_of(op.result))
            case _:
                b.rebuild(op, env)

    return rebuild_function(function, visit)


def _is_basis(x: Value) -> bool:
    """Return whether an array is that of real vectors, or of these transposed."""
    op = x.owner
    if isinstance(op, BroadcastOp):
        rank = len(shape_of(x))
        return values_of(op.dims) == (*range(rank - 2), rank - 1, rank - 2) and _is_basis(op.operand)
    return isinstance(op, FRAMES) and op.part.data != "values" and op.complex is None


def _is_complex_basis(x: Value) -> bool:
    """Return whether an array is that of complex vectors, or a stack of both parts of it."""
    op = x.owner
    if isinstance(op, StackOp):
        parts = [_part_of(p) for p in op.parts]
        sources = [p and p[0] for p in parts]
        return [p and p[1] for p in parts] == [0, 1] and sources[0] is sources[1]
    return isinstance(op, FRAMES) and op.part.data != "values"


def _part_of(x: Value) -> tuple[EighOp | SvdOp, int] | None:
    """The vectors that an array is the real part of, 0, or the imaginary part, 1."""
    op = x.owner
    while isinstance(op, ReshapeOp) or (isinstance(op, BroadcastOp) and _adds_units(op)):
        op = op.operand.owner
    part = complex_part(op) if isinstance(op, SliceOp) else None
    return part if part is not None and shape_of(part[0].result)[:-1] == shape_of(x) else None


def _adds_units(op: BroadcastOp) -> bool:
    """Tell whether a broadcast does nothing but add dimensions of extent 1."""
    dims, shape = values_of(op.dims), shape_of(op.result)
    same = tuple(shape[d] for d in dims) == shape_of(op.operand) and sorted(dims) == list(dims)
    return same and all(e == 1 for d, e in enumerate(shape) if d not in dims)


def _product(b: ArrayBuilder, vectors: Value, x: Value) -> Value:
    """V^T X."""
    rank = len(shape_of(vectors))
    batch = range(rank - 2)
    if identity_dims(x) == (rank - 2, rank - 1):
        return b.transpose(vectors, [*batch, rank - 1, rank - 2])
    return b.dot(vectors, x, batch, batch, [rank - 2], [rank - 2])


def _complex_product(b: ArrayBuilder, vectors: Value, x: Value) -> list[Value]:
    """The parts of V^H X, of arrays of pairs."""
    (p, q), (r, s) = _parts(b, vectors), _parts(b, x)
    if scalar_of(s) == 0:
        return [_product(b, p, r), b.neg(_product(b, q, r))]
    return [
        b.add(_product(b, p, r), _product(b, q, s)),
        b.sub(_product(b, p, s), _product(b, q, r)),
    ]


def _parts(b: ArrayBuilder, x: Value) -> tuple[Value, Value]:
    """The real and the imaginary parts of pairs."""
    op = x.owner
    if isinstance(op, StackOp) and op.dim.value.data == len(shape_of(x)) - 1:
        re, im = op.parts
        return re, im
    *shape, _ = shape_of(x)
    zeros, ones = [0] * len(shape), [1] * (len(shape) + 1)
    re, im = (b.reshape(b.slice(x, [*zeros, k], [*shape, k + 1], ones), shape) for k in range(2))
    return re, im
