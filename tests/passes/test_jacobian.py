"""The method `jacobian`: agreement with dual arrays, functions differentiated once and called, laws."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp

from mlirad.dialects import linear
from mlirad.dialects.array.control import ReplayOp
from mlirad.errors import UnsupportedError
from mlirad.interpreter import OperationCounter, run_function
from mlirad.ir.arrays import ArrayBuilder, new_function, rebuild_function
from mlirad.ir.parsing import parse_module
from mlirad.passes.jacobian.derivatives import Derivatives
from tests.generators import arguments_for, random_program
from tests.passes import derivatives
from tests.passes.derivatives import drawn, float_arguments, function_of, run_passes

CALLED = (
    "linearize{method=jacobian},simplify-maps,defunctionalise-maps,apply-linear-maps,mlirad-inline{builds=true},"
    "bulk-operations,outline-derivatives,mlirad-canonicalize,mlirad-dce"
)
INLINED = (
    "linearize{method=jacobian},mlirad-inline,apply-linear-maps,outline-derivatives,"
    "mlirad-canonicalize,mlirad-dce"
)


def differentiated(module: ModuleOp, function: str, wrt: tuple[int, ...], expand: str) -> ModuleOp:
    """The module with both derivatives of a function, by the given passes."""
    names = ",".join(map(str, wrt))
    inserts = [f"differentiate{{function={function} wrt={names} mode={m}}}" for m in ("reverse", "forward")]
    return run_passes(module.clone(), ",".join([*inserts, expand]))


def results_of(module: ModuleOp, function: str, arguments: Sequence[Any]) -> list[Any]:
    """The results of both derivatives, on vectors that depend on their types alone."""
    found: list[Any] = []
    for name in (f"{function}_grad", f"{function}_jvp"):
        types = function_of(module, name).function_type.inputs.data
        vectors = drawn(list(types[len(arguments) :]), np.random.default_rng(0))
        found += run_function(module, [*arguments, *vectors], function=name)
    return found


def check_agreement(module: ModuleOp, arguments: Sequence[Any], function: str, expand: str = CALLED) -> None:
    """Values are the same; derivatives are those of dual arrays to rounding."""
    wrt = float_arguments(module, function)
    expected = results_of(differentiated(module, function, wrt, derivatives.EXPAND), function, arguments)
    found = results_of(differentiated(module, function, wrt, expand), function, arguments)
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-9 * float(np.max(np.abs(y), initial=0.0)))


def called_by_main(module: ModuleOp) -> ModuleOp:
    """The module of @f, which calls the function @main."""
    main = function_of(module, "main")
    module = module.clone()
    inner = function_of(module, "main")
    inner.properties["sym_name"] = StringAttr("g")
    inputs, outputs = list(main.function_type.inputs.data), list(main.function_type.outputs.data)

    def body(b: ArrayBuilder, *args: Any) -> list[Any]:
        return list(b.insert(CallOp, args, outputs, {"callee": SymbolRefAttr("g")}).results)

    module.body.block.add_op(new_function("f", inputs, body))
    return module


@pytest.mark.parametrize("seed", range(25))
def test_random_programs(seed: int) -> None:
    module = random_program(seed, 12, smooth=True, allow=lambda op: op is not ReplayOp)
    arguments = arguments_for(module, random.Random(seed))
    check_agreement(module, arguments, "main")


@pytest.mark.parametrize("seed", range(100, 115))
def test_random_programs_that_are_called(seed: int) -> None:
    module = called_by_main(random_program(seed, 12, smooth=True, allow=lambda op: op is not ReplayOp))
    arguments = arguments_for(module, random.Random(seed), function="f")
    check_agreement(module, arguments, "f")


@pytest.mark.parametrize("seed", range(20))
def test_values_are_those_of_the_program_bit_for_bit(seed: int) -> None:
    module = called_by_main(random_program(seed, 12, smooth=True, straight=True))
    arguments = arguments_for(module, random.Random(seed), function="f")
    wrt = float_arguments(module, "f")
    passes = (
        "linearize{method=jacobian},simplify-maps,defunctionalise-maps,apply-linear-maps,outline-derivatives"
    )
    new = differentiated(module, "f", wrt, passes)
    primal = run_function(module, arguments, function="f")
    types = function_of(new, "f_jvp").function_type.inputs.data
    vectors = drawn(list(types[len(arguments) :]), np.random.default_rng(0))
    forward = run_function(new, [*arguments, *vectors], function="f_jvp")
    for x, y in zip(forward, primal, strict=False):
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("seed", range(12))
def test_second_derivatives_of_random_programs(seed: int) -> None:
    module = called_by_main(random_program(seed, 8, smooth=True, straight=True))
    arguments = arguments_for(module, random.Random(seed), function="f")
    wrt = float_arguments(module, "f")
    names = ",".join(map(str, wrt))
    first = run_passes(module, f"differentiate{{function=f wrt={names}}}")
    grad = function_of(first, "f_grad")
    more = tuple(k for k, t in enumerate(grad.function_type.inputs.data) if linear.is_space(t))
    outer = f"differentiate{{function=f_grad wrt={','.join(map(str, more))} mode=forward}},"
    expected = run_passes(first.clone(), outer + derivatives.EXPAND)
    found = run_passes(first.clone(), outer + CALLED)
    types = function_of(expected, "f_grad_jvp").function_type.inputs.data
    vectors = drawn(list(types[len(arguments) :]), np.random.default_rng(0))
    for x, y in zip(
        run_function(found, [*arguments, *vectors], function="f_grad_jvp"),
        run_function(expected, [*arguments, *vectors], function="f_grad_jvp"),
        strict=True,
    ):
        np.testing.assert_allclose(x, y, rtol=1e-8, atol=1e-8 * float(np.max(np.abs(y), initial=0.0)))


# Functions that are called ---------------------------------------------------------------------------

G = """func.func private @g(%x: f64) -> f64 {
  %s = array.sin %x : f64
  %y = array.mul %s, %x : f64
  %z = array.exp %y : f64
  func.return %z : f64
}
"""


def calls(number: int) -> ModuleOp:
    """f(x) = g(g(... x ...))"""
    lines = [f"%x{k + 1} = func.call @g(%x{k}) : (f64) -> f64" for k in range(number)]
    return parse_module(
        G + "func.func @f(%x0: f64) -> f64 {\n" + "\n".join(lines) + f"\nfunc.return %x{number} : f64\n}}"
    )


def chain_of_functions(number: int) -> ModuleOp:
    """g_k(x) calls g_(k - 1) twice: 2^k calls at run time."""
    text = "func.func private @g0(%x: f64) -> f64 {\n%y = array.sin %x : f64\nfunc.return %y : f64\n}\n"
    for k in range(number):
        text += f"""func.func private @g{k + 1}(%x: f64) -> f64 {{
          %a = func.call @g{k}(%x) : (f64) -> f64
          %b = func.call @g{k}(%a) : (f64) -> f64
          %c = array.mul %b, %x : f64
          func.return %c : f64 }}\n"""
    return parse_module(
        text + f"func.func @f(%x: f64) -> f64 {{\n%y = func.call @g{number}(%x) : (f64) -> f64\n"
        "func.return %y : f64\n}"
    )


def ops_in(module: ModuleOp) -> int:
    return sum(1 for _ in module.walk())


def functions_in(module: ModuleOp) -> list[str]:
    return [op.sym_name.data for op in module.body.block.ops if isinstance(op, FuncOp)]


def test_a_function_that_is_called_often_is_differentiated_once() -> None:
    module = differentiated(calls(5), "f", (0,), "linearize{method=jacobian}")
    assert sorted(functions_in(module)) == ["f", "f_grad", "f_jvp", "g", "g_jacobian"]
    lowered = differentiated(calls(5), "f", (0,), CALLED)
    made = [n for n in functions_in(lowered) if "jacobian" in n]
    assert sorted(made) == ["g_jacobian_map_apply", "g_jacobian_map_apply_transpose", "g_jacobian_primal"]


def test_calls_in_a_chain_take_code_in_proportion_and_less_than_inlined() -> None:
    called = [ops_in(differentiated(calls(n), "f", (0,), CALLED)) for n in (15, 30)]
    inlined = [ops_in(differentiated(calls(n), "f", (0,), INLINED)) for n in (15, 30)]
    assert called[1] <= 2.1 * called[0]
    assert called[1] - called[0] < (inlined[1] - inlined[0]) / 1.5


def test_nested_calls_take_code_in_proportion_where_inlining_takes_it_exponentially() -> None:
    called = [ops_in(differentiated(chain_of_functions(n), "f", (0,), CALLED)) for n in (4, 8)]
    assert called[1] <= 2.2 * called[0]
    inlined = [ops_in(differentiated(chain_of_functions(n), "f", (0,), INLINED)) for n in (2, 4)]
    assert inlined[1] > 3 * inlined[0]


def test_operations_of_calls_are_those_of_inlined_code() -> None:
    counts: list[int] = []
    for expand in (CALLED, INLINED):
        module = differentiated(calls(30), "f", (0,), expand)
        counter = OperationCounter()
        run_function(module, [0.3], function="f_grad", counter=counter)
        counts.append(counter.total)
    assert counts[0] <= 1.1 * counts[1]


IN_LOOPS = """
func.func private @h(%x: f64) -> f64 {
  %y = array.sin %x : f64
  func.return %y : f64
}
func.func private @g(%u: f64, %a: tensor<3xf64>, %k: i64) -> (f64, i64, tensor<3xf64>) {
  %x = func.call @h(%u) : (f64) -> f64
  %e = array.index %a[%k] : tensor<3xf64> -> f64
  %s = array.sin %x : f64
  %y = array.mul %s, %e : f64
  %one = array.constant 1 : i64
  %l = array.add %k, %one : i64
  %yb = array.broadcast %y {dims = []} : f64 -> tensor<3xf64>
  %b = array.mul %a, %yb : tensor<3xf64>
  func.return %y, %l, %b : f64, i64, tensor<3xf64>
}
func.func @scan(%x: f64, %a: tensor<3xf64>) -> (f64, tensor<3xf64>) {
  %zero = array.constant 0 : i64
  %r, %k, %ys = array.scan %x, %zero (%i, %c : f64, %n : i64) {carries = 2, length = 3}
      : f64, i64 -> (f64, i64, tensor<3xf64>) {
    %y, %l, %b = func.call @g(%c, %a, %n) : (f64, tensor<3xf64>, i64) -> (f64, i64, tensor<3xf64>)
    %s = array.sum %b {dims = [0]} : tensor<3xf64> -> f64
    array.yield %s, %l, %y : f64, i64, f64
  }
  func.return %r, %ys : f64, tensor<3xf64>
}
func.func @while(%x: f64, %a: tensor<3xf64>) -> f64 {
  %zero = array.constant 0 : i64
  %three = array.constant 3 : i64
  %r, %k = array.while %x, %zero (%c : f64, %n : i64) : f64, i64 -> (f64, i64) {
    %p = array.compare lt %n, %three : i64, i64 -> i1
    array.yield %p : i1
  } do (%c : f64, %n : i64) {
    %y, %l, %b = func.call @g(%c, %a, %n) : (f64, tensor<3xf64>, i64) -> (f64, i64, tensor<3xf64>)
    array.yield %y, %l : f64, i64
  }
  func.return %r : f64
}
func.func @if(%x: f64, %a: tensor<3xf64>) -> f64 {
  %one = array.constant 1 : i64
  %zero = array.constant 0.0 : f64
  %p = array.compare gt %x, %zero : f64, f64 -> i1
  %r = array.if %p : i1 -> f64 {
    %y, %l, %b = func.call @g(%x, %a, %one) : (f64, tensor<3xf64>, i64) -> (f64, i64, tensor<3xf64>)
    array.yield %y : f64
  } else {
    array.yield %x : f64
  }
  func.return %r : f64
}
func.func @checkpoint(%x: f64, %a: tensor<3xf64>) -> f64 {
  %one = array.constant 1 : i64
  %r = array.checkpoint : -> f64 {
    %y, %l, %b = func.call @g(%x, %a, %one) : (f64, tensor<3xf64>, i64) -> (f64, i64, tensor<3xf64>)
    %s = array.sum %b {dims = [0]} : tensor<3xf64> -> f64
    array.yield %s : f64
  }
  func.return %r : f64
}
func.func @build(%x: f64, %a: tensor<3xf64>) -> tensor<3xf64> {
  %r = array.build (%i) : -> tensor<3xf64> {
    %y, %l, %b = func.call @g(%x, %a, %i) : (f64, tensor<3xf64>, i64) -> (f64, i64, tensor<3xf64>)
    array.yield %y : f64
  }
  func.return %r : tensor<3xf64>
}
"""


@pytest.mark.parametrize("function", ["scan", "while", "if", "checkpoint", "build"])
@pytest.mark.parametrize("x", [0.7, -0.4])
def test_calls_in_regions(function: str, x: float) -> None:
    arguments = [x, np.array([0.5, -1.5, 2.0])]
    module = parse_module(IN_LOOPS)
    wrt = (0, 1)
    inline = "mlirad-inline," + derivatives.EXPAND
    expected = results_of(differentiated(module, function, wrt, inline), function, arguments)
    for x_, y in zip(
        results_of(differentiated(module, function, wrt, CALLED), function, arguments), expected, strict=True
    ):
        np.testing.assert_allclose(x_, y, rtol=1e-12, atol=1e-13)


def test_only_what_depends_is_differentiated() -> None:
    module = parse_module(
        """func.func private @g(%x: f64, %y: f64, %k: i64) -> (f64, f64, i64) {
          %a = array.mul %x, %x : f64
          %b = array.exp %y : f64
          func.return %a, %b, %k : f64, f64, i64
        }
        func.func @f(%x: f64, %y: f64, %k: i64) -> (f64, f64) {
          %a, %b, %l = func.call @g(%x, %y, %k) : (f64, f64, i64) -> (f64, f64, i64)
          %c, %d, %m = func.call @g(%y, %y, %k) : (f64, f64, i64) -> (f64, f64, i64)
          func.return %a, %c : f64, f64
        }"""
    )
    new = run_passes(module, "differentiate{function=f wrt=0 mode=forward},linearize{method=jacobian}")
    derivative = function_of(new, "g_jacobian_0")
    assert [str(t) for t in derivative.function_type.outputs.data] == [
        "f64",
        "f64",
        "i64",
        "!linear.map<f64, f64>",
    ]
    assert "g_jacobian" not in functions_in(new)
    assert run_function(
        run_passes(new, "defunctionalise-maps,apply-linear-maps"), [3.0, 0.0, 7, 1.0], function="f_jvp"
    ) == (9.0, 0.0, 6.0, 0.0)


RECURSIVE = """
func.func private @power(%x: f64, %n: i64) -> f64 {
  %one = array.constant 1 : i64
  %ends = array.compare lt %n, %one : i64, i64 -> i1
  %y = array.if %ends : i1 -> f64 {
    %1 = array.constant 1.0 : f64
    array.yield %1 : f64
  } else {
    %m = array.sub %n, %one : i64
    %z = func.call @power(%x, %m) : (f64, i64) -> f64
    %r = array.mul %x, %z : f64
    array.yield %r : f64
  }
  func.return %y : f64
}
func.func @f(%x: f64, %n: i64) -> f64 {
  %s = array.sin %x : f64
  %y = func.call @power(%s, %n) : (f64, i64) -> f64
  func.return %y : f64
}"""


def test_recursive_functions() -> None:
    module = differentiated(parse_module(RECURSIVE), "f", (0,), CALLED)
    found = run_function(module, [0.7, 4], function="f_grad")
    np.testing.assert_allclose(found, [np.sin(0.7) ** 4, 4 * np.sin(0.7) ** 3 * np.cos(0.7)])


# The expression and its laws ---------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(15))
def test_what_the_rules_write_is_what_the_method_builds(seed: int) -> None:
    """The literal expression, its simplification by folding, and what the method builds are one map."""
    module = random_program(seed, 10, smooth=True, straight=True)
    wrt = float_arguments(module, "main")
    literal = Derivatives(module.clone(), is_literal=True).of_function("main", wrt)
    built = Derivatives(module.clone()).of_function("main", wrt)
    arguments = arguments_for(module, random.Random(seed))
    images: list[tuple[Any, ...]] = []
    for function in (literal, built, rebuild_function(literal)):
        found = ModuleOp([applied(function.clone())])
        types = function_of(found, "applied").function_type.inputs.data[len(arguments) :]
        vectors = drawn(list(types), np.random.default_rng(0))
        images.append(run_function(found, [*arguments, *vectors], function="applied"))
    for other in images[1:]:
        for x, y in zip(other, images[0], strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-11 * float(np.max(np.abs(y), initial=0.0)))


def applied(function: FuncOp) -> FuncOp:
    """The function of the point and of a tangent that applies the map which the function returns."""
    map_type = linear.map_type(function.function_type.outputs.data[-1], "what it returns")
    block = function.body.block
    inputs = list(function.function_type.inputs.data)
    domain, codomain = linear.carried(map_type.domain), linear.carried(map_type.codomain)

    def body(b: ArrayBuilder, *args: Any) -> list[Any]:
        made = b.inline_block(block, args[: len(inputs)], {})
        return list(b.insert(linear.ApplyOp, (made[-1], *args[len(inputs) :]), codomain).results)

    return new_function("applied", [*inputs, *domain], body)


CROSSING = """
!A = !linear.map<f64, f64>
func.func private @df(%x: f64) -> (f64, !A) {
  %y = array.sin %x : f64
  %c = array.cos %x : f64
  %n = linear.scale %c : f64 -> !A
  func.return %y, %n : f64, !A
}
func.func private @Df(%x: f64, %m: !A) -> (f64, !A) {
  %y, %n = func.call @df(%x) : (f64) -> (f64, !A)
  %r = linear.compose %n, %m : !A, !A -> !A
  func.return %y, %r : f64, !A
}
func.func private @Rf(%x: f64, %m: !A) -> (f64, !A) {
  %y, %n = func.call @df(%x) : (f64) -> (f64, !A)
  %t = linear.transpose %n : !A -> !A
  %r = linear.compose %m, %t : !A, !A -> !A
  func.return %y, %r : f64, !A
}
func.func @main(%x: f64, %k1: f64, %k2: f64, %d: f64) -> (f64, f64, f64, f64) {
  %m1 = linear.scale %k1 : f64 -> !A
  %m2 = linear.scale %k2 : f64 -> !A
  %db = linear.apply %m2, %d : !A, f64 -> f64
  %y1, %r1 = func.call @Df(%x, %m1) : (f64, !A) -> (f64, !A)
  %a = linear.apply %r1, %db : !A, f64 -> f64
  %m12 = linear.compose %m1, %m2 : !A, !A -> !A
  %y2, %r2 = func.call @Df(%x, %m12) : (f64, !A) -> (f64, !A)
  %b = linear.apply %r2, %d : !A, f64 -> f64
  %y3, %r3 = func.call @Rf(%x, %m1) : (f64, !A) -> (f64, !A)
  %dr = linear.apply %r3, %d : !A, f64 -> f64
  %c = linear.apply %m2, %dr : !A, f64 -> f64
  %m21 = linear.compose %m2, %m1 : !A, !A -> !A
  %y4, %r4 = func.call @Rf(%x, %m21) : (f64, !A) -> (f64, !A)
  %e = linear.apply %r4, %d : !A, f64 -> f64
  func.return %a, %b, %c, %e : f64, f64, f64, f64
}
"""


def test_the_crucial_property_of_maps_that_cross_calls() -> None:
    """Df(x, m1) (m2 db) = Df(x, m1 m2) db, and m2 (Rf(x, m1) dr) = Rf(x, m2 m1) dr: notes, section 5."""
    for module in (
        parse_module(CROSSING),
        run_passes(parse_module(CROSSING), "mlirad-inline,apply-linear-maps"),
    ):
        a, b, c, e = run_function(module, [0.6, 2.0, -3.0, 0.25], function="main")
        assert a == pytest.approx(b, rel=1e-15) and a == pytest.approx(np.cos(0.6) * -1.5, rel=1e-15)
        assert c == pytest.approx(e, rel=1e-15) and c == pytest.approx(a, rel=1e-15)


def test_maps_as_arguments_are_for_inlining() -> None:
    with pytest.raises(UnsupportedError, match="takes a linear map"):
        run_passes(parse_module(CROSSING), "defunctionalise-maps")


def test_a_public_function_that_returns_a_map_becomes_values_and_applications() -> None:
    module = run_passes(
        parse_module("""
        func.func @df(%x: tensor<2xf64>) -> (f64, !linear.map<tensor<2xf64>, f64>) {
          %y = array.sum %x {dims = [0]} : tensor<2xf64> -> f64
          %e = array.exp %x : tensor<2xf64>
          %m = linear.scale %e : tensor<2xf64> -> !linear.map<tensor<2xf64>, tensor<2xf64>>
          %s = linear.sum {dims = [0]} : -> !linear.map<tensor<2xf64>, f64>
          %n = linear.compose %s, %m : !linear.map<tensor<2xf64>, f64>,
            !linear.map<tensor<2xf64>, tensor<2xf64>> -> !linear.map<tensor<2xf64>, f64>
          func.return %y, %n : f64, !linear.map<tensor<2xf64>, f64>
        }"""),
        "defunctionalise-maps,apply-linear-maps",
    )
    assert functions_in(module) == ["df_primal", "df_map_apply", "df_map_apply_transpose"]
    x, dx = np.array([0.5, -1.0]), np.array([1.0, 2.0])
    y, e = run_function(module, [x], function="df_primal")
    assert y == -0.5
    assert run_function(module, [e, dx], function="df_map_apply") == (pytest.approx(np.exp(x) @ dx),)
    (ct,) = run_function(module, [e, 3.0], function="df_map_apply_transpose")
    np.testing.assert_allclose(ct, 3 * np.exp(x))


def test_results_without_tangents_are_components_of_dimension_zero() -> None:
    text = """
        func.func private @g(%x: f64, %k: i64) -> (i64, f64, f64) {
          %y = array.sin %x : f64
          %z = array.exp %x : f64
          func.return %k, %y, %z : i64, f64, f64
        }
        func.func private @dg(%x: f64, %k: i64) -> !linear.map<f64, tuple<tuple<>, f64, f64>> {
          %i, %y, %z, %d = linear.linearize %x, %k {callee = @g, wrt = [0]}
            : f64, i64 -> (i64, f64, f64, !linear.map<f64, tuple<tuple<>, f64, f64>>)
          func.return %d : !linear.map<f64, tuple<tuple<>, f64, f64>>
        }
        func.func @f(%x: f64, %k: i64, %dx: f64) -> (f64, f64) {
          %d = func.call @dg(%x, %k) : (f64, i64) -> !linear.map<f64, tuple<tuple<>, f64, f64>>
          %a, %b = linear.apply %d, %dx : !linear.map<f64, tuple<tuple<>, f64, f64>>, f64 -> (f64, f64)
          func.return %a, %b : f64, f64
        }"""
    module = run_passes(parse_module(text), "linearize,defunctionalise-maps,apply-linear-maps")
    found = run_function(module, [0.5, 3, 2.0], function="f")
    np.testing.assert_allclose(found, [2 * np.cos(0.5), 2 * np.exp(0.5)])


def test_functions_of_several_arguments_equal_functions_of_one() -> None:
    """Notes, section 6: f(x, y) is f(t) with x and y the parts of t; here an array of two."""
    several = parse_module(
        """func.func private @g(%x: f64, %y: f64) -> f64 {
          %s = array.sin %x : f64
          %z = array.mul %s, %y : f64
          func.return %z : f64 }
        func.func @f(%t: tensor<2xf64>) -> f64 {
          %i = array.constant 0 : i64
          %j = array.constant 1 : i64
          %x = array.index %t[%i] : tensor<2xf64> -> f64
          %y = array.index %t[%j] : tensor<2xf64> -> f64
          %z = func.call @g(%x, %y) : (f64, f64) -> f64
          func.return %z : f64 }"""
    )
    one = parse_module(
        """func.func private @g(%t: tensor<2xf64>) -> f64 {
          %i = array.constant 0 : i64
          %j = array.constant 1 : i64
          %x = array.index %t[%i] : tensor<2xf64> -> f64
          %y = array.index %t[%j] : tensor<2xf64> -> f64
          %s = array.sin %x : f64
          %z = array.mul %s, %y : f64
          func.return %z : f64 }
        func.func @f(%t: tensor<2xf64>) -> f64 {
          %z = func.call @g(%t) : (tensor<2xf64>) -> f64
          func.return %z : f64 }"""
    )
    t = np.array([0.4, 3.0])
    found = [results_of(differentiated(m, "f", (0,), CALLED), "f", [t]) for m in (several, one)]
    for x, y in zip(*found, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-15)
    np.testing.assert_allclose(found[0][1], [3 * np.cos(0.4), np.sin(0.4)])
