"""The loops of `odeint`: from each requested time to the next, by steps as long as their errors allow.

    steps = Steps(f, times, method)          f is dy/dt of a flat state at a time
    state = steps.step(steps.start(y0))      its progress: y, slope, time, length of the next step, ...

A step may reach beyond the requested time; between its ends there is a polynomial. The length of a step has
no derivative. A state that begins with NaN, such as that of an event that never happened, is NaN at later
times.

The length of a step has no derivative. The derivative of the steps taken, at fixed lengths, is that of the
solution up to its error. How lengths move with the parameters belongs to error control, not to the solution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from mlirad.frontend.constructs.build import stop_gradient
from mlirad.frontend.constructs.loops import scan, while_loop
from mlirad.frontend.solvers import dormand_prince, rosenbrock
from mlirad.frontend.solvers.convergence import finite, report_failures
from mlirad.frontend.solvers.dormand_prince import error_ratio, factor, first_step
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.lazy_dataclass import dataclass

GOES_ON, STIFF, TOO_MANY, UNSORTED, UNKNOWN = 0, 1, 2, 3, 4
"""The status of a solution; it is unknown if it begins with NaN."""

Flow = Callable[[Any, Any], Any]
"""dy/dt of a flat state at a time."""


class Scheme(NamedTuple):
    """A method of one step, of order 5 with an estimate of order 4."""

    step: Callable[..., tuple[Any, Any, Any, tuple[Any, ...]]]
    between: Callable[[tuple[Any, ...], Any], Any]
    coefficients: int
    """The number of vectors in the polynomial of a step."""
    is_implicit: bool
    """A flag for methods whose steps solve equations."""


SCHEMES: Final[Mapping[str, Scheme]] = {
    "dopri5": Scheme(dormand_prince.step, dormand_prince.between, 5, is_implicit=False),
    "rodas5p": Scheme(rosenbrock.step, rosenbrock.between, 5, is_implicit=True),
}
"""The methods: an explicit one, and one for stiff equations."""


@dataclass(frozen=True)
class Method:
    """The method and the tolerances by which a problem is solved."""

    rtol: float | tuple[float, ...]
    atol: float | tuple[float, ...]
    """For all elements of a state, or for each."""
    max_steps: int
    adjoint: str
    scheme: str
    longest: float = float("inf")
    """The length that no step exceeds."""
    first: float | None = None
    """The length of the first step, where it is given."""
    caller: str = "odeint"
    """The function that errors name."""
    remedy: str = 'take method="rodas5p" for a stiff equation'
    """The advice where an explicit method takes too many steps."""

    def for_others(self) -> Method:
        """The method for equations of other states, such as those of derivatives."""
        return replace(self, rtol=float(np.min(self.rtol)), atol=float(np.min(self.atol)), first=None)

    @property
    def is_implicit(self) -> bool:
        """Tell whether steps solve equations."""
        return SCHEMES[self.scheme].is_implicit


def report_stops(state: Any, reached: Any, method: Method, what: str, advice: str) -> None:
    """Let the call raise where steps do not reach the last time."""
    report_failures(
        state == STIFF,
        f"{what}: at t = {{}} steps become as small as rounding, where the solution is singular; end before "
        f"it, or raise rtol and atol",
        reached,
    )
    report_failures(
        state == TOO_MANY,
        f"{what}: {method.max_steps} steps lead to t = {{}} only; raise max_steps, or {advice}",
        reached,
    )


class Progress(NamedTuple):
    """The state of the loop: a solution, its slope and time at the end of the last accepted step."""

    y: Any
    slope: Any
    t: Any
    h: Any
    """The length of the next step."""
    last: tuple[Any, ...]
    """The polynomial of the last step, where that began and its length."""
    count: Any
    status: Any


class Steps:
    """The steps of a method from the first of some times towards the last; `given` is what f reads besides.

    Where all times are equal there is one step too, which may fail, as derivatives with respect to times are
    those of its polynomial.
    """

    def __init__(self, f: Flow, times: Any, method: Method, given: Sequence[Any] = ()):
        dtype = times.dtype
        self.f, self.times, self.method, self.given = f, times, method, given
        self.scheme = SCHEMES[method.scheme]
        self.number = dtype.type
        self.sign = xp.where(stop_gradient(times[-1] < times[0]), dtype.type(-1), dtype.type(1))
        self.eps = dtype.type(8 * np.finfo(dtype).eps)
        self.are_equal = stop_gradient(times[-1] == times[0])

    def start(self, y0: Any) -> Progress:
        """At the first time, before any step."""
        f, times, sign = self.f, self.times, self.sign
        turns = xp.diff(times)
        is_sorted = (xp.all(turns >= 0) | xp.all(turns <= 0)) & finite(times)
        slope = f(y0, times[0])
        rtol, atol = self.method.rtol, self.method.atol

        def onward(y: Any, t: Any) -> Any:
            return sign * f(y, sign * t)

        if self.method.first is None:
            h = first_step(onward, y0, sign * slope, sign * times[0], rtol, atol)
        else:
            h = as_array(self.number(self.method.first))
        nothing = xp.zeros_like(y0)
        last = (y0, slope, *(nothing for _ in range(self.scheme.coefficients - 2)), times[0], self.number(1))
        status = xp.where(self._is_unknown(y0, slope), UNKNOWN, xp.where(is_sorted, GOES_ON, UNSORTED))
        return Progress(y0, slope, times[0], h, last, as_array(0), status)

    def _is_unknown(self, y0: Any, slope: Any) -> Any:
        """Tell whether NaN is in the state or the times, or makes the slope NaN from what f reads."""
        from_given = as_array(False)
        for array in self.given:
            if array.dtype.kind == "f":
                from_given = from_given | _has_nan(array)
        return _has_nan(y0) | _has_nan(self.times) | (from_given & _has_nan(slope))

    def step(self, progress: Progress) -> Progress:
        """After one more step, accepted or not."""
        y, slope, t, h, last, count, _ = progress
        sign, number, method = self.sign, self.number, self.method
        rest = xp.where(self.are_equal, h, sign * stop_gradient(self.times[-1] - t))
        length = xp.minimum(h, rest)
        if np.isfinite(method.longest):
            length = xp.minimum(length, number(method.longest))
        new, slope_there, error, polynomial = self.scheme.step(self.f, y, slope, t, sign * length)
        ratio = error_ratio(error, y, new, method.rtol, method.atol)
        ratio = xp.where(xp.all(xp.isfinite(slope_there)), ratio, number(np.inf))
        accepted = ratio <= 1
        chosen = partial(xp.where, accepted)
        now = (*polynomial, t, sign * length)
        grown = xp.where(accepted & (length < h), h, length * factor(ratio))
        small = ~accepted & (grown <= self.eps * xp.maximum(xp.abs(stop_gradient(t)), number(1e-30)))
        many = count >= method.max_steps
        status = xp.where(small, STIFF, xp.where(many, TOO_MANY, GOES_ON))
        return Progress(
            chosen(new, y), chosen(slope_there, slope), chosen(t + sign * length, t), grown,
            tuple(chosen(a, b) for a, b in zip(now, last, strict=True)), count + 1, status,
        )  # fmt: skip

    def goes_on(self, progress: Progress, target: Any) -> Any:
        """Tell whether the time `target` is still ahead."""
        before = self.sign * (target - progress.t) > self.eps * xp.maximum(xp.abs(target), xp.abs(progress.t))
        return (before | (progress.t == self.times[0])) & (progress.status == GOES_ON)

    def at(self, progress: Progress, target: Any) -> Any:
        """The state at a time within the last step."""
        *polynomial, begun, length = progress.last
        return self.scheme.between(tuple(polynomial), (target - begun) / length)


def _has_nan(x: Any) -> Any:
    return xp.any(xp.isnan(stop_gradient(x)))


def known(x: Any, condition: Any) -> Any:
    """x where the condition holds, else NaN with derivatives that are NaN as well."""
    return x * xp.where(condition, x.dtype.type(1), x.dtype.type(np.nan))


def integrate(
    f: Flow, y0: Any, times: Any, method: Method, given: Sequence[Any] = ()
) -> tuple[Any, Any, Any]:
    """States at all times [n, size], how the solution stands, and the time that was reached."""
    steps = Steps(f, times, method, given)

    def to_time(progress: Progress, target: Any) -> tuple[Progress, Any]:
        progress = while_loop(lambda progress: steps.goes_on(progress, target), steps.step, progress)
        return progress, steps.at(progress, target)

    progress, rest = scan(to_time, steps.start(y0), times[1:])
    status = xp.where(steps.are_equal & (progress.status != UNSORTED), GOES_ON, progress.status)
    return xp.concatenate([y0[None], known(rest, progress.status != UNKNOWN)]), status, progress.t
