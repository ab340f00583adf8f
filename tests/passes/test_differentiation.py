"""Derivatives of whole programs: random ones, long shared chains, masks at poles, nesting, cost."""

from __future__ import annotations

import random

import numpy as np
import pytest

from mlirad.dialects import linear
from mlirad.interpreter import OperationCounter, run_function
from mlirad.ir.parsing import parse_module
from mlirad.linear_maps.apply import evaluator
from tests.generators import arguments_for, random_program
from tests.passes.derivatives import EXPAND, check_derivatives, differentiated, is_spine, run_passes


def test_random_programs() -> None:
    for seed in range(20):
        module = random_program(seed, 12, smooth=True, straight=True)
        arguments = arguments_for(module, random.Random(seed))
        check_derivatives(module, arguments, function="main", tolerance=3e-5)


def test_random_programs_linearize_to_spine_form() -> None:
    for seed in range(15):
        module = random_program(seed, 12, smooth=True, straight=True)
        run_passes(module, "differentiate{function=main},linearize")
        applications = [op for op in module.walk() if isinstance(op, linear.ApplicationOp)]
        assert applications and all(is_spine(op.map) for op in applications)


# Sharing ---------------------------------------------------------------------------------------------


def doubling(steps: int) -> str:
    lines = [f"%x{k + 1} = array.add %x{k}, %x{k} : f64" for k in range(steps)]
    return "func.func @f(%x0: f64) -> f64 {\n" + "\n".join(lines) + f"\nfunc.return %x{steps} : f64\n}}"


def products(steps: int) -> str:
    lines = [f"%x{k + 1} = array.mul %x{k}, %x{k} : f64" for k in range(steps)]
    return "func.func @f(%x0: f64) -> f64 {\n" + "\n".join(lines) + f"\nfunc.return %x{steps} : f64\n}}"


@pytest.mark.parametrize("program", [doubling, products])
def test_shared_chains_give_linear_derivatives(program) -> None:
    sizes = [
        sum(1 for _ in differentiated(program(n), "f", (0,), "reverse", "forward").walk()) for n in (150, 300)
    ]
    assert sizes[1] <= 2.05 * sizes[0]


def test_long_chain() -> None:
    module = differentiated(doubling(600), "f", (0,), "reverse")
    assert run_function(module, [1e-100], function="f_grad")[1] == 2.0**600
    short = differentiated(doubling(50), "f", (0,), "reverse")
    assert run_function(short, [1.0], function="f_grad") == (2.0**50, 2.0**50)


# Maps that are not in spine form ---------------------------------------------------------------------


def squarings(k: int, m0: str, t: str) -> str:
    m = f"!linear.map<{t}, {t}>"
    lines = [f"%m{i + 1} = linear.compose %m{i}, %m{i} : {m}, {m} -> {m}" for i in range(k)]
    return f"""func.func @f(%a: tensor<2x2xf64>, %x: {t}) -> ({t}, {t}) {{
      {m0}
      {chr(10).join(lines)}
      %y = linear.apply %m{k}, %x : {m}, {t} -> {t}
      %z = linear.apply_transpose %m{k}, %x : {m}, {t} -> {t}
      func.return %y, %z : {t}, {t} }}"""


DOT = """%m0 = linear.dot_right %a {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]}
    : tensor<2x2xf64> -> !linear.map<tensor<2xf64>, tensor<2xf64>>"""


def test_repeated_squaring_applies_the_map_as_often_as_it_means() -> None:
    module = run_passes(parse_module(squarings(6, DOT, "tensor<2xf64>")), "apply-linear-maps")
    a, x = np.array([[0.9, 0.2], [-0.1, 0.8]]), np.array([1.0, 2.0])
    y, z = run_function(module, [a, x])
    power = np.linalg.matrix_power(a, 64)
    np.testing.assert_allclose(y, power @ x, rtol=1e-12)
    np.testing.assert_allclose(z, power.T @ x, rtol=1e-12)


def test_repeated_squaring_beyond_the_limit_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluator, "MAX_NESTED_NODES", 1000)
    from mlirad.errors import UnsupportedError

    with pytest.raises(UnsupportedError, match="composite maps"):
        run_passes(parse_module(squarings(40, DOT, "tensor<2xf64>")), "apply-linear-maps")


def test_repeated_squaring_of_finite_scales_is_one_scale() -> None:
    scale = "%k = array.constant 1.01 : f64\n%m0 = linear.scale %k : f64 -> !linear.map<f64, f64>"
    module = run_passes(parse_module(squarings(10, scale, "f64")), "apply-linear-maps,mlirad-dce")
    y, _ = run_function(module, [np.zeros((2, 2)), 1.0])
    assert y == pytest.approx(1.01**1024)
    assert sum(1 for _ in module.walk()) < 10


def test_sums_through_a_shared_left_operand_are_factored() -> None:
    """m_{k+1} = m_k g + m_k h would double at every step."""
    t = "tensor<2xf64>"
    m = f"!linear.map<{t}, {t}>"
    lines = [DOT, "%h = linear.reverse {dims = [0]} : -> " + m, f"%n0 = linear.add %m0, %h : {m}"]
    for k in range(40):
        lines += [
            f"%u{k} = linear.compose %n{k}, %m0 : {m}, {m} -> {m}",
            f"%v{k} = linear.compose %n{k}, %h : {m}, {m} -> {m}",
            f"%n{k + 1} = linear.add %u{k}, %v{k} : {m}",
        ]
    text = f"""func.func @f(%a: tensor<2x2xf64>, %x: {t}) -> ({t}, {t}) {{
      {chr(10).join(lines)}
      %y = linear.apply %n40, %x : {m}, {t} -> {t}
      %z = linear.apply_transpose %n40, %x : {m}, {t} -> {t}
      func.return %y, %z : {t}, {t} }}"""
    module = run_passes(parse_module(text), "apply-linear-maps")
    assert sum(1 for _ in module.walk()) < 500
    a, x = np.array([[0.5, 0.2], [-0.1, 0.3]]), np.array([1.0, 2.0])
    dense = np.linalg.matrix_power(a + np.eye(2)[::-1], 41)
    y, z = run_function(module, [a, x])
    np.testing.assert_allclose(y, dense @ x, rtol=1e-12)
    np.testing.assert_allclose(z, dense.T @ x, rtol=1e-12)


# Masks and poles -------------------------------------------------------------------------------------

POLES = {
    "sqrt": ("%p = array.sqrt %x : f64", lambda x: (x**0.5, 0.5 * x**-0.5, -0.25 * x**-1.5)),
    "log": ("%p = array.log %x : f64", lambda x: (np.log(x), 1 / x, -(x**-2.0))),
    "reciprocal": ("%p = array.div %one, %x : f64", lambda x: (1 / x, -(x**-2.0), 2 * x**-3.0)),
    "pow": (
        "%e = array.constant 0.3 : f64\n%p = array.pow %x, %e : f64",
        lambda x: (x**0.3, 0.3 * x**-0.7, -0.21 * x**-1.7),
    ),
    "acos": (
        "%n = array.sub %one, %x : f64\n%p = array.acos %n : f64",
        lambda x: (
            np.arccos(1 - x),
            (2 * x - x * x) ** -0.5,
            -(1 - x) * (2 * x - x * x) ** -1.5,
        ),
    ),
    "norm": ("%s = array.mul %x, %x : f64\n%p = array.sqrt %s : f64", lambda x: (x, 1.0, 0.0)),
}


def masked(body: str) -> str:
    return f"""func.func @f(%x: f64) -> f64 {{
      %zero = array.constant 0.0 : f64
      %one = array.constant 1.0 : f64
      {body}
      %c = array.compare gt %x, %zero : f64, f64 -> i1
      %g = array.mul %x, %one : f64
      %r = array.select %c, %p, %g : i1, f64, f64 -> f64
      func.return %r : f64 }}"""


SECOND = {
    "forward of reverse": "differentiate{function=f},differentiate{function=f_grad mode=forward}",
    "reverse of forward": "differentiate{function=f mode=forward},differentiate{function=f_jvp}",
    "reverse of reverse": "differentiate{function=f},differentiate{function=f_grad}",
}


def derivatives_at(text: str, x: float, order: str) -> tuple[float, float, float]:
    """The value, the first and the second derivative."""
    module = run_passes(parse_module(text), f"{SECOND[order]},{EXPAND}")
    if order == "forward of reverse":
        value, first, _, second = run_function(module, [x, 1.0], function="f_grad_jvp")
    else:
        seeds = [1.0, 0.0, 1.0] if order == "reverse of forward" else [0.0, 1.0]
        function = "f_jvp_grad" if order == "reverse of forward" else "f_grad_grad"
        value, first, second = run_function(module, [x, *seeds], function=function)
    return value, first, second


@pytest.mark.parametrize("order", SECOND)
@pytest.mark.parametrize("name", POLES)
def test_masked_poles(name, order) -> None:
    body, truth = POLES[name]
    for x in (0.0, -1.0, -0.0):
        assert derivatives_at(masked(body), x, order) == (x, 1.0, 0.0)
    np.testing.assert_allclose(derivatives_at(masked(body), 0.5, order), truth(0.5), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("order", SECOND)
def test_hessian_where_an_intermediate_cotangent_vanishes(order) -> None:
    """Half the square of where(x > -1, sin x, 0) at 0: the cotangent of sin x is 0 there, f'' is 1."""
    text = """func.func @f(%x: f64) -> f64 {
      %low = array.constant -1.0 : f64
      %zero = array.constant 0.0 : f64
      %half = array.constant 0.5 : f64
      %s = array.sin %x : f64
      %c = array.compare gt %x, %low : f64, f64 -> i1
      %w = array.select %c, %s, %zero : i1, f64, f64 -> f64
      %q = array.mul %w, %w : f64
      %r = array.mul %half, %q : f64
      func.return %r : f64 }"""
    assert derivatives_at(text, 0.0, order) == (0.0, 0.0, 1.0)


def test_third_derivative() -> None:
    text = "func.func @f(%x: f64) -> f64 {\n%y = array.sin %x : f64\nfunc.return %y : f64 }"
    passes = ",".join(
        ["differentiate{function=f}"]
        + [f"differentiate{{function=f_grad{'_jvp' * k} mode=forward}}" for k in range(2)]
    )
    module = run_passes(parse_module(text), f"{passes},{EXPAND}")
    # Arguments x, dx and the tangents of x: the last result is the derivative of the derivative of cos.
    results = run_function(module, [0.3, 1.0, 1.0], function="f_grad_jvp_jvp")
    assert results[-1] == pytest.approx(-np.cos(0.3))


# Cost ------------------------------------------------------------------------------------------------


def reads(n: int) -> str:
    t = f"tensor<{n}xf64>"
    lines = ["%s0 = array.constant 0.0 : f64"]
    for k in range(n):
        lines += [
            f"%i{k} = array.constant {k} : i64",
            f"%e{k} = array.index %x[%i{k}] : {t} -> f64",
            f"%p{k} = array.sin %e{k} : f64",
            f"%s{k + 1} = array.add %s{k}, %p{k} : f64",
        ]
    return f"func.func @f(%x: {t}) -> f64 {{\n" + "\n".join(lines) + f"\nfunc.return %s{n} : f64\n}}"


def test_straight_line_reads_cost_linear() -> None:
    costs: list[int] = []
    for n in (32, 64):
        module = differentiated(reads(n), "f", (0,), "reverse")
        counter = OperationCounter()
        x = np.linspace(0, 1, n)
        _, gradient = run_function(module, [x], function="f_grad", counter=counter)
        np.testing.assert_allclose(gradient, np.cos(x))
        costs.append(counter.total)
    assert costs[1] <= 2.2 * costs[0]


def test_many_arguments_cost_linear() -> None:
    def text(n: int) -> str:
        names = ", ".join(f"%x{k}: f64" for k in range(n))
        lines = [f"%s{k + 1} = array.mul %s{k}, %x{k + 1} : f64" for k in range(n - 1)]
        first = "%one = array.constant 1.0 : f64\n%s0 = array.mul %one, %x0 : f64"
        body = "\n".join([first, *lines])
        return f"func.func @f({names}) -> f64 {{\n{body}\nfunc.return %s{n - 1} : f64\n}}"

    sizes = [
        sum(1 for _ in differentiated(text(n), "f", tuple(range(n)), "reverse").walk()) for n in (80, 160)
    ]
    assert sizes[1] <= 2.1 * sizes[0]
