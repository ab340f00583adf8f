"""Code that cannot be rewritten, and mistakes under traced conditions: one sentence, at the user's line."""

from __future__ import annotations

import argparse
import importlib
import inspect
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlirad as ad

ROOT = Path(__file__).parents[3]

MISTAKES: dict[str, tuple[Callable[..., Any], int, str, str]] = {}
counter = 0


def at_line(line: int, message: str, hint: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add a function that is wrong in a line, counted from its `def`."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        MISTAKES[function.__name__] = (function, line, message, hint)
        return function

    return add


class Point:
    """An object with an attribute that its class has."""

    last = None


@at_line(3, "y has no value here: only one way through an `if`", "assign y before it")
def defined_in_one_branch(x):
    if x > 0:
        y = [x]
    return y[0]


@at_line(4, "y has no value here: it is assigned in the body of `while` alone", "before the loop")
def defined_in_a_loop(x):
    while x > 1:
        y = [x]
        x = x / 2
    return y[0]


@at_line(4, "`is` asks whether two values are one object", "before it")
def one_array_after_a_branch(x):
    y = z = np.sin(np.stack([x, x]))
    if x > 0:
        y = z * 1.0
    return np.sum(y if y is not z else -z)


@at_line(4, "`is` asks whether two values are one object", "before it")
def one_array_in_a_loop(x):
    y = z = np.sin(np.stack([x, x]))
    n = 0
    while x > 0.5:
        if y is not z:
            n += 1
        x, y = x / 2, z
    return n


@at_line(4, "`is` asks whether two values are one object", "before it")
def one_list_in_a_branch(x):
    y = z = [x]
    if x > 0:
        x = x + 1
        y = [x] if y is z else y
    return y[0] + z[0]


@at_line(2, "`while`: k starts as int64[2], and the body returns float64[2]", ".astype")
def dtype_of_a_carry(x):
    k = np.zeros(2, np.int64)
    while x > 1:
        k = k * 0.5
        x = x / 2
    return k


@at_line(2, "`while`: total starts as float64[], and the body returns float64[3]", "np.zeros((3,))")
def shape_of_a_carry(x):
    total = 0.0
    while x > 1:
        total = total + np.ones(3)
        x = x / 2
    return total


@at_line(1, "`if`: y of the false branch is float64[], that of another branch float64[3]", "same shapes")
def shapes_of_branches(x):
    if x > 1:
        y = np.ones(3)
    else:
        y = 1.0
    return y


@at_line(1, "y is (*, *) after one branch, and an array after the other", "same tuples")
def structures_of_branches(x):
    y = (x, x) if x is None else x
    if x > 1:
        y = (x, x)
    return y


@at_line(2, "results is [] before an iteration, and [*] after it", "a list cannot grow")
def list_that_grows(x):
    results = []
    while x > 1:
        results.append(x)
        x = x / 2
    return x


@at_line(2, "changes an attribute of attribute, by itself or by a function", "after the statement")
def attribute(x):
    x_is = attribute
    if x > 0:
        x_is.positive = True
    return x


@at_line(3, "under a traced condition, and changes of a Namespace are not noticed", "after the statement")
def attribute_of_what_is_not_compared(x):
    x_is = argparse.Namespace(positive=False)
    if x > 0:
        x_is.positive = True
    return x


@at_line(2, "point.first has no value here: only one way", "assign point.first before it")
def attribute_that_is_not_there(x):
    point = Point()
    if x > 0:
        point.first = x
    return x


@at_line(2, "how many elements out has, and another variable or", "write the list by one name")
def list_with_two_names_that_grows(x):
    out = others = []
    if x > 0:
        out.append(x)
    return sum(others)


@at_line(2, "pair[0], which is in a tuple", "let a variable hold the list")
def list_in_a_tuple_that_grows(x):
    pair = ([x], x)
    if x > 0:
        pair[0].append(x)
    return sum(pair[0])


@at_line(5, "p has no value here", "make Plain a dataclass, or say by ad.register")
def objects_of_a_plain_class(x):
    if x > 0:
        p = Plain(x)
    else:
        p = Plain(-x)
    return p.size


class Plain:
    def __init__(self, size):
        self.size = size


@at_line(1, "changes Point.last, by itself", "after the statement")
def attribute_of_a_class(x):
    if x > 0:
        Point.last = x
    return x


@at_line(3, "it writes the global variable counter", "after the statement")
def writes_a_global(x):
    global counter
    if x > 0:
        counter = 1
    return x


@at_line(1, "`if`: the condition has shape (2,)", "np.any")
def array_as_condition(x):
    if np.stack([x, x]) > 0:
        return x
    return -x


@at_line(2, "is a generator or a coroutine", "returns its result")
def generator(x):
    for _ in range(3):
        yield x


@at_line(1, "locals() reads the variables of its caller", "name the variables")
def reads_its_frame(x):
    return len(locals()) * x


@at_line(1, "the truth of", "operands that assign by `:=`")
def assignment_in_an_operand(x):
    return x if x > 1 and (y := x * 2) > 1 else y


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_told_at_the_users_line(name: str) -> None:
    function, line, message, hint = MISTAKES[name]
    first = inspect.unwrap(function).__code__.co_firstlineno + 1  # after the decorator
    with pytest.raises(ad.MliradError) as caught:
        ad.jit(function, control="rewrite")(2.0)
    error = caught.value
    assert message in error.message
    assert hint in (error.hint or "")
    assert error.location is not None
    found = int(error.location.rpartition(":")[2]) - first
    if name == "structures_of_branches":
        line += 1
    assert (error.location.rpartition(":")[0], found) == (__file__, line)


def test_what_is_no_function_of_python() -> None:
    cases = [
        (np.sin, "it is not a function written in Python"),
        (ad.grad(np.sin), "it is not a function written in Python"),
        (eval("lambda x: x"), "the source of <string> is not available"),
    ]
    for function, message in cases:
        with pytest.raises(ad.UnsupportedError, match=message):
            ad.jit(function, control="rewrite")
    with pytest.raises(ad.ArgumentError, match="there is no control 'yes'"):
        ad.jit(one_array_after_a_branch, control="yes")


def test_what_eval_makes_under_a_command_of_python() -> None:
    """Python 3.13 has the source of the command under the name of what `eval` compiles."""
    text = """
import numpy as np
import mlirad as ad
def absolute(x):
    if x > 0:
        return x
    return -x
try:
    print(float(ad.jit(absolute, control='rewrite')(-2.0)))
except ad.UnsupportedError as error:
    assert 'the source of <string> is not available' in str(error), error
try:
    ad.jit(eval('lambda x: x'), control='rewrite')(-2.0)
except ad.UnsupportedError as error:
    assert 'the source of <string> is not available' in str(error), error
"""
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 0, run.stderr
    assert run.stdout == ("2.0\n" if sys.version_info >= (3, 13) else "")


def test_assertions_are_raised_when_the_program_runs() -> None:
    @ad.grad(control="rewrite")
    def root(x: Any, n: Any) -> Any:
        assert n == n
        assert x > 0, "x must be {positive}"
        return x**0.5

    assert root(4.0, 1) == 0.25
    with pytest.raises(ad.AssertionFailedError, match=r"x must be \{positive\}") as caught:
        root(-4.0, 1)
    assert isinstance(caught.value, AssertionError)
    assert __file__ in str(caught.value.location)


def test_tracebacks_show_the_users_lines() -> None:
    def fails(x: Any) -> Any:
        if x > 0:
            x = x + np.ones(2) @ np.ones(3)
        return x

    with pytest.raises(ValueError) as caught:
        ad.jit(fails, control="rewrite")(1.0)
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert "x = x + np.ones(2) @ np.ones(3)" in [frame.line for frame in frames]


def test_a_file_that_has_changed_is_not_what_a_function_is_made_of(tmp_path, monkeypatch):
    """Also where the name, the line and the parameters are the same."""
    file = tmp_path / "edited_model.py"
    text = "def f(x):\n    return x {} 2 if x > 0 else -x\n"
    monkeypatch.syspath_prepend(str(tmp_path))
    file.write_text(text.format("*"))
    module = importlib.import_module("edited_model")
    file.write_text(text.format("**"))
    with pytest.raises(ad.UnsupportedError, match="does not define it") as caught:
        ad.jit(module.f, control="rewrite", interpret=True)(3.0)
    assert "load the module again" in (caught.value.hint or "")
    module = importlib.reload(module)
    assert ad.jit(module.f, control="rewrite", interpret=True)(3.0) == 9.0
