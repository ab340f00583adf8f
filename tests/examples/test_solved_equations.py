"""The examples of implicit functions, of a differential equation and of SciPy's minimisers."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad
from examples import implicit_functions, logistic_regression, predators


def test_keplers_equation():
    x, slope = ad.value_and_grad(implicit_functions.eccentric_anomaly)(0.3, 1.0)
    assert x - 0.3 * np.sin(x) == pytest.approx(1.0, rel=1e-12)
    assert slope == pytest.approx(implicit_functions.exact_slope(0.3, float(x)), rel=1e-10)


@pytest.mark.fuzz
def test_penalties_improve():
    data = implicit_functions.regression()
    found = implicit_functions.improved_penalties(data, 6)
    assert found[-1][1] < found[0][1]
    x, y = data["x"], data["y"]
    expected = np.linalg.solve(x.T @ x + np.exp(0.3) * np.eye(8), x.T @ y)
    np.testing.assert_allclose(implicit_functions.weights(0.3, data), expected, rtol=1e-8)
    h = 1e-4
    moved = [float(implicit_functions.error(0.3 + s * h, data)) for s in (-1, 1)]
    assert ad.grad(implicit_functions.error)(0.3, data) == pytest.approx(
        (moved[1] - moved[0]) / (2 * h), rel=1e-5
    )


@pytest.mark.fuzz
def test_parameters_are_learned():
    found = predators.fitted(predators.observations(seed=0))
    for name, value in predators.TRUTH.items():
        assert found[name] == pytest.approx(value, rel=0.03)


def test_minimisers_agree():
    features, labels = logistic_regression.data(60, 4)
    found = {m: logistic_regression.fitted(features, labels, m)[1] for m in logistic_regression.METHODS}
    for one in found.values():
        np.testing.assert_allclose(one.x, found["trust-ncg"].x, atol=1e-3)
