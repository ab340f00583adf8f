"""Traces that are repeated: what the first one did to the state outside is undone, so functions run once.

A trace is repeated to rewrite control flow, to ask for what lists hold, to trace arrays that are written into
from where they are made, to learn the signature of a function, and for reports. Each of them is tried with
each kind of state.
"""

from __future__ import annotations

import warnings
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

import mlirad as ad


def branch(x: Any) -> Any:
    return x if x > 0 else -x


def listed(x: Any) -> Any:
    return np.array([x, x])[1]


def adopted(x: Any) -> Any:
    a = np.zeros(3)
    a[0] = x
    return a.sum()


def learned(x: Any) -> Any:
    f = ad.cond(x > 0, lambda: ad.lambda_(lambda z: z * 1.0), lambda: ad.lambda_(lambda z: -z))
    return f(x)


def reported(x: Any) -> Any:
    ad.debug_print("{}", x)
    return x


CAUSES = {f.__name__: f for f in (branch, listed, adopted, learned, reported)}

Bump = Callable[[], float]


def variable() -> Bump:
    n = 0.0

    def bump() -> float:
        nonlocal n
        n += 1.0
        return n

    return bump


_calls = 0.0


def global_variable() -> Bump:
    def bump() -> float:
        global _calls
        _calls += 1.0
        return _calls

    global _calls
    _calls = 0.0
    return bump


def attribute() -> Bump:
    class Counted:
        n = 0.0

        def bump(self) -> float:
            self.n += 1.0
            return self.n

    return Counted().bump


def slot() -> Bump:
    class Counted:
        __slots__ = ("n",)

        def bump(self) -> float:
            self.n: float = getattr(self, "n", 0.0) + 1.0
            return self.n

    return Counted().bump


def assigned_through_a_method() -> Bump:
    class Counted:
        def __setattr__(self, name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        def bump(self) -> float:
            self.n: float = getattr(self, "n", 0.0) + 1.0
            return self.n

    return Counted().bump


def class_attribute() -> Bump:
    class Counted:
        n: ClassVar = 0.0

        @classmethod
        def bump(cls) -> float:
            cls.n += 1.0
            return cls.n

    return Counted.bump


def new_class_attribute() -> Bump:
    class Counted:
        @classmethod
        def bump(cls) -> float:
            cls.n: float = getattr(cls, "n", 0.0) + 1.0
            return cls.n

    return Counted.bump


def function_attribute() -> Bump:
    def bump() -> float:
        made: Any = bump
        made.n = getattr(made, "n", 0.0) + 1.0
        return made.n

    return bump


def namespace() -> Bump:
    held = SimpleNamespace(n=0.0)

    def bump() -> float:
        held.n += 1.0
        return held.n

    return bump


def listing() -> Bump:
    notes: list[float] = []

    def bump() -> float:
        notes.append(1.0)
        return sum(notes)

    return bump


def taken_from_a_list() -> Bump:
    left = [3.0, 2.0, 1.0]
    return lambda: left.pop()


def queue() -> Bump:
    left = deque((1.0, 2.0, 3.0))
    return lambda: left.popleft()


def marks() -> Bump:
    seen: set[int] = set()

    def bump() -> float:
        seen.add(len(seen))
        return float(len(seen))

    return bump


def table() -> Bump:
    found: dict[str, float] = {"m": 0.0}

    def bump() -> float:
        found["n"] = found.pop("n", 0.0) + 1.0
        return found["n"]

    return bump


def ordered_table() -> Bump:
    found: OrderedDict[str, float] = OrderedDict(n=0.0, m=2.0)

    def bump() -> float:
        found["n"] += 1.0
        found.move_to_end("n")
        return found["n"] if list(found) == ["m", "n"] else -1.0

    return bump


def tally() -> Bump:
    found: Counter[str] = Counter()

    def bump() -> float:
        found["n"] += 1
        return float(found["n"])

    return bump


def array() -> Bump:
    held = np.zeros(2)

    def bump() -> float:
        held[0] += 1.0
        return float(held[0])

    return bump


def kept_for_later() -> Bump:
    kept: dict[str, Any] = {}

    def bump() -> float:
        if "n" in kept:
            return -1.0
        kept["n"] = 1.0
        return kept["n"]

    return bump


STATES = {
    f.__name__: f
    for f in (
        variable, global_variable, attribute, slot, assigned_through_a_method, class_attribute,
        new_class_attribute, function_attribute, namespace, listing, taken_from_a_list, queue, marks, table,
        ordered_table, tally, array, kept_for_later,
    )
}  # fmt: skip

TRANSFORMED: dict[str, Callable[[Callable[[Any], Any], float], Any]] = {
    "jit": lambda f, x: ad.jit(f, interpret=True)(x),
    "value_and_grad": lambda f, x: ad.value_and_grad(f, interpret=True)(x)[0],
    "linearize": lambda f, x: ad.linearize(f, x)[0],
    "vjp": lambda f, x: ad.vjp(f, x)[0],
    "sparse": lambda f, x: ad.jacobian(lambda x: x * f(x[0]), sparse=True)(np.full(1, x)).toarray()[0, 0] / 2,
    "trace": lambda f, x: ad.trace(f, x) and x,
    "static": lambda f, x: ad.jit(lambda x, f: f(x), static_argnames="f", interpret=True)(x, f),
}


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("cause", CAUSES)
def test_a_function_counts_once(cause: str, state: str) -> None:
    bump, asking = STATES[state](), CAUSES[cause]
    assert ad.jit(lambda x: asking(x) * bump(), interpret=True)(0.5) == 0.5
    assert bump() == (-1.0 if state == "kept_for_later" else 2.0)


@pytest.mark.parametrize("transformation", TRANSFORMED)
@pytest.mark.parametrize("state", ["attribute", "table"])
def test_in_each_kind_of_trace(state: str, transformation: str) -> None:
    bump = STATES[state]()
    assert TRANSFORMED[transformation](lambda x: branch(x) * bump(), 0.5) == pytest.approx(0.5)
    assert bump() == 2.0


def test_what_a_later_trace_writes_is_put_back_too() -> None:
    bump = STATES["attribute"]()
    f = ad.jit(lambda x: (branch(x) if x.ndim == 0 else x.sum()) * bump(), interpret=True)
    assert f(0.5) == 0.5
    assert f(np.ones(2)) == 4.0
    assert f(np.ones(3)) == 9.0
    g = ad.jit(lambda x: listed(x.sum()) * bump(), interpret=True)
    assert g(0.5) == 2.0 and g(np.ones(1)) == 5.0 and g(np.ones(2)) == 12.0


def test_what_cannot_be_put_back_is_named() -> None:
    numbers = memoryview(bytearray(2))

    def function(x: Any) -> Any:
        numbers[0] += 1
        return x * numbers[0] if x > 0 else x

    with pytest.raises(ad.TracingError, match="the truth of") as caught:
        ad.jit(function)(0.5)
    assert any("because the trace has changed numbers" in note for note in caught.value.__notes__)
