"""The folding constructors of loops, branches and orderings, and the removal of their dead parts."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import f64, i1, i64
from xdsl.dialects.func import FuncOp

from mlirad.dialects.array import control, indexing, ordering
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value, array_type
from mlirad.interpreter import OperationCounter, run_function
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.call_graph import functions_of
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.passes.canonicalize import canonicalize
from mlirad.passes.cse import share_common_subexpressions
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.function_pass import transform_functions
from tests.generators import arguments_for, random_program
from tests.generators.control import CONTROL_MAKERS
from tests.generators.ordering import ORDERING_MAKERS

VECTOR, ROWS = array_type((4,), f64), array_type((4, 2), f64)
LOOPS = {*CONTROL_MAKERS, *ORDERING_MAKERS, ew.AddOp, ew.MulOp, ew.SinOp, indexing.IndexOp, indexing.BuildOp}


def names(function: FuncOp) -> list[str]:
    """The ops of a function, regions included, in the order of the text."""
    return [op.name.split(".")[1] for op in function.body.walk() if op.name != "array.yield"][:-1]


def text(function: FuncOp) -> str:
    """The body of a function."""
    return str(function).split("{\n", 1)[1]


# Constructors ------------------------------------------------------------------------------------


def test_in_a_branch_its_condition_is_known() -> None:
    """Choices and selections by the same condition, negated or spread, at any depth; behind it they stay."""

    def body(b: ArrayBuilder, p: Value, x: Value, v: Value) -> list[Value]:
        def nested(other: Value) -> list[Value]:
            inner = b.if_(p, lambda: [b.unary(ew.SinOp, x)], lambda: [b.unary(ew.CosOp, x)])
            chosen = b.select(b.broadcast(p, (4,), []), v, b.zeros(v.type))
            return [b.mul(inner[0], other), chosen]

        def then() -> list[Value]:
            return b.if_(b.logical_not(p), lambda: [x, v], lambda: nested(x))

        made = b.if_(p, then, lambda: nested(b.constant(2.0, f64)))
        return [*made, *b.if_(p, lambda: [b.unary(ew.ExpOp, x)], lambda: [x])]

    made = new_function("f", [i1, f64, VECTOR], body)
    assert names(made).count("if") == 2
    assert not {"select", "not"} & set(names(eliminate_dead_code(made)))


def test_a_stack_of_scalars_that_are_read_at_no_position_is_no_array() -> None:
    def body(b: ArrayBuilder, x: Value, y: Value) -> list[Value]:
        return [b.stack([b.emit(indexing.IndexOp, (v,), f64) for v in (x, y)], 0)]

    assert names(new_function("f", [f64, f64], body)) == ["index", "index", "stack"]


def product(b: ArrayBuilder, c: Sequence[Value], x: Sequence[Value]) -> tuple[list[Value], list[Value]]:
    made = b.mul(c[0], x[0])
    return [made], [made]


@pytest.mark.parametrize(
    ("length", "expected"), [(0, "constant broadcast"), (1, "constant index mul broadcast")]
)
def test_a_scan_of_no_iteration_or_one_is_straight_code(length: int, expected: str) -> None:
    def body(b: ArrayBuilder, z: Value, x: Value) -> list[Value]:
        carries, ys = b.scan([z], [x], length, lambda i, c, x: product(b, c, x))
        return [*carries, *ys]

    assert names(new_function("f", [f64, array_type((length,), f64)], body)) == expected.split()


def test_what_needs_no_loop_is_taken_out_of_a_scan() -> None:
    def body(b: ArrayBuilder, z: Value, x: Value, y: Value) -> list[Value]:
        rows = b.repeated(z, 4)
        carries, ys = b.scan(
            [z, z, z],
            [x, y, rows, b.iota((4,), 0)],
            4,
            lambda i, c, s: (
                [b.mul(c[0], s[0]), c[1], b.add(c[0], b.mul(c[1], s[2]))],
                [c[0], c[0], i, s[0], s[3], c[1]],
            ),
        )
        return [*carries, *ys]

    function = new_function("f", [f64, VECTOR, ROWS], body)
    (scan,) = (op for op in function.body.block.ops if isinstance(op, control.ScanOp))
    z, x, _ = function.body.block.args
    assert (list(scan.init), list(scan.xs)) == ([z, z], [x])
    assert scan.body.block.arg_types == (i64, f64, f64, f64)
    returned = function.body.block.last_op.operands
    first, second, third, *ys = returned
    assert [first, third] == list(scan.final) and second is z
    assert ys[0] is ys[1] is scan.stacked[0] and len(scan.stacked) == 1
    assert ys[2] is ys[4] and ys[2].owner.name == "array.iota"
    assert ys[3] is x
    assert ys[5].owner.name == "array.broadcast"


def test_a_scan_without_carries_is_a_build() -> None:
    def body(b: ArrayBuilder, x: Value) -> list[Value]:
        return b.scan([], [x], 4, lambda i, c, s: ([], [b.unary(ew.ExpOp, s[0])]), reverse=True)[1]

    assert names(new_function("f", [VECTOR], body)) == ["build", "index", "exp"]


def test_the_index_of_a_scan_needs_no_guard() -> None:
    def body(b: ArrayBuilder, z: Value, x: Value) -> list[Value]:
        carries, _ = b.scan([z], [], 4, lambda i, c, s: ([b.mul(c[0], b.guarded_index(x, [i]))], []))
        return carries

    function = new_function("f", [f64, VECTOR], body)
    assert names(eliminate_dead_code(function)) == ["scan", "index", "mul"]
    assert names(canonicalize(function)) == ["scan", "index", "mul"]


def test_a_while_captures_what_never_changes() -> None:
    def body(b: ArrayBuilder, x: Value, y: Value) -> list[Value]:
        return b.while_([x, y], lambda a, c: b.compare("gt", a, c), lambda a, c: [b.mul(a, a), c])

    function = new_function("f", [f64, f64], body)
    (loop,) = (op for op in function.body.block.ops if isinstance(op, control.WhileOp))
    x, y = function.body.block.args
    assert list(loop.operands) == [x]
    assert list(function.body.block.last_op.operands) == [loop.results[0], y]


def test_a_while_that_does_not_start_is_nothing() -> None:
    def body(b: ArrayBuilder, x: Value) -> list[Value]:
        return b.while_([x], lambda a: b.constant(False, i1), lambda a: [b.mul(a, a)])

    function = new_function("f", [f64], body)
    x = function.body.block.args[0]
    assert list(function.body.block.last_op.operands) == [x]
    assert len(list(x.uses)) == 1


@pytest.mark.parametrize("known", [False, True])
def test_a_branch_on_a_constant_is_inlined(known: bool) -> None:
    def body(b: ArrayBuilder, x: Value) -> list[Value]:
        return b.if_(b.constant(known, i1), lambda: [b.unary(ew.ExpOp, x)], lambda: [b.unary(ew.SinOp, x)])

    assert names(eliminate_dead_code(new_function("f", [f64], body))) == ["exp" if known else "sin"]


def test_branches_drop_what_they_agree_on() -> None:
    def body(b: ArrayBuilder, p: Value, x: Value, y: Value) -> list[Value]:
        inverse = b.unary(ew.NotOp, p)
        return b.if_(inverse, lambda: [x, b.mul(x, y), y], lambda: [x, x, y])

    function = new_function("f", [i1, f64, f64], body)
    (branch,) = (op for op in function.body.block.ops if isinstance(op, control.IfOp))
    p, x, y = function.body.block.args
    assert branch.condition is p
    assert list(branch.then.block.last_op.operands) == [x]
    assert list(function.body.block.last_op.operands) == [x, branch.results[0], y]


def test_a_switch_whose_choice_is_known() -> None:
    def chosen(index: int | None, branches: int) -> list[str]:
        def body(b: ArrayBuilder, k: Value, x: Value) -> list[Value]:
            choice = k if index is None else b.constant(index, i64)
            ops = (ew.ExpOp, ew.SinOp, ew.CosOp)[:branches]
            return b.switch(choice, [lambda op=op: [b.unary(op, x)] for op in ops])

        return names(eliminate_dead_code(new_function("f", [i64, f64], body)))

    assert chosen(-1, 3) == ["exp"]
    assert chosen(1, 3) == ["sin"]
    assert chosen(9, 3) == ["cos"]
    assert chosen(None, 1) == ["exp"]
    assert chosen(None, 2) == ["constant", "compare", "if", "sin", "exp"]
    assert chosen(None, 3) == ["switch", "exp", "sin", "cos"]


def test_orderings_of_what_is_in_order() -> None:
    def body(b: ArrayBuilder, x: Value, y: Value, z: Value) -> list[Value]:
        once = b.sort(x, 0)
        rows = b.broadcast(x, (4, 3), (0,))
        assert b.sort(once, 0) is once
        assert b.sort(rows, 1) is rows
        assert b.sort(y, 0) is y
        assert b.cumulative("max", rows, 1) is rows
        assert b.cumulative("sum", y, 0) is y
        assert b.cumulative("sum", rows, 1) is not rows
        assert b.argsort(once, 0) is b.iota((4,), 0)
        assert b.reduce("prod", rows, [1]).owner.name == "array.reduce"
        return [b.argsort(z, 1)]

    function = new_function("f", [VECTOR, array_type((1,), f64), ROWS], body)
    assert isinstance(function.body.block.last_op.prev_op, ordering.ArgsortOp)


# Rebuilding and pruning --------------------------------------------------------------------------


def through(source: str, transform=canonicalize) -> FuncOp:
    """The function that the text becomes."""
    module = parse_module(source, "test.mlir")
    verify_module(module)
    transform_functions(module, transform)
    verify_module(module)
    return functions_of(module)[0].clone()


def test_what_is_known_of_an_unchanged_carry_folds_inside() -> None:
    function = through("""
    func.func @f(%x: f64, %n: i64) -> f64 {
      %one = array.constant 1.0 : f64
      %a, %b = array.scan %x, %one (%i, %c: f64, %k: f64) {carries = 2, length = 5} : f64, f64 -> (f64, f64) {
        %s = array.sin %c : f64
        %d = array.mul %s, %k : f64
        array.yield %d, %k : f64, f64
      }
      %y = array.mul %a, %b : f64
      func.return %y : f64
    }""")
    assert names(function) == ["scan", "sin"]


def test_unused_results_of_a_scan_go_with_what_only_they_need() -> None:
    function = through(
        """
    func.func @f(%z: f64, %x: tensor<4xf64>, %y: tensor<4xf64>) -> f64 {
      %e = array.exp %z : f64
      %a, %b, %c, %ys = array.scan %z, %e, %z, %x, %y (%i, %p: f64, %q: f64, %r: f64, %s: f64, %t: f64)
          {carries = 3, length = 4, checkpoint = sqrt}
          : f64, f64, f64, tensor<4xf64>, tensor<4xf64> -> (f64, f64, f64, tensor<4xf64>) {
        %u = array.add %p, %r : f64
        %v = array.mul %q, %t : f64
        %w = array.sin %s : f64
        %k = array.mul %r, %w : f64
        array.yield %u, %v, %k, %v : f64, f64, f64, f64
      }
      func.return %a : f64
    }""",
        eliminate_dead_code,
    )
    assert names(function) == ["scan", "add", "sin", "mul"]
    (scan,) = (op for op in function.body.block.ops if isinstance(op, control.ScanOp))
    assert (scan.carry_count, len(scan.xs), len(scan.results)) == (2, 1, 2)
    assert scan.checkpoint.data == "sqrt"


def test_a_tape_keeps_what_is_replayed() -> None:
    source = """
    func.func @f(%x: f64, %y: f64) -> f64 {
      %one = array.constant 1.0 : f64
      %a, %b, %t = array.while %x, %y (%c: f64, %d: f64) {record = 3}
          : f64, f64 -> (f64, f64, !array.tape<f64, f64, f64>) {
        %p = array.compare gt %c, %one : f64, f64 -> i1
        array.yield %p : i1
      } do (%c: f64, %d: f64) {
        %e = array.sqrt %c : f64
        %g = array.sin %d : f64
        %h = array.exp %e : f64
        array.yield %e, %g, %c, %h, %g : f64, f64, f64, f64, f64
      }
      %r, %s = array.replay %t, %x, %x (%u: f64, %v: f64, %w: f64, %c: f64, %d: f64) {reverse}
          : !array.tape<f64, f64, f64>, f64, f64 -> (f64, f64) {
        %e = array.mul %c, %u : f64
        %g = array.mul %d, %v : f64
        array.yield %e, %g : f64, f64
      }
      func.return RESULT : f64
    }"""
    function = through(source.replace("RESULT", "%r"))
    assert names(function) == ["constant", "while", "compare", "sqrt", "replay", "mul"]
    assert "!array.tape<f64>" in text(function)
    function = through(source.replace("RESULT", "%a"))
    assert names(function) == ["constant", "while", "compare", "sqrt"]
    assert "tape" not in text(function)


def test_branches_lose_unused_results() -> None:
    function = through("""
    func.func @f(%p: i1, %k: i64, %x: f64) -> f64 {
      %e = array.exp %x : f64
      %a, %b = array.if %p : i1 -> (f64, f64) {
        %s = array.sin %e : f64
        array.yield %s, %x : f64, f64
      } else {
        array.yield %e, %e : f64, f64
      }
      %c, %d = array.switch %k : i64 -> (f64, f64) {
        array.yield %a, %x : f64, f64
      } case {
        array.yield %x, %b : f64, f64
      } case {
        array.yield %a, %a : f64, f64
      }
      func.return %d : f64
    }""")
    assert names(function) == ["exp", "if", "sin", "switch"]
    assert [len(op.results) for op in function.body.block.ops if op.regions] == [2, 1]


def test_an_op_that_only_dead_code_in_a_region_reads_goes_too() -> None:
    function = through(
        """
    func.func @f(%x: f64) -> tensor<3xf64> {
      %e = array.exp %x : f64
      %y = array.build (%i) : -> tensor<3xf64> {
        %s = array.sin %e : f64
        array.yield %x : f64
      }
      func.return %y : tensor<3xf64>
    }""",
        eliminate_dead_code,
    )
    assert names(function) == ["build"]


def test_equal_loops_are_shared() -> None:
    loop = """
      %{0} = array.scan %x (%i, %c: f64) {{carries = 1, length = 5}} : f64 -> f64 {{
        %s = array.sin %c : f64
        array.yield %s : f64
      }}"""
    source = "func.func @f(%x: f64) -> (f64, f64) {" + loop.format("a") + loop.format("b")
    function = through(source + "\n func.return %a, %b : f64, f64\n}", share_common_subexpressions)
    assert names(function) == ["scan", "sin"]


@pytest.mark.parametrize("transform", [canonicalize, eliminate_dead_code, share_common_subexpressions])
@pytest.mark.parametrize("smooth", [False, True])
def test_random_programs_keep_their_meaning(transform, smooth: bool) -> None:
    for seed in range(10):
        module = random_program(seed, 8, smooth, allow=LOOPS if seed % 2 else None)
        args = arguments_for(module, random.Random(seed))
        before = run_function(module, args)
        transform_functions(module, transform)
        verify_module(module)
        for x, y in zip(before, run_function(module, args), strict=True):
            np.testing.assert_allclose(y, x, rtol=1e-5, atol=1e-6)


def test_canonical_loops_execute_no_more() -> None:
    for seed in range(10):
        module = random_program(seed, 8, allow=LOOPS)
        args = arguments_for(module, random.Random(seed))
        before, after = OperationCounter(), OperationCounter()
        run_function(module, args, counter=before)
        transform_functions(module, canonicalize)
        run_function(module, args, counter=after)
        assert after.total <= before.total
