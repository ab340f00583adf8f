"""The systems that are timed: mlirad, and the peers that are installed.

A system turns a problem and its arguments into two functions of no arguments, one computing the
value and one the gradient, both returning only when their results are written. Conversion of
the arguments to the system's arrays happens once and is not timed.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.problem import Arguments, Problem, Program


@dataclass(frozen=True)
class Prepared:
    """A problem instance in one system; the seconds are those of the first call of each."""

    primal: Callable[[], Any]
    gradient: Callable[[], Any]
    primal_first_call: float
    gradient_first_call: float


@dataclass(frozen=True)
class System:
    name: str
    module: str
    functions: Callable[[Problem, Arguments], tuple[Callable[[], Any], Callable[[], Any]]]

    def is_installed(self) -> bool:
        return importlib.util.find_spec(self.module) is not None

    def prepare(self, problem: Problem, arguments: Arguments) -> Prepared:
        """Traces and compiles both functions by calling them once."""
        primal, gradient = self.functions(problem, arguments)
        return Prepared(primal, gradient, seconds_of(primal), seconds_of(gradient))


def seconds_of(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def mlirad_functions(problem: Problem, arguments: Arguments):
    import mlirad as ad

    primal = ad.jit(problem.value_in(ad, problem.numpy_program))
    gradient = ad.jit(problem.derivative_in(ad, problem.numpy_program))
    return (lambda: primal(*arguments)), (lambda: gradient(*arguments))


def jax_functions(problem: Problem, arguments: Arguments):
    import jax

    jax.config.update("jax_enable_x64", True)
    program = problem.jax_program()
    primal = jax.jit(problem.value_in(jax, program))
    gradient = jax.jit(problem.derivative_in(jax, program))
    given = [jax.numpy.asarray(argument) for argument in arguments]
    return (
        lambda: jax.block_until_ready(primal(*given)),
        lambda: jax.block_until_ready(gradient(*given)),
    )


def torch_functions(problem: Problem, arguments: Arguments):
    import torch

    torch.set_num_threads(1)
    program = problem.torch_program()
    value = problem.value_in(torch.func, program)
    given = [torch.from_numpy(np.array(argument)) for argument in arguments]
    if problem.derivative is None:
        parameters = [given[position].requires_grad_() for position in problem.argnums]
        return no_grad(value, given), lambda: torch.autograd.grad(program(*given), parameters)
    derivative = problem.derivative_in(torch.func, program)
    return no_grad(value, given), lambda: derivative(*given)


def no_grad(function: Program, given: list[Any]) -> Callable[[], Any]:
    """The call without a record for a gradient, in PyTorch."""
    import torch

    def call() -> Any:
        with torch.no_grad():
            return function(*given)

    return call


MLIRAD = System("mlirad", "mlirad", mlirad_functions)
PEERS: dict[str, System] = {
    "jax": System("JAX", "jax", jax_functions),
    "torch": System("PyTorch", "torch", torch_functions),
}
