"""Divided differences of functions at eigenvalues, and the terms of Taylor expansions that are made of them.

    f[a, b] = (f(b) - f(a)) / (b - a)                 f'(a) where a = b
    f[a, b, c] = (f[a, b] - f[b, c]) / (a - c)        f''(a) / 2 where all are equal

    f(diag(x) + P)_ij = f(x_i) d_ij + f[x_i, x_j] P_ij + sum over k of f[x_i, x_k, x_j] P_ik P_kj + ...

A quotient of differences of rounded numbers loses what the gap is less than the values, and is 0 / 0 for
equal ones. So where derivatives at both points tell the difference to within the rounding of the values, they
are taken instead: that is a corrected trapezoidal rule, with an error of fourth order in the gap. Where they
do not - between values that lie apart, on two sides of a kink, or of two functions, as of occupied and empty
levels - the quotient is as exact as it can be. Across a jump between eigenvalues that may be equal, as far as
they are exact, it tells nothing, and is NaN.

(Sources: N. Higham, Functions of matrices, 2008, section 3.2; Yu. Daletskii and S. Krein, 1965.)
"""

from __future__ import annotations

import numpy as np

from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.shapes import Value, array_type, element_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.spectral_functions.frames import AT_I, AT_J, AT_K
from mlirad.passes.spectral_functions.named import Name, Named, NamedArrays, Names, Number
from mlirad.rules.factorisation_derivatives import EXACTNESS

AGREEMENT = 2.0
"""The largest difference from what derivatives say, in multiples of the rounding of both values."""

NARROW = 1e-3
"""Gaps that are a larger part of the largest point are divided by: that loses three digits at most.

It loses more where f' changes by less than its rounding divided by this: there f'' is taken in any case.
"""


def may_be_equal(gap: Named, x: Named) -> Named:
    """Return where a gap is no more than points of a factorisation are exact to."""
    epsilon = float(np.finfo(numpy_dtype(x.value.type)).eps)
    limit = abs(x).reduced("max", x.names[-1]) * (EXACTNESS * int(x.n.sizes[AT_I]) * epsilon)
    return abs(gap).at_most(limit)


@dataclass(frozen=True)
class Jet:
    """A function at the points x: `orders` are its values, first derivatives ..., `roundings` their errors.

    The dimension of the points is `AT_I`. An order that cannot be had is `None`.
    """

    x: Named
    orders: tuple[Named | None, ...]
    roundings: tuple[Named, ...]

    def at_j(self) -> Jet:
        """The same with the points along `AT_J`."""
        names: dict[Name, Name] = {AT_I: AT_J}
        orders = tuple(None if o is None else o.renamed(names) for o in self.orders)
        return Jet(self.x.renamed(names), orders, tuple(r.renamed(names) for r in self.roundings))

    def slope(self) -> Jet:
        """The derivative as a function."""
        return Jet(self.x, self.orders[1:], self.roundings[1:])

    def mirrored(self, parity: int) -> Jet:
        """An even function, or an odd one with parity -1, at the points -x."""
        signs = (parity * (-1) ** k for k in range(len(self.orders)))
        orders = (o if o is None or sign > 0 else -o for o, sign in zip(self.orders, signs, strict=True))
        return Jet(-self.x, tuple(orders), self.roundings)

    def order(self, k: int) -> Named:
        """The derivative of order k, which has to be there."""
        found = self.orders[k]
        assert found is not None
        return found


class Differences:
    """The divided differences of a function at pairs of points, which `AT_I` and `AT_J` number."""

    def __init__(self, rows: Jet, columns: Jet | None = None):
        """Between the points of one function, or those of two; `columns` have the name `AT_I`, too."""
        self.n = rows.x.n
        self.rows = rows
        self.columns = (rows if columns is None else columns).at_j()
        self.is_own = columns is None
        self.gap = self.columns.x - self.rows.x
        self.are_one = may_be_equal(self.gap, self.rows.x)
        self.first, self.is_smooth = self._first()

    @property
    def names(self) -> Names:
        """The names of matrices of differences, `AT_I` and `AT_J` last."""
        return (*(m for m in self.first.names if m not in (AT_I, AT_J)), AT_I, AT_J)

    def _first(self) -> tuple[Named, Named]:
        """f[x_i, x_j], and whether derivatives at both points tell it."""
        a, c = self.rows, self.columns
        difference = c.order(0) - a.order(0)
        mean = (a.order(1) + c.order(1)) * 0.5
        second, other = a.orders[2], c.orders[2]
        if second is not None and other is not None:
            mean = mean + self.gap * (second - other) * (1 / 12)
        smooth = self._agrees(difference, mean, a.roundings[0], c.roundings[0])
        steepest = (abs(a.order(1)) + abs(c.order(1))) * abs(self.gap)
        is_jump = self.are_one & steepest.less(abs(difference)) & ~smooth
        if self.is_own:
            is_jump = is_jump & ~diagonal(self.n)
        found = smooth.choose(mean, is_jump.unknown(difference / self.gap, 1))
        return diagonal(self.n).choose(a.order(1), found) if self.is_own else found, smooth

    def _agrees(self, difference: Named, slope: Named, one: Named, other: Named) -> Named:
        """Return whether a difference is the gap times a slope, to within rounding."""
        return abs(difference - self.gap * slope).at_most((one + other) * AGREEMENT)

    def is_near(self) -> Named:
        """Return whether division by the gap would lose more than what f'' leaves out: f is a parabola
        between.
        """
        a, c = self.rows, self.columns
        mean = (a.order(2) + c.order(2)) * 0.5
        near = self._agrees(c.order(1) - a.order(1), mean, a.roundings[1], c.roundings[1])
        gap = abs(self.gap)
        is_narrow = gap.at_most(abs(a.x).reduced("max", AT_I) * NARROW)
        bend = gap * (abs(a.order(2)) + abs(c.order(2))) * NARROW
        is_narrow = is_narrow | bend.at_most(a.roundings[1] + c.roundings[1])
        near = near & self.is_smooth & is_narrow
        return near | diagonal(self.n) if self.is_own else near

    def inverse_gaps(self, near: Named) -> Named:
        """1 / (x_i - x_j), 0 where these are near each other, NaN where they are one, across a kink."""
        return (~near).keep((self.are_one & ~near).unknown(-1.0 / self.gap, 2))


def diagonal(n: NamedArrays) -> Named:
    """Return where the numbers along `AT_I` and `AT_J` are the same."""
    shape = n.shape((AT_I, AT_J))
    return n.named(n.b.compare("eq", n.b.iota(shape, 0), n.b.iota(shape, 1)), AT_I, AT_J)


def off_diagonal(near: Named) -> Named:
    """Return where two different points are near each other."""
    return near & ~diagonal(near.n)


def second_order(d: Differences, p: Number, *, always: bool = False) -> Number:
    """The sum over k of f[x_i, x_k, x_j] P_ik P_kj, for Hermitian P.

    A difference of three points divides by the gap between two of them that are not near each other. The sums
    over k are products of matrices, whichever two these are:

        i, j apart       E_ij (f[i, k] - f[k, j])             E = 1 / (x_i - x_j), 0 where these are near
        i, k apart       E_ik (f[i, j] - f[k, j])
        k, j apart       E_kj (f[i, k] - f[i, j])
        none             the mean of f'' / 2

    All but the first are for i near j, which is rare: unless `always`, they are computed if there are any.
    """
    n, b = d.n, d.n.b
    near = d.is_near()
    inverse = d.inverse_gaps(near)
    weighted = p.weighted(d.first)
    total = product(weighted, p, d.names)
    found = (total - adjoint(total)).weighted(inverse) + on_diagonal(d, p, near, inverse)

    def close() -> list[Value]:
        return _between_near(d, p, weighted, near, inverse).values(d.names)

    def nothing() -> list[Value]:
        zeros = b.zeros(array_type(n.shape(d.names), element_of(d.gap.value)))
        return [zeros] if p.im is None else [zeros, zeros]

    values = close() if always else b.if_(off_diagonal(near).anywhere(), close, nothing)
    return found + Number(*(Named(n, x, d.names) for x in values))


def on_diagonal(d: Differences, p: Number, near: Named, inverse: Named) -> Number:
    """The elements with i = j: the sum over k of f[x_i, x_k, x_i] |P_ik|^2."""
    apart = inverse.absorbing(d.rows.order(1) - d.first)
    mean = (d.rows.order(2) * 2.0 + d.columns.order(2)) * (1 / 6)
    terms = near.choose(mean, apart).absorbing(p.squares())
    spread = diagonal(d.n).keep(terms.total([name for name in terms.names if name != AT_J]))
    return Number(spread, None if p.im is None else spread.zeros())


def _between_near(d: Differences, p: Number, weighted: Number, near: Named, inverse: Named) -> Number:
    """The elements with i and j near each other and not the same."""
    names = d.names
    apart, close = p.weighted(inverse), p.each(near.keep)
    i_k = product(apart, p, names).weighted(d.first) - product(apart, weighted, names)
    k_j = product(weighted.each(near.keep), apart, names)
    k_j = k_j - product(close, apart, names).weighted(d.first)
    ends = (d.rows.order(2) + d.columns.order(2)) * (1 / 6)
    none = product(close, close, names).weighted(ends)
    none = none + product(close.weighted(d.columns.order(2) * (1 / 6)), close, names)
    return (i_k + k_j + none).each(off_diagonal(near).keep)


def product(x: Number, y: Number, names: Names) -> Number:
    """The product of two matrices named by `AT_I` and `AT_J`."""
    return x.renamed({AT_J: AT_K}).product(y.renamed({AT_I: AT_K}), names)


def adjoint(x: Number) -> Number:
    """The transposed matrices, of complex numbers their conjugates."""
    return x.renamed({AT_I: AT_J, AT_J: AT_I}).conjugate()
