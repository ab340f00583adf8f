"""The derivative of every op alone: forward against transposed, both against finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.ir import Operation

from mlirad.dialects.array import ARRAY_OPS
from mlirad.dialects.array.elementwise import DeviationOp, SpecialOp
from mlirad.dialects.array.frames import NextRowOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.interpreter import run_function
from mlirad.passes.dual_arrays.constructs import CONSTRUCTS
from mlirad.rules import cholesky_derivatives
from mlirad.rules.derivatives import DERIVATIVES, ELIMINATED, ZERO, Joint
from tests.passes.derivatives import check_derivatives, differentiated
from tests.rules.factorisation_cases import FACTORISATION_CASES

UNARY_DOMAINS: dict[str, tuple[float, float]] = {
    "neg": (-2, 2),
    "abs": (0.2, 2),
    "exp": (-2, 2),
    "exp2": (-2, 2),
    "expm1": (-2, 2),
    "log": (0.2, 3),
    "log2": (0.2, 3),
    "log1p": (-0.8, 3),
    "sqrt": (0.2, 3),
    "rsqrt": (0.2, 3),
    "cbrt": (-3, -0.2),
    "sin": (-2, 2),
    "cos": (-2, 2),
    "tan": (-1, 1),
    "asin": (-0.8, 0.8),
    "acos": (-0.8, 0.8),
    "atan": (-2, 2),
    "sinh": (-2, 2),
    "cosh": (-2, 2),
    "tanh": (-2, 2),
    "asinh": (-2, 2),
    "acosh": (1.2, 3),
    "atanh": (-0.8, 0.8),
    "erf": (-2, 2),
    "erfc": (-2, 2),
    "erfinv": (-0.8, 0.8),
    "lgamma": (0.5, 4),
    "logistic": (-2, 2),
    "softplus": (-2, 2),
    "polygamma": (1, 4),
}
BINARY_DOMAINS: dict[str, tuple[tuple[float, float], tuple[float, float]]] = {
    "add": ((-2, 2), (-2, 2)),
    "sub": ((-2, 2), (-2, 2)),
    "mul": ((-2, 2), (-2, 2)),
    "absorbing_mul": ((-2, 2), (0.2, 2)),
    "div": ((-2, 2), (0.5, 2)),
    "pow": ((0.3, 2), (-2, 3)),
    "atan2": ((0.2, 2), (-2, 2)),
    "hypot": ((0.2, 2), (-2, 2)),
    "max": ((-2, 2), (-2, 2)),
    "min": ((-2, 2), (-2, 2)),
    "rem": ((-9.9, 9.9), (-1.2, -0.9)),
    "fmod": ((-9.9, 9.9), (0.9, 1.2)),
    "copysign": ((0.2, 2), (-2, -0.2)),
}
SHAPES = [(), (1,), (0,), (2, 3)]


def type_text(shape: tuple[int, ...], element: str) -> str:
    return element if not shape else f"tensor<{'x'.join(map(str, shape))}x{element}>"


def drawn(shape: tuple[int, ...], element: str, low: float, high: float, seed: int) -> Any:
    dtype = np.float64 if element == "f64" else np.float32
    return np.asarray(np.random.default_rng(seed).uniform(low, high, shape), dtype)[()]


def test_every_op_has_exactly_one_line() -> None:
    constructs = {op for op in CONSTRUCTS if op.name.startswith("array.")}
    lists = (set(DERIVATIVES), constructs, set(ZERO), set(ELIMINATED), {YieldOp})
    ops = {*ARRAY_OPS, NextRowOp}  # of the ops of records, the one that is left when these are differentiated
    assert set().union(*lists) == ops
    assert sum(map(len, lists)) == len(ops)


ELSEWHERE = {SpecialOp.name, DeviationOp.name}
"""Ops that have tests of their own: of each function, and of derivatives of a constant 0."""


def test_every_rule_is_tested() -> None:
    tested = {f"array.{name}" for name in (*UNARY_DOMAINS, *BINARY_DOMAINS)}
    others = {line.split("{")[0].split()[0] for case in CASES.values() for line in ops_of(case)}
    assert {op.name for op in DERIVATIVES} <= tested | others | ELSEWHERE


def ops_of(case: tuple[str, list[Any]]) -> list[str]:
    return [line.split("= ")[1] for line in case[0].splitlines() if "= array." in line]


def test_every_operand_has_an_entry() -> None:
    for op, rule in DERIVATIVES.items():
        if op.name in ELSEWHERE:
            continue
        operands = op.get_irdl_definition().operands  # pyright: ignore[reportAttributeAccessIssue]
        assert isinstance(rule, Joint) or len(rule) in (len(operands), 1), op.name


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("element", ["f64", "f32"])
@pytest.mark.parametrize("name", UNARY_DOMAINS)
def test_unary(name, element, shape) -> None:
    t = type_text(shape, element)
    option = " {order = 1}" if name == "polygamma" else ""
    check_derivatives(
        f"func.func @f(%x: {t}) -> {t} {{\n%y = array.{name} %x{option} : {t}\nfunc.return %y : {t}\n}}",
        [drawn(shape, element, *UNARY_DOMAINS[name], 3)],
    )


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("element", ["f64", "f32"])
@pytest.mark.parametrize("name", BINARY_DOMAINS)
def test_binary(name, element, shape) -> None:
    t = type_text(shape, element)
    left, right = BINARY_DOMAINS[name]
    text = (
        f"func.func @f(%x: {t}, %y: {t}) -> {t} {{\n%z = array.{name} %x, %y : {t}\nfunc.return %z : {t}\n}}"
    )
    arguments = [drawn(shape, element, *left, 3), drawn(shape, element, *right, 4)]
    check_derivatives(text, arguments)
    check_derivatives(text, arguments, wrt=(1,))


A = np.random.default_rng(0).normal(size=(3, 4))
B = np.random.default_rng(1).normal(size=(2, 3, 5))
V = np.random.default_rng(2).normal(size=4)
INDICES = np.array([2, 0, 2, 9, -4])
EMPTY = np.zeros((0, 2))


def along(op: str) -> tuple[str, list[Any]]:
    """An op along dimension 1 of an array with a zero in it."""
    t = "tensor<3x4xf64>"
    text = f"func.func @f(%x: {t}) -> {t} {{\n%y = array.{op} : {t}\nfunc.return %y : {t}\n}}"
    return text, [np.where(np.arange(12).reshape(3, 4) == 6, 0, A)]


CASES: dict[str, tuple[str, list[Any]]] = {
    **{
        f"{name} slope": (
            f"""func.func @f(%x: tensor<3xf64>) -> tensor<3xf64> {{
            %y = array.{name} %x : tensor<3xf64>
            %z = array.{name}_slope %x, %y : tensor<3xf64>
            func.return %z : tensor<3xf64> }}""",
            [np.array([-1.3, 0.4, 2.1])],
        )
        for name in ("tanh", "logistic")
    },
    "sort": along("sort %x {dim = 1}"),
    **{
        f"cumulative {kind} {way}": along(f"cumulative {kind} %x {{dim = 1{way}}}")
        for kind in ("sum", "prod", "max", "min")
        for way in ("", ", reverse")
    },
    "reduce prod": (
        """func.func @f(%x: tensor<2x3x5xf64>) -> tensor<3xf64> {
        %y = array.reduce prod %x {dims = [0, 2]} : tensor<2x3x5xf64> -> tensor<3xf64>
        func.return %y : tensor<3xf64> }""",
        [np.where(np.arange(30).reshape(2, 3, 5) % 8 == 0, 0, B)],
    ),
    "reduce prod of nothing": (
        """func.func @f(%x: tensor<0x2xf64>) -> tensor<2xf64> {
        %y = array.reduce prod %x {dims = [0]} : tensor<0x2xf64> -> tensor<2xf64>
        func.return %y : tensor<2xf64> }""",
        [EMPTY],
    ),
    "select": (
        """func.func @f(%c: tensor<4xi1>, %x: tensor<4xf64>, %y: tensor<4xf64>) -> tensor<4xf64> {
        %z = array.select %c, %x, %y : tensor<4xi1>, tensor<4xf64>, tensor<4xf64> -> tensor<4xf64>
        func.return %z : tensor<4xf64> }""",
        [np.array([True, False, True, False]), V, 2 * V],
    ),
    "select by a scalar": (
        """func.func @f(%c: i1, %x: tensor<4xf64>, %y: tensor<4xf64>) -> tensor<4xf64> {
        %z = array.select %c, %x, %y : i1, tensor<4xf64>, tensor<4xf64> -> tensor<4xf64>
        func.return %z : tensor<4xf64> }""",
        [np.False_, V, 2 * V],
    ),
    "convert": (
        """func.func @f(%x: tensor<4xf64>, %k: tensor<4xi64>)
        -> (tensor<4xf32>, tensor<4xf64>, tensor<4xi64>) {
        %a = array.convert %x : tensor<4xf64> -> tensor<4xf32>
        %b = array.convert %k : tensor<4xi64> -> tensor<4xf64>
        %m = array.mul %b, %x : tensor<4xf64>
        %i = array.convert %x : tensor<4xf64> -> tensor<4xi64>
        func.return %a, %m, %i : tensor<4xf32>, tensor<4xf64>, tensor<4xi64> }""",
        [V, np.arange(4)],
    ),
    "broadcast": (
        """func.func @f(%x: tensor<3x4xf64>) -> tensor<4x2x3xf64> {
        %y = array.broadcast %x {dims = [2, 0]} : tensor<3x4xf64> -> tensor<4x2x3xf64>
        func.return %y : tensor<4x2x3xf64> }""",
        [A],
    ),
    "transpose": (
        """func.func @f(%x: tensor<2x3x5xf64>) -> tensor<5x2x3xf64> {
        %y = array.transpose %x {permutation = [2, 0, 1]} : tensor<2x3x5xf64> -> tensor<5x2x3xf64>
        func.return %y : tensor<5x2x3xf64> }""",
        [B],
    ),
    "reshape": (
        """func.func @f(%x: tensor<3x4xf64>) -> tensor<2x6xf64> {
        %y = array.reshape %x : tensor<3x4xf64> -> tensor<2x6xf64>
        func.return %y : tensor<2x6xf64> }""",
        [A],
    ),
    "slice": (
        """func.func @f(%x: tensor<3x4xf64>) -> tensor<2x2xf64> {
        %y = array.slice %x {starts = [0, 1], limits = [3, 4], strides = [2, 2]}
          : tensor<3x4xf64> -> tensor<2x2xf64>
        func.return %y : tensor<2x2xf64> }""",
        [A],
    ),
    "an empty slice": (
        """func.func @f(%x: tensor<3x4xf64>) -> tensor<0x4xf64> {
        %y = array.slice %x {starts = [1, 0], limits = [1, 4], strides = [1, 1]}
          : tensor<3x4xf64> -> tensor<0x4xf64>
        func.return %y : tensor<0x4xf64> }""",
        [A],
    ),
    "pad": (
        """func.func @f(%x: tensor<3x4xf64>, %v: f64) -> tensor<6x8xf64> {
        %y = array.pad %x, %v {low = [1, 0], high = [0, 1], interior = [1, 1]}
          : tensor<3x4xf64>, f64 -> tensor<6x8xf64>
        func.return %y : tensor<6x8xf64> }""",
        [A, 2.0],
    ),
    "pad of nothing": (
        """func.func @f(%x: tensor<0x2xf64>, %v: f64) -> tensor<3x2xf64> {
        %y = array.pad %x, %v {low = [1, 0], high = [2, 0], interior = [1, 0]}
          : tensor<0x2xf64>, f64 -> tensor<3x2xf64>
        func.return %y : tensor<3x2xf64> }""",
        [EMPTY, 2.0],
    ),
    "concatenate": (
        """func.func @f(%x: tensor<3x4xf64>, %k: tensor<3x1xi64>) -> tensor<3x9xf64> {
        %c = array.convert %k : tensor<3x1xi64> -> tensor<3x1xf64>
        %y = array.concatenate %x, %c, %x {dim = 1}
          : tensor<3x4xf64>, tensor<3x1xf64>, tensor<3x4xf64> -> tensor<3x9xf64>
        func.return %y : tensor<3x9xf64> }""",
        [A, np.ones((3, 1), np.int64)],
    ),
    "reverse": (
        """func.func @f(%x: tensor<3x4xf64>) -> tensor<3x4xf64> {
        %y = array.reverse %x {dims = [1]} : tensor<3x4xf64> -> tensor<3x4xf64>
        func.return %y : tensor<3x4xf64> }""",
        [A],
    ),
    "stack": (
        """func.func @f(%x: tensor<3x4xf64>, %y: tensor<3x4xf64>) -> tensor<3x3x4xf64> {
        %z = array.stack %x, %y, %x {dim = 1}
          : tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xf64> -> tensor<3x3x4xf64>
        func.return %z : tensor<3x3x4xf64> }""",
        [A, 2 * A],
    ),
    "index": (
        """func.func @f(%x: tensor<3x4xf64>, %i: i64, %j: i64) -> (tensor<4xf64>, f64) {
        %y = array.index %x[%j] : tensor<3x4xf64> -> tensor<4xf64>
        %z = array.index %x[%i, %j] : tensor<3x4xf64> -> f64
        func.return %y, %z : tensor<4xf64>, f64 }""",
        [A, 1, 99],
    ),
    "index of nothing": (
        """func.func @f(%x: tensor<0x2xf64>, %i: i64) -> tensor<2xf64> {
        %y = array.index %x[%i] : tensor<0x2xf64> -> tensor<2xf64>
        func.return %y : tensor<2xf64> }""",
        [EMPTY, 0],
    ),
    "gather": (
        """func.func @f(%x: tensor<3x4xf64>, %k: tensor<5xi64>) -> tensor<5x4xf64> {
        %y = array.gather %x (%i) : tensor<3x4xf64> -> tensor<5x4xf64> {
          %j = array.index %k[%i] : tensor<5xi64> -> i64
          array.yield %j : i64
        }
        func.return %y : tensor<5x4xf64> }""",
        [A, INDICES],
    ),
    "scatter": (
        """func.func @f(%x: tensor<5xf64>, %k: tensor<5xi64>) -> tensor<3x2xf64> {
        %y = array.scatter %x (%i) : tensor<5xf64> -> tensor<3x2xf64> {
          %j = array.index %k[%i] : tensor<5xi64> -> i64
          array.yield %j, %i : i64, i64
        }
        func.return %y : tensor<3x2xf64> }""",
        [np.arange(5.0), INDICES],
    ),
    "update add": (
        """func.func @f(%b: tensor<3x4xf64>, %x: tensor<5x4xf64>, %k: tensor<5xi64>) -> tensor<3x4xf64> {
        %y = array.update add %b, %x (%i) : tensor<3x4xf64>, tensor<5x4xf64> -> tensor<3x4xf64> {
          %j = array.index %k[%i] : tensor<5xi64> -> i64
          array.yield %j : i64
        }
        func.return %y : tensor<3x4xf64> }""",
        [A, np.arange(20.0).reshape(5, 4), INDICES],
    ),
    "update set": (
        """func.func @f(%b: tensor<4x2xf64>, %x: tensor<5x2xf64>, %k: tensor<5xi64>) -> tensor<4x2xf64> {
        %y = array.update set %b, %x (%i) : tensor<4x2xf64>, tensor<5x2xf64> -> tensor<4x2xf64> {
          %j = array.index %k[%i] : tensor<5xi64> -> i64
          array.yield %j : i64
        }
        func.return %y : tensor<4x2xf64> }""",
        [A[:2].reshape(4, 2), np.arange(10.0).reshape(5, 2), INDICES],
    ),
    "update set of one": (
        """func.func @f(%b: tensor<4xf64>, %x: f64, %k: i64) -> tensor<4xf64> {
        %y = array.update set %b, %x () : tensor<4xf64>, f64 -> tensor<4xf64> {
          array.yield %k : i64
        }
        func.return %y : tensor<4xf64> }""",
        [V, 7.0, 2],
    ),
    "sum": (
        """func.func @f(%x: tensor<2x3x5xf64>) -> tensor<3xf64> {
        %y = array.sum %x {dims = [0, 2]} : tensor<2x3x5xf64> -> tensor<3xf64>
        func.return %y : tensor<3xf64> }""",
        [B],
    ),
    "sum of nothing": (
        """func.func @f(%x: tensor<0x2xf64>) -> tensor<2xf64> {
        %y = array.sum %x {dims = [0]} : tensor<0x2xf64> -> tensor<2xf64>
        func.return %y : tensor<2xf64> }""",
        [EMPTY],
    ),
    "reduce max and min": (
        """func.func @f(%x: tensor<2x3x5xf64>) -> (tensor<3xf64>, tensor<2x5xf64>, f64) {
        %y = array.reduce max %x {dims = [0, 2]} : tensor<2x3x5xf64> -> tensor<3xf64>
        %z = array.reduce min %x {dims = [1]} : tensor<2x3x5xf64> -> tensor<2x5xf64>
        %w = array.reduce max %x {dims = [0, 1, 2]} : tensor<2x3x5xf64> -> f64
        func.return %y, %z, %w : tensor<3xf64>, tensor<2x5xf64>, f64 }""",
        [B],
    ),
    "dot": (
        """func.func @f(%x: tensor<3x2x4x5xf64>, %y: tensor<5x6x2x3xf64>) -> tensor<2x4x6xf64> {
        %z = array.dot %x, %y {lhs_batch = [1], rhs_batch = [2], lhs_contract = [3, 0], rhs_contract = [0, 3]}
          : tensor<3x2x4x5xf64>, tensor<5x6x2x3xf64> -> tensor<2x4x6xf64>
        func.return %z : tensor<2x4x6xf64> }""",
        [
            np.random.default_rng(4).normal(size=(3, 2, 4, 5)),
            np.random.default_rng(5).normal(size=(5, 6, 2, 3)),
        ],
    ),
    "dot of a matrix and a vector": (
        """func.func @f(%x: tensor<3x4xf64>, %y: tensor<4xf64>) -> tensor<3xf64> {
        %z = array.dot %x, %y {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]}
          : tensor<3x4xf64>, tensor<4xf64> -> tensor<3xf64>
        func.return %z : tensor<3xf64> }""",
        [A, V],
    ),
    "dot of nothing": (
        """func.func @f(%x: tensor<0x2xf64>, %y: tensor<0x3xf64>) -> tensor<2x3xf64> {
        %z = array.dot %x, %y {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0]}
          : tensor<0x2xf64>, tensor<0x3xf64> -> tensor<2x3xf64>
        func.return %z : tensor<2x3xf64> }""",
        [EMPTY, np.zeros((0, 3))],
    ),
    **FACTORISATION_CASES,
}


@pytest.mark.parametrize("name", CASES)
def test_op(name) -> None:
    text, arguments = CASES[name]
    check_derivatives(text, arguments, finite_differences="f32" not in text)


@pytest.mark.parametrize("name", [n for n in CASES if "convert" not in CASES[n][0]])
def test_op_in_single_precision(name) -> None:
    text, arguments = CASES[name]
    arguments = [np.float32(a) if np.asarray(a).dtype == np.float64 else a for a in arguments]
    check_derivatives(text.replace("f64", "f32"), arguments)


@pytest.mark.parametrize(("name", "halvings"), [("cholesky 6", 2), ("complex cholesky 5", 1)])
def test_cholesky_by_blocks(name: str, halvings: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cholesky_derivatives, "LEAST_HALVED", (1,) * halvings)
    check_derivatives(*CASES[name])


# Points where there is no derivative, or arithmetic would hide it --------------------------------------


def gradient(body: str, *arguments: float) -> list[float]:
    names = [f"%{n}" for n in "xyz"[: len(arguments)]]
    parameters = ", ".join(f"{n}: f64" for n in names)
    text = f"func.func @f({parameters}) -> f64 {{\n{body}\nfunc.return %r : f64\n}}"
    module = differentiated(text, "f", tuple(range(len(arguments))), "reverse")
    return list(run_function(module, list(arguments), function="f_grad")[1:])


@pytest.mark.parametrize(
    ("op", "arguments", "expected"),
    [
        ("abs %x", [0.0], [0.0]),
        ("max %x, %y", [2.0, 2.0], [0.5, 0.5]),
        ("min %x, %y", [2.0, 2.0], [0.5, 0.5]),
        ("sqrt %x", [0.0], [np.inf]),
        ("pow %x, %y", [0.0, 0.0], [0.0, 0.0]),
        ("pow %x, %y", [0.0, 1.0], [1.0, 0.0]),
        ("pow %x, %y", [0.0, 2.0], [0.0, 0.0]),
        ("pow %x, %y", [0.0, 3.0], [0.0, 0.0]),
        ("pow %x, %y", [0.0, 0.5], [np.inf, 0.0]),
        ("pow %x, %y", [-2.0, 3.0], [12.0, np.nan]),
        ("hypot %x, %y", [0.0, 0.0], [0.0, 0.0]),
        ("atan2 %x, %y", [0.0, 0.0], [0.0, 0.0]),
        ("rem %x, %y", [7.5, 2.0], [1.0, -3.0]),
        ("rem %x, %y", [-7.5, 2.0], [1.0, 4.0]),
        ("fmod %x, %y", [-7.5, 2.0], [1.0, 3.0]),
        ("copysign %x, %y", [3.0, -2.0], [-1.0, 0.0]),
        ("floor_div %x, %y", [7.5, 2.0], [0.0, 0.0]),
        ("absorbing_mul %x, %y", [np.inf, 0.0], [0.0, np.inf]),
        ("sign %x", [2.0], [0.0]),
        ("floor %x", [2.5], [0.0]),
        ("hypot %x, %y", [3e200, 4e200], [0.6, 0.8]),
    ],
)
def test_special_point(op, arguments, expected) -> None:
    np.testing.assert_allclose(gradient(f"%r = array.{op} : f64", *arguments), expected, rtol=1e-14)


@pytest.mark.parametrize("exponent", [0.0, 1.0, 2.0, 3.0])
def test_constant_exponent_at_zero(exponent) -> None:
    body = f"%y = array.constant {exponent} : f64\n%r = array.pow %x, %y : f64"
    assert gradient(body, 0.0) == [1.0 if exponent == 1.0 else 0.0]


@pytest.mark.parametrize("kind", ["max", "min"])
def test_reduction_and_elementwise_extremum_agree_at_ties(kind) -> None:
    reduction = f"""%v = array.stack %x, %y, %z {{dim = 0}} : f64, f64, f64 -> tensor<3xf64>
        %r = array.reduce {kind} %v {{dims = [0]}} : tensor<3xf64> -> f64"""
    low = -5.0 if kind == "max" else 5.0
    assert gradient(reduction, 2.0, low, 2.0) == [0.5, 0.0, 0.5]
    assert gradient(reduction, 2.0, 2.0, 2.0) == pytest.approx([1 / 3] * 3)
    assert gradient(reduction, 2.0, np.nan, 3.0) == [0.0, 0.0, 0.0]


def test_nothing_infinite_passes_to_what_max_did_not_take() -> None:
    body = """%c = array.constant 0.0 : f64
        %m = array.max %x, %c : f64
        %r = array.sqrt %m : f64"""
    assert gradient(body, -1.0) == [0.0]


@pytest.mark.parametrize("op", sorted(ZERO, key=lambda c: c.name), ids=lambda c: c.name)
def test_ops_listed_as_zero_have_no_line(op: type[Operation]) -> None:
    assert op not in DERIVATIVES
