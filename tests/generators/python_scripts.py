"""Random Python functions of most kinds of statements and values, as source; some cannot be rewritten.

    def script(x, y, n):
        a, b, c, k = x, y, 0.5, 1
        v, w = np.zeros(4) + x, np.arange(4) * y
        match k:
            case 1: w = v
            case _: v[1:] *= b
        return (a, (b, c), k, v, w)

Variables are of one kind each: floats, integers, truths, vectors, a matrix, a pair, a list, a dictionary.
The program's result holds all of them, so whatever goes wrong shows. They end; numbers can become large.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.generators.python_control import defined
from tests.generators.python_expressions import FLOATS, INTEGERS, TRUTHS, VECTORS, Expressions

PREAMBLE = """
def script(x, y, n):
    a, b, c = x, y, {c}
    k, m = {k}, n
    p, q = True, x > y
    v, w, M = np.zeros(4) + x, np.arange(4) * y, np.ones((2, 3)) * x
    u = {u}
    pair, items, table = (x, 0.25), [y, 0.5, x], {{"s": y, "t": v * 2, "n": 1}}
    box = Box(0.5)
    def inner(one, other=0.3):
        if one > other:
            return one - c * 0.5
        return other * b
    def bump(by=0.25):
        nonlocal c
        if c < 0.9:
            c += by
        return c
    def sink(z, at):
        z[at] = z[at] * 0.5 + c
        return z
    def depth(one, left):
        if left <= 0:
            return one
        return depth(one * 0.5, left - 1) if one > 0.1 else one - left
"""


MESSAGES = ("'large'", "f'a is {a}'")


EXCEPTIONS = ("ValueError('high')", "Strange(a, 'odd')", "KeyError(k)", "Strange(n, 'n')")


class Script(Expressions):
    """The statements of one program."""

    def __init__(self, seed: int):
        super().__init__(seed)
        u = self.pick("v[::-1]", "v", "w", "np.ones(4)", "w.copy()", "M.sum(0)[[0, 1, 2, 0]]")
        head = PREAMBLE.format(c=self.pick("0.5", "0", "x * y"), k=self.pick("0", "1", "n"), u=u)
        self.lines = head.strip().splitlines()

    def line(self, depth: int, text: str) -> None:
        """One more line."""
        self.lines.append("    " * depth + text)

    def fresh(self) -> str:
        """A new variable."""
        self.names += 1
        return f"z{self.names}"

    def block(self, depth: int, budget: int, loop: bool, count: int = 3) -> None:
        """Some statements; at least one."""
        for _ in range(self.random.randint(1, count)):
            self.statement(depth, budget, loop)

    def statement(self, depth: int, budget: int, loop: bool) -> None:
        """One statement, with those in it."""
        if budget and self.random.random() < 0.4:
            self.random.choice((
                self.branches, self.branches, self.counted, self.counted, self.over, self.tested,
                self.forever, self.context, self.matched, self.function,
            ))(depth, budget, loop)  # fmt: skip
        elif loop and self.random.random() < 0.15:
            self.line(depth, f"if {self.truth()}:")
            if self.random.random() < 0.3:
                self.simple(depth + 1)
            self.line(depth + 1, self.pick("break", "continue", "break", f"return {self.result()}"))
        elif depth > 1 and self.random.random() < 0.03:
            self.line(depth, f"return {self.result()}")
        else:
            self.simple(depth)

    def simple(self, depth: int) -> None:
        """A statement of one line."""
        f, i, v = self.float, self.integer, self.vector
        target = self.pick(*FLOATS)
        vector = self.pick(*VECTORS)
        self.line(depth, self.any_of(
            lambda: f"{target} = {f()}",
            lambda: f"{target} = np.sin({f()})",
            lambda: f"{target} {self.pick('+=', '-=', '*=')} {f(1)}",
            lambda: f"{self.pick(*INTEGERS)} = {i()}",
            lambda: f"{self.pick(*INTEGERS)} {self.pick('+=', '-=', '//=', '%=')} {self.pick('2', '3')}",
            lambda: f"{self.pick(*TRUTHS)} = {self.truth()}",
            lambda: f"{vector} = {v()}",
            lambda: f"{vector} = {self.pick(*VECTORS)}",
            lambda: f"{vector} {self.pick('+=', '*=')} {self.pick('0.5', f(0), v())}",
            lambda: f"{vector}[{self.at()}] {self.pick('=', '+=', '*=')} {f(1)}",
            lambda: f"{vector}[{self.part()}] {self.pick('=', '+=', '*=')} {f(0)}",
            lambda: f"{vector}[1:] = ({v()})[:-1]",
            lambda: f"{vector}[:] = {v()}",
            lambda: f"{vector}[:2][{self.pick('0', '1', 'k % 2')}] = {f(1)}",
            lambda: f"M[{self.pick('0', 'k % 2')}, {self.pick('m % 3', ':')}] {self.pick('=', '+=')} {f(0)}",
            lambda: f"M[:, {self.pick('0', 'm % 3')}] *= {f(0)}",
            lambda: f"M = M {self.pick('+', '*')} {f(0)}",
            lambda: f"M.T[{self.pick('0', '2')}] = {f(0)}",
            lambda: f"pair = ({f()}, {f(0)})",
            lambda: "pair = pair[::-1]",
            lambda: f"{target}, _ = pair",
            lambda: f"{target}, (c, *_) = {f(0)}, ({f(0)}, 1)",
            lambda: "a, b = b, a",
            lambda: f"{vector}[0], {vector}[1] = {vector}[1], {target}",
            lambda: f"items[{self.pick('0', '-1')}] = {f(1)}",
            lambda: "items = [e * 0.5 for e in items]",
            lambda: f"items = [{f(0)}, *items[1:]]",
            lambda: "items.reverse()",
            lambda: "items += []",
            lambda: f"table['s'] {self.pick('=', '+=')} {f(1)}",
            lambda: f"table['t'][{self.at()}] = {f(0)}",
            lambda: f"table['t'] = {v()}",
            lambda: f"table = {{**table, 's': {f(0)}}}",
            lambda: f"{vector} = table['t']",
            lambda: f"{target} = bump()",
            lambda: f"sink({vector}, {self.at()})",
            lambda: f"assert {self.pick('n >= 0', 'len(v) == 4', f'{f(0)} < 50')}, {self.pick(*MESSAGES)}",
            lambda: f"{target} = {self.pick(*FLOATS)} = {f()}",
            lambda: f"{target}: float = {f()}",
            lambda: "print(end='')",
            lambda: f"if {f(0)} > {self.pick('1', '20')}: raise {self.pick(*EXCEPTIONS)}",
            lambda: f"{target} = math.sin({f(0)}) + float({f(0)})",
            lambda: f"{target} = max({f(0)}, {f(0)}, 0.1) - np.float64({f(0)})",
        ))  # fmt: skip

    def branches(self, depth: int, budget: int, loop: bool) -> None:
        """`if`, `elif`, `else`."""
        self.line(depth, f"if {self.truth()}:")
        self.block(depth + 1, budget - 1, loop)
        while self.random.random() < 0.25:
            self.line(depth, f"elif {self.truth()}:")
            self.block(depth + 1, budget - 1, loop)
        if self.random.random() < 0.5:
            self.line(depth, "else:")
            self.block(depth + 1, budget - 1, loop)

    def counted(self, depth: int, budget: int, loop: bool) -> None:
        """`for` over a range."""
        name = self.fresh() if self.random.random() < 0.8 else self.pick(*INTEGERS)
        bounds = self.pick(
            "n",
            "3",
            "19",
            "1, n",
            "18, 2, -1",
            "n, 0, -2",
            "0",
            "17, 17",
            "k % 3, n",
            "m % 3 + 1",
            "2, 40, 2",
        )
        self.line(depth, f"for {name} in {self.pick('', 'reversed')}(range({bounds})):")
        self.line(depth + 1, f"{self.pick(*FLOATS)} = np.sin({self.float(1)} + 0.1 * {name})")
        self.body(depth, budget, loop)

    def over(self, depth: int, budget: int, loop: bool) -> None:
        """`for` over arrays and the like."""
        one, other = self.fresh(), self.fresh()
        self.line(depth, "for " + self.pick(
            f"{one} in {self.vector()}", f"{one} in items", f"{other}, {one} in enumerate({self.vector()})",
            f"{other}, ({one}, _) in enumerate(zip(v, w[::-1]))",
            f"{one}, {other} in zip(range(3), [x, y, c])",
            f"{one} in np.arange(20) * y", f"{other}, {one} in enumerate(np.arange(20) * {self.float(0)})",
            f"{one}, {other} in zip(np.arange(18) * x, range(20))", f"{one} in reversed(u)",
            f"{one} in (x, y, {self.float(0)})", f"{one} in M[:, 0]", f"{one}, *_ in M",
            f"{one} in table['t']",
            f"_, {one} in sorted({{'q': 1.0, 'e': c}}.items())", f"{one} in np.linspace(0, 1, 18)",
            f"{one} in map(helper, items, items)", f"{one} in [e for k, e in enumerate(items) if k != 1]",
            f"{one} in filter(None, [1, 0, 2])",
        ) + ":")  # fmt: skip
        self.line(depth + 1, f"{self.pick(*FLOATS)} = np.sin({self.float(1)} + {one})")
        self.body(depth, budget, loop)

    def tested(self, depth: int, budget: int, loop: bool) -> None:
        """`while` with a count."""
        count = self.fresh()
        self.line(depth, f"{count} = {self.pick('0', 'n % 2', '0.0')}")
        tests = [f"{count} < {self.pick('n', '4', '20')}", self.truth()]
        self.random.shuffle(tests)
        self.line(depth, f"while {tests[0]} and ({tests[1]}):")
        self.line(depth + 1, f"{count} += 1")
        self.body(depth, budget, loop)

    def forever(self, depth: int, budget: int, loop: bool) -> None:
        """`while True` with a way out."""
        count = self.fresh()
        self.line(depth, f"{count} = 0")
        self.line(depth, f"while {self.pick('True', '1', f'({count} := {count} + 1) < 30')}:")
        self.line(depth + 1, f"{count} += 1")
        self.line(depth + 1, f"if {count} > {self.pick('n', '3', 'n + 1')}:")
        self.line(depth + 2, self.pick("break", "break", f"return {self.result()}"))
        self.block(depth + 1, budget - 1, True)

    def body(self, depth: int, budget: int, loop: bool) -> None:
        """The body of a loop, and its `else`."""
        self.block(depth + 1, budget - 1, True)
        if self.random.random() < 0.2:
            self.line(depth, "else:")
            self.block(depth + 1, 0, loop)

    def context(self, depth: int, budget: int, loop: bool) -> None:
        """`with` and `try`."""
        if self.random.random() < 0.5:
            self.line(depth, f"with Box({self.float(0)}) as box:")
            self.block(depth + 1, budget - 1, loop)
            return
        self.line(depth, "try:")
        self.block(depth + 1, budget - 1, loop)
        if self.random.random() < 0.4:
            self.line(depth, "except KeyError:")
            self.simple(depth + 1)
            if self.random.random() < 0.4:
                self.line(depth, "else:")
                self.simple(depth + 1)
        self.line(depth, "finally:")
        self.simple(depth + 1)

    def matched(self, depth: int, budget: int, loop: bool) -> None:
        """`match` on what is known, and on structures."""
        subject = self.pick("len(items)", "'a'", "[1, 2]", "(a, b)", "table", "box")
        self.line(depth, f"match {subject}:")
        for pattern in ("3", "'b' | 'c'", "[1, one]", "(one, other)", "{'s': one}", "Box(limit=one)"):
            self.line(depth + 1, f"case {pattern}:")
            if "one" in pattern:
                self.line(depth + 2, f"{self.pick(*FLOATS)} = np.cos(one)")
            self.block(depth + 2, min(budget - 1, 1), loop, 1)
        self.line(depth + 1, "case _:")
        self.simple(depth + 2)

    def function(self, depth: int, budget: int, loop: bool) -> None:
        """A nested function, called once or twice."""
        name, given = self.fresh(), self.fresh()
        shared = self.random.sample((*FLOATS, "v", "k", "items"), self.random.randint(0, 2))
        self.line(depth, f"def {name}({given}, *rest, scale=0.5, **more):")
        if shared:
            self.line(depth + 1, f"nonlocal {', '.join(shared)}")
        for one in {
            "a",
            "b",
            "c",
            "k",
            "m",
            "p",
            "q",
            "v",
            "w",
            "u",
            "M",
            "pair",
            "items",
            "table",
            "box",
        } - {*shared}:
            if self.random.random() < 0.0:
                self.line(depth + 1, one)
        own = self.fresh()
        self.line(depth + 1, f"{own} = {given} * scale")
        self.line(depth + 1, f"if {own} > {self.pick('x', 'y', '0.1')}:")
        self.line(depth + 2, self.pick(f"return {own} - x", f"{own} = np.cos({own})", "pass"))
        for one in shared:
            value = {"v": "v * 0.5", "k": "k + 1", "items": "items[::-1]"}.get(one, f"{one} * 0.5 + {own}")
            if self.random.random() < 0.4:
                self.line(depth + 1, f"if {own} < {self.pick('y', '0.4')}:")
                self.line(depth + 2, f"{one} = {value}")
            else:
                self.line(depth + 1, f"{one} = {value}")
        self.line(depth + 1, f"for {own}_k in range({self.pick('2', 'n', '20')}):")
        self.line(
            depth + 2, f"if {own} > {self.pick('x', '1')}: {self.pick('break', 'continue', f'return {own}')}"
        )
        self.line(depth + 2, f"{own} = {own} * 0.9 + {self.pick('x', 'y', '0.1')}")
        self.line(depth + 1, f"return {own}")
        more = self.pick("", ", 1, 2", ", scale=0.25", ", other=3")
        self.line(depth, f"{self.pick(*FLOATS)} = {name}({self.float(1)}{more})")
        if self.random.random() < 0.4:
            self.line(depth, f"{self.pick(*FLOATS)} += {name}({self.float(0)})")

    def result(self) -> str:
        """All variables."""
        return "(a, b, c), k, m, p, q, (v, w), u, M, pair, items, table"


def script(seed: int, statements: int = 4) -> tuple[Callable[..., Any], str]:
    """A random function of two floats and an integer, and its source."""
    source = Script(seed)
    for _ in range(statements):
        source.statement(1, 3, False)
    source.line(1, f"return {source.result()}")
    return defined("script", source.lines, f"<script {seed}>")
