"""Sums over all columns of products of vectors, as Taylor expansions around the point.

    L diag(f) R^H      -->      L (diag(f) + f[x_i, x_j] E_ij + ...) R^H

L and R are the images of the arrays of vectors, f its function, and E how far the matrix is from the point.
So the sum has the derivatives of the spectral function, whichever vectors the factorisation has chosen for
equal eigenvalues. The part with the highest order of E is constant: it would only be differentiated further.
"""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Literal

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.factorisations import EighOp, SvdOp
from mlirad.dialects.extents import is_static
from mlirad.dialects.shapes import Value
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.spectral_functions.differences import Differences, Jet, second_order
from mlirad.passes.spectral_functions.facts import Pair, Side, Term, Vectors
from mlirad.passes.spectral_functions.frames import AT_I, AT_J, COLUMN, ROW, FrameCode
from mlirad.passes.spectral_functions.functions import constant, function_at
from mlirad.passes.spectral_functions.images import SpectralImages
from mlirad.passes.spectral_functions.named import Named, Number

Part = Literal["within", "beyond"]
"""The vectors themselves, or how far they go beyond the space that these span."""


@dataclass(frozen=True)
class Product:
    """The code of a site: of a sum over the columns of products of two arrays of vectors."""

    source: SpectralImages
    code: FrameCode
    site: Pair
    order: int
    """The highest order up to which the sum has derivatives, 1 or 2."""

    def value(self) -> Named:
        """The sum, with the dimensions of the site."""
        jet = function_at(self.source, self.code, self.site, self.order + 1)
        left, right = (self.image(t, "within") for t in self.ends)
        found = self.joined(left.each(lambda part: part * jet.order(0)), right)
        for added in self.terms(jet):
            found = found + added
        return found

    def terms(self, jet: Jet) -> list[Named]:
        """Return what the sum has beside its value, of first and higher order."""
        raise NotImplementedError

    @property
    def ends(self) -> tuple[Term, Term]:
        """The two arrays, the one of left vectors first."""
        left, right = self.site.left, self.site.right
        # The real part of a product is that of its conjugate, too.
        is_turned = self.side(left) == "right" and self.side(right) == "left"
        return (right, left) if is_turned else (left, right)

    def side(self, term: Term) -> Side:
        """The side of an array of vectors."""
        fact = self.source.reading.facts[term.value]
        assert isinstance(fact, Vectors)
        return fact.side

    def image(self, term: Term, part: Part, *, fixed: bool = False) -> Number:
        """The image of an array of vectors, as complex numbers whose real parts it is, named by `AT_I`.

        Constant if `fixed`.
        """
        code, side = self.code, self.side(term)
        vectors = code.vectors(side) if part == "within" else code.beyond(side)
        names = tuple(AT_I if name == self.site.label else name for name in term.names)

        def image(of: Number) -> Named:
            source = partial(_component, code, of, side)
            return code.n.named(self.source.vectors(term.value, source), *names)

        found = Number(image(vectors), None if vectors.im is None else -image(vectors.turned()))
        return found.each(lambda x: x.unary(ew.StopGradientOp)) if fixed else found

    def joined(self, left: Number, right: Number) -> Named:
        """The real part of the sum over the columns of left times conjugated right ones."""
        return left.product(right.conjugate(), self.site.names).re

    def sandwich(self, left: Number, middle: Number, right: Number) -> Named:
        """The real part of left middle right^H, in the order that takes fewer operations."""
        kept, sizes = self.site.names, self.code.n.sizes
        ends = right.renamed({AT_I: AT_J}).conjugate()
        free = [prod(sizes[m] for m in x.names if m not in middle.names) for x in (left, right)]
        names = tuple(dict.fromkeys((*middle.names, *left.names, *right.names)))
        if not all(map(is_static, free)) or free[0] <= free[1]:
            inner = left.product(middle, [m for m in names if m != AT_I])
            return inner.product(ends, kept).re
        inner = middle.product(ends, [m for m in names if m != AT_J])
        return left.product(inner, kept).re


class SymmetricProduct(Product):
    """The same of eigenvectors of symmetric matrices."""

    def terms(self, jet: Jet) -> list[Named]:
        """The terms of first and of second order in E."""
        e, still = self.code.within(), Differences(constant(jet))
        ends = [self.image(t, "within", fixed=True) for t in self.ends]
        if self.order == 1:
            return [self.sandwich(ends[0], e.weighted(still.first), ends[1])]
        first = e.weighted(Differences(jet).first)
        moving = [self.image(t, "within") for t in self.ends]
        return [
            self.sandwich(moving[0], first, moving[1]),
            self.sandwich(ends[0], second_order(still, e), ends[1]),
        ]


def _component(
    code: FrameCode, vectors: Number, side: Side, op: EighOp | SvdOp, k: int | None = None
) -> Value:
    """Vectors as the op gives them: real ones, or the real (0) or imaginary (1) part of complex ones."""
    part = vectors.im if k == 1 else vectors.re
    assert part is not None
    if side == "left":
        return part.aligned((*code.batch, ROW, AT_I))
    # Right vectors are rows, conjugated.
    return (-part if k == 1 else part).aligned((*code.batch, AT_I, COLUMN))
