"""Positions that a traced mask chooses: `np.where(mask)`, `np.nonzero`, and elements by their numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad

X = np.array([1.0, -2.0, 3.0, -4.0, 5.0, 0.5])
MATRIX = np.array([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]])


def by_statement(x: Any, M: Any) -> Any:
    total = 0.0
    for i in np.where(x > 0)[0]:
        total += x[i] * i
    return total


def with_break(x: Any, M: Any) -> Any:
    total = 0.0
    for v in x[x > 0]:
        if v > 4:
            break
        total += v
    return total


def over_rows(x: Any, M: Any) -> Any:
    total = 0.0
    for row in M[M[:, 0] < 0]:
        total += row[1] * row[2]
    return total


def by_length(x: Any, M: Any) -> Any:
    chosen = x[x > 0]
    total = 0.0
    for k in range(len(chosen)):
        total += chosen[k] * (k + 1)
    return total / chosen.shape[0]


def written(x: Any, M: Any) -> Any:
    y = np.zeros_like(x)
    i = np.where(x > 0)[0]
    y[i] = x[i] * 2
    y[i] += 1
    y[np.nonzero(x < 0)] = -7
    y[i[0]] = x[i[-1]]
    return y


def written_in_views(x: Any, M: Any) -> Any:
    y = x.copy()
    part = y[1:5]
    part[np.flatnonzero(part > 0)] = 9
    turned = M.T.copy()
    turned[np.where(turned > 0)] *= 2
    turned[np.where(turned[:, 0] < 0)[0], 1] = x[0]
    return y, turned


def written_next_to_it(x: Any, M: Any) -> Any:
    y = x.copy()
    i = np.where(x[:-1] > 0)[0]
    y[i + 1] = x[i]
    return y


def guarded(x: Any, M: Any) -> Any:
    found = np.where(x > 100)[0]
    if len(found) > 0:
        return x[found[0]]
    return 2 * x[0]


def guarded_by_size(x: Any, M: Any) -> Any:
    found = np.where(x > 2)[0]
    if found.size == 0:
        return 2 * x[0]
    return x[found[-1]] + found[0]


def best(x: Any, M: Any) -> Any:
    (found,) = np.where(x < 4)
    return x[found[np.argmax(x[found])]] + found[np.argmin(np.abs(x[found]))]


def crossings(x: Any, M: Any) -> Any:
    s = np.where(np.diff(np.sign(x)))[0]
    return np.sum(x[s] - x[s] * (x[s + 1] - x[s]))


def squares(x: Any, M: Any) -> Any:
    rows, columns = np.where(M > 0)
    return np.sum(M[rows, columns] * x[columns]) + rows.sum() + M[np.nonzero(M < 0)].mean()


def columns(x: Any, M: Any) -> Any:
    j = np.where(M[0] > 0)[0]
    return M[:, j].sum(0).max() + M[1, j].sum() + M[None, :, j].mean()


def places(x: Any, M: Any) -> Any:
    found = np.argwhere(M > 0)
    return found.sum(0) * x[0] + found[0, 1] + M[:, 0][found[:, 0]].sum()


def elements(x: Any, M: Any) -> Any:
    chosen = x[x > 0]
    k = (x[0] * 2).astype(int)
    return (
        chosen[0], chosen[-1], chosen[k], M[M[:, 0] < 0][0], chosen[1:].sum(), chosen[:-1].sum(),
        chosen[:1].sum(), chosen[-2:].prod(), M[:, M[0] > 0][:, 1], len(M[M[:, 0] < 9]), chosen[9:].sum(),
        chosen[1:3].sum(),
    )  # fmt: skip


def of_known_arrays(x: Any, M: Any) -> Any:
    i = np.where(x > 0)[0]
    return np.sum(np.arange(6.0)[i] * x[i]) + np.array([x[0], 1.0])[np.where([x[0] > 0, x[0] < 0])].sum()


def of_complex(x: Any, M: Any) -> Any:
    z = x + 1j * x**2
    i = np.where(x > 0)[0]
    z[i] *= 1j
    return z[i].sum() + z[i][0]


def at(x: Any, M: Any) -> Any:
    i = np.where(x > 0)[0]
    return ad.asarray(x).at[i].add(x[i]).at[i % 2].add(1.0).at[i].multiply(2.0)


def extrema(x: Any, M: Any) -> Any:
    i = np.where(x > 0)[0]
    return i.max() - i.min(), np.argmax(i), np.argmin((10 * x[i]).astype(np.int32)), np.argmax(x[i] > 2)


FUNCTIONS: tuple[Callable[..., Any], ...] = (
    by_statement, with_break, over_rows, by_length, written, written_in_views, written_next_to_it, guarded,
    guarded_by_size, best, crossings, squares, columns, places, elements, of_known_arrays, of_complex,
    extrema,
)  # fmt: skip


def parts(found: Any) -> list[Any]:
    return list(found) if isinstance(found, tuple) else [found]


@pytest.mark.filterwarnings("ignore::mlirad.ControlFlowWarning")
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_positions_are_those_of_numpy(function: Callable[..., Any]) -> None:
    for control in ("auto", "rewrite"):
        compiled = ad.jit(function, interpret=True, control=control)
        for x in (X, X[::-1].copy(), np.abs(X)):
            for found, want in zip(parts(compiled(x, MATRIX)), parts(function(x, MATRIX)), strict=True):
                np.testing.assert_allclose(found, want, rtol=1e-12)


@pytest.mark.filterwarnings("ignore::mlirad.ControlFlowWarning")
@pytest.mark.parametrize("function", [by_length, written, best, squares], ids=lambda f: f.__name__)
def test_positions_are_compiled_batched_and_differentiated(function: Callable[..., Any]) -> None:
    batch = np.stack([X, X[::-1], np.abs(X)])
    want = [function(x, MATRIX) for x in batch]
    np.testing.assert_allclose([ad.jit(function)(x, MATRIX) for x in batch], want, rtol=1e-12)
    np.testing.assert_allclose(ad.vmap(function, in_axes=(0, None))(batch, MATRIX), want, rtol=1e-12)
    ad.check_derivatives(function, X, MATRIX)


def test_updates_at_positions() -> None:
    found = ad.jit(at, interpret=True)(X, MATRIX)
    want = X.copy()
    i = np.where(X > 0)[0]
    want[i] += X[i]
    np.add.at(want, i % 2, 1.0)
    want[i] *= 2
    np.testing.assert_allclose(found, want)


def test_positions_outside_are_told_from_those_that_do_not_count() -> None:
    checked = ad.jit(written_next_to_it, interpret=True, check_bounds=True)
    np.testing.assert_array_equal(checked(X, MATRIX), written_next_to_it(X, MATRIX))

    def beyond(x: Any) -> Any:
        y = x.copy()
        y[np.where(x > 0)[0] + 3] = 0
        return y

    with pytest.raises(IndexError, match="is outside of a dimension of extent 6"):
        ad.jit(beyond, interpret=True, check_bounds=True)(X)


MISSING: dict[str, Callable[[Any], Any]] = {
    "first": lambda x: x[x > 9][0],
    "last": lambda x: x[x > 9][-1],
    "first position": lambda x: x[np.where(x > 9)[0][0]],
    "fifth": lambda x: x[x > 0][4],
    "fifth from the end": lambda x: x[x > 0][-5],
}


@pytest.mark.parametrize("case", MISSING)
def test_an_element_that_is_missing_raises_as_in_numpy(case: str) -> None:
    with pytest.raises(IndexError):
        MISSING[case](X)
    with pytest.raises(IndexError, match="fewer elements"):
        ad.jit(MISSING[case], interpret=True)(X)


def test_the_largest_of_nothing_raises_as_in_numpy() -> None:
    with pytest.raises(ValueError, match="argmax of an empty sequence"):
        ad.jit(lambda x: np.argmax(x[x > 9]), interpret=True)(X)


def test_the_largest_of_the_least_numbers() -> None:
    x = np.array([np.inf, -np.inf, -np.inf, np.nan])

    def function(x: Any) -> Any:
        return np.argmax(x[x < 0]), np.argmax(x[x != 0]), np.argmin(x[x == np.inf])

    assert ad.jit(function, interpret=True)(x) == (0, 3, 0)
    assert tuple(function(x)) == (0, 3, 0)


def caught(x: Any) -> Any:
    try:
        return x[np.where(x > 9)[0][0]]
    except IndexError:
        return x[0]


REFUSED: dict[str, tuple[Callable[..., Any], str]] = {
    "an array beside it": (lambda x, M: M[np.where(x[:2] > 0)[0], np.array([0, 1])], "two steps"),
    "other masks": (lambda x, M: M[np.where(x[:2] > 0)[0], np.where(M[0] > 0)[0]], "different masks"),
    "floats": (lambda x, M: x[x[x > 0]], "positions must be integers"),
    "values of a known number": (lambda x, M: x.__setitem__(np.where(x > 0), x[:4]), "np.place"),
    "values of another mask": (lambda x, M: x.__setitem__(np.where(x > 0), x[x < 0]), "another mask"),
    "a scalar": (lambda x, M: np.nonzero(x[0]), "at least one dimension"),
    "returned": (lambda x, M: np.where(x > 0)[0], "ad.nonzero"),
    "an exception that is expected": (lambda x, M: caught(x), "except IndexError"),
    "a comprehension": (lambda x, M: sum([x[i] for i in np.where(x > 0)[0]]), "as a statement"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case: str) -> None:
    function, text = REFUSED[case]
    with pytest.raises(ad.MliradError, match=text) as error:
        ad.jit(function, interpret=True)(X, MATRIX)
    assert error.value.hint is not None
