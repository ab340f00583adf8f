"""Roots of functions of a number between two points where they differ in sign, by the methods of SciPy.

    brent(f, 0.0, 2.0, Tolerances(2e-12, 9e-16, 100))      where f is 0, and how it was found

The steps are those of `scipy.optimize`, so of several roots they find the same one.

(Brent, *Algorithms for minimization without derivatives*, 1973, chapter 4; Bus and Dekker, *Two efficient
algorithms with guaranteed convergence*, 1975, for hyperbolas; Ridders, *A new algorithm for computing a
single root of a real continuous function*, 1979.)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from mlirad.frontend.constructs.loops import while_loop
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.lazy_dataclass import dataclass

Function = Callable[[Any], Any]
"""A function of a number."""


@dataclass(frozen=True)
class Tolerances:
    """The tolerances of a root, absolute and relative to its size, and the most steps."""

    xtol: float
    rtol: float
    maxiter: int

    def at(self, x: Any) -> Any:
        """The tolerated error near x."""
        return self.xtol + self.rtol * xp.abs(x)


class Bracketed(NamedTuple):
    """The end of a search."""

    x: Any
    converged: Any
    steps: Any
    calls: Any
    """The number of calls of the function."""
    f_first: Any
    f_second: Any
    """The values at the two points that were given."""


class _Brent(NamedTuple):
    """The last point, the one before, and one on the other side of the root, with their values, and the last
    two steps."""

    x: Any
    fx: Any
    before: Any
    f_before: Any
    other: Any
    f_other: Any
    step: Any
    step_before: Any
    steps: Any
    done: Any


def differ(p: Any, q: Any) -> Any:
    """Tell whether two values differ in sign; -0.0 is negative."""
    return xp.not_equal(xp.signbit(p), xp.signbit(q))


def _chosen(flag: Any, then: tuple[Any, ...], otherwise: tuple[Any, ...]) -> list[Any]:
    return [xp.where(flag, p, q) for p, q in zip(then, otherwise, strict=True)]


def _interpolated(s: _Brent, by_before: Any, by_other: Any) -> Any:
    """The step of a parabola in y through three points, from the slopes towards the two others."""
    below = by_other * by_before * (s.f_other - s.f_before)
    return -s.fx * (s.f_other * by_other - s.f_before * by_before) / below


def _extrapolated(s: _Brent, by_before: Any, by_other: Any) -> Any:
    """The step of a hyperbola through three points, from the slopes towards the two others."""
    return -s.fx * (s.f_other - s.f_before) / (s.f_other * by_before - s.f_before * by_other)


Curve = Callable[[_Brent, Any, Any], Any]
"""The step of a curve through three points."""


def _tried(curve: Curve, s: _Brent) -> Any:
    """The step of a curve through three points, or of a line through two."""
    line = -s.fx * (s.x - s.before) / (s.fx - s.f_before)
    by_before = (s.f_before - s.fx) / (s.before - s.x)
    by_other = (s.f_other - s.fx) / (s.other - s.x)
    return xp.where(xp.equal(s.before, s.other), line, curve(s, by_before, by_other))


def _until_done(iteration: Callable[[Any], Any], start: Any, limits: Tolerances) -> Any:
    """The state after steps until one says that it is the last, or there are too many."""
    return while_loop(lambda s: ~s.done & (s.steps < limits.maxiter), iteration, start)


def _at_ends(a: Any, fa: Any, b: Any, fb: Any) -> tuple[Any, Any]:
    """The end where the function is 0, else b, and a flag that is set where there is nothing to search."""
    return xp.where(fa == 0, a, b), (fa == 0) | (fb == 0) | xp.isnan(fa * fb)


def _brent(curve: Curve, f: Function, a: Any, b: Any, limits: Tolerances) -> Bracketed:
    """The method of Brent, with steps by a curve."""
    fa, fb = f(a), f(b)

    def arranged(s: _Brent) -> _Brent:
        """The other point on the other side, and the last one the better of these."""
        turned = differ(s.f_before, s.fx) & (s.f_before != 0) & (s.fx != 0)
        other, f_other, step, step_before = _chosen(
            turned, (s.before, s.f_before, s.x - s.before, s.x - s.before),
            (s.other, s.f_other, s.step, s.step_before),
        )  # fmt: skip
        x, fx, before, f_before, other, f_other = _chosen(
            xp.abs(f_other) < xp.abs(s.fx), (other, f_other, s.x, s.fx, s.x, s.fx),
            (s.x, s.fx, s.before, s.f_before, other, f_other),
        )  # fmt: skip
        done = (fx == 0) | (xp.abs(other - x) / 2 < limits.at(x) / 2) | xp.isnan(fx)
        return _Brent(x, fx, before, f_before, other, f_other, step, step_before, s.steps, done)

    def iteration(s: _Brent) -> _Brent:
        delta, half = limits.at(s.x) / 2, (s.other - s.x) / 2
        try_ = _tried(curve, s)
        fits = 2 * xp.abs(try_) < xp.minimum(xp.abs(s.step_before), 3 * xp.abs(half) - delta)
        fits = fits & (xp.abs(s.step_before) > delta) & (xp.abs(s.fx) < xp.abs(s.f_before))
        step, step_before = _chosen(fits, (try_, s.step), (half, half))
        least = xp.where(half > 0, delta, -delta)
        x = s.x + xp.where(xp.abs(step) > delta, step, least)
        return arranged(
            _Brent(x, f(x), s.x, s.fx, s.other, s.f_other, step, step_before, s.steps + 1, s.done)
        )

    zero = xp.zeros_like(a)
    start = arranged(_Brent(b, fb, a, fa, zero, zero, zero, zero, as_array(0), as_array(False)))
    is_first = fa == 0
    start = start._replace(x=xp.where(is_first, a, start.x), done=start.done | is_first)
    last = _until_done(iteration, start, limits)
    # The step that finds that the last point is close enough counts.
    steps = last.steps + xp.where(last.done & ~is_first & (fb != 0), 1, 0)
    return Bracketed(last.x, last.done & ~xp.isnan(last.fx), steps, last.steps + 2, fa, fb)


class _Ridder(NamedTuple):
    """Two points around the root with their values, the last one tried, and how close the next has to
    come."""

    a: Any
    fa: Any
    b: Any
    fb: Any
    x: Any
    tolerance: Any
    steps: Any
    done: Any


def ridder(f: Function, a: Any, b: Any, limits: Tolerances) -> Bracketed:
    """The method of Ridders: a line through values that an exponential has made lie on one."""
    fa, fb = f(a), f(b)

    def iteration(s: _Ridder) -> _Ridder:
        half = 0.5 * (s.b - s.a)
        middle = s.a + half
        fm = f(middle)
        root = xp.sqrt(fm * fm - s.fa * s.fb)
        step = xp.sign(s.fb - s.fa) * half * fm / xp.where(root == 0, 1.0, root)
        x = middle - xp.sign(step) * xp.minimum(xp.abs(step), xp.abs(half) - 0.5 * s.tolerance)
        fx = f(x)
        beyond, inside = differ(fx, fm), differ(fx, s.fa)
        new_a, new_fa, new_b, new_fb = _chosen(
            beyond, (x, fx, middle, fm),
            tuple(_chosen(inside, (s.a, s.fa, x, fx), (x, fx, s.b, s.fb))),
        )  # fmt: skip
        tolerance = limits.xtol + limits.rtol * x
        done = (fx == 0) | (xp.abs(new_b - new_a) < tolerance) | xp.isnan(fx)
        return _Ridder(new_a, new_fa, new_b, new_fb, x, tolerance, s.steps + 1, done)

    first, done = _at_ends(a, fa, b, fb)
    closest = limits.xtol + limits.rtol * xp.minimum(xp.abs(a), xp.abs(b))
    start = _Ridder(a, fa, b, fb, first, closest, as_array(0), done)
    last = _until_done(iteration, start, limits)
    return Bracketed(last.x, last.done, last.steps, 2 * last.steps + 2, fa, fb)


class _Halving(NamedTuple):
    """The end that keeps its sign, how far the other one is, and the last point tried."""

    a: Any
    width: Any
    x: Any
    steps: Any
    done: Any


def bisect(f: Function, a: Any, b: Any, limits: Tolerances) -> Bracketed:
    """Halving."""
    fa, fb = f(a), f(b)

    def iteration(s: _Halving) -> _Halving:
        width = 0.5 * s.width
        x = s.a + width
        fx = f(x)
        done = (fx == 0) | (xp.abs(width) < limits.at(x)) | xp.isnan(fx)
        return _Halving(xp.where(differ(fx, fa), s.a, x), width, x, s.steps + 1, done)

    first, done = _at_ends(a, fa, b, fb)
    last = _until_done(iteration, _Halving(a, b - a, first, as_array(0), done), limits)
    return Bracketed(xp.where(last.done, last.x, last.a), last.done, last.steps, last.steps + 2, fa, fb)


METHODS: dict[str, Callable[[Function, Any, Any, Tolerances], Bracketed]] = {
    "brentq": partial(_brent, _interpolated),
    "brenth": partial(_brent, _extrapolated),
    "toms748": partial(_brent, _interpolated),
    "ridder": ridder,
    "bisect": bisect,
}
"""The methods by SciPy's names. That of `toms748` is `brentq`, which finds a root just as well."""
