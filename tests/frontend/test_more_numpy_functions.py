"""Sorting, prefix reductions, quantiles, search, norms and convolutions, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad
from mlirad.errors import DtypeError, MliradError, UnsupportedError

RNG = np.random.default_rng(3)
A = RNG.normal(size=(3, 4))
V = RNG.normal(size=7)
T = np.array([3.0, 1.0, 2.0, 1.0, 3.0, 0.0])
POSITIVE = RNG.uniform(0.5, 2, size=(2, 3, 4))
INTEGERS = np.array([[3, 1, 2], [0, 5, 5]], np.int32)
BOOLEANS = np.array([[True, False], [True, True]])
WITH_NAN = np.array([1.0, np.nan, -np.inf, np.inf, 0.0])


def run(function, *args):
    return ad.jit(function, interpret=True)(*args)


def agree(function, *args):
    """Up to rounding: NumPy rounds each step of a float32 sum, mlirad the result."""
    with np.errstate(all="ignore"):
        expected = function(*args)
    found = run(function, *args)
    if isinstance(expected, tuple):
        for f, e in zip(found, expected, strict=True):
            np.testing.assert_allclose(f, e, rtol=1e-13, atol=1e-15)
        return
    rtol = 1e-6 if expected.dtype == np.float32 else 1e-13
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-15)
    assert np.shape(found) == np.shape(expected)
    assert found.dtype == expected.dtype


@pytest.mark.parametrize("x", [A, T, INTEGERS, BOOLEANS, WITH_NAN, np.zeros((0, 3)), A.astype(np.float32)])
@pytest.mark.parametrize("axis", [-1, 0, None])
@pytest.mark.parametrize(
    "function",
    [
        lambda x, axis: np.sort(x, axis=axis),
        lambda x, axis: np.argsort(x, axis=axis, kind="stable"),
        lambda x, axis: np.cumsum(x, axis=axis),
        lambda x, axis: np.cumprod(x, axis=axis),
        lambda x, axis: np.prod(x, axis=axis),
    ],
    ids=["sort", "argsort", "cumsum", "cumprod", "prod"],
)
def test_along_an_axis(function, x, axis):
    agree(lambda x: function(x, axis), x)


@pytest.mark.parametrize("x", [A, INTEGERS, WITH_NAN])
@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.maximum, np.minimum])
def test_accumulate(ufunc, x):
    agree(lambda x: ufunc.accumulate(x), x)
    agree(lambda x: ufunc.accumulate(x, axis=-1), x)


@pytest.mark.parametrize("ufunc", [np.logical_and, np.logical_or])
def test_accumulate_booleans(ufunc):
    agree(lambda x: ufunc.accumulate(x, axis=1), BOOLEANS)
    agree(lambda x: ufunc.accumulate(x, axis=0), INTEGERS)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.prod(x, axis=(0, 1), keepdims=True),
        lambda x: np.prod(x, initial=2.0),
        lambda x: np.prod(x, where=np.array([True, False, True, True])),
        lambda x: np.median(x),
        lambda x: np.median(x, axis=0),
        lambda x: np.median(x, axis=1, keepdims=True),
        lambda x: np.quantile(x, 0.3),
        lambda x: np.quantile(x, [0.0, 0.25, 1.0], axis=1),
        lambda x: np.percentile(x, 40, axis=0),
        lambda x: np.logaddexp.reduce(x),
        lambda x: np.logaddexp.reduce(x, axis=1),
        lambda x: np.nanmean(np.where(x > 0, x, np.nan)),
        lambda x: np.diff(x, n=2, axis=0),
        lambda x: np.take_along_axis(x, np.argsort(x, axis=1), axis=1),
        lambda x: np.take_along_axis(x, np.argsort(x, axis=0), axis=0),
        lambda x: np.kron(x, np.array([[1.0, 2.0]])),
        lambda x: np.linalg.multi_dot([x, x.T, x]),
        lambda x: np.linalg.matrix_power(x @ x.T, 5),
        lambda x: np.linalg.matrix_power(x @ x.T, 0),
        lambda x: np.einsum("ij,ik,kj->", x, x @ x.T, x),
        lambda x: np.einsum("ii->i", x @ x.T),
        lambda x: np.einsum("ii", x @ x.T),
        lambda x: np.trapezoid(x),
        lambda x: np.trapezoid(x, axis=0, dx=0.5),
        lambda x: np.polyval(x[0], x),
        lambda x: np.dstack([x, x]),
        lambda x: np.append(x, x[0]),
        lambda x: np.append(x, x, axis=1),
        lambda x: np.linspace(x[0], x[1], 5),
        lambda x: np.linspace(x[0, 0], 3.0, 4, endpoint=False),
        lambda x: np.unravel_index(np.argmax(x), x.shape),
        lambda x: np.ravel_multi_index((np.argmax(x, axis=0), np.arange(4)), x.shape),
    ],
)
def test_functions_of_a_matrix(function):
    agree(function, A)


@pytest.mark.parametrize("x", [np.ones(1), np.array([2.0, 1.0]), WITH_NAN, V.astype(np.float32)])
def test_medians_of_vectors(x):
    agree(np.median, x)


@pytest.mark.parametrize("side", ["left", "right"])
def test_search(side):
    table = np.sort(T)
    values = np.array([[-1.0, 0.0, 0.5], [1.0, 3.0, 4.0]])
    agree(lambda t, v: np.searchsorted(t, v, side=side), table, values)
    agree(lambda t, v: np.searchsorted(t, v, side=side), table[:1], values)
    assert run(lambda t, v: np.searchsorted(t, v, side=side), table[:0], 1.0) == 0
    agree(lambda v: np.digitize(v, np.array([0.0, 1.0, 2.0]), right=side == "left"), values)


def test_interpolation():
    x, y = np.array([0.0, 1.0, 3.0]), np.array([2.0, -1.0, 4.0])
    at = np.array([-1.0, 0.0, 0.25, 1.0, 2.0, 3.0, 5.0])
    agree(np.interp, at, x, y)
    agree(lambda at, x, y: np.interp(at, x, y, left=-7.0, right=9.0), at, x, y)


# Norms -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [None, 0, 1, 2, 3, 0.5, -1, -2, np.inf, -np.inf])
def test_vector_norms(order):
    agree(lambda x: np.linalg.norm(x, order), V)
    agree(lambda x: np.linalg.norm(x, order, axis=1, keepdims=True), POSITIVE)
    agree(lambda x: np.linalg.vector_norm(x, axis=(0, 2), ord=2 if order is None else order), POSITIVE)


@pytest.mark.parametrize("order", [None, "fro", 1, -1, np.inf, -np.inf])
def test_matrix_norms(order):
    agree(lambda x: np.linalg.norm(x, order), A)
    agree(lambda x: np.linalg.norm(x, order, axis=(2, 0)), POSITIVE)
    agree(lambda x: np.linalg.norm(x, order, axis=(0, 2), keepdims=True), POSITIVE)


def test_norms_that_there_are_none_of_are_errors():
    with pytest.raises(ad.UnsupportedError, match="'fro', 'nuc', 1, -1"):
        run(lambda x: np.linalg.norm(x, 3), A)


@pytest.mark.parametrize("order", [None, 2, 3, 1])
def test_the_derivative_of_a_norm_at_zero_is_zero(order):
    gradient = ad.grad(lambda x: np.linalg.norm(x, order), interpret=True)
    np.testing.assert_array_equal(gradient(np.zeros(3)), 0)
    two = np.zeros((2, 3))
    two[1] = 1.0
    rows = ad.grad(lambda x: np.sum(np.linalg.norm(x, order, axis=1)), interpret=True)(two)
    np.testing.assert_allclose(rows[0], 0)
    np.testing.assert_allclose(rows[1], {None: 3**-0.5, 2: 3**-0.5, 3: 3 ** (-2 / 3), 1: 1}[order])


# Convolutions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize(("n", "m"), [(7, 3), (3, 7), (6, 4), (4, 4), (1, 5), (1, 1)])
def test_convolutions_of_vectors(mode, n, m):
    x, k = RNG.normal(size=n), RNG.normal(size=m)
    agree(lambda x, k: np.convolve(x, k, mode), x, k)
    agree(lambda x, k: np.correlate(x, k, mode), x, k)


def direct(x, k, strides, padding, dilation):
    """The definition, element by element."""
    x = np.pad(x, [(0, 0), (0, 0), *padding])
    out = [
        (x.shape[2 + d] - (k.shape[2 + d] - 1) * dilation[d] - 1) // strides[d] + 1
        for d in range(len(strides))
    ]
    result = np.zeros((x.shape[0], k.shape[0], *out))
    for at in np.ndindex(*out):
        for w in np.ndindex(*k.shape[2:]):
            place = tuple(p * s + q * g for p, s, q, g in zip(at, strides, w, dilation, strict=True))
            result[(..., *at)] += x[(..., *place)] @ k[(..., *w)].T
    return result


@pytest.mark.parametrize(
    ("space", "window", "strides", "padding", "dilation"),
    [
        ((6, 5), (3, 2), (1, 1), [(0, 0), (0, 0)], (1, 1)),
        ((6, 5), (3, 2), (2, 1), [(1, 0), (2, 2)], (1, 2)),
        ((7,), (3,), (3,), [(1, 1)], (1,)),
        ((3, 4, 3), (2, 2, 2), (1, 2, 1), [(0, 0), (1, 1), (0, 0)], (1, 1, 1)),
        ((1, 1), (1, 1), (1, 1), [(0, 0), (0, 0)], (1, 1)),
    ],
)
def test_convolution(space, window, strides, padding, dilation):
    x, k = RNG.normal(size=(2, 3, *space)), RNG.normal(size=(4, 3, *window))
    found = run(lambda x, k: ad.convolution(x, k, strides, padding, dilation), x, k)
    np.testing.assert_allclose(found, direct(x, k, strides, padding, dilation), atol=1e-13)


def test_paddings_of_convolutions():
    x, k = RNG.normal(size=(1, 2, 5, 6)), RNG.normal(size=(3, 2, 3, 2))
    same = run(lambda x, k: ad.convolution(x, k, padding="same"), x, k)
    np.testing.assert_allclose(same, direct(x, k, (1, 1), [(1, 1), (0, 1)], (1, 1)), atol=1e-13)
    assert run(lambda x, k: ad.convolution(x, k, 2, "same"), x, k).shape == (1, 3, 3, 3)
    assert run(lambda x, k: ad.convolution(x, k, padding=1), x, k).shape == (1, 3, 5, 7)
    with pytest.raises(ad.ShapeError, match="channels"):
        run(ad.convolution, x, k[:, :1])


METHODS = (
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen",
    "weibull", "linear", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest",
)  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_every_method_of_quantiles(method):
    x = np.random.default_rng(0).normal(size=(7, 4))
    levels = [0.0, 0.1, 0.25, 0.5, 0.9, 1.0]
    ours = ad.jit(lambda x: np.quantile(x, levels, axis=0, method=method))
    np.testing.assert_allclose(ours(x), np.quantile(x, levels, axis=0, method=method), rtol=1e-13)
    percent = ad.jit(lambda x: np.percentile(x, 33, method=method))
    np.testing.assert_allclose(percent(x), np.percentile(x, 33, method=method), rtol=1e-13)
    ad.check_derivatives(lambda x: np.quantile(x, levels, axis=0, method=method), x, step=1e-3)


def test_a_quantile_that_is_an_element_has_no_part_of_its_neighbour():
    x = np.array([1.0, np.inf, 2.0])
    for method in ("linear", "lower", "hazen"):
        assert ad.jit(lambda x, m=method: np.quantile(x, 0.5, method=m))(x) == 2.0


def test_quantiles_that_are_not_there():
    with pytest.raises(ad.ArgumentError, match=r"quantile: `method` must be .* got 'between'"):
        ad.jit(lambda x: np.quantile(x, 0.5, method="between"))(np.ones(3))
    with pytest.raises(UnsupportedError, match="without weights"):
        ad.jit(lambda x: np.quantile(x, 0.5, method="inverted_cdf", weights=np.ones(3)))(np.ones(3))


# Kinds of arguments that random calls found ----------------------------------------------------------


def test_multi_dot_takes_the_order_that_numpy_takes():
    last = np.array([[1.0, 2.0], [3.0, 4.0], [np.inf, 5.0]])
    agree(lambda a, b, c: np.linalg.multi_dot([a, b, c]), np.ones((2, 0)), np.ones((0, 3)), last)
    v, w = RNG.normal(size=3), RNG.normal(size=5)
    x, y = RNG.normal(size=(3, 4)), RNG.normal(size=(4, 5))
    agree(lambda *parts: np.linalg.multi_dot(parts), v, x, y, w)
    agree(lambda *parts: np.linalg.multi_dot(parts), x.T, x, y, y.T)


@pytest.mark.filterwarnings("ignore:Mean of empty slice")
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_nan_quantiles_of_empty_arrays_are_nan_whatever_the_levels(dtype):
    x = np.zeros((0, 4, 2), dtype)
    agree(lambda x: np.nanquantile(x, [0.0, 0.5, 1.0], axis=-2), x)
    agree(lambda x: np.nanmedian(x, axis=0, keepdims=True), x)


@pytest.mark.parametrize("period", [1, 2, 3])
def test_unwrap_of_small_integers_keeps_their_dtype(period):
    agree(lambda x: np.unwrap(x, period=period), np.array([-3, -2, 4, 1], np.int32))


@pytest.mark.parametrize("function", [np.var, np.std, np.nanvar, np.nanstd])
def test_a_mean_that_is_a_python_number_has_no_dtype(function):
    x = np.array([1.0, 2.5, 4.0], np.float32)
    for mean in (2, 2.0, np.float64(2.0), [2.0]):
        agree(lambda x, mean=mean: function(x, mean=mean), x)


def test_none_is_no_value():
    for function in (
        lambda x: np.diff(x, append=None),
        lambda x: np.sin(x, where=None),
        lambda x: np.add.reduce(x, where=None),
        lambda x: np.piecewise(x, [x > 0], None),
    ):
        with pytest.raises(MliradError) as caught:
            run(function, V)
        assert caught.value.hint is not None


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_out_takes_what_casting_lets_it_take(dtype):
    def halved(x, out, casting):
        return np.multiply(x, 0.5, out=out, casting=casting)

    out = np.zeros(7, dtype)
    np.testing.assert_array_equal(
        run(lambda x, out: halved(x, out, "unsafe"), V, out), halved(V, out.copy(), "unsafe")
    )
    for casting in ("no", "safe"):
        with pytest.raises(DtypeError, match="cannot be written"):
            run(lambda x, out, casting=casting: halved(x, out, casting), V, out)
    with pytest.raises(DtypeError, match="cannot be written"):
        run(lambda x, out: np.concatenate([x], out=out, casting="safe"), V, out)


@pytest.mark.parametrize("number", [2.5, 3, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32, np.bool_])
@pytest.mark.parametrize("casting", ["safe", "same_kind", "unsafe"])
def test_copies_of_python_numbers_are_cast_as_casting_allows(number, dtype, casting):
    def write(x):
        np.copyto(x, number, casting=casting)
        return x

    try:
        expected = write(np.zeros(2, dtype))
    except TypeError:
        with pytest.raises(DtypeError, match="cannot cast"):
            run(write, np.zeros(2, dtype))
    else:
        np.testing.assert_array_equal(run(write, np.zeros(2, dtype)), expected, strict=True)


@pytest.mark.parametrize("number", [np.nan, -np.inf, np.float64(np.nan)])
def test_nothing_infinite_is_written_into_integers(number):
    def write(x):
        x[1:] = number
        return x

    with pytest.raises((ValueError, OverflowError), match="cannot convert"):
        write(INTEGERS.copy())
    with pytest.raises(DtypeError, match="has no element"):
        run(write, INTEGERS)
    np.testing.assert_array_equal(run(write, A), write(A.copy()))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.pad(x[:0], 1, mode="mean", stat_length=1),
        lambda x: np.linalg.norm(x, axis=[0]),
        lambda x: np.einsum("ij->i", x, optimize=1.5),
        lambda x: np.einsum("ij,ij->i", [[1], [1, 2]], x),
        lambda x: np.piecewise(x, [], [0]),
        lambda x: np.piecewise(x, [x >= 0], [np.sin, 0.5], no_option=1),
        lambda x: x.reshape(),
        lambda x: np.ravel_multi_index(
            (x[0].astype(int), x[0].astype(int)), (1, 2), mode=np.ones(2), order="C"
        ),
        lambda x: np.bitwise_or.reduce(x.astype(int), out=x[0]),
        lambda x: np.linalg.vector_norm(x, axis=[0]),
    ],
)
def test_what_numpy_refuses_is_refused(function):
    x = np.zeros((1, 2))
    with pytest.raises((TypeError, ValueError, IndexError)):
        function(x)
    with pytest.raises(MliradError) as caught:
        run(function, x)
    assert caught.value.hint is not None


def test_the_step_of_less_than_two_points_is_one_nan():
    for num in (0, 1, 2):
        agree(lambda x, n=num: np.linspace(x, [2.0], n, retstep=True), V.astype(np.float32))


def test_reductions_are_in_the_dtype_of_out():
    x = np.array([[2**31 - 1], [1]], np.int32)
    for function in (np.add.reduce, np.add.accumulate, np.hypot.reduce):
        out = np.zeros((2, 1) if function == np.add.accumulate else 1)
        found = run(lambda x, out, f=function: f(x, axis=0, out=out), x, out)
        np.testing.assert_array_equal(found, function(x, axis=0, out=out), strict=True)


@pytest.mark.parametrize(
    ("window", "axis"), [((2, 3), None), (3, 0), (2, -1), ((2, 1), (1, 0)), ((2, 2), (1, 1)), (4, 1)]
)
def test_sliding_windows(window, axis):
    def windows(x):
        return np.lib.stride_tricks.sliding_window_view(np.sin(x), window, axis)

    agree(windows, A)
    ad.check_derivatives(windows, A, interpret=True)


def test_windows_that_do_not_fit_are_refused():
    for window, axis in ((5, 1), ((2,), None), (-1, 0)):
        with pytest.raises(ad.ShapeError, match="a window of"):
            run(lambda x: np.lib.stride_tricks.sliding_window_view(x, window, axis), A)  # noqa: B023


def test_elements_with_their_positions():
    def f(x):
        numbered = np.ndenumerate(x)
        (i, j), first = next(numbered)
        return first + sum((i + 2 * j) * y for (i, j), y in numbered) + i + j

    agree(f, A)
    assert run(lambda x: x * sum(y for _, y in np.ndenumerate(np.ones(3))), 2.0) == 6.0


def test_comparisons_with_none():
    agree(lambda x: x == None, A)  # noqa: E711
    agree(lambda x: x != None, A)  # noqa: E711


def test_more_methods():
    agree(lambda x: x.argpartition(2, axis=0)[2], A)
    agree(lambda x: x.compress([True, False, True], axis=0), A)
    agree(lambda x: (x > 0).astype(int).choose([x, -x]), A)
