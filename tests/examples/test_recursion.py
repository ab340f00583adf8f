"""Derivatives of recursive functions: against closed forms, loops, differences, and what they cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.func import CallOp, FuncOp

import mlirad as ad
from mlirad.interpreter import OperationCounter, run_function
from mlirad.pipelines import pipeline_passes, run_passes

both_evaluators = pytest.mark.parametrize("interpret", [False, True], ids=["compiled", "interpreted"])

W = np.linspace(0.3, 1.2, 6)


def difference(f: Callable[[float], Any], x: float, step: float = 1e-4) -> Any:
    """The central difference, extrapolated once."""
    coarse = (f(x + 2 * step) - f(x - 2 * step)) / (4 * step)
    return (4 * (f(x + step) - f(x - step)) / (2 * step) - coarse) / 3


def expanded(function: Callable[..., Any], *args: Any) -> Any:
    """The traced function as array code."""
    module = ad.trace(function, *args)
    run_passes(module, pipeline_passes("expand"))
    return module


def operations(function: Callable[..., Any], *args: Any) -> int:
    """The number of operations that the function executes."""
    counter = OperationCounter()
    run_function(expanded(function, *args), args, function="main", counter=counter)
    return counter.total


@ad.function
def power(x, n):
    return ad.cond(n == 0, lambda: 1.0, lambda: x * power(x, n - 1))


@both_evaluators
@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_powers_to_the_third_order(n, interpret):
    x = 1.3
    polynomial = np.polynomial.Polynomial([0] * n + [1])
    value, first = ad.value_and_grad(power, interpret=interpret)(x, n)
    assert value == pytest.approx(x**n)
    assert first == pytest.approx(polynomial.deriv()(x))
    assert ad.jvp(power, (x, n), (1.0, None), interpret=interpret)[1] == pytest.approx(first)
    assert ad.grad(ad.grad(power), interpret=interpret)(x, n) == pytest.approx(polynomial.deriv(2)(x))
    third = ad.grad(ad.grad(ad.grad(power)), interpret=interpret)(x, n)
    assert third == pytest.approx(polynomial.deriv(3)(x))


@both_evaluators
def test_orders_and_modes_agree(interpret):
    def along(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda x: ad.jvp(f, (x,), (1.0,))[1]

    at = lambda x: power(x, 5)  # noqa: E731
    for first in (along, ad.grad):
        for second in (along, ad.grad):
            for third in (along, ad.grad):
                derivative = first(second(third(at)))
                assert ad.jit(derivative, interpret=interpret)(1.1) == pytest.approx(60 * 1.1**2)


@ad.function
def continued(x, n):
    """x / (1 + x / (1 + ...)), which tends to the root of y² + y = x."""
    return ad.cond(n == 0, lambda: x, lambda: x / (1 + continued(x, n - 1)))


@both_evaluators
def test_continued_fractions(interpret):
    x = 0.7
    root = np.sqrt(1 + 4 * x)
    assert continued(x, 60) == pytest.approx((root - 1) / 2)
    assert ad.grad(continued, interpret=interpret)(x, 60) == pytest.approx(1 / root)
    assert ad.grad(ad.grad(continued), interpret=interpret)(x, 60) == pytest.approx(-2 / root**3)


@ad.function
def newton(x, a):
    """The square root of a from x on, by as many steps as it takes."""
    after = (x + a / x) / 2
    return ad.cond(np.abs(after - x) < 1e-13 * x, lambda: after, lambda: newton(after, a))


@both_evaluators
def test_newtons_method(interpret):
    a = 3.0
    value, by_a = ad.value_and_grad(newton, argnums=1, interpret=interpret)(1.0, a)
    assert value == pytest.approx(np.sqrt(a), rel=1e-14)
    assert by_a == pytest.approx(0.5 * a**-0.5)
    assert ad.grad(ad.grad(newton, 1), 1, interpret=interpret)(1.0, a) == pytest.approx(-0.25 * a**-1.5)


@ad.function
def tree(x, n):
    """A product over a tree with the shape of the calls of Fibonacci's function."""
    return ad.cond(n < 2, lambda: np.sin(x * n) + x, lambda: tree(x, n - 1) * tree(x * 0.5, n - 2))


def tree_in_python(x, n):
    return np.sin(x * n) + x if n < 2 else tree_in_python(x, n - 1) * tree_in_python(x * 0.5, n - 2)


@both_evaluators
def test_trees(interpret):
    for n in (1, 6):
        first = difference(lambda x: tree_in_python(x, n), 0.9)  # noqa: B023
        second = difference(lambda x: difference(lambda y: tree_in_python(y, n), x, 1e-3), 0.9, 1e-3)  # noqa: B023
        assert ad.grad(tree, interpret=interpret)(0.9, n) == pytest.approx(first, rel=1e-8)
        assert ad.jvp(tree, (0.9, n), (1.0, None), interpret=interpret)[1] == pytest.approx(first, rel=1e-8)
        assert ad.grad(ad.grad(tree), interpret=interpret)(0.9, n) == pytest.approx(
            second, rel=1e-5, abs=1e-8
        )


@ad.function(returns=(0.0, 0))
def even(x, n):
    return ad.cond(n == 0, lambda: (x, 0), lambda: odd(np.sin(x), n - 1))


@ad.function(returns=(0.0, 0))
def odd(x, n):
    def deeper():
        y, calls = even(x * x, n - 1)
        return y + x, calls + 1

    return ad.cond(n == 0, lambda: (x * 3, 0), deeper)


def even_in_python(x, n):
    return x if n == 0 else odd_in_python(np.sin(x), n - 1)


def odd_in_python(x, n):
    return 3 * x if n == 0 else even_in_python(x * x, n - 1) + x


@both_evaluators
@pytest.mark.parametrize("n", [0, 1, 4, 5])
def test_functions_that_call_each_other_with_several_results(n, interpret):
    def f(x):
        return even(x, n)[0]

    def reference(x):
        return even_in_python(x, n)

    assert ad.grad(f, interpret=interpret)(0.7) == pytest.approx(difference(reference, 0.7), rel=1e-8)
    second = difference(lambda x: difference(reference, x, 1e-3), 0.7, 1e-3)
    assert ad.grad(ad.grad(f), interpret=interpret)(0.7) == pytest.approx(second, rel=1e-5, abs=1e-8)
    (value, calls), (image, none) = ad.jvp(lambda x: even(x, n), (0.7,), (1.0,), interpret=interpret)
    assert (value, calls, none) == (pytest.approx(reference(0.7)), n // 2, None)
    assert image == pytest.approx(difference(reference, 0.7), rel=1e-8)


def weighted(w, x):
    """Recursion on a captured array, which reads an element per call."""

    @ad.function
    def sums(k, y):
        return ad.cond(k == 0, lambda: y, lambda: w[k - 1] * np.sin(y) + sums(k - 1, y * w[k]))

    return sums(4, x)


def weighted_by_a_loop(w, x):
    def step(state, k):
        total, y = state
        return total + w[k - 1] * np.sin(y), y * w[k]

    total, y = ad.fold(step, (0.0, x), np.array([4, 3, 2, 1]))
    return total + y


@both_evaluators
def test_captured_arrays_against_a_loop(interpret):
    for argnums in (0, 1):
        by_loop = ad.grad(weighted_by_a_loop, argnums)(W, 0.8)
        np.testing.assert_allclose(ad.grad(weighted, argnums, interpret=interpret)(W, 0.8), by_loop)
    hessian = ad.hessian(weighted, interpret=interpret)(W, 0.8)
    np.testing.assert_allclose(hessian, ad.hessian(weighted_by_a_loop)(W, 0.8), rtol=1e-11, atol=1e-13)
    again = ad.jacrev(ad.grad(weighted), interpret=interpret)(W, 0.8)
    np.testing.assert_allclose(again, hessian, rtol=1e-11, atol=1e-13)
    image = ad.hvp(weighted, (W, 0.8), (W[::-1], 0.0), interpret=interpret)
    np.testing.assert_allclose(image[0], hessian @ W[::-1], rtol=1e-11)


def loops_in_recursion(x):
    @ad.function
    def rec(y, n):
        def deeper():
            def step(state):
                return state[0] + 0.9, state[1] * np.cos(state[1]) + x

            z = ad.while_loop(lambda s: s[0] < 3.0, step, (y, y))[1]
            return ad.fold(lambda c, t: rec(c * t, n - 1) + np.sin(c), z, np.array([0.5, 0.7]))

        return ad.cond(n == 0, lambda: y * x, deeper)

    outer = ad.fold(lambda c, t: rec(c + t, 2), 0.3, np.array([0.2, 0.4, 0.1]))
    return ad.while_loop(lambda s: s[1] < 2, lambda s: (rec(s[0], 1), s[1] + 1), (outer, 0))[0]


def loops_in_recursion_in_python(x):
    def rec(y, n):
        if n == 0:
            return y * x
        t, z = y, y
        while t < 3.0:
            t, z = t + 0.9, z * np.cos(z) + x
        for t in (0.5, 0.7):
            z = rec(z * t, n - 1) + np.sin(z)
        return z

    c = 0.3
    for t in (0.2, 0.4, 0.1):
        c = rec(c + t, 2)
    return rec(rec(c, 1), 1)


@both_evaluators
def test_loops_in_recursion_in_loops(interpret):
    reference = loops_in_recursion_in_python
    assert ad.jit(loops_in_recursion, interpret=interpret)(0.6) == pytest.approx(reference(0.6))
    first = ad.grad(loops_in_recursion, interpret=interpret)(0.6)
    assert first == pytest.approx(difference(reference, 0.6), rel=1e-7)
    assert ad.jvp(loops_in_recursion, (0.6,), (1.0,), interpret=interpret)[1] == pytest.approx(first)
    second = difference(ad.grad(loops_in_recursion), 0.6)
    assert ad.grad(ad.grad(loops_in_recursion), interpret=interpret)(0.6) == pytest.approx(second, rel=1e-6)


@both_evaluators
def test_lanes(interpret):
    x, n = np.arange(1.0, 5.0), np.arange(4)
    each = x ** (n - 1.0) * n
    np.testing.assert_allclose(ad.vmap(ad.grad(power), interpret=interpret)(x, n), each)
    np.testing.assert_allclose(ad.vmap(ad.grad(power), (0, None), interpret=interpret)(x, 3), 3 * x**2)
    twice = ad.vmap(ad.grad(ad.grad(power)), interpret=interpret)(x, n)
    np.testing.assert_allclose(twice, n * (n - 1) * x ** (n - 2.0))

    def total(x):
        return np.sum(ad.vmap(power)(x, n) * x)

    np.testing.assert_allclose(ad.grad(total, interpret=interpret)(x), (n + 1) * x**n)
    np.testing.assert_allclose(
        ad.hessian(total, interpret=interpret)(x), np.diag((n + 1) * n * x ** (n - 1.0))
    )
    jacobian = ad.jacobian(lambda x: ad.vmap(power)(x, n) * x[::-1], interpret=interpret)(x)
    expected = np.diag(each * x[::-1]) + np.fliplr(np.diag(x**n))
    np.testing.assert_allclose(jacobian, expected)


@both_evaluators
def test_an_array_shared_by_lanes(interpret):
    def program(w, xs):
        @ad.function
        def poly(x, k):
            return ad.cond(k == 5, lambda: w[5], lambda: w[k] + x * poly(x, k + 1))

        return np.sum(np.sin(ad.vmap(poly, (0, None))(xs, 0)))

    xs = np.linspace(-1.0, 1.0, 4)
    powers = xs[:, None] ** np.arange(6)
    by_w, by_xs = ad.grad(program, (0, 1), interpret=interpret)(W, xs)
    outer = np.cos(powers @ W)
    np.testing.assert_allclose(by_w, outer @ powers)
    np.testing.assert_allclose(by_xs, outer * np.polynomial.Polynomial(W).deriv()(xs))
    hessian = ad.hessian(program, interpret=interpret)(W, xs)
    np.testing.assert_allclose(hessian, -(powers * np.sin(powers @ W)[:, None]).T @ powers, atol=1e-13)


@both_evaluators
def test_custom_derivatives_and_checkpoints_in_recursion(interpret):
    @ad.custom_derivative
    def cube(x):
        return x**3

    @cube.rule
    def _(x):
        return lambda dx: 3 * x**2 * dx

    @ad.function
    def rec(x, n):
        return ad.cond(n == 0, lambda: x, lambda: cube(np.cos(rec(ad.checkpoint(np.sin)(x) * 0.9, n - 1))))

    def in_python(x, n):
        return x if n == 0 else np.cos(in_python(np.sin(x) * 0.9, n - 1)) ** 3

    expected = difference(lambda x: in_python(x, 4), 0.8)
    assert ad.grad(rec, interpret=interpret)(0.8, 4) == pytest.approx(expected, rel=1e-8)
    second = difference(lambda x: difference(lambda y: in_python(y, 4), x, 1e-3), 0.8, 1e-3)
    assert ad.grad(ad.grad(rec), interpret=interpret)(0.8, 4) == pytest.approx(second, rel=1e-5)


@both_evaluators
def test_recursion_on_static_structure(interpret):
    @ad.function
    def total(node):
        if isinstance(node, tuple):
            return np.sin(total(node[0])) * total(node[1])
        return np.sum(node * node)

    x = np.arange(3.0)
    by = ad.grad(total, interpret=interpret)(((x, 1.0), 2.0))
    inside = np.sin(5.0)
    np.testing.assert_allclose(by[0][0], np.cos(inside) * np.cos(5.0) * 4.0 * 2 * x)
    assert by[1] == pytest.approx(np.sin(inside) * 4.0)


@both_evaluators
def test_arrays_handed_down_and_single_precision(interpret):
    @ad.function
    def smooth(x, n):
        return ad.cond(n == 0, lambda: x, lambda: smooth((x + np.roll(x, 1)) / 2, n - 1) * x)

    def loss(x):
        return np.sum(smooth(x, 3) ** 2)

    def in_python(x, n=3):
        return x if n == 0 else in_python((x + np.roll(x, 1)) / 2, n - 1) * x

    direction = W[::-1]
    expected = difference(lambda t: np.sum(in_python(W + t * direction) ** 2), 0.0)
    assert ad.grad(loss, interpret=interpret)(W) @ direction == pytest.approx(expected)
    single = ad.grad(loss, interpret=interpret)(W.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, ad.grad(loss)(W), rtol=1e-4)
    empty = np.zeros(0)
    assert ad.grad(loss, interpret=interpret)(empty).shape == (0,)


@both_evaluators
def test_a_pole_off_the_path_does_no_harm(interpret):
    @ad.function
    def rec(x, n):
        return ad.cond(n == 0, lambda: x * x, lambda: np.where(x > 0, np.sqrt(x), 0.0) + rec(x, n - 1))

    assert ad.grad(rec, interpret=interpret)(0.0, 3) == 0.0
    assert np.isnan(ad.grad(rec, interpret=interpret)(np.nan, 0))


def test_residual_programs():
    y, jacobian = ad.linearize(power, 1.3, 5)
    assert y == pytest.approx(1.3**5)
    assert jacobian(2.0, None) == pytest.approx(2 * 5 * 1.3**4)
    assert jacobian.T(2.0)[0] == pytest.approx(2 * 5 * 1.3**4)
    _, pullback = ad.vjp(power, 1.3, 5)
    assert pullback(3.0)[0] == pytest.approx(3 * 5 * 1.3**4)


def test_structures_take_recursion_to_depend_on_everything():
    @ad.function
    def powers(x, n):
        return ad.cond(n == 0, lambda: np.ones_like(x), lambda: x * powers(x, n - 1))

    x = np.arange(1.0, 4.0)
    found = ad.jacobian(lambda x: np.hstack([powers(x, 3), x]), sparse=True)(x)
    np.testing.assert_allclose(found.toarray(), np.vstack([np.diag(3 * x**2), np.eye(3)]))
    twice = ad.hessian(lambda x: np.sum(powers(x, 3)), sparse=True)(x)
    np.testing.assert_allclose(twice.toarray(), np.diag(6 * x))


# Cost ----------------------------------------------------------------------------------------------


def test_a_function_called_from_two_places_is_derived_once():
    module = expanded(ad.grad(lambda x: power(np.cos(x), 3) * power(np.sin(x), 4)), 1.3)
    names = [f.sym_name.data for f in module.body.ops if isinstance(f, FuncOp)]
    assert sorted(names) == ["main", "power_record", "power_reverse"]
    (main,) = (f for f in module.body.ops if isinstance(f, FuncOp) and f.sym_name.data == "main")
    calls = [op.callee.root_reference.data for op in main.walk() if isinstance(op, CallOp)]
    assert sorted(calls) == 2 * ["power_record"] + 2 * ["power_reverse"]


@pytest.mark.parametrize("derivative", [ad.grad, lambda f: ad.grad(ad.grad(f))], ids=["first", "second"])
def test_the_reverse_sweep_is_linear_in_the_depth(derivative):
    short, long = (operations(derivative(power), 1.01, n) for n in (40, 80))
    assert long <= 2.2 * short


@pytest.mark.parametrize("n", [10, 1000])
def test_an_element_of_a_captured_array_costs_one_element_per_call(n):
    def program(w, x):
        @ad.function
        def rec(k, y):
            return ad.cond(k == 0, lambda: y, lambda: np.sin(rec(k - 1, y * w[k])))

        return rec(8, x)

    per_call = operations(ad.grad(program, (0, 1)), np.ones(n), 0.5)
    assert per_call - n <= 8 * 60


def test_gradients_cost_a_few_times_the_function():
    w = np.ones(12)
    assert operations(ad.grad(weighted, (0, 1)), w, 0.5) <= 6 * operations(weighted, w, 0.5)


# Limits ----------------------------------------------------------------------------------------------


def test_recursion_that_is_too_deep():
    deep = ad.grad(power)
    assert deep(1.0, 3000) == 3000
    with pytest.raises(RecursionError, match="more than 4000 deep"):
        deep(1.0, 5000)
    assert deep(1.0, 10) == 10


def test_a_function_that_needs_its_own_derivative():
    @ad.function(returns=0.0)
    def f(x, n):
        return ad.cond(n == 0, lambda: x * x, lambda: ad.grad(f)(x, n - 1))

    with pytest.raises(ad.MliradError, match="own derivative"):
        ad.jit(f)(1.5, 2)
