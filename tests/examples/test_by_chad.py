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
    assimilation,
    bouncing_pendulum,
    bundle_adjustment,
    chaos,
    curvature,
    deblurring,
    dropout,
    epidemic,
    extended_kalman_filter,
    filter_design,
    functions_as_values,
    gaussian_process,
    gmm,
    graph_network,
    hamiltonian_monte_carlo,
    heat_equation,
    heat_network,
    heston,
    hidden_markov,
    image_filters,
    implicit_functions,
    kalman_filter,
    lens,
    logistic_regression,
    minimal_surface,
    molecules,
    networks,
    neural_ode,
    normalizing_flow,
    pendulum,
    phase_retrieval,
    predators,
    robot_arm,
    shapes,
    tomography,
    triple_pendulum,
    truss,
    variational_inference,
    wave_inversion,
)
from examples.programs import lse
from tests.examples.test_networks import leaves

TRANSFORMATIONS = ("grad", "value_and_grad", "jvp", "vjp", "linearize", "jacfwd", "jacrev", "vmap", "jit")


class ByChad:
    """The names of mlirad, with transformations that differentiate by `chad`."""

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


def last_populations() -> Any:
    loss = lambda p: np.sum(predators.populations(p)[:, -1])  # noqa: E731
    return leaves(predators.ad.grad(loss)(predators.TRUTH))


def trained(name: str) -> Any:
    network = networks.NETWORKS[name]
    images, labels = networks.made_up_images(16, seed=1)
    start = network.initial(np.random.default_rng(0))
    parameters, losses = networks.train(network, start, images, labels, steps=3)
    return [np.asarray(losses), *leaves(parameters)]


def rays() -> Any:
    return [*leaves(lens.ad.jacrev(lens.misses)(lens.START, np.array([-3.0, 5.0])))]


def grown() -> Any:
    return [chaos.ad.jacrev(chaos.moved)(np.array([1.0, -2.0, 20.0]))]


def tolerances() -> Any:
    given = 0.1 * np.arange(filter_design.ORDER), np.array([0.5, 2.0])
    return [filter_design.ad.jacrev(filter_design.decibels)(*given)]


def back_projection() -> Any:
    given = np.arange(36.0).reshape(6, 6), np.array([0.0, 0.7])
    shadows, pullback = tomography.ad.vjp(tomography.projected, *given, argnums=0)
    return [shadows, *leaves(pullback(np.cos(shadows)))]


def gradient(module: Any, function: Any, *arguments: Any) -> Any:
    """A value and its gradient by the first argument, with the `ad` that the module has."""
    value, slope = module.ad.value_and_grad(function)(*arguments)
    return [value, *leaves(slope)]


SQUARE = truss.ground_structure(3, 3)
EDGE = np.pad(np.zeros((3, 3)), 1, constant_values=0.4)

EXAMPLES = {
    "deblurring": lambda: gradient(
        deblurring,
        deblurring.loss,
        deblurring.phantom(8),
        np.ones((8, 8)),
        deblurring.gaussian_spectrum(8, 0.5),
        2e-4,
    ),
    "dropout": lambda: gradient(
        dropout,
        dropout.loss,
        dropout.initial(ad.random.key(1), (2, 4, dropout.CLASSES)),
        *dropout.spirals(np.random.default_rng(5), 6),
        ad.random.key(2),
    ),
    "epidemic": lambda: gradient(
        epidemic, epidemic.negative_log_likelihood, np.log([0.6, 0.3, 3.0]), np.arange(4.0), np.ones(3)
    ),
    "extended_kalman_filter": lambda: gradient(
        extended_kalman_filter,
        extended_kalman_filter.negative_log_likelihood,
        np.array([0.1, -0.2]),
        extended_kalman_filter.track(5)[1],
    ),
    "graph_network": lambda: gradient(
        graph_network,
        lambda p: np.sum(graph_network.layer(p, np.eye(3), np.array([0, 1, 2]), np.array([1, 2, 2])) ** 2),
        graph_network.initial(np.random.default_rng(1), (3, 4))[0],
    ),
    "hamiltonian_monte_carlo": lambda: gradient(
        hamiltonian_monte_carlo,
        hamiltonian_monte_carlo.log_density,
        np.array([0.1, -0.2]),
        np.array([[1.0, 2.0], [1.0, -1.0]]),
        np.array([1.0, 0.0]),
    ),
    "heston": lambda: gradient(heston, heston.call, heston.PUBLISHED, 100.0, 1.0),
    "hidden_markov": lambda: gradient(
        hidden_markov,
        hidden_markov.log_likelihood,
        {"moves": 2 * np.eye(3), "first": np.zeros(3)},
        np.log(np.arange(1.0, 13.0).reshape(4, 3)),
    ),
    "normalizing_flow": lambda: gradient(
        normalizing_flow,
        lambda p, x: np.sum(normalizing_flow.log_density(p, x)),
        normalizing_flow.initial(np.random.default_rng(1), 2, 4),
        normalizing_flow.moons(np.random.default_rng(2), 5),
    ),
    "robot_arm": lambda: gradient(
        robot_arm,
        lambda a, c: np.sum(robot_arm.residuals(a, c) ** 2),
        np.tile([-0.3, 0.9, 0.6], (4, 1)),
        np.ones((4, 2)),
    ),
    "triple_pendulum": lambda: gradient(
        triple_pendulum, triple_pendulum.lagrangian, np.array([1.0, 0.8, 0.6]), np.array([0.1, 0.2, 0.3])
    ),
    "assimilation": lambda: gradient(
        assimilation, assimilation.misfit, assimilation.soliton(1.0, 9.0), np.ones((3, 12))
    ),
    "bundle_adjustment": bundle,
    "bouncing_pendulum": lambda: gradient(bouncing_pendulum, bouncing_pendulum.last_bounce, 2.0),
    "chaos": grown,
    "curvature": curvatures,
    "filter_design": tolerances,
    "functions_as_values": values,
    "gaussian_process": lambda: gradient(
        gaussian_process,
        gaussian_process.negative_log_likelihood,
        gaussian_process.START,
        *gaussian_process.observations(8),
    ),
    "gmm": mixture,
    "heat_network": lambda: gradient(
        heat_network,
        heat_network.loss,
        {"in": np.ones((2, 3)), "bias": np.arange(3.0), "mix": np.eye(3), "out": np.ones(3)},
        np.array([0.2, 0.7]),
        np.array([0.1, 0.5]),
    ),
    "image_filters": lambda: gradient(
        image_filters,
        image_filters.loss,
        image_filters.picture(8),
        image_filters.blurred(image_filters.picture(8)),
    ),
    "implicit_functions": by_equations,
    "kalman_filter": lambda: gradient(
        kalman_filter, kalman_filter.negative_log_likelihood, np.array([0.1, -0.2]), kalman_filter.track(6)[1]
    ),
    "lens": rays,
    "logistic_regression": lambda: gradient(
        logistic_regression,
        logistic_regression.loss,
        {"weights": np.full(3, 0.2), "bias": 0.1},
        *logistic_regression.data(30, 3),
    ),
    "heat_equation": lambda: gradient(
        heat_equation,
        heat_equation.misfit,
        1 + np.arange(9.0).reshape(3, 3),
        np.ones((9, 1)),
        np.eye(9, 1),
        2,
    ),
    "minimal_surface": lambda: gradient(
        minimal_surface, minimal_surface.area, np.sin(np.arange(9.0)).reshape(3, 3), EDGE, 0.25
    ),
    "molecules": lambda: gradient(molecules, molecules.energy, np.arange(10.0).reshape(5, 2) ** 1.1, 6.0),
    **{f"networks: {name}": partial(trained, name) for name in networks.NETWORKS},
    "neural_ode": lambda: gradient(
        neural_ode,
        neural_ode.loss,
        neural_ode.initial(np.random.default_rng(0), 3),
        neural_ode.exact(neural_ode.STARTS),
    ),
    "pendulum": lambda: gradient(pendulum, pendulum.cost, np.sin(np.arange(8.0))),
    "phase_retrieval": lambda: gradient(
        phase_retrieval,
        phase_retrieval.loss,
        phase_retrieval.specimen(4),
        np.exp(1j * np.arange(32.0).reshape(2, 4, 4)),
        np.ones((2, 4, 4)),
    ),
    "predators": last_populations,
    "shapes": lambda: gradient(shapes, shapes.error, shapes.START, np.eye(6)),
    "tomography": back_projection,
    "truss": lambda: gradient(
        truss,
        truss.work,
        np.linspace(1.0, 2.0, len(SQUARE.bars)),
        SQUARE.extension,
        SQUARE.lengths,
        SQUARE.load,
    ),
    "variational_inference": lambda: gradient(
        variational_inference,
        variational_inference.negative_bound,
        {"mean": np.full(2, 0.3), "log_deviation": np.full(2, -0.5)},
        ad.random.key(1),
        *variational_inference.data(7, 2),
    ),
    "wave_inversion": lambda: gradient(
        wave_inversion, wave_inversion.misfit, np.linspace(1.0, 1.3, 8), np.arange(10) * 0.05, np.ones(10)
    ),
}
"""The functions computed of each example."""

MODULES = [module for module in list(globals().values()) if getattr(module, "ad", None) is ad]


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name, monkeypatch):
    expected = EXAMPLES[name]()
    for example in MODULES:
        monkeypatch.setattr(example, "ad", ByChad())
    for one, other in zip(EXAMPLES[name](), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-9)


def test_every_example_is_listed():
    """All examples, except those that import another framework, or watch a loop that another one trains."""
    folder = gmm.Path(gmm.__file__).parent
    listed = {name.partition(":")[0] for name in EXAMPLES} | {
        "__init__",
        "plots",
        "adjustment_on_a_cluster",
        "jax_step",
        "regression_on_a_cluster",
        "torch_training",
        "watched_training",
    }
    assert {path.stem for path in folder.glob("*.py")} == listed
