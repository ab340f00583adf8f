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

import linecache
import random
from collections.abc import Callable
from typing import Any

import numpy as np

FLOATS = ("a", "b", "c")


class Source:
    """The statements of one program."""

    def __init__(self, seed: int):
        self._random = random.Random(seed)
        self.lines = ["def program(x, y, n):", "    a, b, c, k = x, y, 0.5, 0", "    v = np.zeros(4) + x"]
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
        ])  # fmt: skip

    def condition(self) -> str:
        """A condition."""
        pick = self._random.choice
        one, other = pick(FLOATS), pick(("x", "y", "0.3", "c"))
        simple = pick([f"{one} < {other}", f"{one} > {other}", "n % 2 == 0", "k > 1", f"-1 < {one} <= x"])
        if self._random.random() < 0.3:
            return f"{simple} {pick(('and', 'or'))} {'not ' * self._random.randrange(2)}({one} > -0.2)"
        return simple

    def block(self, depth: int, budget: int, in_loop: bool) -> None:
        """Some statements; at least one."""
        for _ in range(self._random.randint(1, 3)):
            self.statement(depth, budget, in_loop)

    def statement(self, depth: int, budget: int, in_loop: bool) -> None:
        """One statement, with those in it."""
        kinds = ["assign", "assign", "augment", "write", "swap"]
        if budget:
            kinds += ["if", "if", "while", "for", "rows"]
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
            case "if":
                self.line(depth, f"if {self.condition()}:")
                self.block(depth + 1, budget - 1, in_loop)
                if self._random.random() < 0.4:
                    self.line(depth, f"elif {self.condition()}:")
                    self.block(depth + 1, budget - 1, in_loop)
                if self._random.random() < 0.6:
                    self.line(depth, "else:")
                    self.block(depth + 1, budget - 1, in_loop)
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
    source.line(1, "return a + b * c + k + v.sum()")
    text = "\n".join(source.lines) + "\n"
    file = f"<control program {seed}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"np": np, "math": __import__("math"), "helper": helper}
    exec(compile(text, file, "exec"), names)
    return names["program"], text


def helper(one: Any, other: Any) -> Any:
    """A function with control flow of its own."""
    if one < other:
        return one * 0.5
    for _ in range(2):
        one = one - 0.25 if one > 1 else one + 0.1
    return one
