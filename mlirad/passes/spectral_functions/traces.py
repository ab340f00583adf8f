"""Sums of functions of all eigenvalues, or singular values, as Taylor expansions around the point.

    sum of f(w_i)      -->      sum of f(x_i) + f'(x_i) E_ii + f'[x_i, x_j] |E_ij|^2 / 2

The first derivative of eigenvalues is that of the diagonal of E, whichever vectors there are; so sums are
expanded where they have a second one. Singular values are half of the eigenvalues of a symmetric matrix.
"""

from __future__ import annotations

from mlirad.passes.spectral_functions.differences import Differences, Jet, diagonal
from mlirad.passes.spectral_functions.doubled import Doubled
from mlirad.passes.spectral_functions.facts import Side, Trace
from mlirad.passes.spectral_functions.frames import AT_I, FrameCode
from mlirad.passes.spectral_functions.functions import constant, function_at
from mlirad.passes.spectral_functions.images import SpectralImages
from mlirad.passes.spectral_functions.named import Named, NamedArrays, Number
from mlirad.passes.spectral_functions.zeros import to_zero


def trace(images: SpectralImages, code: FrameCode, site: Trace) -> tuple[Named, list[Named]]:
    """The sum, with its first and second derivatives, and where it has no second one."""
    jet = function_at(images, code, site, 3)
    if code.is_symmetric:
        return _expanded(jet, code.within(), site), _unknown(code.n)
    doubled = Doubled(code, jet, 1)
    found = _expanded(doubled.jet, doubled.matrix, site)
    sides: tuple[Side, Side] = ("left", "right")
    for side in sides:
        if code.goes_beyond(side):
            # f'[s, 0] of s and of -s, each with half of the squares of what is beyond.
            squares = code.beyond(side).squares().total((*code.batch, AT_I))
            found = found + to_zero(constant(jet.slope())).absorbing(squares).total(site.names)
    return found * 0.5, [*_unknown(code.n), *_unknown(doubled.n)]


def _unknown(n: NamedArrays) -> list[Named]:
    return [where for _, where in n.unknown]


def _expanded(jet: Jet, e: Number, site: Trace) -> Named:
    own = jet.order(1).absorbing(diagonal(jet.x.n).keep(e.re))
    pairs = Differences(constant(jet.slope())).first.absorbing(e.squares())
    return jet.order(0).total(site.names) + (own + pairs * 0.5).total(site.names)
