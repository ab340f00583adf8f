"""Arrays of none to three rows: what chunks compute is what one machine does, a value or an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np
import pytest

import mlirad as ad
from mlirad.distributed.local import run
from mlirad.distributed.planning import plan_of
from mlirad.frontend.tracing.pytree import flatten

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")

Outcome: TypeAlias = list[Any] | ad.MliradError

CHUNKS: Final = {
    0: [(0,)],
    1: [(1,), (0, 1, 0)],
    2: [(2,), (1, 0, 1)],
    3: [(1, 2), (1, 1, 0, 1)],
}
"""The chunks, by the number of rows that they have."""

POSITIONS: Final = (0, 1, 2, 3, -1, -2, -3, -4)

SLICES: Final = [slice(a, b) for a in (None, 1, 2, -2, -3) for b in (None, 1, 3, 9, -1)]


def written(x: Any, place: Any) -> Any:
    x = x.copy()
    x[place] = 5.0 * x[place] + 7.0
    return x


def added(x: Any, place: Any) -> Any:
    x = x.copy()
    np.add.at(x, place, 2.0)
    return x


FIXED: Final[dict[str, tuple[Callable[[Any, Any], Any], Any]]] = {
    "x[k]": (lambda x, k: x[k], POSITIONS),
    "x[k, 1]": (lambda x, k: x[k, 1], POSITIONS),
    "x.T[:, k]": (lambda x, k: x.T[:, k], POSITIONS),
    "np.take": (lambda x, k: np.take(x, k, axis=0), POSITIONS),
    "x[[k]]": (lambda x, k: x[np.array([k])], POSITIONS),
    "x[[0, k], [1, 2]]": (lambda x, k: x[np.array([0, k]), np.array([1, 2])], POSITIONS),
    "x[k] = v": (written, POSITIONS),
    "np.add.at": (lambda x, k: added(x, np.array([0, k])), POSITIONS),
    "x[a:b]": (lambda x, s: x[s], SLICES),
    "x[a:b] = v": (written, SLICES),
}
"""Readings and writings at places that stand in the program, and these places."""

TRACED: Final[dict[str, tuple[Callable[[Any, Any], Any], Any]]] = {
    "x[i]": (lambda x, i: x[i], POSITIONS),
    "x[i, 1]": (lambda x, i: x[i, 1], POSITIONS),
    "x[[0, i]]": (lambda x, i: x[i], [np.array([0, k]) for k in POSITIONS]),
    "x[i] = v": (written, POSITIONS),
    "np.add.at": (added, [np.array([0, k]) for k in POSITIONS]),
}
"""Readings and writings at places that are arguments."""

QUESTIONS: Final[dict[str, Callable[[Any], Any]]] = {
    "are there two": lambda x: x[0] if x.shape[0] > 1 else np.sum(x, axis=0),
    "is there one": lambda x: 3 * x if x.shape[0] == 1 else 4 * x,
    "squeezed": lambda x: np.squeeze(x),
    "a row as a number": lambda x: np.squeeze(x[:, 0]),
    "broadcast": lambda x: x + np.ones((1, 3)),
    "broadcast with more": lambda x: x + np.ones((4, 3)),
    "pairs": lambda x: x[:, None, 0] - x[None, :, 0],
    "backwards": lambda x: x[::-1],
    "every other": lambda x: np.sum(x[::2] ** 2),
    "differences": lambda x: np.sum(np.diff(x, axis=0)),
    "sorted": lambda x: np.sort(x, axis=0),
    "variance": lambda x: np.sum(np.var(x, axis=0)),
    "by a list of their number": lambda x: x.T @ np.ones(x.shape[0]),
}
"""Ways in which a program reads the number of rows."""


pytestmark = pytest.mark.filterwarnings("ignore:.* is compiled for the 10th time")


def array(rows: int) -> Any:
    return np.cos(np.arange(3.0 * rows)).reshape(rows, 3)


def outcome(call: Callable[[], Any]) -> Outcome:
    """The leaves of a value, or an error of mlirad."""
    try:
        return [np.asarray(leaf) for leaf in flatten(call())[0]]
    except ad.MliradError as error:
        return error


def require_equal(found: Outcome, expected: Outcome) -> None:
    """Require equal shapes, dtypes and numbers, up to rounding, or equal errors with the line of a test."""
    if isinstance(expected, ad.MliradError):
        assert isinstance(found, ad.MliradError)
        assert type(found) is type(expected)
        assert (found.message, found.location) == (expected.message, expected.location)
        return
    if isinstance(found, ad.MliradError):
        raise found
    for one, two in zip(found, expected, strict=True):
        assert one.dtype == two.dtype
        np.testing.assert_allclose(one, two, rtol=1e-14, atol=1e-15, strict=True)


def by_hand(function: Any, chunks: tuple[int, ...], x: Any, *more: Any) -> Outcome:
    """The outcome of a plan that runs without an engine."""

    def call() -> Any:
        planned = plan_of(function, (x, *more), {}, (0, *[None] * len(more)))
        return run(planned.plan, [x, *more], chunks)

    return outcome(call)


def by_dask(function: Any, chunks: tuple[int, ...], x: Any, *more: Any) -> Outcome:
    return outcome(lambda: dask.compute(function(da.from_array(x, chunks=(chunks, -1)), *more))[0])


def compared(function: Any, rows: int, *more: Any) -> Outcome:
    """Compare chunks with one machine, whose outcome is returned. Of several rows, what needs neighbours may
    be refused, with the line."""
    x = array(rows)
    expected = outcome(lambda: function(x, *more))
    for chunks in CHUNKS[rows]:
        found = [by_hand(function, chunks, x, *more)]
        with dask.config.set(scheduler="threads"):
            found += [by_dask(function, chunks, x, *more)] if rows else []
        for one in found:
            if rows > 1 and isinstance(one, ad.SplitError):
                assert all(isinstance(other, ad.SplitError) for other in found)
                assert "test_few_rows.py" in str(one.location)
            else:
                require_equal(one, expected)
    return expected


def gradient_of(f: Callable[..., Any]) -> Any:
    return ad.grad(lambda x, *more: np.sum(np.sin(f(x, *more))))


def at_place(f: Callable[[Any, Any], Any], place: Any) -> Callable[[Any], Any]:
    return lambda x: f(x, place)


@pytest.mark.parametrize("rows", CHUNKS)
@pytest.mark.parametrize("is_gradient", [False, True], ids=["value", "gradient"])
@pytest.mark.parametrize("name", FIXED)
def test_places_that_are_fixed(name: str, is_gradient: bool, rows: int) -> None:
    f, places = FIXED[name]
    for place in places:
        read = at_place(f, place)
        try:
            read(array(rows))
            is_there = True
        except IndexError:
            is_there = False
        found = compared(gradient_of(read) if is_gradient else ad.jit(read), rows)
        assert isinstance(found, IndexError) is not is_there


@pytest.mark.parametrize("rows", CHUNKS)
@pytest.mark.parametrize("is_gradient", [False, True], ids=["value", "gradient"])
@pytest.mark.parametrize("name", TRACED)
def test_places_that_are_arguments(name: str, is_gradient: bool, rows: int) -> None:
    f, places = TRACED[name]
    function = gradient_of(f) if is_gradient else ad.jit(f)
    for place in places:
        compared(function, rows, place)


@pytest.mark.parametrize("rows", CHUNKS)
@pytest.mark.parametrize("is_gradient", [False, True], ids=["value", "gradient"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_what_depends_on_the_number_of_rows(name: str, is_gradient: bool, rows: int) -> None:
    f = QUESTIONS[name]
    if name == "broadcast with more" and rows > 1:
        with pytest.raises(ad.ShapeError):
            ad.jit(f)(da.from_array(array(rows), chunks=(1, -1)))
        return
    compared(gradient_of(f) if is_gradient else ad.jit(f), rows)


@pytest.mark.parametrize("name", ["x[k]", "x[k] = v", "x[a:b]"])
def test_on_a_cluster(client: Any, name: str) -> None:
    f, places = FIXED[name]
    for place in places[1::4]:
        function = ad.jit(at_place(f, place))
        for rows in (1, 2):
            x = array(rows)
            expected = outcome(lambda function=function, x=x: function(x))
            for chunks in CHUNKS[rows]:
                split = da.from_array(x, chunks=(chunks, -1))
                with client.as_current():
                    found = [by_dask(function, chunks, x)]
                    with ad.distributed.resident(function, split) as kept:
                        found.append(outcome(lambda kept=kept: dask.compute(kept())[0]))
                for one in found:
                    if rows < 2 or not isinstance(one, ad.SplitError):
                        require_equal(one, expected)


def test_no_rows_are_refused() -> None:
    with pytest.raises(ad.ShapeError, match=r"argument x has no rows.*\n.*pass arrays of NumPy"):
        ad.jit(lambda x: x[0])(da.zeros((0, 3)))


def test_results_of_one_row_stay_split() -> None:
    x = da.from_array(array(1), chunks=((0, 1), -1))
    rows, total, first, column = ad.jit(lambda x: (np.sin(x), np.sum(x), x[:3], x.T))(x)
    assert rows.chunks == first.chunks == ((0, 1), (3,))
    assert column.chunks == ((3,), (0, 1))
    assert isinstance(total, np.generic | np.ndarray)


def test_plans_of_a_number_of_rows_are_not_those_of_more() -> None:
    f = ad.jit(lambda x: x[:9])
    for rows in (3, 9, 4, 12, 3):
        require_equal(by_hand(f, (rows - 2, 2), np.arange(float(rows))), [np.arange(float(min(rows, 9)))])
