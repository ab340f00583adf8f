"""Changes in Python by functions that bodies call: as in Python's runs, or an error, never once for all."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad

setting = 1.0


class Counter:
    """An object with state."""

    def __init__(self) -> None:
        self.count = 0

    def bump(self) -> int:
        """Count."""
        self.count += 1
        return self.count


class Slotted:
    """The same in a slot."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0

    def bump(self) -> int:
        """Count."""
        self.count += 1
        return self.count


class Shared:
    """The same in a class."""

    count = 0

    @classmethod
    def bump(cls) -> int:
        """Count."""
        cls.count += 1
        return cls.count


def by_class() -> Callable[[], int]:
    Shared.count = 0
    return lambda: Shared.bump()


def by_nonlocal() -> Callable[[], int]:
    count = 0

    def bump() -> int:
        nonlocal count
        count += 1
        return count

    return bump


def by_global() -> Callable[[], int]:
    def bump() -> int:
        global setting
        setting += 1.0
        return 2

    return bump


def by_list() -> Callable[[], int]:
    counts = [0]

    def bump() -> int:
        counts[0] += 1
        return counts[0]

    return bump


def by_growing() -> Callable[[], int]:
    seen: list[int] = []

    def bump() -> int:
        seen.append(1)
        return len(seen)

    return bump


def by_dict() -> Callable[[], int]:
    table = {"nested": {"count": 0}}

    def bump() -> int:
        table["nested"]["count"] += 1
        return table["nested"]["count"]

    return bump


def by_set() -> Callable[[], int]:
    seen: set[int] = set()

    def bump() -> int:
        seen.add(len(seen))
        return len(seen)

    return bump


def by_deque() -> Callable[[], int]:
    left = collections.deque(range(40))
    return lambda: left.popleft()


def by_array() -> Callable[[], int]:
    counts = np.arange(2)

    def bump() -> int:
        counts[0] += 1
        return int(counts[0])

    return bump


def by_default() -> Callable[[], int]:
    def bump(found: list[int] = [0]) -> int:  # noqa: B006
        found[0] += 1
        return found[0]

    return bump


def by_generator() -> Callable[[], float]:
    return np.random.default_rng(0).normal


def by_iterator() -> Callable[[], int]:
    numbers = iter(range(40))
    return lambda: next(numbers)


MAKERS: dict[str, Callable[[], Callable[[], Any]]] = {
    "attribute": lambda: Counter().bump,
    "slot": lambda: Slotted().bump,
    "class": by_class,
    "nonlocal": by_nonlocal,
    "list": by_list,
    "growing": by_growing,
    "dict": by_dict,
    "set": by_set,
    "deque": by_deque,
    "array": by_array,
    "default": by_default,
    "numbers": by_generator,
    "iterator": by_iterator,
}
"""The makers of functions that give something else at each call."""


@pytest.mark.filterwarnings("ignore::mlirad.CaptureWarning")
@pytest.mark.parametrize("name", MAKERS)
def test_long_loops_change_it_in_each_iteration(name: str) -> None:
    def f(x: Any) -> Any:
        bump, total = MAKERS[name](), 0.0
        for _ in range(18):
            total = total * 0.5 + x * bump()
        return total

    np.testing.assert_allclose(ad.jit(f, control="rewrite", interpret=True)(2.0), f(2.0), rtol=1e-12)


@pytest.mark.parametrize("name", [*MAKERS, "global"])
def test_under_a_traced_condition_attributes_alone_can_be_changed_and_not_in_expressions(name: str) -> None:
    make = by_global if name == "global" else MAKERS[name]

    def branch(x: Any) -> Any:
        bump = make()
        if x > 0:
            x = x * bump()
        return x

    def expression(x: Any) -> Any:
        bump = make()
        return x * bump() if x > 0 else x

    def operand(x: Any) -> Any:
        bump = make()
        return x > 0 and bump() > 1

    def loop(x: Any) -> Any:
        bump = make()
        while x < 9.0:
            x = x + 1.0 + bump()
        return x

    is_carried = name in ("attribute", "slot")
    for f in (branch, loop) if is_carried else ():
        for at in (2.0, -2.0):
            np.testing.assert_allclose(ad.jit(f, control="rewrite", interpret=True)(at), f(at), rtol=1e-14)
    for f in (expression, operand) if is_carried else (branch, expression, operand, loop):
        with pytest.raises(ad.TracingError, match=r"changes .* by a function that it calls") as caught:
            ad.jit(f, control="rewrite", interpret=True)(2.0)
        assert "let the function return what it changes" in str(caught.value)
        assert __file__ in str(caught.value.location)


@pytest.mark.parametrize("name", ["attribute", "slot", "nonlocal", "list", "dict", "array"])
def test_a_branch_that_raises_changes_nothing(name: str) -> None:
    def f(x: Any) -> Any:
        bump = MAKERS[name]()
        if x < 0:
            bump()
            raise ValueError("negative")
        return x * bump()

    assert ad.jit(f, control="rewrite", interpret=True)(2.0) == f(2.0)


@pytest.mark.parametrize("x", [2.5, -2.5])
def test_inner_functions_assign_variables_of_the_function(x: float) -> None:
    def f(x: Any, n: Any) -> Any:
        total, count = 0.0, 0

        def add(number: Any) -> None:
            nonlocal total, count
            if number > 0.5:
                count += 1
            total = total + number * x

        if x > 0:
            add(x)
        for k in range(n):
            add(k)
        while count < 4:
            add(1.0)
        return total + count

    for n in (0, 3, 20):
        found, (slope,) = ad.value_and_grad(f, argnums=(0,), control="rewrite", interpret=True)(x, n)
        np.testing.assert_allclose(found, f(x, n), rtol=1e-14)
        np.testing.assert_allclose(slope, (f(x + 1e-6, n) - f(x - 1e-6, n)) / 2e-6, rtol=1e-6)


def test_assertions_and_early_returns_in_one_loop() -> None:
    def f(x: Any, n: Any) -> Any:
        for k in range(n):
            assert x < 9.0, "large"
            if x > 4.0:
                return x * k
            with Once(x) as once:
                x = x + once.value
        return x

    compiled = ad.jit(f, control="rewrite", interpret=True)
    for n in (0, 1, 5):
        assert compiled(1.5, n) == f(1.5, n)
    with pytest.raises(ad.AssertionFailedError, match="large"):
        compiled(10.0, 3)


def test_assertions_under_a_finally_that_needs_what_they_stop() -> None:
    def f(x: Any) -> Any:
        y = x
        try:
            if x > 0:
                y = x * 2.0
                assert y < 9.0, "large"
        finally:
            y = y + 1.0
        return y

    compiled = ad.jit(f, control="rewrite", interpret=True)
    assert (compiled(1.0), compiled(-1.0)) == (3.0, 0.0)
    with pytest.raises(ad.AssertionFailedError, match="large"):
        compiled(10.0)


class Once:
    """A context with a value."""

    def __init__(self, value: Any):
        self.value = value

    def __enter__(self) -> Once:
        return self

    def __exit__(self, *reason: object) -> None:
        return None


def test_tables_of_what_was_computed_are_no_changes() -> None:
    def f(x: Any) -> Any:
        return x * computed(3) if x > 0 else x * computed(4)

    assert ad.jit(f, control="rewrite", interpret=True)(2.0) == 18.0
    assert TABLE == {3: 9.0, 4: 16.0}


TABLE: dict[int, float] = {}


def computed(k: int) -> float:
    """A square."""
    if k not in TABLE:
        TABLE[k] = float(k * k)
    return TABLE[k]


def test_iterators_are_used_up_by_loops() -> None:
    def f(x: Any, n: Any) -> Any:
        total, pairs = 0.0, zip(range(20), np.arange(20.0) * x, strict=True)
        first = next(pairs)[1]
        for k, y in pairs:
            total = total * 0.5 + k * y
        for _ in pairs:
            total = total + 100.0
        for k, y in enumerate(reversed(np.arange(18.0) * x)):
            total = total * 0.5 + k * y
        for k in reversed(range(1, n, 2)):
            total = total * 0.5 + k
        for k in reversed(range(19)):
            total = total * 0.5 - k
        return total + first

    for n in (0, 6, 7):
        found = ad.jit(f, control="rewrite", interpret=True)(2.0, n)
        np.testing.assert_allclose(found, f(2.0, n), rtol=1e-12)

    def left(x: Any) -> Any:
        numbers = enumerate(np.arange(30.0))
        for _, y in numbers:
            if y > x:
                break
        return sum(k for k, _ in numbers)

    with pytest.raises(ad.TracingError, match="how far a loop that is left"):
        ad.jit(left, control="rewrite", interpret=True)(2.0)
