"""The cost law: a derivative executes at most a constant times what its program does.

    operations(derivative) <= 6 * (operations(primal) + elements of its inputs and outputs)

The operations are those the interpreter counts, of the traced and simplified primal (expanded, where it
holds derivatives itself) and of the expanded derivative. Held for the gradient and for the forward
derivative of every example and every reference case.

The interpreter's value and gradient must be those of machine code under guard, too: programs that check each
address they touch, with work memory full of NaN and then full of zeros between guard bytes.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import mlirad as ad
from benchmarks.problems import PROBLEMS
from examples import networks, programs
from examples.programs import ba, determinant, gmm, gp, kalman, kmeans, llsq, lse, lstm, ode
from mlirad.dialects.linear import DifferentiationOp
from mlirad.frontend.tracing.dtypes import plain_array
from mlirad.frontend.tracing.pytree import flatten
from mlirad.interpreter import OperationCounter, run_function
from mlirad.pipelines import SIMPLIFY, expansion
from tests.acceptance.stages import assert_same, native, value_and_cotangents
from tests.cases import horde_ad, loops
from tests.cases.case import ones_like
from tests.cases.test_cases import CASES
from tests.passes.derivatives import run_passes

FACTOR = 6


@dataclass(frozen=True)
class Run:
    """A traced function after some passes, and its run by the interpreter."""

    module: ModuleOp
    arguments: list[Any]
    results: Sequence[Any]
    operations: int

    @property
    def elements(self) -> int:
        """The elements it takes and returns."""
        return sum(np.size(v) for v in (*self.arguments, *self.results))


def run(function: Any, arguments: tuple[Any, ...], passes: tuple[str, ...]) -> Run:
    """A function traced, brought through the passes, and interpreted."""
    module = ad.trace(function, *arguments)
    if any(isinstance(op, DifferentiationOp) for op in module.walk()):
        passes = expansion()
    module = run_passes(module, ",".join(passes))
    values = [plain_array(leaf) for leaf in flatten(arguments)[0]]
    counter = OperationCounter()
    results = run_function(module, values, function="main", counter=counter)
    return Run(module, values, results, counter.total)


def derivatives(function: Any, arguments: tuple[Any, ...], moving: tuple[int, ...]) -> dict[str, Run]:
    """The value and either derivative in the arguments `moving`, expanded."""

    def tangent(*arguments: Any) -> Any:
        tangents = tuple(ones_like(a) if k in moving else None for k, a in enumerate(arguments))
        return ad.jvp(function, arguments, tangents)

    programs = {"reverse": value_and_cotangents(function, moving), "forward": tangent}
    return {mode: run(program, arguments, expansion()) for mode, program in programs.items()}


def check_cost(function: Any, arguments: tuple[Any, ...], moving: tuple[int, ...]) -> dict[str, Run]:
    """Hold the cost law; the derivatives."""
    primal, found = run(function, arguments, SIMPLIFY), derivatives(function, arguments, moving)
    for mode, derivative in found.items():
        ratio = derivative.operations / (primal.operations + primal.elements)
        assert ratio <= FACTOR, f"{mode}: {ratio:.2f}"
    return found


def check(function: Any, arguments: tuple[Any, ...], moving: tuple[int, ...]) -> None:
    """Hold the cost law, and compare what is compiled with what is interpreted."""
    with np.errstate(all="ignore"):
        reverse = check_cost(function, arguments, moving)["reverse"]
        assert_same(native(reverse.module, "main")(*reverse.arguments), reverse.results, "native")


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


def golden(name: str) -> tuple[Any, tuple[Any, ...], tuple[int, ...]]:
    """The program of a benchmark problem at its instance with known figures."""
    problem = PROBLEMS[name]
    return problem.numpy_program, problem.golden().arguments, problem.argnums


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
    "attention": golden("attention"),
    "convnet": golden("convnet"),
    "convolution": golden("conv2d"),
    "cross_entropy": golden("cross-entropy"),
    "cumulative-sum": golden("cumsum"),
    "cumulative-product": golden("cumprod"),
    "determinant": (determinant.primal, (np.sin(np.arange(25.0)).reshape(5, 5),), (0,)),
    "elementwise": golden("elementwise"),
    "fourier": golden("fft-convolution"),
    "fourier-2": golden("fft2-convolution"),
    "fourier-equation": golden("fft2-poisson"),
    "gp": (gp.objective, tuple(gp.random_instance(12)), (0, 1, 2)),
    "kalman": (kalman.log_likelihood, tuple(kalman.random_instance(6)), (0, 1, 2, 3)),
    "layer_norm": golden("layer-norm"),
    "matrix_chain": golden("matrix-chain"),
    "matrix_root": golden("eigh"),
    "mlp": golden("mlp"),
    "product": golden("product"),
    "rnn": golden("rnn"),
    "segments": golden("segment-sum"),
    "small_solves": golden("small-solves"),
    "sorting": golden("sort"),
    "stencil": golden("stencil-slices"),
    "stencil-build": golden("stencil-build"),
    **{f"network-{n.name}".replace(" ", "-"): training(n) for n in networks.NETWORKS.values()},
}


def test_every_example_is_there():
    names = {name.partition("-")[0] for name in EXAMPLES}
    assert {module.name for module in pkgutil.iter_modules(programs.__path__)} <= names


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name):
    check(*EXAMPLES[name])


SHORTER = {
    "ab-lstm-l2-c1024": loops.lstm_loss_of(48),
    "hd-sharing-blowup-200": horde_ad.blowup(40),
    "hd-sharing-blowup-loop-2000": loops.blowup(200),
    "hd-sharing-blowup-loop-7000": loops.blowup(700),
    "hd-sharing-blowup-build": loops.blowups(5),
}
"""Cases of many equal steps or lanes, with a few of them: the interpreter runs one after the other."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_cases(case):
    check(SHORTER.get(case.id, case.function), case.arguments, tuple(range(len(case.arguments))))
