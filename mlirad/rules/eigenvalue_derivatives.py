"""The derivative of eigenvalues and eigenvectors of matrices that need not be symmetric.

    A V = V diag(w)      dw = diag(T), dV = D - V diag(c)       with T = V^-1 dA V, D = V (E * T),
                                                                E_ij = 1 / (w_j - w_i)

Eigenvectors have length 1, and their largest element is real, so c is Re diag(V^H D) and an imaginary part
by which that element stays real. The inverse of V is that of its LU factors.

On the diagonal E is 0. Where two eigenvalues are equal up to rounding E is NaN, as their vectors have no
derivative. Those of sums of them are right if they have as many independent eigenvectors. If they have not, V
is singular, and the derivative, which does not exist, is infinite, NaN, or very large.

(Source: M. Giles, An extended collection of matrix derivative results for forward and reverse mode, 2008.)

Eigenvalues of matrices that are not symmetric are always complex. NumPy gives real arrays where all of them
are real, which depends on elements; a type cannot. The derivative of eigenvectors is that of LAPACK's choice,
of length 1 with a real largest element, so differences of NumPy's results agree with it.
"""

from __future__ import annotations

from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import factorisations
from mlirad.dialects.shapes import Value, array_type, element_of, int_lists, shape_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.matrices import identity
from mlirad.rules.factorisation_derivatives import (
    along_columns,
    along_rows,
    off_diagonal,
    where_apart,
)
from mlirad.rules.matrix_maps import MatrixMaps, imaginary_parts, parts_of


def eig_map(b: ArrayBuilder, op: factorisations.EigOp) -> Value:
    """From the tangent of a matrix to that of its eigenvalues or eigenvectors."""
    m, is_complex = MatrixMaps(b, is_complex=True), op.complex is not None
    values, vectors = (b.eig(part, op.operand, is_complex=is_complex) for part in ("values", "vectors"))
    space = vectors.type
    turned = [
        b.identity_map(space) if is_complex else embedding(b, op.operand.type, space),
        m.product(space, right=vectors),
        m.solve(vectors, space),
    ]
    if op.part.data == "values":
        diagonal = m.mask(space, _is_diagonal(b, m.real_space(space)))
        return m.chain(*turned, diagonal, _sum_of_rows(b, space, values.type))
    weights = _inverse_gaps(m, values, space)
    d = m.chain(*turned, scaling(b, space, weights), m.product(space, left=vectors))
    return b.compose(b.add_maps(b.identity_map(space), m.negated(_normalisation(m, vectors, values.type))), d)


def embedding(b: ArrayBuilder, real: Attribute, space: Attribute) -> Value:
    """The map of real matrices to the complex ones that they are."""
    paired = b.map_of(linear.BroadcastOp, real, space, (), int_lists(dims=range(len(shape_of(real)))))
    return b.compose(b.mask_map(space, b.logical_not(imaginary_parts(b, space))), paired)


def _is_diagonal(b: ArrayBuilder, real: Attribute) -> Value:
    ones = identity(b, real)
    return b.compare("eq", ones, b.splat(1, real))


def _sum_of_rows(b: ArrayBuilder, space: Attribute, values: Attribute) -> Value:
    """The map of matrices to the sums of their rows."""
    return b.map_of(linear.SumOp, space, values, (), int_lists(dims=[len(shape_of(space)) - 3]))


def scaling(b: ArrayBuilder, space: Attribute, weights: Value) -> Value:
    """The map that multiplies complex numbers by others."""
    shape = shape_of(space)
    last = len(shape) - 1
    real, imag = (b.broadcast(part, shape, range(last)) for part in parts_of(b, weights))
    crossed = b.map_of(linear.ReverseOp, space, space, (), int_lists(dims=[last]))
    signed = b.select(imaginary_parts(b, space), imag, b.neg(imag))
    return b.add_maps(b.scale_map(space, real), b.compose(b.scale_map(space, signed), crossed))


def _inverse_gaps(m: MatrixMaps, values: Value, space: Attribute) -> Value:
    """E, as complex numbers."""
    b = m.b
    x, y, distance, size = gaps(m, values, space)
    return reciprocals(b, x, y, off_diagonal(b, where_apart(b, size, distance)))


def gaps(m: MatrixMaps, values: Value, space: Attribute) -> tuple[Value, Value, Value, Value]:
    """The parts of w_j - w_i, the modulus of that, and the moduli of the values."""
    b, real = m.b, m.real_space(space)
    parts = parts_of(b, values)
    x, y = (b.sub(along_columns(b, p, real), along_rows(b, p, real)) for p in parts)
    return x, y, b.binary(ew.HypotOp, x, y), b.binary(ew.HypotOp, *parts)


def reciprocals(b: ArrayBuilder, x: Value, y: Value, inverse: Value) -> Value:
    """1 / (x + iy), given the reciprocal of its modulus."""
    parts = b.mul(b.mul(x, inverse), inverse), b.neg(b.mul(b.mul(y, inverse), inverse))
    return b.stack(list(parts), len(shape_of(x)))


def _normalisation(m: MatrixMaps, vectors: Value, values: Attribute) -> Value:
    """The map of D to V diag(c)."""
    b, space = m.b, vectors.type
    *batch, n, _, _ = shape_of(space)
    rank = len(batch)
    real = array_type((*batch, n), element_of(space))
    lengths = m.chain(
        *m.paired(vectors),
        b.map_of(linear.BroadcastOp, real, values, (), int_lists(dims=range(rank + 1))),
        b.mask_map(values, b.logical_not(imaginary_parts(b, values))),
    )
    squares = b.sum(b.mul(vectors, vectors), [rank + 2])
    largest = b.argmax(squares, rank)
    shape = shape_of(space)
    rows = b.iota(shape, rank)
    chosen = b.compare("eq", rows, b.broadcast(largest, shape, [*range(rank), rank + 1]))
    is_read = b.logical_and(chosen, imaginary_parts(b, space))
    swapped = b.reverse(vectors, [rank + 2])  # real parts in the places of imaginary ones
    turns = b.select(is_read, _reciprocal(b, swapped), b.zeros(space))
    angles = b.compose(_sum_of_rows(b, space, values), b.scale_map(space, turns))
    spread = b.map_of(
        linear.BroadcastOp, values, space, (), int_lists(dims=[*range(rank), rank + 1, rank + 2])
    )
    return m.chain(b.add_maps(lengths, angles), spread, scaling(b, space, vectors))


def _reciprocal(b: ArrayBuilder, x: Value) -> Value:
    """1 / x, and 0 for 0."""
    is_zero = b.compare("eq", x, b.zeros(x.type))
    ones = b.splat(1, x.type)
    return b.select(is_zero, b.zeros(x.type), b.div(ones, b.select(is_zero, ones, x)))
