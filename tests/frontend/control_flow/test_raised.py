"""`raise` under traced conditions: the program raises the exception when it runs, where Python would."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad import reports
from mlirad.interpreter import run_function
from mlirad.ir.parsing import parse_module


class Unusual(Exception):
    def __init__(self, what: object, why: str):
        super().__init__(f"{what}: {why}")
        self.what = what


def guarded(x: Any) -> Any:
    if x < 0:
        raise ValueError("x is {negative}")
    elif x > 10:
        raise Unusual(10, "too much")
    return np.sqrt(x) * x


def deep(x: Any) -> Any:
    def inner(y: Any) -> Any:
        if y > 3:
            if y > 5:
                raise OverflowError("above 5")
            return y * 2.0
        return y

    return inner(x) + 1.0


def in_loop(x: Any) -> Any:
    total = 0.0
    for k in range(20):
        if total > 50:
            raise ArithmeticError("the sum is large")
        total = total + x * k
    return total


def converging(a: Any) -> Any:
    x = a
    for _ in range(60):
        step = (x * x - a) / (2 * x)
        x = x - step
        if abs(step) < 1e-12:
            return x
    raise RuntimeError("no convergence")


def last_case(x: Any) -> Any:
    if x > 1:
        return x
    if x > 0:
        return x * x
    raise KeyError("x")


def with_else(x: Any) -> Any:
    if x > 0:
        y = np.sin(x)
    else:
        message = "not " + "positive"
        raise ValueError(message)
    return y * x


def in_try(x: Any) -> Any:
    try:
        if x < 0:
            raise ValueError("negative")
        y = x * 2.0
    except KeyError:
        y = 0.0
    finally:
        y = x * 3.0
    return y


CASES: dict[str, tuple[Callable[[Any], Any], tuple[float, ...]]] = {
    "guarded": (guarded, (4.0, -1.0, 11.0, 0.0)),
    "deep": (deep, (1.0, 4.0, 6.0)),
    "in a loop": (in_loop, (0.1, 1.0, -3.0)),
    "after a loop": (converging, (2.0, -2.0)),
    "the last case": (last_case, (2.0, 0.5, -1.0)),
    "with an else": (with_else, (0.3, -0.3)),
    "in a try": (in_try, (0.3, -0.3)),
}


@pytest.mark.parametrize("interpret", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_programs_raise_where_python_does(name: str, interpret: bool) -> None:
    function, points = CASES[name]
    value = ad.jit(function, control="rewrite", interpret=interpret)
    both = ad.value_and_grad(function, control="rewrite", interpret=interpret)
    for x in points:
        try:
            wanted = function(x)
        except Exception as error:
            for compiled in (value, both):
                with pytest.raises(type(error)) as caught:
                    compiled(x)
                assert str(caught.value) == str(error)
                assert type(caught.value) is type(error)
                (note,) = caught.value.__notes__
                assert note.startswith(f"raised at {__file__}:")
        else:
            assert value(x) == pytest.approx(wanted, rel=1e-13)
            found, slope = both(x)
            assert found == pytest.approx(wanted, rel=1e-13)
            if x:
                h = 1e-6 * abs(x)
                assert slope == pytest.approx((function(x + h) - function(x - h)) / (2 * h), rel=1e-6)


def test_one_element_of_a_batch_is_enough() -> None:
    batched = ad.vmap(guarded, control="rewrite")
    np.testing.assert_allclose(batched(np.array([1.0, 4.0])), [1.0, 8.0])
    with pytest.raises(ValueError, match=r"x is \{negative\}"):
        batched(np.array([1.0, 4.0, -1.0]))


def test_an_exception_that_is_caught_around_it_is_an_error_where_it_is_raised() -> None:
    def caught(x: Any) -> Any:
        try:
            return guarded(x)
        except (KeyError, ValueError):
            return 0.0

    def all_caught(x: Any) -> Any:
        try:
            return guarded(x)
        except:  # noqa: E722
            return 0.0

    def changed(x: Any) -> Any:
        try:
            return guarded(x)
        except ValueError as error:
            raise KeyError("x") from error

    for function in (caught, all_caught, changed):
        value, slope = ad.value_and_grad(function, control="rewrite")(1.5)
        assert (value, slope) == ad.value_and_grad(guarded, control="rewrite")(1.5)
        for interpret in (False, True):
            with pytest.raises(ad.UnsupportedError, match="an `except` around it catches it") as error:
                ad.jit(function, control="rewrite", interpret=interpret)(-1.0)
            assert error.value.__notes__[0].startswith(f"raised at {__file__}:")


def test_handlers_of_all_exceptions_see_none_of_the_traces() -> None:
    def all_caught(x: Any) -> Any:
        try:
            return math.exp(x) if x < 1 else x * guarded(x)
        except:  # noqa: E722
            return 1e300

    with warnings.catch_warnings():
        warnings.simplefilter("error", ad.SwallowedErrorWarning)
        warnings.simplefilter("ignore", ad.ControlFlowWarning)
        compiled = ad.jit(all_caught)
        assert [compiled(x) for x in (0.5, 2.0)] == pytest.approx(
            [all_caught(x) for x in (0.5, 2.0)], rel=1e-14
        )


def both_raise(x: Any) -> Any:
    if x > 0:
        return x
    if x < -1:
        raise ValueError("low")
    else:
        raise UnicodeError("between")


def one_message(x: Any) -> Any:
    if x < 0:
        if x < -1:
            raise ValueError("low")
        raise ValueError("a bit low")
    return x


@pytest.mark.parametrize("interpret", [True, False])
def test_where_two_branches_raise_the_exception_says_both(interpret: bool) -> None:
    for function, text in (
        (both_raise, "ValueError: low or UnicodeError: between"),
        (one_message, "low or a bit low"),
    ):
        compiled = ad.jit(function, control="rewrite", interpret=interpret)
        assert compiled(1.0) == 1.0
        for x in (-0.5, -2.0):
            with pytest.raises(ValueError) as caught:
                compiled(x)
            assert caught.value.args == (text,)


def test_where_all_ways_raise_the_trace_does() -> None:
    def always(x: Any) -> Any:
        if x < 0:
            raise ValueError("low")
        else:
            raise KeyError("high")

    with pytest.raises(Exception, match="ValueError: low or KeyError: 'high'"):
        ad.jit(always, control="rewrite")(1.0)


def of_a_short_list(x: Any) -> Any:
    table = [1.0, 2.0]
    return table[5] * x if x > 9 else table[1] * x


def of_a_table(x: Any) -> Any:
    if x > 9:
        return {"a": x}["b"]
    return x


def of_an_operand(x: Any) -> Any:
    table = [1.0, 2.0]
    return x if x > 9 and table[5] > x else x * 2


def of_a_call(x: Any) -> Any:
    def checked(y: Any) -> Any:
        raise KeyError("large")

    return checked(x) if x > 9 else x * 2


def of_known_numbers(x: Any) -> Any:
    nothing = 0
    if x > 9:
        x = x + 1 // nothing
    return x


@pytest.mark.parametrize("interpret", [True, False])
@pytest.mark.parametrize(
    "function",
    [of_a_short_list, of_a_table, of_an_operand, of_a_call, of_known_numbers],
    ids=lambda f: f.__name__,
)
def test_what_python_raises_in_a_branch_is_raised_where_the_program_takes_it(
    function: Callable[[Any], Any], interpret: bool
) -> None:
    compiled = ad.jit(function, control="rewrite", interpret=interpret)
    assert compiled(1.5) == function(1.5)
    with pytest.raises((LookupError, ZeroDivisionError)) as wanted:
        function(10.0)
    with pytest.raises(type(wanted.value)) as found:
        compiled(10.0)
    assert found.value.args == wanted.value.args


def test_what_is_known_while_tracing_raises_at_once() -> None:
    def static(x: Any) -> Any:
        if x.ndim != 2:
            raise ValueError("a matrix is needed")
        return x

    with pytest.raises(ValueError, match="a matrix is needed") as caught:
        ad.jit(static, control="rewrite")(np.ones(3))
    assert not hasattr(caught.value, "__notes__")


TEXT = """
func.func @main(%x: f64, %zero: f64) -> f64 {{
  %start = array.constant 0 : i64
  %is_low = array.compare lt %x, %zero : f64, f64 -> i1
  %t = array.report exception %start, %is_low {{message = "{message}", batch_rank = 0}} : i64, i1 -> i64
  %never = array.constant -1 : i64
  %is_never = array.compare eq %t, %never : i64, i64 -> i1
  %r = array.select %is_never, %zero, %x : i1, f64, f64 -> f64
  func.return %r : f64
}}
"""


@pytest.mark.parametrize(
    ("message", "kind", "text"),
    [
        ("builtins.ZeroDivisionError: below", ZeroDivisionError, "^below$"),
        ("builtins.SystemExit: below", ad.ProgramError, "builtins.SystemExit: below"),
        ("builtins.print: below", ad.ProgramError, "builtins.print: below"),
        ("os.system: below", ad.ProgramError, "os.system: below"),
        ("no.Such: below", ad.ProgramError, "no.Such: below"),
        ("below", ad.ProgramError, "below"),
    ],
)
def test_text_makes_no_object_but_exceptions(message: str, kind: type[Exception], text: str) -> None:
    module = parse_module(TEXT.format(message=message))
    assert run_function(module, [2.0, 0.0]) == (2.0,)
    run_function(module, [-2.0, 0.0])
    with pytest.raises(kind, match=text):
        reports.raise_first()
