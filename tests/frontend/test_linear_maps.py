"""`linearize` and `vjp` at the top level: maps as objects, residuals, dot-product identity."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad

both = pytest.mark.parametrize("interpret", [False, True], ids=["compiled", "interpreted"])
rng = np.random.default_rng(0)
W, X = rng.normal(size=(3, 4)), rng.normal(size=4)


def layer(w, x):
    return np.tanh(w @ x), {"sum": np.sum(x), "count": np.argmax(x)}


@both
def test_a_map_and_its_transpose_are_adjoint(interpret):
    value, jacobian = ad.linearize(layer, W, X, interpret=interpret)
    np.testing.assert_allclose(value[0], np.tanh(W @ X))
    assert jacobian.shape == (4, 16)
    assert jacobian.T.shape == (16, 4)
    dw, dx = rng.normal(size=W.shape), rng.normal(size=X.shape)
    ct = (rng.normal(size=3), {"sum": 0.7, "count": None})
    image, transposed = jacobian(dw, dx), jacobian.T(ct)
    assert image[1]["count"] is None
    left = np.sum(image[0] * ct[0]) + image[1]["sum"] * 0.7
    right = np.sum(transposed[0] * dw) + np.sum(transposed[1] * dx)
    assert left == pytest.approx(right, rel=1e-12)
    np.testing.assert_allclose(jacobian.T.T(dw, dx)[0], image[0])
    np.testing.assert_allclose(jacobian(dw, None)[0], (1 - value[0] ** 2) * (dw @ X))


@both
def test_one_argument_is_bare_and_applications_repeat(interpret):
    y, jacobian = ad.linearize(np.sin, X, interpret=interpret)
    for direction in np.eye(4):
        np.testing.assert_allclose(jacobian(direction), np.cos(X) * direction)
        np.testing.assert_allclose(jacobian.T(direction), np.cos(X) * direction)
    np.testing.assert_allclose(y, np.sin(X))


@both
def test_pullbacks_return_a_tuple(interpret):
    y, pullback = ad.vjp(lambda x, n: x * n, X, 3, interpret=interpret)
    cotangent, nothing = pullback(np.ones(4))
    np.testing.assert_allclose(cotangent, 3 * np.ones(4))
    assert nothing is None
    np.testing.assert_allclose(y, 3 * X)


def test_nothing_is_computed_again():
    """The map of exp keeps its value and contains no exponential."""
    y, jacobian = ad.linearize(np.exp, X)
    assert "array.exp" not in str(jacobian.function())
    assert len(jacobian.arrays) == 1
    np.testing.assert_array_equal(jacobian.arrays[0], y)


def test_vectors_that_do_not_fit():
    _, jacobian = ad.linearize(layer, W, X, interpret=True)
    with pytest.raises(ad.ShapeError, match="structured like"):
        jacobian(W)
    with pytest.raises(ad.ShapeError, match=r"shape \(3,\), and \(4,\) is expected"):
        jacobian(W, np.ones(3))
    _, pullback = ad.vjp(lambda x: x, np.ones(3, np.float32), interpret=True)
    with pytest.raises(ad.DtypeError, match="float64, and float32 is expected"):
        pullback(np.ones(3))
    with pytest.raises(ad.DifferentiationError, match="no floating-point argument"):
        ad.vjp(lambda n: n, 3, interpret=True)
