"""Recursive filters of `scipy.signal` on traced arrays: `lfilter`, `sosfilt` and `filtfilt`.

    a[0] y[n] = sum_k b[k] x[n - k] - sum_k a[k] y[n - k]

The sum over x is a correlation; what y feeds back is a loop along the signal. From a state that is given, the
loop has the state of SciPy's, in the transposed second form.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from mlirad.frontend.constructs.loops import scan
from mlirad.frontend.numpy_functions.calls.parameters import ArrayLike, Axis, Int
from mlirad.frontend.numpy_functions.signals.windows import windows
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.operations import common, inexact, xp
from mlirad.frontend.tracing.raising import argument_error, shape_error
from mlirad.frontend.tracing.shapes import one_axis


def _coefficients(b: Array, a: Array, name: str) -> tuple[Array, Array]:
    """Both, divided by the first of the feedback."""
    forward, backward = xp.atleast_1d(b), xp.atleast_1d(a)
    if forward.ndim != 1 or backward.ndim != 1 or not forward.size or not backward.size:
        raise shape_error(
            f"{name}: coefficients of shapes {forward.shape} and {backward.shape}",
            "both are vectors with elements",
        )
    return forward / backward[0], backward / backward[0]


def lfilter(b: ArrayLike, a: ArrayLike, x: ArrayLike, axis: Axis = -1, zi: ArrayLike | None = None) -> Any:
    """`scipy.signal.lfilter`, from rest or from a state."""
    given = [b, a, x] if zi is None else [b, a, x, zi]
    forward, backward, signal, *state = (inexact(v) for v in common(given))
    forward, backward = _coefficients(forward, backward, "lfilter")
    if not signal.ndim:
        raise shape_error("lfilter of a number", "the signal has an axis")
    at = one_axis(axis, signal.ndim)
    leading = xp.moveaxis(signal, at, 0)
    if state:
        y, last = _from_state(forward, backward, leading, state[0], at)
        return xp.moveaxis(y, 0, at), xp.moveaxis(last, 0, at)
    return xp.moveaxis(_from_rest(forward, backward, leading), 0, at)


def _from_rest(forward: Array, backward: Array, leading: Array) -> Array:
    reach = forward.size - 1
    padded = xp.pad(leading, [(reach, 0)] + [(0, 0)] * (leading.ndim - 1))
    seen = windows(padded, (leading.shape[0],), (forward.size,), [1], [1])
    driven = xp.tensordot(xp.flip(forward), seen, ([0], [1]))
    if backward.size == 1:
        return driven
    tail = backward[1:]

    def step(last: Any, drive: Any) -> Any:
        now = drive - xp.tensordot(tail, last, ([0], [0]))
        return xp.concatenate([now[None], last[:-1]]), now

    rest = xp.zeros((backward.size - 1, *leading.shape[1:]), driven.dtype)
    return scan(step, rest, driven)[1]


def _from_state(forward: Array, backward: Array, leading: Array, zi: Array, at: int) -> tuple[Any, Any]:
    """The filtered signal and the last state, along the first axis."""
    count = max(forward.size, backward.size)
    shape = (count - 1, *leading.shape[1:])
    if zi.ndim != leading.ndim or any(
        n not in (1, m) for n, m in zip(xp.moveaxis(zi, at, 0).shape, shape, strict=True)
    ) or zi.shape[at] != count - 1:  # fmt: skip
        wanted = list(shape[1:])
        wanted.insert(at, count - 1)
        raise shape_error(
            f"lfilter: zi has shape {zi.shape}, and {tuple(wanted)} is needed",
            "it has one number fewer than coefficients, for each signal",
        )
    start = xp.broadcast_to(xp.moveaxis(zi, at, 0), shape)
    if count == 1:
        return forward[0] * leading, start
    forward, backward = (xp.pad(c, (0, count - c.size)) for c in (forward, backward))
    column = (-1,) + (1,) * (leading.ndim - 1)
    ahead, back = xp.reshape(forward[1:], column), xp.reshape(backward[1:], column)

    def step(state: Any, now: Any) -> Any:
        y = forward[0] * now + state[0]
        shifted = xp.concatenate([state[1:], xp.zeros_like(state[:1])])
        return shifted + ahead * now - back * y, y

    last, y = scan(step, start, leading)
    return y, last


def sosfilt(sos: ArrayLike, x: ArrayLike, axis: Axis = -1, zi: ArrayLike | None = None) -> Any:
    """`scipy.signal.sosfilt`: one section after the other."""
    if sos.ndim != 2 or sos.shape[1] != 6:
        raise shape_error(f"sosfilt: sections of shape {sos.shape}", "each of its rows has six coefficients")
    if zi is not None and (zi.ndim != x.ndim + 1 or zi.shape[0] != sos.shape[0]):
        raise shape_error(
            f"sosfilt: zi has shape {zi.shape} for {sos.shape[0]} sections and a signal of shape {x.shape}",
            "it has a state for each section",
        )
    last: list[Any] = []
    for k in range(sos.shape[0]):
        found = lfilter(sos[k, :3], sos[k, 3:], x, axis, None if zi is None else zi[k])
        x = found if zi is None else found[0]
        last += [] if zi is None else [found[1]]
    return x if zi is None else (x, xp.stack(last))


def steady_state(b: Array, a: Array) -> Array:
    """The state of a filter to which a signal of ones has been given for ever."""
    count = max(b.size, a.size)
    forward, backward = (xp.pad(c, (0, count - c.size)) for c in (b, a))
    fed_back = xp.concatenate([backward[1:, None], np.zeros((count - 1, max(count - 2, 0)))], axis=1)
    matrix = np.eye(count - 1) - np.eye(count - 1, k=1) + fed_back
    return xp.linalg.solve(matrix.astype(backward.dtype), forward[1:] - backward[1:] * forward[0])


Padding = Literal["odd", "even", "constant", None]


def filtfilt(
    b: ArrayLike, a: ArrayLike, x: ArrayLike, axis: Axis = -1, padtype: Padding = "odd",
    padlen: Int | None = None, method: Literal["pad"] = "pad",
) -> Any:  # fmt: skip
    """`scipy.signal.filtfilt`: forward, and back."""
    forward, backward, signal = (inexact(v) for v in common([b, a, x]))
    forward, backward = _coefficients(forward, backward, "filtfilt")
    at = one_axis(axis, signal.ndim)
    leading = xp.moveaxis(signal, at, 0)
    count = max(forward.size, backward.size)
    if count == 1:
        raise shape_error("filtfilt with one coefficient on each side", "multiply the signal by its square")
    edge = 0 if padtype is None else 3 * count if padlen is None else padlen
    if not 0 <= edge < max(leading.shape[0], 1):
        raise argument_error(
            f"filtfilt: {edge} values are added to each end of {leading.shape[0]}",
            "pass padlen=n with a smaller n",
        )
    known = leading
    if edge:
        front, end = leading[edge:0:-1], leading[-2 : -(edge + 2) : -1]
        if padtype == "odd":
            front, end = 2 * leading[:1] - front, 2 * leading[-1:] - end
        elif padtype == "constant":
            front, end = (xp.broadcast_to(v, front.shape) for v in (leading[:1], leading[-1:]))
        known = xp.concatenate([front, leading, end])
    column = (-1,) + (1,) * (leading.ndim - 1)
    state = xp.reshape(steady_state(forward, backward), column)
    for _ in range(2):
        known = xp.flip(_from_state(forward, backward, known, state * known[:1], 0)[0], 0)
    return xp.moveaxis(known[edge : known.shape[0] - edge], 0, at)


FUNCTIONS: dict[str, Callable[..., Any]] = {"lfilter": lfilter, "sosfilt": sosfilt, "filtfilt": filtfilt}
"""The functions that trace those of `scipy.signal`, by their names there."""
