"""The folding constructors of closures, tuples and sums, and the check that a program has none."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import f64, i1, i64
from xdsl.dialects.func import FuncOp

from mlirad.dialects.function import FUNCTION_OPS, closure_type, sum_type
from mlirad.dialects.shapes import Value, tuple_type
from mlirad.errors import UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.builder import returned
from mlirad.ir.first_order import higher_order_op, require_first_order
from mlirad.passes.dce import eliminate_dead_code

F = closure_type([f64], [f64])


def made(types, body) -> FuncOp:
    """A function without dead code."""
    return eliminate_dead_code(new_function("f", types, body))


def names(function: FuncOp) -> list[str]:
    return [op.name.split(".")[1] for op in function.body.walk() if op.name != "array.yield"][:-1]


def test_a_lambda_that_is_used_once_is_written_out() -> None:
    def body(b: ArrayBuilder, x: Value) -> list[Value]:
        return b.apply(b.lambda_([f64], lambda z: [b.neg(z)]), [x])

    assert names(made([f64], body)) == ["neg"]


def test_a_lambda_of_first_order_with_two_uses_stays_one() -> None:
    def body(b: ArrayBuilder, x: Value) -> list[Value]:
        f = b.lambda_([f64], lambda z: [b.neg(b.mul(z, x))])
        return b.apply(f, b.apply(f, [x]))

    assert names(made([f64], body)) == ["lambda", "mul", "neg", "apply", "apply"]


def test_a_lambda_of_second_order_is_written_out_as_long_as_there_is_room() -> None:
    def body(b: ArrayBuilder, f: Value, x: Value) -> list[Value]:
        twice = b.lambda_([F, f64], lambda g, z: b.apply(g, b.apply(g, [z])))
        return b.apply(twice, [f, *b.apply(twice, [f, x])])

    def without_room(b: ArrayBuilder, f: Value, x: Value) -> list[Value]:
        b.room.left = 0
        return body(b, f, x)

    assert names(made([F, f64], body)) == ["apply"] * 4
    assert names(made([F, f64], without_room)) == ["lambda", "apply", "apply", "apply", "apply"]


def test_eta() -> None:
    def body(b: ArrayBuilder, f: Value) -> list[Value]:
        return [b.lambda_([f64], lambda z: b.apply(f, [z]))]

    function = made([F], body)
    assert returned(function) == list(function.body.block.args)


def test_eta_needs_a_closure_from_outside() -> None:
    def body(b: ArrayBuilder) -> list[Value]:
        return [b.lambda_([F], lambda g: [g]), b.lambda_([closure_type([], [f64])], lambda g: b.apply(g, []))]

    assert names(made([], body)) == ["lambda", "lambda", "apply"]


def test_a_partial_application_that_is_applied_is_a_call() -> None:
    def body(b: ArrayBuilder, x: Value) -> list[Value]:
        return b.apply(b.partial("g", [x], F), [x])

    assert names(made([f64], body)) == ["call"]


def test_tuples() -> None:
    def body(b: ArrayBuilder, x: Value, n: Value, t: Value) -> list[Value]:
        pair = b.tuple_([x, n])
        same = b.tuple_([b.get(t, 0), b.get(t, 1)])
        return [b.get(pair, 1), same, b.tuple_([x]), b.tuple_([b.get(t, 1), b.get(t, 0)])]

    function = made([f64, i64, tuple_type([f64, f64])], body)
    x, n, t = function.body.block.args
    assert returned(function)[:3] == [n, t, x]
    assert names(function) == ["get", "get", "tuple"]


def test_the_case_of_a_known_alternative_is_its_arm() -> None:
    def body(b: ArrayBuilder, x: Value) -> list[Value]:
        s = b.alternative(x, 1, sum_type([i64, f64]))
        return b.case(s, [lambda n: [b.convert(n, f64)], lambda z: [b.neg(z)]])

    assert names(made([f64], body)) == ["neg"]


def test_branches_that_make_the_same_alternative() -> None:
    type_ = sum_type([i64, f64])

    def body(b: ArrayBuilder, p: Value, x: Value, y: Value) -> list[Value]:
        (s,) = b.if_(p, lambda: [b.alternative(x, 1, type_)], lambda: [b.alternative(y, 1, type_)])
        return b.case(s, [lambda n: [b.convert(n, f64)], lambda z: [z]])

    assert names(made([i1, f64, f64], body)) == ["if"]


def test_branches_that_yield_equal_closures() -> None:
    def body(b: ArrayBuilder, p: Value, x: Value) -> list[Value]:
        def closure() -> list[Value]:
            return [b.lambda_([f64], lambda z: [b.mul(z, x)])]

        (f,) = b.if_(p, closure, closure)
        return b.apply(f, [x])

    assert names(made([i1, f64], body)) == ["mul"]


def test_first_order() -> None:
    first = made([f64], lambda b, x: [b.neg(x)])
    assert higher_order_op(first) is None
    require_first_order(first)
    kept = made([f64], lambda b, x: [b.lambda_([f64], lambda z: [b.mul(z, x)])])
    for function in (kept, made([F], lambda b, f: [])):
        op = higher_order_op(function)
        assert op is function or isinstance(op, FUNCTION_OPS)
        with pytest.raises(UnsupportedError, match="run the pass eliminate-functions before"):
            require_first_order(function)
