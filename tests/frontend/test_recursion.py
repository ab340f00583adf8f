"""`ad.function`: functions of the program, shared by their calls and recursive."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.func import CallOp, FuncOp

import mlirad as ad
from mlirad.interpreter import run_function

X = np.arange(3.0)


def value(function, *args):
    """The value by the traced program, without any pass."""
    results = run_function(ad.trace(function, *args), args, function="main")
    return results[0] if len(results) == 1 else results


def functions(function, *args):
    return [op for op in ad.trace(function, *args).walk() if isinstance(op, FuncOp)]


@ad.function
def power(x, n):
    return ad.cond(n == 0, lambda: 1.0, lambda: x * power(x, n - 1))


def test_a_function_is_traced_once_for_all_calls():
    seen = []

    @ad.function
    def half(x):
        seen.append(x)
        return x / 2

    program = lambda x: half(x) + half(x + 1) + np.sum(half(np.ones(3)))  # noqa: E731
    assert value(program, 3.0) == 1.5 + 2 + 1.5
    assert len(seen) == 2
    assert len(functions(program, 3.0)) == 3


def test_calls_in_regions_and_structures():
    @ad.function
    def step(state, x):
        return {"sum": state["sum"] + x, "last": x}

    result = value(lambda x: ad.fold(step, {"sum": 0.0, "last": 0.0}, x)["sum"], X)
    assert result == 3


def test_captured_values_are_passed_on():
    def program(x, w):
        @ad.function
        def scaled(y):
            return y * np.sum(w)

        return scaled(x) + ad.fold(lambda c, t: c + scaled(t), 0.0, w)

    assert value(program, 2.0, X) == 2 * 3 + 3 * 3


@pytest.mark.parametrize("n", [0, 1, 7])
def test_recursion_on_a_scalar(n):
    assert value(power, 1.31, n) == pytest.approx(1.31**n)
    calls = [op for op in ad.trace(power, 1.31, n).walk() if isinstance(op, CallOp)]
    assert len(calls) == 2


@pytest.mark.parametrize("interpret", [False, True])
def test_recursion_through_the_compiler(interpret):
    assert ad.jit(power, interpret=interpret)(1.31, 7) == pytest.approx(1.31**7)
    rows = ad.vmap(power, (0, None), interpret=interpret)(X, 2)
    np.testing.assert_array_equal(rows, X**2)
    assert ad.grad(power, interpret=interpret)(1.31, 7) == pytest.approx(7 * 1.31**6)


def test_results_of_recursion_follow_from_the_branches_that_end_it():
    @ad.function
    def gcd(a, b):
        return ad.cond(b == 0, lambda: a, lambda: gcd(b, a % b))

    assert value(gcd, 84, 36) == 12

    @ad.function
    def widened(x, n):
        return ad.cond(n == 0, lambda: 0, lambda: widened(x, n - 1) + x)

    assert value(widened, np.float32(2), 3).dtype == np.float32


def test_recursion_after_the_call_of_another():
    @ad.function
    def is_even(n):
        return ad.cond(n == 0, lambda: True, lambda: is_odd(n - 1))

    @ad.function
    def is_odd(n):
        return ad.cond(n == 0, lambda: False, lambda: is_even(n - 1))

    assert [bool(value(is_even, n)) for n in range(4)] == [True, False, True, False]


def test_recursion_with_captured_values():
    def program(x, n):
        @ad.function
        def sums(k):
            return ad.cond(k == 0, lambda: 0.0, lambda: x + sums(k - 1))

        return sums(n)

    assert value(program, 1.5, 4) == 6


def test_recursion_on_static_structure():
    @ad.function
    def total(tree):
        if isinstance(tree, tuple):
            return total(tree[0]) + total(tree[1])
        return np.sum(tree)

    tree = ((X, 1.0), (2.0, (X, 3.0)))
    assert ad.jit(total, interpret=True)(tree) == 12


def test_a_stated_result():
    @ad.function(returns=np.zeros(3))
    def doubled(x, n):
        return ad.cond(n == 0, lambda: x, lambda: doubled(x, n - 1)) * 2

    np.testing.assert_array_equal(value(doubled, X, 2), X * 8)

    @ad.function(returns=np.float32(0))
    def wrong(x, n):
        return ad.cond(n == 0, lambda: 1.0, lambda: x * wrong(x, n - 1)).astype(np.float64)

    with pytest.raises(ad.DtypeError, match=r"float64\[\], and `returns` says float32\[\]"):
        value(wrong, 1.5, 2)


def test_recursion_without_an_end_is_an_error():
    @ad.function
    def endless(x):
        return endless(x) + 1

    with pytest.raises(ad.TracingError, match="calls itself before it is known what it returns"):
        value(endless, 1.5)


def test_outside_of_a_trace_it_runs():
    @ad.function
    def half(x):
        return x / 2

    assert half(3.0) == 1.5
