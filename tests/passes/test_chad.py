"""The method `chad`: agreement with the others, functions that stay functions, what its sweeps cost."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import mlirad as ad
from mlirad.dialects import linear
from mlirad.dialects.array.control import ReplayOp
from mlirad.dialects.shapes import is_float, shape_of, size_of
from mlirad.interpreter import OperationCounter, run_function
from mlirad.ir.parsing import parse_module
from mlirad.pipelines import expansion
from tests.generators import arguments_for, random_program
from tests.passes import derivatives
from tests.passes.derivatives import drawn, float_arguments, function_of, run_passes
from tests.passes.test_eliminate_functions import (
    applied,
    curried,
    joined,
    lambda_,
    main,
    program,
    redexes,
)
from tests.passes.test_jacobian import (
    IN_LOOPS,
    RECURSIVE,
    called_by_main,
    calls,
    chain_of_functions,
    check_agreement,
    differentiated,
    functions_in,
    ops_in,
    results_of,
)

CHAD = (
    "mlirad-inline{builds=true},bulk-operations,linearize{method=chad},apply-linear-maps,mlirad-inline,"
    "outline-derivatives,mlirad-canonicalize,mlirad-dce"
)
CALLED = "linearize{method=chad},apply-linear-maps,outline-derivatives,mlirad-canonicalize,mlirad-dce"


@pytest.mark.parametrize("seed", range(8))
def test_random_programs(seed: int) -> None:
    module = random_program(seed, 12, smooth=True, allow=lambda op: op is not ReplayOp)
    check_agreement(module, arguments_for(module, random.Random(seed)), "main", CHAD)


@pytest.mark.parametrize("seed", range(100, 105))
def test_random_programs_that_are_called(seed: int) -> None:
    module = called_by_main(random_program(seed, 12, smooth=True, allow=lambda op: op is not ReplayOp))
    check_agreement(module, arguments_for(module, random.Random(seed), function="f"), "f", CHAD)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    ("inner", "outer"), [("chad", "chad"), ("chad", "dual-arrays"), ("dual-arrays", "chad")]
)
def test_second_derivatives_by_one_method_over_another(seed: int, inner: str, outer: str) -> None:
    """Forward over reverse, the first derivative as array code before it is differentiated again."""
    module = called_by_main(random_program(seed, 8, smooth=True, straight=True))
    arguments = arguments_for(module, random.Random(seed), function="f")
    names = ",".join(map(str, float_arguments(module, "f")))
    found: list[Any] = []
    for first, second in ((inner, outer), ("dual-arrays", "dual-arrays")):
        by = ",".join([f"differentiate{{function=f wrt={names}}}", *expansion(first)])
        module_ = run_passes(module.clone(), by)
        more = ",".join(map(str, float_arguments(module_, "f_grad")))
        by = ",".join([f"differentiate{{function=f_grad wrt={more} mode=forward}}", *expansion(second)])
        module_ = run_passes(module_, by)
        types = function_of(module_, "f_grad_jvp").function_type.inputs.data
        vectors = drawn(list(types[len(arguments) :]), np.random.default_rng(0))
        found.append(run_function(module_, [*arguments, *vectors], function="f_grad_jvp"))
    for x, y in zip(*found, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-8, atol=1e-8 * float(np.max(np.abs(y), initial=0.0)))


def test_forward_derivatives_inside_of_what_is_differentiated() -> None:
    """Where the operator is met again, its function has been replaced in the module."""

    def slope(x: Any) -> Any:
        return ad.jvp(lambda y: np.tanh(y * x), (x,), (1.0,))[1] * x

    found, expected = (
        ad.grad(slope, method=method, interpret=True)(0.7) for method in ("chad", "dual-arrays")
    )
    assert found == pytest.approx(expected, rel=1e-12)


# Functions that are called ---------------------------------------------------------------------------


def test_a_function_that_is_called_often_is_differentiated_once() -> None:
    made = functions_in(differentiated(calls(5), "f", (0,), CALLED))
    assert sorted(n for n in made if n.startswith("g_")) == ["g_bwd", "g_fwd", "g_jvp"]


def test_nested_calls_take_code_in_proportion() -> None:
    """Also where the residuals of all calls are too many to be handed over."""
    called = [ops_in(differentiated(chain_of_functions(n), "f", (0,), CALLED)) for n in (4, 8, 16)]
    assert called[1] <= 2.2 * called[0]
    assert called[2] <= 2.2 * called[1]


@pytest.mark.parametrize("function", ["scan", "while", "if", "checkpoint", "build"])
@pytest.mark.parametrize("x", [0.7, -0.4])
def test_calls_in_regions(function: str, x: float) -> None:
    arguments = [x, np.array([0.5, -1.5, 2.0])]
    module = parse_module(IN_LOOPS)
    inline = "mlirad-inline," + derivatives.EXPAND
    expected = results_of(differentiated(module, function, (0, 1), inline), function, arguments)
    found = results_of(differentiated(module, function, (0, 1), CHAD), function, arguments)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


def test_recursive_functions() -> None:
    module = differentiated(parse_module(RECURSIVE), "f", (0,), CALLED)
    value, slope = run_function(module, [0.7, 4], function="f_grad")
    assert value == pytest.approx(np.sin(0.7) ** 4)
    assert slope == pytest.approx(4 * np.sin(0.7) ** 3 * np.cos(0.7))
    assert run_function(module, [0.7, 4, 2.0], function="f_jvp")[1] == pytest.approx(2 * slope)


def test_an_argument_that_is_given_twice_has_both_cotangents() -> None:
    module = parse_module(
        """func.func private @g(%a: tensor<4xf64>, %b: tensor<4xf64>) -> (f64, tensor<4xf64>) {
          %zero = array.constant 0 : i64
          %x = array.index %a[%zero] : tensor<4xf64> -> f64
          %y = array.mul %a, %b : tensor<4xf64>
          func.return %x, %y : f64, tensor<4xf64>
        }
        func.func @f(%a: tensor<4xf64>) -> (f64, tensor<4xf64>, tensor<4xf64>) {
          %x, %y = func.call @g(%a, %a) : (tensor<4xf64>, tensor<4xf64>) -> (f64, tensor<4xf64>)
          func.return %x, %y, %y : f64, tensor<4xf64>, tensor<4xf64>
        }"""
    )
    check_agreement(module, [np.array([0.5, -1.5, 2.0, 1.0])], "f", CALLED)


def test_sweeps_compose_no_maps() -> None:
    """Between maps of recorded calls at the operator and array code there is nothing."""
    module = run_passes(parse_module(IN_LOOPS), "differentiate{function=scan wrt=0,1},linearize{method=chad}")
    for function in functions_in(module):
        maps = [op for op in function_of(module, function).walk() if isinstance(op, linear.MapOp)]
        assert not maps or function == "scan_grad"


# Cost --------------------------------------------------------------------------------------------------


def closure_chain(n: int) -> ModuleOp:
    """f_(k + 1) = z to sin(f_k z)"""
    lines = lambda_("%f0", ["%y = array.mul %z, %x : f64"], "%y")
    for k in range(n):
        body = [applied("%a", f"%f{k}", "%z"), "%y = array.sin %a : f64"]
        lines += lambda_(f"%f{k + 1}", body, "%y")
    return main([*lines, applied("%r", f"%f{n}", "%w")], "%r")


def wide_context(n: int) -> ModuleOp:
    """A lambda over n values."""
    lines = ["%s0 = array.sin %x : f64"]
    lines += [f"%s{k + 1} = array.sin %s{k} : f64" for k in range(n)]
    body = ["%y0 = array.mul %z, %s0 : f64"]
    body += [f"%y{k + 1} = array.mul %y{k}, %s{k + 1} : f64" for k in range(n)]
    return main([*lines, *lambda_("%f", body, f"%y{n}"), applied("%r", "%f", "%w")], "%r")


def over_an_array(n: int) -> ModuleOp:
    """A closure over an n-array applied n times, chosen by a branch."""
    read = [f"%e = array.index %a[%zero] : tensor<{n}xf64> -> f64", "%y = array.mul %e, %z : f64"]
    return program(
        f"""func.func @main(%x: f64, %a: tensor<{n}xf64>) -> f64 {{
          %zero = array.constant 0 : i64
          %p = array.compare gt %x, %x : f64, f64 -> i1
          %f = array.if %p : i1 -> CLOSURE {{
            {" ".join(lambda_("%g", read, "%y"))}
            array.yield %g : CLOSURE
          }} else {{
            {" ".join(lambda_("%g", [*read[:1], "%y = array.add %e, %z : f64"], "%y"))}
            array.yield %g : CLOSURE
          }}
          %r = array.scan %x (%i, %c : f64) {{carries = 1, length = {n}}} : f64 -> f64 {{
            %b = function.apply %f, %c : CLOSURE, f64 -> f64
            %t = array.sin %b : f64
            array.yield %t : f64
          }}
          func.return %r : f64
        }}"""
    )


def reading_calls(n: int) -> ModuleOp:
    """n calls of a function that reads one element of an n-array."""
    lines = ["%r0 = array.sin %x : f64"]
    lines += [f"%r{k + 1} = func.call @g(%a, %r{k}) : (tensor<{n}xf64>, f64) -> f64" for k in range(n)]
    return program(
        f"""func.func private @g(%a: tensor<{n}xf64>, %x: f64) -> f64 {{
          %zero = array.constant 0 : i64
          %e = array.index %a[%zero] : tensor<{n}xf64> -> f64
          %y = array.mul %e, %x : f64
          func.return %y : f64
        }}
        func.func @main(%x: f64, %a: tensor<{n}xf64>) -> f64 {{
          {chr(10).join(lines)}
          func.return %r{n} : f64
        }}"""
    )


def untouched_in_cases(n: int) -> ModuleOp:
    """n cases of one sum value, whose other half has an n-array."""
    kind = f"!function.sum<f64, tensor<{n}xf64>>"
    lines = [f"%s = function.inject %x {{index = 0}} : f64 -> {kind}", "%r0 = array.sin %x : f64"]
    for k in range(n):
        lines.append(
            f"""%r{k + 1} = function.case %s (%l : f64) : {kind} -> f64 {{
              %m{k} = array.mul %l, %r{k} : f64
              array.yield %m{k} : f64
            }} case (%v : tensor<{n}xf64>) {{
              %t{k} = array.sum %v {{dims = [0]}} : tensor<{n}xf64> -> f64
              array.yield %t{k} : f64
            }}"""
        )
    return main(lines, f"%r{n}")


def carried_and_replaced(n: int) -> ModuleOp:
    """A closure over an n-array that a loop carries, applies in each trip, and replaces by another once."""

    def reads(array: str) -> list[str]:
        return [f"%e = array.index {array}[%zero] : tensor<{n}xf64> -> f64", "%y = array.mul %e, %z : f64"]

    return program(
        f"""func.func @main(%x: f64, %a: tensor<{n}xf64>, %b: tensor<{n}xf64>) -> f64 {{
          %zero = array.constant 0 : i64
          %half = array.constant {n // 2} : i64
          {" ".join(lambda_("%f", reads("%a"), "%y"))}
          %g, %r = array.scan %f, %x (%i, %h : CLOSURE, %c : f64) {{carries = 2, length = {n}}}
              : CLOSURE, f64 -> (CLOSURE, f64) {{
            %now = array.compare eq %i, %half : i64, i64 -> i1
            %k = array.if %now : i1 -> CLOSURE {{
              {" ".join(lambda_("%other", reads("%b"), "%y"))}
              array.yield %other : CLOSURE
            }} else {{
              array.yield %h : CLOSURE
            }}
            {applied("%d", "%k", "%c")}
            %t = array.sin %d : f64
            array.yield %k, %t : CLOSURE, f64
          }}
          func.return %r : f64
        }}"""
    )


def recursion_over_an_array(n: int) -> ModuleOp:
    """A recursion n deep that hands on a closure over an n-array and applies it in each call."""
    body = [f"%e = array.index %a[%zero] : tensor<{n}xf64> -> f64", "%y = array.mul %e, %z : f64"]
    return program(
        f"""func.func private @down(%k: i64, %c: f64, %f: CLOSURE) -> f64 {{
          %zero = array.constant 0 : i64
          %one = array.constant 1 : i64
          %end = array.compare eq %k, %zero : i64, i64 -> i1
          %r = array.if %end : i1 -> f64 {{
            array.yield %c : f64
          }} else {{
            {applied("%d", "%f", "%c")}
            %t = array.sin %d : f64
            %less = array.sub %k, %one : i64
            %s = func.call @down(%less, %t, %f) : (i64, f64, CLOSURE) -> f64
            array.yield %s : f64
          }}
          func.return %r : f64
        }}
        func.func @main(%x: f64, %a: tensor<{n}xf64>) -> f64 {{
          %zero = array.constant 0 : i64
          %n = array.constant {n} : i64
          {" ".join(lambda_("%f", body, "%y"))}
          %r = func.call @down(%n, %x, %f) : (i64, f64, CLOSURE) -> f64
          func.return %r : f64
        }}"""
    )


SIZES = (10, 20)

FAMILIES: dict[str, Callable[[int], ModuleOp]] = {
    f.__name__: f
    for f in (
        closure_chain,
        redexes,
        curried,
        joined,
        wide_context,
        over_an_array,
        reading_calls,
        untouched_in_cases,
        carried_and_replaced,
        recursion_over_an_array,
    )
}


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("passes", ["expansion", "calls"])
def test_cost_families(name: str, passes: str) -> None:
    """Gradients take a constant times the operations of the function, also where calls stay."""
    expand = ",".join(expansion("chad")) if passes == "expansion" else f"eliminate-functions,{CALLED}"
    found: list[tuple[int, int]] = []
    for n in SIZES:
        module = FAMILIES[name](n)
        wrt = float_arguments(module, "main")
        inserted = f"differentiate{{function=main wrt={','.join(map(str, wrt))}}}"
        types = function_of(module, "main").function_type.inputs.data
        arguments = [np.full(shape_of(t), 0.4)[()] if is_float(t) else n // 2 for t in types]
        primal = operations(run_passes(module.clone(), "eliminate-functions"), arguments, "main")
        gradient = operations(run_passes(module, f"{inserted},{expand}"), arguments, "main_grad")
        written = sum(size_of(types[k]) for k in wrt)
        assert gradient - written <= 6 * primal
        found.append((primal, gradient))
    assert found[1][1] <= 2.2 * found[0][1]


def operations(module: ModuleOp, arguments: list[Any], function: str) -> int:
    counter = OperationCounter()
    run_function(module, arguments, function=function, counter=counter)
    return counter.total
