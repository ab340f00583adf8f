"""Variables that are strings, None, functions or values as traced conditions decide: as in Python."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad

OBJECTS: dict[str, tuple[str, str]] = {
    "texts": ('"low"', '"high"'),
    "text and None": ('"low"', "None"),
    "None and text": ("None", '"high"'),
    "value and None": ("x * x", "None"),
    "None and value": ("None", "np.sin(x)"),
    "functions": ("np.sin", "np.cos"),
    "function and None": ("np.sin", "None"),
    "lambdas": ("(lambda v: v * v)", "(lambda v: v + 1.0)"),
    "classes": ("Low", "High"),
    "text and value": ('"low"', "x * 3.0"),
    "pairs": ('("low", x)', '("high", 2.0 * x)'),
    "pair and None": ("(x, x * x)", "None"),
    "keys": ("(1, 2)", "(2, 1)"),
    "empty texts": ('""', '"high"'),
}
"""The values of the variable on one way and on the other, by name."""

MAKING: dict[str, str] = {
    "if and else": "if x > {t}:\n    k = {one}\nelse:\n    k = {other}",
    "if behind a start": "k = {other}\nif x > {t}:\n    k = {one}",
    "elif": "if x > {t} + 1.0:\n    k = {one}\nelif x > {t}:\n    k = {one}\nelse:\n    k = {other}",
    "expression": "k = {one} if x > {t} else {other}",
    "helper": "def made(x):\n    if x > {t}:\n        return {one}\n    return {other}\nk = made(x)",
    "attribute": "o = Holder()\no.k = {other}\nif x > {t}:\n    o.k = {one}\nk = o.k",
    "loop": "k = {other}\nfor j in range(20):\n    if x > {t} + 1e-3 * j:\n        k = {one}",
    "while": "k = {other}\ny = 0.0\nwhile y < 3.0:\n    y = y + 1.0\n    if x > {t}:\n        k = {one}",
}
"""The ways in which the code comes to it."""

USING: dict[str, tuple[str, frozenset[str]]] = {
    "is None": ("r = -x if k is None else 2.0 * x", frozenset(OBJECTS)),
    "is not None": ("r = x\nif k is not None:\n    r = x * x", frozenset(OBJECTS)),
    "nested": (
        "r = x\nif x < 3.0:\n    if k is None:\n        r = 2.0 * x\n    else:\n        r = 5.0 * x",
        frozenset(OBJECTS),
    ),
    "equality": (
        'r = x * 2.0 if k == "low" else x * 3.0', frozenset(("texts", "text and None", "None and text"))
    ),
    "inequality": ('r = x * 2.0 if "low" != k else x', frozenset(("texts", "text and None"))),
    "membership": ('r = x * 2.0 if k in ("low", "other") else x', frozenset(("texts", "text and None"))),
    "truth": (
        "r = x\nif k:\n    r = x * x",
        frozenset(("texts", "text and None", "None and text", "empty texts", "function and None", "keys")),
    ),
    "negated": ("r = x\nif not k:\n    r = x * x", frozenset(("texts", "text and None", "empty texts"))),
    "table": ('r = {{"low": 2.0, "high": 3.0}}[k] * x', frozenset(("texts",))),
    "method": ('r = x * 2.0 if k.startswith("lo") else x', frozenset(("texts", "empty texts"))),
    "length": ("r = x * len(k)", frozenset(("texts", "empty texts"))),
    "or": ('r = x * 2.0 if k == "low" or x > 2.0 else x', frozenset(("texts", "None and text"))),
    "guarded value": (
        "r = x\nif k is not None and k > 0.5:\n    r = k * x", frozenset(("value and None", "None and value"))
    ),
    "value where it is one": (
        "r = x\nif k is not None:\n    r = k * x + k", frozenset(("value and None", "None and value"))
    ),
    "filled in": (
        "if k is None:\n    k = 5.0 * x\nr = k * k", frozenset(("value and None", "None and value"))
    ),
    "call": ("r = k(x) * x", frozenset(("functions", "lambdas"))),
    "guarded call": ("r = x if k is None else k(x)", frozenset(("function and None",))),
    "class attribute": ("r = k.scale * x", frozenset(("classes",))),
    "unpacking": (
        'name, v = k\nr = v * 2.0 if name == "low" else v * 7.0', frozenset(("pairs",))
    ),
    "guarded pair": ("r = x if k is None else k[0] * k[1]", frozenset(("pair and None",))),
    "elements": ("r = x * k[0] + k[1]", frozenset(("keys",))),
    "kind": ('r = x * 2.0 if isinstance(k, str) else x', frozenset(("texts", "empty texts"))),
}  # fmt: skip
"""The rest of the code, and the objects that it is run with."""


class Holder:
    k: Any = None


class Low:
    scale = 2.0


class High:
    scale = 3.0


def indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


CASES = [
    (name, making, using)
    for (name, making), using in itertools.product(itertools.product(OBJECTS, MAKING), USING)
    if name in USING[using][1]
]


@pytest.mark.parametrize(("objects", "making", "using"), CASES)
def test_alternatives(objects: str, making: str, using: str, tmp_path: Any) -> None:
    one, other = OBJECTS[objects]
    made = MAKING[making].format(one=one, other=other, t="1.0")
    used = USING[using][0].replace("{{", "{").replace("}}", "}")
    text = f"def function(x):\n{indented(made)}{indented(used)}    return r\n"
    file = tmp_path / "alternatives.py"
    file.write_text(text)
    table: dict[str, Any] = {"np": np, "Holder": Holder, "Low": Low, "High": High}
    exec(compile(text, str(file), "exec"), table)
    function: Callable[[Any], Any] = table["function"]
    compiled = ad.value_and_grad(function, control="rewrite", interpret=True)
    for x in (0.4, 1.7, 2.6):
        value, slope = compiled(x)
        step = 1e-6
        want = (function(x + step) - function(x - step)) / (2 * step)
        np.testing.assert_allclose([value, slope], [function(x), want], rtol=1e-6, err_msg=text)


def none_used(x):
    k = None
    if x > 1.0:
        k = x
    return k * x


def none_returned(x):
    if x > 1.0:
        return x * x
    return None


def text_called(x):
    k = np.sin if x > 1.0 else "sin"
    return k(x)


def missing_attribute(x):
    k = None
    if x > 1.0:
        k = np
    return x * k.pi


def missing_key(x):
    k = "a" if x > 1.0 else "b"
    return x * {"a": 2.0}[k]


def position_outside(x):
    return x * 2.0 if "ABC"[int(x + 2.0)] == "C" else x


@pytest.mark.parametrize(
    ("function", "good", "kind"),
    [
        (none_used, 2.0, TypeError),
        (none_returned, 2.0, TypeError),
        (text_called, 2.0, TypeError),
        (missing_attribute, 2.0, AttributeError),
        (missing_key, 2.0, KeyError),
        (position_outside, 0.5, IndexError),
    ],
)
def test_what_python_raises_the_program_raises(
    function: Callable[..., Any], good: float, kind: type[Exception]
) -> None:
    """Only where it comes to that: code that another object would make fail fails for that one alone."""
    compiled = ad.jit(function, control="rewrite", interpret=True)
    assert compiled(good) == pytest.approx(function(good))
    with pytest.raises(kind):
        compiled(good + 1.0 if kind is IndexError else 0.5)


def text_returned(x):
    return "low" if x > 1.0 else "high"


def lists(x):
    k = None
    if x > 1.0:
        k = [x]
    return x if k is None else k[0]


def as_a_key(x):
    k = "low" if x > 1.0 else "high"
    return x * len({k, "other"})


@pytest.mark.parametrize("function", [text_returned, as_a_key])
def test_what_cannot_be_known_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(ad.TracingError, match="a traced condition decides"):
        ad.jit(function, control="rewrite", interpret=True)(2.0)


def test_lists_are_not_among_several_objects() -> None:
    with pytest.raises(ad.TracingError):
        ad.jit(lists, control="rewrite", interpret=True)(2.0)


PLACES: dict[str, Callable[[Any], Any]] = {
    "text": lambda x: 2.0 * x if "ABC"[int(x)] == "B" else x,
    "texts": lambda x: 2.0 * x if ["one", "two", "three"][int(x)] == "two" else x,
    "functions": lambda x: [np.sin, np.cos, np.exp][int(x)](x),
    "tuple of None and values": lambda x: x if (None, "a", "a")[int(x)] is None else x * x,
    "from the end": lambda x: 2.0 * x if "ABC"[-int(x) - 1] == "C" else x,
}


@pytest.mark.parametrize("name", PLACES)
def test_positions_in_lists_of_objects(name: str) -> None:
    f = PLACES[name]
    compiled = ad.jit(f, control="rewrite", interpret=True)
    for x in (0.5, 1.5, 2.5):
        np.testing.assert_allclose(compiled(x), f(x), rtol=1e-12)


FUNCTIONS = [np.sin, np.cos, np.exp, np.tanh, np.sqrt, np.cbrt, np.arctan, np.square]
LETTERS = "CDEFGHJKLMNPQRSTUVWX"
CHOOSING: dict[str, Callable[[Any], Any]] = {
    "a method, compared": lambda x: 2.0 * x if LETTERS[int(x)].lower() >= "n" else x,
    "a range": lambda x: 2.0 * x if "F" <= LETTERS[int(x)] < "P" else x,
    "methods in a row": lambda x: 2.0 * x if LETTERS[int(x)].lower().strip().upper() == "D" else x,
    "many functions": lambda x: FUNCTIONS[int(x)](x),
}
"""Choices among many objects, in time that does not double with each."""


@pytest.mark.parametrize("name", CHOOSING)
def test_choices_among_many(name: str) -> None:
    f = CHOOSING[name]
    for x in (0.5, 1.5, 4.5, 7.5):
        value, slope = ad.value_and_grad(f, control="rewrite", interpret=True)(x)
        np.testing.assert_allclose(value, f(x), rtol=1e-14)
        np.testing.assert_allclose(slope, (f(x + 1e-6) - f(x - 1e-6)) / 2e-6, rtol=1e-6)
