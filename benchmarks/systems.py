"""The systems that are timed: mlirad, the peers that are installed, and C by hand.

A system turns a problem and its arguments into functions of no arguments, one computing the value and one the
derivative, which return when their results are written. Arguments become the system's arrays once, which is
not timed.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import by_hand
from benchmarks.peers import is_installed, jax_in_double
from benchmarks.problem import Arguments, Problem, Program
from benchmarks.protocol import first_call

Call = Callable[[], Any]


@dataclass(frozen=True)
class Functions:
    """A problem instance in one system; `compiled` makes the derivative ready to run without running it,
    where the system can."""

    derivative: Call
    primal: Call | None = None  # C has only derivatives
    compiled: Callable[[], Call] | None = None


@dataclass(frozen=True)
class Prepared:
    """The functions after their first calls, and the seconds that the one of the derivative took."""

    primal: Call | None
    derivative: Call
    first_call: float


@dataclass(frozen=True)
class System:
    """`why_not` says what is missing on this machine, and `takes` whether the system has a problem."""

    name: str
    functions: Callable[[Problem, Arguments, int], Functions]
    why_not: Callable[[], str | None]
    takes: Callable[[Problem], bool] = lambda _: True

    def prepare(
        self, problem: Problem, arguments: Arguments, threads: int = 1, clock: str = "wall"
    ) -> Prepared:
        """Traces and compiles both functions by calling them once."""
        made = self.functions(problem, arguments, threads)
        seconds, _ = first_call(made.derivative, clock)
        if made.primal is not None:
            made.primal()
        return Prepared(made.primal, made.derivative, seconds)


# mlirad -------------------------------------------------------------------------------------------


def mlirad_functions(problem: Problem, arguments: Arguments, threads: int) -> Functions:
    import mlirad as ad

    options = thread_options(threads)
    primal = ad.jit(problem.value_in(ad, problem.numpy_program), **options)
    derivative = ad.jit(problem.derivative_in(ad, problem.numpy_program), **options)

    def compiled() -> Call:
        made = derivative.lower(*arguments).compile()
        return lambda: made(*arguments)

    return Functions(lambda: derivative(*arguments), lambda: primal(*arguments), compiled)


def thread_options(threads: int) -> dict[str, Any]:
    """The option by which mlirad's functions take a number of threads, if they have it."""
    return {"threads": threads} if has_threads() else {}


@functools.cache
def has_threads() -> bool:
    """Return whether mlirad has an option for the number of threads."""
    import mlirad as ad

    try:
        ad.jit(np.sin, threads=1)  # pyright: ignore[reportCallIssue]
    except (ad.MliradError, TypeError):
        return False
    return True


# Peers --------------------------------------------------------------------------------------------


def jax_functions(problem: Problem, arguments: Arguments, threads: int) -> Functions:
    """JAX takes as many threads as the process has processors (`benchmarks.protocol`)."""
    jax = jax_in_double()
    program = problem.jax_program()
    primal = jax.jit(problem.value_in(jax, program))
    derivative = jax.jit(problem.derivative_in(jax, program))
    given = [jax.numpy.asarray(argument) for argument in arguments]
    ready = jax.block_until_ready

    def compiled() -> Call:
        made = derivative.lower(*given).compile()
        return lambda: ready(made(*given))

    return Functions(lambda: ready(derivative(*given)), lambda: ready(primal(*given)), compiled)


def torch_functions(problem: Problem, arguments: Arguments, threads: int) -> Functions:
    return _torch_functions(problem, arguments, threads, lambda program: program)


def compiled_torch_functions(problem: Problem, arguments: Arguments, threads: int) -> Functions:
    import torch

    torch.compiler.reset()
    return _torch_functions(
        problem, arguments, threads, lambda program: torch.compile(program, dynamic=False)
    )


def _torch_functions(
    problem: Problem, arguments: Arguments, threads: int, made: Callable[[Program], Program]
) -> Functions:
    import torch

    torch.set_num_threads(threads)
    program = problem.torch_program()
    value = made(problem.value_in(torch.func, program))
    given = [torch.from_numpy(np.array(argument)) for argument in arguments]

    def primal() -> Any:
        with torch.no_grad():
            return value(*given)

    if problem.torch_derivative is not None:
        derivative = problem.torch_derivative(made(program))
    elif problem.derivative is not None:
        derivative = made(problem.derivative_in(torch.func, program))
    else:
        differentiated = made(program)
        parameters = [given[position].requires_grad_() for position in problem.argnums]
        return Functions(lambda: torch.autograd.grad(differentiated(*given), parameters), primal)
    return Functions(lambda: derivative(*given), primal)


# By hand ------------------------------------------------------------------------------------------


def c_functions(problem: Problem, arguments: Arguments, threads: int) -> Functions:
    """C has one thread."""
    return Functions(by_hand.derivative(problem.name, arguments))


def is_missing(module: str, name: str) -> Callable[[], str | None]:
    return lambda: None if is_installed(module) else f"{name} is not installed (pip install {module})"


def no_torch_compiler() -> str | None:
    missing = is_missing("torch", "PyTorch")()
    if missing is None and by_hand.compiler() is None:
        return "torch.compile needs a C++ compiler, and there is none"
    return missing


SYSTEMS: dict[str, System] = {
    "mlirad": System("mlirad", mlirad_functions, lambda: None),
    "jax": System("JAX", jax_functions, is_missing("jax", "JAX")),
    "torch": System("PyTorch", torch_functions, is_missing("torch", "PyTorch")),
    "torch-compiled": System(
        "PyTorch compiled",
        compiled_torch_functions,
        no_torch_compiler,
        lambda problem: not problem.unrolls_in_torch,
    ),
    "c": System("C", c_functions, by_hand.why_not, lambda problem: problem.name in by_hand.DERIVATIVES),
}
MLIRAD = SYSTEMS["mlirad"]
PEERS = ("jax", "torch", "torch-compiled")


def cores() -> list[int]:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))
