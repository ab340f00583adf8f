"""Random Python functions that fill, change and use lists under conditions on their arguments.

    def lists(x, y, n):
        out, more, table = [], [x], {"low": [], "high": [y]}
        for k, e in enumerate([x, y, x * y, x - y]):
            if e > 0.2:
                out.append(e * k)
            elif out:
                out.pop()
        return sum(out), len(out), [e for e in out if e < y], ...

The results of a function are made of all lists: their lengths, sums, first and last elements.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.generators.python_control import defined

PREAMBLE = """
def lists(x, y, n):
    out, more, rows, table = {out}, {more}, [], {{"low": [], "high": [{high}]}}
    box, a = Box([]), x * 0.5
    def positive(values):
        if not values:
            return []
        return [e for e in values if e > a]
    def weighted(values):
        total = 0.0
        for k, e in enumerate(values):
            total += (k + 1) * e
        return total
    def put(values, e):
        if e > y:
            values.append(e)
        return values
    def above(values, level):
        for e in values:
            if e > level:
                yield e
            elif e > a:
                yield e * 0.5
    def steps(values):
        total = 0.0
        for k, e in enumerate(values):
            total += e
            if total > level_of(k):
                yield k, total
            if total > 3.0:
                return
    def both(values):
        yield x
        yield from above(values, 0.1)
        if y > 0.2:
            yield y
    def level_of(k):
        return 0.1 * k - y
"""

LISTS = ("out", "more", "table['low']", "table['high']", "box.limit")

RESULT = (
    "(sum(out), len(out), weighted(out)), (sum(more), len(more), more[-1] if more else a), "
    "sum(p - q for p, q in rows), len(rows), "
    "(sum(table['low']), len(table['low']), weighted(table['high'])), max(box.limit, default=a), a"
)


class Lists:
    """The statements of one function."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        pick = self.pick
        head = PREAMBLE.format(out=pick("[]", "[x]"), more=pick("[]", "[x, 0.5, y]"), high=pick("", "y"))
        self.lines = head.strip("\n").splitlines()

    def pick(self, *texts: str) -> str:
        """One of several texts."""
        return self.random.choice(texts)

    def line(self, depth: int, text: str) -> None:
        """One more line."""
        self.lines.append("    " * depth + text)

    def number(self) -> str:
        """A number, which is traced but for constants."""
        return self.pick("x", "y", "a", "x * y", "x - 0.7", "a * 0.5 + y", "0.25", "np.sin(x + y)")

    def truth(self, *, in_loop: bool) -> str:
        """A condition."""
        name = self.pick(*LISTS)
        element = ("e > 0.1", "e < a", "0 < e < 1", "e > y") if in_loop else ("x > 0", "y > a")
        of_lists = (
            f"{name}",
            f"not {name}",
            f"len({name}) < 2",
            f"sum({name}) > a",
            f"{name} and {name}[-1] > y",
        )
        return self.pick(*element, *element, f"{self.number()} > {self.number()}", *of_lists)

    def block(self, depth: int, budget: int, *, in_loop: bool) -> None:
        """Some statements."""
        for _ in range(self.random.randint(1, 2)):
            self.statement(depth, budget, in_loop=in_loop)

    def statement(self, depth: int, budget: int, *, in_loop: bool) -> None:
        """One statement, with those in it."""
        kind = self.random.random()
        if budget and kind < 0.35:
            self.line(depth, f"if {self.truth(in_loop=in_loop)}:")
            self.block(depth + 1, budget - 1, in_loop=in_loop)
            if self.random.random() < 0.3:
                self.line(depth, f"elif {self.truth(in_loop=in_loop)}:")
                self.block(depth + 1, budget - 1, in_loop=in_loop)
            if self.random.random() < 0.4:
                self.line(depth, "else:")
                self.block(depth + 1, budget - 1, in_loop=in_loop)
        elif budget and kind < 0.6 and not in_loop:
            over = self.pick("[x, y, x * y, a]", "np.arange(4) * y - x", "(x, y)", "np.linspace(x, y, 3)")
            self.line(depth, f"for k, e in enumerate({over}):")
            self.block(depth + 1, budget - 1, in_loop=True)
        elif in_loop and kind < 0.65:
            self.line(depth, f"if {self.truth(in_loop=True)}:")
            self.line(depth + 1, self.pick("break", "continue"))
        else:
            self.simple(depth, in_loop=in_loop)

    def simple(self, depth: int, *, in_loop: bool) -> None:
        """A statement of one line, or two."""
        name, other, e = self.pick(*LISTS), self.pick(*LISTS), "e" if in_loop else self.number()
        lines = self.random.choice((
            [f"{name}.append({e})"], [f"{name}.append({e})"], [f"{name}.append({self.number()})"],
            [f"{name}.extend([{e}, {self.number()}])"], [f"{name} += [{e}]"], [f"{name}.insert(0, {e})"],
            [f"if {name}: a = {name}.pop()"], [f"if {name}: {name}[-1] += {e}"],
            [f"if len({name}) > 1: {name}[0] = {e}"], [f"if {name}: del {name}[0]"], [f"{name}.clear()"],
            [f"{name} = []"], [f"{name} = {name} + [{e}]"], [f"{name} = [*{name}, {e}]"],
            [f"{name} = {other}[:]"], [f"{name}.extend({other})"], [f"{name}.sort()"], [f"{name}.reverse()"],
            [f"{name} = positive({other})"], [f"{name} = put(list({name}), {e})"], [f"put({name}, {e})"],
            [f"rows.append(({e}, {self.number()}))"], [f"a = sum({name}) * 0.5"],
            [f"a = a + max({name}, default={e})"], [f"if {name}: a = {name}[0] * 0.5"],
            [f"if {self.number()} in {name}: a = a - 1"], [f"{name} = {other}"],
            [f"if {e} in {name}: {name}.remove({e})"], [f"a = weighted({name}) * 0.1"],
            [f"a = np.sum(np.array({name})) * 0.5"], [f"{name} = list(above({other}, {e}))"],
            [f"a = sum(above({name}, y)) * 0.5"], [f"{name} = [v * v for v in both({other})]"],
            [f"a = a + sum(k * v for k, v in steps({name})) * 0.1"],
            [f"a = max(above({name}, {e}), default=a)"],
            [f"for v in both([x, {e}, y]): a = a * 0.5 + v"], [f"rows.extend(steps([{e}, x, y]))"],
            [f"if {name}: a = np.sum(np.concatenate([v * np.ones(2) for v in {name}]))"],
        ))  # fmt: skip
        for line in lines:
            self.line(depth, line)


def grown_lists(seed: int) -> tuple[Callable[..., Any], str]:
    """A random function of two floats and an integer, and its source."""
    source = Lists(seed)
    for _ in range(2 + seed % 3):
        source.statement(1, 3, in_loop=False)
    source.line(1, f"return {RESULT}")
    return defined("lists", source.lines, f"<lists {seed}>")
