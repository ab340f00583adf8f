"""The examples and the benchmark problems by the method `chad`, compiled: the figures that they have anyhow.

The example programs with golden files are in `test_programs.py`, where `chad` is one of the evaluators.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from benchmarks.figures import golden_error
from benchmarks.problems import PROBLEMS
from benchmarks.systems import MLIRAD, Functions
from examples import (
    bundle_adjustment,
    curvature,
    functions_as_values,
    gmm,
    image_filters,
    implicit_functions,
    logistic_regression,
    networks,
    predators,
    variational_inference,
)
from examples.programs import lse
from tests.examples.test_networks import leaves

TRANSFORMATIONS = ("grad", "value_and_grad", "jvp", "vjp", "linearize", "jacfwd", "jacrev", "vmap", "jit")


class ByChad:
    """The names of mlirad, of which the transformations differentiate by `chad`."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(ad, name)
        return partial(found, method="chad") if name in TRANSFORMATIONS else found


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_golden_figures_of_benchmarks(problem):
    golden = problem.golden()
    by_chad = ByChad()
    primal = by_chad.jit(problem.value_in(by_chad, problem.numpy_program))
    gradient = by_chad.jit(problem.derivative_in(by_chad, problem.numpy_program))
    calls = Functions(partial(gradient, *golden.arguments), partial(primal, *golden.arguments))
    assert golden_error(replace(MLIRAD, functions=lambda *_: calls), problem) < 1e-10


def bundle() -> Any:
    observations, cameras, points = bundle_adjustment.scene(cameras=3, points=9, seed=2)
    errors, jacobian = bundle_adjustment.linearized(cameras, points, observations)
    tangents = np.sin(cameras), np.cos(points)
    return [errors, jacobian(*tangents), *jacobian.T(np.cos(errors))]


def curvatures() -> Any:
    hessian = curvature.hessian_map(lse.primal, np.linspace(-1, 1, 12))
    return [curvature.extreme_curvatures(hessian, 3)[0]]


def values() -> Any:
    found = [functions_as_values.ad.grad(f)(*given) for f, given in functions_as_values.EXAMPLES.values()]
    return [leaf for part in found for leaf in leaves(part)]


def mixture() -> Any:
    given = gmm.gmm.read_instance(gmm.DATA)
    value, gradient = gmm.ad.value_and_grad(gmm.gmm.adbench_objective, argnums=gmm.PARAMETERS)(*given)
    return [value, *gradient]


def by_equations() -> Any:
    at = implicit_functions.ad.value_and_grad(implicit_functions.eccentric_anomaly)(0.3, 1.0)
    data = implicit_functions.regression()
    slopes = implicit_functions.ad.value_and_grad(implicit_functions.error)(0.0, data)
    return [*at, *slopes]


def odds() -> Any:
    features, labels = logistic_regression.data(30, 3)
    start = {"weights": np.full(3, 0.2), "bias": 0.1}
    value, slope = logistic_regression.ad.value_and_grad(logistic_regression.loss)(start, features, labels)
    return [value, *leaves(slope)]


def last_populations() -> Any:
    loss = lambda p: np.sum(predators.populations(p)[:, -1])  # noqa: E731
    return leaves(predators.ad.grad(loss)(predators.TRUTH))


def trained(name: str) -> Any:
    network = networks.NETWORKS[name]
    images, labels = networks.made_up_images(16, seed=1)
    start = network.initial(np.random.default_rng(0))
    parameters, losses = networks.train(network, start, images, labels, steps=3)
    return [np.asarray(losses), *leaves(parameters)]


def deblurring() -> Any:
    image = image_filters.picture(8)
    return [*image_filters.ad.value_and_grad(image_filters.loss)(image, image_filters.blurred(image))]


def bound() -> Any:
    given = {"mean": np.full(2, 0.3), "log_deviation": np.full(2, -0.5)}
    data = variational_inference.data(7, 2)
    bound = variational_inference.ad.value_and_grad(variational_inference.negative_bound)
    value, slope = bound(given, ad.random.key(1), *data)
    return [value, *leaves(slope)]


EXAMPLES = {
    "bundle_adjustment": bundle,
    "curvature": curvatures,
    "functions_as_values": values,
    "gmm": mixture,
    "image_filters": deblurring,
    "implicit_functions": by_equations,
    "logistic_regression": odds,
    **{f"networks: {name}": partial(trained, name) for name in networks.NETWORKS},
    "predators": last_populations,
    "variational_inference": bound,
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name, monkeypatch):
    expected = EXAMPLES[name]()
    for example in (
        bundle_adjustment,
        curvature,
        functions_as_values,
        gmm,
        image_filters,
        implicit_functions,
        logistic_regression,
        networks,
        predators,
        variational_inference,
    ):
        monkeypatch.setattr(example, "ad", ByChad())
    for one, other in zip(EXAMPLES[name](), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-9)


def test_every_example_is_listed():
    """All modules of `examples` but its programs, and those that import another framework."""
    folder = gmm.Path(gmm.__file__).parent
    listed = {name.partition(":")[0] for name in EXAMPLES} | {"__init__", "jax_step", "torch_training"}
    assert {path.stem for path in folder.glob("*.py")} == listed
