"""Naturality of CHAD: both sides of a law of the language have one derivative; and the size of its code."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mlirad.interpreter import OperationCounter, run_function
from tests.passes.chad.programs import HEAD, gradients, program
from tests.passes.derivatives import function_of, run_passes

TERM = "  %e = array.mul %x, %z : f64\n  %t = array.sin %e : f64\n"
LAWS = {
    "beta": (
        """
  %f = function.lambda (%z : f64) : -> CLOSURE {
  TERM
    array.yield %t : f64
  }
  %a = array.exp %x : f64
  %r = function.apply %f, %a : CLOSURE, f64 -> f64
  func.return %r : f64
}""",
        """
  %z = array.exp %x : f64
  TERM
  func.return %t : f64
}""",
    ),
    "eta": (
        """
  %f = function.lambda (%z : f64) : -> CLOSURE {
  TERM
    array.yield %t : f64
  }
  %g = function.lambda (%w : f64) : -> CLOSURE {
    %q = function.apply %f, %w : CLOSURE, f64 -> f64
    array.yield %q : f64
  }
  %one = function.apply %g, %x : CLOSURE, f64 -> f64
  %two = function.apply %g, %one : CLOSURE, f64 -> f64
  func.return %two : f64
}""",
        """
  %f = function.lambda (%z : f64) : -> CLOSURE {
  TERM
    array.yield %t : f64
  }
  %one = function.apply %f, %x : CLOSURE, f64 -> f64
  %two = function.apply %f, %one : CLOSURE, f64 -> f64
  func.return %two : f64
}""",
    ),
    "pairs": (
        """
  %y = array.exp %x : f64
  %p = function.tuple %x, %y : f64, f64 -> tuple<f64, f64>
  %a = function.get %p {index = 0} : tuple<f64, f64> -> f64
  %b = function.get %p {index = 1} : tuple<f64, f64> -> f64
  %q = function.tuple %a, %b : f64, f64 -> tuple<f64, f64>
  %z = function.get %q {index = 1} : tuple<f64, f64> -> f64
  TERM
  func.return %t : f64
}""",
        """
  %z = array.exp %x : f64
  TERM
  func.return %t : f64
}""",
    ),
    "case": (
        """
  %y = array.exp %x : f64
  %s = function.inject %y {index = 1} : f64 -> !function.sum<tensor<3xf64>, f64>
  %r = function.case %s (%w : tensor<3xf64>) : !function.sum<tensor<3xf64>, f64> -> f64 {
    %q = array.sum %w {dims = [0]} : tensor<3xf64> -> f64
    array.yield %q : f64
  } case (%z : f64) {
  TERM
    array.yield %t : f64
  }
  func.return %r : f64
}""",
        """
  %z = array.exp %x : f64
  TERM
  func.return %t : f64
}""",
    ),
    "case of what is injected": (
        """
  %zero = array.constant 0 : i64
  %p = array.compare lt %n, %zero : i64, i64 -> i1
  %s = array.if %p : i1 -> !function.sum<f64, f64> {
    %y = array.exp %x : f64
    %i = function.inject %y {index = 0} : f64 -> !function.sum<f64, f64>
    array.yield %i : !function.sum<f64, f64>
  } else {
    %j = function.inject %x {index = 1} : f64 -> !function.sum<f64, f64>
    array.yield %j : !function.sum<f64, f64>
  }
  %r = function.case %s (%z : f64) : !function.sum<f64, f64> -> f64 {
  TERM
    array.yield %t : f64
  } case (%w : f64) {
    array.yield %w : f64
  }
  func.return %r : f64
}""",
        """
  %zero = array.constant 0 : i64
  %p = array.compare lt %n, %zero : i64, i64 -> i1
  %r = array.if %p : i1 -> f64 {
    %z = array.exp %x : f64
  TERM
    array.yield %t : f64
  } else {
    array.yield %x : f64
  }
  func.return %r : f64
}""",
    ),
}


@pytest.mark.parametrize("law", LAWS)
def test_both_sides_of_a_law_have_one_derivative(law: str) -> None:
    for n in (-1, 1):
        arguments = [0.3, np.array([0.1, -0.4, 0.7]), n]
        sides = [
            run_function(
                gradients(program(HEAD + side.replace("  TERM", TERM)), "chad"),
                arguments,
                function="main_grad",
            )
            for side in LAWS[law]
        ]
        for a, b in zip(*sides, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-14, atol=0)


def test_what_is_not_used_costs_nothing() -> None:
    def operations(unused: str) -> int:
        module = program(HEAD + unused + "  %z = array.exp %x : f64\n" + TERM + "  func.return %t : f64\n}")
        counter = OperationCounter()
        arguments = [0.3, np.zeros(3), 1]
        run_function(gradients(module, "chad"), arguments, function="main_grad", counter=counter)
        return counter.total

    captured = """
  %u = function.lambda (%w : f64) : -> CLOSURE {
    %q = array.sum %v {dims = [0]} : tensor<3xf64> -> f64
    array.yield %q : f64
  }
"""
    assert operations(captured) == operations("")


# Size --------------------------------------------------------------------------------------------


def chained(n: int, step: str, result: str = "f64") -> str:
    """A program of n steps, each on the value of the one before."""
    lines = "".join(
        step.replace("NEXT", f"v{k + 1}").replace("THIS", f"v{k}").replace("ID", str(k)) for k in range(n)
    )
    return HEAD.replace("%x: f64", "%v0: f64") + lines + f"  func.return %v{n} : {result}\n}}\n"


def nested(n: int) -> str:
    """Lambdas n deep, each applied in the one around."""
    text = "%x"
    lines = ""
    for k in range(n):
        lines += f"%f{k} = function.lambda (%a{k} : f64) : -> CLOSURE {{\n"
    body = "%t = array.mul %x, %a0 : f64\n" if n else ""
    lines += body
    inner = "%t"
    for k in reversed(range(n)):
        lines += f"array.yield {inner} : f64\n}}\n"
        argument = f"%a{k - 1}" if k else text
        lines += f"%r{k} = function.apply %f{k}, {argument} : CLOSURE, f64 -> f64\n"
        lines += f"%s{k} = function.apply %f{k}, %r{k} : CLOSURE, f64 -> f64\n"
        inner = f"%s{k}"
    return HEAD + lines + f"func.return {inner} : f64\n}}\n"


FAMILIES: dict[str, Callable[[int], str]] = {
    "lets": lambda n: chained(n, "  %sID = array.sin %THIS : f64\n  %NEXT = array.mul %sID, %THIS : f64\n"),
    "tuples": lambda n: chained(
        n,
        "  %tID = function.tuple %THIS, %v0 : f64, f64 -> tuple<f64, f64>\n"
        "  %aID = function.get %tID {index = 0} : tuple<f64, f64> -> f64\n"
        "  %NEXT = array.sin %aID : f64\n",
    ),
    "a chain of closures": lambda n: chained(
        n,
        "  %fID = function.lambda (%z : f64) : -> CLOSURE {\n    %y = array.mul %z, %THIS : f64\n"
        "    array.yield %y : f64\n  }\n"
        "  %aID = function.apply %fID, %v0 : CLOSURE, f64 -> f64\n"
        "  %NEXT = function.apply %fID, %aID : CLOSURE, f64 -> f64\n",
    ),
    "cases": lambda n: chained(
        n,
        "  %pID = array.compare lt %n, %n : i64, i64 -> i1\n"
        "  %NEXT = array.if %pID : i1 -> f64 {\n    %y = array.mul %THIS, %THIS : f64\n"
        "    array.yield %y : f64\n  } else {\n    array.yield %v0 : f64\n  }\n",
    ),
    "calls": lambda n: (
        chained(n, "  %NEXT = func.call @g(%THIS) : (f64) -> f64\n")
        + "func.func private @g(%a: f64) -> f64 {\n  %b = array.sin %a : f64\n  func.return %b : f64\n}\n"
    ),
    "nested lambdas": nested,
}


@pytest.mark.parametrize("mode", ["reverse", "forward"])
@pytest.mark.parametrize("family", FAMILIES)
def test_code_is_linear_in_the_program(family: str, mode: str) -> None:
    def size(n: int) -> int:
        module = program(FAMILIES[family](n))
        run_passes(module, f"chad{{function=main mode={mode}}}")
        return sum(1 for _ in function_of(module, "main_chad").walk())

    small, large = size(8), size(16)
    assert large <= 2.2 * small
