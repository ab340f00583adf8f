"""Landau's distribution, by integrals over an angle in which nothing cancels.

On the path of steepest descent of e^(s log(s) + x s), s is r e^(i angle) up to a factor, with
log(r) = 1 - angle cot(angle). So with q = e^(-1 - x) and h = angle / sin(angle) e^(1 - angle cot(angle)) the
density and the share below x are

    q / pi  the integral of h e^(-q h) over the angle from 0 to pi,        1 / pi  that of e^(-q h)

in Landau's own variable; SciPy's is a multiple of it plus a shift.

The variable is y = angle / (pi - angle), as log(h) is about y: e^(-q h) is a step of width 1 near y = x.
"""

from __future__ import annotations

from math import log, pi

from mlirad.frontend.numpy_functions.scipy_functions.distributions.distribution import Distribution
from mlirad.frontend.numpy_functions.scipy_functions.distributions.shared_formulas import DECAY, formula, logs
from mlirad.frontend.tracing.operations import xp
from mlirad.ir import formulas
from mlirad.ir.formulas import Formula
from mlirad.rules.angles import less_cosine, less_sine
from mlirad.rules.quadratures import Nodes, between, fixed

_HIGH = 2.0
"""Up to here q is not a small number, and e^-q is the size of what is below."""


def _nodes(x: Formula) -> tuple[Nodes, Formula]:
    """Nodes for y - x, and the last y."""
    rate = formulas.exp(-1 - formulas.minimum(x, 1.0))
    widest = formulas.minimum(formulas.sqrt(2 * DECAY / rate), 2.8)
    last = formulas.where(x > -1.6, x + 6.5, widest / (pi - widest))
    last = fixed(last)
    return between(288, formulas.where(x > 45, x.like(-45.0), -x), last - fixed(x)), last


def _low(x: Formula, *, dense: bool) -> Formula:
    """The logarithm of the density, or of the share below, for x that is not large."""
    nodes, _ = _nodes(x)
    rate = formulas.exp(-1 - x)
    y = nodes.points + nodes.spread(fixed(x))
    angle = y * pi / (1 + y)
    sine = formulas.sin(formulas.where(y < 1, angle, pi / (1 + y)))
    log_height = formulas.log1p(less_sine(angle) / sine) + less_cosine(angle, sine) / sine
    change = 1 / ((1 + y) * (1 + y))
    if dense:
        change = change * formulas.exp(log_height)
    total = nodes.total(change * formulas.exp(-nodes.spread(rate) * formulas.expm1(log_height)))
    found = formulas.log(total) - rate
    return found - (1 + x) if dense else found


def _high(x: Formula, *, dense: bool) -> Formula:
    """The logarithm of the density, or of the share above, for positive x."""
    nodes, last = _nodes(x)
    place = nodes.spread(fixed(x))
    y = nodes.points + place
    rest = pi / (1 + y)
    sine = formulas.sin(rest)
    log_rise = nodes.points + (place - nodes.spread(x)) + formulas.log(y * (rest / sine))
    log_rise = log_rise - (pi - rest) * (less_cosine(rest, sine) / (rest * sine))
    rise = formulas.exp(log_rise)
    change = (1 + place) / (1 + y)
    change = change * change
    size = 1 + fixed(x)
    if dense:
        return formulas.log(nodes.total(change * rise * formulas.exp(-rise))) - 2 * formulas.log(size)
    total = nodes.total(change * -formulas.expm1(-rise)) * (1 / size) + size / (1 + last)
    return formulas.log(total) - formulas.log(size)


def _place(x: Formula) -> Formula:
    """The x of the integrals, of a point as SciPy has it, where the scale of the stable distribution is 1."""
    return x * (pi / 2) + log(pi / 2)


def _log_density(x: Formula) -> Formula:
    x = _place(x)
    is_high = x > _HIGH
    high = _high(formulas.where(is_high, x, _HIGH), dense=True)
    return formulas.where(is_high, high, _low(formulas.minimum(x, _HIGH), dense=True)) + log(pi / 2)


def _log_below(x: Formula) -> Formula:
    return _low(formulas.minimum(_place(x), _HIGH), dense=False)


def _log_above(x: Formula) -> Formula:
    return _high(formulas.maximum(_place(x), 0.5), dense=False)


LANDAU = Distribution(
    lambda x: formula(_log_density, x),
    **logs(lambda x: formula(_log_below, x), lambda x: formula(_log_above, x)),
    mean=lambda: xp.nan, var=lambda: xp.nan,
)  # fmt: skip

DISTRIBUTIONS = {"landau": LANDAU}
