"""Functions that C code of SciPy calls, which prints their errors: one error, and nothing printed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import optimize

import mlirad as ad

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from scipy import odr

POINTS = np.arange(1.0, 5.0)
START = np.ones(2)


def residuals(u: Any, a: Any) -> Any:
    """Two equations, which a traced number is part of."""
    return np.array([u[0] ** 2 - a, u[1] * u[0] - 1.0])


def slopes(u: Any, a: Any) -> Any:
    """Their derivatives; one of them is traced."""
    return np.array([[2 * u[0], 0.0 * a], [u[1], u[0]]])


def plain(u: Any) -> Any:
    """The equations of a known number."""
    return residuals(u, 2.0)


CALLS: dict[str, Callable[[Any], Any]] = {
    "root": lambda a: optimize.root(lambda u: residuals(u, a), START).x,
    "root of lists": lambda a: optimize.root(lambda u: [u[0] - a, u[1] - 1.0], START).x,
    "root of arguments": lambda a: optimize.root(residuals, START, args=(a,)).x,
    "root with slopes": lambda a: optimize.root(plain, START, jac=lambda u: slopes(u, a)).x,
    "root by lm": lambda a: optimize.root(lambda u: residuals(u, a), START, method="lm").x,
    "root by lm with slopes": lambda a: (
        optimize.root(plain, START, jac=lambda u: slopes(u, a), method="lm").x
    ),
    "leastsq": lambda a: optimize.leastsq(lambda u: residuals(u, a), START)[0],
    "leastsq with slopes": lambda a: optimize.leastsq(plain, START, Dfun=lambda u: slopes(u, a))[0],
    "least_squares": lambda a: optimize.least_squares(lambda u: residuals(u, a), START, method="lm").x,
    "curve_fit": lambda a: optimize.curve_fit(lambda t, k: k * t, POINTS, a * POINTS)[0],
    "curve_fit of a model": lambda a: optimize.curve_fit(lambda t, k: a * k * t, POINTS, POINTS)[0],
    "ODR": lambda a: fitted(odr.Model(lambda b, x: b[0] * x * a)),
    "ODR with slopes": lambda a: fitted(
        odr.Model(lambda b, x: b[0] * x, fjacb=lambda b, x: a * x[None], fjacd=lambda b, x: b[0] + 0 * x)
    ),
}


def fitted(model: Any) -> Any:
    """The parameter of a model of the points."""
    return odr.ODR(odr.Data(POINTS, POINTS), model, beta0=[1.0]).run().beta


@pytest.mark.parametrize("name", CALLS)
def test_traced_values_are_refused_once(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    call = CALLS[name]
    with pytest.raises(ad.TracingError) as caught:
        ad.grad(lambda a: np.sum(call(a)))(2.0)
    assert f"SciPy's {name.split()[0]} works on NumPy arrays, and " in caught.value.message
    assert caught.value.location is not None
    assert caught.value.location.startswith(__file__)
    assert caught.value.hint
    assert capfd.readouterr() == ("", "")


def test_functions_of_known_values_run_as_they_do_outside_of_traces() -> None:
    model = odr.Model(lambda b, x: b[0] * x)
    known = (model.fcn, model.fjacb)

    def function(a: Any) -> Any:
        return a * (
            optimize.root(plain, START).x[0] + fitted(model)[0] + optimize.leastsq(plain, START)[0][1]
        )

    assert ad.jit(function)(3.0) == pytest.approx(function(3.0), rel=1e-14)
    assert (model.fcn, model.fjacb) == known


def test_errors_of_the_function_are_its_own(capfd: pytest.CaptureFixture[str]) -> None:
    def failing(u: Any) -> Any:
        raise LookupError(f"{len(u)} values")

    for call in (optimize.root, optimize.leastsq):
        with pytest.raises(LookupError, match="2 values"):
            ad.jit(lambda a, call=call: a * call(failing, START)[0])(1.0)
    assert capfd.readouterr() == ("", "")
