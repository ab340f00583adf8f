"""Sums over all columns of products of singular vectors: functions of a symmetric matrix of twice the size.

    [0 A; A^H 0]           eigenvalues s and -s, with the vectors (u, v) and (u, -v), and 0 for what is beyond

Products of vectors of one side are even functions f of that matrix, given for positive numbers; products of
vectors of both sides are odd ones. By blocks for s and for -s

    P++ = S = (E + E^H) / 2        P+- = -D, with D = (E - E^H) / 2

the first order is f[s_i, s_j] S_ij and f[s_i, -s_j] D_ij, and the second one, with h = 1 for even functions
and -1 for odd ones,

    (X - X^H)_ij / (s_i - s_j)             X = (f[s_i, s_k] S) S - (f[s_i, -s_k] D) D
    (Y + h Y^H)_ij / (s_i + s_j)           Y = S (f[s_k, -s_j] D) - (f[s_i, s_k] S) D

beside what goes by way of F: f[s_i, 0, s_j] F^H F / 2 and f[s_i, 0, -s_j] F^H F / 2. Where two points are
near each other (`differences.py`) the second order is that of the whole matrix, `Doubled`."""

from __future__ import annotations

from functools import cached_property

from mlirad.dialects.shapes import Value
from mlirad.passes.spectral_functions.differences import (
    Differences,
    Jet,
    adjoint,
    off_diagonal,
    on_diagonal,
    product,
    second_order,
)
from mlirad.passes.spectral_functions.doubled import Doubled
from mlirad.passes.spectral_functions.facts import Side
from mlirad.passes.spectral_functions.frames import AT_I, AT_J
from mlirad.passes.spectral_functions.functions import constant
from mlirad.passes.spectral_functions.named import Named, Number
from mlirad.passes.spectral_functions.products import Part, Product
from mlirad.passes.spectral_functions.zeros import bends, bends_at_zero, to_zero


class SingularProduct(Product):
    """The code of a sum over the columns of products of singular vectors."""

    @property
    def signs(self) -> tuple[int, int]:
        """The signs for -s of the two arrays: 1 of left vectors, -1 of right ones."""
        left, right = (1 if self.side(t) == "left" else -1 for t in self.ends)
        return left, right

    @property
    def parity(self) -> int:
        """1 for an even function, -1 for an odd one."""
        left, right = self.signs
        return left * right

    @property
    def beyond(self) -> Side | None:
        """The side whose space is larger than the span of the vectors."""
        sides: tuple[Side, Side] = ("left", "right")
        return next((side for side in sides if self.code.goes_beyond(side)), None)

    @property
    def ends_beyond(self) -> list[int]:
        """Return which of the two arrays are of that side."""
        return [k for k, t in enumerate(self.ends) if self.side(t) == self.beyond]

    @cached_property
    def blocks(self) -> tuple[Number, Number]:
        """S and D."""
        e = self.code.within()
        return (e + adjoint(e)) * 0.5, (e - adjoint(e)) * 0.5

    def images(self, *beyond: int, fixed: bool) -> tuple[Number, Number]:
        """The images of the two arrays, of those named of what is beyond."""
        parts: list[Part] = ["beyond" if k in beyond else "within" for k in range(2)]
        left, right = (
            self.image(t, part, fixed=fixed and part == "within")
            for t, part in zip(self.ends, parts, strict=True)
        )
        return left, right

    def terms(self, jet: Jet) -> list[Named]:
        """The terms of first and of second order."""
        if self.order == 1:
            return self._first(constant(jet), fixed=True)
        return [*self._first(jet, fixed=False), *self._second(constant(jet))]

    def _first(self, jet: Jet, *, fixed: bool) -> list[Named]:
        s, d = self.blocks
        same, opposite = self._differences(jet)
        middle = s.weighted(same.first) + d.weighted(opposite.first) * -self.signs[1]
        left, right = self.images(fixed=fixed)
        found = [self.sandwich(left, middle, right)]
        for k in self.ends_beyond:
            left, right = self.images(k, fixed=fixed)
            found.append(self.joined(left.weighted(to_zero(jet)), right))
        return found

    def _differences(self, jet: Jet) -> tuple[Differences, Differences]:
        return Differences(jet), Differences(jet, jet.mirrored(self.parity))

    def _second(self, jet: Jet) -> list[Named]:
        s, d = self.blocks
        same, opposite = self._differences(jet)
        left, right = self.images(fixed=True)
        middle = self._within(jet, same, opposite)
        if self.beyond is None:
            return [self.sandwich(left, middle, right)]
        found: list[Named] = []
        own, h = -1 if self.beyond == "left" else 1, self.parity
        to_same, to_opposite = bends(same, h), bends(opposite, h)
        for k in self.ends_beyond:
            sign = (own * h - self.signs[1]) // 2 if k == 0 else (self.signs[0] * h - own) // 2
            between = s.weighted(to_same) + d.weighted(to_opposite) * sign
            one, other = self.images(k, fixed=True)
            found.append(self.sandwich(one, between, other))
        if len(self.ends_beyond) == 2:
            one, other = self.images(0, 1, fixed=True)
            found.append(self.joined(one.weighted(bends_at_zero(jet)), other))
        f = self.code.beyond(self.beyond)
        squares = f.conjugate().product(f.renamed({AT_I: AT_J}), (*self.code.batch, AT_I, AT_J))
        through = squares.weighted((to_same + to_opposite * (self.signs[1] * own)) * 0.5)
        return [*found, self.sandwich(left, middle + through, right)]

    def _within(self, jet: Jet, same: Differences, opposite: Differences) -> Number:
        """P++ + r P+- of second order, where r is the sign of the array on the right."""
        b, names = self.source.b, same.names
        near = same.is_near(), opposite.is_near()
        inverse = same.inverse_gaps(near[0]), opposite.inverse_gaps(near[1])
        some = off_diagonal(near[0]) | near[1]

        def close() -> list[Value]:
            doubled = Doubled(self.code, jet, self.parity)
            whole = second_order(doubled.differences, doubled.matrix, always=True)
            return doubled.folded(whole, self.signs[1]).values(names)

        def apart() -> list[Value]:
            return self._apart(same, opposite, near, inverse).values(names)

        values = b.if_(some.anywhere(), close, apart)
        return Number(*(Named(self.code.n, x, names) for x in values))

    def _apart(
        self,
        same: Differences,
        opposite: Differences,
        near: tuple[Named, Named],
        inverse: tuple[Named, Named],
    ) -> Number:
        """The same, of points that are not near each other unless they are the same one."""
        s, d = self.blocks
        names = same.names
        by_same, by_opposite = s.weighted(same.first), d.weighted(opposite.first)
        x = product(by_same, s, names) - product(by_opposite, d, names)
        y = product(s, by_opposite, names) - product(by_same, d, names)
        found = (x - adjoint(x)).weighted(inverse[0])
        mirrored = y + adjoint(y) * self.parity
        found = found + mirrored.weighted(inverse[1]) * self.signs[1]
        return (
            found + on_diagonal(same, s, near[0], inverse[0]) + on_diagonal(opposite, d, near[1], inverse[1])
        )
