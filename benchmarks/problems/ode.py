"""The gradient of the last component of an ODE's solution, by Runge-Kutta steps.

The number of steps is the length of an argument, so that every system may compile for it. The right-hand side
is written with `np.concatenate`, and in `ode-build` by a formula for each component.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.problem import Arguments, Golden, Problem, Program, read_golden
from examples.programs import ode


def numpy_program(x, times):
    return ode.last_component(x, len(times))


def by_build(x, times):
    return ode.last_component(x, len(times), ode.slope_by_build)


def instance(n: int, steps: int) -> Arguments:
    return ode.random_instance(n), np.linspace(0.0, ode.END, steps, endpoint=False)


def golden() -> Golden:
    """The golden result for four parameters, for which the method has the gradient of the exact solution; one
    step.
    """
    given, output = read_golden("ode_n4_s1")
    arguments = (given["x"], np.zeros(given["s"]))
    return Golden(arguments, output["primal"][-1], (output["gradient"],))


def jax_program() -> Program:
    import jax
    import jax.numpy as jnp

    def last_component(x, times):
        h = ode.END / len(times)

        def slope(y):
            return x * jnp.concatenate([jnp.ones(1), y[:-1]])

        def step(y, _):
            k1 = slope(y)
            k2 = slope(y + h / 2 * k1)
            k3 = slope(y + h / 2 * k2)
            k4 = slope(y + h * k3)
            return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

        return jax.lax.scan(step, jnp.zeros_like(x), times)[0][-1]

    return last_component


def torch_program() -> Program:
    import torch

    def last_component(x, times):
        h = ode.END / len(times)
        one = torch.ones(1, dtype=x.dtype)

        def slope(y):
            return x * torch.cat([one, y[:-1]])

        y = torch.zeros_like(x)
        for _ in range(len(times)):
            k1 = slope(y)
            k2 = slope(y + h / 2 * k1)
            k3 = slope(y + h / 2 * k2)
            k4 = slope(y + h * k3)
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return y[-1]

    return last_component


PROBLEM = Problem(
    name="ode",
    argnums=(0,),
    sizes={
        "n1e3 s10": lambda: instance(1000, 10),
        "n1e4 s100": lambda: instance(10_000, 100),
    },
    golden=golden,
    numpy_program=numpy_program,
    jax_program=jax_program,
    torch_program=torch_program,
    unrolls_in_torch=True,
)

BY_BUILD = replace(PROBLEM, name="ode-build", numpy_program=by_build)
