"""The example programs, on plain NumPy arrays and compiled, against hand-derived figures.

Every program is first run as it stands, without the compiler; then its value and gradient are
computed by `value_and_grad`, compiled and interpreted by dual arrays, and compiled by `chad`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from examples.programs import ba, gmm, kmeans, llsq, lse, lstm, ode

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
GMM_FILES = ("gmm_d3_k4_n20", "gmm_d10_k5_n200")
LSE_FILES = ("lse_small", "lse_100")
ODE_FILES = ("ode_n3_s10", "ode_n4_s1", "ode_n6_s25")
LSTM_FILES = ("lstm_l2_c50", "lstm_l4_c200")
BA_FILES = ("ba_n2_m3_p20", "ba_zero_rotation_n2_m2_p16")

every_evaluator = pytest.mark.parametrize(
    "evaluator", [{}, {"interpret": True}, {"method": "chad"}], ids=["compiled", "interpreted", "chad"]
)


def golden(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The input and output of a golden file, its lists as arrays."""
    content = json.loads((GOLDEN / f"{name}.json").read_text())
    as_arrays = {
        key: np.array(value, dtype=np.float64) if isinstance(value, list) else value
        for key, value in content["input"].items()
    }
    return as_arrays, content["output"]


def assert_close(actual: Any, expected: Any, relative: float = 1e-9) -> None:
    """Agreement relative to the largest element, and in shape."""
    actual, expected = np.asarray(actual), np.asarray(expected, dtype=np.float64)
    assert actual.shape == expected.shape
    largest = np.max(np.abs(expected), initial=0.0)
    np.testing.assert_allclose(actual, expected, rtol=relative, atol=relative * largest)


def gmm_arguments(name: str) -> tuple[gmm.Instance, dict[str, Any]]:
    given, output = golden(name)
    return gmm.Instance(**{field: given[field] for field in gmm.Instance._fields}), output


@pytest.mark.parametrize("name", GMM_FILES)
def test_gmm_is_a_numpy_program(name):
    arguments, output = gmm_arguments(name)
    assert_close(gmm.objective(*arguments), output["objective"])


@every_evaluator
@pytest.mark.parametrize("name", GMM_FILES)
def test_gmm_value_and_gradient(name, evaluator):
    arguments, output = gmm_arguments(name)
    differentiated = ad.value_and_grad(gmm.objective, argnums=(0, 1, 2, 3), **evaluator)
    value, gradient = differentiated(*arguments)
    assert_close(value, output["objective"])
    for parameter, part in zip(("alpha", "mu", "q", "l"), gradient, strict=True):
        assert_close(part, output["jacobian"][parameter])


def test_gmm_in_one_dimension_has_no_off_diagonal():
    one = gmm.random_instance(d=1, k=3, n=4)
    precision = gmm.lower_triangular(one.q, one.l)
    np.testing.assert_array_equal(precision, np.exp(one.q)[:, :, None])


def test_gmm_packs_the_triangle_by_columns():
    q, l = np.zeros((1, 3)), np.array([[10.0, 20.0, 21.0]])  # noqa: E741
    np.testing.assert_array_equal(gmm.lower_triangular(q, l)[0], [[1, 0, 0], [10, 1, 0], [20, 21, 1]])


def test_gmm_reads_the_adbench_format():
    instance = gmm.read_instance(ROOT / "examples" / "data" / "gmm" / "test.txt")
    shapes = [np.shape(part) for part in instance]
    assert shapes == [(3,), (3, 2), (3, 2), (3, 1), (1, 2), (), ()]
    np.testing.assert_array_equal(instance.q[1], [-1.509405, 0.875874])
    np.testing.assert_array_equal(instance.l[:, 0], [0.800321, -0.242790, -1.270071])
    assert (instance.m, instance.gamma) == (0, 1.0)


def test_gmm_file_with_missing_numbers_is_rejected(tmp_path):
    short = tmp_path / "short.txt"
    short.write_text("2 3 1\n0.5 0.5 0.5\n")
    with pytest.raises(ValueError, match="call for 22 numbers, the file has 3"):
        gmm.read_instance(short)


@pytest.mark.parametrize("name", LSE_FILES)
def test_lse_is_a_numpy_program(name):
    given, output = golden(name)
    assert_close(lse.primal(given["x"]), output["primal"])


@every_evaluator
@pytest.mark.parametrize("name", LSE_FILES)
def test_lse_value_and_gradient(name, evaluator):
    given, output = golden(name)
    value, gradient = ad.value_and_grad(lse.primal, **evaluator)(given["x"])
    assert_close(value, output["primal"])
    assert_close(gradient, output["gradient"])


def test_llsq_is_a_numpy_program():
    given, output = golden("llsq_n16_m8")
    assert_close(llsq.primal(given["x"], llsq.sample_points(given["n"])), output["primal"])


@every_evaluator
def test_llsq_value_and_gradient(evaluator):
    given, output = golden("llsq_n16_m8")
    points = llsq.sample_points(given["n"])
    value, gradient = ad.value_and_grad(llsq.primal, **evaluator)(given["x"], points)
    assert_close(value, output["primal"])
    assert_close(gradient, output["gradient"])


@every_evaluator
def test_llsq_by_scan(evaluator):
    given, output = golden("llsq_n16_m8")
    points = llsq.sample_points(given["n"])
    value, gradient = ad.value_and_grad(llsq.primal_by_scan, **evaluator)(given["x"], points)
    assert_close(value, output["primal"])
    assert_close(gradient, output["gradient"])


@every_evaluator
@pytest.mark.parametrize("name", ODE_FILES)
def test_ode_value_and_gradient(name, evaluator):
    given, output = golden(name)
    x, steps = given["x"], given["s"]
    value = ad.jit(ode.primal, static_argnames="steps", **evaluator)(x, steps)
    assert_close(value, output["primal"])
    gradient = ad.grad(ode.last_component, static_argnames="steps", **evaluator)(x, steps)
    # the last component is a multiple of the product of all parameters
    assert_close(gradient, value[-1] / x)
    # the stated gradient is that of the exact solution, which the method has in the first four components
    assert_close(gradient, output["gradient"], relative=1e-9 if len(x) <= 4 else 2e-5)


def test_ode_is_exact_for_the_first_components():
    x = ode.random_instance(4)
    y = ad.jit(ode.primal, static_argnames="steps")(x, 3)
    assert_close(y, np.cumprod(x) * 2.0 ** np.arange(1, 5) / np.array([1, 2, 6, 24]))


@every_evaluator
@pytest.mark.parametrize("name", LSTM_FILES)
def test_lstm_value_and_gradient(name, evaluator):
    given, output = golden(name)
    arguments = [given[field] for field in lstm.Instance._fields]
    value, gradient = ad.value_and_grad(lstm.objective, argnums=(0, 1), **evaluator)(*arguments)
    assert_close(value, output["objective"])
    assert_close(np.concatenate([part.ravel() for part in gradient]), output["jacobian"])


def test_lstm_reads_the_adbench_format(tmp_path):
    instance = lstm.random_instance(layers=1, characters=3, width=2)
    rows = [" ".join(map(str, row)) for part in instance for row in part]
    (tmp_path / "small.txt").write_text("\n".join(["1 3 2", *rows]))
    found = lstm.read_instance(tmp_path / "small.txt")
    for one, other in zip(found, instance, strict=True):
        np.testing.assert_array_equal(one, other)
    (tmp_path / "short.txt").write_text("\n".join(["1 3 2", *rows[:-1]]))
    with pytest.raises(ValueError, match="do not fit"):
        lstm.read_instance(tmp_path / "short.txt")


@every_evaluator
def test_kmeans_direction(evaluator):
    given, output = golden("kmeans_n60_k5_d3")
    found = ad.jit(kmeans.direction, **evaluator)(given["points"], given["centroids"])
    assert_close(found, output["dir"])


def test_kmeans_is_a_numpy_program():
    given, output = golden("kmeans_n60_k5_d3")
    assert_close(kmeans.cost(given["points"], given["centroids"]), output["cost"])


@every_evaluator
def test_kmeans_value_and_gradient(evaluator):
    given, output = golden("kmeans_n60_k5_d3")
    value, gradient = ad.value_and_grad(kmeans.cost, argnums=1, **evaluator)(
        given["points"], given["centroids"]
    )
    assert_close(value, output["cost"])
    distances = np.linalg.norm(given["points"][:, None] - given["centroids"], axis=2)
    members = np.bincount(np.argmin(distances, axis=1), minlength=len(given["centroids"]))
    assert_close(gradient / (2 * members[:, None]), output["dir"])


def ba_arguments(name: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    given, output = golden(name)
    return (given["cam"], given["x"], np.float64(given["w"]), given["feat"]), output


@pytest.mark.parametrize("name", BA_FILES)
def test_ba_is_a_numpy_program(name):
    (camera, point, weight, measured), output = ba_arguments(name)
    objective = output["objective"]
    assert_close(
        ba.reprojection_error(camera, point, weight, measured),
        objective["reproj_error"]["elements"],
    )
    assert_close(ba.weight_error(weight), objective["w_err"]["element"])


@pytest.mark.parametrize("name", BA_FILES)
def test_ba_of_all_observations_is_a_numpy_program(name):
    (camera, point, weight, measured), output = ba_arguments(name)
    reprojection, weights = ba.residuals(*replicated(camera, point, weight, measured, count=20))
    expected = output["objective"]["reproj_error"]["elements"]
    assert_close(reprojection, np.tile(expected, (20, 1)))
    assert_close(weights, np.full(20, output["objective"]["w_err"]["element"]))


@every_evaluator
@pytest.mark.parametrize("name", BA_FILES)
def test_ba_residuals_and_their_rows_of_the_jacobian(name, evaluator):
    (camera, point, weight, measured), output = ba_arguments(name)
    error, pullback = ad.vjp(
        lambda camera, point, weight: ba.reprojection_error(camera, point, weight, measured),
        camera,
        point,
        weight,
        **evaluator,
    )
    assert_close(error, output["objective"]["reproj_error"]["elements"])
    nonzeros = output["jacobian"]["vals"]
    for row in range(2):
        ct_camera, ct_point, ct_weight = pullback(np.eye(2)[row])
        assert_close(
            np.concatenate((ct_camera, ct_point, [ct_weight])),
            nonzeros[15 * row : 15 * (row + 1)],
        )
    value, slope = ad.value_and_grad(ba.weight_error, **evaluator)(weight)
    assert_close(value, output["objective"]["w_err"]["element"])
    assert_close(slope, nonzeros[-1])


@every_evaluator
@pytest.mark.parametrize("transformation", [ad.jacfwd, ad.jacrev, ad.jacobian])
@pytest.mark.parametrize("name", BA_FILES)
def test_ba_blocks_of_the_jacobian(name, transformation, evaluator):
    """2 x 15 per observation, by a batch of Jacobians, and the slopes of the weight errors."""
    (camera, point, weight, measured), output = ba_arguments(name)
    cameras, points, weights, seen, camera_of, point_of = replicated(camera, point, weight, measured, 6)
    block = ad.vmap(transformation(ba.reprojection_error, argnums=(0, 1, 2)), **evaluator)
    by_camera, by_point, by_weight = block(cameras[camera_of], points[point_of], weights, seen)
    rows = np.concatenate((by_camera, by_point, by_weight[..., None]), axis=2)
    assert_close(rows, np.tile(np.reshape(output["jacobian"]["vals"][:30], (2, 15)), (6, 1, 1)))
    slopes = ad.vmap(transformation(ba.weight_error), **evaluator)(weights)
    assert_close(slopes, np.full(6, output["jacobian"]["vals"][-1]))


@every_evaluator
@pytest.mark.parametrize("name", BA_FILES)
def test_ba_cotangents_of_all_observations(name, evaluator):
    """Equal observations by n cameras of m points: each gets its share of the one row."""
    (camera, point, weight, measured), output = ba_arguments(name)
    count = 12
    cameras, points, weights, all_measured, camera_of, point_of = replicated(
        camera, point, weight, measured, count
    )
    (errors, _), pullback = ad.vjp(
        lambda cameras, points, weights: ba.residuals(
            cameras, points, weights, all_measured, camera_of, point_of
        ),
        cameras,
        points,
        weights,
        **evaluator,
    )
    assert_close(errors, np.tile(output["objective"]["reproj_error"]["elements"], (count, 1)))
    first_component = np.zeros((count, 2))
    first_component[:, 0] = 1.0
    ct_cameras, ct_points, ct_weights = pullback((first_component, np.zeros(count)))
    row = output["jacobian"]["vals"][:15]
    assert_close(ct_cameras, np.outer(np.bincount(camera_of), row[:11]))
    assert_close(ct_points, np.outer(np.bincount(point_of), row[11:14]))
    assert_close(ct_weights, np.full(count, row[14]))


def replicated(camera, point, weight, measured, count):
    """The arguments of `ba.residuals`: `count` equal observations by 3 cameras of 4 points."""
    each = np.arange(count)
    return (
        np.tile(camera, (3, 1)),
        np.tile(point, (4, 1)),
        np.full(count, weight),
        np.tile(measured, (count, 1)),
        each % 3,
        each % 4,
    )
