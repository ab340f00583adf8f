"""The symmetric matrix that has singular values, with both signs, as eigenvalues; in the basis of its
vectors.

    x = (s, -s)        P = [S, -D; D, -S]        f even or odd

Functions of it are those of `differences.py`, of twice as many points.
"""

from __future__ import annotations

from mlirad.passes.spectral_functions.differences import Differences, Jet, adjoint
from mlirad.passes.spectral_functions.frames import AT_I, AT_J, AT_K, FrameCode
from mlirad.passes.spectral_functions.named import Name, Named, NamedArrays, Number


class Doubled:
    """A function of the doubled matrix."""

    def __init__(self, code: FrameCode, single: Jet, parity: int):
        """`single` is the function at the singular values; its `parity` is 1 if it is even, -1 if odd."""
        inner = code.n
        self._extent = inner.sizes[AT_I]
        extent = 2 * self._extent
        self.n = NamedArrays(inner.b, {**inner.sizes, AT_I: extent, AT_J: extent, AT_K: extent})
        other = single.mirrored(parity)
        orders = tuple(
            None if p is None or q is None else self._both(p, q, AT_I)
            for p, q in zip(single.orders, other.orders, strict=True)
        )
        roundings = tuple(self._both(r, r, AT_I) for r in single.roundings)
        self.jet = Jet(self._both(single.x, other.x, AT_I), orders, roundings)
        self.differences = Differences(self.jet)
        e = code.within()
        s, d = (e + adjoint(e)) * 0.5, (e - adjoint(e)) * 0.5
        self.matrix = self._joined(self._joined(s, d * -1, AT_J), self._joined(d, s * -1, AT_J), AT_I)

    def folded(self, x: Number, sign: int) -> Number:
        """The block for s and s, and with a sign the one for s and -s."""
        b, names = self.n.b, self.differences.names

        def block(part: Named) -> Named:
            value, shape, k = part.aligned(names), self.n.shape(names), self._extent
            zeros, ones = [0] * len(shape), [1] * len(shape)
            same = b.slice(value, zeros, [*shape[:-2], k, k], ones)
            opposite = b.slice(value, [*zeros[:-1], k], [*shape[:-2], k, 2 * k], ones)
            return Named(part.n, b.add(same, b.scaled(opposite, sign)), names)

        return x.each(block)

    def _both(self, x: Named, y: Named, name: Name) -> Named:
        """Numbers for s and for -s behind each other."""
        parts = [x.value, y.aligned(x.names)]
        return Named(self.n, self.n.b.concatenate(parts, x.names.index(name)), x.names)

    def _joined(self, x: Number, y: Number, name: Name) -> Number:
        im = None if x.im is None or y.im is None else self._both(x.im, y.im, name)
        return Number(self._both(x.re, y.re, name), im)
