"""Signatures of closures that are passed on before they are called: a level of joins costs one more trace."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad

Function = Callable[..., Any]


def traces(f: Function, *args: Any) -> int:
    """The number of traces of `f` when it is compiled."""
    count = itertools.count()  # a variable would get its former value before each further trace

    def counted(*given: Any) -> Any:
        next(count)
        return f(*given)

    ad.trace(counted, *args)
    return next(count)


def only_called(x: Any) -> Any:
    f = ad.lambda_(lambda z: z * x)
    return f(x) + f(1.0)


def with_examples(x: Any) -> Any:
    return ad.cond(x > 0, lambda: ad.lambda_(np.sin, 0.0), lambda: ad.lambda_(np.cos, 0.0))(x)


def one_has_examples(x: Any) -> Any:
    """The other one takes its signature, in whatever order they come."""
    f = ad.cond(x > 0, lambda: ad.lambda_(np.sin), lambda: ad.lambda_(np.cos, 0.0))
    g = ad.fold(lambda f, y: ad.lambda_(lambda z: z * y, 0.0), ad.lambda_(np.sin), np.ones(2))
    return f(x) + g(x)


def chosen(x: Any) -> Any:
    return ad.cond(x > 0, lambda: ad.lambda_(np.sin), lambda: ad.lambda_(lambda z: z * x))(x)


def chosen_among_three(x: Any) -> Any:
    i = np.floor(x).astype(np.int64)
    f = ad.switch(i, [lambda: ad.lambda_(np.sin), lambda: ad.lambda_(np.cos), lambda: ad.lambda_(np.tanh)])
    return f(x) + f(1)


def carried(x: Any) -> Any:
    def step(carry: Any, y: Any) -> Any:
        f, z = carry
        return ad.lambda_(lambda w: w * y), f(z)

    return ad.fold(step, (ad.lambda_(np.sin), x), np.ones(3))[1]


def given_to_a_function(x: Any) -> Any:
    return ad.function(lambda f, z: f(f(z)))(ad.lambda_(lambda z: z * x), x)


def returned_by_a_function(x: Any) -> Any:
    return ad.function(lambda a: ad.lambda_(lambda z: z * a))(x)(x)


def in_a_sum(x: Any) -> Any:
    f = ad.lambda_(lambda z: z * x)
    return ad.case(
        ad.cond(x > 0, lambda: ad.left(f, 0.0), lambda: ad.left(f, 0.0)), lambda f: f(x), lambda y: y
    )


def chosen_twice(x: Any) -> Any:
    """A maker of functions is chosen, and a function that calls it."""
    make = ad.cond(
        x > 0,
        lambda: ad.lambda_(lambda a: ad.lambda_(lambda z: z * a)(x)),
        lambda: ad.lambda_(np.sin),
    )
    f = ad.cond(x > 1, lambda: ad.lambda_(lambda z: make(z) * x), lambda: ad.lambda_(lambda z: z))
    return f(x) + make(x)


def given_to_one_that_is_chosen(x: Any) -> Any:
    """Knowledge of the argument refines what was learned of the function."""
    f = ad.cond(x > 0, lambda: ad.lambda_(lambda g: g(x)), lambda: ad.lambda_(lambda g: g(x) * x))
    return f(ad.lambda_(np.sin))


EXPECTED: list[tuple[Function, int]] = [
    (only_called, 1),
    (with_examples, 1),
    (one_has_examples, 1),
    (chosen, 2),
    (chosen_among_three, 2),
    (carried, 2),
    (given_to_a_function, 2),
    (returned_by_a_function, 2),
    (in_a_sum, 2),
    (chosen_twice, 3),
    (given_to_one_that_is_chosen, 4),
]


@pytest.mark.parametrize(("f", "count"), EXPECTED, ids=lambda f: getattr(f, "__name__", None))
def test_number_of_traces(f: Function, count: int) -> None:
    assert traces(f, 0.5) == count
    slope = ad.grad(f, interpret=True)(0.5)
    value = ad.jit(f, interpret=True)
    assert abs(slope - (value(0.5 + 1e-6) - value(0.5 - 1e-6)) / 2e-6) < 1e-6


def test_a_python_scalar_in_the_first_call_is_widened_by_later_ones() -> None:
    def f(x: Any) -> Any:
        g = ad.cond(x > 0, lambda: ad.lambda_(lambda z: z * x), lambda: ad.lambda_(lambda z: z + x))
        return g(1) + g(0.5) + g(x)

    assert ad.jit(f)(2.0) == 7
    assert traces(f, 2.0) == 3


def test_reports_and_signatures_are_both_found(capfd: pytest.CaptureFixture[str]) -> None:
    def f(x: Any) -> Any:
        ad.debug_print("x = {}", x)
        return chosen(x)

    assert ad.jit(f)(-2.0) == 4
    assert capfd.readouterr().out == "x = -2.0\n"


def test_derivative_maps_and_sparse_jacobians_learn_too() -> None:
    def f(x: Any) -> Any:
        g = ad.cond(x[0] > 0, lambda: ad.lambda_(lambda z: x[0] * z), lambda: ad.lambda_(np.sin))
        return g(x[::2])

    x = np.array([2.0, 3.0, 5.0])
    expected = [[4.0, 0.0, 0.0], [5.0, 0.0, 2.0]]
    np.testing.assert_allclose(ad.linearize(f, x)[1].to_dense(), expected)
    np.testing.assert_allclose(ad.jacobian(f, sparse=True)(x).todense(), expected)


def test_a_signature_is_of_the_place_and_of_who_calls_it() -> None:
    def made(x: Any) -> Any:
        return ad.cond(x > 0, lambda: ad.lambda_(lambda z: z * x), lambda: ad.lambda_(lambda z: z))

    def f(x: Any) -> Any:
        return made(x)(x) + np.sum(made(x)(np.ones(3)))

    assert ad.jit(f)(2.0) == 10


def test_one_place_of_two_signatures() -> None:
    def f(x: Any) -> Any:
        functions = [ad.cond(x > 0, lambda: ad.lambda_(np.sum), lambda: ad.lambda_(np.max)) for _ in range(2)]
        return functions[0](np.ones(2)) + functions[1](np.ones(3))

    with pytest.raises(ad.ShapeError, match=r"is called with .*its signature was learned") as caught:
        ad.jit(f)(1.0)
    assert "ad.lambda_(f, np.zeros(3))" in str(caught.value.hint)
