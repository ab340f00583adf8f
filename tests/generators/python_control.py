"""Random Python functions whose control flow depends on their arguments, as source.

    def program(x, y, n):
        a, b, k = x, 0.5, 0
        while a < y and k < 4:
            k += 1
            if b > x:
                continue
            a += b * 0.5
        return a + k

They end, and what they compute stays of moderate size: loops count, and numbers are squashed by `sin`.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import linecache
import math
import random
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np

FLOATS = ("a", "b", "c")

PREAMBLE = """
def program(x, y, n):
    a, b, c, k = x, y, 0.5, 0
    v = np.zeros(4) + x
    d = {"s": y, "t": (x, 0.25)}
    box = Box(0.5)
    def inner(one, other=0.3):
        if one > other:
            return one - c * 0.5
        return other * b
    def bump():
        nonlocal c
        if c < 0.9:
            c += 0.25
        return c
"""


class Source:
    """The statements of one program."""

    def __init__(self, seed: int):
        self._random = random.Random(seed)
        self.lines = PREAMBLE.strip().splitlines()
        self._loops = 0

    def line(self, depth: int, text: str) -> None:
        """One more line."""
        self.lines.append("    " * depth + text)

    def number(self) -> str:
        """A float expression."""
        pick, r = self._random.choice, self._random
        one, other = pick((*FLOATS, "x", "y")), pick((*FLOATS, "x", "0.7"))
        return pick([
            f"{one} + {other} * 0.5",
            f"{one} - {other}",
            f"np.sin({one} * {other})",
            f"math.cos({one}) * {r.uniform(0.2, 1):.2f}",
            f"v[{pick(('k % 4', '1', 'n % 4'))}] * {one}",
            f"({one} if {self.condition()} else {other})",
            f"helper({one}, {other})",
            f"max({one}, {other}) * 0.9",
            f"abs({one})",
            f"inner({one})",
            f"bump() * {one}",
            f"box.scaled({one}, {other})",
            f"(t := {one} * 0.5) * t",
            f"sum([e * {one} for e in v]) * 0.2",
            f"sum(e if e > {other} else 0.1 for e in v[1:])",
            f"(lambda p, q={other}: p if p < q else q * 0.5)({one})",
            f"d['s'] * {one}",
            f"d['t'][0] - {one}",
        ])  # fmt: skip

    def condition(self) -> str:
        """A condition."""
        pick = self._random.choice
        one, other = pick(FLOATS), pick(("x", "y", "0.3", "c"))
        simple = pick([
            f"{one} < {other}", f"{one} > {other}", "n % 2 == 0", "k > 1", f"-1 < {one} <= x",
            f"-2 < {other} < {one} < 2", f"any(v > {one})", "n in (0, 3)", "k != n", f"bool({one} > 0.2)",
            f"all([{one} > -0.5, {other} < 1.5])",
        ])  # fmt: skip
        if self._random.random() < 0.3:
            return f"{simple} {pick(('and', 'or'))} {'not ' * self._random.randrange(2)}({one} > -0.2)"
        return simple

    def block(self, depth: int, budget: int, in_loop: bool) -> None:
        """Some statements; at least one."""
        for _ in range(self._random.randint(1, 3)):
            self.statement(depth, budget, in_loop)

    def statement(self, depth: int, budget: int, in_loop: bool) -> None:
        """One statement, with those in it."""
        kinds = ["assign", "assign", "augment", "write", "swap", "slice", "nest", "entry", "assert"]
        if budget:
            kinds += ["if", "if", "while", "for", "rows", "forever", "pairs", "with", "try"]
        if in_loop:
            kinds += ["jump"]
        if depth > 1:
            kinds += ["return"] * (self._random.random() < 0.3)
        kind, pick = self._random.choice(kinds), self._random.choice
        target = pick(FLOATS)
        match kind:
            case "assign":
                self.line(depth, f"{target} = {self.number()}")
            case "augment":
                self.line(depth, f"{target} {pick(('+=', '-=', '*='))} {pick(('0.5', 'x', 'np.sin(y)'))}")
            case "write":
                self.line(depth, f"v[{pick(('k % 4', '2'))}] {pick(('=', '+='))} np.sin({self.number()})")
            case "swap":
                self.line(depth, f"{target}, c = np.sin(c), {target}")
            case "slice":
                self.line(depth, pick((
                    f"v[1:3] {pick(('*=', '-='))} np.sin({target})", f"v[k % 4], {target} = {target}, v[0]",
                    f"v[v > {target}] = np.cos({target})", f"v[:] = v[::-1] * np.cos({target})",
                )))  # fmt: skip
            case "nest":
                self.line(depth, pick((
                    "(a, b), c = (b, c), np.sin(a)", f"a = b = np.cos({target})",
                    f"a, *_, c = b, {target}, b",
                )))  # fmt: skip
            case "entry":
                self.line(depth, pick((
                    f"d['s'] = np.sin({self.number()})", f"d['s'] += {target} * 0.1",
                    f"d['t'] = (np.sin({target}), 0.75)", "c = bump()",
                )))  # fmt: skip
            case "assert":
                self.line(depth, f"assert {pick((f'abs({target}) < 1e9', 'n >= 0', 'k > -99'))}, 'large'")
            case "with":
                self.line(depth, f"with Box({target}) as z:")
                self.line(depth + 1, f"{target} = z.scaled({target}, 0.5)")
                self.block(depth + 1, budget - 1, False)
            case "try":
                self.line(depth, "try:")
                self.block(depth + 1, budget - 1, False)
                self.line(depth, "finally:")
                self.line(depth + 1, f"{target} = np.cos({target})")
            case "if":
                self.line(depth, f"if {self.condition()}:")
                self.block(depth + 1, budget - 1, in_loop)
                if self._random.random() < 0.4:
                    self.line(depth, f"elif {self.condition()}:")
                    self.block(depth + 1, budget - 1, in_loop)
                if self._random.random() < 0.6:
                    self.line(depth, "else:")
                    self.block(depth + 1, budget - 1, in_loop)
            case "forever":
                self._loops += 1
                self.line(depth, f"i{self._loops} = 0")
                self.line(depth, "while True:")
                self.line(depth + 1, f"i{self._loops} += 1")
                self.line(depth + 1, f"if i{self._loops} > {pick(('n', '3', 'n + 1'))}:")
                self.line(depth + 2, pick(("break", "break", f"return {target}")))
                self.block(depth + 1, budget - 1, True)
            case "pairs":
                self._loops += 1
                count = f"i{self._loops}"
                self.line(depth, pick((
                    f"for {count}, e in enumerate(v):", f"for {count}, (e, f) in enumerate(zip(v, v[::-1])):",
                    f"for {count}, e in zip(range(3), [x, y, c]):", f"for {count} in reversed(range(n)):",
                    f"for {count}, e in enumerate(np.arange(20) * y):",
                )))  # fmt: skip
                self.line(depth + 1, f"{target} = np.sin({target} + 0.1 * {count})")
                self.block(depth + 1, budget - 1, True)
                if self._random.random() < 0.3:
                    self.line(depth, "else:")
                    self.block(depth + 1, 0, in_loop)
            case "while" | "for" | "rows":
                self._loops += 1
                count = f"i{self._loops}"
                if kind == "while":
                    self.line(depth, f"{count} = {pick(('0', 'n % 2'))}")
                    self.line(depth, f"while {count} < {pick(('n', '4', '20'))} and ({self.condition()}):")
                    self.line(depth + 1, f"{count} += 1")
                elif kind == "for":
                    self.line(depth, f"for {count} in range({pick(('n', '3', '19', '1, n', '18, 2, -1'))}):")
                    self.line(depth + 1, f"k += {count} % 2")
                else:
                    self.line(depth, f"for {count} in v:")
                    self.line(depth + 1, f"{target} = np.sin({target} + {count})")
                self.block(depth + 1, budget - 1, True)
                if self._random.random() < 0.3:
                    self.line(depth, "else:")
                    self.block(depth + 1, 0, in_loop)
            case "jump":
                self.line(depth, f"if {self.condition()}:")
                self.line(depth + 1, pick(("break", "continue")))
            case _:
                self.line(depth, f"return {self.number()}")


def control_program(seed: int) -> tuple[Callable[..., Any], str]:
    """A random function of two floats and an integer, and its source."""
    source = Source(seed)
    for _ in range(3):
        source.statement(1, 3, False)
    source.line(1, "return a + b * c + k + v.sum() + d['s'] - d['t'][0] * d['t'][1]")
    return defined("program", source.lines, f"<control program {seed}>")


def defined(name: str, lines: list[str], file: str) -> tuple[Callable[..., Any], str]:
    """The function of a name that lines define, as those of a file, and the text."""
    text = "\n".join(lines) + "\n"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {
        "np": np, "math": math, "functools": functools, "itertools": itertools,
        "statistics": statistics, "heapq": heapq, "helper": helper, "Box": Box,
        "Strange": Strange,
    }  # fmt: skip
    exec(compile(text, file, "exec"), names)
    return names[name], text


class Strange(Exception):
    """An exception of the program's own, which is made of two things."""

    def __init__(self, what: object, why: str):
        super().__init__(f"{what} is {why}")


class Box:
    """An object with methods that have control flow of their own, and a context."""

    def __init__(self, limit: Any):
        self.limit = limit

    def scaled(self, one: Any, other: Any) -> Any:
        """A number of moderate size."""
        while one > self.limit and one > 0.1:
            one = one * 0.5 - 0.1
        return one if other < self.limit else one + 0.5 * other

    def __enter__(self) -> Box:
        return self

    def __exit__(self, *reason: object) -> None:
        return None


def helper(one: Any, other: Any) -> Any:
    """A function with control flow of its own."""
    if one < other:
        return one * 0.5
    for _ in range(2):
        one = one - 0.25 if one > 1 else one + 0.1
    return one
