"""Random expressions of Python over the variables of `python_scripts`, by the kinds of their values.

Expressions(7).float()       (a) * (np.sum(v)) if (p and not k > 1) else inner(b)
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable

FLOATS, INTEGERS, TRUTHS, VECTORS = ("a", "b", "c"), ("k", "m"), ("p", "q"), ("v", "w", "u")


class Expressions:
    """Expressions of each kind."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.names = 0

    def pick(self, *options: str) -> str:
        """One of some texts."""
        return self.random.choice(options)

    def any_of(self, *makers: Callable[[], str]) -> str:
        """The result of one of some functions."""
        return self.random.choice(makers)()

    def at(self) -> str:
        """A position in a vector."""
        return self.pick("0", "1", "-1", "k % 4", "m % 4", "n % 3")

    def part(self) -> str:
        """Positions in a vector."""
        return self.pick(
            "1:3", ":2", "2:", "::2", "::-1", ":", "-3:-1", "1:1", "[0, 2]", f"w > {self.float(0)}"
        )

    def float(self, depth: int = 2) -> str:
        """A float made by operators nested at most this deep."""
        if depth <= 0:
            return self.pick(*FLOATS, "x", "y", "0.7", "-0.4", *FLOATS)
        f = functools.partial(self.float, depth - 1)
        v = functools.partial(self.vector, depth - 1)
        return self.any_of(
            f,
            lambda: f"{f()} + {f()}",
            lambda: f"{f()} - {f()} * 0.5",
            lambda: f"({f()}) * ({f()})",
            lambda: f"({f()}) / (1.5 + abs({f()}))",
            lambda: f"({f()}) ** 2",
            lambda: f"np.sin({f()})",
            lambda: f"math.{self.pick('cos', 'tanh', 'atan')}({f()})",
            lambda: f"{self.pick('max', 'min')}({f()}, {f()})",
            lambda: f"abs({f()})",
            lambda: f"({f()} if {self.truth()} else {f()})",
            lambda: f"{self.pick(*VECTORS)}[{self.at()}]",
            lambda: f"np.{self.pick('sum', 'mean', 'max')}({v()})",
            lambda: f"({v()}).{self.pick('sum', 'min')}()",
            lambda: f"{v()} @ {v()}" if depth < 2 else f(),
            lambda: f"M[{self.pick('0', 'k % 2', '-1')}, {self.pick('1', 'm % 3')}]",
            lambda: f"np.sum(M[{self.pick('0', ':, 1', 'k % 2')}])",
            lambda: f"pair[{self.pick('0', '1', '-1')}]",
            lambda: f"items[{self.pick('0', '1', '-1')}]",
            lambda: "sum(items) * 0.3",
            lambda: f"table['s'] + table['t'][{self.at()}]",
            lambda: f"helper({f()}, {f()})",
            lambda: f"inner({f()}{self.pick('', ', ' + f(), ', other=' + f())})",
            lambda: f"bump({self.pick('', '0.125', f())})",
            lambda: f"box.scaled({f()}, {f()})",
            lambda: f"(t := {f()}) * t",
            lambda: f"sum([e * {f()} for e in {self.pick(*VECTORS)}]) * 0.2",
            lambda: f"sum(e if e > {f()} else 0.1 for e in {v()})",
            lambda: f"(lambda p, q={f()}: p if p < q else q * 0.5)({f()})",
            lambda: f"functools.reduce(lambda s, e: s + e * {f()}, items)",
            lambda: f"depth({f()}, {self.pick('1', '2')})",
            lambda: f"float({self.integer(depth - 1)})",
            lambda: f"{self.integer(0)} * {f()}",
            lambda: f"max({self.pick(*VECTORS)}[1:])",
            lambda: f"[*map(helper, items, {self.pick('items', 'reversed(items)', 'v')})][0]",
            lambda: f"sorted([0.5, 0.25])[0] * {f()}",
            lambda: f"{{'s': {f()}, **table}}['s']",
            lambda: f"sink({self.pick(*VECTORS)}, {self.at()})[0]",
            lambda: f"divmod({self.integer(0)}, 3)[1] * 0.5",
            lambda: f"np.dot({v()}, [0.1, {f()}, 0.2, 0.3])",
        )

    def integer(self, depth: int = 1) -> str:
        """An integer of moderate size."""
        if depth <= 0:
            return self.pick(*INTEGERS, "n", "2", "-1", "0")
        i = functools.partial(self.integer, depth - 1)
        return self.any_of(
            i,
            lambda: f"{i()} + {i()}",
            lambda: f"({i()} - {i()}) % 5",
            lambda: f"({i()} * 3) // 2",
            lambda: f"({i()} if {self.truth()} else {i()})",
            lambda: f"int({self.float(0)} * 2)",
            lambda: f"len({self.pick('v', 'items', 'table', 'M', 'pair')})",
            lambda: f"sum(1 if e > {self.float(0)} else 0 for e in v)",
            lambda: f"int({self.truth()})",
            lambda: f"abs({i()}) % 4",
            lambda: f"np.argmax({self.pick(*VECTORS)})",
            lambda: "table['n']",
            lambda: f"max({i()}, {i()})",
        )

    def truth(self, depth: int = 1) -> str:
        """A condition."""
        f, i = functools.partial(self.float, 0), functools.partial(self.integer, 0)
        if depth <= 0:
            return self.pick(*TRUTHS, f"{f()} < {f()}", f"{i()} > 1", "n % 2 == 0")
        t = functools.partial(self.truth, depth - 1)
        return self.any_of(
            t,
            t,
            lambda: f"{f()} {self.pick('<', '>', '<=', '>=', '!=')} {self.float(1)}",
            lambda: f"{f()} < {f()} {self.pick('<', '>=')} {f()}",
            lambda: f"({t()} {self.pick('and', 'or')} {t()})",
            lambda: f"(not {t()})",
            lambda: f"({t()} and {t()} or not {t()})",
            lambda: f"{i()} {self.pick('in', 'not in')} (0, 3, {i()})",
            lambda: f"any({self.pick(*VECTORS)} > {f()})",
            lambda: f"all(e > -2 for e in {self.pick(*VECTORS, 'items')})",
            lambda: f"np.any({self.pick(*VECTORS)} < {f()})",
            lambda: f"bool({f()} > 0)",
            lambda: f"({t()} if {t()} else {t()})",
            lambda: f"{self.pick('v is w', 'v is not u', 'pair is not None')}",
            lambda: "isinstance(items, list)",
        )

    def vector(self, depth: int = 1) -> str:
        """A vector of four floats."""
        if depth <= 0:
            return self.pick(*VECTORS)
        v, f = functools.partial(self.vector, depth - 1), functools.partial(self.float, 0)
        return self.any_of(
            v,
            lambda: f"({v()}) * {f()}",
            lambda: f"{v()} + {v()}",
            lambda: f"np.sin({v()})",
            lambda: f"({v()})[::-1]",
            lambda: f"({v()}).copy()",
            lambda: f"np.where({v()} > {f()}, {v()}, {f()})",
            lambda: f"np.array([{f()}, {f()}, {f()}, 0.5])",
            lambda: f"np.array([e * {f()} for e in {v()}])",
            lambda: f"np.concatenate([({v()})[:2], ({v()})[2:]])",
            lambda: f"np.roll({v()}, 1)",
            lambda: f"({v()} if {self.truth(0)} else {v()})",
            lambda: f"np.cumsum({v()}) * 0.3",
            lambda: f"np.minimum({v()}, {v()})",
            lambda: f"sink(({v()}).copy(), {self.at()})",
        )
