"""The gradient of the norm of a product of three matrices, in all of them."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.problem import Golden, Problem, Program
from examples.programs import matrix_chain


def golden() -> Golden:
    """By hand: the pullback of E = 2 A B C / n through both products."""
    a, b, c = arguments = matrix_chain.random_instance(6, seed=1)
    product = a @ b @ c
    error = 2 * product / len(a)
    value = np.linalg.norm(product) ** 2 / len(a)
    return Golden(arguments, value, (error @ (b @ c).T, a.T @ error @ c.T, (a @ b).T @ error))


def peer_program() -> Program:
    """Arrays of both peers have the operators of NumPy's."""
    return lambda a, b, c: ((a @ b @ c) ** 2).sum() / len(a)


PROBLEM = Problem(
    name="matrix-chain",
    argnums=(0, 1, 2),
    sizes={
        "512 f32": partial(matrix_chain.random_instance, 512, np.float32),
        "512 f64": partial(matrix_chain.random_instance, 512),
    },
    golden=golden,
    numpy_program=matrix_chain.loss,
    jax_program=peer_program,
    torch_program=peer_program,
)
