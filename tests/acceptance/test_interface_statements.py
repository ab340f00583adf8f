"""The interface's promises, statement by statement, if no other test checks them."""

from __future__ import annotations

import gc
import math
from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import mlirad as ad

both_evaluators = pytest.mark.parametrize("interpret", [False, True], ids=["compiled", "interpreted"])

X = np.array([0.5, -1.0, 2.0])


class Foreign:
    """An array of another library: it can hand its memory over by DLPack, and nothing else."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __dlpack__(self, **options: Any) -> Any:
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.values.__dlpack_device__()


# Inputs and results --------------------------------------------------------------------------------


@both_evaluators
def test_arrays_of_other_libraries_are_taken(interpret):
    gradient = ad.grad(lambda x, y: np.sum(x**2 * y), argnums=(0, 1), interpret=interpret)
    for got, want in zip(gradient(Foreign(X), Foreign(X + 1)), (2 * X * (X + 1), X**2), strict=True):
        assert type(got) is np.ndarray
        np.testing.assert_allclose(got, want)
    inside = ad.grad(lambda p: np.sum(p["w"] ** 2), interpret=interpret)({"w": Foreign(X)})
    np.testing.assert_allclose(inside["w"], 2 * X)
    _, pullback = ad.vjp(np.sin, X, interpret=interpret)
    np.testing.assert_allclose(pullback(Foreign(X))[0], X * np.cos(X))


@both_evaluators
@pytest.mark.parametrize(
    ("dtype", "becomes"),
    [
        (np.float16, np.float32),
        (np.float32, np.float32),
        (np.int8, np.int32),
        (np.uint8, np.int32),
        (np.int16, np.int32),
        (np.uint16, np.int32),
        (np.uint32, np.int64),
        (np.int32, np.int32),
        (np.int64, np.int64),
        (np.bool_, np.bool_),
    ],
)
def test_dtypes_outside_the_language_are_widened(dtype, becomes, interpret):
    result = ad.jit(lambda x: x, interpret=interpret)(np.array([0, 1, 1], dtype))
    assert result.dtype == becomes
    np.testing.assert_array_equal(result, [0, 1, 1])


@pytest.mark.parametrize("dtype", ["clongdouble", "uint64", "longdouble", "M8[s]", "U3", "O"])
def test_other_dtypes_are_errors(dtype):
    with pytest.raises(ad.DtypeError, match="argument x"):
        ad.jit(lambda x: x)(np.zeros(2, dtype))


@both_evaluators
def test_only_float_leaves_have_gradients(interpret):
    Pair = namedtuple("Pair", "a b")

    @dataclass
    class Model:
        w: Any
        n: Any
        rest: Any

    model = Model(X, 3, Pair(np.array([True, False, True]), [2.0, None]))

    def loss(m):
        return np.sum(m.w * m.n * m.rest.a) * m.rest.b[0]

    gradient = ad.grad(loss, interpret=interpret)(model)
    assert isinstance(gradient, Model)
    assert isinstance(gradient.rest, Pair)
    np.testing.assert_allclose(gradient.w, 6.0 * np.array([1, 0, 1]))
    assert (gradient.n, gradient.rest.a, gradient.rest.b[1]) == (None, None, None)
    assert gradient.rest.b[0] == pytest.approx(np.sum(X * [3, 0, 3]))
    with pytest.raises(ad.DifferentiationError):
        ad.grad(lambda m: m["n"] * 1.0)({"n": 3, "flag": True})


@both_evaluators
def test_results_are_fresh_and_arguments_are_unchanged(interpret):
    @ad.jit
    def write(x):
        first = x[0]
        row = x[:2]
        x[0] = 9.0
        x[1:] *= 2.0
        return first, row, x

    given = X.copy()
    first, row, after = write(given)
    np.testing.assert_array_equal(given, X)
    assert (type(first), first) == (np.float64, 0.5)
    np.testing.assert_array_equal(row, [9.0, -2.0])
    np.testing.assert_array_equal(after, [9.0, -2.0, 4.0])
    row[0] = after[0] = -1.0
    np.testing.assert_array_equal(write(given)[2], [9.0, -2.0, 4.0])


@both_evaluators
def test_scalars_keep_their_width(interpret):
    square = ad.grad(lambda x: x * x, interpret=interpret)
    assert type(square(3.0)) is np.float64
    assert type(square(np.float32(3))) is np.float32
    assert type(square(np.array(3.0))) is np.float64
    assert type(ad.jit(lambda x: x > 1, interpret=interpret)(2.0)) is np.bool_
    assert type(ad.jit(lambda n: n + 1, interpret=interpret)(2)) is np.int64
    assert type(ad.jit(lambda n: n / 2, interpret=interpret)(2)) is np.float64
    assert ad.jit(lambda x: x * 2 + 0.5, interpret=interpret)(X.astype(np.float32)).dtype == np.float32


# When a function is traced again ---------------------------------------------------------------------


def test_what_makes_a_new_signature():
    traced: list[str] = []

    @ad.jit
    def f(x):
        traced.append("once")
        return x

    for argument, count in (
        (X, 1),
        (X + 1, 1),
        (X[:2], 2),
        (X.astype(np.float32), 3),
        (X[::-1], 3),
        (2.0, 4),
        (3.0, 4),
        (np.float64(2), 5),
        ((X, X), 6),
        ([X, X], 7),
        ({"a": X}, 8),
        ((X + 1, X * 2), 8),
    ):
        f(argument)
        assert len(traced) == count


def test_static_arguments_are_part_of_the_signature():
    traced: list[int] = []

    def power(x, n):
        traced.append(n)
        return x**n

    f = ad.grad(power, static_argnames=("n",))
    assert [f(2.0, n=2), f(2.0, n=3), f(5.0, n=2)] == [4.0, 12.0, 10.0]
    assert traced == [2, 3]
    assert f(5.0, 3) == 75.0


def test_programs_go_when_their_function_goes():
    import weakref

    def make():
        big = np.ones(1000)

        def f(x):
            return np.sum(x * big)

        return ad.jit(f), weakref.ref(f)

    compiled, function = make()
    compiled(np.ones(1000))
    del compiled
    gc.collect()
    assert function() is None


# Arrays while they are traced --------------------------------------------------------------------------


@both_evaluators
def test_ends_of_arrays(interpret):
    run = lambda f, *args: ad.jit(f, interpret=interpret)(*args)  # noqa: E731
    assert run(lambda x: x[-1], X) == 2.0
    assert run(lambda x, i: x[i], X, -1) == 2.0
    assert run(lambda x, i: x[i], X, -3) == 0.5
    assert [run(lambda x, i: x[i], X, i) for i in (3, -4, 2**40)] == [0.0, 0.0, 0.0]
    assert [run(lambda x, i: ad.index(x, (i,)), X, i) for i in (-1, 0, 3)] == [0.0, 0.5, 0.0]
    for i in (3, -4):
        gradient = ad.grad(lambda x, i: x[i] + x[0], interpret=interpret)(X, i)
        np.testing.assert_array_equal(gradient, [1, 0, 0])
        kept = ad.grad(lambda x, i: np.sum(x.at[i].set(7.0) ** 2), interpret=interpret)(X, i)
        np.testing.assert_array_equal(kept, 2 * X)
    with pytest.raises(ad.PositionError):
        run(lambda x: x[3], X)


@both_evaluators
def test_rows_written_at_traced_positions(interpret):
    """One place, inside or not, in the middle of an array: value and both derivatives."""
    a, v = np.arange(12.0).reshape(3, 4), np.array([1.0, -2.0, 3.0])

    def column(a, v, j):
        return a.at[:, j].set(v)

    for j in (0, 3, -1, -4, 4, -5, 100):
        expected, ones = a.copy(), np.ones_like(a)
        if -4 <= j < 4:
            expected[:, j], ones[:, j] = v, 0.0
        value, pullback = ad.vjp(lambda a, v, j=j: column(a, v, ad.asarray(j)), a, v, interpret=interpret)
        np.testing.assert_array_equal(value, expected)
        by_a, by_v = pullback(np.ones_like(a))
        np.testing.assert_array_equal(by_a, ones)
        np.testing.assert_array_equal(by_v, np.full(3, float(-4 <= j < 4)))
        added = ad.jit(lambda a, v, j: a.at[:, j].add(v), interpret=interpret)(a, v, j)
        np.testing.assert_array_equal(added, np.where(ones == 0, a + expected * (ones == 0), a))


def test_writing_outside_leaves_every_bit():
    """Negative zeros and NaN stay what they are."""
    x = np.array([-0.0, np.nan, -0.0])
    for i in (3, -4):
        for write in (lambda x, i: x.at[i].add(5.0), lambda x, i: x.at[i].set(5.0)):
            result = ad.jit(write)(x, i)
            np.testing.assert_array_equal(np.signbit(result), np.signbit(x))
            np.testing.assert_array_equal(result, x)


def test_length_and_iteration_are_static():
    def f(x):
        first, second, third = x
        assert len(x) == 3
        return first * second + third + sum(t * k for k, t in enumerate(x))

    np.testing.assert_allclose(ad.grad(f)(X), [X[1], X[0] + 1, 1 + 2])
    with pytest.raises(TypeError, match="not iterable"):  # as Python says of a number
        ad.jit(lambda x: sum(t for t in x))(2.0)


@pytest.mark.parametrize(
    ("function", "hint"),
    [
        (lambda x: math.sin(x[0]), "np.sin"),
        (lambda x: math.exp(x[0]), "np.exp"),
        (lambda x: 1.0 if x[0] > 0 else 2.0, "ad.cond"),
        (lambda x: x[0] if x[0] else x[1], "ad.cond"),
        (lambda x: x[0] > 0 and x[1] > 0, "logical_and"),
        (lambda x: not x[0] > 0, "np.logical_not"),
        (lambda x: float(x[0]), "astype"),
        (lambda x: complex(x[0]), "x + 0j"),
        (lambda x: np.random.default_rng(0).normal(size=x[0].astype(int)), "static"),
        (lambda x: max(x[0], x[1]), "np.maximum"),
    ],
)
def test_what_cannot_be_traced_says_what_to_write(function, hint):
    with pytest.raises(ad.TracingError) as caught:
        ad.jit(function, control="plain")(X)
    assert hint in f"{caught.value.message} {caught.value.hint}"
    assert __file__ in str(caught.value.location)


def test_changes_of_captured_arrays_are_seen():
    table = np.array([1.0, 2.0, 3.0])
    f = ad.jit(lambda x: x * table)
    assert f(X) is not table
    table *= 10
    np.testing.assert_array_equal(f(X), X * [10, 20, 30])
    table = [2.0, 1.0, 3.0]
    np.testing.assert_array_equal(f(X), X * table)


# Errors ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "python"),
    [
        (ad.ShapeError, ValueError),
        (ad.DtypeError, TypeError),
        (ad.DifferentiationError, TypeError),
        (ad.TracingError, TypeError),
        (ad.UnsupportedError, TypeError),
        (ad.PositionError, IndexError),
        (ad.ParseError, ValueError),
        (ad.VerifyError, ValueError),
        (ad.CompileError, RuntimeError),
    ],
)
def test_errors_are_also_those_that_python_would_raise(error, python):
    assert issubclass(error, ad.MliradError)
    assert issubclass(error, python)


def test_gradients_of_complex_results_are_a_clear_error():
    for call in (
        lambda: ad.grad(lambda z: z**2)(1 + 1j),
        lambda: ad.value_and_grad(lambda x: x * 1j)(1.0),
        lambda: ad.grad(lambda x: np.sum(np.fft.fft(x)))(X),
        lambda: ad.grad(lambda x: np.sum(np.exp(1j * x)), holomorphic=True)(X),
        lambda: ad.grad(lambda z: np.abs(z) ** 2, holomorphic=True)(1 + 1j),
        lambda: ad.hessian(lambda z: np.abs(z) ** 2)(1 + 1j),
        lambda: ad.jacobian(np.exp)(1 + 1j),
    ):
        with pytest.raises(ad.DifferentiationError, match="complex") as caught:
            call()
        assert "holomorphic" in str(caught.value)
        assert caught.value.hint
