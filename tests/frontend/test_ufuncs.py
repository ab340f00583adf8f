"""Traced ufuncs and operators against NumPy: value and dtype, for every pair of dtypes and Python scalars."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

import mlirad as ad
from mlirad.dialects.array.special_functions import SPECIAL_FUNCTIONS
from mlirad.frontend.numpy_functions.meanings.ufuncs import all_meanings

DTYPES = [np.float64, np.float32, np.int64, np.int32, np.bool_]
OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
    operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift,
]  # fmt: skip


def run(function: Any, *args: Any) -> Any:
    return ad.jit(function, interpret=True)(*args)


def assert_same(actual: Any, expected: Any) -> None:
    """Equal shape and dtype, and values up to rounding; float16 and int8 are outside the language."""
    widened = {np.dtype(np.float16): np.float32, np.dtype(np.int8): np.int32}
    expected = np.asarray(expected)
    expected = expected.astype(widened.get(expected.dtype, expected.dtype))
    actual = np.asarray(actual)
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    if expected.dtype.kind == "f":
        digits = 1e-3 if expected.dtype == np.float32 and widened else 1e-12
        np.testing.assert_allclose(actual, expected, rtol=digits, atol=digits)
    else:
        np.testing.assert_array_equal(actual, expected)


def sample(dtype: Any, seed: int = 0, shape: tuple[int, ...] = (5,)) -> Any:
    rng = np.random.default_rng(seed)
    if dtype is np.bool_:
        return rng.integers(0, 2, shape).astype(bool)
    if np.dtype(dtype).kind == "i":
        return rng.integers(1, 6, shape).astype(dtype)
    return rng.uniform(0.1, 0.9, shape).astype(dtype)


def is_special(ufunc: np.ufunc) -> bool:
    """Return whether SciPy computes it."""
    return any(f.ufunc == ufunc.__name__ for f in SPECIAL_FUNCTIONS.values()) and not hasattr(
        np, ufunc.__name__
    )


def agree(function: Any, *args: Any) -> None:
    """The traced function computes or rejects what NumPy computes or rejects."""
    with np.errstate(all="ignore"):
        try:
            expected = function(*args)
        except TypeError:
            with pytest.raises(TypeError):
                run(function, *args)
            return
    actual = run(function, *args)
    if isinstance(function, np.ufunc) and not hasattr(np, function.__name__):
        # Some have values at the ends of their domains where SciPy has none: see `test_special_points.py`.
        actual = np.where(np.isnan(expected), expected, actual).astype(actual.dtype)
    assert_same(actual, expected)


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.__name__)
@pytest.mark.parametrize("right", DTYPES, ids=lambda d: d.__name__)
@pytest.mark.parametrize("left", DTYPES, ids=lambda d: d.__name__)
def test_operators_promote_like_numpy(left, right, op):
    agree(op, sample(left), sample(right, 1))


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.__name__)
@pytest.mark.parametrize("scalar", [True, 2, 2.5], ids=["bool", "int", "float"])
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.__name__)
def test_python_scalars_are_weak(dtype, scalar, op):
    if (dtype, scalar, op) == (np.bool_, 2, operator.pow):
        pytest.skip("NumPy squares booleans by a shortcut, into int8; all other powers are int64")
    agree(lambda x: op(x, scalar), sample(dtype))
    agree(lambda x: op(scalar, x), sample(dtype))
    agree(op, sample(dtype), scalar)


TRACED = [u for u in all_meanings() if u.nin + u.nout < 5 and not is_special(u)]
"""The ufuncs whose code is mlirad's own; the others are in `test_scipy_functions`."""


@pytest.mark.parametrize("ufunc", [u for u in TRACED if u.nin == 1], ids=lambda u: u.__name__)
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.__name__)
def test_unary_ufuncs(ufunc, dtype):
    values = sample(dtype)
    if ufunc is np.arccosh:
        values = values + values.dtype.type(1)
    agree(ufunc, values)


@pytest.mark.parametrize("ufunc", [u for u in TRACED if u.nin == 2], ids=lambda u: u.__name__)
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.__name__)
def test_binary_ufuncs(ufunc, dtype):
    agree(ufunc, sample(dtype), sample(dtype, 1))


@pytest.mark.parametrize("ufunc", [np.sin, np.floor, np.isnan, special.erf], ids=lambda u: u.__name__)
@pytest.mark.parametrize("scalar", [True, 2, 0.5], ids=["bool", "int", "float"])
def test_ufuncs_of_python_scalars(ufunc, scalar):
    agree(lambda: ufunc(scalar))
    agree(ufunc, scalar)


@given(
    st.sampled_from([np.add, np.multiply, np.maximum, np.true_divide, np.less, np.logaddexp, np.hypot]),
    st.sampled_from(DTYPES),
    st.sampled_from(DTYPES),
    st.sampled_from(
        [((), ()), ((3,), ()), ((2, 3), (3,)), ((2, 1), (1, 3)), ((0, 3), (3,)), ((1,), (4, 2, 1))]
    ),
)
def test_operands_broadcast(ufunc, left, right, shapes):
    agree(ufunc, sample(left, 0, shapes[0]), sample(right, 1, shapes[1]))


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 7, -1, -2, 0.5, -0.5, 1.5, 2.0, 40])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64], ids=lambda d: d.__name__)
def test_static_powers(exponent, dtype):
    x = sample(dtype)
    if np.dtype(dtype).kind == "i" and isinstance(exponent, int) and exponent < 0:
        with pytest.raises(ValueError, match="negative power"):
            run(lambda x: x**exponent, x)
        return
    agree(lambda x: x**exponent, x)


def test_logaddexp_at_the_ends():
    x = np.array([-np.inf, -np.inf, np.inf, np.inf, np.inf, np.nan, 0.0])
    y = np.array([-np.inf, 1.0, np.inf, -np.inf, 2.0, 1.0, np.nan])
    agree(np.logaddexp, x, y)
    gradient = ad.grad(lambda x, y: np.logaddexp(x, y), argnums=(0, 1), interpret=True)
    np.testing.assert_allclose(gradient(1.0, 1.0), (0.5, 0.5))
    np.testing.assert_allclose(gradient(-np.inf, 1.0), (0.0, 1.0))


def test_reductions_and_outer_of_ufuncs():
    x = sample(np.float64, 0, (3, 4))
    for ufunc in (np.add, np.maximum, np.minimum):
        agree(lambda x, u=ufunc: u.reduce(x), x)
        agree(lambda x, u=ufunc: u.reduce(x, axis=1, keepdims=True), x)
    agree(lambda x: np.multiply.outer(x, x), x)
    agree(lambda x: np.logical_and.reduce(x > 0.3, axis=None), x)


def test_divmod_matmul_and_unary_operators():
    x, y = sample(np.float64, 0, (3, 3)), sample(np.float64, 1, (3, 3))
    agree(lambda x, y: divmod(x, y)[0] + divmod(x, y)[1], x, y)
    agree(lambda x, y: x @ y, x, y)
    agree(lambda x: abs(-x) + +x, x)
    agree(lambda x: ~(x > 0.5), x)


def test_large_python_integers_do_not_fit_small_types():
    with pytest.raises(ad.DtypeError, match="4294967296 is out of bounds for int32"):
        run(lambda x: x + 2**32, sample(np.int32))
