"""Programs that say at which line a position lies outside, and where NaN comes from."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import mlirad as ad
from mlirad.errors import NotANumberError, PositionError

X = np.array([3.0, 1.0, 2.0])
MODES = pytest.mark.parametrize("interpret", [False, True], ids=["compiled", "interpreted"])


def plain(x, i):
    return x[i]


def negative(x, i):
    return x[-i]


def of_many(x, i):
    return np.sum(x[ad.stack([i, 0, 1])])


def in_two_dimensions(x, i):
    return np.outer(x, x)[0, i]


def setting(x, i):
    return np.sum(x.at[i].set(1.0))


def adding(x, i):
    return np.sum(x.at[ad.stack([0, i])].add(1.0))


def by_name(x, i):
    return ad.index(x, i)


def gathering(x, i):
    return np.sum(ad.gather(x, 2, lambda j: j * i))


def scattering(x, i):
    return np.sum(ad.scatter(x, 3, lambda j: j * i))


def taking(x, i):
    return np.take(x, i)


def in_scan(x, i):
    return ad.fold(lambda c, e: c + x[i] * e, 0.0, x)


def in_while(x, i):
    return ad.while_loop(lambda c: c[0] < i, lambda c: (c[0] + 1, c[1] * x[c[0] + 1]), (0, 1.0))[1]


def in_condition(x, i):
    return ad.while_loop(lambda c: x[c] < 0.0, lambda c: c + 1, i)


def in_build(x, i):
    return np.sum(ad.build(3, lambda j: x[i] * x[j]))


def in_vmap(x, i):
    return np.sum(ad.vmap(lambda e, j: e * x[j * i], in_axes=(0, 0))(x[:2], np.arange(2)))


def in_branch(x, i):
    return ad.cond(i != 0, lambda: x[i], lambda: 0.0)


def in_function(x, i):
    @ad.function
    def read(j):
        return x[j]

    return read(i)


def in_derivative(x, i):
    return ad.grad(lambda v: v[i] ** 2)(x)[0]


READING = [
    plain, negative, of_many, in_two_dimensions, setting, adding, by_name, gathering, scattering, taking,
    in_scan, in_while, in_condition, in_build, in_vmap, in_branch, in_function, in_derivative,
]  # fmt: skip


@MODES
@pytest.mark.parametrize("f", READING, ids=lambda f: f.__name__)
def test_positions_outside_are_found(f, interpret):
    checked = ad.jit(f, check_bounds=True, interpret=interpret)
    assert checked(X, 1) == ad.jit(f)(X, 1)
    with pytest.raises(
        PositionError, match=r"position -?[3-9]\d* is outside of a dimension of extent 3"
    ) as error:
        checked(X, 4)
    lines, start = inspect.getsourcelines(f)
    file, _, line = str(error.value.location).rpartition(":")
    assert file == __file__
    assert start < int(line) < start + len(lines)
    assert checked(X, 1) == ad.jit(f)(X, 1)


@pytest.mark.parametrize("f", [f for f in READING if f not in (in_condition,)], ids=lambda f: f.__name__)
def test_positions_are_checked_in_derivatives(f):
    gradient = ad.grad(f, check_bounds=True)
    np.testing.assert_array_equal(gradient(X, 1), ad.grad(f)(X, 1))
    with pytest.raises(IndexError, match="is outside of a dimension of extent 3"):
        gradient(X, 4)
    with pytest.raises(IndexError, match="is outside of a dimension of extent 3"):
        ad.jvp(f, (X, 4), (X, None), check_bounds=True)


def test_only_what_runs_is_checked():
    def f(x, i):
        def position(j):
            return ad.cond(j < i, lambda: x[j + 1], lambda: 0.0)

        return np.sum(ad.build(3, position))

    for chunk in ("all", 1):
        checked = ad.jit(f, check_bounds=True, chunk=chunk)
        assert checked(X, 2) == 3.0
        with pytest.raises(PositionError, match="position 3"):
            checked(X, 3)


def test_functions_of_the_library_may_read_outside():
    def f(x, w):
        return ad.convolution(x[None, None], w[None, None], padding="same")

    np.testing.assert_allclose(ad.jit(f, check_bounds=True)(X, X), ad.jit(f)(X, X))


def test_the_first_failure_counts():
    checked = ad.jit(lambda x, i, j: x[i] + x[j], check_bounds=True)
    with pytest.raises(PositionError, match="position 5"):
        checked(X, 5, 6)
    with pytest.raises(PositionError, match="position 6"):
        checked(X, 1, 6)


def test_linearize_checks():
    with pytest.raises(PositionError, match="position 5"):
        ad.linearize(lambda x, i: x[i], X, 5, check_bounds=True)


# NaN ---------------------------------------------------------------------------------------------


def logarithm(x):
    return np.sum(np.log(x - 1.5))


def quotient(x):
    return np.sum((x - x) / (x - 1.0))


def square_root_in_loop(x):
    return ad.fold(lambda c, e: np.sqrt(c - e), 9.0, x)


def in_a_branch(x):
    return ad.cond(x[0] > 0, lambda: np.log(-x[0]), lambda: 0.0)


def in_lanes(x):
    return np.sum(ad.build(3, lambda i: np.sqrt(x[i] - 1.5)))


def product(x):
    return np.dot(np.array([0.0, 0.0, 0.0]), np.exp(1000.0 * x))


@MODES
@pytest.mark.parametrize(
    ("f", "op"),
    [(logarithm, "log"), (quotient, "div"), (square_root_in_loop, "sqrt"), (in_a_branch, "log"),
     (in_lanes, "sqrt"), (product, "dot")],
    ids=lambda p: getattr(p, "__name__", p),
)  # fmt: skip
def test_the_op_that_makes_nan_is_found(f, op, interpret):
    with np.errstate(all="ignore"):
        with pytest.raises(NotANumberError, match=f"{op} makes NaN of operands without NaN") as error:
            ad.jit(f, check_nans=True, interpret=interpret)(X)
        start = inspect.getsourcelines(f)[1]
        assert error.value.location == f"{__file__}:{start + 1}"
        with pytest.raises(FloatingPointError, match=f"{op} makes NaN"):
            ad.grad(f, check_nans=True, interpret=interpret)(X)


@MODES
def test_nan_that_is_given_is_no_failure(interpret):
    f = ad.jit(logarithm, check_nans=True, interpret=interpret)
    assert np.isnan(f(np.array([np.nan, 2.0, 3.0])))
    assert f(X + 2) == ad.jit(logarithm)(X + 2)
