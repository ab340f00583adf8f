"""The gradient of a polynomial least-squares fit, powers by multiplication: unrolled, and by a loop."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from benchmarks.problem import Golden, Problem, Program, read_golden
from examples.programs import llsq


def golden() -> Golden:
    given, output = read_golden("llsq_n16_m8")
    points = llsq.sample_points(given["n"])
    return Golden((given["x"], points), output["primal"], (output["gradient"],))


def jax_program() -> Program:
    import jax
    import jax.numpy as jnp

    def primal(x, t):
        def add_term(state, coefficient):
            power, total = state
            return (power * t, total + coefficient * power), None

        start = (jnp.ones_like(t), jnp.zeros_like(t))
        (_, polynomial), _ = jax.lax.scan(add_term, start, x)
        return 0.5 * jnp.sum((jnp.sign(t) - polynomial) ** 2)

    return primal


def torch_program() -> Program:
    import torch

    def primal(x, t):
        powers = torch.cumprod(t[:, None].expand(-1, x.numel() - 1), 1)
        polynomial = x[0] + powers @ x[1:]
        return 0.5 * ((torch.sign(t) - polynomial) ** 2).sum()

    return primal


PROBLEM = Problem(
    name="llsq",
    argnums=(0,),
    sizes={
        "n128 m128": partial(llsq.random_instance, 128, 128),
        "n4096 m128": partial(llsq.random_instance, 128, 4096),
    },
    golden=golden,
    numpy_program=llsq.primal,
    jax_program=jax_program,
    torch_program=torch_program,
)

BY_SCAN = replace(PROBLEM, name="llsq-scan", numpy_program=llsq.primal_by_scan)
