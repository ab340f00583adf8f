"""`where` protects: values and derivatives at and beyond the poles of the side not taken are right.

The functions are written with `np.where(x > 0, f(x), g(x))`; the expected figures come from the formulas of f
and g and their derivatives, evaluated on their own side only.
"""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad

both_evaluators = pytest.mark.parametrize("interpret", [False, True], ids=["compiled", "interpreted"])

POINTS = np.array([0.7, 0.0, -0.0, -0.4, -2.5, 0.2])

POLES = {
    "sqrt": (np.sqrt, lambda x: (x**0.5, 0.5 * x**-0.5, -0.25 * x**-1.5)),
    "log": (np.log, lambda x: (np.log(x), 1 / x, -(x**-2.0))),
    "reciprocal": (lambda x: 1 / x, lambda x: (1 / x, -(x**-2.0), 2 * x**-3.0)),
    "pow": (lambda x: x**0.3, lambda x: (x**0.3, 0.3 * x**-0.7, -0.21 * x**-1.7)),
    "pow-negative": (lambda x: x**-2.5, lambda x: (x**-2.5, -2.5 * x**-3.5, 8.75 * x**-4.5)),
    "pow-of-itself": (
        lambda x: x**x,
        lambda x: (
            x**x,
            x**x * (np.log(x) + 1),
            x**x * ((np.log(x) + 1) ** 2 + 1 / x),
        ),
    ),
    "acos": (
        lambda x: np.arccos(1 - x),
        lambda x: (np.arccos(1 - x), (2 * x - x * x) ** -0.5, -(1 - x) * (2 * x - x * x) ** -1.5),
    ),
    "norm": (lambda x: np.sqrt(x * x), lambda x: (x, 1.0, 0.0)),
    "log-of-sqrt": (lambda x: np.log(np.sqrt(x)), lambda x: (0.5 * np.log(x), 0.5 / x, -0.5 * x**-2.0)),
    "cube-root": (np.cbrt, lambda x: (x ** (1 / 3), x ** (-2 / 3) / 3, -2 / 9 * x ** (-5 / 3))),
}
"""f with a pole at 0, and its value, first and second derivative at positive points."""


def other(x):
    """The value where x is not positive: x + x^2 / 2."""
    return x + 0.5 * x * x


def masked(f):
    return lambda x: np.where(x > 0, f(x), other(x))


def safe_inside_too(f):
    """The same function, masked a second time from outside by a condition that never spoils it."""
    return lambda x: np.where(x > 1e300, f(x) * f(-x), np.where(x > 0, f(x), other(x)))


def in_build(f):
    def function(x):
        return ad.build(x.shape, lambda i: np.where(x[i] > 0, f(x[i]), other(x[i])))

    return function


def mapped(f):
    return lambda x: ad.map(lambda e: np.where(e > 0, f(e), other(e)), x)


FORMS = {"where": masked, "nested": safe_inside_too, "build": in_build, "map": mapped}


def expected(truth):
    """Value, first and second derivative at every point."""
    figures = [truth(x) if x > 0 else (other(x), 1 + x, 1.0) for x in POINTS]
    return [np.array(column) for column in zip(*figures, strict=True)]


def reverse(function):
    return ad.grad(lambda x: np.sum(function(x)))


def forward(function):
    return lambda x: ad.jvp(function, (x,), (np.ones_like(x),))[1]


MODES = {"reverse": reverse, "forward": forward}
"""The derivative of an elementwise function, by either mode."""


@both_evaluators
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", POLES)
def test_value_first_and_second_derivative(name, form, interpret):
    """Value, both modes, and all four ways to combine two of them, in one program."""
    f, truth = POLES[name]
    function = FORMS[form](f)

    def everything(x):
        firsts = [mode(function)(x) for mode in MODES.values()]
        seconds = [outer(inner(function))(x) for outer in MODES.values() for inner in MODES.values()]
        return function(x), firsts, seconds

    value, firsts, seconds = ad.jit(everything, interpret=interpret)(POINTS)
    want = expected(truth)
    np.testing.assert_allclose(value, want[0], rtol=1e-12)
    for got in firsts:
        np.testing.assert_allclose(got, want[1], rtol=1e-12)
    for got in seconds:
        np.testing.assert_allclose(got, want[2], rtol=1e-11, atol=1e-13)


def half_square(x):
    """At 0 the cotangent of sin x is 0, and the second derivative is 1 all the same."""
    return np.sum(0.5 * np.where(x > -1, np.sin(x), 0.0) ** 2)


def scaled(x):
    """The factor beside the mask vanishes."""
    return np.sum(np.where(x > -1, np.sin(x), 0.0) * x[::-1] * np.exp(x))


def in_a_matrix(x):
    """The cotangent vanishes in a contraction."""
    y = ad.build((4,), lambda i: np.where(x[i] > -1, np.sin(x[i]), 0.0))
    return y @ np.outer(np.arange(4.0), np.ones(4)) @ y


def of_a_gather(x):
    """The cotangent vanishes behind positions that repeat."""
    y = np.where(x > -1, np.sin(x), 0.0)[np.array([0, 0, 1, 3])]
    return np.sum(y * y[::-1] * x)


def of_powers(x):
    return np.sum(np.where(x > -1, x, 0.0) ** 3 + x[0] * np.where(x > -1, x, 0.0) ** 2)


VANISHING = [half_square, scaled, in_a_matrix, of_a_gather, of_powers]
AT = [np.zeros(4), np.array([0.0, -1.5, 0.5, 0.0]), np.array([-2.0, 0.0, 0.0, 1.0])]


def hessian_by_differences(function, x, step=1e-3):
    """Second central differences, extrapolated once."""

    def differences(h):
        unit = h * np.eye(x.size)
        return [
            [
                (function(x + a + b) - function(x + a - b) - function(x - a + b) + function(x - a - b))
                / (4 * h * h)
                for b in unit
            ]
            for a in unit
        ]

    return (4 * np.array(differences(step)) - np.array(differences(2 * step))) / 3


@both_evaluators
@pytest.mark.parametrize("function", VANISHING, ids=lambda f: f.__name__)
def test_hessians_where_cotangents_vanish(function, interpret):
    gradient = ad.grad(function)
    directional = lambda x, v: ad.jvp(function, (x,), (v,))[1]  # noqa: E731
    columns = {
        "forward of reverse": lambda x, v: ad.jvp(gradient, (x,), (v,))[1],
        "reverse of reverse": lambda x, v: ad.grad(lambda y: np.sum(gradient(y) * v))(x),
        "reverse of forward": lambda x, v: ad.grad(lambda y: directional(y, v))(x),
        "forward of forward": lambda x, v: np.stack(
            [ad.jvp(lambda y, e=e: directional(y, e), (x,), (v,))[1] for e in np.eye(4)]
        ),
    }
    together = ad.jit(lambda x, v: tuple(column(x, v) for column in columns.values()), interpret=interpret)
    value = ad.jit(function, interpret=True)
    for x in AT:
        truth = hessian_by_differences(value, x)
        for k, v in enumerate(np.eye(4)):
            for name, got in zip(columns, together(x, v), strict=True):
                np.testing.assert_allclose(got, truth[k], rtol=1e-6, atol=1e-6, err_msg=f"{name}, {x}")


@both_evaluators
def test_the_second_derivative_of_the_half_square_at_0_is_1(interpret):
    x = np.zeros(1)
    second = ad.jit(lambda x: ad.grad(lambda y: np.sum(ad.grad(half_square)(y)))(x), interpret=interpret)
    np.testing.assert_array_equal(second(x), [1.0])


def masked_rows(x, y, mask):
    """The squares of row sums of y / x; x is 0 only where the mask is false."""
    return np.sum(np.sum(np.where(mask, y / x, 0.0), axis=1) ** 2)


@both_evaluators
def test_masks_inside_contractions(interpret):
    x, y = np.array([0.5, 0.0, 2.0]), np.arange(6.0).reshape(2, 3)
    mask = np.array([[True, False, True], [False, False, True]])
    safe = np.where(x == 0, 1.0, x)
    rows = np.sum(np.where(mask, y / safe, 0.0), axis=1)
    by_y = 2 * rows[:, None] * np.where(mask, 1 / safe, 0.0)
    by_x = -np.sum(by_y * y / safe, axis=0)
    gradient = ad.grad(masked_rows, argnums=(0, 1), interpret=interpret)(x, y, mask)
    np.testing.assert_allclose(gradient[0], by_x, rtol=1e-12)
    np.testing.assert_allclose(gradient[1], by_y, rtol=1e-12)
    tangents = (np.ones(3), np.ones((2, 3)), None)
    _, slope = ad.jvp(masked_rows, (x, y, mask), tangents, interpret=interpret)
    np.testing.assert_allclose(slope, np.sum(by_x) + np.sum(by_y), rtol=1e-12)
    twice = ad.grad(lambda y: np.sum(ad.grad(masked_rows, argnums=1)(x, y, mask)), interpret=interpret)(y)
    pattern = np.where(mask, 1 / safe, 0.0)
    np.testing.assert_allclose(twice, 2 * np.sum(pattern, axis=1)[:, None] * pattern, rtol=1e-12)
