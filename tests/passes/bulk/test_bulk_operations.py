"""The pass on programs: meaning, normal form, cost, and the examples of the dual-numbers paper."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f64, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.control import ReplayOp
from mlirad.dialects.array.indexing import BuildOp, GatherOp, IndexOp
from mlirad.dialects.array.structural import BroadcastOp
from mlirad.dialects.shapes import Value, array_type, element_of, shape_of
from mlirad.interpreter import OperationCounter, run_function
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.builder import function_block, returned
from mlirad.ir.call_graph import functions_of
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.passes.bulk_operations import BulkOperationsPass, bulk_function, is_bulk_normal_form
from tests.generators import arguments_for, random_program
from tests.passes.derivatives import check_derivatives
from tests.work import calls_made


def t(*shape: int):
    return array_type(shape, f64)


def operations(function: FuncOp, *args: object) -> int:
    """Executed operations."""
    counter = OperationCounter()
    run_function(function, list(args), counter=counter)  # type: ignore[arg-type]
    return counter.total


def count(function: FuncOp, op_class: type[Operation]) -> int:
    return sum(isinstance(op, op_class) for op in function.walk())


@pytest.mark.parametrize("seed", range(150))
def test_random_programs_keep_their_meaning_and_cost_and_become_normal(seed: int) -> None:
    rng = random.Random(seed)
    module = random_program(seed=seed, size=rng.randint(3, 25))
    source = module.clone()
    BulkOperationsPass().apply(Context(), module)
    verify_module(module)
    assert all(is_bulk_normal_form(f) for f in functions_of(module))
    args = arguments_for(module, rng, special=seed % 2 == 1)
    before, after = OperationCounter(), OperationCounter()
    expected = run_function(source, args, counter=before)
    computed = run_function(module, args, counter=after)
    for x, y in zip(expected, computed, strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-5 if x.dtype == np.float32 else 1e-9, atol=1e-12)
    moved = sum(np.size(v) for v in (*args, *expected))
    assert after.total <= 2 * (before.total + moved)


def in_builds(module: ModuleOp, extent: int, batched: list[bool]) -> ModuleOp:
    """The program in a build for each result; the arguments marked `batched` differ with its index."""
    (main,) = functions_of(module)
    source = function_block(main)
    types = [
        array_type((extent, *shape_of(a)), element_of(a)) if bulk else a.type
        for a, bulk in zip(source.args, batched, strict=True)
    ]

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        def results(i: Value) -> list[Value]:
            given = [b.index(a, [i]) if bulk else a for a, bulk in zip(args, batched, strict=True)]
            return b.inline_block(source, given, {})

        return [b.build((extent,), lambda i, k=k: results(i)[k]) for k in range(len(returned(main)))]

    return ModuleOp([new_function("main", types, body)])


@pytest.mark.parametrize("seed", range(150))
def test_random_programs_in_builds(seed: int) -> None:
    """Loops over as many members make as many iterations as the member that needs most, and both sides of a
    branch are computed: so the cost grows by a factor, which for these programs is small.
    """
    rng = random.Random(seed)
    plain = random_program(seed=seed, size=rng.randint(3, 12))
    batched = [rng.random() < 0.6 for _ in function_block(functions_of(plain)[0]).args]
    source = in_builds(plain, rng.choice((0, 1, 3, 3)), batched)
    module = source.clone()
    BulkOperationsPass().apply(Context(), module)
    verify_module(module)
    assert all(is_bulk_normal_form(f) for f in functions_of(module))
    args = arguments_for(module, rng, special=seed % 2 == 1)
    before, after = OperationCounter(), OperationCounter()
    expected = run_function(source, args, counter=before)
    computed = run_function(module, args, counter=after)
    for x, y in zip(expected, computed, strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-4 if x.dtype == np.float32 else 1e-9, atol=1e-12)
    moved = sum(np.size(v) for v in (*args, *expected))
    assert after.total <= 6 * (before.total + moved)


def is_differentiable(op_class: type[Operation]) -> bool:
    """A loop over a tape has no derivative."""
    return op_class is not ReplayOp


@pytest.mark.parametrize("seed", range(60))
def test_derivatives_of_random_programs_in_builds(seed: int) -> None:
    rng = random.Random(seed)
    plain = random_program(seed=seed, size=rng.randint(3, 10), smooth=True, allow=is_differentiable)
    batched = [rng.random() < 0.6 for _ in function_block(functions_of(plain)[0]).args]
    source = in_builds(plain, rng.choice((1, 2, 3)), batched)
    check_derivatives(source, arguments_for(source, rng), function="main", tolerance=1e-4)


@pytest.mark.parametrize("seed", range(20))
def test_bulk_programs_stay_as_they_are(seed: int) -> None:
    (function,) = functions_of(
        random_program(
            seed=seed,
            size=15,
        )
    )
    once = bulk_function(function)
    twice = bulk_function(once)
    assert len(list(twice.walk())) <= len(list(once.walk()))
    assert is_bulk_normal_form(twice)


# The examples of the paper -----------------------------------------------------------------------


def test_matrix_product_by_build_is_the_broadcast_form() -> None:
    def body(b: ArrayBuilder, x: Value, y: Value) -> list[Value]:
        def entry(i: Value, j: Value) -> Value:
            return b.sum(b.build((4,), lambda k: b.mul(b.index(x, [i, k]), b.index(y, [k, j]))), [0])

        return [b.build((3, 5), entry)]

    bulk = bulk_function(new_function("f", [t(3, 4), t(4, 5)], body))
    assert [op.name for op in bulk.body.block.ops] == [
        "array.broadcast",
        "array.broadcast",
        "array.mul",
        "array.sum",
        "func.return",
    ]
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(3, 4)), rng.normal(size=(4, 5))
    np.testing.assert_allclose(run_function(bulk, [x, y])[0], x @ y, rtol=1e-14)


def test_conditional_build_selects_between_two_gathers() -> None:
    def body(b: ArrayBuilder, a: Value) -> list[Value]:
        ten = b.index_constant(10)
        return [
            b.build(
                (20,),
                lambda i: b.select(b.compare("lt", i, ten), b.index(a, [i]), b.index(a, [b.sub(i, ten)])),
            )
        ]

    bulk = bulk_function(new_function("f", [t(10)], body))
    assert count(bulk, GatherOp) == 2
    a = np.arange(10.0)
    np.testing.assert_array_equal(run_function(bulk, [a])[0], np.concatenate([a, a]))


def test_reading_the_whole_array_is_no_gather() -> None:
    one = "array.constant 1.0 : f64"
    text = f"""func.func @f(%a: tensor<7xf64>) -> tensor<7xf64> {{
      %r = array.build (%i) : -> tensor<7xf64> {{
        %x = array.index %a[%i] : tensor<7xf64> -> f64
        %c = {one}
        %y = array.add %x, %c : f64
        array.yield %y : f64
      }}
      func.return %r : tensor<7xf64>
    }}"""
    (function,) = functions_of(parse_module(text))
    names = [op.name for op in bulk_function(function).body.block.ops]
    assert names == ["array.constant", "array.broadcast", "array.add", "func.return"]


# Invariants first, and what a value depends on ---------------------------------------------------


def test_a_gather_from_an_invariant_array_costs_what_is_read() -> None:
    def body(b: ArrayBuilder, a: Value, p: Value) -> list[Value]:
        return [b.build((3,), lambda i: b.gather(a, (2,), lambda j: [b.add(b.index(p, [i]), j)]))]

    function = new_function("f", [t(10_000), array_type((3,), i64)], body)
    assert operations(bulk_function(function), np.zeros(10_000), np.array([0, 7, 20_000])) < 40


def test_a_factor_of_one_index_is_computed_over_that_index_alone() -> None:
    def body(b: ArrayBuilder, x: Value, y: Value) -> list[Value]:
        return [
            b.build(
                (50, 60),
                lambda i, j: b.mul(b.unary(ew.ExpOp, b.index(x, [i])), b.unary(ew.SinOp, b.index(y, [j]))),
            )
        ]

    bulk = bulk_function(new_function("f", [t(50), t(60)], body))
    counter = OperationCounter()
    run_function(bulk, [np.ones(50), np.ones(60)], counter=counter)
    assert counter.by_op["array.exp"] == 50
    assert counter.by_op["array.sin"] == 60


def test_a_contraction_with_an_invariant_operand_is_one_contraction() -> None:
    def body(b: ArrayBuilder, m: Value, xs: Value) -> list[Value]:
        return [b.build((8,), lambda i: b.dot(m, b.index(xs, [i]), (), (), (1,), (0,)))]

    bulk = bulk_function(new_function("f", [t(3, 4), t(8, 4)], body))
    dots = [op for op in bulk.walk() if op.name == "array.dot"]
    assert [str(o.type) for d in dots for o in d.operands] == ["tensor<8x4xf64>", "tensor<3x4xf64>"]
    assert count(bulk, BroadcastOp) == 0
    m, xs = np.arange(12.0).reshape(3, 4), np.arange(32.0).reshape(8, 4)
    np.testing.assert_allclose(run_function(bulk, [m, xs])[0], xs @ m.T)


def test_reads_of_single_elements_do_not_multiply_work() -> None:
    """n reads of a computed array, one by one and in a build of as many: linear in n."""

    def family(n: int) -> FuncOp:
        def body(b: ArrayBuilder, x: Value) -> list[Value]:
            y = b.sum(b.mul(b.broadcast(x, (n, n), (0,)), b.broadcast(x, (n, n), (1,))), [1])
            reads = [b.index(y, [b.index_constant(k)]) for k in range(n)]
            return [b.stack(reads, 0), b.build((n,), lambda i: b.index(y, [b.mul(i, i)]))]

        return bulk_function(new_function("f", [t(n)], body))

    small, large = (operations(family(n), np.ones(n)) for n in (10, 20))
    assert large < 4.4 * small


@pytest.mark.parametrize("count", [3, 1000])
def test_an_indexed_build_is_its_body_unless_more_is_read_than_it_has(count: int) -> None:
    def body(b: ArrayBuilder, x: Value) -> list[Value]:
        squares = b.build((20,), lambda i: b.unary(ew.ExpOp, b.index(x, [i])))
        return [b.build((count,), lambda j: b.index(squares, [b.sub(j, b.index_constant(1))]))]

    function = new_function("f", [t(20)], body)
    bulk = bulk_function(function)
    counter = OperationCounter()
    x = np.linspace(0, 1, 20)
    (computed,) = run_function(bulk, [x], counter=counter)
    np.testing.assert_allclose(computed, run_function(function, [x])[0], rtol=1e-14)
    assert counter.by_op["array.exp"] == min(count, 20)


def test_poles_in_members_not_taken_do_no_harm() -> None:
    def body(b: ArrayBuilder, x: Value) -> list[Value]:
        def entry(i: Value) -> Value:
            v = b.index(x, [i])
            return b.select(b.compare("gt", v, b.zeros(f64)), b.unary(ew.LogOp, v), b.constant(-1.0, f64))

        return [b.build((5,), entry)]

    bulk = bulk_function(new_function("f", [t(5)], body))
    x = np.array([1.0, 0.0, -1.0, np.nan, np.inf])
    np.testing.assert_array_equal(run_function(bulk, [x])[0], [0.0, -1.0, -1.0, -1.0, np.inf])


# Waiting ops, locations, size ---------------------------------------------------------------------


def test_builds_with_calls_and_derivatives_wait() -> None:
    text = """
    func.func @g(%x: f64) -> f64 { func.return %x : f64 }
    func.func @f(%a: tensor<3xf64>) -> tensor<3xf64> {
      %r = array.build (%i) : -> tensor<3xf64> {
        %s = array.build (%j) : -> tensor<3xf64> {
          %x = array.index %a[%j] : tensor<3xf64> -> f64
          array.yield %x : f64
        }
        %t = array.sum %s {dims = [0]} : tensor<3xf64> -> f64
        %y = func.call @g(%t) : (f64) -> f64
        array.yield %y : f64
      }
      %q = array.build (%i) : -> tensor<3xf64> {
        %x = array.index %r[%i] : tensor<3xf64> -> f64
        array.yield %x : f64
      }
      func.return %q : tensor<3xf64>
    }"""
    module = parse_module(text)
    source = module.clone()
    BulkOperationsPass().apply(Context(), module)
    verify_module(module)
    function = functions_of(module)[1]
    assert [op.name for op in function.body.block.ops] == ["array.build", "func.return"]
    assert count(function, BuildOp) == 2
    assert is_bulk_normal_form(function)
    args = [np.arange(3.0)]
    np.testing.assert_array_equal(
        run_function(module, args, function="f")[0], run_function(source, args, function="f")[0]
    )


def test_the_predicate_sees_what_is_left() -> None:
    def build(b: ArrayBuilder, x: Value) -> list[Value]:
        return [b.build((3,), lambda i: b.index(x, [i]))]

    def index_of_reverse(b: ArrayBuilder, x: Value) -> list[Value]:
        return [b.emit(IndexOp, (b.reverse(x, [0]), b.index_constant(1)), f64)]

    for body in (build, index_of_reverse):
        function = new_function("f", [t(3)], body)
        assert not is_bulk_normal_form(function)
        assert is_bulk_normal_form(bulk_function(function))


def test_ops_keep_the_locations_of_their_source() -> None:
    text = """func.func @f(%a: tensor<3xf64>) -> tensor<3xf64> {
      %r = array.build (%i) : -> tensor<3xf64> {
        %x = array.index %a[%i] : tensor<3xf64> -> f64
        %y = array.exp %x : f64
        array.yield %y : f64
      }
      func.return %r : tensor<3xf64>
    }"""
    module = parse_module(text, "program.mlir")
    bulk = bulk_function(functions_of(module)[0])
    (exp,) = [op for op in bulk.walk() if isinstance(op, ew.ExpOp)]
    assert "program.mlir" in str(exp.location) and "4" in str(exp.location)


def chain(n: int) -> FuncOp:
    """A build with a body of 2n ops."""

    def body(b: ArrayBuilder, a: Value) -> list[Value]:
        def element(i: Value) -> Value:
            x = b.index(a, [i])
            for _ in range(n):
                x = b.mul(x, b.unary(ew.SinOp, x))
            return x

        return [b.build((9,), element)]

    return new_function("f", [t(9)], body)


def positions(n: int) -> FuncOp:
    """A chain of n positions; each of them is read at."""

    def body(b: ArrayBuilder, a: Value) -> list[Value]:
        def element(i: Value) -> Value:
            k, total = i, b.index(a, [i])
            for _ in range(n):
                k = b.binary(ew.RemOp, b.add(k, i), b.index_constant(7))
                total = b.add(total, b.index(a, [k]))
            return total

        return [b.build((9,), element)]

    return new_function("f", [t(9)], body)


def builds(n: int) -> FuncOp:
    """n builds; each of them reads the one before."""

    def body(b: ArrayBuilder, a: Value) -> list[Value]:
        for _ in range(n):
            x = a
            a = b.build(
                (9,), lambda i, x=x: b.add(b.index(x, [i]), b.index(x, [b.sub(b.index_constant(8), i)]))
            )
            a = b.build((9,), lambda i, a=a: b.unary(ew.SinOp, b.index(a, [i])))
        return [a]

    return new_function("f", [t(9)], body)


def reads(n: int) -> FuncOp:
    """A chain of n ops on arrays, indexed at the end."""

    def body(b: ArrayBuilder, a: Value) -> list[Value]:
        for _ in range(n):
            a = b.unary(ew.SinOp, a)
        return [b.index(a, [b.index_constant(3)])]

    return new_function("f", [t(9)], body)


def loops(n: int) -> FuncOp:
    """A nest of loops in a build, each with n / 4 ops, and as many branches."""

    def body(b: ArrayBuilder, a: Value) -> list[Value]:
        def level(c: Value, i: Value, depth: int) -> Value:
            for _ in range(n // 4):
                c = b.add(b.unary(ew.SinOp, c), b.index(a, [i]))
            if depth == 0:
                return c
            (c,) = b.if_(b.compare("lt", c, b.index(a, [i])), lambda: [level(c, i, depth - 1)], lambda: [c])
            return b.scan([c], [], 3, lambda j, cs, _: ([b.add(cs[0], c)], []))[0][0]

        return [b.build((9,), lambda i: level(b.index(a, [i]), i, 3))]

    return new_function("f", [t(9)], body)


@pytest.mark.parametrize("family", [chain, positions, builds, reads, loops])
def test_long_programs_take_linear_work_and_space(family: Callable[[int], FuncOp]) -> None:
    sizes: list[int] = []
    calls: list[int] = []
    for n in (100, 400):
        function, made = family(n), list[FuncOp]()
        calls.append(calls_made(lambda: made.append(bulk_function(function))))  # noqa: B023
        (bulk,) = made
        verify_module(ModuleOp([bulk]))
        assert is_bulk_normal_form(bulk)
        sizes.append(len(list(bulk.walk())))
    assert sizes[1] <= 4.2 * sizes[0]
    assert calls[1] <= 4.5 * calls[0]


def test_deeply_nested_builds() -> None:
    def body(b: ArrayBuilder, a: Value) -> list[Value]:
        def level(indices: list[Value]) -> Value:
            if len(indices) == 6:
                total = b.index(a, [indices[0]])
                for i in indices[1:]:
                    total = b.add(total, b.index(a, [i]))
                return total
            return b.sum(b.build((2,), lambda i: level([*indices, i])), [0])

        return [b.build((2,), lambda i: level([i]))]

    function = new_function("f", [t(2)], body)
    bulk = bulk_function(function)
    assert is_bulk_normal_form(bulk)
    args = [np.array([0.5, 2.0])]
    np.testing.assert_allclose(run_function(bulk, args)[0], run_function(function, args)[0], rtol=1e-14)
