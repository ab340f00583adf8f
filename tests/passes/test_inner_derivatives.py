"""Derivatives inside of what a specification differentiates: second and third orders, against dual arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.dialects.linear import DifferentiationOp
from mlirad.ir.call_graph import functions_by_name
from mlirad.ir.regions import nested_ops
from mlirad.pipeline_options import SPECIFICATIONS
from tests.passes.derivatives import run_passes

X = np.array([0.3, 0.5])


def scanned(x: Any) -> Any:
    return np.sum(ad.scan(lambda s, c: (np.sin(s) * c + s, s), x, np.arange(4.0))[0] ** 2)


def branch(x: Any) -> Any:
    return ad.cond(x[0] < 1, lambda x: x[0] ** 3 * x[1], lambda x: x[1], x)


def chosen(x: Any) -> Any:
    square = lambda: ad.lambda_(lambda y: y**2 * x[1], 1.0)  # noqa: E731
    same = lambda: ad.lambda_(lambda y: y, 1.0)  # noqa: E731
    return ad.cond(x[0] < 1, square, same)(x[0])


def inside(x: Any) -> Any:
    return np.sum(ad.grad(lambda y: np.sum(np.cos(y) * y**2 * x[0]))(x))


def counted(x: Any) -> Any:
    """A loop on data."""
    step = lambda s: (np.sin(s[0]) * x[1] + x[0], s[1] + 1)  # noqa: E731
    return ad.while_loop(lambda s: s[1] < 4, step, (x[0], 0))[0]


def counted_in_a_branch(x: Any) -> Any:
    """A loop on data inside another, where a branch decides."""

    def step(state: Any) -> Any:
        y, n = state
        return ad.cond(y < 0.6, lambda: counted(np.stack([y, x[1]])), lambda: y * x[1]), n + 1

    return ad.while_loop(lambda s: s[1] < 3, step, (x[0], 0))[0]


@ad.function
def powers(n: Any, y: Any) -> Any:
    return ad.cond(n <= 0, lambda: y, lambda: np.sin(y * powers(n - 1, 0.9 * y)) + powers(n - 2, y))


def recursive(x: Any) -> Any:
    """Recursion whose depth depends on data."""
    return powers(np.sum(x > 0), x[0] * x[1]) * x[1]


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "elementwise": lambda x: np.sum(np.sin(x) ** 2 * x),
    "scan": scanned,
    "branch": branch,
    "closures": chosen,
    "gradient": inside,
    "norm": lambda x: np.linalg.norm(x) ** 3,
    "batch": lambda x: np.sum(ad.vmap(lambda a: np.exp(a) * x[0])(x) ** 2),
    "factors": lambda x: np.sum(np.log(np.diag(np.linalg.cholesky(np.outer(x, x) + np.eye(2))))),
    "loop on data": counted,
    "loops on data": counted_in_a_branch,
    "recursion": recursive,
    "batch of loops": lambda x: np.sum(ad.vmap(lambda a: counted(np.stack([a, x[0]])))(x)),
    "batch of recursion": lambda x: np.sum(ad.vmap(lambda a: powers(2, a * x[0]))(x)),
    "kink": lambda x: np.cos(np.abs(x[0] - 0.3)) * x[1] ** 2,
}


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("method", SPECIFICATIONS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_higher_orders(name: str, method: Any, order: int) -> None:
    function = FUNCTIONS[name]
    inner = ad.grad(function) if order == 2 else ad.hessian(function)
    expected = ad.jacfwd(inner)(X)
    np.testing.assert_allclose(ad.jacfwd(inner, method=method)(X), expected, rtol=1e-9, atol=1e-12)
    if order == 2:
        np.testing.assert_allclose(ad.jacrev(inner, method=method)(X), expected, rtol=1e-9, atol=1e-12)
        found = ad.jacrev(inner, method=method, interpret=True)(X)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_what_is_expanded() -> None:
    """The inner derivative goes, the outer one stays, and what is differentiated once is left as it is."""
    twice = ad.trace(ad.jacfwd(ad.grad(scanned)), X)
    once = ad.trace(ad.grad(scanned), X)
    for module, count in ((twice, 1), (once, 1)):
        before = str(module)
        after = run_passes(module.clone(), "expand-inner-derivatives")
        found = [
            op
            for function in functions_by_name(after).values()
            for op in nested_ops(function.body)
            if isinstance(op, DifferentiationOp)
        ]
        assert len(found) == count
        assert (str(after) == before) == (module is once)


def without_derivatives(x: Any) -> Any:
    """A function as a value beside a derivative, in code that nothing differentiates."""
    double = ad.lambda_(lambda y: 2 * y, 0.0)
    return ad.cond(x[0] < 1, lambda: ad.grad(lambda y: y**3)(double(x[0])), lambda: 0.0)


@pytest.mark.parametrize("method", SPECIFICATIONS)
def test_derivatives_beside_functions_as_values(method: Any) -> None:
    for interpret in (False, True):
        found = ad.jit(without_derivatives, method=method, interpret=interpret)(X)
        assert found == pytest.approx(3 * (2 * X[0]) ** 2)
