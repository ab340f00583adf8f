"""The sources of doubts: vectors, values, and sums that jump between equal values.

    w = (1, 1, 2)       |w_i - w_j| <= rounding       (NaN, NaN, 0) times the deviation of the matrix

The deviation stands for each element of the matrix that is read, so the derivative is NaN by all of these. A
zero in a tangent absorbs it: along a direction in which the matrix stays as it is, vectors stay, too.
"""

from __future__ import annotations

import numpy as np
from xdsl.ir import Attribute

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.factorisations import EighOp, EigOp, SvdOp
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.shapes import Value, array_type, element_of, shape_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.matrices import product, triangle
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.spectral_functions.facts import Factorised
from mlirad.rules.factorisation_derivatives import along_columns, along_rows, is_rounding
from mlirad.rules.matrix_maps import imaginary_parts, parts_of

CLOSE = 10.0
"""The largest distance, in square roots of the rounding, of two eigenvalues that may share a vector."""


@dataclass(frozen=True)
class Source(Factorised):
    """The factorisation of a batch of matrices as a source of doubts, for derivatives up to `order`."""

    b: ArrayBuilder
    order: int

    def has_doubts(self, part: str) -> bool:
        """Tell whether there are any of a part."""
        return 0 not in self.shape and (part != "values" or self.op_class is EigOp or self.order > 1)

    def of_part(self, part: str) -> Value:
        """The doubt of each column, or of each value, along the dimensions of the batch and of columns."""
        if part != "values":
            return self.first(self._undetermined(part))
        if self.op_class is EigOp:
            first = self.first(self._is_defective())
            return first if self.order < 2 else self.b.add(first, self.second(self._undetermined(part)))
        return self.second(self._undetermined(part))

    # Orders ----------------------------------------------------------------------------------------

    def first(self, where: Value) -> Value:
        """A doubt of first and higher order where booleans hold, whose first dimensions are the batch."""
        b, s = self.b, self._deviation(where)
        match self.order:
            case 1:
                return s
            case 2:
                return b.add(s, b.mul(s, s))
            case _:
                return b.unary(ew.Expm1Op, s)

    def second(self, where: Value) -> Value:
        """A doubt of second and higher order."""
        b, s = self.b, self._deviation(where)
        return b.mul(s, s if self.order == 2 else b.unary(ew.Expm1Op, s))

    def _deviation(self, where: Value) -> Value:
        """NaN times the deviations of all elements that are read, where booleans hold."""
        b, rank, batch = self.b, self.batch, range(self.batch)
        deviation = b.unary(ew.DeviationOp, self.matrix)
        if self.op_class is EighOp:
            deviation = b.select(self._is_read(), deviation, b.zeros(self.matrix.type))
        anywhere = b.reduce("or", where, range(rank, len(shape_of(where))))
        by_matrix = b.broadcast(self._unknown(anywhere), shape_of(self.matrix), batch)
        total = b.sum(b.absorbing_mul(by_matrix, deviation), range(rank, len(shape_of(self.matrix))))
        return b.absorbing_mul(self._unknown(where), b.broadcast(total, shape_of(where), batch))

    def _unknown(self, where: Value) -> Value:
        """NaN where booleans hold, and 0 elsewhere."""
        b, type_ = self.b, array_type(shape_of(where), element_of(self.matrix))
        return b.select(where, b.splat(np.nan, type_), b.zeros(type_))

    def _is_read(self) -> Value:
        """The elements of symmetric matrices that are read: lower triangles with real diagonals."""
        b, real = self.b, array_type(self.shape, element_of(self.matrix))
        below = triangle(b, real)
        if not self.is_complex:
            return below
        shape = shape_of(self.matrix)
        below, strictly = (b.broadcast(triangle(b, real, k), shape, range(len(shape) - 1)) for k in (0, 1))
        is_imaginary = imaginary_parts(b, self.matrix.type)
        return b.select(is_imaginary, strictly, below)

    # Equal values ----------------------------------------------------------------------------------

    @property
    def _columns(self) -> tuple[int, ...]:
        """The batch, and the number of columns."""
        return (*self.shape[:-2], self.extent)

    @property
    def _pairs(self) -> Attribute:
        """The type of a number for each two columns."""
        return array_type((*self._columns, self._columns[-1]), element_of(self.matrix))

    def _undetermined(self, part: str) -> Value:
        """The columns of a part that rules have NaN for."""
        b = self.b
        values, gap = self._gaps()
        found = self._any_other(is_rounding(b, values, gap))
        if self.op_class is SvdOp and self._needs_rank(part):
            found = b.binary(ew.OrOp, found, is_rounding(b, values, values))
        return found

    def _needs_rank(self, part: str) -> bool:
        """Tell whether vectors for the value 0 are open, as others have it, too, or by a phase."""
        rows, columns = self.shape[-2:]
        beyond = {"left": rows > columns, "right": columns > rows, "values": rows != columns}
        return self.is_complex or beyond[part]

    def _any_other(self, holds: Value) -> Value:
        """The columns for which something holds together with another one."""
        b, rank, shape = self.b, self.batch, shape_of(holds)
        are_two = b.compare("ne", b.iota(shape, rank), b.iota(shape, rank + 1))
        return b.reduce("or", b.logical_and(holds, are_two), [rank + 1])

    def _gaps(self) -> tuple[Value, Value]:
        """The sizes of values, and how far each two are from each other."""
        b, pairs = self.b, self._pairs
        if self.op_class is not EigOp:
            make = b.eigh if self.op_class is EighOp else b.svd
            values = make("values", self.matrix, is_complex=self.is_complex)
            return values, b.sub(along_columns(b, values, pairs), along_rows(b, values, pairs))
        parts = parts_of(b, b.eig("values", self.matrix, is_complex=self.is_complex))
        x, y = (b.sub(along_columns(b, p, pairs), along_rows(b, p, pairs)) for p in parts)
        return b.binary(ew.HypotOp, *parts), b.binary(ew.HypotOp, x, y)

    def _is_defective(self) -> Value:
        """The eigenvalues that share a vector with others, or would without rounding."""
        b, rank = self.b, self.batch
        epsilon = float(np.finfo(numpy_dtype(self.matrix.type)).eps)
        values, gap = self._gaps()
        largest = b.reduce("max", values, [rank])
        near = b.broadcast(b.scaled(largest, CLOSE * epsilon**0.5), shape_of(gap), range(rank))
        is_close = self._any_other(b.compare("le", gap, near))

        def parallel() -> list[Value]:
            vectors = b.eig("vectors", self.matrix, is_complex=self.is_complex)
            x, y = parts_of(b, vectors)
            re = b.add(product(b, x, x, left=True), product(b, y, y, left=True))
            im = b.sub(product(b, x, y, left=True), product(b, y, x, left=True))
            least = b.splat(1 - 4 * int(self._columns[-1]) * epsilon, re.type)
            return [self._any_other(b.compare("ge", b.binary(ew.HypotOp, re, im), least))]

        def none() -> list[Value]:
            return [b.splat(False, is_close.type)]

        (found,) = b.if_(b.reduce("or", is_close, range(rank + 1)), parallel, none)
        return found
