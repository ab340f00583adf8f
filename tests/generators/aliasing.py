"""Random programs that make views and aliases, write through them and read them, as text of functions.

    source = random_writes(seed, 12)       def f(x, v, i): ...       written with NumPy only

The program is tried step by step on NumPy while it is made: a step that it refuses or warns of is left out.
So it runs on NumPy arrays as it stands, and what it gives there is what traced arrays must give.
`x` is a matrix, `v` a vector, `i` a position in both.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import mlirad as ad

SHAPE = (3, 4)
"""The shape of the matrix; the vector is as long as a row."""


def random_writes(seed: int, steps: int) -> str:
    """The source of a function `f(x, v, i)`, which returns all the arrays that it has made."""
    rng = random.Random(seed)
    names = {"x": inputs(seed)[0], "v": inputs(seed)[1], "i": 1}
    lines: list[str] = []
    while steps:
        line = _step(rng, names)
        tried = dict(names)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("error")
            before = {k: np.copy(a) for k, a in names.items() if k != "i"}
            try:
                exec(line, {"np": np}, tried)
                fits = all(np.all(np.abs(a) < 50) and np.size(a) < 60 for a in tried.values())
            except (ValueError, TypeError, IndexError, Warning):
                fits = False
        if fits and all(isinstance(a, np.ndarray | int) for a in tried.values()):
            names = tried
            lines.append(line)
        else:  # NumPy may have written before it raised
            for name, old in before.items():
                if names[name].flags.writeable:
                    names[name][...] = old
        steps -= 1
    arrays = ", ".join(name for name in names if name != "i")
    body = "\n".join(f"    {line}" for line in [*lines, f"return ({arrays},)"])
    return f"def f(x, v, i):\n{body}\n"


def inputs(seed: int) -> tuple[Any, Any, int]:
    """Arguments of such a function."""
    rng = np.random.default_rng(seed)
    return rng.uniform(-1, 1, SHAPE), rng.uniform(-1, 1, SHAPE[1]), 1


def function_of(source: str) -> Callable[..., Any]:
    """The function that a source defines."""
    scope: dict[str, Any] = {"np": np, "ad": ad}
    exec(source, scope)
    return scope["f"]


def _step(rng: random.Random, names: dict[str, Any]) -> str:
    arrays = [name for name in names if name != "i"]
    a, b = rng.choice(arrays), rng.choice(arrays)
    new = f"a{len(names)}" if len(names) < 9 else rng.choice(arrays)
    kind = rng.random()
    if kind < 0.45:
        return f"{new} = {rng.choice(VIEWS).format(a=a, k=_key(rng, names[a]))}"
    if kind < 0.52:
        return f"{new} = {rng.choice(VALUES).format(a=a, b=b)}"
    writable = [
        name for name in arrays if names[name].flags.writeable
    ]  # ufunc.at of NumPy does not ask for it
    a = rng.choice(writable)
    value = rng.choice(("0.5", f"np.sin({b})", b, f"0.5 * {b}", f"{b}[..., ::-1]", f"{b}[0]", f"np.sum({b})"))
    return rng.choice(WRITES).format(a=a, k=_key(rng, names[a]), v=value)


def _key(rng: random.Random, array: Any) -> str:
    entries: list[str] = []
    for extent in array.shape[: rng.randint(0, array.ndim)]:
        n = rng.randrange(-extent, extent) if extent else 0
        entries.append(rng.choice((":", "1:", "::-1", "::2", "-2:", str(n), "i", "None, :", "i - 1")))
    if rng.random() < 0.3:
        entries.append("...")
    return ", ".join(entries) or "..."


VIEWS = (
    "{a}[{k}]",
    "{a}[{k}]",
    "{a}",
    "{a}.T",
    "{a}.reshape(-1)",
    "{a}.reshape(-1, 2)",
    "{a}.reshape(2, -1)",
    "{a}.reshape(2, 2, -1)",
    "{a}.ravel()",
    "np.flip({a}, 0)",
    "np.rot90({a})",
    "np.expand_dims({a}, -1)",
    "np.squeeze({a})",
    "np.moveaxis({a}, 0, -1)",
    "np.swapaxes({a}, 0, -1)",
    "np.atleast_2d({a})",
    "np.split({a}, [1])[1]",
    "np.array_split({a}, 2, axis=-1)[0]",
    "np.broadcast_to({a}, (2, *{a}.shape))",
    "np.diagonal({a})",
    "{a}.view()",
    "np.real({a})",
    "list({a})[-1]",
)
"""Ways to other arrays of the same elements, as far as NumPy does not copy."""

VALUES = (
    "{a} * {b}",
    "np.tanh({a})",
    "{a}.copy()",
    "{a}.flatten()",
    "{a}[[0, -1]]",
    "{a}.astype(float)",
    "np.sort({a})",
    "np.concatenate([{a}, {a}])",
    "np.clip({a}, -9, 9)",
    "np.roll({a}, 0)",
    "np.take({a}, [0, 1], axis=-1)",
)
"""Ways to arrays of their own."""

WRITES = (
    "{a}[{k}] = {v}",
    "{a}[{k}] = {v}",
    "{a}[{k}] += {v}",
    "{a}[{k}] *= {v}",
    "{a} += {v}",
    "{a} *= {v}",
    "{a}.flat[1] = {v}",
    "{a}[{a} > 0.2] = 0.3",
    "{a}[[0, -1]] = {v}",
    "{a}.sort()",
    "{a}.fill(0.25)",
    "np.sin({a}, out={a})",
    "np.add({a}, {v}, out={a}[{k}])",
    "np.add.at({a}, [0, 0, -1], {v})",
    "np.multiply.at({a}, [0, 0, -1], {v})",
    "np.copyto({a}, {v}, where={a} > 0)",
    "np.put({a}, [0, 2], [0.1, 0.2])",
    "np.place({a}, {a} > 0, [0.1, 0.2, 0.3])",
    "np.putmask({a}, {a} > 0, {v})",
    "np.fill_diagonal({a}, 0.4)",
    "np.nan_to_num({a}, copy=False)",
)
"""Ways to write."""
