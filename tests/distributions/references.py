"""The expected results of methods of distributions, and their derivatives, by mpmath at as many digits as it
takes.

value(EXACT["norm"], "logsf", 38.0, ())            -726.2...
derivative(EXACT["norm"], "logsf", 38.0, (), 0, 1)
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from functools import partial
from typing import Any

from mpmath import mp, mpf
from scipy import stats

from tests.distributions.exact import Exact

DIGITS = (40, 80, 160, 320, 640, 1000)

METHODS: dict[str, Callable[..., Any]] = {
    "pdf": lambda d, x, *s: d.density(x, *s),
    "logpdf": lambda d, x, *s: mp.log(d.density(x, *s)),
    "cdf": lambda d, x, *s: d.cdf(x, *s),
    "sf": lambda d, x, *s: 1 - d.cdf(x, *s),
    "logcdf": lambda d, x, *s: mp.log(d.cdf(x, *s)),
    "logsf": lambda d, x, *s: mp.log(1 - d.cdf(x, *s)),
}
"""Methods of a point by their names."""


def methods_of(d: Exact) -> list[str]:
    """The methods that there are references for."""
    return [m for m in METHODS if d.cdf is not None or m.endswith("pdf")]


def called(name: str, method: str, *operands: Any) -> Any:
    """The result of a method of a distribution of SciPy, a mass instead of a density of discrete ones."""
    owner = getattr(stats, name)
    own = method.replace("pdf", "pmf") if isinstance(owner, stats.rv_discrete) else method
    return getattr(owner, own)(*operands)


def stable(compute: Callable[[], Any]) -> Any:
    """A number, at rising precision until two agree; `None` where none do."""
    last = None
    for digits in DIGITS:
        with mp.workdps(digits):
            try:
                now = compute()
            except (ZeroDivisionError, ValueError, OverflowError, mp.NoConvergence):
                now = None
            if now is not None and (isinstance(now, mp.mpc) or not mp.isfinite(now)):
                now = None
            # what cancels to 0 may do so at two precisions
            if now and last and abs(now - last) <= abs(now) * mpf(10) ** -17:
                return now
            last = now
    return last if last == 0 else None


def value(d: Exact, method: str, x: float, shapes: tuple[float, ...]) -> Any:
    """A method at a point."""
    return stable(lambda: METHODS[method](d, mpf(x), *(mpf(s) for s in shapes)))


def derivative(d: Exact, method: str, x: float, shapes: tuple[float, ...], k: int, order: int) -> Any:
    """The derivative of a method in the point (k = 0), or in a shape."""
    return stable(partial(_difference, d, method, x, shapes, k, order))


def _difference(d: Exact, method: str, x: float, shapes: tuple[float, ...], k: int, order: int) -> Any:
    point = [mpf(v) for v in (x, *shapes)]
    h = mpf(10) ** -(mp.dps // 4) * (abs(point[k]) or 1)

    def at(sign: int) -> Any:
        moved = [v + sign * h if j == k else v for j, v in enumerate(point)]
        return METHODS[method](d, *moved)

    with mp.workdps(3 * mp.dps):
        up, down = at(1), at(-1)
        return (up - down) / (2 * h) if order == 1 else (up - 2 * at(0) + down) / h**2


def mixed_derivative(d: Exact, method: str, x: float, shapes: tuple[float, ...], k: int) -> Any:
    """The derivative of a method in the point and in a shape."""
    return stable(partial(_mixed_difference, d, method, x, shapes, k))


def _mixed_difference(d: Exact, method: str, x: float, shapes: tuple[float, ...], k: int) -> Any:
    point = [mpf(v) for v in (x, *shapes)]
    steps = [mpf(10) ** -(mp.dps // 4) * (abs(v) or 1) for v in point]

    def at(by_point: int, by_shape: int) -> Any:
        moved = [
            v + h * (by_point * (j == 0) + by_shape * (j == k))
            for j, (v, h) in enumerate(zip(point, steps, strict=True))
        ]
        return METHODS[method](d, *moved)

    with mp.workdps(3 * mp.dps):
        return (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4 * steps[0] * steps[k])


class _Late(Exception):
    pass


def _late(*_: Any) -> None:
    raise _Late


def in_time(compute: Callable[[], Any], seconds: float = 0.3) -> Any:
    """The computed value, or `None` if it takes longer on the processor, or cannot be computed."""
    before = signal.signal(signal.SIGVTALRM, _late)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        return compute()
    except (_Late, ValueError, OverflowError, ZeroDivisionError, RecursionError, MemoryError, TypeError):
        return None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
