"""The derivative of the Schur factorisation of matrices that need not be symmetric.

    A = Z T Z^H          dZ = Z K, dT = Z^H dA Z + T K - K T

K is skew, K = -K^H, and what makes dT as triangular as T: with A V = V diag(w) its strictly lower triangle is
that of Z^H V (E * (V^-1 dA V)) V^-1 Z, E_ij = 1 / (w_j - w_i), whose other elements commute with T except for
upper triangular matrices.

Of a real matrix T has blocks [a b; c a] for pairs of complex eigenvalues, and the triangle is that below the
blocks. An angle t within each, K = [0 -t; t 0], keeps its diagonal equal: 2 t (b + c) is what the second
element of the diagonal of dT would be more than the first. Of a complex matrix the columns of Z have factors
of modulus 1, which are free: the choice here leaves the diagonal of K 0.

Where two eigenvalues are equal up to rounding neither factor has a derivative, and both are NaN. Rounding
moves an eigenvalue by its condition number, the length of its row of V^-1, times that of the matrix, so
matrices with too few eigenvectors are among these. A block with c = -b is not changed by any turn, so a small
change of the matrix turns it by any angle: NaN are the columns of Z of that block, and the elements of T
beside it or in it that are not on the diagonal. As NaN times 0 is 0 in maps, these are NaN of their own.

(Source: M. Giles, An extended collection of matrix derivative results for forward and reverse mode, 2008, for
E; the rest follows from the definition.)
"""

from __future__ import annotations

import numpy as np
from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import factorisations
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.shapes import Value, array_type, element_of, int_lists, shape_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.matrices import transposed, triangle
from mlirad.rules.eigenvalue_derivatives import embedding, gaps, reciprocals, scaling
from mlirad.rules.factorisation_derivatives import (
    EXACTNESS,
    along_columns,
    along_rows,
    is_rounding,
    off_diagonal,
)
from mlirad.rules.matrix_maps import MatrixMaps, imaginary_parts


def schur_map(b: ArrayBuilder, op: factorisations.SchurOp) -> Value:
    """From the tangent of a matrix to that of a factor of its Schur factorisation."""
    m, a, space = MatrixMaps(b, op.complex is not None), op.operand, op.operand.type
    z, t = (b.schur(part, a, is_complex=m.is_complex) for part in ("orthogonal", "triangular"))
    real = m.real_space(space)
    turned = [m.product(space, right=z), m.product(space, left=z, adjoint=True)]
    generator, is_known = _generator(m, a)
    known = all_known = b.broadcast(is_known, shape_of(real), range(len(shape_of(is_known))))
    lower, below = triangle(b, real, 1), None
    if not m.is_complex:
        below = b.logical_and(b.compare("ne", t, b.zeros(space)), lower)
        lower = b.logical_and(b.logical_not(below), lower)
    k = m.chain(generator, *turned, m.mask(space, lower), _skewed(m, space))
    left = b.add_maps(m.product(space, left=t), m.negated(m.product(space, right=t)))
    if below is not None:
        own = b.add_maps(m.chain(*turned), b.compose(left, k))
        is_free = b.logical_and(below, _is_rounding(b, t))
        k = b.add_maps(k, b.compose(_angles(m, t, below, is_free), own))
        columns, rows = _met(b, is_free)
        known = b.logical_and(known, b.logical_not(columns))
        beside = b.logical_and(b.binary(ew.OrOp, rows, columns), b.logical_not(_on_diagonal(b, real)))
        all_known = b.logical_and(all_known, b.logical_not(beside))
    if op.part.data == "orthogonal":
        return m.chain(k, m.product(space, left=z), m.scale(space, _marks(b, known, real)))
    whole = b.add_maps(m.chain(*turned), b.compose(left, k))
    kept = m.mask(space, b.logical_not(lower))
    return m.chain(whole, kept, m.scale(space, _marks(b, all_known, real)))


def _marks(b: ArrayBuilder, known: Value, real: Attribute) -> Value:
    """1 where an element has a derivative, NaN elsewhere."""
    return b.select(known, b.splat(1, real), b.splat(np.nan, real))


def _generator(m: MatrixMaps, a: Value) -> tuple[Value, Value]:
    """The map of dA to V (E * (V^-1 dA V)) V^-1, of matrices like A, and for which A it is known."""
    b, space = m.b, a.type
    values, vectors = (b.eig(part, a, is_complex=m.is_complex) for part in ("values", "vectors"))
    n, paired = MatrixMaps(b, is_complex=True), vectors.type
    real = n.real_space(paired)
    x, y, distance, size = gaps(n, values, paired)
    errors = _errors(n, a, vectors)
    limit = b.add(along_columns(b, errors, real), along_rows(b, errors, real))
    is_near = b.compare("le", distance, limit)
    if shape_of(size)[-1]:
        is_near = b.binary(ew.OrOp, is_near, is_rounding(b, size, distance))
    own = _on_diagonal(b, real)
    is_near = b.logical_and(is_near, b.logical_not(own))
    inverse = off_diagonal(b, _reciprocal(b, distance, is_near))
    steps = [
        n.product(paired, right=vectors),
        n.solve(vectors, paired),
        scaling(b, paired, reciprocals(b, x, y, inverse)),
        n.product(paired, left=vectors),
        n.adjoint(paired),
        n.solve(_adjoint(b, vectors), paired),
        n.adjoint(paired),
    ]
    rank = len(shape_of(real))
    is_known = b.logical_not(b.reduce("or", is_near, [rank - 2, rank - 1]))
    if not m.is_complex:
        steps = [embedding(b, space, paired), *steps, _real_parts(b, paired, space)]
    return m.chain(*steps), is_known


def _reciprocal(b: ArrayBuilder, x: Value, is_zero: Value) -> Value:
    """1 / x, and NaN where x is 0 up to rounding."""
    ones = b.splat(1, x.type)
    return b.select(is_zero, b.splat(np.nan, x.type), b.div(ones, b.select(is_zero, ones, x)))


def _on_diagonal(b: ArrayBuilder, real: Attribute) -> Value:
    """Return where the diagonals of real matrices are."""
    rank = len(shape_of(real))
    rows, columns = (b.iota(shape_of(real), rank - k) for k in (2, 1))
    return b.compare("eq", rows, columns)


def _errors(n: MatrixMaps, a: Value, vectors: Value) -> Value:
    """Return what rounding of A moves each eigenvalue by, at most."""
    b = n.b
    rank = len(n.shape(vectors))
    inverse = b.solve(vectors, n.identity(vectors.type), is_complex=True)
    conditions = b.unary(ew.SqrtOp, b.sum(b.mul(inverse, inverse), [rank - 1, rank]))
    length = b.unary(ew.SqrtOp, b.sum(b.mul(a, a), range(rank - 2, len(shape_of(a)))))
    epsilon = float(np.finfo(numpy_dtype(a.type)).eps)
    lengths = b.broadcast(b.scaled(length, EXACTNESS * epsilon), shape_of(conditions), range(rank - 2))
    return b.mul(conditions, lengths)


def _adjoint(b: ArrayBuilder, x: Value) -> Value:
    """The conjugates of transposed complex matrices."""
    last = len(shape_of(x)) - 1
    turned = b.transpose(x, [*range(last - 2), last - 1, last - 2, last])
    return b.select(imaginary_parts(b, turned.type), b.neg(turned), turned)


def _real_parts(b: ArrayBuilder, paired: Attribute, space: Attribute) -> Value:
    """The map of complex matrices to their real parts."""
    last = len(shape_of(paired)) - 1
    real = b.mask_map(paired, b.logical_not(imaginary_parts(b, paired)))
    return b.compose(b.map_of(linear.SumOp, paired, space, (), int_lists(dims=[last])), real)


def _skewed(m: MatrixMaps, space: Attribute) -> Value:
    """The map of matrices to their differences with their adjoints."""
    return m.b.add_maps(m.b.identity_map(space), m.negated(m.adjoint(space)))


def _angles(m: MatrixMaps, t: Value, below: Value, is_free: Value) -> Value:
    """The map of what dT would be to the matrices of angles that keep the diagonals of blocks equal.

    `below` says where the second row of a block has its first element, `is_free` that of one with c = -b.
    """
    b, space = m.b, t.type
    rank = len(shape_of(space))
    diagonal = array_type(shape_of(space)[:-1], element_of(space))
    halves = b.scaled(_reciprocal(b, b.add(t, transposed(b, t)), is_free), 0.5)
    halves = b.select(below, halves, b.zeros(space))
    summed = b.map_of(linear.SumOp, space, diagonal, (), int_lists(dims=[rank - 1]))
    own, before = (
        b.map_of(linear.BroadcastOp, diagonal, space, (), int_lists(dims=[*range(rank - 2), d]))
        for d in (rank - 2, rank - 1)
    )
    differences = b.add_maps(own, m.negated(before))
    read = m.mask(space, _on_diagonal(b, space))
    return m.chain(read, summed, differences, m.scale(space, halves), _skewed(m, space))


def _is_rounding(b: ArrayBuilder, t: Value) -> Value:
    """Return where T + T^T is 0 up to rounding."""
    size = b.select(b.compare("lt", t, b.zeros(t.type)), b.neg(t), t)
    rows = b.reduce("max", size, [len(shape_of(t)) - 1])
    return is_rounding(b, rows, b.add(t, transposed(b, t)))


def _met(b: ArrayBuilder, is_free: Value) -> tuple[Value, Value]:
    """The columns, and the rows, of the blocks whose second row begins with this element."""
    shape = shape_of(is_free)
    rank = len(shape)
    by_row, by_column = (b.reduce("or", is_free, [rank - k]) for k in (1, 2))
    met = b.binary(ew.OrOp, by_row, by_column)
    batch = range(rank - 2)
    columns, rows = (b.broadcast(met, shape, [*batch, d]) for d in (rank - 1, rank - 2))
    return columns, rows
