"""Derivatives of factorisations and of the solutions of linear systems, as maps that use the factors again.

    A X = B              dX = A^-1 (dB - dA X), solved with the factors of A, and transposed with the same
    T X = B              the same, where dT is the triangle that is read
    P A = L U            dL = L low(G), dU = up(G) U            with G = L^-1 P dA U^-1
    S = V diag(w) V^T    dw = diag(V^T dS V), dV = V (E * (V^T dS V))           E_ij = 1 / (w_j - w_i)
    A = Q R              dQ = Y + Q K, dR = -K R                with Y = dA R^-1, C = Q^T Y and
                                                                K = -up(C) - low(C)^T
    A = U diag(s) V^T    ds = diag(P), with P = U^T dA V
                         dU = U (F * (P + P^T) + G * (P - P^T)) / 2 + (1 - U U^T) dA V / s
                         dV the same of A^T, with P^T for P         F_ij = 1 / (s_j - s_i)
                                                                    G_ij = 1 / (s_j + s_i)

`low` is the strictly lower triangle and `up` the rest. Of symmetric matrices the lower triangle is read, so
dS is symmetric and has the lower triangle of dA. On the diagonal E and F are 0, and for real matrices G, too.
Where two eigenvalues, or singular values, are equal up to rounding, their vectors have no derivative: E and
F are NaN, as are G and 1 / s where the values are 0. Sums over all vectors have one, which the pass
`spectral-functions` gives them; eigenvalues have that of the diagonal, which is right for their sum.

Of complex matrices A^H stands for A^T, and the real parts of the diagonals for those of V^T dS V, of P in ds,
and of C in `up`. The imaginary parts of that of P turn the columns of U and V by equal angles, one forward,
the other back: it is the choice that G makes of factors of modulus 1, which are free.

    A = L L^T            is in `cholesky_derivatives.py`
    A V = V diag(w)      is in `eigenvalue_derivatives.py`
    A Z = Z T            is in `schur_derivatives.py`

(Sources: M. Giles, An extended collection of matrix derivative results for forward and reverse mode, 2008;
J. Walter and L. Lehmann, Algorithmic differentiation of linear algebra functions, 2012.)
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.array import factorisations
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.shapes import Value, element_of, int_lists, shape_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.maps import codomain_of
from mlirad.ir.matrices import triangle
from mlirad.rules.matrix_maps import MatrixMaps

_MatrixOp: TypeAlias = factorisations.PartOp | factorisations.TriangularSolveOp | factorisations.SolveOp


EXACTNESS = 4.0
"""The units in the last place of the largest value, times their number, to which values are exact. A
factorisation has values that are equal apart by some of these, and of vectors no digit is right where the gap
is not more."""


def maps_of(b: ArrayBuilder, op: _MatrixOp) -> MatrixMaps:
    """Maps of matrices of the numbers that an op has."""
    return MatrixMaps(b, op.complex is not None)


# Systems ------------------------------------------------------------------------------------------------


def triangular_matrix_map(b: ArrayBuilder, op: factorisations.TriangularSolveOp) -> Value:
    """From the tangent of the matrix to that of the solution."""
    m, space = maps_of(b, op), op.matrix.type
    least = 1 if op.unit is not None else 0
    real = m.real_space(space)
    read = triangle(b, real, least)
    if op.upper is not None:
        read = b.logical_not(triangle(b, real, 1 - least))
    steps = [m.mask(space, read)]
    if op.transposed is not None:
        steps.append(m.adjoint(space))
    steps += [m.negated(m.product(space, right=op.result)), triangular_operand_map(b, op)]
    return m.chain(*steps)


def triangular_operand_map(b: ArrayBuilder, op: factorisations.TriangularSolveOp) -> Value:
    """From the tangent of the right sides to that of the solution."""
    flags = factorisations.triangle_flags(op)
    del flags["complex"]
    return maps_of(b, op).system(op.matrix, op.result.type, **flags)


def solve_matrix_map(b: ArrayBuilder, op: factorisations.SolveOp) -> Value:
    """From the tangent of the matrix to that of the solution."""
    m = maps_of(b, op)
    return m.chain(m.negated(m.product(op.matrix.type, right=op.result)), solve_operand_map(b, op))


def solve_operand_map(b: ArrayBuilder, op: factorisations.SolveOp) -> Value:
    """From the tangent of the right sides to that of the solution."""
    return maps_of(b, op).solve(op.matrix, op.result.type)


# Factorisations ------------------------------------------------------------------------------------------


def lu_map(b: ArrayBuilder, op: factorisations.LuOp) -> Value:
    """From the tangent of a matrix to that of its LU factors."""
    m, space, factors = maps_of(b, op), op.result.type, op.result
    below = triangle(b, m.real_space(space), 1)
    above = b.logical_not(below)
    zeros = b.zeros(space)
    left = b.add(b.select(m.pairs(below), factors, zeros), m.identity(space))
    right = b.select(m.pairs(above), factors, zeros)
    dl = b.compose(m.product(space, left=left), m.mask(space, below))
    du = b.compose(m.product(space, right=right), m.mask(space, above))
    return m.chain(
        m.permuted_rows(op.operand, space),
        m.system(factors, space, unit=True),
        m.adjoint(space),
        m.system(factors, space, upper=True, transposed=True),
        m.adjoint(space),
        b.add_maps(dl, du),
    )


def eigh_map(b: ArrayBuilder, op: factorisations.EighOp) -> Value:
    """From the tangent of a symmetric matrix to that of its eigenvalues or eigenvectors."""
    m, space = maps_of(b, op), op.operand.type
    hermitian = m.hermitian(space)
    if op.part.data == "values":
        vectors = b.eigh("vectors", op.operand, is_complex=m.is_complex)
        return m.chain(hermitian, m.product(space, right=vectors), *m.paired(vectors))
    vectors, values = op.result, b.eigh("values", op.operand, is_complex=m.is_complex)
    real = m.real_space(space)
    gap = b.sub(along_columns(b, values, real), along_rows(b, values, real))
    return m.chain(
        hermitian,
        m.product(space, right=vectors),
        m.product(space, left=vectors, adjoint=True),
        m.scale(space, off_diagonal(b, where_apart(b, values, gap))),
        m.product(space, left=vectors),
    )


def qr_map(b: ArrayBuilder, op: factorisations.QrOp) -> Value:
    """From the tangent of a matrix of full rank to that of a factor of its QR factorisation."""
    m, space, a = maps_of(b, op), op.operand.type, op.operand
    *batch, rows, columns = m.shape(space)
    q, r = (b.qr(part, a, is_complex=m.is_complex) for part in ("orthogonal", "triangular"))
    least, element = min(rows, columns), element_of(space)
    first, inner = (m.space((*batch, n, least), element) for n in (rows, least))
    leading: list[Value] = []
    square = r
    if columns > least:
        zeros, ones = [0] * len(shape_of(space)), [1] * len(shape_of(space))
        cut = int_lists(starts=zeros, limits=shape_of(first), strides=ones)
        leading = [b.map_of(linear.SliceOp, space, first, (), cut)]
        square = b.slice(r, zeros, shape_of(inner), ones)
    turned = m.space((*batch, least, rows), element)
    y = [
        *leading,
        m.adjoint(first),
        m.system(square, turned, upper=True, transposed=True),
        m.adjoint(turned),
    ]
    below = triangle(b, m.real_space(inner), 1)
    above = b.compose(m.real_diagonal(inner), m.mask(inner, b.logical_not(below)))
    mirrored = b.compose(m.adjoint(inner), m.mask(inner, below))
    c = m.product(first, left=q, adjoint=True)
    minus_k = b.add_maps(above, mirrored)
    turning = b.compose(m.product(inner, left=q), b.compose(minus_k, c))
    dq = b.add_maps(b.identity_map(first), m.negated(turning))
    if op.part.data == "orthogonal":
        return m.chain(*y, dq)
    if columns == least:
        return m.chain(*y, c, minus_k, m.product(inner, right=r))
    by_q = m.chain(*y, dq, m.adjoint(first), m.product(turned, right=a))
    whole = b.add_maps(m.product(space, left=q, adjoint=True), by_q)
    upper = b.logical_not(triangle(b, m.real_space(op.result.type), 1))
    return b.compose(m.mask(op.result.type, upper), whole)


def svd_map(b: ArrayBuilder, op: factorisations.SvdOp) -> Value:
    """From the tangent of a matrix to that of its singular values, or of one of its factors."""
    m, space, a, part = maps_of(b, op), op.operand.type, op.operand, op.part.data
    *batch, rows, columns = m.shape(space)
    left, right = (b.svd(name, a, is_complex=m.is_complex) for name in ("left", "right"))
    from_right = m.product(space, right=right, adjoint=True)
    if part == "values":
        return m.chain(from_right, *m.paired(left))
    least = min(rows, columns)
    values = b.svd("values", a, is_complex=m.is_complex)
    inner = m.space((*batch, least, least), element_of(space))
    real = m.real_space(inner)
    own, other = along_columns(b, values, real), along_rows(b, values, real)
    gap, total = b.sub(own, other), b.add(own, other)
    gaps, totals = off_diagonal(b, where_apart(b, values, gap)), where_apart(b, values, total)
    if not m.is_complex:
        totals = off_diagonal(b, totals)
    sum_, difference = b.scaled(b.add(gaps, totals), 0.5), b.scaled(b.sub(gaps, totals), 0.5)
    turned = [from_right, m.product(codomain_of(from_right), left=left, adjoint=True)]
    inverse = where_apart(b, values, values)
    if part == "left":
        within = m.chain(*turned, _mixed(m, inner, sum_, difference), m.product(inner, left=left))
        if rows == least:
            return within
        tall = op.result.type
        out = m.chain(from_right, m.scale(tall, along_columns(b, inverse, m.real_space(tall))))
        onto = [m.product(tall, left=left, adjoint=True), m.product(inner, left=left)]
    else:
        mixed = _mixed(m, inner, b.neg(difference), b.neg(sum_))
        within = m.chain(*turned, mixed, m.product(inner, right=right))
        if columns == least:
            return within
        wide = op.result.type
        from_left = m.product(space, left=left, adjoint=True)
        out = m.chain(from_left, m.scale(wide, along_rows(b, inverse, m.real_space(wide))))
        onto = [m.product(wide, right=right, adjoint=True), m.product(inner, right=right)]
    off = b.add_maps(b.identity_map(op.result.type), m.negated(m.chain(*onto)))
    return b.add_maps(within, b.compose(off, out))


def _mixed(m: MatrixMaps, space: Attribute, own: Value, other: Value) -> Value:
    """The map of P to own * P + other * P^T."""
    return m.b.add_maps(m.scale(space, own), m.b.compose(m.scale(space, other), m.adjoint(space)))


def along_columns(b: ArrayBuilder, values: Value, type_: Attribute) -> Value:
    """A value for each column."""
    rank = len(shape_of(type_))
    return b.broadcast(values, shape_of(type_), [*range(rank - 2), rank - 1])


def along_rows(b: ArrayBuilder, values: Value, type_: Attribute) -> Value:
    """A value for each row."""
    return b.broadcast(values, shape_of(type_), range(len(shape_of(type_)) - 1))


def is_rounding(b: ArrayBuilder, values: Value, gap: Value) -> Value:
    """Return where the `gap` between two of the `values` is no more than these are exact to."""
    *batch, extent = shape_of(values)
    size = b.select(b.compare("lt", values, b.zeros(values.type)), b.neg(values), values)
    largest = b.reduce("max", size, [len(batch)])
    epsilon = float(np.finfo(numpy_dtype(values.type)).eps)
    limit = b.broadcast(b.scaled(largest, EXACTNESS * extent * epsilon), shape_of(gap), range(len(batch)))
    return b.logical_and(b.compare("le", gap, limit), b.compare("le", b.neg(limit), gap))


def where_apart(b: ArrayBuilder, values: Value, gap: Value) -> Value:
    """1 / gap, and NaN where the `gap` between two of the `values` is no more than these are exact to."""
    if shape_of(values)[-1] == 0:
        return gap
    is_small = is_rounding(b, values, gap)
    ones = b.splat(1, gap.type)
    return b.select(is_small, b.splat(np.nan, gap.type), b.div(ones, b.select(is_small, ones, gap)))


def off_diagonal(b: ArrayBuilder, x: Value) -> Value:
    """Matrices with zeros on their diagonals."""
    shape = shape_of(x)
    rows, columns = b.iota(shape, len(shape) - 2), b.iota(shape, len(shape) - 1)
    return b.select(b.compare("eq", rows, columns), b.zeros(x.type), x)
