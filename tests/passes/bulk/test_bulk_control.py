"""Loops and branches in builds, batch axes on every subset of what they read, against the interpreter."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, f64, i1, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from mlirad.dialects.array import control
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.indexing import BuildOp
from mlirad.dialects.shapes import Value, array_type, element_of, is_float, shape_of
from mlirad.interpreter import OperationCounter, run_function
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.verification import verify_module
from mlirad.passes.bulk_operations import bulk_function, is_bulk_normal_form
from mlirad.passes.bulk_operations.table import CONTROL_RULES
from tests.generators.arguments import random_value
from tests.passes.derivatives import differentiated

Body = Callable[..., Sequence[Value]]
"""Emits values from a builder, an index and other values."""


def t(*shape: int, element: Attribute = f64) -> Attribute:
    return array_type(shape, element)


def less(b: ArrayBuilder, x: Value, y: Value) -> Value:
    return b.compare("lt", x, y)


def one(b: ArrayBuilder) -> Value:
    return b.constant(1.0, f64)


# The programs: from a builder and values of the types that stand beside them -----------------------


def scan_of_carries(b: ArrayBuilder, x: Value, w: Value, k: Value) -> list[Value]:
    """Two carries, a captured scalar, a captured integer."""

    def body(i: Value, c: list[Value], xs: list[Value]) -> tuple[list[Value], list[Value]]:
        total = b.add(c[0], b.mul(w, b.index(x, [b.add(i, k)])))
        return [total, b.add(c[1], k)], [b.mul(c[0], w), b.add(i, c[1])]

    final, stacked = b.scan([b.constant(0.5, f64), k], [], 3, body)
    return [*final, *stacked]


def scan_of_slices(b: ArrayBuilder, x: Value, m: Value, w: Value) -> list[Value]:
    """Slices of rank 0 and 1, a carry of rank 1, in reverse."""

    def body(i: Value, c: list[Value], xs: list[Value]) -> tuple[list[Value], list[Value]]:
        new = b.add(b.mul(c[0], b.broadcast(xs[0], (2,), ())), xs[1])
        return [new], [b.sum(new, [0]), xs[1]]

    final, stacked = b.scan([b.broadcast(w, (2,), ())], [x, m], 3, body, reverse=True)
    return [*final, *stacked]


def scan_without_carries(b: ArrayBuilder, x: Value, w: Value) -> list[Value]:
    def body(i: Value, c: list[Value], xs: list[Value]) -> tuple[list[Value], list[Value]]:
        return [], [b.mul(xs[0], w), b.convert(i, f64)]

    return b.scan([], [x], 3, body)[1]


def scans_of_no_iteration_and_of_one(b: ArrayBuilder, x: Value, w: Value) -> list[Value]:
    def body(i: Value, c: list[Value], xs: list[Value]) -> tuple[list[Value], list[Value]]:
        return [b.mul(c[0], w)], [c[0]]

    none, no_stack = b.scan([w], [], 0, body)
    single, stack = b.scan([b.index(x, [b.index_constant(1)])], [], 1, body)
    return [*none, *no_stack, *single, *stack]


def branch(b: ArrayBuilder, p: Value, x: Value, w: Value) -> list[Value]:
    zero = b.index_constant(0)
    return b.if_(
        p,
        lambda: [b.unary(ew.LogOp, b.mul(b.index(x, [zero]), w)), b.mul(x, x)],
        lambda: [w, b.broadcast(w, (3,), ())],
    )


def branch_on_a_whole_array(b: ArrayBuilder, p: Value, x: Value, w: Value) -> list[Value]:
    """The part of `x` that the branch captures is used as a whole."""
    return b.if_(p, lambda: [b.binary(ew.DivOp, b.sum(b.mul(x, x), [0]), w)], lambda: [w])


def nested_branches(b: ArrayBuilder, x: Value, w: Value, p: Value) -> list[Value]:
    def inner() -> list[Value]:
        y = b.unary(ew.SqrtOp, w)
        return b.if_(less(b, w, one(b)), lambda: [b.mul(y, w)], lambda: [b.sum(b.mul(x, x), [0])])

    return b.if_(p, inner, lambda: [b.unary(ew.ExpOp, w)])


def choice(b: ArrayBuilder, k: Value, x: Value, w: Value) -> list[Value]:
    return b.switch(
        k,
        [
            lambda: [b.unary(ew.ExpOp, w), k],
            lambda: [b.index(x, [k]), b.index_constant(7)],
            lambda: [b.mul(w, w), b.mul(k, k)],
        ],
    )


def halving(b: ArrayBuilder, w: Value, c: Value, x: Value) -> list[Value]:
    """A number of iterations that depends on the first value, a carry that only the second reaches."""
    limit = b.constant(4, i64)

    def condition(n: Value, a: Value, s: Value) -> Value:
        return b.logical_and(less(b, n, limit), less(b, a, w))

    def body(n: Value, a: Value, s: Value) -> list[Value]:
        return [b.add(n, b.index_constant(1)), b.add(a, one(b)), b.add(s, b.index(x, [n]))]

    return b.while_([b.index_constant(0), b.constant(-2.0, f64), c], condition, body)


def loop_in_a_branch(b: ArrayBuilder, p: Value, w: Value, k: Value) -> list[Value]:
    """For a negative `w` the loop would not end: it is run only where it is positive."""
    limit = b.constant(3.0, f64)

    def run() -> list[Value]:
        return b.while_([w], lambda a: less(b, a, limit), lambda a: [b.add(a, b.add(a, one(b)))])

    positive = b.logical_and(p, less(b, b.zeros(f64), w))
    return b.if_(positive, run, lambda: [b.convert(k, f64)])


def branch_in_a_loop(b: ArrayBuilder, w: Value, x: Value, k: Value) -> list[Value]:
    def body(i: Value, c: list[Value], xs: list[Value]) -> tuple[list[Value], list[Value]]:
        found = b.if_(less(b, xs[0], w), lambda: [b.mul(c[0], xs[0])], lambda: [b.add(c[0], w)])
        return found, [b.select(less(b, i, k), found[0], w)]

    final, stacked = b.scan([one(b)], [x], 3, body)
    return [*final, *stacked]


def recorded(b: ArrayBuilder, w: Value, x: Value, k: Value) -> list[Value]:
    """Iterations on a tape, read back both ways."""
    limit = b.binary(ew.RemOp, k, b.constant(4, i64))

    def body(n: Value, a: Value) -> list[Value]:
        return [b.add(n, b.index_constant(1)), b.mul(a, b.index(x, [n])), a, n]

    *final, tape = b.while_([b.index_constant(0), w], lambda n, a: less(b, n, limit), body, record=2)

    def back(entry: list[Value], carries: list[Value]) -> list[Value]:
        return [b.add(b.mul(carries[0], entry[0]), b.index(x, [entry[1]]))]

    return [*final, *b.replay(tape, [w], back, reverse=True), *b.replay(tape, [one(b)], back)]


def replay_in_a_branch(b: ArrayBuilder, p: Value, k: Value, w: Value) -> list[Value]:
    """Some members skip a tape that all have, and whose length differs."""
    limit = b.binary(ew.RemOp, k, b.constant(3, i64))

    def body(n: Value) -> list[Value]:
        return [b.add(n, b.index_constant(1)), b.convert(n, f64)]

    tape = b.while_([b.index_constant(0)], lambda n: less(b, n, limit), body, record=1)[-1]

    def forth(entry: list[Value], carries: list[Value]) -> list[Value]:
        return [b.binary(ew.DivOp, b.add(carries[0], entry[0]), b.sum(b.broadcast(w, (3,), ()), [0]))]

    return b.if_(p, lambda: b.replay(tape, [w], forth), lambda: [w])


PROGRAMS: tuple[tuple[Body, tuple[Attribute, ...]], ...] = (
    (scan_of_carries, (t(3), f64, i64)),
    (scan_of_slices, (t(3), t(3, 2), f64)),
    (scan_without_carries, (t(3), f64)),
    (scans_of_no_iteration_and_of_one, (t(3), f64)),
    (branch, (i1, t(3), f64)),
    (branch_on_a_whole_array, (i1, t(3), f64)),
    (nested_branches, (t(3), f64, i1)),
    (choice, (i64, t(3), f64)),
    (halving, (f64, f64, t(3))),
    (loop_in_a_branch, (i1, f64, i64)),
    (branch_in_a_loop, (f64, t(3), i64)),
    (recorded, (f64, t(3), i64)),
    (replay_in_a_branch, (i1, i64, f64)),
)


def one_member(program: Body, types: Sequence[Attribute]) -> FuncOp:
    """The program itself, and a constant, with which it has more than one result."""
    return new_function("f", types, lambda b, *args: [*program(b, *args), one(b)])


def in_builds(program: Body, types: Sequence[Attribute], extent: int, batched: Sequence[bool]) -> FuncOp:
    """A build for each result of the program; the arguments marked `batched` differ with its index."""
    given = [
        array_type((extent, *shape_of(a)), element_of(a)) if bulk else a
        for a, bulk in zip(types, batched, strict=True)
    ]

    count = len(one_member(program, types).function_type.outputs.data) - 1

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        def element(i: Value) -> list[Value]:
            return list(
                program(b, *(b.index(a, [i]) if k else a for a, k in zip(args, batched, strict=True)))
            )

        return [b.build((extent,), lambda i, k=k: element(i)[k]) for k in range(count)]

    return new_function("f", given, body)


def check(function: FuncOp, seed: int) -> None:
    """Same values and normal form."""
    verify_module(ModuleOp([function]))
    bulk = bulk_function(function)
    verify_module(ModuleOp([bulk]))
    assert is_bulk_normal_form(bulk)
    assert not any(isinstance(op, BuildOp) for op in bulk.walk())
    for k in range(4):
        rng = random.Random(10 * seed + k)
        args: list[Any] = [random_value(a.type, rng, special=k > 1) for a in function.body.block.args]
        expected = run_function(function, args)
        computed = run_function(bulk, args)
        for x, y in zip(expected, computed, strict=True):
            np.testing.assert_allclose(y, x, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize(("program", "types"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
@pytest.mark.parametrize("extent", [3, 1, 0])
def test_loops_and_branches_become_bulk(program: Body, types: Sequence[Attribute], extent: int) -> None:
    for seed, batched in enumerate(itertools.product((False, True), repeat=len(types))):
        check(in_builds(program, types, extent, batched), seed)


def test_every_loop_and_branch_has_a_rule() -> None:
    assert set(CONTROL_RULES) >= set(control.CONTROL_OPS)


# Structure -----------------------------------------------------------------------------------------


def bulk_of(program: Body, types: Sequence[Attribute], batched: Sequence[bool], extent: int = 5) -> FuncOp:
    return bulk_function(in_builds(program, types, extent, batched))


def ops_of(function: FuncOp, op_class: type[Operation]) -> list[Any]:
    return [op for op in function.walk() if isinstance(op, op_class)]


def test_only_carries_that_batch_axes_reach_become_bulk() -> None:
    bulk = bulk_of(scan_of_carries, (t(3), f64, i64), (True, False, False))
    carried = {str(o.type) for op in ops_of(bulk, control.ScanOp) for o in op.init}
    assert carried == {"tensor<5xf64>", "i64"}


def test_a_branch_for_the_whole_batch_is_a_branch() -> None:
    bulk = bulk_of(branch, (i1, t(3), f64), (False, True, True))
    assert ops_of(bulk, control.IfOp)
    counter = OperationCounter()
    run_function(bulk, [False, np.ones((5, 3)), np.ones(5)], counter=counter)
    assert counter.by_op["array.log"] == 0


def test_a_branch_by_member_is_a_selection() -> None:
    bulk = bulk_of(branch, (i1, t(3), f64), (True, True, True))
    assert not ops_of(bulk, control.IfOp)


def test_a_loop_ends_when_no_member_goes_on() -> None:
    """The iterations are those of the member that makes most of them."""
    bulk = bulk_of(halving, (f64, f64, t(3)), (True, False, False))
    counter = OperationCounter()
    (loop, *_) = ops_of(bulk, control.WhileOp)
    assert str(loop.operands[0].type) == "tensor<5xi64>"
    few = np.full(5, -1.5)
    run_function(bulk, [few, 1.0, np.zeros(3)], counter=counter)
    many = OperationCounter()
    run_function(bulk, [np.array([-1.5, -1.5, -1.5, -1.5, 9.0]), 1.0, np.zeros(3)], counter=many)
    assert many.total > 2 * counter.total


def test_a_loop_for_the_whole_batch_counts_once() -> None:
    """The condition of the iterations does not depend on a batch axis: the counter stays a scalar."""
    bulk = bulk_of(halving, (f64, f64, t(3)), (False, True, False))
    for loop in ops_of(bulk, control.WhileOp):
        assert str(loop.operands[0].type) == "i64"


def test_work_in_front_of_a_loop_is_not_done_in_each_iteration() -> None:
    def body(b: ArrayBuilder, x: Value) -> list[Value]:
        y = b.unary(ew.ExpOp, x)

        def iteration(i: Value, c: list[Value], xs: list[Value]) -> tuple[list[Value], list[Value]]:
            return [b.add(c[0], b.index(y, [b.binary(ew.RemOp, i, b.constant(3, i64))]))], []

        return b.scan([b.zeros(f64)], [], 50, iteration)[0]

    bulk = bulk_function(new_function("f", [t(3)], body))
    counter = OperationCounter()
    run_function(bulk, [np.ones(3)], counter=counter)
    assert counter.by_op["array.exp"] == 3


def test_builds_inside_loops_and_branches_become_bulk() -> None:
    def body(b: ArrayBuilder, x: Value, p: Value) -> list[Value]:
        def iteration(i: Value, c: list[Value], xs: list[Value]) -> tuple[list[Value], list[Value]]:
            grown = b.build((3,), lambda j: b.mul(b.index(c[0], [j]), b.index(x, [b.sub(i, j)])))
            return b.if_(p, lambda: [grown], lambda: [b.build((3,), lambda j: b.index(x, [j]))]), []

        scanned = b.scan([x], [], 4, iteration)[0][0]
        return b.while_(
            [scanned, b.index_constant(0)],
            lambda y, n: less(b, n, b.index_constant(2)),
            lambda y, n: [
                b.build((3,), lambda j: b.unary(ew.SinOp, b.index(y, [j]))),
                b.add(n, b.index_constant(1)),
            ],
        )

    function = new_function("f", [t(3), i1], body)
    check(function, 0)


# Derivatives ---------------------------------------------------------------------------------------


def gradient_of(function: FuncOp, wrt: tuple[int, ...]) -> Callable[[Sequence[Any], Sequence[Any]], Any]:
    """The gradient with respect to each argument in `wrt`, of arguments and cotangents."""
    module = differentiated(ModuleOp([function.clone()]), "f", wrt, "reverse")
    return lambda args, cotangents: run_function(module, [*args, *cotangents], function="f_grad")[-len(wrt) :]


@pytest.mark.parametrize(("program", "types"), PROGRAMS[:-2], ids=lambda p: getattr(p, "__name__", ""))
def test_members_have_the_derivative_that_each_has_alone(program: Body, types: Sequence[Attribute]) -> None:
    """Other members do not matter: poles and NaN for members that skip code reach no derivative."""
    alone = one_member(program, types)
    outputs = [k for k, v in enumerate(alone.function_type.outputs.data[:-1]) if is_float(v)]
    wrt = tuple(k for k, v in enumerate(types) if is_float(v))
    gradient_alone = gradient_of(alone, wrt)
    for seed, batched in enumerate(itertools.product((False, True), repeat=len(types))):
        function = in_builds(program, types, 3, batched)
        rng = random.Random(seed)
        args: list[Any] = [random_value(a.type, rng, special=seed % 2 == 1) for a in function.body.block.args]
        shapes = [shape_of(function.function_type.outputs.data[k]) for k in outputs]
        cotangents = [np.random.default_rng(seed).normal(size=s) for s in shapes]
        found = gradient_of(function, wrt)(args, cotangents)
        own = [
            gradient_alone(
                [a[i] if bulk else a for a, bulk in zip(args, batched, strict=True)],
                [*(np.asarray(c[i])[()] for c in cotangents), np.float64(0)],
            )
            for i in range(3)
        ]
        for k, (argument, gradient) in enumerate(zip(wrt, found, strict=True)):
            each = np.stack([g[k] for g in own])
            expected = each if batched[argument] else each.sum(0)
            np.testing.assert_allclose(gradient, expected, rtol=1e-10, atol=1e-12, err_msg=f"{batched} {k}")


def pole(b: ArrayBuilder, x: Value, w: Value) -> list[Value]:
    """Coefficients of the captured `w` that are infinite for members which do not take the branch."""
    positive = less(b, b.zeros(f64), x)
    return b.if_(positive, lambda: [b.binary(ew.DivOp, w, x)], lambda: [b.mul(x, x)])


def pole_of_a_whole_array(b: ArrayBuilder, x: Value, w: Value) -> list[Value]:
    positive = less(b, b.zeros(f64), x)

    def divided() -> list[Value]:
        row = b.broadcast(w, (3,), ())
        return [b.sum(b.binary(ew.DivOp, row, b.broadcast(x, (3,), ())), [0])]

    return b.if_(positive, divided, lambda: [x])


def pole_of_an_element(b: ArrayBuilder, x: Value, y: Value, w: Value) -> list[Value]:
    """The branch itself reads the element of `y` that must not be divided by, and all of `y`."""
    at = b.convert(x, i64)
    positive = less(b, b.zeros(f64), x)
    return b.if_(
        positive,
        lambda: [b.binary(ew.DivOp, b.mul(w, b.sum(y, [0])), b.index(y, [at]))],
        lambda: [b.unary(ew.SinOp, x)],
    )


def pole_at_the_end(b: ArrayBuilder, x: Value, w: Value) -> list[Value]:
    """A loop that ends where its body must not go on."""
    return b.while_(
        [x, w],
        lambda a, s: less(b, b.zeros(f64), a),
        lambda a, s: [b.sub(a, one(b)), b.add(s, b.binary(ew.DivOp, w, a))],
    )


def contraction(b: ArrayBuilder, x: Value, m: Value, w: Value) -> list[Value]:
    """A contraction with a row that is not finite off the path, written out and as one op."""
    zeros = b.zeros(t(2))
    return b.if_(
        less(b, w, one(b)),
        lambda: [b.sum(b.mul(b.broadcast(x, (2, 3), (1,)), m), [1]), b.dot(m, x, (), (), (1,), (0,))],
        lambda: [zeros, zeros],
    )


POLES: tuple[tuple[Body, tuple[Attribute, ...], tuple[Any, ...], tuple[bool, ...]], ...] = (
    (pole, (f64, f64), ([1.0, 0.0, np.nan], 2.0), (True, False)),
    (pole, (f64, f64), ([-0.0, 0.0, -np.inf], 2.0), (True, False)),
    (pole_of_a_whole_array, (f64, f64), ([0.0, 3.0, 0.0], 2.0), (True, False)),
    (pole_of_a_whole_array, (f64, f64), ([0.0, 0.0, 0.0], 2.0), (True, False)),
    (pole_of_an_element, (f64, t(3), f64), ([-1.0, 2.0, 1.0], [0.0, 2.0, 3.0], 2.0), (True, False, False)),
    (pole_of_an_element, (f64, t(3), f64), ([-1.0, -2.0, 0.0], [0.0, 2.0, 3.0], 2.0), (True, False, False)),
    (pole_at_the_end, (f64, f64), ([3.0, 1.0, 0.0], 2.0), (True, False)),
    (pole_at_the_end, (f64, f64), ([3.5, -0.5, np.nan], 2.0), (True, False)),
)


@pytest.mark.parametrize("shared", ["row", "matrix", "both", "neither"])
def test_contractions_off_the_path_reach_no_derivative(shared: str) -> None:
    rows = np.array([[1.0, 2.0, 3.0], [np.nan, np.inf, 0.0], [4.0, 5.0, 6.0]])
    matrices = np.arange(18.0).reshape(3, 2, 3)
    matrices[1, 0, 1] = -np.inf
    x = rows[0] if shared in ("row", "both") else rows
    m = matrices[0] if shared in ("matrix", "both") else matrices
    args = [x, m, np.array([0.0, 2.0, -1.0])]
    batched = (x.ndim == 2, m.ndim == 3, True)
    types = (t(3), t(2, 3), f64)
    function = in_builds(contraction, types, 3, batched)
    found = gradient_of(function, (0, 1))(args, [np.ones((3, 2)), np.full((3, 2), 2.0)])
    counts = 3.0 * np.array([1.0, 0.0, 1.0])
    by_row = np.stack(
        [counts[i] * (m if m.ndim == 2 else m[i]).sum(0) if counts[i] else np.zeros(3) for i in range(3)]
    )
    by_matrix = np.stack(
        [
            np.tile(counts[i] * (x if x.ndim == 1 else x[i]), (2, 1)) if counts[i] else np.zeros((2, 3))
            for i in range(3)
        ]
    )
    np.testing.assert_allclose(found[0], by_row if batched[0] else by_row.sum(0))
    np.testing.assert_allclose(found[1], by_matrix if batched[1] else by_matrix.sum(0))


@pytest.mark.parametrize(
    ("program", "types", "values", "batched"), POLES, ids=lambda p: getattr(p, "__name__", "")
)
def test_poles_in_members_that_skip_code_reach_no_derivative(
    program: Body, types: Sequence[Attribute], values: Sequence[Any], batched: Sequence[bool]
) -> None:
    function = in_builds(program, types, 3, batched)
    args = [np.asarray(v)[()] for v in values]
    wrt = tuple(range(len(types)))
    alone = one_member(program, types)
    count = len(alone.function_type.outputs.data) - 1
    found, gradient_alone = gradient_of(function, wrt)(args, [np.ones(3)] * count), gradient_of(alone, wrt)
    for k, gradient in enumerate(found):
        each = []
        for i in range(3):
            own = [a[i] if bulk else a for a, bulk in zip(args, batched, strict=True)]
            each.append(gradient_alone(own, [*[np.float64(1)] * count, np.float64(0)])[k])
        expected = np.stack(each) if batched[k] else np.sum(each, 0)
        assert batched[k] or np.isfinite(expected).all()
        np.testing.assert_allclose(gradient, expected, rtol=1e-12)
