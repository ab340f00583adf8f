"""`check_derivatives`: right derivatives pass with order 2, wrong ones are found and named."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad
from mlirad.frontend.differentiation.remainders import _difference

X = np.array([0.5, -1.2, 2.0])


@pytest.mark.parametrize("interpret", [False, True])
def test_right_derivatives_have_order_two(interpret):
    check = ad.check_derivatives(lambda x, y: np.sum(np.sin(x) * np.exp(y)), X, 0.3, interpret=interpret)
    assert check.orders.keys() == {"x", "y"}
    assert all(abs(order - 2) < 0.1 for order in check.orders.values())
    assert all(d < 1e-12 for d in check.differences.values())
    assert "order" in str(check)


def test_linear_functions_have_no_remainder():
    assert ad.check_derivatives(lambda x: 3 * x, X, interpret=True).orders == {"x": np.inf}


def test_structures_integers_and_single_precision():
    def function(params, n):
        return {"y": np.tanh(params["w"]) * n, "k": n + 1, "v": params["b"][0] ** 3}

    single = {"w": X.astype(np.float32), "b": (X,)}
    check = ad.check_derivatives(function, single, 3, interpret=True)
    assert check.orders.keys() == {"params['w']", "params['b'][0]"}


def test_loops_and_branches():
    def function(x):
        y = ad.fold(lambda c, t: np.sin(c * t) + c, 1.0, x)
        y = ad.while_loop(lambda s: s < 10, lambda s: s * (1 + x[2]), y)
        return ad.cond(y > 0, lambda: np.log(y), lambda: y)

    ad.check_derivatives(function, X, interpret=True, step=1e-4)


def test_a_wrong_derivative_is_named():
    def function(x, y):
        a = np.sin(x)
        b = a * ad.stop_gradient(y)
        return np.sum(b * b)

    with pytest.raises(ad.DerivativeCheckError) as error:
        ad.check_derivatives(function, X, X + 1, interpret=True)
    message = str(error.value)
    assert "with respect to y" in message
    assert "order 1.0" in message
    assert "array.stop_gradient" in message
    assert f"{__file__}:{function.__code__.co_firstlineno + 2}" in message


def test_modes_that_disagree_are_measured():
    one = [np.ones(2)]
    assert _difference(one, one, one, one) == 0
    assert _difference(one, one, one, [np.array([1.0, 1.5])]) == pytest.approx(0.5 / 4.5)


def test_errors():
    with pytest.raises(ad.DifferentiationError, match="no floating-point argument"):
        ad.check_derivatives(lambda n: n * 1.0, 3)
