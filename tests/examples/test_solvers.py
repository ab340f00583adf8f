"""The examples that hand linear maps to SciPy's iterative solvers."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.special import softmax

from examples import bundle_adjustment, curvature
from examples.programs import lse


@pytest.mark.parametrize("solver", ["lsmr", "cg"])
def test_bundle_adjustment_reaches_the_noise(solver):
    observations, cameras, points = bundle_adjustment.scene(cameras=4, points=25, seed=1)
    adjusted = bundle_adjustment.adjust(observations, cameras, points, steps=6, solver=solver)
    norms = adjusted[2]
    assert all(after <= before for before, after in pairwise(norms))
    assert norms[0] > 0.2
    assert norms[-1] < 1.1e-3 * np.sqrt(observations.measured.size)
    error = bundle_adjustment.errors(*adjusted[:2], observations)
    assert np.linalg.norm(error) == pytest.approx(norms[-1])


@pytest.mark.fuzz
def test_both_solvers_take_the_same_step():
    observations, cameras, points = bundle_adjustment.scene(cameras=3, points=9, seed=2)
    r, jacobian = bundle_adjustment.linearized(cameras, points, observations)
    matrix = jacobian.to_dense()
    assert matrix.shape == (54, 60)
    normal = matrix.T @ matrix + 1e-2 * np.eye(60)
    expected = np.linalg.solve(normal, -matrix.T @ r.ravel())
    for solver in ("lsmr", "cg"):
        found = bundle_adjustment.step(r, jacobian, 1e-2, solver)
        np.testing.assert_allclose(jacobian.domain.flatten(*found), expected, atol=1e-5)


def test_curvatures_of_log_sum_exp():
    x = np.random.default_rng(0).normal(size=60)
    values, vectors = curvature.extreme_curvatures(curvature.hessian_map(lse.primal, x), 2)
    p = softmax(x)
    exact = np.linalg.eigh(np.diag(p) - np.outer(p, p))
    np.testing.assert_allclose(values, exact.eigenvalues[-2:], rtol=1e-9)
    np.testing.assert_allclose(np.abs(vectors.T @ exact.eigenvectors[:, -2:]), np.eye(2), atol=1e-6)
