"""The cost law: a derivative executes at most a constant times what its program does.

    operations(derivative) <= 6 * (operations(primal) + elements of its inputs and outputs)

The operations are those the interpreter counts, of the traced and simplified primal (expanded, where it
holds derivatives itself) and of the expanded derivative. Held for the gradient and for the forward
derivative of every example and every reference case.
"""

from __future__ import annotations

import pkgutil
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from examples import networks, programs
from examples.programs import ba, gmm, kmeans, llsq, lse, lstm, ode
from mlirad.dialects.linear import DifferentiationOp
from mlirad.frontend.tracing.dtypes import plain_array
from mlirad.frontend.tracing.pytree import flatten
from mlirad.interpreter import OperationCounter, run_function
from mlirad.pipelines import EXPAND, SIMPLIFY
from tests.acceptance.stages import value_and_cotangents
from tests.cases.case import ones_like
from tests.cases.loops import blowups
from tests.cases.test_cases import CASES
from tests.passes.derivatives import run_passes

FACTOR = 6


def operations(function: Any, arguments: tuple[Any, ...], passes: tuple[str, ...]) -> tuple[int, int]:
    """What a traced function executes after the passes, and the elements it takes and returns."""
    module = ad.trace(function, *arguments)
    if any(isinstance(op, DifferentiationOp) for op in module.walk()):
        passes = EXPAND
    module = run_passes(module, ",".join(passes))
    values = [plain_array(leaf) for leaf in flatten(arguments)[0]]
    counter = OperationCounter()
    results = run_function(module, values, function="main", counter=counter)
    return counter.total, sum(np.size(v) for v in (*values, *results))


def ratios(function: Any, arguments: tuple[Any, ...], moving: tuple[int, ...]) -> dict[str, float]:
    """Operations of either derivative by operations of the primal and elements moved."""

    def tangent(*arguments: Any) -> Any:
        tangents = tuple(ones_like(a) if k in moving else None for k, a in enumerate(arguments))
        return ad.jvp(function, arguments, tangents)

    work, moved = operations(function, arguments, SIMPLIFY)
    return {
        name: operations(derivative, arguments, EXPAND)[0] / (work + moved)
        for name, derivative in (("reverse", value_and_cotangents(function, moving)), ("forward", tangent))
    }


def observations() -> tuple[Any, ...]:
    """The arguments of bundle adjustment for 40 observations of 7 points by 3 cameras."""
    rng = np.random.default_rng(0)
    cameras, points = rng.uniform(0.5, 1, size=(3, 11)), rng.uniform(2, 3, size=(7, 3))
    return cameras, points, np.ones(40), rng.normal(size=(40, 2)), np.arange(40) % 3, np.arange(40) % 7


def training(network: networks.Network) -> tuple[Any, tuple[Any, ...], tuple[int, ...]]:
    """The loss of a network on four images, as a function of the arrays of its parameters."""
    parameters = network.initial(np.random.default_rng(0))
    images, labels = networks.made_up_images(4, seed=1)
    leaves, tree = flatten(parameters)

    def loss(*leaves: Any) -> Any:
        return networks.cross_entropy(network.scores(tree.unflatten(leaves), images), labels)

    return loss, tuple(leaves), tuple(range(len(leaves)))


EXAMPLES = {
    "gmm": (gmm.objective, tuple(gmm.random_instance(3, 4, 20)), (0, 1, 2, 3)),
    "gmm-larger": (gmm.objective, tuple(gmm.random_instance(5, 5, 50)), (0, 1, 2, 3)),
    "lse": (lse.primal, (lse.random_instance(100),), (0,)),
    "llsq": (llsq.primal, llsq.random_instance(8, 32), (0,)),
    "llsq-scan": (llsq.primal_by_scan, llsq.random_instance(8, 32), (0,)),
    "kmeans": (kmeans.cost, kmeans.random_instance(30, 4), (1,)),
    "kmeans-direction": (kmeans.direction, kmeans.random_instance(30, 4), (1,)),
    "ode": (lambda x: ode.last_component(x, 10), (ode.random_instance(20),), (0,)),
    "ode-all": (lambda x: ode.primal(x, 10), (ode.random_instance(20),), (0,)),
    "lstm": (lstm.objective, tuple(lstm.random_instance(2, 12, 5)), (0, 1)),
    "ba": (ba.residuals, observations(), (0, 1, 2)),
    **{f"network-{n.name}".replace(" ", "-"): training(n) for n in networks.NETWORKS.values()},
}


def test_every_example_is_there():
    names = {name.partition("-")[0] for name in EXAMPLES}
    assert {module.name for module in pkgutil.iter_modules(programs.__path__)} <= names


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name):
    function, arguments, moving = EXAMPLES[name]
    for mode, ratio in ratios(function, arguments, moving).items():
        assert ratio <= FACTOR, f"{mode}: {ratio:.2f}"


SHORTER = {"hd-sharing-blowup-build": blowups(5)}
"""Cases of many equal lanes, with a few of them: the interpreter runs the lanes of a build one by one."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_cases(case):
    moving = tuple(range(len(case.arguments)))
    function = SHORTER.get(case.id, case.function)
    for mode, ratio in ratios(function, case.arguments, moving).items():
        assert ratio <= FACTOR, f"{mode}: {ratio:.2f}"
