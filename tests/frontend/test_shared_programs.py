"""Functions of equal code share compiled programs, unless anything tells them apart that a trace can see."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

import mlirad as ad
from mlirad.frontend.tracing.captures import find_captures


def cubes() -> Callable[..., Any]:
    """A function of code that all calls share."""

    def cubes(x: Any, y: Any = 1.0, k: int = 2) -> Any:
        return np.sum(x**3 * y) * k

    return cubes


TRANSFORMED: dict[str, Callable[[Any], Any]] = {
    "the function": lambda f: f,
    "jit": ad.jit,
    "jit, static": lambda f: ad.jit(f, static_argnames="k"),
    "jit, donated": lambda f: ad.jit(f, donate="x"),
    "jit, checked": lambda f: ad.jit(f, check_nans=True),
    "jit, by chad": lambda f: ad.jit(f, method="chad"),
    "jit, threads": lambda f: ad.jit(f, threads=2),
    "jit, rewritten": lambda f: ad.jit(f, control="rewrite"),
    "grad": ad.grad,
    "grad by y": lambda f: ad.grad(f, argnums=1),
    "grad by both": lambda f: ad.grad(f, argnums=(0, 1)),
    "grad, holomorphic": lambda f: ad.grad(f, holomorphic=True),
    "grad, aux": lambda f: ad.grad(f, has_aux=True),
    "value_and_grad": ad.value_and_grad,
    "jacobian": ad.jacobian,
    "jacobian, sparse": lambda f: ad.jacobian(f, sparse=True),
    "jacfwd": ad.jacfwd,
    "jacrev": ad.jacrev,
    "hessian": ad.hessian,
    "hessian, sparse": lambda f: ad.hessian(f, sparse=True),
    "vmap": ad.vmap,
    "vmap, axes": lambda f: ad.vmap(f, in_axes=(0, None)),
    "vmap, out": lambda f: ad.vmap(f, out_axes=1),
    "vmap of grad": lambda f: ad.vmap(ad.grad(f)),
    "vmap of hessian": lambda f: ad.vmap(ad.hessian(f)),
    "rewritten": ad.rewritten,
    "checkpoint": ad.checkpoint,
    "named": ad.function,
    "custom": ad.custom_derivative,
}  # fmt: skip


def test_keys_tell_transformations_apart_and_equal_functions_not() -> None:
    def key(name: str) -> Any:
        return find_captures(TRANSFORMED[name](cubes())).key

    keys = {name: key(name) for name in TRANSFORMED}
    for name, known in keys.items():
        assert key(name) == known, name
    for first, second in combinations(keys, 2):
        assert keys[first] != keys[second], (first, second)


def test_programs_are_of_the_transformation_that_is_called() -> None:
    x = np.arange(12.0).reshape(3, 4) + 1.0
    for outer, points in ((ad.jit, x[0]), (ad.vmap, x)):
        for _ in range(2):
            gradients = outer(ad.grad(cubes()))(points)
            hessians = outer(ad.hessian(cubes()))(points)
            np.testing.assert_allclose(gradients, 6.0 * points**2, rtol=1e-14)
            np.testing.assert_allclose(hessians, 12.0 * points[..., None] * np.eye(4), rtol=1e-14)
