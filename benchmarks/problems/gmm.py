"""The gradient of the log posterior of a Gaussian mixture, in four parameter arrays."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from benchmarks.problem import Arguments, Golden, Problem, Program, read_golden
from examples.programs import gmm

M, GAMMA = 0, 1.0


def numpy_program(alpha, mu, q, l, x):  # noqa: E741
    return gmm.objective(alpha, mu, q, l, x, M, GAMMA)


def instance(d: int, k: int, n: int) -> Arguments:
    return tuple(gmm.random_instance(d, k, n)[:5])


def golden() -> Golden:
    given, output = read_golden("gmm_d10_k5_n200")
    return Golden(
        arguments=tuple(given[name] for name in ("alpha", "mu", "q", "l", "x")),
        value=output["objective"],
        gradient=tuple(output["jacobian"][name] for name in ("alpha", "mu", "q", "l")),
    )


def prior_constant(d: int) -> float:
    """The part of the log prior of one component that depends on no parameter."""
    degrees = d + M + 1
    log_gamma_d = 0.25 * d * (d - 1) * math.log(math.pi) + sum(
        math.lgamma(0.5 * (degrees - j)) for j in range(d)
    )
    return degrees * d * (math.log(GAMMA) - 0.5 * math.log(2)) - log_gamma_d


def jax_program() -> Program:
    import jax.numpy as jnp
    from jax.nn import logsumexp

    def objective(alpha, mu, q, l, x):  # noqa: E741
        (n, d), k = x.shape, alpha.size
        columns, rows = np.triu_indices(d, 1)
        diagonal = np.arange(d)
        precision = jnp.zeros((k, d, d)).at[:, rows, columns].set(l)
        precision = precision.at[:, diagonal, diagonal].set(jnp.exp(q))
        whitened = jnp.einsum("cij,nj->nci", precision, x)
        whitened -= jnp.einsum("cij,cj->ci", precision, mu)
        log_densities = alpha + jnp.sum(q, axis=1) - 0.5 * jnp.sum(whitened**2, axis=2)
        likelihood = jnp.sum(logsumexp(log_densities, axis=1)) - n * logsumexp(alpha)
        squares = jnp.sum(jnp.exp(q) ** 2) + jnp.sum(l**2)
        prior = k * prior_constant(d) - 0.5 * GAMMA**2 * squares + M * jnp.sum(q)
        return likelihood - 0.5 * n * d * math.log(2 * math.pi) + prior

    return objective


def torch_program() -> Program:
    import torch

    def objective(alpha, mu, q, l, x):  # noqa: E741
        (n, d), k = x.shape, alpha.numel()
        columns, rows = torch.triu_indices(d, d, 1)
        strictly_lower = torch.zeros((k, d, d), dtype=x.dtype)
        strictly_lower[:, rows, columns] = l
        precision = torch.diag_embed(torch.exp(q)) + strictly_lower
        whitened = torch.einsum("cij,nj->nci", precision, x)
        whitened = whitened - torch.einsum("cij,cj->ci", precision, mu)
        log_densities = alpha + q.sum(1) - 0.5 * (whitened**2).sum(2)
        likelihood = torch.logsumexp(log_densities, 1).sum() - n * torch.logsumexp(alpha, 0)
        squares = (torch.exp(q) ** 2).sum() + (l**2).sum()
        prior = k * prior_constant(d) - 0.5 * GAMMA**2 * squares + M * q.sum()
        return likelihood - 0.5 * n * d * math.log(2 * math.pi) + prior

    return objective


PROBLEM = Problem(
    name="gmm",
    argnums=(0, 1, 2, 3),
    sizes={
        "d10 k25 n1000": partial(instance, 10, 25, 1000),
        "d64 k25 n1000": partial(instance, 64, 25, 1000),
    },
    golden=golden,
    numpy_program=numpy_program,
    jax_program=jax_program,
    torch_program=torch_program,
)
