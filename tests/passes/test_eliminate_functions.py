"""The pass on programs: meaning, first order, size, slots, and derivatives of what it leaves."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import mlirad as ad
from mlirad.compiler import transform
from mlirad.dialects.array.control import IfOp, ScanOp, SwitchOp, WhileOp
from mlirad.dialects.array.frames import SaveOp
from mlirad.dialects.array.indexing import UpdateOp
from mlirad.dialects.shapes import shape_of
from mlirad.errors import UnsupportedError
from mlirad.interpreter import OperationCounter, run_function
from mlirad.ir.first_order import higher_order_op, require_first_order
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.passes.eliminate_functions import eliminate_functions, order
from mlirad.pipeline_options import METHODS, SPECIFICATIONS, Options
from mlirad.pipelines import expansion
from mlirad.recursion import deep_recursion
from tests.acceptance.stages import native
from tests.generators import arguments_for, higher_order_programs, random_higher_order
from tests.passes.derivatives import check_derivatives, function_of, run_passes

C = "!function.closure<(f64) -> f64>"


def program(text: str) -> ModuleOp:
    module = parse_module(text.replace("CLOSURE", C))
    verify_module(module)
    return module


def eliminated(source: ModuleOp) -> ModuleOp:
    module = source.clone()
    deep_recursion(eliminate_functions)(module)
    verify_module(module)
    return module


def ops(module: ModuleOp) -> int:
    return sum(1 for _ in module.walk())


# Random programs ---------------------------------------------------------------------------------


@given(higher_order_programs(), st.integers(0, 1000))
def test_random_programs_keep_their_meaning(module: ModuleOp, seed: int) -> None:
    after = eliminated(module)
    assert higher_order_op(after) is None
    assert str(eliminated(after)) == str(after)
    arguments = arguments_for(module, random.Random(seed), special=seed % 2 == 1)
    (x,), (y,) = run_function(module, arguments), run_function(after, arguments)
    np.testing.assert_array_equal(x, y)
    canonical = run_passes(module.clone(), "mlirad-canonicalize")
    np.testing.assert_array_equal(run_function(canonical, arguments)[0], x)


@pytest.mark.parametrize("seed", range(8))
def test_both_methods_differentiate_random_programs(seed: int) -> None:
    check_both_methods(seed, 18)


@pytest.mark.fuzz
def test_both_methods_differentiate_many_random_programs(fuzz_seconds: float, judged: Counter[str]) -> None:
    end, seeds = time.monotonic() + fuzz_seconds, random.SystemRandom()
    while time.monotonic() < end:
        seed, size = seeds.randrange(2**32), seeds.randint(2, 30)
        print(f"seed {seed}, size {size}")  # noqa: T201
        check_both_methods(seed, size)
        judged["functions by both methods"] += 1


def check_both_methods(seed: int, size: int) -> None:
    """Elimination keeps what a random program computes; both methods and finite differences agree."""
    module = random_higher_order(seed, size)
    arguments = arguments_for(module, random.Random(seed))
    assert run_function(eliminated(module), arguments) == run_function(module, arguments)
    gradients: list[tuple[np.ndarray, ...]] = []
    for passes in (expansion(method) for method in METHODS):
        first = "differentiate{function=main wrt=0,1 mode=reverse}"
        expanded = run_passes(module.clone(), ",".join([first, *passes]))
        gradients.append(run_function(expanded, arguments, function="main_grad"))
        if len(gradients) == 1:
            gradients.append(native(expanded, "main_grad")(*arguments))
    for value, by_x, by_v in gradients:
        np.testing.assert_allclose(value, gradients[0][0], rtol=1e-9)
        np.testing.assert_allclose(by_x, gradients[0][1], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(by_v, gradients[0][2], rtol=1e-9, atol=1e-12)
    x, v, n = arguments
    rng = np.random.default_rng(seed)
    dx, dv = rng.normal(), rng.normal(size=3)

    def at(step: float) -> float:
        return float(run_function(module, [np.float64(x + step * dx), v + step * dv, n])[0])

    step = 1e-4
    estimate = (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step)
    assert float(gradients[0][1] * dx + gradients[0][2] @ dv) == pytest.approx(estimate, rel=1e-6, abs=1e-6)


# Sizes -------------------------------------------------------------------------------------------


def main(body: list[str], result: str, parameters: str = "%x: f64, %w: f64") -> ModuleOp:
    lines = [f"func.func @main({parameters}) -> f64 {{", *body, f"func.return {result} : f64", "}"]
    return program("\n".join(lines))


def applied(name: str, closure: str, argument: str) -> str:
    return f"{name} = function.apply {closure}, {argument} : CLOSURE, f64 -> f64"


def lambda_(name: str, body: list[str], result: str, parameter: str = "%z") -> list[str]:
    return [
        f"{name} = function.lambda ({parameter}: f64) : -> CLOSURE {{",
        *body,
        f"array.yield {result} : f64",
        "}",
    ]


def chain(n: int) -> ModuleOp:
    """f_{k+1} = λz. f_k z + f_k (f_k z)"""
    body = lambda_("%f0", ["%y = array.mul %z, %w : f64"], "%y")
    for k in range(n):
        inner = [applied("%a", f"%f{k}", "%z"), applied("%b", f"%f{k}", "%a"), "%y = array.add %a, %b : f64"]
        body += lambda_(f"%f{k + 1}", inner, "%y")
    return main([*body, applied("%r", f"%f{n}", "%x")], "%r")


def shared(n: int) -> ModuleOp:
    """f_{k+1} = λz. f_k z + f_{k-1} z"""
    body = lambda_("%f0", ["%y = array.mul %z, %w : f64"], "%y")
    body += lambda_("%f1", ["%y = array.sub %z, %w : f64"], "%y")
    for k in range(1, n):
        inner = [
            applied("%a", f"%f{k}", "%z"),
            applied("%b", f"%f{k - 1}", "%z"),
            "%y = array.add %a, %b : f64",
        ]
        body += lambda_(f"%f{k + 1}", inner, "%y")
    return main([*body, applied("%r", f"%f{n}", "%x")], "%r")


def redexes(n: int) -> ModuleOp:
    """(λz. (λz. ... z * w ...) (z + w)) (x + w)"""
    body, result = ["%y0 = array.mul %z0, %w : f64"], "%y0"
    for k in range(n):
        argument = "%x" if k == n - 1 else f"%z{k + 1}"
        body = [
            f"%a{k} = array.add {argument}, %w : f64",
            *lambda_(f"%f{k}", body, result, f"%z{k}"),
            applied(f"%y{k + 1}", f"%f{k}", f"%a{k}"),
        ]
        result = f"%y{k + 1}"
    return main(body, result)


def curried(n: int) -> ModuleOp:
    """λa1. ... λan. a1 * ... * an, applied to x, one after the other"""
    types = ["f64"]
    for _ in range(n):
        types.append(f"!function.closure<(f64) -> {types[-1]}>")
    lines = [f"%p{k + 1} = array.mul %p{k}, %z{k + 1} : f64" for k in range(n)]
    result = f"%p{n}"
    for k in reversed(range(n)):
        inner = types[n - k - 1]
        head = f"%c{k} = function.lambda (%z{k + 1}: f64) : -> {types[n - k]} {{"
        lines = [head, *lines, f"array.yield {result} : {inner}", "}"]
        result = f"%c{k}"
    lines = ["%p0 = array.add %x, %w : f64", *lines]
    for k in range(n):
        lines.append(f"%r{k + 1} = function.apply {result}, %x : {types[n - k]}, f64 -> {types[n - k - 1]}")
        result = f"%r{k + 1}"
    return main(lines, result)


def joined(n: int) -> ModuleOp:
    """One of n closures, which capture different values, chosen by a number."""
    body = [
        f"%u{k} = array.add %x, %v : f64".replace("%v", "%w" if not k else f"%u{k - 1}") for k in range(n)
    ]
    body.append("%f = array.switch %k : i64 -> CLOSURE {")
    for k in range(n):
        body += lambda_("%g", [*["%y0 = array.mul %z, %u0 : f64"], f"%y = array.sub %y0, %u{k} : f64"], "%y")
        body += ["array.yield %g : CLOSURE", "} case {" if k < n - 1 else "}"]
    return main([*body, applied("%r", "%f", "%x")], "%r", "%x: f64, %w: f64, %k: i64")


def chosen(n: int, before: int = 0) -> ModuleOp:
    """f_{k+1} = λz. (f_k z + f_{k - before} z) * u if k < p, else f_k, in a branch that computes u"""
    body = lambda_("%f0", ["%y = array.mul %z, %w : f64"], "%y")
    for k in range(n):
        inner = [
            applied("%a", f"%f{k}", "%z"),
            applied("%b", f"%f{max(k - before, 0)}", "%z"),
            "%c = array.add %a, %b : f64",
            "%y = array.mul %c, %u : f64",
        ]
        body += [
            f"%k{k} = array.constant {k} : i64",
            f"%p{k} = array.compare lt %k{k}, %p : i64, i64 -> i1",
            f"%f{k + 1} = array.if %p{k} : i1 -> CLOSURE {{",
            "%u = array.mul %x, %w : f64",
            *lambda_("%g", inner, "%y"),
            "array.yield %g : CLOSURE",
            "} else {",
            f"array.yield %f{k} : CLOSURE",
            "}",
        ]
    return main([*body, applied("%r", f"%f{n}", "%x")], "%r", "%x: f64, %w: f64, %p: i64")


def chosen_and_shared(n: int) -> ModuleOp:
    """As `chosen`, with f_{k-1} captured beside f_k."""
    return chosen(n, before=1)


FAMILIES = (chain, shared, redexes, curried, joined, chosen, chosen_and_shared)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.__name__)
def test_size_is_linear(family: Callable[[int], ModuleOp]) -> None:
    small, large = family(8), family(16)
    for module in (small, large):
        arguments = [0.3, 0.2, 5][: len(function_of(module, "main").body.block.args)]
        after = eliminated(module)
        if module is small or family in (redexes, curried, joined):
            assert run_function(after, arguments) == run_function(module, arguments)
    assert ops(eliminated(large)) <= 2.2 * ops(eliminated(small))
    assert ops(eliminated(large)) <= 3 * ops(large)


@pytest.mark.parametrize("family", [chain, shared])
def test_what_closures_share_has_one_slot(family: Callable[[int], ModuleOp]) -> None:
    functions = [op for op in eliminated(family(16)).body.block.ops if isinstance(op, FuncOp)]
    assert max(len(f.function_type.inputs) for f in functions) == 2


@pytest.mark.parametrize("family", [chosen, chosen_and_shared])
def test_what_chosen_closures_share_is_handed_over_once(family: Callable[[int], ModuleOp]) -> None:
    """The parameter, %w, and of each branch its condition and what it computes."""
    functions = [op for op in eliminated(family(16)).body.block.ops if isinstance(op, FuncOp)]
    assert max(len(f.function_type.inputs) for f in functions) == 2 + 2 * 16 - 1


def test_environments_share_places() -> None:
    module = eliminated(joined(6))
    (switch,) = (
        op for op in function_of(module, "main").walk() if isinstance(op, SwitchOp) and len(op.results) > 1
    )
    # The tag, and one slot: all closures capture %u0, which none of the branches changes.
    assert len(switch.results) == 2


# Equal codes and different codes --------------------------------------------------------------------

EQUAL = """
func.func @main(%p: i1, %q: i1, %x: f64, %w: f64, %v: f64) -> f64 {
  %f = array.if %p : i1 -> CLOSURE {
    %a = function.lambda (%s: f64) : -> CLOSURE {
      %y = array.mul %s, %w : f64
      array.yield %y : f64
    }
    %g = function.lambda (%z: f64) : -> CLOSURE {
      %b = function.apply %a, %z : CLOSURE, f64 -> f64
      %c = function.apply %a, %b : CLOSURE, f64 -> f64
      array.yield %c : f64
    }
    array.yield %g : CLOSURE
  } else {
    %h = array.if %q : i1 -> CLOSURE {
      %a = function.lambda (%s: f64) : -> CLOSURE {
        %y = array.mul %s, %v : f64
        array.yield %y : f64
      }
      %g = function.lambda (%z: f64) : -> CLOSURE {
        %b = function.apply %a, %z : CLOSURE, f64 -> f64
        %c = function.apply %a, %b : CLOSURE, f64 -> f64
        array.yield %c : f64
      }
      array.yield %g : CLOSURE
    } else {
      %a = function.lambda (%s: f64) : -> CLOSURE {
        %y = array.mul %s, %x : f64
        array.yield %y : f64
      }
      %g = function.lambda (%z: f64) : -> CLOSURE {
        %b = function.apply %a, %z : CLOSURE, f64 -> f64
        %c = function.apply %a, %b : CLOSURE, f64 -> f64
        array.yield %c : f64
      }
      array.yield %g : CLOSURE
    }
    array.yield %h : CLOSURE
  }
  %r = function.apply %f, %x : CLOSURE, f64 -> f64
  func.return %r : f64
}
"""


def test_equal_codes_are_one() -> None:
    module = eliminated(program(EQUAL))
    names = [op.sym_name.data for op in module.body.block.ops if isinstance(op, FuncOp)]
    assert names == ["main", "g", "a"]
    assert not any(str(r.type) == "i64" for op in module.walk() for r in op.results), "there is a tag"
    for p, q, factor in ((1, 0, 3.0), (0, 1, 5.0), (0, 0, 2.0)):
        assert run_function(module, [bool(p), bool(q), 2.0, 3.0, 5.0]) == (2.0 * factor**2,)


TWICE = """
func.func @twice(%f: CLOSURE) -> CLOSURE {
  %g = function.lambda (%z: f64) : -> CLOSURE {
    %a = function.apply %f, %z : CLOSURE, f64 -> f64
    %b = function.apply %f, %a : CLOSURE, f64 -> f64
    array.yield %b : f64
  }
  func.return %g : CLOSURE
}
func.func @main(%x: f64) -> f64 {
  %f = function.lambda (%z: f64) : -> CLOSURE {
    %y = array.mul %z, %z : f64
    array.yield %y : f64
  }
  %g = func.call @twice(%f) : (CLOSURE) -> CLOSURE
  %h = func.call @twice(%g) : (CLOSURE) -> CLOSURE
  %r = function.apply %h, %x : CLOSURE, f64 -> f64
  func.return %r : f64
}
"""


def test_functions_of_functions_do_not_meet_their_own_kind() -> None:
    module = eliminated(program(TWICE))
    assert run_function(module, [1.1]) == run_function(program(TWICE), [1.1], function="main")
    assert "twice" not in str(module)


def test_a_function_that_nothing_calls_and_that_takes_functions() -> None:
    text = TWICE[: TWICE.index("func.func @main")]
    with pytest.raises(UnsupportedError, match=r"@twice takes or returns functions, .* and nothing calls it"):
        eliminated(program(text))


def test_where_functions_of_functions_grow_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function that is not unrolled meets its own kind, so closures are records."""
    monkeypatch.setattr(order, "LEAST_ROOM", 0)
    monkeypatch.setattr(order, "GROWTH", 0)
    module = program(TWICE.replace("func.func @twice", "func.func private @twice"))
    after = eliminated(module)
    assert any(isinstance(op, SaveOp) for op in after.walk())
    assert run_function(after, [1.1], function="main") == run_function(module, [1.1], function="main")


# Recursion ----------------------------------------------------------------------------------------

LOOP = """
func.func private @loop(%n: i64, %f: CLOSURE, %x: f64) -> f64 {
  %zero = array.constant 0 : i64
  %one = array.constant 1 : i64
  %more = array.compare gt %n, %zero : i64, i64 -> i1
  %y = array.if %more : i1 -> f64 {
    %m = array.sub %n, %one : i64
    %p = func.call @loop(%m, %f, %x) : (i64, CLOSURE, f64) -> f64
    %q = function.apply %f, %p : CLOSURE, f64 -> f64
    array.yield %q : f64
  } else {
    array.yield %x : f64
  }
  func.return %y : f64
}
func.func @main(%n: i64, %x: f64, %w: f64) -> f64 {
  %f = function.lambda (%z: f64) : -> CLOSURE {
    %y = array.mul %z, %w : f64
    array.yield %y : f64
  }
  %g = function.lambda (%z: f64) : -> CLOSURE {
    %y = func.call @loop(%n, %f, %z) : (i64, CLOSURE, f64) -> f64
    array.yield %y : f64
  }
  %r = func.call @loop(%n, %g, %x) : (i64, CLOSURE, f64) -> f64
  %s = func.call @loop(%n, %f, %r) : (i64, CLOSURE, f64) -> f64
  func.return %s : f64
}
"""


def test_a_recursive_function_is_one_of_its_own_for_each_closure() -> None:
    module = eliminated(program(LOOP))
    names = {op.sym_name.data for op in module.body.block.ops if isinstance(op, FuncOp)}
    assert names == {"main", "loop_1", "loop_2", "f", "g"}
    assert run_function(module, [3, 1.5, 0.5]) == run_function(program(LOOP), [3, 1.5, 0.5], function="main")


def test_a_recursive_function_becomes_at_most_eight() -> None:
    """Ten closures are passed on unchanged: eight have functions of their own, the others one with a tag."""
    head, _ = LOOP.split("func.func @main")
    lines = [head, "func.func @main(%n: i64, %x: f64, %w: f64) -> f64 {"]
    for k in range(10):
        lines += lambda_(f"%f{k}", [f"%c = array.constant {k}.5 : f64", "%y = array.mul %z, %c : f64"], "%y")
        previous = f"%r{k - 1}" if k else "%x"
        lines.append(f"%r{k} = func.call @loop(%n, %f{k}, {previous}) : (i64, CLOSURE, f64) -> f64")
    text = "\n".join([*lines, "func.return %r9 : f64", "}"])
    module = eliminated(program(text))
    names = [op.sym_name.data for op in module.body.block.ops if isinstance(op, FuncOp)]
    assert [n for n in names if n.startswith("loop")] == ["loop", *(f"loop_{k + 1}" for k in range(8))]
    assert run_function(module, [2, 1.5, 0.5]) == run_function(program(text), [2, 1.5, 0.5], function="main")


CONTINUATIONS = """
func.func private @tree(%x: f64, %k: CLOSURE) -> f64 {
  %r = function.apply %k, %x : CLOSURE, f64 -> f64
  func.return %r : f64
}
func.func private @pair(%x: f64, %y: f64, %k: CLOSURE) -> f64 {
  %first = function.lambda (%a: f64) : -> CLOSURE {
    %second = function.lambda (%b: f64) : -> CLOSURE {
      %c = array.mul %a, %b : f64
      %r = function.apply %k, %c : CLOSURE, f64 -> f64
      array.yield %r : f64
    }
    %s = func.call @tree(%y, %second) : (f64, CLOSURE) -> f64
    array.yield %s : f64
  }
  %t = func.call @tree(%x, %first) : (f64, CLOSURE) -> f64
  func.return %t : f64
}
func.func @main(%x: f64, %w: f64) -> f64 {
  %whole = function.lambda (%l: f64) : -> CLOSURE {
    %done = function.lambda (%m: f64) : -> CLOSURE {
      %s = array.add %l, %m : f64
      array.yield %s : f64
    }
    %r = func.call @pair(%l, %w, %done) : (f64, f64, CLOSURE) -> f64
    array.yield %r : f64
  }
  %r = func.call @pair(%x, %w, %whole) : (f64, f64, CLOSURE) -> f64
  func.return %r : f64
}
"""


def test_continuations_are_written_out() -> None:
    module = eliminated(program(CONTINUATIONS))
    assert run_function(module, [1.5, 2.0], function="main") == (9.0,)
    assert [op.sym_name.data for op in module.body.block.ops if isinstance(op, FuncOp)] == ["main"]


MAPPED = """
func.func private @sine(%x: f64) -> f64 {
  %y = array.sin %x : f64
  func.return %y : f64
}
func.func @main(%p: i1, %x: f64) -> f64 {
  %v, %d = linear.linearize %x {callee = @sine, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
  %f = array.if %p : i1 -> CLOSURE {
    %g = function.lambda (%z: f64) : -> CLOSURE {
      %y = linear.apply %d, %z : !linear.map<f64, f64>, f64 -> f64
      array.yield %y : f64
    }
    array.yield %g : CLOSURE
  } else {
    %h = function.lambda (%z: f64) : -> CLOSURE {
      array.yield %z : f64
    }
    array.yield %h : CLOSURE
  }
  %r = function.apply %f, %x : CLOSURE, f64 -> f64
  %q = function.apply %f, %r : CLOSURE, f64 -> f64
  func.return %q : f64
}
"""


def test_a_chosen_closure_captures_a_linear_map() -> None:
    passes = ",".join(["differentiate{function=main wrt=1 mode=reverse}", *expansion()])
    module = run_passes(program(MAPPED), passes)
    cos, sin = np.cos(0.3), np.sin(0.3)
    value, by_x = run_function(module, [True, 0.3], function="main_grad")
    assert (value, by_x) == pytest.approx((0.3 * cos**2, cos**2 - 0.6 * cos * sin))
    assert run_function(module, [False, 0.3], function="main_grad") == (0.3, 1.0)


def test_cost_of_a_gradient_through_closures_is_linear() -> None:
    """A closure over an array, applied in n iterations: the gradient costs O(n) and reads one element per
    iteration.
    """

    def cost(n: int) -> int:
        text = f"""
func.func @main(%x: f64, %v: tensor<{n}xf64>) -> f64 {{
  %f = function.lambda (%i: i64, %z: f64) : -> !function.closure<(i64, f64) -> f64> {{
    %e = array.index %v[%i] : tensor<{n}xf64> -> f64
    %y = array.mul %z, %e : f64
    array.yield %y : f64
  }}
  %r = array.scan %x (%i, %a: f64) {{carries = 1, length = {n}}} : f64 -> f64 {{
    %b = function.apply %f, %i, %a : !function.closure<(i64, f64) -> f64>, i64, f64 -> f64
    array.yield %b : f64
  }}
  func.return %r : f64
}}"""
        module = run_passes(
            program(text),
            "differentiate{function=main wrt=0,1 mode=reverse}," + ",".join(expansion()),
        )
        counter = OperationCounter()
        run_function(module, [0.5, np.linspace(0.5, 1.5, n)], function="main_grad", counter=counter)
        return counter.total

    assert cost(128) <= 2.2 * cost(64)


NESTED = """
func.func private @h(%f: CLOSURE, %x: f64) -> f64 {
  %y = function.apply %f, %x : CLOSURE, f64 -> f64
  %s = array.sin %y : f64
  func.return %s : f64
}
func.func @main(%p: i1, %x: f64, %w: f64) -> f64 {
  %g = function.lambda (%z: f64) : -> CLOSURE {
    %f = array.if %p : i1 -> CLOSURE {
      %a = function.lambda (%s: f64) : -> CLOSURE {
        %y = array.mul %s, %z : f64
        array.yield %y : f64
      }
      array.yield %a : CLOSURE
    } else {
      %a = function.lambda (%s: f64) : -> CLOSURE {
        %y = array.sin %s : f64
        %u = array.mul %y, %w : f64
        %v = array.mul %u, %x : f64
        array.yield %v : f64
      }
      array.yield %a : CLOSURE
    }
    %y, %d = linear.linearize %f, %w {callee = @h, wrt = [1]} : CLOSURE, f64 -> (f64, !linear.map<f64, f64>)
    %one = array.constant 1.0 : f64
    %t = linear.apply %d, %one : !linear.map<f64, f64>, f64 -> f64
    array.yield %t : f64
  }
  %r = function.apply %g, %x : CLOSURE, f64 -> f64
  %q = function.apply %g, %r : CLOSURE, f64 -> f64
  func.return %q : f64
}
"""


@pytest.mark.parametrize("p", [True, False])
def test_derivatives_by_closures_inside_of_closures(p: bool) -> None:
    first = "eliminate-functions,mlirad-inline,linearize,apply-linear-maps,mlirad-canonicalize"
    check_derivatives(run_passes(program(NESTED), first), [p, 0.7, 0.4], function="main")


def test_passes_that_differentiate_or_lower_need_first_order() -> None:
    module = program(TWICE)
    with pytest.raises(UnsupportedError, match="makes, takes or returns functions") as error:
        require_first_order(module)
    assert "run the pass eliminate-functions" in str(error.value)
    for name in ("bulk-operations", "linearize", "linearize{method=jacobian}", "apply-linear-maps"):
        with pytest.raises(UnsupportedError, match="makes, takes or returns functions"):
            run_passes(program(TWICE), name)
    for name in ("outline-derivatives", "split-maps", "form-kernels"):
        with pytest.raises(UnsupportedError, match="makes, takes or returns functions"):
            run_passes(program(TWICE), name)


# The same program without closures ---------------------------------------------------------------

BY_CLOSURES = """
func.func private @step(%z: f64, %k: f64) -> f64 {
  %s = array.sin %z : f64
  %y = array.mul %s, %k : f64
  func.return %y : f64
}
func.func @main(%p: i1, %x: f64, %v: tensor<5xf64>) -> f64 {
  %f = array.if %p : i1 -> CLOSURE {
    %g = function.lambda (%z: f64) : -> CLOSURE {
      %y = array.mul %z, %x : f64
      array.yield %y : f64
    }
    array.yield %g : CLOSURE
  } else {
    %h = function.partial %x {callee = @step} : f64 -> CLOSURE
    array.yield %h : CLOSURE
  }
  %twice = function.lambda (%k: CLOSURE, %z: f64) : -> !function.closure<(CLOSURE, f64) -> f64> {
    %a = function.apply %k, %z : CLOSURE, f64 -> f64
    %b = function.apply %k, %a : CLOSURE, f64 -> f64
    array.yield %b : f64
  }
  %w = array.build (%i) : -> tensor<5xf64> {
    %e = array.index %v[%i] : tensor<5xf64> -> f64
    %y = function.apply %f, %e : CLOSURE, f64 -> f64
    array.yield %y : f64
  }
  %s = array.sum %w {dims = [0]} : tensor<5xf64> -> f64
  %r = function.apply %twice, %f, %s : !function.closure<(CLOSURE, f64) -> f64>, CLOSURE, f64 -> f64
  func.return %r : f64
}
"""

BY_HAND = """
func.func private @step(%z: f64, %k: f64) -> f64 {
  %s = array.sin %z : f64
  %y = array.mul %s, %k : f64
  func.return %y : f64
}
func.func private @apply(%p: i1, %x: f64, %z: f64) -> f64 {
  %r = array.if %p : i1 -> f64 {
    %y = array.mul %z, %x : f64
    array.yield %y : f64
  } else {
    %y = func.call @step(%z, %x) : (f64, f64) -> f64
    array.yield %y : f64
  }
  func.return %r : f64
}
func.func @main(%p: i1, %x: f64, %v: tensor<5xf64>) -> f64 {
  %w = array.build (%i) : -> tensor<5xf64> {
    %e = array.index %v[%i] : tensor<5xf64> -> f64
    %y = func.call @apply(%p, %x, %e) : (i1, f64, f64) -> f64
    array.yield %y : f64
  }
  %s = array.sum %w {dims = [0]} : tensor<5xf64> -> f64
  %a = func.call @apply(%p, %x, %s) : (i1, f64, f64) -> f64
  %b = func.call @apply(%p, %x, %a) : (i1, f64, f64) -> f64
  func.return %b : f64
}
"""


def test_inlined_closures_give_the_kernels_of_the_program_by_hand() -> None:
    def kernels(text: str) -> list[str]:
        passes = ["differentiate{function=main wrt=1,2 mode=reverse}", *expansion()]
        module = run_passes(program(text), ",".join([*passes, "form-kernels", "fuse-kernels"]))
        return [op.name for op in function_of(module, "main_grad").walk()]

    assert kernels(BY_CLOSURES) == kernels(BY_HAND)


def test_a_loop_copies_no_array_that_is_in_a_slot() -> None:
    """The slot of an array that a value does not hold is filled by the array that is there, not by zeros."""
    size = 50
    shape = ad.sum_of(np.zeros(size), 0.0)

    def written(x: Any) -> Any:
        def step(state: Any) -> Any:
            i, value = state
            changed = ad.case(value, lambda a: shape(a.at[i].set(np.sin(a[i]))), lambda z: shape(z))
            return i + 1, changed

        final = ad.while_loop(lambda state: state[0] < size, step, (0, shape(x)))[1]
        return ad.case(final, np.sum, lambda z: z)

    x = np.linspace(0.1, 1.0, size)
    module = ad.trace(written, x)
    transform(module, Options(end="arrays"))
    (loop,) = (op for op in module.walk() if isinstance(op, WhileOp))
    arrays = [op for op in loop.body.walk() if any(shape_of(r) for r in op.results)]
    assert {type(op) for op in arrays} == {IfOp, UpdateOp}
    assert ad.jit(written)(x) == pytest.approx(np.sum(np.sin(x)))
    for method in (*METHODS, *SPECIFICATIONS):
        np.testing.assert_allclose(ad.grad(written, method=method)(x), np.cos(x), rtol=1e-12)


def chosen_number(x: Any, w: Any) -> Any:
    """A loop may change a sum from an array to a number."""
    value = ad.sum_of(0.0, np.zeros(w.size))

    def step(i: Any, state: Any) -> Any:
        held, y = state
        y = ad.case(held, lambda z: z, lambda a: np.sin(a[i])) * x + y
        return ad.cond(y > 1e9, lambda: value(y), lambda: held), y

    return ad.fori_loop(0, w.size, step, (value(w), 0.0))[1]


def chosen_function(x: Any, w: Any) -> Any:
    """A loop may change a function of an array to one of a number."""

    def step(i: Any, state: Any) -> Any:
        f, y = state
        y = np.sin(f(i)) * x + y
        return ad.cond(y > 1e9, lambda: ad.lambda_(lambda i: y, 0), lambda: f), y

    return ad.fori_loop(0, w.size, step, (ad.lambda_(lambda i: w[i], 0), 0.0))[1]


def chosen_of_two(x: Any, w: Any) -> Any:
    """A loop chooses in each iteration between functions of arrays; it begins with one of them."""
    v = 2 * w
    first, second = ad.lambda_(lambda i: w[i], 0), ad.lambda_(lambda i: v[i] / 2, 0)

    def step(i: Any, state: Any) -> Any:
        f, y = state
        y = np.sin(f(i)) * x + y
        return ad.cond(y > 1, lambda: first, lambda: second), y

    return ad.fori_loop(0, w.size, step, (first, 0.0))[1]


def chosen_until_data_say_so(x: Any, w: Any) -> Any:
    """The same in a `while`, with three functions, one of them of both arrays."""
    v = 2 * w
    functions = [lambda i: w[i], lambda i: v[i] / 2, lambda i: v[i] - w[i]]

    def step(state: Any) -> Any:
        i, f, y = state
        y = np.sin(f(i)) * x + y
        return i + 1, ad.switch(i % 3, [partial(ad.lambda_, g, 0) for g in functions]), y

    start = ad.lambda_(functions[2], 0)
    return ad.while_loop(lambda state: state[0] < w.size, step, (0, start, 0.0))[2]


CHOSEN = (chosen_number, chosen_function, chosen_of_two, chosen_until_data_say_so)


@pytest.mark.parametrize("program", CHOSEN, ids=lambda p: p.__name__)
def test_a_loop_that_chooses_copies_no_array(program: Callable[..., Any]) -> None:
    w = np.linspace(0.1, 1.0, 20)
    module = ad.trace(program, 0.7, w)
    transform(module, Options(end="arrays"))
    loops = [op for op in module.walk() if isinstance(op, WhileOp | ScanOp)]
    assert loops
    carried = [v for loop in loops for v in (*loop.results, *loop.body.block.args) if shape_of(v)]
    made = [r for loop in loops for op in loop.body.walk() for r in op.results if shape_of(r)]
    assert [v for v in (*carried, *made) if not isinstance(v.owner, ScanOp)] == []
    assert ad.jit(program)(0.7, w) == pytest.approx(0.7 * np.sum(np.sin(w)))
    for method in (*METHODS, *SPECIFICATIONS):
        dx, dw = ad.grad(program, argnums=(0, 1), method=method)(0.7, w)
        assert dx == pytest.approx(np.sum(np.sin(w)))
        np.testing.assert_allclose(dw, 0.7 * np.cos(w), rtol=1e-12)


@pytest.mark.parametrize("p", [0.0, 1.0])
@pytest.mark.parametrize("n", [0, 1, 2])
def test_equal_functions_of_other_arrays_have_one_layout(n: int, p: float) -> None:
    """Equal functions stand for each other, whichever arrays they capture."""

    @ad.function
    def repeated(n: Any, f: Any, v: Any, w: Any, p: Any) -> Any:
        def again() -> Any:
            h = ad.cond(p > 0.5, lambda: ad.lambda_(lambda z: z + v), lambda: ad.lambda_(lambda z: z * v * w))
            return repeated(n - 1, h, np.sin(v), w, p)

        return ad.cond(n <= 0, lambda: np.sum(f(v)), again)

    def program(x: Any, v: Any, n: Any, p: Any) -> Any:
        first, second = ad.lambda_(lambda z: z + v), ad.lambda_(lambda z: z * v * v)
        return repeated(n, ad.cond(p > 0.5, lambda: first, lambda: second), x * v, v, p)

    def by_hand(x: Any, v: Any, n: int, p: float) -> Any:
        f = (lambda z: z + v) if p > 0.5 else (lambda z: z * v * v)
        u = x * v
        for _ in range(n):
            f = (lambda z, u=u: z + u) if p > 0.5 else (lambda z, u=u: z * u * v)
            u = np.sin(u)
        return np.sum(f(u))

    x, v = 0.7, np.array([0.4, 0.9, -0.3])
    assert ad.jit(program)(x, v, n, p) == pytest.approx(by_hand(x, v, n, p))
    expected = ad.grad(lambda v: by_hand(x, v, n, p))(v)
    for method in (*METHODS, *SPECIFICATIONS):
        np.testing.assert_allclose(
            ad.grad(program, argnums=1, method=method)(x, v, n, p), expected, rtol=1e-12
        )


@pytest.mark.parametrize("seed", [740000104, *range(740000106, 740000130, 2)])
def test_calls_of_random_programs_have_the_types_of_parameters(seed: int) -> None:
    module = random_higher_order(seed, 6)
    eliminate_functions(module)
    verify_module(module)
