"""The coils and capacitors of a low-pass filter, found by derivatives of its complex transfer function.

    python examples/filter_design.py --plot filter.svg

A ladder of coils and capacitors between resistors is a product of complex matrices, one for each
component. SciPy's least squares fit its response to the one of Butterworth, whose components stand in
tables. Another Jacobian says what tolerances of the components cost: nothing of first order where the
filter lets pass all power, which is Orchard's theorem on ladders between resistors.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import signal
from scipy.optimize import least_squares

import mlirad as ad

ORDER = 5
TABULATED = 2 * np.sin((2 * np.arange(1, ORDER + 1) - 1) * np.pi / (2 * ORDER))


class Found(NamedTuple):
    """Components; frequencies, the response there in dB, its change by a relative change of a component."""

    components: Any
    frequencies: Any
    response: Any
    sensitivity: Any


def main() -> Found:
    """Fit the components."""
    frequencies = np.geomspace(0.1, 10.0, 60)
    butterworth = signal.butter(ORDER, 1.0, analog=True)
    wanted = signal.freqs(*butterworth, frequencies)[1]
    problem = ad.scipy.objective(deviations, np.zeros((ORDER + 1) // 2), frequencies, wanted)
    fit = least_squares(problem.fun, problem.x0, jac=problem.jac, xtol=1e-14, ftol=1e-14, gtol=1e-14)
    logarithms = whole(fit.x)
    components = np.exp(logarithms)
    for k, (found, known) in enumerate(zip(components, TABULATED, strict=True)):
        print(f"{'coil' if k % 2 else 'capacitor':<9} {found:.9f}, tabulated {known:.9f}")
    np.testing.assert_allclose(components, TABULATED, rtol=1e-6)

    curve, sensitivity = ad.jit(decibels), ad.jacobian(decibels)(logarithms, frequencies)
    nudge = 1e-5 * np.eye(ORDER)
    moved = [curve(logarithms + d, frequencies) - curve(logarithms - d, frequencies) for d in nudge]
    np.testing.assert_allclose(sensitivity, np.stack(moved, axis=1) / 2e-5, atol=1e-6)
    assert np.max(np.abs(sensitivity[0])) < 1e-4 < 1.0 < np.max(np.abs(sensitivity))
    return Found(components, frequencies, curve(logarithms, frequencies), sensitivity)


def transfer(components: Any, frequency: Any) -> Any:
    """The complex voltage at the load over that without the filter, at an angular frequency.

    Source and load have 1 ohm; capacitors of 1st, 3rd, ... component go to ground, coils lie between.
    """
    chain = np.eye(2, dtype=complex)
    for k, value in enumerate(components):
        reactance = 1j * frequency * value
        series = k % 2 == 1
        chain = chain @ (np.array([[1, 0], [0, 1]]) + reactance * np.array([[0, series], [not series, 0]]))
    return 2 / np.sum(chain)


def responses(logarithms: Any, frequencies: Any) -> Any:
    """The complex response at each frequency, from logarithms of components."""
    components = np.exp(logarithms)
    return ad.vmap(lambda frequency: transfer(components, frequency))(frequencies)


def decibels(logarithms: Any, frequencies: Any) -> Any:
    """The magnitude of the response."""
    return 20 * np.log10(np.abs(responses(logarithms, frequencies)))


def whole(half: Any) -> Any:
    """All components of a ladder that is the same from both ends, from those up to the middle."""
    return np.concatenate([half, half[-2::-1]])


def deviations(half: Any, frequencies: Any, wanted: Any) -> Any:
    """Return how far the loss is from what is wanted, relative to it: real parts, then imaginary parts."""
    difference = wanted / responses(whole(half), frequencies) - 1
    return np.concatenate([difference.real, difference.imag])


def draw(figure: Any, found: Found) -> None:
    """The response, and what a percent of each component changes of it."""
    left, right = figure.subplots(1, 2)
    ideal = -10 * np.log10(1 + found.frequencies ** (2 * ORDER))
    left.semilogx(found.frequencies, ideal, color="C4", linewidth=4, alpha=0.5, label="Butterworth")
    left.semilogx(found.frequencies, found.response, label="the ladder")
    left.set(xlabel="frequency / cutoff", ylabel="response [dB]", title="magnitude")
    left.legend()
    for k in range((ORDER + 1) // 2):
        kind = "coil" if k % 2 else "capacitor"
        name = f"{kind} {k + 1}" if 2 * k + 1 == ORDER else f"{kind} {k + 1} or {ORDER - k}"
        right.semilogx(found.frequencies, 0.01 * found.sensitivity[:, k], label=name)
    right.set(xlabel="frequency / cutoff", ylabel="change [dB]", title="what one percent changes")
    right.legend()


if __name__ == "__main__":
    from plots import run

    run(main, draw)
