"""Comparing captured arrays for a large part of a call gives a warning, and what it says to write helps."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import mlirad as ad

CALLS = 6
SIZE = 1_000_000


def warned(call: Callable[[], object]) -> list[warnings.WarningMessage]:
    """The warnings of some calls."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(CALLS):
            call()
    return [w for w in caught if "at every call" in str(w.message)]


def test_a_costly_comparison_warns_once_at_the_users_line() -> None:
    table = np.ones(SIZE)
    first = ad.grad(lambda w: w * table[0])
    (found,) = warned(lambda: first(2.0))
    assert found.category is ad.CaptureWarning
    assert found.filename == __file__
    message = str(found.message)
    assert message.startswith("comparing table, which lambda reads from outside, takes ")
    assert message.endswith(
        "hint: pass table as an argument, or promise that it does not change: table.flags.writeable = False"
    )
    assert not warned(lambda: first(2.0))
    table[0] = 3.0
    assert first(2.0) == 3.0


def test_what_the_warning_says_helps() -> None:
    table = np.ones(SIZE)
    table.flags.writeable = False
    frozen = ad.jit(lambda w: w * table[0])
    assert not warned(lambda: frozen(2.0))
    passed = ad.jit(lambda w, a: w * a[0])
    assert not warned(lambda: passed(2.0, table))


def test_an_array_that_shares_memory_is_copied_first() -> None:
    table = np.ones((SIZE, 2))[:, 0].reshape(-1, 2)
    table.flags.writeable = False
    view = ad.jit(lambda w: w * table[0])
    (found,) = warned(lambda: view(2.0))
    assert str(found.message).endswith("table = table.copy(); table.flags.writeable = False")
    table = table.copy()
    table.flags.writeable = False
    assert not warned(lambda: ad.jit(lambda w: w * table[0])(2.0))


def test_several_arrays_are_counted_and_the_largest_is_named() -> None:
    state: dict[str, Any] = {"small": np.ones(20_000), "large": np.ones(SIZE)}

    def read(w: Any, *, scale: Any = 1.0) -> Any:
        return w * state["large"][0] * state["small"][0] * scale

    calls = ad.jit(read)
    (found,) = warned(lambda: calls(2.0, scale=3.0))
    assert "comparing state['large'] and 1 more, which read reads" in str(found.message)


def test_calls_that_cost_more_give_no_warning() -> None:
    matrix = np.ones((700, 700))
    product = ad.jit(lambda w: matrix @ np.sin(matrix * w) @ matrix)
    assert not warned(lambda: product(2.0))
    small = np.ones(1000)
    assert not warned(lambda: ad.jit(lambda w: w * small[0])(2.0))
