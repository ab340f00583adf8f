"""Functions of JAX with derivative rules keep them, in both modes and to higher orders."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import mpmath
import numpy as np
import pytest

import mlirad as ad

X = np.array([0.5, -0.3, 0.0, 2.0])


@pytest.fixture
def jax() -> Iterator[Any]:
    package = pytest.importorskip("jax")
    with package.enable_x64(True), warnings.catch_warnings():
        warnings.simplefilter("error", ad.DroppedRuleWarning)
        yield package


def steep(jax: Any) -> Callable[[Any], Any]:
    """sin, with a derivative that calls it: 3 sin(x), whose derivative is 9 sin(x)."""
    f = jax.custom_jvp(jax.numpy.sin)
    f.defjvp(lambda x, t: (f(*x), 3 * t[0] * f(*x)))
    return f


def rounded(jax: Any) -> Callable[[Any], Any]:
    """Rounding, with the derivative of the identity."""
    f = jax.custom_vjp(lambda x: jax.numpy.round(x))
    f.defvjp(lambda x: (f(x), None), lambda _, g: (g,))
    return f


def power(jax: Any) -> Callable[[Any, Any], Any]:
    """A power by an integer, which has no cotangent; the derivative is not that of a power."""
    f = jax.custom_vjp(lambda x, n: x**n)
    f.defvjp(lambda x, n: (f(x, n), (x, n)), lambda saved, g: (5 * g * saved[0] ** 2, None))
    return f


def applied(jax: Any) -> Callable[[Any, Any], Any]:
    """A function that takes a function, which is not an argument to differentiate by."""
    f = partial(jax.custom_vjp, nondiff_argnums=(0,))(lambda function, x: function(x))
    f.defvjp(lambda function, x: (f(function, x), x), lambda function, x, g: (2 * g * function(x),))
    return f


def first_of_two(jax: Any) -> Callable[[Any, Any], Any]:
    """A product whose first factor alone moves, in structures."""
    f = jax.custom_jvp(lambda p: {"product": p["a"] * p["b"], "sign": p["a"] > 0})

    def rule(primals: Any, tangents: Any) -> Any:
        made = f(*primals)
        zero = np.zeros(made["sign"].shape, jax.dtypes.float0)
        return made, {"product": 7 * tangents[0]["a"] * primals[0]["b"], "sign": zero}

    f.defjvp(rule)
    return lambda a, b: f({"a": a, "b": b})["product"]


def root(jax: Any) -> Callable[[Any], Any]:
    """The cube root by bisection, whose own derivative is 0."""

    def bisected(f: Any, start: Any) -> Any:
        def half(_: Any, ends: Any) -> Any:
            low, high = ends
            middle = (low + high) / 2
            is_above = f(middle) > 0
            return jax.numpy.where(is_above, low, middle), jax.numpy.where(is_above, middle, high)

        return jax.lax.fori_loop(0, 60, half, (start - 3, start + 3))[0]

    def solved(a: Any) -> Any:
        start = jax.numpy.zeros_like(a)
        tangent = lambda g, y: y / g(jax.numpy.ones_like(y))  # noqa: E731
        return jax.lax.custom_root(lambda p: p**3 - a, start, bisected, tangent)

    return solved


def by_gradients(jax: Any) -> Callable[[Any], Any]:
    """A linear solve by conjugate gradients, whose own steps are not a function of what is 0."""
    scales = np.arange(1.0, 5.0)
    return lambda x: jax.scipy.sparse.linalg.cg(lambda v: (scales + x[0] ** 2) * v, x)[0]


def by_factors(jax: Any) -> Callable[[Any], Any]:
    """A linear solve by a factorisation, in a program that stops other gradients."""
    spread = np.eye(4) * 3 + np.ones((4, 4))
    return lambda x: jax.numpy.linalg.solve(spread * jax.numpy.exp(x), jax.lax.stop_gradient(x) * x)


CASES: dict[str, Callable[[Any], Callable[[Any], Any]]] = {
    "custom_jvp": lambda jax: lambda x: jax.numpy.sum(steep(jax)(x) * x),
    "custom_vjp": lambda jax: lambda x: jax.numpy.sum(rounded(jax)(x) * x),
    "an integer": lambda jax: lambda x: jax.numpy.sum(power(jax)(x, 3) * x),
    "a function": lambda jax: lambda x: jax.numpy.sum(applied(jax)(jax.numpy.cos, x)),
    "structures": lambda jax: lambda x: jax.numpy.sum(first_of_two(jax)(x, x**2)),
    "custom_root": lambda jax: lambda x: jax.numpy.sum(root(jax)(x + 1.0)),
    "cg": lambda jax: lambda x: jax.numpy.sum(by_gradients(jax)(x) ** 2),
    "solve": lambda jax: lambda x: jax.numpy.sum(by_factors(jax)(x) ** 2),
    "jit": lambda jax: lambda x: jax.numpy.sum(jax.jit(lambda t: steep(jax)(t) * 2)(x)),
    "checkpoint": lambda jax: lambda x: jax.numpy.sum(jax.checkpoint(lambda t: steep(jax)(t) * 2)(x)),
    "vmap": lambda jax: lambda x: jax.numpy.sum(jax.vmap(lambda t: steep(jax)(t) * t)(x[:, None] * x)),
    "cond": lambda jax: lambda x: jax.lax.cond(x[0] > 0, lambda: rounded(jax)(x[1]) * x[1], lambda: 0.0),
    "rules within rules": lambda jax: lambda x: jax.numpy.sum(rounded(jax)(steep(jax)(x)) ** 2),
    "softplus": lambda jax: lambda x: jax.numpy.sum(jax.nn.softplus(x)),
    "relu6": lambda jax: lambda x: jax.numpy.sum(jax.nn.relu6(x) ** 2),
    "logsumexp": lambda jax: lambda x: jax.scipy.special.logsumexp(x),
    "log_softmax": lambda jax: lambda x: jax.numpy.sum(jax.nn.log_softmax(x)[:2]),
    "gammainc": lambda jax: lambda x: jax.numpy.sum(jax.scipy.special.gammainc(2.0, x + 1.0)),
}
"""Functions of a vector, given JAX, with two derivatives."""


@pytest.mark.parametrize("name", CASES)
def test_derivatives_are_those_of_jax(name: str, jax: Any) -> None:
    function = CASES[name](jax)
    taken = ad.from_jax(function)
    value, slope = ad.value_and_grad(taken)(X)
    np.testing.assert_allclose(value, function(X), rtol=1e-12)
    np.testing.assert_allclose(slope, jax.grad(function)(X), rtol=1e-10)
    np.testing.assert_allclose(ad.jvp(taken, (X,), (X,))[1], slope @ X, rtol=1e-10)
    expected = jax.jacrev(jax.grad(function))(X)
    for second in (ad.jacfwd(ad.grad(taken)), ad.jacrev(ad.grad(taken))):
        np.testing.assert_allclose(second(X), expected, rtol=1e-8, atol=1e-12)


def test_a_rule_that_calls_its_function_is_followed_in_a_loop(jax: Any) -> None:
    """A sum over a scan has the second derivative of its terms, which JAX itself does not give there."""
    f = steep(jax)
    total = ad.from_jax(lambda x: jax.lax.scan(lambda c, t: (c + f(t), c), 0.0, x)[0])
    np.testing.assert_allclose(ad.grad(total)(X), 3 * np.sin(X), rtol=1e-12)
    np.testing.assert_allclose(ad.hessian(total)(X), np.diag(9 * np.sin(X)), rtol=1e-12)


def test_beyond_the_orders_that_are_read_a_derivative_is_nan(jax: Any) -> None:
    """A rule that calls its function elsewhere than at its arguments would never end."""
    f = jax.custom_jvp(jax.numpy.exp)
    f.defjvp(lambda x, t: (f(*x), 2 * t[0] * f(x[0] + 1) / np.e))
    derivative = ad.from_jax(lambda x: f(x))
    for order in range(6):
        found = derivative(0.5)
        if order < 5:
            np.testing.assert_allclose(found, 2**order * np.exp(0.5), rtol=1e-12)
        else:
            assert np.isnan(found)
        derivative = ad.grad(derivative)


def test_a_solve_keeps_its_rule_to_order_three(jax: Any) -> None:
    derivative = ad.from_jax(lambda x: by_gradients(jax)(jax.numpy.array([x, 0.0, x, 1.0]))[2])
    exact = lambda x: x / (3 + x * x)  # noqa: E731
    with mpmath.workdps(30):
        expected = [float(mpmath.diff(exact, 0.5, order)) for order in range(4)]
    for value in expected:
        np.testing.assert_allclose(derivative(0.5), value, rtol=1e-10)
        derivative = ad.grad(derivative)


def raising(jax: Any) -> Any:
    raise NotImplementedError("no derivative was written")


def unknown_here(jax: Any) -> Any:
    return jax.pure_callback(np.cos, jax.ShapeDtypeStruct((), np.float64), 0.5)


@pytest.mark.parametrize("rule", [raising, unknown_here])
def test_a_rule_that_is_not_kept_is_told_by_name(rule: Callable[[Any], Any], jax: Any) -> None:
    """One that raises, and one that does what mlirad cannot do."""

    @jax.custom_jvp
    def halved(x: Any) -> Any:
        return jax.numpy.sin(x) / 2

    halved.defjvp(lambda x, t: (halved(*x), rule(jax) * t[0]))
    with pytest.warns(ad.DroppedRuleWarning, match="the derivative rule of halved is not kept") as heard:
        f = ad.from_jax(lambda x: halved(x), 0.5)
    assert len(heard) == 1
    np.testing.assert_allclose(f(0.5), np.sin(0.5) / 2)
    np.testing.assert_allclose(ad.grad(f)(0.5), np.cos(0.5) / 2)
