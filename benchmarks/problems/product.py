"""The gradient of the product of all elements. JAX has the same loop, PyTorch, which has no loops, `prod`."""

from __future__ import annotations

from benchmarks.problem import Arguments, Golden, Problem, Program
from examples.programs import product


def instance(n: int) -> Arguments:
    return (product.random_instance(n),)


def golden() -> Golden:
    """By hand: the product over the element."""
    x = product.random_instance(30, seed=1)
    value = 1.0
    for factor in x:
        value *= factor
    return Golden((x,), value, (value / x,))


def jax_program() -> Program:
    import jax

    return lambda x: jax.lax.scan(lambda made, factor: (made * factor, None), 1.0, x)[0]


def torch_program() -> Program:
    import torch

    return torch.prod


PROBLEM = Problem(
    name="product",
    argnums=(0,),
    sizes={f"1e{k}": lambda n=10**k: instance(n) for k in (4, 6)},
    golden=golden,
    numpy_program=product.by_fold,
    jax_program=jax_program,
    torch_program=torch_program,
)
