"""The constants of a factorisation, and how far its matrix is from the one that was factorised.

    A = V (diag(w) + E) V^H           E = V^H d(A) V, with d(A) 0 at the point, which has the derivative of A
    A = U (diag(s) + E) V^H + F V^H + U G^H       E = U^H d(A) V, F = (1 - U U^H) d(A) V, G the same of A^H

V, w, U and s are constants here: what is made of them depends on the matrix by d alone, so it is exact to the
order to which functions of E, F and G are expanded.
"""

from __future__ import annotations

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.factorisations import EighOp
from mlirad.dialects.shapes import Value, shape_of
from mlirad.ir.matrices import triangle
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.spectral_functions.facts import Frame, Side
from mlirad.passes.spectral_functions.named import Named, NamedArrays, Names, Number

AT_I, AT_J, AT_K = "i", "j", "k"
"""Names of the dimension of the columns."""

ROW, COLUMN = "row", "column"
"""Names of the dimensions of the matrices."""


@dataclass(frozen=True)
class FrameCode:
    """The code of a frame, whose batch has the names `batch`."""

    n: NamedArrays
    frame: Frame
    matrix: Value
    batch: Names

    def __post_init__(self) -> None:
        extent = self.frame.extent
        rows, columns = self.frame.shape[-2:]
        self.n.sizes.update({ROW: rows, COLUMN: columns, AT_I: extent, AT_J: extent, AT_K: extent})

    @property
    def is_symmetric(self) -> bool:
        """Return whether the matrices are symmetric ones."""
        return self.frame.op_class is EighOp

    def values(self) -> Value:
        """The eigenvalues or singular values, as constants."""
        return self._constant("values")

    def vectors(self, side: Side) -> Number:
        """The vectors of one side as columns, named by row or column of the matrix and by `AT_I`."""
        if side == "left":
            part = "vectors" if self.is_symmetric else "left"
            return self._parts(self._constant(part), (*self.batch, ROW, AT_I))
        return self._parts(self._constant("right"), (*self.batch, AT_I, COLUMN)).conjugate()

    def _constant(self, part: str) -> Value:
        b = self.n.b
        make = b.eigh if self.is_symmetric else b.svd
        found = make(part, self.matrix, is_complex=self.frame.is_complex)
        return b.unary(ew.StopGradientOp, found)

    def _parts(self, x: Value, names: Names) -> Number:
        """The real and the imaginary parts of pairs."""
        if not self.frame.is_complex:
            return Number(Named(self.n, x, names))
        b = self.n.b
        *shape, _ = shape_of(x)
        zeros, ones = [0] * len(shape), [1] * (len(shape) + 1)
        cuts = (b.slice(x, [*zeros, k], [*shape, k + 1], ones) for k in range(2))
        return Number(*(Named(self.n, b.reshape(cut, shape), names) for cut in cuts))

    def _deviation(self) -> Number:
        """d of the matrices; of symmetric ones the lower triangles are read."""
        n, b = self.n, self.n.b
        names = (*self.batch, ROW, COLUMN)
        found = self._parts(b.unary(ew.DeviationOp, self.matrix), names)
        if not self.is_symmetric:
            return found
        mirrored = found.renamed({ROW: COLUMN, COLUMN: ROW})
        type_ = found.re.value.type
        below, strictly = (Named(n, triangle(b, type_, least), names) for least in (0, 1))
        re = below.choose(found.re, mirrored.re)
        if found.im is None or mirrored.im is None:
            return Number(re)
        return Number(re, strictly.keep(found.im) - (~below).keep(mirrored.im))

    def within(self) -> Number:
        """E, named by `AT_I` and `AT_J`."""
        left, right = self._sides()
        inner = self._deviation().product(right.renamed({AT_I: AT_J}), (*self.batch, ROW, AT_J))
        return left.conjugate().product(inner, (*self.batch, AT_I, AT_J))

    def goes_beyond(self, side: Side) -> bool:
        """Return whether there is more than the space that the vectors of a side span."""
        rows, columns = self.frame.shape[-2:]
        return not self.is_symmetric and (rows > columns if side == "left" else columns > rows)

    def beyond(self, side: Side) -> Number:
        """F or G, named by row or column and by `AT_I`."""
        left, right = self._sides()
        if side == "left":
            own = ROW
            whole = self._deviation().product(right, (*self.batch, ROW, AT_I))
        else:
            own, left, right = COLUMN, right, left
            whole = self._deviation().conjugate().product(right, (*self.batch, COLUMN, AT_I))
        inside = left.conjugate().renamed({AT_I: AT_J}).product(whole, (*self.batch, AT_J, AT_I))
        return whole - left.renamed({AT_I: AT_J}).product(inside, (*self.batch, own, AT_I))

    def _sides(self) -> tuple[Number, Number]:
        left = self.vectors("left")
        return left, left.renamed({ROW: COLUMN}) if self.is_symmetric else self.vectors("right")
