"""The gradient of a function of a symmetric matrix through its eigenvalues and eigenvectors."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.problem import Golden, Problem, Program
from examples.programs import matrix_root


def golden() -> Golden:
    """By hand: the root R of A solves R dR + dR R = dA, and so does G of R G + G R = C for the gradient.

    The lower triangle of A stands for both, so the gradient of an element beside the diagonal is there twice.
    """
    matrix, weights = arguments = matrix_root.random_instance(8, seed=1)
    values, vectors = np.linalg.eigh(matrix)
    root = (vectors * np.sqrt(values)) @ vectors.T
    one = np.eye(len(matrix))
    sylvester = np.kron(root, one) + np.kron(one, root)
    gradient = np.linalg.solve(sylvester, (weights + weights.T).ravel() / 2).reshape(matrix.shape)
    return Golden(arguments, np.sum(weights * root), (np.tril(2 * gradient) - np.diag(np.diag(gradient)),))


def jax_program() -> Program:
    import jax.numpy as jnp

    def weighted_root(matrix, weights):
        lower = jnp.tril(matrix)
        values, vectors = jnp.linalg.eigh(lower + jnp.tril(matrix, -1).T, symmetrize_input=False)
        return jnp.sum(weights * ((vectors * jnp.sqrt(values)) @ vectors.T))

    return weighted_root


def torch_program() -> Program:
    import torch

    def weighted_root(matrix, weights):
        values, vectors = torch.linalg.eigh(torch.tril(matrix) + torch.tril(matrix, -1).T)
        return (weights * ((vectors * torch.sqrt(values)) @ vectors.T)).sum()

    return weighted_root


PROBLEM = Problem(
    name="eigh",
    argnums=(0,),
    sizes={
        "n50": partial(matrix_root.random_instance, 50),
        "n200": partial(matrix_root.random_instance, 200),
    },
    golden=golden,
    numpy_program=matrix_root.weighted_root,
    jax_program=jax_program,
    torch_program=torch_program,
)
