"""The gradient of log-sum-exp: one exponential per element, the rest is memory traffic."""

from __future__ import annotations

from functools import partial

from benchmarks.problem import Arguments, Golden, Problem, Program, read_golden
from examples.programs import lse


def instance(n: int) -> Arguments:
    return (lse.random_instance(n),)


def golden() -> Golden:
    given, output = read_golden("lse_100")
    return Golden((given["x"],), output["primal"], (output["gradient"],))


def jax_program() -> Program:
    from jax.nn import logsumexp

    return logsumexp


def torch_program() -> Program:
    import torch

    return lambda x: torch.logsumexp(x, 0)


PROBLEM = Problem(
    name="lse",
    argnums=(0,),
    sizes={"1e4": partial(instance, 10**4), "1e6": partial(instance, 10**6)},
    golden=golden,
    numpy_program=lse.primal,
    jax_program=jax_program,
    torch_program=torch_program,
)
