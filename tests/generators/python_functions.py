"""Random Python programs with functions and sums as values, as source text, to be run by mlirad and without.

    source = random_functions(seed=7, size=12)      def program(x, v, n): ...
    traced(source)                                  the function, for ad.jit and ad.grad
    plain(source)                                   the same function on NumPy arrays, without any of mlirad

Terms are simply typed and made top down with `size` as fuel. Every float made by arithmetic is a sine or a
hyperbolic tangent, what decides is the integer n, and recursion counts down. Functions that are carried or
chosen capture no function that may be one of their kind. About half have no examples of their arguments.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

import mlirad as ad


class Type(NamedTuple):
    """A type: float "f", vector "v", "pair" or "sum" of types, or "fn" whose last type is the result."""

    kind: str
    parts: tuple[Type, ...] = ()


F, V = Type("f"), Type("v")


def holds_functions(type_: Type) -> bool:
    return type_.kind == "fn" or any(map(holds_functions, type_.parts))


class Writer:
    """Writes statements that compute terms of given types; a term is the text of an expression."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.lines: list[str] = []
        self.depth = 1
        self.scopes: list[list[tuple[str, Type]]] = [[("x", F), ("v", V)]]
        self._names = itertools.count()
        self.forms = (
            self.bound,
            self.applied,
            self.applied,
            self.case,
            self.chosen,
            self.looped,
            self.recursive,
            self.differentiated,
        )

    # Writing -------------------------------------------------------------------------------------

    def write(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def name(self, expression: str, letter: str = "t") -> str:
        """A variable with the value of an expression."""
        name = f"{letter}{next(self._names)}"
        self.write(f"{name} = {expression}")
        return name

    def define(self, types: Sequence[Type], body: Callable[..., str], hidden: bool = False) -> str:
        """A function of parameters of these types; with `hidden`, it uses no functions from outside."""
        name, outer = f"f{next(self._names)}", self.scopes
        parameters = [(f"{name}_{k}", t) for k, t in enumerate(types)]
        if hidden:
            self.scopes = [[(n, t) for n, t in scope if not holds_functions(t)] for scope in outer]
        self.write(f"def {name}({', '.join(n for n, _ in parameters)}):")
        self.depth += 1
        self.scopes.append(list(parameters))
        self.write(f"return {body(*(n for n, _ in parameters))}")
        self.scopes.pop()
        self.depth -= 1
        self.scopes = outer
        return name

    # Types ---------------------------------------------------------------------------------------

    def type(self, depth: int) -> Type:
        kind = self.rng.randrange(6) if depth else self.rng.randrange(2)
        if kind < 2:
            return (F, V)[kind]
        parts = tuple(self.type(depth - 1) for _ in range(2 if kind < 5 else self.rng.choice((1, 2, 3))))
        return Type(("pair", "sum", "fn", "fn")[kind - 2], parts)

    def example(self, type_: Type) -> str:
        examples = [self.example(t) for t in type_.parts]
        match type_.kind:
            case "f":
                return "0.0"
            case "v":
                return "np.zeros(3)"
            case "pair":
                return f"({', '.join(examples)})"
            case "sum":
                return f"ad.sum_of({', '.join(examples)})(0, {examples[0]})"
            case _:
                names = ", ".join(f"a{k}" for k in range(len(examples) - 1))
                return f"ad.lambda_({', '.join([f'lambda {names}: {examples[-1]}', *examples[:-1]])})"

    # Terms ---------------------------------------------------------------------------------------

    def known(self, suits: Callable[[Type], bool]) -> list[tuple[str, Type]]:
        return [(n, t) for scope in self.scopes for n, t in scope if suits(t)]

    def term(self, type_: Type, fuel: int) -> str:
        known = self.known(lambda t: t == type_)
        if fuel <= 0:
            return self.rng.choice(known)[0] if known else self.made(type_, 0)
        kind = self.rng.randrange(len(self.forms) + 4)
        if kind == len(self.forms) and known:
            return self.rng.choice(known)[0]
        return self.forms[kind](type_, fuel) if kind < len(self.forms) else self.made(type_, fuel)

    def bound(self, type_: Type, fuel: int) -> str:
        part = self.type(2)
        name = self.name(self.term(part, fuel // 2))
        self.scopes[-1].append((name, part))
        if part.kind == "pair":
            self.scopes[-1] += [(f"{name}[{k}]", t) for k, t in enumerate(part.parts)]
        return self.term(type_, fuel // 2)

    def applied(self, type_: Type, fuel: int) -> str:
        known = self.known(lambda t: t.kind == "fn" and t.parts[-1] == type_)
        if known and self.rng.random() < 0.8:
            function, signature = self.rng.choice(known)
        else:
            signature = Type("fn", (*(self.type(1) for _ in range(self.rng.randint(0, 2))), type_))
            function = self.term(signature, fuel // 2)
        arguments = [self.term(t, fuel // 3) for t in signature.parts[:-1]]
        result = self.name(f"{function}({', '.join(arguments)})")
        self.scopes[-1].append((result, type_))
        return result

    def case(self, type_: Type, fuel: int) -> str:
        types = tuple(self.type(1) for _ in range(self.rng.randint(1, 3)))
        value = self.term(Type("sum", types), fuel // 3)
        hidden = holds_functions(type_)
        arms = [self.define((t,), lambda _: self.term(type_, fuel // 3), hidden) for t in types]
        return self.name(f"ad.case({', '.join([value, *arms])})")

    def chosen(self, type_: Type, fuel: int) -> str:
        hidden = holds_functions(type_)
        count = self.rng.randint(1, 3)
        branches = [self.define((), lambda: self.term(type_, fuel // 3), hidden) for _ in range(count)]
        if count == 2:
            return self.name(f"ad.cond(n < {self.rng.randint(0, 3)}, {', '.join(branches)})")
        return self.name(f"ad.switch(n, [{', '.join(branches)}])")

    def looped(self, type_: Type, fuel: int) -> str:
        init = self.term(type_, fuel // 3)
        hidden = holds_functions(type_)

        def iteration(*names: str) -> str:
            if hidden:
                carry = next(entry for entry in self.scopes[-1] if entry[1] == type_)
                self.scopes[-1].remove(carry)
                return carry[0] if self.rng.random() < 0.3 else self.term(type_, fuel // 3)
            return self.term(type_, fuel // 3)

        kind = self.rng.choice(("fold", "fori", "while"))
        if kind == "fold":
            xs = self.term(V, fuel // 3)
            body = self.define((type_, F), iteration, hidden)
            return self.name(f"ad.fold({body}, {init}, {xs})")
        body = self.define((type_,), iteration, hidden)
        if kind == "fori":
            return self.name(
                f"ad.fori_loop(0, {self.rng.choice(('n', '0', '2'))}, lambda i, c: {body}(c), {init})"
            )
        step = f"lambda s: (s[0] + 1, {body}(s[1]))"
        return self.name(f"ad.while_loop(lambda s: s[0] < n, {step}, (np.int64(0), {init}))[1]")

    def recursive(self, type_: Type, fuel: int) -> str:
        """A function that counts down and calls itself, called or as a value."""
        parameter = self.type(1)
        name = f"f{next(self._names)}"
        outer, self.scopes = self.scopes, [[("x", F), ("v", V)]]
        self.write("@ad.function")
        self.write(f"def {name}(count, a):")
        self.depth += 1
        self.scopes.append([("a", parameter)])

        def deeper() -> str:
            handed = "a" if holds_functions(parameter) else self.term(parameter, fuel // 3)
            result = self.name(f"{name}(count - 1, {handed})")
            if holds_functions(type_):
                return result
            self.scopes[-1].append((result, type_))
            return self.term(type_, fuel // 3)

        branches = self.define((), deeper), self.define((), lambda: self.term(type_, fuel // 3))
        self.write(f"return ad.cond(count > 0, {', '.join(branches)})")
        self.depth -= 1
        self.scopes = outer
        argument, count = self.term(parameter, fuel // 3), self.rng.randint(0, 3)
        if self.rng.random() < 0.5:
            return self.name(f"{name}({count}, {argument})")
        return self.name(f"ad.lambda_({name})({count}, {argument})")

    def differentiated(self, type_: Type, fuel: int) -> str:
        """A derivative of a function that may use everything around it; other terms are bound."""
        if type_ != F or fuel < 4:
            return self.bound(type_, fuel)
        at = self.term(F, fuel // 3)
        if self.rng.random() < 0.5:
            function = self.term(Type("fn", (F, F)), fuel // 3)
        else:
            function = self.define((F,), lambda _: self.term(F, fuel // 3))
        return self.name(f"np.tanh(ad.grad(lambda z: 1.0 * {function}(z))({at}))")

    def made(self, type_: Type, fuel: int) -> str:
        """A value made by the constructor of its type."""
        match type_.kind:
            case "fn":
                *inputs, output = type_.parts
                body = self.define(inputs, lambda *_: self.term(output, fuel - 1))
                like = [self.example(t) for t in inputs] if self.rng.random() < 0.5 else []
                return self.name(f"ad.lambda_({', '.join([body, *like])})")
            case "pair":
                return f"({', '.join(self.term(t, (fuel - 1) // 2) for t in type_.parts)})"
            case "sum":
                constructor = self.name(f"ad.sum_of({', '.join(map(self.example, type_.parts))})", "s")
                k = self.rng.randrange(len(type_.parts))
                return self.name(f"{constructor}({k}, {self.term(type_.parts[k], fuel - 1)})")
            case "v":
                return self.vector(fuel)
            case _:
                return self.number(fuel)

    def vector(self, fuel: int) -> str:
        kind = self.rng.randrange(4) if fuel > 0 else 3
        if kind == 3:
            return self.name(f"np.sin(v * {self.term(F, fuel // 2)})")
        body = self.define((F,), lambda _: self.term(F, fuel // 2))
        xs = self.term(V, fuel // 2)
        made = (f"build(3, lambda i: {body}({xs}[i]))", f"map({body}, {xs})", f"vmap({body})({xs})")[kind]
        return self.name(f"ad.{made}")

    def number(self, fuel: int) -> str:
        if fuel <= 0:
            return str(round(self.rng.uniform(-1, 1), 2))
        kind = self.rng.random()
        if kind < 0.2:
            raw = f"np.sum({self.term(V, fuel - 1)})"
        elif kind < 0.35:
            raw = f"{self.term(V, fuel - 1)}[{self.rng.randrange(3)}]"
        else:
            one, other = (self.term(F, (fuel - 1) // 2) for _ in range(2))
            raw = f"{one} {self.rng.choice('+-*')} {other}"
        return self.name(f"np.{self.rng.choice(('sin', 'tanh', 'cos'))}({raw})")


def random_functions(seed: int, size: int) -> str:
    """The text of a function `program(x, v, n)` of a float, a vector of 3 and an integer, to a float."""
    writer = Writer(random.Random(seed))
    terms = [form(F, size) for form in writer.rng.sample(writer.forms, 3)]
    writer.write(f"return 1.0 * x + {' + '.join(terms)}")
    return "\n".join(["def program(x, v, n):", *writer.lines, ""])


def traced(source: str) -> Callable[..., Any]:
    """The program on mlirad."""
    return _program(source, ad)


def plain(source: str) -> Callable[..., Any]:
    """The program on NumPy, its functions Python functions, its sums pairs of a number and a value."""
    return _program(source, PLAIN)


def _program(source: str, library: Any) -> Callable[..., Any]:
    namespace: dict[str, Any] = {"np": np, "ad": library}
    exec(compile(source, "<random functions>", "exec"), namespace)
    return namespace["program"]


def _folded(f: Any, init: Any, xs: Any) -> Any:
    for x in xs:
        init = f(init, x)
    return init


def _while(condition: Any, body: Any, init: Any) -> Any:
    while condition(init):
        init = body(init)
    return init


def _slope(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The derivative by central differences of sixth order."""

    def at(z: Any, h: float = 0.01) -> Any:
        near, far, farther = ((f(z + k * h) - f(z - k * h)) / (2 * k * h) for k in (1, 2, 3))
        return 1.5 * near - 0.6 * far + 0.1 * farther

    return at


PLAIN = SimpleNamespace(
    lambda_=lambda f, *like: f,
    function=lambda f: f,
    sum_of=lambda *examples: lambda k, value: (k, value),
    case=lambda s, *arms: arms[s[0]](s[1]),
    cond=lambda p, f, g: f() if p else g(),
    switch=lambda i, branches: branches[min(max(i, 0), len(branches) - 1)](),
    fold=_folded,
    fori_loop=lambda low, high, f, init: _folded(lambda c, i: f(i, c), init, range(low, high)),
    while_loop=_while,
    build=lambda n, f: np.array([f(i) for i in range(n)]),
    map=lambda f, xs: np.array([f(x) for x in xs]),
    vmap=lambda f: lambda xs: np.array([f(x) for x in xs]),
    grad=_slope,
)
