"""Maps of matrices of real numbers, or of complex ones, which are pairs along a trailing dimension.

    m = MatrixMaps(b, is_complex=True)
    m.product(space, left=a)                dx to A dx
    m.product(space, right=a, adjoint=True) dx to dx A^H; of real matrices dx A^T

A rule that is written with these holds for both kinds. Transposes are those of the real inner product of all
components, which for complex numbers is Re(conj(x) y): that of dx to A dx is ct to A^H ct.

Derivative rules of factorisations are written once, for an algebra of matrices whose products, transposes and
triangles are real or complex.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.array.factorisations import matrices_of
from mlirad.dialects.array.transforms import PAIR
from mlirad.dialects.shapes import Shape, Value, array_type, element_of, int_lists, shape_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.factorisations import triangle_properties
from mlirad.ir.maps import codomain_of
from mlirad.ir.matrices import by_row, identity, triangle
from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True)
class MatrixMaps:
    """Constructors of maps between spaces of matrices of one kind of numbers."""

    b: ArrayBuilder
    is_complex: bool

    def shape(self, x: Value | Attribute) -> Shape:
        """The batch, the rows and the columns of matrices."""
        return matrices_of(x if isinstance(x, Attribute) else x.type, is_complex=self.is_complex)

    def space(self, shape: Sequence[int], element: Attribute) -> Attribute:
        """The type of matrices of a shape."""
        return array_type((*shape, PAIR) if self.is_complex else tuple(shape), element)

    def real_space(self, space: Attribute) -> Attribute:
        """The type of real matrices of the shape of these."""
        return array_type(self.shape(space), element_of(space))

    # Numbers ---------------------------------------------------------------------------------------

    def pairs(self, x: Value) -> Value:
        """A value for each element of matrices as one for each of its parts."""
        if not self.is_complex:
            return x
        shape = shape_of(x)
        return self.b.broadcast(x, (*shape, PAIR), range(len(shape)))

    def chain(self, *maps: Value) -> Value:
        """The composition of maps, innermost first."""
        first, *rest = maps
        for outer in rest:
            first = self.b.compose(outer, first)
        return first

    def negated(self, map_: Value) -> Value:
        """The map with the other sign."""
        return self.b.compose(self.b.scale_by(codomain_of(map_), -1), map_)

    def mask(self, space: Attribute, condition: Value) -> Value:
        """The map that keeps the elements where a condition on real matrices holds."""
        return self.b.mask_map(space, self.pairs(condition))

    def scale(self, space: Attribute, weights: Value) -> Value:
        """The map that multiplies elements by those of real matrices."""
        return self.b.scale_map(space, self.pairs(weights))

    def real_diagonal(self, space: Attribute) -> Value:
        """The map that makes the elements of the diagonal real."""
        if not self.is_complex:
            return self.b.identity_map(space)
        b, shape = self.b, self.shape(space)
        rows, columns = (b.iota(shape, len(shape) - k) for k in (2, 1))
        on_diagonal = self.pairs(b.compare("eq", rows, columns))
        return b.mask_map(space, b.logical_not(b.logical_and(on_diagonal, imaginary_parts(b, space))))

    # Blocks ----------------------------------------------------------------------------------------

    def block(self, x: Value, rows: tuple[int, int], columns: tuple[int, int]) -> Value:
        """The part of matrices between two rows and two columns."""
        starts, limits, _ = self._bounds(x.type, rows, columns)
        return self.b.slice(x, starts, limits, [1] * len(starts))

    def block_map(self, space: Attribute, rows: tuple[int, int], columns: tuple[int, int]) -> Value:
        """The map of matrices to this part of them."""
        starts, limits, shape = self._bounds(space, rows, columns)
        codomain = array_type(tuple(b - a for a, b in zip(starts, limits, strict=True)), element_of(space))
        properties = int_lists(starts=starts, limits=limits, strides=[1] * len(shape))
        return self.b.map_of(linear.SliceOp, space, codomain, (), properties)

    def placed_map(self, space: Attribute, rows: tuple[int, int], columns: tuple[int, int]) -> Value:
        """The map of such a part to matrices that are 0 elsewhere."""
        starts, limits, shape = self._bounds(space, rows, columns)
        domain = array_type(tuple(b - a for a, b in zip(starts, limits, strict=True)), element_of(space))
        high = [extent - limit for extent, limit in zip(shape, limits, strict=True)]
        properties = int_lists(low=starts, high=high, interior=[0] * len(shape))
        return self.b.map_of(linear.PadOp, domain, space, (), properties)

    def _bounds(
        self, space: Attribute, rows: tuple[int, int], columns: tuple[int, int]
    ) -> tuple[list[int], list[int], Shape]:
        """Return where a part begins and ends along every dimension of arrays, and their shape."""
        shape = shape_of(space)
        rank = len(self.shape(space))
        starts, limits = [0] * len(shape), list(shape)
        starts[rank - 2], limits[rank - 2] = rows
        starts[rank - 1], limits[rank - 1] = columns
        return starts, limits, shape

    # Matrices --------------------------------------------------------------------------------------

    def adjoint(self, space: Attribute) -> Value:
        """The map to the transposed matrices, of complex numbers their conjugates."""
        b, shape = self.b, shape_of(space)
        rank = len(self.shape(space))
        order = [*range(rank - 2), rank - 1, rank - 2, *range(rank, len(shape))]
        codomain = array_type(tuple(shape[d] for d in order), element_of(space))
        moved = b.map_of(linear.BroadcastOp, space, codomain, (), int_lists(dims=order))
        if not self.is_complex:
            return moved
        signs = b.broadcast(
            b.constant(np.array([1.0, -1.0]), element_of(space)), shape_of(codomain), [len(shape) - 1]
        )
        return b.compose(b.scale_map(codomain, signs), moved)

    def product(
        self,
        space: Attribute,
        *,
        left: Value | None = None,
        right: Value | None = None,
        adjoint: bool = False,
    ) -> Value:
        """The map dx to left @ dx, or to dx @ right; `adjoint` says that the factor's adjoint is meant."""
        fixed = left if left is not None else right
        assert fixed is not None
        shape, other = list(self.shape(space)), self.shape(fixed)
        rank = len(shape) - 2
        is_left, batch = left is not None, range(rank)
        own = rank if is_left else rank + 1
        is_first = is_left == adjoint  # whether the rows of the factor are contracted
        shape[own] = other[rank + 1 if is_first else rank]
        codomain = self.space(shape, element_of(space))
        kind = linear.DotRightOp if is_left else linear.DotLeftOp
        if not self.is_complex:
            mine, theirs = [own], [rank if is_first else rank + 1]
            return self.b.map_of(
                kind, space, codomain, (fixed,), _contraction(batch, mine, theirs, is_left=is_left)
            )
        mine, theirs = [own, rank + 2], [rank + d for d in _CONTRACTED[is_left, adjoint]]
        dims = _contraction(batch, mine, theirs, is_left=is_left)
        order = _ORDERS[is_left, adjoint]
        extents = (*shape[rank:], PAIR)
        found = array_type((*shape[:rank], *(extents[d] for d in order)), element_of(space))
        product = self.b.map_of(kind, space, found, (self._matrix_of(fixed),), dims)
        moved = int_lists(dims=[*batch, *(rank + d for d in order)])
        return self.b.compose(self.b.map_of(linear.BroadcastOp, found, codomain, (), moved), product)

    def _matrix_of(self, x: Value) -> Value:
        """Real numbers n[a, q, c, p]: what part q of a factor of x[a, c] adds to part p of the product."""
        b, shape = self.b, shape_of(x)
        last = len(shape) - 1
        signs = b.broadcast(b.constant(np.array([-1.0, 1.0]), element_of(x)), shape, [last])
        return b.stack([x, b.mul(signs, b.reverse(x, [last]))], last - 1)

    def identity(self, space: Attribute) -> Value:
        """Identity matrices."""
        ones = self.pairs(identity(self.b, self.real_space(space)))
        return (
            self.b.select(imaginary_parts(self.b, space), self.b.zeros(space), ones)
            if self.is_complex
            else ones
        )

    def permuted_rows(self, matrix: Value, space: Attribute) -> Value:
        """The map of matrices to the same with rows in the order of the pivots of `matrix`."""
        b = self.b
        order = b.lu("permutation", matrix, is_complex=self.is_complex)
        region = b.index_region(shape_of(space), by_row(b, order))
        return b.map_of(linear.GatherOp, space, space, (), None, (region,))

    # Systems ---------------------------------------------------------------------------------------

    def system(self, matrix: Value, space: Attribute, **flags: bool) -> Value:
        """The map from right sides to solutions of triangular systems."""
        properties = triangle_properties(**flags, complex=self.is_complex)
        return self.b.map_of(linear.TriangularSolveOp, space, space, (matrix,), properties)

    def solve(self, matrix: Value, space: Attribute) -> Value:
        """The map from right sides to solutions: rows in the order of the pivots, L, U."""
        factors = self.b.lu("factors", matrix, is_complex=self.is_complex)
        return self.chain(
            self.permuted_rows(matrix, space),
            self.system(factors, space, unit=True),
            self.system(factors, space, upper=True),
        )

    def hermitian(self, space: Attribute) -> Value:
        """The map of matrices to the symmetric, or Hermitian, ones with their lower triangles."""
        real = self.real_space(space)
        above = self.b.compose(self.adjoint(space), self.mask(space, triangle(self.b, real, 1)))
        below = self.b.compose(self.real_diagonal(space), self.mask(space, triangle(self.b, real)))
        return self.b.add_maps(below, above)

    def paired(self, vectors: Value) -> list[Value]:
        """Maps, innermost first, of matrices to the real products of their columns with given ones."""
        space, shape = vectors.type, self.shape(vectors)
        row = len(shape) - 2
        values = array_type((*shape[:row], shape[row + 1]), element_of(space))
        summed = int_lists(dims=[row, *range(len(shape), len(shape_of(space)))])
        return [
            self.b.scale_map(space, vectors),
            self.b.map_of(linear.SumOp, space, values, (), summed),
        ]


def imaginary_parts(b: ArrayBuilder, space: Attribute) -> Value:
    """Return where imaginary parts lie in arrays of pairs."""
    shape = shape_of(space)
    return b.compare("eq", b.iota(shape, len(shape) - 1), b.splat(1, array_type(shape, i64)))


def parts_of(b: ArrayBuilder, x: Value) -> list[Value]:
    """The real and the imaginary parts of pairs."""
    *shape, _ = shape_of(x)
    zeros, ones = [0] * len(shape), [1] * (len(shape) + 1)
    return [b.reshape(b.slice(x, [*zeros, k], [*shape, k + 1], ones), shape) for k in range(PAIR)]


_CONTRACTED = {(True, False): (2, 1), (True, True): (0, 3), (False, False): (0, 1), (False, True): (2, 3)}
"""The dimensions of n (`_matrix_of`) that are contracted with a row or column and its part.

By whether the factor is on the left, and whether its adjoint is meant.
"""

_ORDERS = {
    (True, False): (0, 2, 1),
    (True, True): (2, 0, 1),
    (False, False): (0, 1, 2),
    (False, True): (0, 1, 2),
}
"""Row, column and part of the product in the order in which a contraction gives them, by the same."""


def _contraction(
    batch: Iterable[int], mine: Sequence[int], theirs: Sequence[int], *, is_left: bool
) -> dict[str, Attribute]:
    """The properties of a contraction with a fixed factor, which is on the left or on the right."""
    lhs, rhs = (theirs, mine) if is_left else (mine, theirs)
    batch = list(batch)
    return int_lists(lhs_batch=batch, rhs_batch=batch, lhs_contract=lhs, rhs_contract=rhs)
