"""Rotations of SciPy: SciPy's values, derivatives of both orders against differences, also at the angle 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.spatial.transform as transform
from scipy.spatial.transform import Rotation, RotationSpline, Slerp

import mlirad as ad

pytestmark = pytest.mark.skipif(not hasattr(transform, "RigidTransform"), reason="SciPy has them in C alone")

W = np.random.default_rng(1).normal(size=16)
V = np.array([0.3, -0.5, 0.9])
KNOWN = Rotation.from_euler("xyz", [0.1, 0.2, 0.3])
SEVERAL = Rotation.from_euler("xyz", W[:6].reshape(2, 3))


def vector(x: Any) -> Any:
    return Rotation.from_rotvec(x[:3])


SMOOTH: dict[str, Callable[[Any], Any]] = {
    "apply": lambda x: vector(x).apply(V) @ W[:3],
    "apply to a traced vector": lambda x: vector(x).apply(x[3:]) @ W[:3],
    "inverse": lambda x: vector(x).apply(V, inverse=True) @ W[:3] + vector(x).inv().apply(V) @ W[3:6],
    "matrix": lambda x: np.sum(vector(x).as_matrix().ravel() * W[:9]),
    "quaternion": lambda x: vector(x).as_quat(scalar_first=True) @ W[:4],
    "rotation vector": lambda x: vector(x).as_rotvec() @ W[:3],
    "angles": lambda x: vector(x).as_euler("zyx") @ W[:3],
    "parameters": lambda x: Rotation.from_mrp(0.1 * x[:3]).as_mrp() @ W[:3],
    "from angles": lambda x: Rotation.from_euler("ZYX", x[:3], degrees=True).apply(V) @ W[:3],
    "from an angle": lambda x: Rotation.from_euler("z", x[0]).apply(V) @ W[:3],
    "davenport": lambda x: (
        Rotation.from_davenport(np.eye(3), "extrinsic", x[:3]).as_davenport(np.eye(3), "extrinsic") @ W[:3]
    ),
    "product": lambda x: (vector(x) * KNOWN * Rotation.from_rotvec(x[3:])).as_rotvec() @ W[:3],
    "power": lambda x: (vector(x) ** 0.5).as_rotvec() @ W[:3],
    "distance": lambda x: (vector(x).inv() * KNOWN).magnitude() ** 2,
    "matrix and back": lambda x: Rotation.from_matrix(vector(x).as_matrix()).as_rotvec() @ W[:3],
    "valid matrix": lambda x: (
        Rotation.from_matrix(vector(x).as_matrix(), assume_valid=True).as_rotvec() @ W[:3]
    ),
    "nearest rotation": lambda x: (
        Rotation.from_matrix(KNOWN.as_matrix() + 0.1 * x[:3] * W[:9].reshape(3, 3)).as_rotvec() @ W[:3]
    ),
    "several": lambda x: np.sum(Rotation.from_rotvec(x.reshape(2, 3)).apply(V).ravel() * W[:6]),
    "one of several": lambda x: Rotation.from_rotvec(x.reshape(2, 3))[1].as_rotvec() @ W[:3],
    "joined": lambda x: np.sum(Rotation.concatenate([vector(x), KNOWN]).as_quat().ravel() * W[:8]),
    "each": lambda x: sum(r.as_rotvec() @ W[:3] for r in Rotation.from_rotvec(x.reshape(2, 3))),
    "captured": lambda x: KNOWN.apply(x[:3]) @ W[:3] + np.sum(SEVERAL.apply(x.reshape(2, 3)).ravel() * W[:6]),
    "captured product": lambda x: np.sum((SEVERAL * vector(x)).as_quat().ravel() * W[:8]),
    "mean": lambda x: Rotation.from_rotvec(x.reshape(2, 3) + W[:3]).mean(weights=[1, 2]).as_rotvec() @ W[:3],
    "slerp": lambda x: Slerp([0, 1], Rotation.concatenate([vector(x), KNOWN]))(0.3).as_rotvec() @ W[:3],
}
"""Functions of six numbers that are smooth at 0, too."""

POINTS = {
    "ordinary": np.array([0.3, -1.1, 0.7, 0.2, 0.5, -0.4]),
    "zero": np.zeros(6),
    "by series": np.array([5e-4, 2e-4, -3e-4, 0.0, 1e-9, 0.0]),
    "edge of the series": np.array([1e-3, 0.0, 0.0, 0.0, 1e-3, 0.0]),
}


def slopes(function: Callable[[Any], Any], x: Any, step: float) -> Any:
    return np.stack([(function(x + e) - function(x - e)) / (2 * step) for e in step * np.eye(x.size)])


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("case", SMOOTH)
def test_values_and_derivatives(case: str, point: str) -> None:
    function, x = SMOOTH[case], POINTS[point]
    value, gradient = ad.value_and_grad(function, control="rewrite")(x)
    np.testing.assert_allclose(value, function(x), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(gradient, slopes(function, x, 1e-6), rtol=1e-5, atol=1e-6)
    if case != "nearest rotation":
        again = slopes(ad.grad(function, control="rewrite"), x, 1e-5)
        np.testing.assert_allclose(ad.hessian(function, control="rewrite")(x), again, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("axis", [[1.0, 0.0, 0.0], [3.0, 1.0, 2.0]])
def test_rotations_by_pi(axis: list[float]) -> None:
    """Rotation vectors jump at the angle pi; what the rotation does to vectors is smooth there."""
    x = np.concatenate([np.pi * np.array(axis) / np.linalg.norm(axis), V])
    for case in ("apply", "matrix", "quaternion", "distance"):
        function = SMOOTH[case]
        value, gradient = ad.value_and_grad(function, control="rewrite")(x)
        np.testing.assert_allclose(value, function(x), rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(gradient, slopes(function, x, 1e-6), rtol=1e-5, atol=1e-6)


def test_splines_and_rigid_transforms() -> None:
    rigid: Any = transform.RigidTransform
    functions: list[Callable[[Any], Any]] = [
        lambda x: rigid.from_components(x[3:], vector(x)).apply(V) @ W[:3],
        lambda x: np.sum(rigid.from_exp_coords(x).as_matrix().ravel() * W),
        lambda x: (rigid.from_exp_coords(x) * rigid.from_translation(V)).inv().as_exp_coords() @ W[:6],
        lambda x: (
            RotationSpline([0, 1, 2.0], Rotation.from_rotvec(np.stack([x[:3], x[3:], 2 * x[:3]])))(0.7)
            .as_rotvec() @ W[:3]
        ),
    ]  # fmt: skip
    x = POINTS["ordinary"]
    for function in functions:
        value, gradient = ad.value_and_grad(function, control="rewrite")(x)
        np.testing.assert_allclose(value, function(x), rtol=1e-12)
        np.testing.assert_allclose(gradient, slopes(function, x, 1e-6), rtol=1e-5, atol=1e-6)


def test_what_is_no_rotation_raises_as_in_scipy() -> None:
    def of_matrix(x: Any) -> Any:
        return Rotation.from_matrix(x).as_quat()

    def of_quaternion(x: Any) -> Any:
        return Rotation.from_quat(x).as_quat()

    with pytest.raises(ValueError, match="Non-positive determinant"):
        ad.jit(of_matrix, control="rewrite")(-np.eye(3))
    with pytest.raises(ValueError, match="zero norm"):
        ad.jit(of_quaternion, control="rewrite")(np.zeros(4))


def test_plain_rotations_stay_scipys() -> None:
    before = KNOWN.as_matrix()
    ad.grad(SMOOTH["apply"], control="rewrite")(POINTS["ordinary"])
    made: Any = Rotation.from_rotvec(V)
    assert made._backend.__name__.endswith("_cy")
    np.testing.assert_array_equal(KNOWN.as_matrix(), before)
