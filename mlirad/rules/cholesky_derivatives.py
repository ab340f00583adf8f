"""The derivative of Cholesky factors, of large matrices by halves of their rows and columns.

    A = L L^T            dL = L half(L^-1 dS L^-T)              half: the lower triangle, its diagonal halved

The lower triangle of A is read, so dS is symmetric and has the lower triangle of dA; of complex matrices A^H
stands for A^T, and the diagonal of dS is real. Two triangular systems and a product of whole matrices are
4 n^3 operations, and most of what they compute is not read. Halves have dL of their own, and between them

    U = L21^T            dU = L11^-1 (dS12 - dL11 U)            dS12 is above the diagonal
                         dL22 of dS22 - L21 dU - (L21 dU)^T

The halves are given symmetric matrices, so what makes a matrix symmetric is written once, for the whole.

(Source: I. Murray, Differentiation of the Cholesky decomposition, 2016.)

The formula for whole matrices takes 4 n^3 operations, twelve times those of the factor, as it computes what
no triangle reads. For two halves of the rows it is 1.6 n^3, for halves of halves 1.0 n^3, all in products and
systems of BLAS. The map itself is written so, and both directions and all orders of derivatives gain; there
is no kernel for the pullback alone. Each halving doubles the code. At n = 400 the first takes the gradient of
a Gaussian process from 9.5 to 5.7 ms and adds 0.1 to 0.2 s to the compile time; the second takes it to 4.4 ms
and adds 0.2 to 0.4 s more. So there is no halving below 96 rows, and a second one from 800 on.
"""

from __future__ import annotations

from mlirad.dialects.array import factorisations
from mlirad.dialects.extents import is_static
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.maps import codomain_of
from mlirad.ir.matrices import triangle
from mlirad.rules.matrix_maps import MatrixMaps

LEAST_HALVED = (96, 800)
"""The least extents of matrices that are halved, and of those whose halves are halved, too.

The derivative takes 4 n^3 operations as a whole, 1.6 n^3 with one halving and 1.0 n^3 with two. The first
halving adds some 20 kernels, which compile in 0.1 to 0.2 s, and makes a pullback of 400 rows twice as fast.
The second adds twice as many, of small products and systems, which run slowly: it saves a fifth of the time.
"""


def cholesky_map(b: ArrayBuilder, op: factorisations.CholeskyOp) -> Value:
    """From the tangent of a symmetric matrix to that of its Cholesky factor."""
    m, space = MatrixMaps(b, op.complex is not None), op.result.type
    n = m.shape(space)[-1]
    halvings = sum(n >= least for least in LEAST_HALVED) if is_static(n) else 0
    return b.compose(_by_halves(m, op.result, halvings), m.hermitian(space))


def _by_halves(m: MatrixMaps, factor: Value, halvings: int) -> Value:
    """The map of symmetric tangents, with matrices halved so often."""
    if not halvings:
        return _as_a_whole(m, factor)
    b, space = m.b, factor.type
    n = m.shape(space)[-1]
    first, last = (0, n // 2), (n // 2, n)
    l11, l21, l22 = (m.block(factor, *at) for at in ((first, first), (last, first), (last, last)))
    dl11 = b.compose(_by_halves(m, l11, halvings - 1), m.block_map(space, first, first))
    known = b.compose(m.product(l11.type, right=l21, adjoint=True), dl11)
    right_side = b.add_maps(m.block_map(space, first, last), m.negated(known))
    du = b.compose(m.system(l11, codomain_of(right_side)), right_side)
    product = b.compose(m.product(codomain_of(du), left=l21), du)
    squared = b.add_maps(product, b.compose(m.adjoint(l22.type), product))
    ds22 = b.add_maps(m.block_map(space, last, last), m.negated(squared))
    dl22 = b.compose(_by_halves(m, l22, halvings - 1), ds22)
    dl21 = b.compose(m.adjoint(codomain_of(du)), du)
    parts = [
        b.compose(m.placed_map(space, *at), tangent)
        for tangent, at in ((dl11, (first, first)), (dl21, (last, first)), (dl22, (last, last)))
    ]
    return b.add_maps(b.add_maps(parts[0], parts[1]), parts[2])


def _as_a_whole(m: MatrixMaps, factor: Value) -> Value:
    """The map of symmetric tangents by the formula for whole matrices."""
    b, space = m.b, factor.type
    real = m.real_space(space)
    solved = m.system(factor, space)
    below = b.select(triangle(b, real, 1), b.splat(1, real), b.splat(0.5, real))
    half = b.select(triangle(b, real), below, b.zeros(real))
    return m.chain(solved, m.adjoint(space), solved, m.scale(space, half), m.product(space, left=factor))
