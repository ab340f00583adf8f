"""Student's distribution of a normal number whose mean is not 0, over the root of a chi-square number.

With w = sqrt(chi2 / df) = e^s and c = 2 (df / 2)^(df / 2) / gamma(df / 2), the density at t and the share
above it are

    c    the integral of phi(t w - nc) w e^(df s - df w^2 / 2) over s
    c    the integral of Phi(nc - t w) e^(df s - df w^2 / 2) over s

The first has a peak in closed form. The second is taken from the peak of the integrand that has phi in place
of Phi, to either side, as Phi may be a step there.
"""

from __future__ import annotations

from math import log, pi
from typing import Any

from mlirad.frontend.numpy_functions.scipy_functions.distributions.distribution import Distribution
from mlirad.frontend.numpy_functions.scipy_functions.distributions.shared_formulas import (
    DECAY,
    HALF_LOG_2PI,
    formula,
    log_beta,
    logs,
)
from mlirad.frontend.tracing.operations import xp
from mlirad.ir import formulas
from mlirad.ir.formulas import Formula
from mlirad.rules.gamma_formulas import log_gamma_weight
from mlirad.rules.quadratures import after_decay, between, evenly, fixed, over_half_line


def _peak(t: Formula, df: Formula, nc: Formula, power: Formula) -> Formula:
    """The w where w^power e^(-df w^2 / 2 - (t w - nc)^2 / 2) is largest."""
    total, pull = df + t * t, t * nc
    root = formulas.sqrt(pull * pull + 4 * total * power)
    size = formulas.absolute(pull)
    return formulas.where(pull > 0, (size + root) / (2 * total), 2 * power / (root + size))


def _log_noncentral(t: Formula, df: Formula, nc: Formula) -> Formula:
    power = df + 1
    peak = fixed(_peak(t, df, nc, power))
    bend = formulas.maximum(t * nc * peak, 1e-100)
    far = formulas.sqrt(2 * DECAY / bend)
    before, center = after_decay(power, DECAY), formulas.log(peak)
    narrow = formulas.where(far < 0.99, -formulas.log1p(-formulas.minimum(far, 0.99)), before)
    after = formulas.log1p(formulas.minimum(DECAY / power + formulas.sqrt(2.3 * DECAY / power), far))
    nodes = evenly(256, center - formulas.minimum(before, narrow), center + after)

    def exponent(s: Formula, t: Formula, df: Formula, nc: Formula) -> Formula:
        w = formulas.exp(s)
        distance = t * w - nc
        return (df + 1) * s - 0.5 * df * (w - 1) * (w + 1) - 0.5 * distance * distance

    top = fixed(exponent(center, t, df, nc))
    wide = (nodes.spread(v) for v in (t, df, nc))
    total = nodes.total(formulas.exp(exponent(nodes.points, *wide) - nodes.spread(top)))
    return _log_norm(df) - HALF_LOG_2PI + top + formulas.log(total)


def _log_norm(df: Formula) -> Formula:
    """log(2 (df / 2)^(df / 2) e^(-df / 2) / gamma(df / 2))."""
    half = 0.5 * df
    return log_gamma_weight(half, half) + log(2)


def _log_share_above(t: Formula, df: Formula, nc: Formula) -> Formula:
    peak = fixed(_peak(t, df, nc, df))
    center = formulas.log(peak)

    def exponent(s: Formula, t: Formula, df: Formula, nc: Formula) -> Formula:
        w = formulas.exp(s)
        return formulas.special("log_ndtr", nc - t * w) + df * s - 0.5 * df * (w - 1) * (w + 1)

    top = fixed(exponent(center, t, df, nc))
    slope = df * formulas.maximum((1 - peak) * (1 + peak), 0.0)
    low = over_half_line(1 / (slope + formulas.sqrt(2 * df)))
    after = formulas.log1p(DECAY / df + formulas.sqrt(2.3 * DECAY / df))
    # above most of the distribution Phi is 1 from the peak to w = 1
    after = after + formulas.where(t < 0, formulas.maximum(-center, 0.0), 0.0)
    high = between(128, center, center + after)
    total = t * 0.0
    for nodes, sign in ((low, -1.0), (high, 1.0)):
        points = nodes.points if sign > 0 else nodes.spread(center) - nodes.points
        wide = (nodes.spread(v) for v in (t, df, nc))
        total = total + nodes.total(formulas.exp(exponent(points, *wide) - nodes.spread(top)))
    return _log_norm(df) + top + formulas.log(total)


def _log_sf(t: Any, df: Any, nc: Any) -> Any:
    return formula(_log_share_above, t, df, nc)


def _mean(df: Any, nc: Any) -> Any:
    exists = xp.greater(df, 1)
    known = xp.where(exists, df, 2.0)
    ratio = xp.exp(log_beta(0.5 * (known - 1.0), 0.5)) / pi**0.5
    return xp.where(exists, nc * xp.sqrt(0.5 * known) * ratio, xp.nan)


def _var(df: Any, nc: Any) -> Any:
    exists = xp.greater(df, 2)
    known = xp.where(exists, df, 3.0)
    return xp.where(exists, known * (1.0 + nc * nc) / (known - 2.0) - _mean(known, nc) ** 2, xp.nan)


NCT = Distribution(
    lambda t, df, nc: formula(_log_noncentral, t, df, nc), shapes=("df", "nc"),
    **logs(lambda t, df, nc: _log_sf(-t, df, -nc), _log_sf),
    allows=lambda df, nc: xp.greater(df, 0) & xp.isfinite(nc), mean=_mean, var=_var,
)  # fmt: skip

DISTRIBUTIONS = {"nct": NCT}
