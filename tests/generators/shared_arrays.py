"""Random Python functions in which several names hold one array or list, under conditions and in loops.

    def shared(x, y, n):
        v = np.zeros(3) + x
        w, held, items = v, Box(v), [v, x]
        if y > 0:
            w = patch(w, 1)
        w[0] = y                    # which v, held.limit and items[0] are if y is not positive
        return seen(), v.sum()

Names get other arrays on some ways only, are written by any of their names, in functions that are called as
well, and read by the others: as attributes, in lists, through views and closures.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.generators.python_control import defined

PREAMBLE = """
def shared(x, y, n):
    v = np.zeros(3) + x
    w, u = np.arange(3) * y, np.ones(3) * x
    s, items, pair, r = v[1:], [v, x, y], (w, x), x * 0
    others = items
    held, kept = Box(v), Box(items)
    def seen():
        return v.sum() + 2 * held.limit.sum()
    def shown():
        return kept.limit[1] + items[2]
    def patch(a, at):
        if a[at] > y:
            a = a * 0.5
        a[at] = a[at] + 0.25
        return a
    def settle(a, b):
        if x > y:
            if a[0] > b:
                a = a.copy()
            a[1] = 0.75
        return a[1] * b
    def swing(a, b):
        k = 0
        while k < n and a[0] < b:
            k += 1
            a = a + 0.5 if k > 1 else a
            a[2] = b
        return a.sum()
    def enter(one, b):
        if one[1] > b:
            one = [*one]
        one[1] = one[1] * 0.5
        return one
"""

ARRAYS = ("v", "w", "u")


class Shared:
    """The statements of one program."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.lines: list[str] = [*PREAMBLE.strip().splitlines()]
        self.names = 0

    def pick(self, *options: str) -> str:
        """One of some texts."""
        return self.random.choice(options)

    def test(self) -> str:
        """A condition, most often one that is known only when the program runs."""
        return self.pick("x > y", "y > 0.2", "x > 0.5", f"{self.array()}[0] > x", "n > 2", "r < y", "n > -1")

    def number(self) -> str:
        """A number."""
        return self.pick("x", "y", "0.5", f"{self.array()}[1]", "items[2]", "r * 0.1", "seen() * 0.1")

    def array(self) -> str:
        """A vector of three elements, by one of the names that it may have."""
        return self.pick(*ARRAYS, "v", "w", "held.limit", "items[0]", "pair[0]")

    def value(self) -> str:
        """A vector, which may be one that has a name."""
        a, b = self.array(), self.array()
        return self.pick(
            a, a, f"{a} * 0.5", f"{a}.copy()", f"{a} if {self.test()} else {b}", f"{a}[::-1]",
            f"patch({a}, 0)", f"{a} + {b}", f"{a}.reshape(3)",
        )  # fmt: skip

    def read(self) -> str:
        """A number that tells of the elements of an array or list."""
        a = self.array()
        return self.pick(
            f"{a}.sum()", f"{a}[0]", f"np.max({a})", "seen()", "shown()", "s.sum()", "others[1]", "items[1]",
            "kept.limit[2]", f"settle({a}, {self.number()})", f"swing({a}, {self.number()})",
            "enter(items, y)[1]", "enter(others, x)[2]",
        )  # fmt: skip

    def simple(self, depth: int) -> None:
        """A statement of one line."""
        name = self.pick(*ARRAYS)
        self.line(depth, self.pick(
            f"{name} = {self.value()}",
            f"{name} = {self.value()}",
            f"{self.array()}[{self.pick('0', '1', 'n % 3', '1:', '::-1')}] = {self.number()}",
            f"{name} {self.pick('+=', '*=')} {self.pick('0.5', 'y')}",
            f"{name}[:2] *= {self.number()}",
            f"s = {self.array()}[{self.pick(':2', '1:')}]",
            f"s[{self.pick('0', '1')}] = {self.number()}",
            f"r += {self.read()} * 0.25",
            f"r += {self.read()} * 0.25",
            f"r = {self.read()}",
            f"items[0] = {self.value()}",
            f"items[{self.pick('1', '2')}] = {self.number()}",
            f"others[{self.pick('1', '2')}] {self.pick('=', '+=')} {self.number()}",
            f"items = {self.pick('[*items]', 'others', '[w, r, x]')}",
            f"pair = ({self.value()}, {self.number()})",
            f"patch({self.array()}, {self.pick('0', '2')})",
        ))  # fmt: skip

    def line(self, depth: int, text: str) -> None:
        """One more line."""
        self.lines.append("    " * depth + text)

    def statement(self, depth: int, budget: int) -> None:
        """One statement, with those in it."""
        kind = self.random.random()
        if not budget or kind < 0.45:
            self.simple(depth)
        elif kind < 0.8:
            self.line(depth, f"if {self.test()}:")
            self.block(depth + 1, budget - 1)
            if self.random.random() < 0.4:
                self.line(depth, "else:")
                self.block(depth + 1, budget - 1)
        elif kind < 0.9:
            self.names += 1
            self.line(depth, f"for k{self.names} in range({self.pick('n', '2', '17')}):")
            self.block(depth + 1, budget - 1)
        else:
            self.names += 1
            self.line(depth, f"k{self.names} = 0")
            self.line(depth, f"while k{self.names} < n and {self.test()}:")
            self.line(depth + 1, f"k{self.names} += 1")
            self.block(depth + 1, budget - 1)

    def block(self, depth: int, budget: int) -> None:
        """Up to three statements."""
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth, budget)


def shared_arrays(seed: int, statements: int = 3) -> tuple[Callable[..., Any], str]:
    """A random function of two floats and an integer, and its source; it returns some of its variables."""
    source = Shared(seed)
    for _ in range(statements):
        source.statement(1, 2)
    given = source.random.sample(("v", "w", "u", "s", "seen()", "shown()", "pair[0]", "others[1]"), 2)
    source.line(1, f"return r, {', '.join(given)}")
    return defined("shared", source.lines, f"<shared arrays {seed}>")
