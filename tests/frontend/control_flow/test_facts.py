"""The facts of statements against walks through all their code, and the work that the rewriting takes."""

from __future__ import annotations

import ast
import random
import textwrap
from cProfile import Profile
from pstats import Stats

import pytest

from mlirad.frontend.rewriting.facts import KnownFacts
from mlirad.frontend.rewriting.names import (
    augmented_names,
    bound_names,
    element_names,
    own_nodes,
    read_names,
)
from mlirad.frontend.rewriting.statements import Rewriting

SIMPLE = (
    "{a} = {b} + 1",
    "{a} += {b}",
    "{a}[{b}] = {c}",
    "{a}[{b}].flag += {c}",
    "{a}.sort({b})",
    "np.add({a}, {b}, out={c})",
    "{a} = [{b} for {b} in {c}]",
    "{a} = ({b} := {c})",
    "import numpy as {a}",
    "del {a}",
    "{a}.size = {b}",
    "def {a}({b}={c}):\n    d = e\n    return d",
    "class {a}({b}):\n    f = g",
    "{a} = lambda {b}={c}: h",
)
AROUND = (
    "if {a} > {b}:\n{x}\nelse:\n{y}",
    "while ({a} := {b}):\n{x}\nelse:\n{y}",
    "for {a}, {b} in {c}:\n{x}",
    "with {a} as {b}:\n{x}",
    "try:\n{x}\nexcept ValueError as {a}:\n{y}\nfinally:\n    pass",
    "try:\n{x}\nexcept* ValueError as {a}:\n{y}",
    "match {a}:\n    case [{b}, *{c}] if {b}:\n        {a} = 1\n    case {{**{c}}}:\n        {b}()",
)


def code(rng: random.Random, depth: int) -> str:
    """A few statements at random, one inside another up to a depth."""
    lines: list[str] = []
    for _ in range(rng.randint(1, 3)):
        names = dict(zip("abc", rng.sample("pqrstuvw", 3), strict=True))
        if depth == 0 or rng.random() < 0.4:
            lines.append(rng.choice(SIMPLE).format(**names))
            continue
        inner = {k: textwrap.indent(code(rng, depth - 1), "    ") for k in "xy"}
        lines.append(rng.choice(AROUND).format(**names, **inner))
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(40))
def test_facts_are_those_of_walks_through_all_code(seed: int) -> None:
    """Facts put together of parts are those of the whole, whichever statement is asked about first."""
    rng = random.Random(seed)
    tree = ast.parse("\n".join(code(rng, 3) for _ in range(6)))
    facts = KnownFacts()
    bodies = [tree.body, *([n] for n in own_nodes(tree.body) if isinstance(n, ast.stmt))]
    rng.shuffle(bodies)
    for body in bodies:
        found = facts.of(body)
        own = list(own_nodes(body))
        assert found.bound == bound_names(body)
        assert found.elements == element_names(body)
        assert found.augmented == augmented_names(body)
        assert found.read == frozenset[str]().union(*map(read_names, body))
        assert found.has_calls == any(isinstance(n, ast.Call) for n in own)
        written = [n for n in own if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)]
        assert found.writes_attributes == bool(written)


def test_names_of_comprehensions_stay_inside() -> None:
    """A variable of a comprehension does not belong to the code around, one of the same name outside does."""
    assert bound_names(ast.parse("x = [[y for y in z] for z, *w in v if (u := z)]").body) == {"x", "u"}
    assert bound_names(ast.parse("x = {y: z for y, z in v}\ny = 1").body) == {"x", "y"}


@pytest.mark.parametrize("statement", [
    "    if x > {k}:\n        y = y + {k}\n        return y\n",
    "    if x > {k}:\n        y[0] = {k}\n        return y\n    elif x < -{k}:\n        raise E\n",
])  # fmt: skip
def test_rewriting_takes_time_linear_in_early_returns(statement: str) -> None:
    """Each `if` after an early return stands inside the one before; twice as many take twice the calls."""
    counts: list[int] = []
    for n in (16, 32, 64):
        text = "def f(x, y):\n" + "".join(statement.format(k=k) for k in range(n)) + "    return y\n"
        node = ast.parse(text).body[0]
        assert isinstance(node, ast.FunctionDef)
        profile = Profile()
        profile.runcall(Rewriting("f.py", None, has_class=False).function, node)
        counts.append(vars(Stats(profile))["prim_calls"])
    assert counts[2] < 2.2 * counts[1]
    assert counts[1] < 2.2 * counts[0]
