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

from benchmarks.problem import Arguments, Problem


@dataclass(frozen=True)
class Prepared:
    """A problem instance in one system; the seconds are those of the first call of each."""

    primal: Callable[[], Any]
    gradient: Callable[[], tuple[Any, ...]]
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

    primal = ad.jit(problem.numpy_program)
    gradient = ad.grad(problem.numpy_program, argnums=problem.argnums)
    return (lambda: primal(*arguments)), (lambda: gradient(*arguments))


def jax_functions(problem: Problem, arguments: Arguments):
    import jax

    jax.config.update("jax_enable_x64", True)
    program = problem.jax_program()
    primal = jax.jit(program)
    gradient = jax.jit(jax.grad(program, argnums=problem.argnums))
    given = [jax.numpy.asarray(argument) for argument in arguments]
    return (
        lambda: jax.block_until_ready(primal(*given)),
        lambda: jax.block_until_ready(gradient(*given)),
    )


def torch_functions(problem: Problem, arguments: Arguments):
    import torch

    torch.set_num_threads(1)
    program = problem.torch_program()
    given = [torch.from_numpy(np.array(argument)) for argument in arguments]
    parameters = [given[position].requires_grad_() for position in problem.argnums]

    def primal() -> Any:
        with torch.no_grad():
            return program(*given)

    return primal, lambda: torch.autograd.grad(program(*given), parameters)


MLIRAD = System("mlirad", "mlirad", mlirad_functions)
PEERS: dict[str, System] = {
    "jax": System("JAX", "jax", jax_functions),
    "torch": System("PyTorch", "torch", torch_functions),
}
