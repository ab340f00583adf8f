"""Extents: normal forms and the answers about them against numbers."""

from __future__ import annotations

import random
from typing import Any

import pytest
from xdsl.parser import Parser

from mlirad.dialects.extents import (
    ANY_SIZE,
    SizeRange,
    at_most,
    divides,
    evaluate,
    is_static,
    nominal,
    same,
    size,
    sizes_of,
    sizes_within,
    text_of,
)
from mlirad.dialects.extents_attribute import ExtentsAttr
from mlirad.errors import SizeNeeded
from mlirad.ir.parsing import make_context

N, M = size("n"), size("m")


class Expression:
    """A random expression: its extent, and the number that it is at sizes, computed without normal forms."""

    def __init__(self, rng: random.Random, depth: int):
        self.parts: list[Expression] = []
        self.number = 0
        if not depth:
            self.kind = rng.choice(["n", "m", "k"])
            self.number = rng.randint(-5, 9)
            return
        self.kind = rng.choice(["+", "+", "-", "*", "k*", "//", "//", "%"])
        self.number = rng.randint(1, 9) if self.kind in ("//", "%") else rng.randint(-3, 4)
        count = 2 if self.kind in ("+", "-", "*") else 1
        self.parts = [Expression(rng, depth - 1) for _ in range(count)]

    def at(self, n: Any, m: Any) -> Any:
        """The value where these are the sizes: extents or numbers."""
        parts = [part.at(n, m) for part in self.parts]
        match self.kind:
            case "n":
                return n
            case "m":
                return m
            case "k":
                return self.number
            case "+":
                return parts[0] + parts[1]
            case "-":
                return parts[0] - parts[1]
            case "*":
                return parts[0] * parts[1]
            case "k*":
                return parts[0] * self.number
            case "//":
                return parts[0] // self.number
            case _:
                return parts[0] % self.number


def points(rng: random.Random) -> list[tuple[int, int]]:
    return [(2, 2), (2, 3), (3, 2), *[(rng.randint(2, 400), rng.randint(2, 400)) for _ in range(17)]]


@pytest.mark.parametrize("seed", range(20))
def test_normal_forms_mean_what_they_are_made_of(seed: int):
    rng = random.Random(seed)
    for _ in range(6):
        expression = Expression(rng, 4)
        extent = expression.at(N, M)
        for n, m in points(rng):
            assert evaluate(extent, {"n": n, "m": m}) == expression.at(n, m)


@pytest.mark.parametrize("seed", range(20))
def test_answers_hold_for_all_sizes(seed: int):
    rng = random.Random(seed)
    for _ in range(6):
        a, b = (Expression(rng, rng.randint(0, 3)).at(N, M) for _ in range(2))
        k = rng.randint(1, 6)
        values = [[evaluate(e, {"n": n, "m": m}) for e in (a, b)] for n, m in points(rng)]
        if at_most(a, b):
            assert all(x <= y for x, y in values)
        if same(a, b) is not None:
            assert all((x == y) == same(a, b) for x, y in values)
        if divides(k, a) is not None:
            assert all((x % k == 0) == divides(k, a) for x, _ in values)


@pytest.mark.parametrize("seed", range(4))
def test_text_is_read_back(seed: int):
    rng = random.Random(seed)
    for _ in range(8):
        extent = Expression(rng, 4).at(N, M)
        if not is_static(extent):
            parser = Parser(make_context(), f"#array.extents<[{text_of(extent)}]>")
            assert parser.parse_attribute() == ExtentsAttr((extent,))
            assert evaluate(extent, {"n": 17, "m": 5}) == eval(str(extent), {"n": 17, "m": 5})


def test_what_is_known():
    assert (8 * N + 3) // 8 == N
    assert -(-N // 8) == (N + 7) // 8
    assert (N // 2 + 1) // 3 == (N + 2) // 6
    assert 10 * N // N == 10
    assert 1 % N == 1
    assert -1 % N == N - 1
    assert same(N, M) is None
    assert same(N + 1, N) is False
    assert same(2 * N, 2 * M + 1) is False
    assert at_most(N - 1, N)
    assert at_most(8 * (N // 8), N)
    assert at_most(N, 8 * ((N + 7) // 8))
    assert not at_most(3, N)
    assert divides(8, 8 * N) is True
    assert divides(8, 8 * N + 1) is False
    assert divides(8, N) is None
    assert (nominal(N), nominal(7)) == (4096, 7)
    assert sizes_of(N * M + 1) == {"n", "m"}
    assert type(N - N + 3) is int
    assert (max(N, 1), min(N - 1, N)) == (N, N - 1)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: N < 100,
        lambda: N - 2 > 0,
        lambda: bool(N - 2),
        lambda: int(N),
        lambda: float(N),
        lambda: range(N),
        lambda: [0] * N,
        lambda: N // M,
        lambda: 3 % N,
        lambda: (N + 1) // N,
    ],
)
def test_a_number_that_is_not_known_is_an_error(ask: Any):
    with pytest.raises(SizeNeeded):
        ask()


def test_known_orders_are_answers():
    assert N >= 2
    assert N > 1
    assert not N < 2
    assert bool(N - 1)
    assert N != 1
    assert {N + 1: "a"}[1 + N] == "a"


@pytest.mark.parametrize("seed", range(20))
def test_answers_are_exact_where_sizes_are_known(seed: int):
    rng = random.Random(seed)
    for n, m in points(rng):
        known = {"n": SizeRange(n, n, n), "m": SizeRange(m, m, m)}
        a, b = (Expression(rng, rng.randint(0, 3)).at(N, M) for _ in range(2))
        x, y = (evaluate(e, {"n": n, "m": m}) for e in (a, b))
        compare = sizes_within(ANY_SIZE, known)(lambda a=a, b=b: (at_most(a, b), a < b, a >= b, bool(a)))
        assert compare() == (x <= y, x < y, x >= y, bool(x))
