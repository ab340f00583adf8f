"""The methods beside dual arrays on the example programs: the same figures, and what calls cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from examples.programs import gmm, kmeans, llsq, lse, lstm, ode
from mlirad.frontend.compiling.options import Options
from mlirad.frontend.compiling.stats import count_ops
from tests.examples.test_programs import ba_arguments, replicated
from tests.examples.test_programs import golden as golden_file


def agree(found: Any, expected: Any, tolerance: float = 1e-10) -> None:
    """Both are nests of tuples of arrays, equal relative to the largest element."""
    if isinstance(expected, tuple):
        for x, y in zip(found, expected, strict=True):
            agree(x, y, tolerance)
        return
    largest = float(np.max(np.abs(expected), initial=0.0))
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * largest)


def gmm_case() -> tuple[Callable[..., Any], tuple[Any, ...], tuple[int, ...]]:
    given, _ = golden_file("gmm_d3_k4_n20")
    return gmm.objective, tuple(given[field] for field in gmm.Instance._fields), (0, 1, 2, 3)


def lstm_case() -> tuple[Callable[..., Any], tuple[Any, ...], tuple[int, ...]]:
    return lstm.objective, tuple(lstm.random_instance(layers=1, characters=4, width=3)), (0, 1)


def kmeans_case() -> tuple[Callable[..., Any], tuple[Any, ...], tuple[int, ...]]:
    given, _ = golden_file("kmeans_n60_k5_d3")
    return kmeans.cost, (given["points"], given["centroids"]), (1,)


def llsq_case() -> tuple[Callable[..., Any], tuple[Any, ...], tuple[int, ...]]:
    given, _ = golden_file("llsq_n16_m8")
    return llsq.primal_by_scan, (given["x"], llsq.sample_points(given["n"])), (0,)


def lse_case() -> tuple[Callable[..., Any], tuple[Any, ...], tuple[int, ...]]:
    given, _ = golden_file("lse_small")
    return lse.primal, (given["x"],), (0,)


def ode_case() -> tuple[Callable[..., Any], tuple[Any, ...], tuple[int, ...]]:
    given, _ = golden_file("ode_n4_s1")
    return lambda x: ode.last_component(x, 3), (given["x"],), (0,)


CASES = {
    "gmm": gmm_case,
    "kmeans": kmeans_case,
    "llsq": llsq_case,
    "lse": lse_case,
    "lstm": lstm_case,
    "ode": ode_case,
}


@pytest.mark.parametrize("other", ["jacobian", "chad"])
@pytest.mark.parametrize("name", CASES)
def test_gradients_agree(name: str, other: str) -> None:
    function, arguments, argnums = CASES[name]()
    found, expected = (
        ad.value_and_grad(function, argnums=argnums, method=method)(*arguments)
        for method in (other, "dual-arrays")
    )
    np.testing.assert_array_equal(found[0], expected[0])
    agree(found[1], expected[1])


@pytest.mark.parametrize("other", ["jacobian", "chad"])
def test_bundle_adjustment_agrees_forward_and_transposed(other: str) -> None:
    (camera, point, weight, measured), _ = ba_arguments("ba_n2_m3_p20")
    from examples.programs import ba

    *arguments, all_measured, camera_of, point_of = replicated(camera, point, weight, measured, 6)

    def residuals(cameras: Any, points: Any, weights: Any) -> Any:
        return ba.residuals(cameras, points, weights, all_measured, camera_of, point_of)

    rng = np.random.default_rng(0)
    tangents = tuple(rng.normal(size=np.shape(a)) for a in arguments)
    images: list[Any] = []
    for method in (other, "dual-arrays"):
        value, J = ad.linearize(residuals, *arguments, method=method)
        cotangent = tuple(np.ones_like(v) for v in value)
        images.append((tuple(value), tuple(J(*tangents)), tuple(J.T(cotangent))))
    agree(images[0], images[1])


@pytest.mark.parametrize(("name", "other"), [("lse", "jacobian"), ("ode", "jacobian"), ("ode", "chad")])
def test_hessians_agree(name: str, other: str) -> None:
    function, arguments, _ = CASES[name]()
    found, expected = (ad.hessian(function, method=method)(*arguments) for method in (other, "dual-arrays"))
    agree(found, expected, 1e-9)


@ad.function
def step(y: Any, p: Any) -> Any:
    """One step of a rotation that is damped."""
    return np.stack([y[0] - p * np.sin(y[1]), y[1] + p * y[0]]) * np.exp(-p * np.sum(y**2))


def steps(number: int) -> Callable[..., Any]:
    """Steps in a chain, each a call."""

    def run(y: Any, p: Any) -> Any:
        for _ in range(number):
            y = step(y, p)
        return np.sum(y)

    return run


def test_kept_functions_are_called_by_compiled_gradients() -> None:
    y, p = np.array([0.5, -1.0]), 0.1
    found, expected = (
        ad.value_and_grad(steps(6), argnums=(0, 1), method=method)(y, p)
        for method in ("jacobian", "dual-arrays")
    )
    agree(found, expected, 1e-12)


def test_code_of_calls_is_smaller_than_inlined_code() -> None:
    """Every further step adds a few calls; inlined, it adds the code of a step and of its derivative."""
    from mlirad.frontend.compiling.compilation import compiling
    from mlirad.frontend.compiling.run_compiler import brought_to

    def ops(method: str, number: int) -> int:
        def gradient(y: Any, p: Any) -> Any:
            return ad.grad(steps(number))(y, p)

        module = ad.trace(gradient, np.zeros(2), 0.1)
        compiling(brought_to)("arrays", module, Options(method=method))
        return count_ops(module)

    called = ops("jacobian", 7) - ops("jacobian", 3)
    inlined = ops("dual-arrays", 7) - ops("dual-arrays", 3)
    assert 3 * called < inlined


@pytest.mark.fuzz
def test_kept_functions_in_builds_loops_and_batches() -> None:
    ys = np.array([[0.5, -1.0], [0.2, 0.1], [-0.3, 0.4]])

    def batched(ys: Any, p: Any) -> Any:
        return np.sum(ad.vmap(lambda y: step(step(y, p), p))(ys))

    def looped(ys: Any, p: Any) -> Any:
        return np.sum(ad.fori_loop(0, 3, lambda i, y: step(y, p) + ys[i], ys[0]))

    for function in (batched, looped):
        found, expected = (
            ad.value_and_grad(function, argnums=(0, 1), method=method)(ys, 0.1)
            for method in ("jacobian", "dual-arrays")
        )
        agree(found, expected, 1e-12)
        found, expected = (
            ad.hessian(function, argnums=1, method=method)(ys, 0.1) for method in ("jacobian", "dual-arrays")
        )
        agree(found, expected, 1e-10)


def test_matrices_of_derivatives_of_kept_functions() -> None:
    y = np.array([0.5, -1.0])
    for transformation in (ad.jacfwd, ad.jacrev):
        found, expected = (
            transformation(lambda y: step(step(y, 0.1), 0.2), method=method)(y)
            for method in ("jacobian", "dual-arrays")
        )
        agree(found, expected, 1e-12)
