"""Variables that only some ways through the program assign: values, derivatives, and Python's own error."""

from __future__ import annotations

import linecache
import math
import warnings
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import mlirad as ad

ASSIGNED: dict[str, str] = {
    "a number": "y = x[0] * 2.0",
    "an array": "y = x * 2.0",
    "a tuple": "y = (x[0], x * 2.0)",
    "None in part": "y = None if x[1] > 0 else x * 2.0",
    "a function": "y = np.sin",
}
"""The code by which one way assigns to y."""

STATEMENTS: dict[str, str] = {
    "if": "if x[0] > 0:\n    {}",
    "else": "if x[0] <= 0:\n    pass\nelse:\n    {}",
    "nested if": "if x[0] > 0:\n    if x[2] > -9.0:\n        {}",
    "while": "k = 0\nwhile x[0] > k:\n    {}\n    k = k + 1",
    "for": "for k in range(20):\n    if x[0] > k:\n        {}",
    "break": "for k in range(3):\n    if x[0] > k:\n        {}\n        break",
    "try": "try:\n    if x[0] > 0:\n        {}\nfinally:\n    pass",
}
"""The statements in which it does so, for a positive x[0]."""

USES: dict[str, dict[str, str]] = {
    "a number": {
        "operator": "y + 1.0", "reflected": "1.0 / y", "math": "math.exp(y)", "NumPy": "np.exp(y)",
        "max": "max(y, 0.5)", "list": "np.sum(np.array([y, 1.0]))", "call": "helper(y)",
        "lambda": "(lambda: y)()", "comprehension": "sum([y * k for k in range(3)])",
        "test": "(2.0 if y > 1.0 else 3.0)",
        "and": "(1.0 if x[1] > -9.0 and y > 0 else 2.0)", "text": "float(len('ab')) * y", "name": "y",
    },
    "an array": {
        "operator": "np.sum(y + 1.0)", "element": "y[1]", "method": "y.sum()", "NumPy": "np.dot(y, x)",
        "stack": "np.sum(np.stack([y, x])[0])", "call": "helper(y)[2]", "unpacked": "max(*y)",
        "shape": "y.shape[0] * x[0]", "loop": "sum([v for v in y])",
    },
    "a tuple": {"element": "y[0]", "parts": "np.sum(y[1]) * y[0]"},
    "None in part": {"test": "(x[1] if y is None else np.sum(y))"},
    "a function": {"call": "y(x[0])", "map": "sum(map(y, [x[0], x[1]]))"},
}  # fmt: skip

POINTS = (np.array([1.5, 0.7, -0.2]), np.array([1.5, -0.7, -0.2]), np.array([-0.5, 0.7, -0.2]))

CASES = [(kind, where, use) for kind in ASSIGNED for where, use in product(STATEMENTS, USES[kind])]


def helper(y: Any) -> Any:
    return y * 3.0


def made(kind: str, where: str, use: str, guard: str = "if x[0] > 0:\n    return {}\nreturn x[2]") -> Any:
    """The function, from a file, as its source is needed."""
    lines = f"{STATEMENTS[where].format(ASSIGNED[kind])}\n{guard.format(use)}".splitlines()
    text = "def f(x):\n" + "".join(f"    {line}\n" for line in lines)
    return defined(text)


def defined(text: str) -> Any:
    file = f"<one way {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"np": np, "math": math, "helper": helper}
    exec(compile(text, file, "exec"), names)
    return names["f"]


def slope(f: Callable[[Any], Any], x: Any) -> Any:
    return [(f(x + step) - f(x - step)) / 2e-6 for step in np.eye(len(x)) * 1e-6]


@pytest.mark.parametrize(("kind", "where", "name"), CASES)
def test_used_under_the_same_condition(kind: str, where: str, name: str) -> None:
    f = made(kind, where, USES[kind][name])
    for x in POINTS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ad.ControlFlowWarning)
            value, gradient = ad.value_and_grad(f, interpret=True)(x)
        np.testing.assert_allclose(value, f(x), rtol=1e-12)
        np.testing.assert_allclose(gradient, slope(f, x), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(("kind", "where"), list(product(ASSIGNED, STATEMENTS)))
def test_used_without_a_value(kind: str, where: str) -> None:
    f = made(kind, where, next(iter(USES[kind].values())), guard="return {}")
    compiled = ad.jit(f, control="rewrite")
    np.testing.assert_allclose(compiled(POINTS[0]), f(POINTS[0]), rtol=1e-12)
    with pytest.raises(UnboundLocalError, match="cannot access local variable 'y'"):
        f(POINTS[2])
    with pytest.raises(UnboundLocalError, match="cannot access local variable 'y'"):
        compiled(POINTS[2])


def test_writes_show_in_all_names_of_an_array() -> None:
    f = defined("""def f(x):
    z = x * 1.0
    if x[0] > 0:
        y = z[1:]
    if x[0] > 0:
        y[0] = 5.0
        y += x[2]
    return z[1] * z[2]
""")
    for x in POINTS:
        try:
            found = ad.jit(f, control="rewrite")(x)
        except ad.TracingError:
            continue  # which of them is written is not known
        np.testing.assert_allclose(found, f(x), rtol=1e-12)


def test_carried_by_a_loop_that_assigns_it_on_one_way() -> None:
    f = defined("""def f(x):
    total = 0.0
    for k in range(30):
        if x[0] * k > 3.0 and x[1] > 0:
            last = x * k
        if x[0] * k > 3.5 and x[1] > 0:
            total = total + last[2]
    return total
""")
    for x in POINTS:
        np.testing.assert_allclose(ad.jit(f, control="rewrite")(x), f(x), rtol=1e-12)


NONE_OR_ARRAY = {
    "if": "y = None\nif x[0] > 0:\n    y = x * 2.0",
    "expression": "y = x * 2.0 if x[0] > 0 else None",
    "while": "y, k = None, 0\nwhile x[0] > k:\n    y, k = x * (k + 2), k + 1",
    "best of a loop": (
        "y = None\nfor k in range(20):\n"
        "    if x[0] > 0 and (y is None or x[1] * k > y[1]):\n        y = x * k"
    ),
}


@pytest.mark.parametrize("name", NONE_OR_ARRAY)
def test_none_or_an_array(name: str) -> None:
    uses = "if y is None:\n    return x[2]\ny[0] = y[1] * x[0]\nreturn np.sum(y)"
    lines = f"{NONE_OR_ARRAY[name]}\n{uses}".splitlines()
    f = defined("def f(x):\n" + "".join(f"    {line}\n" for line in lines))
    for x in POINTS:
        value, gradient = ad.value_and_grad(f, control="rewrite", interpret=True)(x)
        np.testing.assert_allclose(value, f(x), rtol=1e-12)
        np.testing.assert_allclose(gradient, slope(f, x), rtol=1e-6, atol=1e-8)
