"""Traced code that catches an error of the trace goes on in another way: a warning says so."""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad

X = np.array([1.0, 2.0])
TABLE = np.zeros(2)


def bare(x: Any) -> Any:
    try:
        return math.exp(x[0])
    except:  # noqa: E722
        return 1e300


def any_exception(x: Any) -> Any:
    try:
        y = float(x[0])
    except Exception:
        y = 1.0
    return y


def one_of_several(x: Any) -> Any:
    try:
        return float(x[0]) * 2.0
    except (KeyError, TypeError, OverflowError):
        return 1.0


def of_a_condition(x: Any) -> Any:
    try:
        return x if x[0] > 0 else -x
    except TypeError:
        return x * 0.0


def inside(x: Any) -> Any:
    def helper(y: Any) -> Any:
        return int(y)

    try:
        try:
            return helper(x[0]) + x
        except KeyError:
            return x
    except Exception:
        return x * 0.0


def raised_anew(x: Any) -> Any:
    def helper(y: Any) -> Any:
        try:
            return math.sin(y)
        except TypeError as error:
            raise RuntimeError("no number") from error

    try:
        return helper(x[0])
    except RuntimeError:
        return x[0] * 0.0


def of_numpy(x: Any) -> Any:
    try:
        return np.unique(x)
    except Exception:
        return x


def replaced_by_numpy(x: Any) -> Any:
    try:
        TABLE[0] = x[0]
    except (TypeError, ValueError):
        return x * 0.0
    return x


def suppressed(x: Any) -> Any:
    y = 0.0
    with contextlib.suppress(Exception):
        y = math.exp(x[0])
    return y + x


def in_a_loop(x: Any) -> Any:
    def body(carry: Any, y: Any) -> Any:
        try:
            return carry + math.exp(y), None
        except Exception:
            return carry, None

    return ad.scan(body, 0.0, x)[0]


def of_a_construct(x: Any) -> Any:
    try:
        return ad.scan(lambda c, y: (c + math.exp(y), None), 0.0, x)[0]
    except Exception:
        return x[0]


SWALLOWING = (
    bare, any_exception, one_of_several, of_a_condition, inside, raised_anew, of_numpy, replaced_by_numpy,
    suppressed, in_a_loop, of_a_construct,
)  # fmt: skip


@pytest.mark.parametrize("function", SWALLOWING, ids=lambda f: f.__name__)
def test_there_is_a_warning(function: Callable[..., Any]) -> None:
    with pytest.warns(ad.SwallowedErrorWarning) as heard:
        ad.jit(lambda x: function(x), interpret=True, control="plain")(X)
    found = [w for w in heard if w.category is ad.SwallowedErrorWarning]
    assert len(found) == 1
    assert found[0].filename == __file__
    assert "except OverflowError" in str(found[0].message)


@pytest.mark.parametrize("function", SWALLOWING, ids=lambda f: f.__name__)
def test_rewritten_code_goes_the_way_of_plain_python_or_warns(function: Callable[..., Any]) -> None:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        found = ad.jit(lambda x: function(x), interpret=True)(X)
    if not any(w.category is ad.SwallowedErrorWarning for w in heard):
        np.testing.assert_allclose(found, function(X))


def meant(x: Any) -> Any:
    try:
        return math.exp(x[0])
    except ad.TracingError:
        return np.exp(x[0])


def meant_by_base(x: Any) -> Any:
    try:
        return math.exp(x[0])
    except ad.MliradError:
        return np.exp(x[0])


def as_in_numpy(x: Any) -> Any:
    """Errors that there are outside of traces, too."""
    total = x[0]
    for wrong in (
        lambda: len(x[0]), lambda: iter(x[0]), lambda: x + np.zeros(3), lambda: x[5], lambda: x.nothing,
        lambda: np.reshape(x, (3, 3)), lambda: {}["key"],
    ):  # fmt: skip
        try:
            wrong()
        except Exception:
            total = total + 1.0
    return total


def asked(x: Any) -> Any:
    return x * (2.0 if hasattr(x, "nothing") or not np.iterable(x) else 3.0)


@pytest.mark.parametrize("function", [meant, meant_by_base, as_in_numpy, asked])
def test_there_is_none(function: Callable[..., Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ad.jit(lambda x: function(x), interpret=True, control="plain")(X)
    np.testing.assert_allclose(found, function(X))


def test_the_warning_comes_in_every_process_that_uses_the_program() -> None:
    """A program whose trace warned is not taken from the disk without a trace."""
    f = ad.jit(bare, control="plain")
    with pytest.warns(ad.SwallowedErrorWarning):
        f(X)
    with pytest.warns(ad.SwallowedErrorWarning):
        f(np.ones(3))
