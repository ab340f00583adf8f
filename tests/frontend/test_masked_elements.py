"""`x[mask]` for a traced mask: what NumPy computes of it without its length, and what is said of the rest."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import mlirad as ad
from mlirad.errors import MliradError, PositionError, TracingError

_rng = np.random.default_rng(0)
ARGUMENTS = (_rng.normal(size=5), _rng.normal(size=5), _rng.normal(size=(5, 3)), _rng.normal(size=(4, 5)))

READS = {
    "sum": lambda x, y, X, B: x[x > 0].sum(),
    "sum of nothing": lambda x, y, X, B: x[x > 99].sum(),
    "mean": lambda x, y, X, B: np.mean(x[x > 0]),
    "std": lambda x, y, X, B: x[x > 0].std(ddof=1),
    "max": lambda x, y, X, B: x[x > 0].max(),
    "max of integers": lambda x, y, X, B: np.max((10 * x).astype(int)[x > 0]),
    "max of rows": lambda x, y, X, B: X[x > 0].sum(axis=1).max(),
    "any": lambda x, y, X, B: np.any(x[x > 0] > 0.5),
    "all": lambda x, y, X, B: (x[x > 0] < 2).all(),
    "size": lambda x, y, X, B: x[x > 0].size,
    "size of rows": lambda x, y, X, B: X[x > 0].size,
    "ptp": lambda x, y, X, B: np.ptp(B[B > 0]),
    "median": lambda x, y, X, B: np.median(x[x < 0.3]),
    "median of NaN": lambda x, y, X, B: np.median(np.sqrt(x)[x < 0.3]),
    "quantiles": lambda x, y, X, B: np.quantile(x[x < 0.3], [0.2, 0.7]),
    "count_nonzero": lambda x, y, X, B: np.count_nonzero(x[x > 0] > 0.3),
    "average": lambda x, y, X, B: np.average(x[x > 0], weights=y[x > 0] ** 2),
    "norm": lambda x, y, X, B: np.linalg.norm(x[x > 0] - 1),
    "norm of a matrix": lambda x, y, X, B: np.linalg.norm(X[x > 0], keepdims=True),
    "norms of columns": lambda x, y, X, B: np.linalg.norm(X[x > 0], axis=0),
    "largest of columns": lambda x, y, X, B: np.linalg.norm(X[x > 0], np.inf, axis=0, keepdims=True),
    "norms of rows": lambda x, y, X, B: np.linalg.norm(X[x > 0], 3, axis=1).sum(),
    "argmax of rows": lambda x, y, X, B: np.argmax(X[x > 0], axis=1).max(),
    "reduce": lambda x, y, X, B: np.add.reduce(x[x > 0]),
    "initial": lambda x, y, X, B: np.max(x[x > 0], initial=7.0),
    "where=": lambda x, y, X, B: np.sum(x[x > 0], where=y[x > 0] > 0),
    "elementwise": lambda x, y, X, B: np.sum(np.log(x[x > 0]) * y[x > 0] + 1),
    "reflected": lambda x, y, X, B: np.sum(1 / x[x > 0] - np.float64(2) * x[x > 0]),
    "np.where": lambda x, y, X, B: np.where(x[x > 0] > y[x > 0], 1.0, 2.0).sum(),
    "np.interp": lambda x, y, X, B: np.interp(x[x > 0], [0, 1.0], [3, 4.0]).sum(),
    "cumsum": lambda x, y, X, B: np.cumsum(x[x > 0]).max(),
    "beside a row": lambda x, y, X, B: (X[x > 0] - X.mean(0)).sum(),
    "rows": lambda x, y, X, B: X[x > 0].sum(0),
    "one truth": lambda x, y, X, B: X[x[0] > 0].sum((0, 1)) + X[x[0] < 0].sum() + x[0][x[0] > 0].sum(),
    "one truth for a row": lambda x, y, X, B: X[1, x[0] > 0].sum(0),
    "columns": lambda x, y, X, B: B[:, x > 0].mean(1),
    "keepdims": lambda x, y, X, B: B[:, x > 0].mean(1, keepdims=True),
    "last": lambda x, y, X, B: B[..., x > 0].max(-1),
    "in a row": lambda x, y, X, B: B[1, x > 0].sum(),
    "in a column": lambda x, y, X, B: X[x > 0, 1].sum(),
    "a column of it": lambda x, y, X, B: X[x > 0][:, 1].sum(),
    "of a matrix": lambda x, y, X, B: B[B > 0].prod(),
    "masked again": lambda x, y, X, B: x[x > 0][x[x > 0] < 0.5].sum(),
    "np.inner": lambda x, y, X, B: np.inner(X[x > 0], X[0]).sum() + np.inner(x[x > 0], y[x > 0]),
    "complex elements": lambda x, y, X, B: (1j * x[x > 0] + np.exp(2j * (x + 1j * y)[x > 0])).sum(),
    "complex products": lambda x, y, X, B: np.vdot((x + 1j * y)[x > 0], (x - 1j * y)[x > 0]),
    "parts": lambda x, y, X, B: ((x + 1j * y)[x > 0].conj().imag + np.angle((x * 1j)[x > 0])).mean(),
    "complex prod": lambda x, y, X, B: np.prod((x + 1j * y)[x > 0]) + (x - 1j * y)[x > 0].std(),
    "vectors": lambda x, y, X, B: x[x > 0] @ y[x > 0],
    "matrices": lambda x, y, X, B: X[x > 0].T @ X[x > 0],
    "normal equations": lambda x, y, X, B: np.dot(X[x > 0].T, y[x > 0]),
    "averages of columns": lambda x, y, X, B: np.average(X[x > 0], axis=0, weights=y[x > 0] ** 2),
    "rows times a vector": lambda x, y, X, B: (X[x > 0] @ X[0]).sum(),
}


def _sums(x):
    return np.sum(x) + np.sum(np.cumsum(x) ** 2)


def _ascending(x, y):
    """Points in order, some of them chosen, and one value at each."""
    places = np.cumsum(np.exp(x)) - 3
    return places[x < 0.3], y[x < 0.3]


MOVED = {
    "joined with an array": lambda x, y, X, B: _sums(np.concatenate((x[x > 0], y))),
    "joined with another mask": lambda x, y, X, B: _sums(np.concatenate((y, x[x > 0], y[y < 0]))),
    "joined flat": lambda x, y, X, B: _sums(np.concatenate((x[x > 0], y), axis=None)),
    "joined rows": lambda x, y, X, B: np.sum(np.concatenate((X[x > 0], X)).max(axis=1)),
    "joined beside": lambda x, y, X, B: np.sum(
        np.concatenate((X[x > 0], X[x > 0] ** 2), axis=-1).prod(axis=1)
    ),
    "appended": lambda x, y, X, B: _sums(np.append(x[x > 0], 3.0)) + _sums(np.append(y, x[x < 0])),
    "hstack": lambda x, y, X, B: _sums(np.hstack((x[x > 0], y))) + np.hstack((B[:, x > 0], B)).mean(),
    "vstack": lambda x, y, X, B: np.sum(np.max(np.vstack((x[x > 0], y[x > 0])), axis=0)),
    "stack": lambda x, y, X, B: np.sum(np.stack((x[x > 0], y[x > 0]), axis=1).sum(axis=1) ** 2),
    "stack in front": lambda x, y, X, B: np.sum(np.stack((X[x > 0], 2 * X[x > 0]), axis=-3).prod(axis=0)),
    "column_stack": lambda x, y, X, B: np.sum(np.column_stack((x[x > 0], y[x > 0])).prod(axis=1)),
    "sorted": lambda x, y, X, B: np.cumsum(np.sort(x[x < 0.3]))[1] + 3 * np.sort(y[y > 0])[0],
    "differences": lambda x, y, X, B: (
        np.sum(np.diff(x[x < 0.3]) ** 3) + np.sum(np.diff(np.sort(y[x < 0.3])) ** 2)
    ),
    "differences between ends": lambda x, y, X, B: np.sum(
        np.diff(x[x < 0.3], prepend=0.0, append=y[:2]) ** 3
    ),
    "reversed": lambda x, y, X, B: _sums(x[x < 0.3][::-1]) + np.cumsum(np.flip(y[x > 0]))[0],
    "outer": lambda x, y, X, B: np.sum(np.multiply.outer(x[x > 0], y) ** 2),
    "outer of an array": lambda x, y, X, B: np.sum(np.divide.outer(y, x[x > 0]).T.sum(axis=1) ** 2),
    "weighed bins": lambda x, y, X, B: np.histogram(x[x < 0.3], 3, weights=y[x < 0.3])[0] @ np.arange(3.0),
    "edges of bins": lambda x, y, X, B: _sums(np.histogram(x[x < 0.3], 4)[1]),
    "points": lambda x, y, X, B: np.trapezoid(y[x < 0.3], x[x < 0.3]) + np.trapezoid(y[x < 0.3], dx=0.3),
    "between points": lambda x, y, X, B: _sums(np.interp(X, *_ascending(x, y))),
    "at points": lambda x, y, X, B: np.sum(np.interp(_ascending(x, y)[0], *_ascending(x, y)) ** 2),
    "fitted": lambda x, y, X, B: _sums(np.polyfit(x[x < 0.3], y[x < 0.3], 1)),
    "fitted with weights": lambda x, y, X, B: _sums(
        np.polyfit(x[x < 0.3], y[x < 0.3], 1, w=np.exp(x[x < 0.3]))
    ),
    "columns of one": lambda x, y, X, B: np.sum(x[x > 0][:, None] * X[x > 0]),
    "rows of one": lambda x, y, X, B: _sums((x[x > 0][None] * X[0][:, None]).sum(1)),
    "dimensions in front": lambda x, y, X, B: _sums((X[x > 0][None, ..., None] ** 2).sum((0, 1, 3))),
    "reshaped": lambda x, y, X, B: _sums(
        (x[x > 0].reshape(-1, 1) * X[0]).sum(0) + x[x > 0].reshape((1, -1)).sum()
    ),
    "flat again": lambda x, y, X, B: np.reshape(x[x > 0][:, None], -1).sum() + x[x > 0].ravel().sum(),
    "of rank 2": lambda x, y, X, B: _sums(
        np.atleast_2d(x[x > 0]).mean(1) + np.expand_dims(x[x > 0], 1).sum(0)
    ),
    "into": lambda x, y, X, B: np.sum(
        np.divide(y[x > 0], x[x > 0], np.ones_like(x[x > 0]), where=x[x > 0] > 0.5)
    ),
    "into by name": lambda x, y, X, B: np.sum(np.exp(y[x > 0], out=np.ones_like(x[x > 0]))),
}
"""Selections whose counted elements move."""


@pytest.mark.parametrize("name", MOVED)
def test_derivatives_of_joined_and_sorted_elements(name) -> None:
    function = MOVED[name]
    found = ad.grad(function, argnums=(0, 1, 2, 3))(*ARGUMENTS)
    for k, gradient in enumerate(found):
        expected = np.zeros(ARGUMENTS[k].shape)
        for place in np.ndindex(expected.shape):
            for sign in (1, -1):
                moved = [a.copy() for a in ARGUMENTS]
                moved[k][place] += sign * 1e-6
                expected[place] += sign * function(*moved) / 2e-6
        np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-7)


def test_counts_of_bins_are_integers() -> None:
    x = ARGUMENTS[0]
    for bins in (4, np.array([-2.0, 0.0, 0.5, 3.0])):
        found = ad.jit(lambda x, bins=bins: np.histogram(x[x < 0.3], bins)[0])(x)
        np.testing.assert_array_equal(found, np.histogram(x[x < 0.3], bins)[0])
        assert found.dtype == np.int64


def _doubled(x, y, X, B):
    x[x > 0] = x[x > 0] * 2
    return x


def _added(x, y, X, B):
    x[x > 0] += 7
    return x


def _copied(x, y, X, B):
    chosen = x > 0
    x[chosen] = y[chosen]
    return x


def _rows(x, y, X, B):
    X[x > 0] = X[0]
    X[x < -1, 1] = 3
    return X


def _by_one_truth(x, y, X, B):
    X[x[0] > 0] = 5
    X[1, x[0] < 9] = y[:3]
    X[x[0] > 9] = 7
    return X


def _columns(x, y, X, B):
    B[:, x > 0] = B[:, x > 0] - B[:, x > 0].mean(1, keepdims=True)
    return B


def _roots(x, y, X, B):
    B[B > 0] = np.sqrt(B[B > 0])
    return B


def _centred(x, y, X, B):
    X[x > 0] -= X[x > 0].mean(0)
    return X


def _turned(x, y, X, B):
    z = x + 1j * y
    z[x > 0] *= 1j
    z[x < -1] = z[x < -1].conj() + x[x < -1]
    return z


def _in_views(x, y, X, B):
    B[1:][:, x > 0] = 5
    rest = B[2:]
    rest[rest > 0] = 1
    return B


def _negated_twice(x, y, X, B):
    np.negative.at(x, np.array([0, 2, 0]))
    return x


WRITES = {
    f.__name__: f
    for f in (
        _doubled,
        _added,
        _copied,
        _rows,
        _by_one_truth,
        _columns,
        _roots,
        _centred,
        _turned,
        _in_views,
        _negated_twice,
    )
}


@pytest.mark.parametrize("name", [*READS, *MOVED, *WRITES])
def test_as_numpy(name) -> None:
    function = (READS | MOVED | WRITES)[name]
    found = ad.jit(function, interpret=True)(*ARGUMENTS)
    with np.errstate(invalid="ignore"):
        expected = function(*(a.copy() for a in ARGUMENTS))
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert np.shape(found) == np.shape(expected)


def test_at() -> None:
    x, B = ARGUMENTS[0], ARGUMENTS[3]
    found = ad.jit(
        lambda x, B: (x.at[x > 0].add(1.0), B.at[:, x > 0].set(2.0), x.at[x > 0].multiply(x[x > 0])),
        interpret=True,
    )(x, B)
    np.testing.assert_array_equal(found[0], np.where(x > 0, x + 1, x))
    np.testing.assert_array_equal(found[1], np.where(x > 0, 2.0, B))
    np.testing.assert_array_equal(found[2], np.where(x > 0, x * x, x))


def test_nothing_is_left() -> None:
    """NumPy raises here, as nothing has an extremum: NaN of floats, the last number of integers."""
    x = ARGUMENTS[0]
    found = ad.jit(
        lambda x: (
            x[x > 99].max(),
            x[x > 99].mean(),
            (x * 9)[x > 99].sum(),
            (x * 9).astype(int)[x > 99].min(),
        )
    )(x)
    assert np.isnan(found[0])
    assert np.isnan(found[1])
    assert found[2:] == (0, np.iinfo(np.int64).max)


def test_derivatives_do_not_see_what_is_left_out() -> None:
    x = np.array([4.0, 0.0, -1.0, 9.0])
    gradient = ad.grad(lambda x: np.sum(np.sqrt(x[x > 0])) + np.log(x[x > 0]).mean())(x)
    np.testing.assert_allclose(gradient, [0.25 + 0.125, 0, 0, 1 / 6 + 1 / 18])


REFUSED = {
    "different masks": (lambda x, y, X, B: (x[x > 0] + y[y > 0]).sum(), "different masks"),
    "an array beside it": (lambda x, y, X, B: x[x > 0] + y, "by the same mask: y\\[mask\\]"),
    "matrix of a vector": (lambda x, y, X, B: x[x > 0].reshape(2, -1), "np.reshape needs it"),
    "interpolated with a value beyond": (
        lambda x, y, X, B: np.interp(y, x[x > 0], y[x > 0], right=0.0),
        "np.interp needs it",
    ),
    "order": (lambda x, y, X, B: np.argsort(x[x > 0]), "np.argsort needs it"),
    "sorted rows": (lambda x, y, X, B: np.sort(X[x > 0], axis=0), "np.sort needs it"),
    "second differences": (lambda x, y, X, B: np.diff(x[x > 0], 2), "np.diff needs it"),
    "outer of two": (lambda x, y, X, B: np.multiply.outer(x[x > 0], y[x > 0]), "outer of two of them"),
    "bins by a rule": (lambda x, y, X, B: np.histogram(x[x > 0], "auto"), "np.histogram needs it"),
    "other weights": (lambda x, y, X, B: np.histogram(x[x > 0], weights=y), "np.histogram needs it"),
    "returned": (lambda x, y, X, B: x[x > 0], "ad.extract"),
    "norm of singular values": (lambda x, y, X, B: np.linalg.norm(X[x > 0], 2), "norm needs it"),
    "attribute": (lambda x, y, X, B: x[x > 0].tolist(), "tolist needs it"),
    "loop": (lambda x, y, X, B: [*x[x > 0]], "returns a list whose elements are decided"),
    "list": (lambda x, y, X, B: list(x[x > 0]), "returns a list whose elements are decided"),
    "every other one": (lambda x, y, X, B: x[x > 0][::2], "a part of it needs it"),
    "rows backwards": (lambda x, y, X, B: X[x > 0][::-1], "a part of it needs it"),
    "a part of columns": (lambda x, y, X, B: B[:, x > 0][:, 1:], "a part of it needs it"),
    "complex argmax": (lambda x, y, X, B: np.argmax((x + 1j * y)[x > 0]), "np.argmax of complex"),
    "truth": (lambda x, y, X, B: 1 if x[x > 0] else 0, "its truth"),
    "number": (lambda x, y, X, B: float(x[x > 0]), "Python number"),
    "written elsewhere": (lambda x, y, X, B: x.__setitem__(x > 0, y[y > 0]), "another mask"),
    "written from a vector": (lambda x, y, X, B: x.__setitem__(x > 0, y[:3]), "np.place"),
    "two masks": (lambda x, y, X, B: B[B[:, 0] > 0, x > 0], "two steps"),
    "stacked with an array": (lambda x, y, X, B: np.stack([x[x > 0], y]), "an array beside it needs it"),
    "stacked by two masks": (lambda x, y, X, B: np.stack([x[x > 0], y[y > 0]]), "different masks"),
    "out=": (lambda x, y, X, B: np.sin(x[x > 0], out=x), "out= needs it"),
    "two masks in two steps": (lambda x, y, X, B: X[x > 0][:, X[0] > 0], "a position in it needs it"),
    "contained": (lambda x, y, X, B: 2.0 in x[x > 0], "the truth of"),
    "inner of matrices": (lambda x, y, X, B: np.inner(X[x > 0], X), "np.inner needs it"),
    "vdot of matrices": (lambda x, y, X, B: np.vdot(X[x > 0], X), "np.vdot needs it"),
    "np.compress": (lambda x, y, X, B: np.compress(x > 0, x), r"write x\[condition\]"),
    "np.delete": (lambda x, y, X, B: np.delete(x, x > 0), r"write x\[~mask\]"),
    "SciPy's": (lambda x, y, X, B: special.logsumexp(x[x > 0]), "SciPy's logsumexp needs it"),
    "wrong extents": (lambda x, y, X, B: x[X[:3, 0] > 0], "a mask of shape \\(3,\\)"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_needs_the_length_says_so(name) -> None:
    function, text = REFUSED[name]
    with pytest.raises(MliradError, match=text) as caught:
        ad.jit(function, interpret=True)(*ARGUMENTS)
    assert isinstance(caught.value, TracingError | PositionError)
    assert caught.value.hint is not None


def test_arrays_of_masked_elements_are_masked_elements() -> None:
    def function(x):
        mask = x > 0
        y = np.zeros_like(x)
        y[mask] = np.asarray(x[mask], dtype=np.float32) * np.array(x[mask]) + np.empty_like(x[mask]) * 0
        y[~mask] = np.asarray(x[~mask])
        return y, np.isrealobj(x[mask])

    x = np.array([1.0, -2.0, 3.0, 0.5])
    found, is_real = ad.jit(function, interpret=True)(x)
    np.testing.assert_array_equal(found, function(x)[0])
    assert is_real


OF_COUNTS = {
    "ones of a length": lambda x, m: x[m] * np.ones(len(x[m])),
    "zeros of a sum": lambda x, m: x[m] + np.zeros(m.sum()),
    "empty": lambda x, m: x[m] + 0 * np.empty(np.count_nonzero(m)),
    "full": lambda x, m: x[m] * np.full(np.sum(m), x[0]),
    "ones of a size": lambda x, m: x[m] * np.ones(x[m].size),
    "ones of a shape": lambda x, m: x[m] * np.ones(x[m].shape),
    "of an extent": lambda x, m: x[m] * np.ones(x[m].shape[0]),
    "arange": lambda x, m: x[m] * np.arange(len(x[m])),
    "powers": lambda x, m: x[m] ** np.arange(m.sum()),
    "rows": lambda x, m: np.ones((len(x[m]), 2)) * x[m][:, None],
    "columns": lambda x, m: x[m] * np.sum(np.full((2, len(x[m])), 3.0), axis=0),
    "design matrix": lambda x, m: np.column_stack([np.ones(len(x[m])), x[m]]),
    "with a dtype": lambda x, m: x[m] * np.ones(len(x[m]), np.float32),
    "number first": lambda x, m: (lambda n: np.arange(n) / 2 + x[m])(len(x[m])),
}


@pytest.mark.filterwarnings("ignore::mlirad.ControlFlowWarning")
@pytest.mark.parametrize("name", OF_COUNTS)
def test_arrays_as_long_as_a_mask_has_elements(name: str) -> None:
    make = OF_COUNTS[name]

    def function(x):
        return np.sum(make(x, x > 0.1) ** 2)

    for x in (np.array([0.5, -1.0, 2.0, -0.3, 1.5]), np.ones(3), -np.ones(2)):
        value, gradient = ad.value_and_grad(function, interpret=True)(x)
        assert value == pytest.approx(function(x))
        steps = 1e-6 * np.eye(len(x))
        differences = [(function(x + step) - function(x - step)) / 2e-6 for step in steps]
        np.testing.assert_allclose(gradient, differences, rtol=1e-6, atol=1e-6)


def test_counts_of_other_masks_and_other_numbers_are_refused() -> None:
    x = np.array([0.5, -1.0, 2.0])
    refused = (
        lambda x: np.sum(np.ones((x > 1).sum()) * x[x > 0]),
        lambda x: np.sum(np.ones((x > 0).sum() - 1)),
        lambda x: np.sum(np.ones(((x > 0).sum(), (x > 1).sum()))),
    )
    for function in refused:
        with pytest.raises(TracingError):
            ad.jit(function, interpret=True)(x)
    with pytest.raises(TracingError, match="a write into it needs it"):
        ad.jit(lambda x: x[x > 0].__setitem__(0, 1.0), interpret=True)(x)
