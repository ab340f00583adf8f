"""Statements on traced conditions that change several parts of one array, which they do not name."""

from __future__ import annotations

import random
import textwrap
from typing import Any

import numpy as np
import pytest

import mlirad as ad

PARTS = ("{of}[1:]", "{of}[:-1]", "{of}[::2]", "{of}[::-1]", "{of}[:3]", "{of}.reshape(-1)", "{of}[...]")
WRITES = (
    "{v}[0] = x[1]",
    "{v}[-1] = {w}[0] * x[0]",
    "{v}[...] += x[2]",
    "{v}[1:] *= 1.2",
    "{v}[:] = np.sin({w}[0])",
    "{v}[0], {w}[0] = {w}[0], {v}[0]",
    "put({v}, {w}[-1])",
    "np.multiply({v}, 0.5, out={v})",
)
STATEMENTS = (
    "if x[0] > 0:\n{one}\nelse:\n{two}",
    "if x[1] > 1:\n{one}",
    "for k in range(3):\n    if x[k] > 0.5:\n{deep}\n    else:\n{deeper}",
    "n = 0\nwhile n < 2 + (x[0] > 0):\n{one}\n    n = n + 1",
    "if x[2] > 0:\n    if x[0] > 0:\n{deep}\n{two}",
)


def put(v: Any, value: Any) -> None:
    """A write by a function."""
    v[0] = value


def program(rng: random.Random) -> str:
    """A function of statements that write parts of an array, in a function of their own or not."""
    lines = ["y = np.zeros(9) + x[0]"]
    names = ["y"]
    for name in "uvw":
        lines.append(f"{name} = {rng.choice(PARTS).format(of=rng.choice(names))}")
        names.append(name)
    parts = names[1:]
    in_function = rng.random() < 0.5

    def writes(indent: int) -> str:
        made = [rng.choice(WRITES).format(v=rng.choice(parts), w=rng.choice(parts)) for _ in range(2)]
        return textwrap.indent("\n".join(made), " " * indent)

    body = "\n".join(
        rng.choice(STATEMENTS).format(one=writes(4), two=writes(4), deep=writes(8), deeper=writes(8))
        for _ in range(2)
    )
    if in_function:
        body = f"def change(u, v, w):\n{textwrap.indent(body, '    ')}\nchange(u, v, w)"
    lines += [body, "v[0] = v[0] + u[-1]"]
    result = rng.choice(("y", "np.concatenate([y, w, v])", "np.concatenate([y, u])"))
    lines.append(f"return np.sum(np.arange(1.0, {result}.size + 1) * {result} ** 2)")
    return "def function(x):\n" + textwrap.indent("\n".join(lines), "    ")


@pytest.mark.parametrize("seed", range(60))
def test_parts_of_one_array_change_together(seed: int, tmp_path: Any) -> None:
    """Values are those of Python, and slopes those of differences of Python's values."""
    text = program(random.Random(seed))
    file = tmp_path / "program.py"
    file.write_text(text)
    space: dict[str, Any] = {"np": np, "put": put}
    exec(compile(text, str(file), "exec"), space)
    function = space["function"]
    value_and_grad = ad.value_and_grad(function, control="rewrite")
    for x in ([0.7, 1.3, -0.4], [-0.7, 0.3, 0.9], [0.2, 0.8, 0.6]):
        point, step = np.array(x), 1e-6
        value, slope = value_and_grad(point)
        assert value == pytest.approx(function(point), rel=1e-12)
        along = [(function(point + e) - function(point - e)) / (2 * step) for e in step * np.eye(3)]
        np.testing.assert_allclose(slope, along, rtol=1e-6, atol=1e-6 * max(1, abs(value)))
