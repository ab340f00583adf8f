"""Derivatives of factorisations and of the solutions of linear systems, as maps that use the factors again.

    A X = B              dX = A^-1 (dB - dA X), solved with the factors of A, and transposed with the same
    T X = B              the same, where dT is the triangle that is read
    P A = L U            dL = L low(G), dU = up(G) U            with G = L^-1 P dA U^-1
    A = L L^T            dL = L half(L^-1 dS L^-T)              half: the lower triangle, its diagonal halved
    S = V diag(w) V^T    dw = diag(V^T dS V), dV = V (E * (V^T dS V))           E_ij = 1 / (w_j - w_i)
    A = Q R              dQ = Y + Q K, dR = -K R                with Y = dA R^-1, C = Q^T Y and
                                                                K = -up(C) - low(C)^T
    A = U diag(s) V^T    ds = diag(P), with P = U^T dA V
                         dU = U (F * (P + P^T) + G * (P - P^T)) / 2 + (1 - U U^T) dA V / s
                         dV the same of A^T, with P^T for P         F_ij = 1 / (s_j - s_i)
                                                                    G_ij = 1 / (s_j + s_i)

`low` is the strictly lower triangle and `up` the rest. Of symmetric matrices the lower triangle is read, so
dS is symmetric and has the lower triangle of dA. Where eigenvalues, or singular values, are equal but for
rounding, E and F are 0, as are G and 1 / s where the values are 0: derivatives stay finite, and are right for
what does not depend on the choice of a basis in the common eigenspace, such as sums of these eigenvalues.

(Sources: M. Giles, An extended collection of matrix derivative results for forward and reverse mode, 2008;
J. Walter and L. Lehmann, Algorithmic differentiation of linear algebra functions, 2012.)
"""

from __future__ import annotations

import numpy as np
from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.array import factorisations
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.shapes import Value, array_type, element_of, int_lists, shape_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.factorisations import triangle_properties
from mlirad.ir.maps import codomain_of
from mlirad.ir.matrices import (
    by_row,
    identity,
    lower,
    product_map,
    transpose_map,
    triangle,
    upper,
)


def _chain(b: ArrayBuilder, *maps: Value) -> Value:
    """The composition of maps, innermost first."""
    first, *rest = maps
    for outer in rest:
        first = b.compose(outer, first)
    return first


def _negated(b: ArrayBuilder, map_: Value) -> Value:
    return b.compose(b.scale_by(codomain_of(map_), -1), map_)


# Systems ------------------------------------------------------------------------------------------------


def triangular_matrix_map(b: ArrayBuilder, op: factorisations.TriangularSolveOp) -> Value:
    """From the tangent of the matrix to that of the solution."""
    space, is_transposed = op.matrix.type, op.transposed is not None
    least = 1 if op.unit is not None else 0
    read = triangle(b, space, least)
    if op.upper is not None:
        read = b.logical_not(triangle(b, space, 1 - least))
    steps = [b.mask_map(space, read)]
    if is_transposed:
        steps.append(transpose_map(b, space))
    steps += [
        _negated(b, product_map(b, space, right=op.result)),
        triangular_operand_map(b, op),
    ]
    return _chain(b, *steps)


def triangular_operand_map(b: ArrayBuilder, op: factorisations.TriangularSolveOp) -> Value:
    """From the tangent of the right sides to that of the solution."""
    return _system_map(b, op.matrix, op.result.type, **factorisations.triangle_flags(op))


def _system_map(b: ArrayBuilder, matrix: Value, space: Attribute, **flags: bool) -> Value:
    """The map from right sides to solutions of triangular systems."""
    return b.map_of(linear.TriangularSolveOp, space, space, (matrix,), triangle_properties(**flags))


def solve_matrix_map(b: ArrayBuilder, op: factorisations.SolveOp) -> Value:
    """From the tangent of the matrix to that of the solution."""
    return _chain(b, _negated(b, product_map(b, op.matrix.type, right=op.result)), solve_operand_map(b, op))


def solve_operand_map(b: ArrayBuilder, op: factorisations.SolveOp) -> Value:
    """From the tangent of the right sides to that of the solution: rows in the order of the pivots, L, U."""
    factors, space = b.lu("factors", op.matrix), op.result.type
    return _chain(
        b,
        _permuted_rows(b, op.matrix, space),
        _system_map(b, factors, space, unit=True),
        _system_map(b, factors, space, upper=True),
    )


def _permuted_rows(b: ArrayBuilder, matrix: Value, space: Attribute) -> Value:
    """The map of matrices to the same with rows in the order of the pivots of `matrix`."""
    region = b.index_region(shape_of(space), by_row(b, b.lu("permutation", matrix)))
    return b.map_of(linear.GatherOp, space, space, (), None, (region,))


# Factorisations ------------------------------------------------------------------------------------------


def lu_map(b: ArrayBuilder, op: factorisations.LuOp) -> Value:
    """From the tangent of a matrix to that of its LU factors."""
    space, factors = op.result.type, op.result
    below = triangle(b, space, 1)
    left = b.add(lower(b, factors, 1), identity(b, space))
    dl = b.compose(product_map(b, space, left=left), b.mask_map(space, below))
    du = b.compose(product_map(b, space, right=upper(b, factors)), b.mask_map(space, b.logical_not(below)))
    return _chain(
        b,
        _permuted_rows(b, op.operand, space),
        _system_map(b, factors, space, unit=True),
        transpose_map(b, space),
        _system_map(b, factors, space, upper=True, transposed=True),
        transpose_map(b, space),
        b.add_maps(dl, du),
    )


def cholesky_map(b: ArrayBuilder, op: factorisations.CholeskyOp) -> Value:
    """From the tangent of a symmetric matrix to that of its Cholesky factor."""
    space, factor = op.result.type, op.result
    solved = _system_map(b, factor, space)
    below = b.select(triangle(b, space, 1), b.splat(1, space), b.splat(0.5, space))
    half = b.select(triangle(b, space), below, b.zeros(space))
    return _chain(
        b,
        _symmetric(b, space),
        solved,
        transpose_map(b, space),
        solved,
        b.scale_map(space, half),
        product_map(b, space, left=factor),
    )


def _symmetric(b: ArrayBuilder, space: Attribute) -> Value:
    """The map of matrices to the symmetric ones with their lower triangles."""
    above = b.compose(transpose_map(b, space), b.mask_map(space, triangle(b, space, 1)))
    return b.add_maps(b.mask_map(space, triangle(b, space)), above)


def eigh_map(b: ArrayBuilder, op: factorisations.EighOp) -> Value:
    """From the tangent of a symmetric matrix to that of its eigenvalues or eigenvectors."""
    space = op.operand.type
    symmetric = _symmetric(b, space)
    if op.part.data == "values":
        vectors = b.eigh("vectors", op.operand)
        return _chain(b, symmetric, product_map(b, space, right=vectors), *_paired(b, vectors))
    vectors, values = op.result, b.eigh("values", op.operand)
    gap = b.sub(_along_columns(b, values, space), _along_rows(b, values, space))
    return _chain(
        b,
        symmetric,
        product_map(b, space, right=vectors),
        product_map(b, space, left=vectors, transposes=True),
        b.scale_map(space, _where_apart(b, values, gap, _reciprocal(b, gap))),
        product_map(b, space, left=vectors),
    )


def qr_map(b: ArrayBuilder, op: factorisations.QrOp) -> Value:
    """From the tangent of a matrix of full rank to that of a factor of its QR factorisation."""
    space, a = op.operand.type, op.operand
    *batch, rows, columns = shape_of(space)
    q, r = b.qr("orthogonal", a), b.qr("triangular", a)
    least, element = min(rows, columns), element_of(space)
    first = array_type((*batch, rows, least), element)
    leading: list[Value] = []
    square = r
    if columns > least:
        zeros, ones = [0] * len(shape_of(space)), [1] * len(shape_of(space))
        cut = int_lists(starts=zeros, limits=shape_of(first), strides=ones)
        leading = [b.map_of(linear.SliceOp, space, first, (), cut)]
        square = b.slice(r, zeros, (*batch, least, least), ones)
    turned = array_type((*batch, least, rows), element)
    y = [
        *leading,
        transpose_map(b, first),
        _system_map(b, square, turned, upper=True, transposed=True),
        transpose_map(b, turned),
    ]
    inner = array_type((*batch, least, least), element)
    below = triangle(b, inner, 1)
    above = b.mask_map(inner, b.logical_not(below))
    mirrored = b.compose(transpose_map(b, inner), b.mask_map(inner, below))
    c = product_map(b, first, left=q, transposes=True)
    minus_k = b.add_maps(above, mirrored)
    turning = b.compose(product_map(b, inner, left=q), b.compose(minus_k, c))
    dq = b.add_maps(b.identity_map(first), _negated(b, turning))
    if op.part.data == "orthogonal":
        return _chain(b, *y, dq)
    if columns == least:
        return _chain(b, *y, c, minus_k, product_map(b, inner, right=r))
    by_q = _chain(b, *y, dq, transpose_map(b, first), product_map(b, turned, right=a))
    whole = b.add_maps(product_map(b, space, left=q, transposes=True), by_q)
    return b.compose(b.mask_map(op.result.type, b.logical_not(triangle(b, op.result, 1))), whole)


def svd_map(b: ArrayBuilder, op: factorisations.SvdOp) -> Value:
    """From the tangent of a matrix to that of its singular values, or of one of its factors."""
    space, a, part = op.operand.type, op.operand, op.part.data
    *batch, rows, columns = shape_of(space)
    left, right = b.svd("left", a), b.svd("right", a)
    from_right = product_map(b, space, right=right, transposes=True)
    if part == "values":
        return _chain(b, from_right, *_paired(b, left))
    least = min(rows, columns)
    values = b.svd("values", a)
    inner = array_type((*batch, least, least), element_of(space))
    own, other = _along_columns(b, values, inner), _along_rows(b, values, inner)
    gap, total = b.sub(own, other), b.add(own, other)
    gaps = _where_apart(b, values, gap, _reciprocal(b, gap))
    totals = _where_apart(b, values, total, _reciprocal(b, total))
    sum_, difference = b.scaled(b.add(gaps, totals), 0.5), b.scaled(b.sub(gaps, totals), 0.5)
    turned = [from_right, product_map(b, codomain_of(from_right), left=left, transposes=True)]
    inverse = _reciprocal(b, values)
    if part == "left":
        within = _chain(b, *turned, _mixed(b, sum_, difference), product_map(b, inner, left=left))
        if rows == least:
            return within
        tall = op.result.type
        out = _chain(b, from_right, b.scale_map(tall, _along_columns(b, inverse, tall)))
        onto = [product_map(b, tall, left=left, transposes=True), product_map(b, inner, left=left)]
    else:
        mixed = _mixed(b, b.neg(difference), b.neg(sum_))
        within = _chain(b, *turned, mixed, product_map(b, inner, right=right))
        if columns == least:
            return within
        wide = op.result.type
        from_left = product_map(b, space, left=left, transposes=True)
        out = _chain(b, from_left, b.scale_map(wide, _along_rows(b, inverse, wide)))
        onto = [product_map(b, wide, right=right, transposes=True), product_map(b, inner, right=right)]
    off = b.add_maps(b.identity_map(op.result.type), _negated(b, _chain(b, *onto)))
    return b.add_maps(within, b.compose(off, out))


def _mixed(b: ArrayBuilder, own: Value, other: Value) -> Value:
    """The map of P to own * P + other * P^T."""
    space = own.type
    return b.add_maps(b.scale_map(space, own), b.compose(b.scale_map(space, other), transpose_map(b, space)))


def _paired(b: ArrayBuilder, vectors: Value) -> list[Value]:
    """Matrices to the products of their columns with those of `vectors`."""
    space, shape = vectors.type, shape_of(vectors)
    rank = len(shape)
    values = array_type((*shape[: rank - 2], shape[rank - 1]), element_of(space))
    summed = b.map_of(linear.SumOp, space, values, (), int_lists(dims=[rank - 2]))
    return [b.scale_map(space, vectors), summed]


def _along_columns(b: ArrayBuilder, values: Value, type_: Attribute) -> Value:
    """A value for each column."""
    rank = len(shape_of(type_))
    return b.broadcast(values, shape_of(type_), [*range(rank - 2), rank - 1])


def _along_rows(b: ArrayBuilder, values: Value, type_: Attribute) -> Value:
    """A value for each row."""
    return b.broadcast(values, shape_of(type_), range(len(shape_of(type_)) - 1))


def _where_apart(b: ArrayBuilder, values: Value, gap: Value, x: Value) -> Value:
    """x where the `gap` between two of the `values` is more than they are exact to, and 0 elsewhere.

    A factorisation has values that are equal apart by some units in the last place of the largest one.
    """
    *batch, extent = shape_of(values)
    if extent == 0:
        return x
    size = b.select(b.compare("lt", values, b.zeros(values.type)), b.neg(values), values)
    largest = b.reduce("max", size, [len(batch)])
    epsilon = float(np.finfo(numpy_dtype(values.type)).eps)
    limit = b.broadcast(b.scaled(largest, extent * epsilon), shape_of(gap), range(len(batch)))
    is_small = b.logical_and(b.compare("le", gap, limit), b.compare("le", b.neg(limit), gap))
    return b.select(is_small, b.zeros(x.type), x)


def _reciprocal(b: ArrayBuilder, x: Value) -> Value:
    """1 / x, and 0 for 0."""
    is_zero = b.compare("eq", x, b.zeros(x.type))
    ones = b.splat(1, x.type)
    return b.select(is_zero, b.zeros(x.type), b.div(ones, b.select(is_zero, ones, x)))
