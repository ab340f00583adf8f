"""Formulas of distributions in standard form, and how those that are not given follow from others.

    Distribution(log_density=lambda x: -x, log_sf=lambda x: -x, low=0.0)

Formulas are functions of a point, or a probability, and the shapes; they hold inside of the support, its ends
included. The values outside of it, and location and scale, are the business of `methods.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf, log
from typing import Any, TypedDict, Unpack, cast

from mlirad.frontend.numpy_functions.scipy_functions.distributions.formula_types import (
    Formula,
    Function,
    OfShapes,
    called,
)
from mlirad.frontend.numpy_functions.scipy_functions.distributions.searching import searched, searched_number
from mlirad.frontend.numpy_functions.scipy_functions.distributions.shared_formulas import (
    log1mexp,
    log_of_rest,
)
from mlirad.frontend.tracing.operations import xp
from mlirad.lazy_dataclass import dataclass


def above_zero(*shapes: Any) -> Any:
    """Return whether all shapes are positive."""
    found = True
    for shape in shapes:
        found = found & xp.greater(shape, 0)
    return found


@dataclass(frozen=True)
class Distribution:
    """A distribution with `shapes`: its formulas, where they hold, and for which shapes.

    `log_density` is the logarithm of `density`, of a discrete distribution of the probability of a number.
    `cdf` is the probability of what is not above a point, `sf` of what is above it. `ppf` is the inverse of
    `cdf`, and `isf` that of `sf`. At an end of the support that is open, where formulas have no value, the
    density is 0.
    """

    log_density: Formula
    shapes: tuple[str, ...] = ()
    density: Formula | None = None
    cdf: Formula | None = None
    sf: Formula | None = None
    log_cdf: Formula | None = None
    log_sf: Formula | None = None
    ppf: Formula | None = None
    isf: Formula | None = None
    mean: OfShapes | None = None
    var: OfShapes | None = None
    low: float | OfShapes = -inf
    high: float | OfShapes = inf
    low_is_open: bool | OfShapes = False
    high_is_open: bool | OfShapes = False
    is_discrete: bool = False
    is_symmetric: bool = False
    allows: OfShapes = above_zero

    def bottom(self, *shapes: Any) -> Any:
        """The lower end of the support."""
        return called(self.low)(*shapes) if callable(self.low) else self.low

    def top(self, *shapes: Any) -> Any:
        """The upper end of the support."""
        return called(self.high)(*shapes) if callable(self.high) else self.high

    def completed(self) -> Distribution:
        """The distribution with the formulas that follow from others."""
        d = _mirrored_about_0(self) if self.is_symmetric else self
        d = replace(d, density=d.density or _then(xp.exp, d.log_density))
        cdf, sf, log_cdf, log_sf = d.cdf, d.sf, d.log_cdf, d.log_sf
        if cdf is None:
            cdf = _then(xp.exp, log_cdf) or _then(_rest_of_log, log_sf) or _then(_rest, sf)
        if sf is None:
            sf = _then(xp.exp, log_sf) or _then(_rest_of_log, log_cdf) or _then(_rest, cdf)
        if cdf is not None and sf is not None:
            if log_cdf is None:
                by_log = d.log_sf if d.cdf is None else None
                log_cdf = _then(_log_rest_of_log, by_log) or log_of_rest(called(cdf), called(sf))
            if log_sf is None:
                by_log = d.log_cdf if d.sf is None else None
                log_sf = _then(_log_rest_of_log, by_log) or log_of_rest(called(sf), called(cdf))
        ppf = d.ppf or (d.isf and _of_rest(d.isf))
        isf = d.isf or (d.ppf and _of_rest(d.ppf))
        d = replace(d, cdf=cdf, sf=sf, log_cdf=log_cdf, log_sf=log_sf, ppf=ppf, isf=isf)
        return replace(d, ppf=ppf or _searched(d, increases=True), isf=isf or _searched(d, increases=False))


class Others(TypedDict, total=False):
    """The fields of a distribution by their names."""

    shapes: tuple[str, ...]
    log_density: Formula
    density: Formula | None
    cdf: Formula | None
    sf: Formula | None
    log_cdf: Formula | None
    log_sf: Formula | None
    ppf: Formula | None
    isf: Formula | None
    mean: OfShapes | None
    var: OfShapes | None
    low: float | OfShapes
    high: float | OfShapes
    low_is_open: bool | OfShapes
    high_is_open: bool | OfShapes
    allows: OfShapes


def _searched(d: Distribution, *, increases: bool) -> Formula | None:
    """The quantile function, of shares below or above."""
    if d.cdf is None or d.sf is None or d.log_cdf is None or d.log_sf is None:
        return None
    if d.is_discrete:
        return searched_number(*((d.cdf, d.sf) if increases else (d.sf, d.cdf)), d.bottom, d.top, increases)
    shares = (d.log_cdf, d.log_sf) if increases else (d.log_sf, d.log_cdf)
    return searched(*shares, d.log_density, d.bottom, d.top, increases)


def _then(outer: Callable[[Any], Any], inner: Formula | None) -> Formula | None:
    if inner is None:
        return None
    function = called(inner)

    def formula(*operands: Any) -> Any:
        return outer(function(*operands))

    return formula


def _rest(p: Any) -> Any:
    return 1.0 - p


def _log_of_rest(p: Any) -> Any:
    return xp.log1p(-p)


def _same_share(p: Any) -> Any:
    return p


def _rest_of_log(p: Any) -> Any:
    """1 - e^p."""
    return -xp.expm1(p)


def _log_rest_of_log(p: Any) -> Any:
    """log(1 - e^p)."""
    return log1mexp(-p)


def _of_rest(formula: Formula) -> Formula:
    function = called(formula)

    def of_rest(q: Any, *shapes: Any) -> Any:
        return function(1.0 - q, *shapes)

    return of_rest


def _at_minus(formula: Formula | None) -> Formula | None:
    if formula is None:
        return None
    function = called(formula)

    def at_minus(x: Any, *shapes: Any) -> Any:
        return function(-x, *shapes)

    return at_minus


def _minus_of(formula: Any) -> Any:
    """A formula with the other sign; of a number the other number, of nothing nothing."""
    if not callable(formula):
        return formula if formula is None else -formula
    function = called(formula)

    def minus(*operands: Any) -> Any:
        return -function(*operands)

    return minus


def _mirrored_about_0(d: Distribution) -> Distribution:
    """The formulas of one side from those of the other, of a distribution that is symmetric about 0."""
    return replace(
        d,
        cdf=d.cdf or _at_minus(d.sf),
        sf=d.sf or _at_minus(d.cdf),
        log_cdf=d.log_cdf or _at_minus(d.log_sf),
        log_sf=d.log_sf or _at_minus(d.log_cdf),
        ppf=d.ppf or _minus_of(d.isf),
        isf=d.isf or _minus_of(d.ppf),
        mean=d.mean or _zero,
    )


# Distributions of others ----------------------------------------------------------------------------


def _zero(*shapes: Any) -> float:
    return 0.0


def _same(*shapes: Any) -> tuple[Any, ...]:
    return shapes


def _no_shapes(*shapes: Any) -> tuple[Any, ...]:
    return ()


def transformed(
    base: Distribution, to: Formula, log_slope: Formula, back: Formula, *,
    base_shapes: OfShapes = _no_shapes, decreases: bool = False, **others: Unpack[Others],
) -> Distribution:  # fmt: skip
    """The distribution of `back(y)`, where y has the distribution `base` with shapes `base_shapes(*shapes)`.

    `to` is the inverse of `back`; `log_slope` is the logarithm of the size of its derivative, which is
    negative if `decreases`. Formulas among `others` take the place of those that follow.
    """
    d = base.completed()
    forth, again, inner, slope = called(to), called(back), called(base_shapes), called(log_slope)

    def at(formula: Formula | None) -> Formula | None:
        if formula is None:
            return None
        function = called(formula)

        def composed(x: Any, *shapes: Any) -> Any:
            return function(forth(x, *shapes), *inner(*shapes))

        return composed

    def of(formula: Formula | None) -> Formula | None:
        if formula is None:
            return None
        function = called(formula)

        def composed(q: Any, *shapes: Any) -> Any:
            return again(function(q, *inner(*shapes)), *shapes)

        return composed

    def log_density(x: Any, *shapes: Any) -> Any:
        return called(d.log_density)(forth(x, *shapes), *inner(*shapes)) + slope(x, *shapes)

    if decreases:
        d = replace(
            d, cdf=d.sf, sf=d.cdf, log_cdf=d.log_sf, log_sf=d.log_cdf, ppf=d.isf, isf=d.ppf
        )  # fmt: skip
    found = Others(
        log_density=log_density, cdf=at(d.cdf), sf=at(d.sf), log_cdf=at(d.log_cdf), log_sf=at(d.log_sf),
        ppf=of(d.ppf), isf=of(d.isf),
    )  # fmt: skip
    return Distribution(**cast("dict[str, Any]", found | others))


def mirrored(base: Distribution) -> Distribution:
    """The distribution of minus what has the distribution `base`."""
    return transformed(
        base, _minus, _no_slope, _minus, base_shapes=_same, decreases=True,
        shapes=base.shapes, allows=base.allows, density=_at_minus(base.density),
        low=_minus_of(base.high), high=_minus_of(base.low), low_is_open=base.high_is_open,
        high_is_open=base.low_is_open, mean=_minus_of(base.mean), var=base.var,
    )  # fmt: skip


def _minus(x: Any, *shapes: Any) -> Any:
    return -x


def _no_slope(x: Any, *shapes: Any) -> Any:
    return 0.0


def near_0(base: Distribution, below: Formula) -> Distribution:
    """The distribution `base` of positive numbers, with `below` for the share below small ones.

    Small ones are below 1, and so are their shares below 1/2. A formula in powers of a number has derivatives
    where the share itself, and its logarithm's exponential, vanish: x^3.1 has at 1e-100.
    """
    d = base.completed()
    assert d.cdf and d.sf and d.log_sf
    share_below, cdf, sf, log_sf = map(called, (below, d.cdf, d.sf, d.log_sf))

    def by_share(of_share: Callable[[Any], Any], usual: Function) -> Function:
        def function(x: Any, *shapes: Any) -> Any:
            is_near = xp.less(x, 1)
            share = share_below(xp.where(is_near, x, 1.0), *shapes)
            return xp.where(is_near & xp.less(share, 0.5), of_share(share), usual(x, *shapes))

        return function

    return replace(
        d, cdf=by_share(_same_share, cdf), sf=by_share(_rest, sf), log_sf=by_share(_log_of_rest, log_sf)
    )


def both_sides(base: Distribution, **others: Unpack[Others]) -> Distribution:
    """The distribution of numbers of either sign, with probability 1/2 each, with sizes of that of `base`."""
    d = base.completed()
    assert d.density and d.sf and d.log_sf and d.isf
    log_density, density, sf, log_sf, isf = map(called, (d.log_density, d.density, d.sf, d.log_sf, d.isf))

    def half_log_density(x: Any, *shapes: Any) -> Any:
        return log_density(xp.abs(x), *shapes) - log(2)

    def half_density(x: Any, *shapes: Any) -> Any:
        return 0.5 * density(xp.abs(x), *shapes)

    def beyond_size(x: Any, share: Any, *shapes: Any) -> tuple[Any, Any]:
        """A flag for negative x, and a function of the size of x, which has a slope at 0."""
        is_below = xp.less(x, 0)
        return is_below, share(xp.where(is_below, -x, x), *shapes)

    def cdf(x: Any, *shapes: Any) -> Any:
        is_below, beyond = beyond_size(x, sf, *shapes)
        return xp.where(is_below, 0.5 * beyond, 1.0 - 0.5 * beyond)

    def log_cdf(x: Any, *shapes: Any) -> Any:
        is_below, log_beyond = beyond_size(x, log_sf, *shapes)
        return xp.where(is_below, log_beyond - log(2), xp.log1p(-0.5 * xp.exp(log_beyond)))

    def ppf(q: Any, *shapes: Any) -> Any:
        is_below = xp.less(q, 0.5)
        below = -isf(2.0 * xp.where(is_below, q, 0.5), *shapes)
        return xp.where(is_below, below, isf(2.0 * (1.0 - xp.where(is_below, 0.5, q)), *shapes))

    found = Others(
        shapes=base.shapes, allows=base.allows, cdf=cdf, log_cdf=log_cdf, ppf=ppf,
        log_density=half_log_density, density=half_density,
    )  # fmt: skip
    return Distribution(is_symmetric=True, **cast("dict[str, Any]", found | others))
