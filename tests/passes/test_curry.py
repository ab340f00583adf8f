"""The differentiable curry: against CHAD, the equivalences of the paper, and how often functions run."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from xdsl.dialects.builtin import ModuleOp

import mlirad as ad
from mlirad.dialects.function.combinators import TANGENTS
from mlirad.errors import DifferentiationError, UnsupportedError
from mlirad.interpreter import OperationCounter, run_function
from mlirad.pipeline_options import METHODS
from mlirad.pipelines import expansion
from tests.generators import arguments_for, higher_order_programs, random_higher_order
from tests.passes.chad.programs import HEAD, gradients, program
from tests.passes.derivatives import run_passes


def check_random(module: ModuleOp, seed: int) -> None:
    """Both tangents give CHAD's gradient; with environments functions run as often as in the program."""
    arguments = arguments_for(module, random.Random(seed))
    primal = OperationCounter()
    run_function(module, arguments, function="main", counter=primal)
    expected = run_function(gradients(module, "chad"), arguments, function="main_grad")
    for tangents in TANGENTS:
        counter = OperationCounter()
        derivative = gradients(module, f"curry{{tangents={tangents}}}")
        found = run_function(derivative, arguments, function="main_grad", counter=counter)
        assert found[0].tobytes() == expected[0].tobytes()
        for a, b in zip(expected, found, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-12)
        runs, least = counter.applications.total(), primal.applications.total()
        assert runs == least if tangents == "environment" else runs >= least


@pytest.mark.parametrize("seed", range(4))
def test_random_programs(seed: int) -> None:
    check_random(random_higher_order(seed, 5), seed)


@pytest.mark.fuzz
@settings(max_examples=1000, deadline=None)
@given(higher_order_programs(max_size=16))
def test_any_programs(module: ModuleOp) -> None:
    check_random(module, 1)


# The paper's equivalences ------------------------------------------------------------------------

F = (
    "%f = function.lambda (%a : f64) : -> CLOSURE {\n%s = array.sin %a : f64\n%t = array.mul %s, %x : f64\n"
    "array.yield %t : f64\n}\n"
)
G = "%g = function.lambda (%a : f64) : -> CLOSURE {\n%s = array.mul %a, %x : f64\narray.yield %s : f64\n}\n"
APPLY = "%NAME = function.apply %CLOSED, %x : CLOSURE, f64 -> f64\n"


def applied(name: str, closure: str) -> str:
    return APPLY.replace("NAME", name).replace("CLOSED", closure)


SUM = "%sum = array.add %y, %z : f64\nfunc.return %sum : f64\n}\n"

EQUIVALENCES = {
    "partial application": (
        "%c = function.partial %x {callee = @two} : f64 -> CLOSURE\n"
        + applied("y", "c")
        + "func.return %y : f64\n}\n",
        "%y = func.call @two(%x, %x) : (f64, f64) -> f64\nfunc.return %y : f64\n}\n",
    ),
    "forgetting results": (
        F
        + G
        + applied("y", "f")
        + applied("z", "g")
        + "%p = function.tuple %y, %z : f64, f64 -> tuple<f64, f64>\n"
        + "%r = function.get %p {index = 0} : tuple<f64, f64> -> f64\nfunc.return %r : f64\n}\n",
        F + applied("y", "f") + "func.return %y : f64\n}\n",
    ),
    "summing results": (
        F + applied("y", "f") + applied("z", "f") + SUM,
        F + applied("y", "f") + SUM.replace("%z", "%y"),
    ),
}
TWO = """
func.func private @two(%a: f64, %b: f64) -> f64 {
  %s = array.sin %a : f64
  %t = array.mul %s, %b : f64
  func.return %t : f64
}
"""


@pytest.mark.parametrize("tangents", TANGENTS)
@pytest.mark.parametrize("name", EQUIVALENCES)
def test_equivalences(name: str, tangents: str) -> None:
    """Figure 4 of the curry paper: functions that are equal forward have equal gradients."""
    found = [
        run_function(
            gradients(program(HEAD + body + TWO), f"curry{{tangents={tangents}}}"),
            [0.7, np.zeros(3), 0],
            function="main_grad",
        )
        for body in EQUIVALENCES[name]
    ]
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-14)
    assert found[0][1] != 0


def chain(n: int) -> str:
    """Closures that each capture and apply the one before: c_k = λz. sin (c_{k-1} z)."""
    text = "%c0 = function.lambda (%z : f64) : -> CLOSURE {\n%y = array.mul %z, %x : f64\n"
    text += "array.yield %y : f64\n}\n"
    for k in range(n):
        text += f"%c{k + 1} = function.lambda (%z : f64) : -> CLOSURE {{\n"
        text += f"%a = function.apply %c{k}, %z : CLOSURE, f64 -> f64\n%y = array.sin %a : f64\n"
        text += "array.yield %y : f64\n}\n"
    return HEAD + text + f"%r = function.apply %c{n}, %x : CLOSURE, f64 -> f64\nfunc.return %r : f64\n}}\n"


def test_how_often_functions_run() -> None:
    """A chain of n closures runs n + 1 of them; the lists of calls run those of each call again."""

    def runs(n: int, passes: str) -> int:
        counter = OperationCounter()
        derivative = gradients(program(chain(n)), passes)
        run_function(derivative, [0.7, np.zeros(3), 0], function="main_grad", counter=counter)
        return counter.applications.total()

    for n in (3, 6):
        assert runs(n, "curry{tangents=environment}") == n + 1
        assert runs(n, "curry{tangents=calls}") == (n + 1) * (n + 4) // 2


CELL = """
func.func private @cell(%h: f64, %a: f64, %w: f64, %u: f64) -> f64 {
  %p = array.mul %w, %h : f64
  %q = array.mul %u, %a : f64
  %s = array.add %p, %q : f64
  %y = array.tanh %s : f64
  func.return %y : f64
}
func.func @main(%w: f64, %u: f64, %v: tensor<5xf64>) -> f64 {
  %zero = array.constant 0.0 : f64
  %cell = function.partial %w, %u {callee = @cell} : f64, f64 -> !function.closure<(f64, f64) -> f64>
  %h = array.scan %zero, %v (%i, %c: f64, %a: f64) {carries = 1, length = 5} : f64, tensor<5xf64> -> f64 {
    %d = function.apply %cell, %c, %a : !function.closure<(f64, f64) -> f64>, f64, f64 -> f64
    array.yield %d : f64
  }
  func.return %h : f64
}
"""


def test_a_network_with_a_partially_applied_cell() -> None:
    """All methods, and all specifications, agree about a recurrent network whose cell is a closure."""
    arguments = [0.3, -0.8, np.array([0.5, -1.0, 0.25, 2.0, 1.0])]
    found = [
        run_function(gradients(program(CELL), passes), arguments, function="main_grad")
        for passes in (
            *(",".join(expansion(method)) for method in METHODS),
            "chad",
            *(f"curry{{tangents={tangents}}}" for tangents in TANGENTS),
        )
    ]
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-12)


# Doors -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tangents", TANGENTS)
def test_the_methods_of_transformations(tangents: str) -> None:
    def f(x: Any, n: int) -> Any:
        return ad.fold(lambda c, a: np.sin(c) * a, 1.0, x) * n

    x = np.array([0.5, -0.3, 0.8])
    for interpret in (True, False):
        found = ad.grad(f, method=f"curry-{tangents}", interpret=interpret)(x, 3)
        np.testing.assert_allclose(found, ad.grad(f)(x, 3))
        _, slope = ad.jvp(lambda x: f(x, 3), (x,), (x,), method=f"curry-{tangents}", interpret=interpret)
        assert slope == pytest.approx(ad.grad(f)(x, 3) @ x)


def test_what_is_refused() -> None:
    module = program(HEAD + "  func.return %x : f64\n}")
    with pytest.raises(UnsupportedError, match="there is no function @f"):
        run_passes(module, "curry{function=f}")
    with pytest.raises(UnsupportedError, match="there are no tangents 'all'"):
        run_passes(module, "curry{tangents=all}")
    inside = HEAD + (
        "  %y, %d = linear.linearize %x {callee = @g, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)\n"
        "  func.return %y : f64\n}\nfunc.func private @g(%a: f64) -> f64 {\n  func.return %a : f64\n}\n"
    )
    with pytest.raises(DifferentiationError, match="the differentiable curry differentiates once"):
        run_passes(program(inside), "curry{function=main}")
    made = run_passes(program(HEAD + "  func.return %x : f64\n}"), "curry{function=main}")
    with pytest.raises(UnsupportedError, match="combinators or elements of spaces of functions for values"):
        run_passes(made, "eliminate-functions")


def test_curry_is_the_form_with_environments() -> None:
    """Closures captured, chosen, carried and applied several times: the same instructions by both names."""

    def f(x: Any, p: Any) -> Any:
        def scaled(z: Any) -> Any:
            return np.sin(z) * x

        def further(z: Any) -> Any:
            return g(z) + z * x

        g: Any = ad.lambda_(scaled)
        h: Any = ad.cond(p > 0, lambda: g, lambda: ad.lambda_(further))
        return ad.fold(lambda c, y: h(c) * y, x, np.arange(1.0, 4.0))

    by_name = {method: ad.grad(f, method=method) for method in ("curry", "curry-environment", "chad")}
    assert by_name["curry"].llvm(1.5, -1.0) == by_name["curry-environment"].llvm(1.5, -1.0)
    assert by_name["curry"].llvm(1.5, -1.0) != by_name["chad"].llvm(1.5, -1.0)
    np.testing.assert_allclose(by_name["curry"](1.5, -1.0), ad.grad(f)(1.5, -1.0))
