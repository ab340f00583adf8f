"""Memory plans: nothing still needed is overwritten, memory is reused, outputs are written directly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import IntegerAttr
from xdsl.dialects.func import FuncOp

from mlirad.dialects.kernel import NestOp, ScatterOp
from mlirad.dialects.kernel.factorisations import TriangularSolveOp
from mlirad.dialects.shapes import FLAG, ints, values_of
from mlirad.errors import VerifyError
from mlirad.interpreter import run_function
from mlirad.ir.parsing import make_context, parse_module
from mlirad.ir.verification import verify_module
from mlirad.jit.call import NativeFunction
from mlirad.lower.kernels.form_kernels import form_kernels
from mlirad.lower.kernels.plan_memory import (
    ARENA_ATTRIBUTE,
    Arena,
    PlanMemoryPass,
    peak_bytes,
    plan_function,
)
from mlirad.lower.kernels.plan_memory.peak import peak_by_line
from mlirad.lower.kernels.plan_verification import verify_plan
from mlirad.lower.native_program import BUFFER_ALIGNMENT
from tests.lower.loops import check, lowered
from tests.lower.loops import function as loop_function
from tests.lower.native import check_kernels

T = "tensor<100xf64>"


def nest(
    name: str, inputs: str, types: str = T, result: str = T, extent: int = 100, *, turned: bool = False
) -> str:
    """A nest that adds up its inputs, or makes that of them turned around."""
    names = inputs.split(", ")
    operand_types = ", ".join([types] * len(names))
    place = ""
    if turned:
        place = f"%last = array.constant {extent - 1} : i64\n        %j = array.sub %last, %i : i64\n        "
    at = "%j" if turned else "%i"
    loads = [f"%a{k} = kernel.load {v}[{at}] : {types} -> f64" for k, v in enumerate(names)]
    adds = [f"%s{k} = array.add %{'s' if k > 1 else 'a'}{k - 1}, %a{k} : f64" for k in range(1, len(names))]
    last = f"%s{len(names) - 1}" if adds else "%a0"
    return f"""
      {name} = kernel.nest {inputs} (%i) {{space = [{extent}], reduction = []}}
          : {operand_types} -> {result} {{
        {place}{" ".join([*loads, *adds])}
        array.yield {last} : f64
      }}"""


def scatter(name: str, base: str, reads: str = "%x", points: int = 100, shift: int = 0) -> str:
    """A scatter that adds to element i what `reads` has at i + shift."""
    return f"""
      {name} = kernel.scatter add {base}, {reads} (%i) {{space = [{points}]}} : {T}, {T} -> {T} {{
        %s = array.constant {shift} : i64
        %j = array.add %i, %s : i64
        %e = kernel.load {reads}[{"%j" if shift else "%i"}] : {T} -> f64
        array.yield %e, %i : f64, i64
      }}"""


def function(*ops: str, returns: str) -> FuncOp:
    count = len(returns.split(", "))
    types = ", ".join([T] * count)
    results = types if count == 1 else f"({types})"
    body = "".join(ops)
    text = f"func.func @f(%x: {T}, %y: {T}) -> {results} {{ {body}\n func.return {returns} : {types}\n }}"
    return next(op for op in parse_module(text).body.block.ops if isinstance(op, FuncOp))


def planned(f: FuncOp) -> FuncOp:
    new = plan_function(f)
    verify_plan(new)
    return new


def places(f: FuncOp) -> list[tuple[int, ...]]:
    return [
        values_of(op.places) for op in f.body.block.ops if isinstance(op, NestOp | ScatterOp) and op.places
    ]


def arena(f: FuncOp) -> int:
    attribute = f.attributes[ARENA_ATTRIBUTE]
    assert isinstance(attribute, IntegerAttr)
    return attribute.value.data


def in_place(f: FuncOp) -> list[bool]:
    return [op.in_place is not None for op in f.body.block.ops if isinstance(op, ScatterOp)]


def test_memory_of_dead_values_is_used_again() -> None:
    f = planned(
        function(
            nest("%a", "%x"),
            nest("%b", "%a", turned=True),
            nest("%c", "%b", turned=True),
            nest("%d", "%a, %c", turned=True),
            nest("%e", "%d", turned=True),
            returns="%e",
        )
    )
    assert places(f) == [(-1,), (0,), (832,), (0,), (-1,)]
    assert arena(f) == 2 * 832
    assert peak_bytes(f) == 2 * 800


def test_a_value_that_a_map_reads_last_is_overwritten() -> None:
    f = planned(function(nest("%a", "%x"), nest("%b", "%a"), nest("%c", "%b, %a"), returns="%c"))
    assert places(f) == [(0,), (-1,), (-1,)]
    assert arena(f) == 832


def test_two_results_do_not_overwrite_one_value() -> None:
    text = f"""
    func.func @f(%x: {T}) -> ({T}, {T}) {{ {nest("%a", "%x")}
      %b, %c = kernel.nest %a (%i) {{space = [100], reduction = []}} : {T} -> ({T}, {T}) {{
        %e = kernel.load %a[%i] : {T} -> f64
        %m = array.neg %e : f64
        array.yield %e, %m : f64, f64
      }} {nest("%d", "%b, %c", turned=True)}
      func.return %d, %b : {T}, {T}
    }}"""
    f = next(op for op in parse_module(text).body.block.ops if isinstance(op, FuncOp))
    assert places(planned(f)) == [(-2,), (-2, 0), (-1,)]


def test_smaller_values_lie_in_outputs_before_these_are_made() -> None:
    half, small = "tensor<50xf64>", "tensor<50xi1>"
    text = f"""
    func.func @f(%x: {half}) -> {T} {{
      %a = kernel.nest %x (%i) {{space = [50], reduction = []}} : {half} -> {small} {{
        %e = kernel.load %x[%i] : {half} -> f64
        %n = array.is_nan %e : f64 -> i1
        array.yield %n : i1
      }}
      %s = kernel.nest %a (%i) {{space = [], reduction = [50], combiners = [and]}} : {small} -> i1 {{
        %e = kernel.load %a[%i] : {small} -> i1
        array.yield %e : i1
      }}
      %r = kernel.nest %s (%i) {{space = [100], reduction = []}} : i1 -> {T} {{
        %e = kernel.load %s[] : i1 -> i1
        %f = array.convert %e : i1 -> f64
        array.yield %f : f64
      }}
      func.return %r : {T}
    }}"""
    f = next(op for op in parse_module(text).body.block.ops if isinstance(op, FuncOp))
    assert places(planned(f)) == [(-1,), (0,), (-1,)]


def test_results_go_straight_into_the_outputs_they_are() -> None:
    f = planned(function(nest("%a", "%x"), nest("%b", "%a"), returns="%b, %a, %b, %x"))
    assert places(f) == [(-2,), (-1,)]
    assert arena(f) == 0


def test_a_function_without_kernels_needs_no_memory() -> None:
    assert arena(planned(function(returns="%x"))) == 0


def test_a_scatter_works_on_a_base_that_dies() -> None:
    f = planned(function(nest("%a", "%x"), scatter("%b", "%a"), scatter("%c", "%b"), returns="%c"))
    assert places(f) == [(-1,), (-1,), (-1,)]
    assert in_place(f) == [True, True]


@pytest.mark.parametrize(("points", "shift"), [(100, 0), (1, 7)], ids=["where it writes", "before it writes"])
def test_a_scatter_may_load_from_its_base(points: int, shift: int) -> None:
    f = planned(function(nest("%a", "%x"), scatter("%b", "%a", "%a", points, shift), returns="%b"))
    assert in_place(f) == [True]


@pytest.mark.parametrize(
    ("ops", "returns"),
    [
        ((scatter("%b", "%x", "%y"),), "%b"),
        ((nest("%a", "%x"), scatter("%b", "%a")), "%b, %a"),
        ((nest("%a", "%x"), scatter("%b", "%a"), nest("%c", "%a, %b")), "%c"),
        ((nest("%a", "%x"), scatter("%b", "%a", "%a", points=2, shift=1)), "%b"),
    ],
    ids=["an argument", "a returned value", "a value read later", "a value the scatter loads elsewhere"],
)
def test_other_bases_are_copied(ops: tuple[str, ...], returns: str) -> None:
    f = planned(function(*ops, returns=returns))
    assert in_place(f) == [False]


def test_booleans_take_a_byte_and_scalars_their_size() -> None:
    text = """
    func.func @f(%x: tensor<100xf64>) -> f64 {
      %m = kernel.nest %x (%i) {space = [100], reduction = []} : tensor<100xf64> -> tensor<100xi1> {
        %a = kernel.load %x[%i] : tensor<100xf64> -> f64
        %c = array.is_nan %a : f64 -> i1
        array.yield %c : i1
      }
      %s, %t = kernel.nest %m, %x (%i) {space = [], reduction = [100], combiners = [and, add]}
          : tensor<100xi1>, tensor<100xf64> -> (i1, f64) {
        %c = kernel.load %m[%i] : tensor<100xi1> -> i1
        %a = kernel.load %x[%i] : tensor<100xf64> -> f64
        array.yield %c, %a : i1, f64
      }
      %r = kernel.nest %s, %t () {space = [], reduction = []} : i1, f64 -> f64 {
        %c = kernel.load %s : i1 -> i1
        %a = kernel.load %t : f64 -> f64
        %z = array.neg %a : f64
        %v = array.select %c, %a, %z : i1, f64, f64 -> f64
        array.yield %v : f64
      }
      func.return %r : f64
    }"""
    module = parse_module(text)
    PlanMemoryPass().apply(make_context(), module)
    verify_module(module)
    f = next(op for op in module.body.block.ops if isinstance(op, FuncOp))
    verify_plan(f)
    assert places(f) == [(0,), (128, 192), (-1,)]
    assert peak_bytes(f) == 109
    assert str(parse_module(str(module))) == str(module)


def test_a_returned_value_that_is_not_row_major_is_left_to_be_copied() -> None:
    text = """
    func.func @f(%x: tensor<4x6xf64>) -> tensor<4x6xf64> {
      %a = kernel.nest %x (%i, %j) {space = [4, 6], reduction = [], layouts = [[1, 0]]}
          : tensor<4x6xf64> -> tensor<4x6xf64> {
        %v = kernel.load %x[%i, %j] : tensor<4x6xf64> -> f64
        array.yield %v : f64
      }
      func.return %a : tensor<4x6xf64>
    }"""
    f = planned(next(op for op in parse_module(text).body.block.ops if isinstance(op, FuncOp)))
    assert places(f) == [(0,)]


def test_empty_arrays() -> None:
    empty = "tensor<0xf64>"
    text = f"func.func @f(%x: {empty}) -> {empty} {{ {nest('%a', '%x', empty, empty, 0)}"
    text += f"{nest('%b', '%a', empty, empty, 0)}\n func.return %b : {empty}\n }}"
    f = planned(next(op for op in parse_module(text).body.block.ops if isinstance(op, FuncOp)))
    assert arena(f) == 0


def test_planning_keeps_the_meaning_and_the_given_function() -> None:
    f = function(nest("%a", "%x, %y"), scatter("%b", "%a"), nest("%c", "%b, %x"), returns="%c, %b")
    before = str(f)
    args = [np.arange(100.0), np.ones(100)]
    for got, want in zip(run_function(planned(f), args), run_function(f, args), strict=True):
        np.testing.assert_array_equal(got, want)
    assert str(f) == before


# The check ---------------------------------------------------------------------------------------


def test_the_check_sees_overlaps_and_bad_places() -> None:
    def broken(k: int, stated: tuple[int, ...]) -> FuncOp:
        ops = nest("%a", "%x"), nest("%b", "%a"), nest("%c", "%a, %b", turned=True)
        f = planned(function(*ops, returns="%c"))
        kernels = [op for op in f.body.block.ops if isinstance(op, NestOp)]
        kernels[k].properties["places"] = ints(stated)
        return f

    verify_plan(broken(0, (0,)))
    for k, stated in [(1, (0,)), (1, (64,)), (1, (8,)), (0, (100000,)), (2, (-2,)), (0, (0, 64)), (1, ())]:
        with pytest.raises(VerifyError):
            verify_plan(broken(k, stated))
    with pytest.raises(VerifyError, match=ARENA_ATTRIBUTE):
        verify_plan(function(nest("%a", "%x"), returns="%a"))


def test_the_check_sees_a_base_that_is_needed_later() -> None:
    f = planned(function(nest("%a", "%x"), scatter("%b", "%a"), nest("%c", "%a, %b"), returns="%c"))
    op = next(op for op in f.body.block.ops if isinstance(op, ScatterOp))
    op.properties["in_place"] = FLAG
    op.properties["places"] = ints(places(f)[0])
    with pytest.raises(VerifyError, match="still needed"):
        verify_plan(f)


# Random programs ---------------------------------------------------------------------------------


@st.composite
def programs(draw: st.DrawFn) -> FuncOp:
    values = ["%x", "%y"]
    ops: list[str] = []
    for k in range(draw(st.integers(0, 14))):
        name = f"%v{k}"
        recent = st.sampled_from(values[-4:] + values[:2])
        if draw(st.booleans()):
            inputs = ", ".join(draw(st.lists(recent, min_size=1, max_size=3, unique=True)))
            ops.append(nest(name, inputs, turned=draw(st.booleans())))
        else:
            ops.append(scatter(name, draw(recent), draw(recent)))
        values.append(name)
    return function(*ops, returns=", ".join(draw(st.lists(st.sampled_from(values), min_size=1, max_size=4))))


@given(programs())
def test_plans_of_random_programs_pass_the_check(f: FuncOp) -> None:
    new = planned(f)
    assert peak_bytes(f) <= arena(new)
    assert sum(peak_by_line(new).values()) == peak_bytes(f)


@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 6)), max_size=40))
def test_an_arena_hands_out_aligned_bytes_that_do_not_overlap(requests: list[tuple[int, int]]) -> None:
    made = Arena()
    live: list[tuple[int, int, int]] = []
    for now, (size, life) in enumerate(requests):
        for start, length, _ in [r for r in live if r[2] < now]:
            made.release(start, length)
        live = [r for r in live if r[2] >= now]
        start = made.take(size)
        assert start % BUFFER_ALIGNMENT == 0
        assert start + size <= made.size
        assert all(start + size <= s or s + n <= start for s, n, _ in live if n and size)
        live.append((start, size, now + life))


def test_two_carries_do_not_share_what_lies_between() -> None:
    text = """
func.func @f(%a: tensor<40xf64>, %b: tensor<40xf64>) -> (tensor<40xf64>, tensor<40xf64>) {
  %x, %y = array.scan %a, %b (%i, %p: tensor<40xf64>, %q: tensor<40xf64>) {carries = 2, length = 5}
      : tensor<40xf64>, tensor<40xf64> -> (tensor<40xf64>, tensor<40xf64>) {
    %e = kernel.nest %p, %q (%k) {space = [40], reduction = []}
        : tensor<40xf64>, tensor<40xf64> -> tensor<40xf64> {
      %0 = kernel.load %p[%k] : tensor<40xf64> -> f64
      %1 = kernel.load %q[%k] : tensor<40xf64> -> f64
      %2 = array.mul %0, %1 : f64
      array.yield %2 : f64
    }
    %s, %c = kernel.nest %e (%k) {space = [40], reduction = []}
        : tensor<40xf64> -> (tensor<40xf64>, tensor<40xf64>) {
      %0 = kernel.load %e[%k] : tensor<40xf64> -> f64
      %1 = array.sin %0 : f64
      %2 = array.cos %0 : f64
      array.yield %1, %2 : f64, f64
    }
    array.yield %s, %c : tensor<40xf64>, tensor<40xf64>
  }
  func.return %x, %y : tensor<40xf64>, tensor<40xf64>
}
"""
    f = next(op for op in parse_module(text).body.block.ops if isinstance(op, FuncOp))
    args = [np.linspace(0, 1, 40), np.linspace(1, 2, 40)]
    new = plan_function(f)
    verify_plan(new)
    for got, want in zip(run_function(new, args), run_function(f, args), strict=True):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("iterations", [0, 1, 2, 5, 6])
def test_an_even_number_of_turns_ends_where_it_began(iterations: int) -> None:
    text = f"""
    func.func @f(%x: {T}) -> {T} {{ {nest("%a", "%x")}
      %r = array.scan %a (%k, %c: {T}) {{carries = 1, length = {iterations}}} : {T} -> {T} {{
        {nest("%n", "%c", turned=True)}
        array.yield %n : {T}
      }}
      func.return %r : {T}
    }}"""
    f = next(op for op in parse_module(text).body.block.ops if isinstance(op, FuncOp))
    new = planned(f)
    assert places(new) == [(-1,) if iterations in (2, 6) else (0,)]
    x = np.arange(100.0)
    check_kernels(f, [x], [x[:: -1 if iterations % 2 else 1]], 0)


@pytest.mark.parametrize(("n", "is_in_place"), [(7, False), (8, False), (60, True), (64, True)])
def test_a_transform_of_several_passes_works_in_place(n: int, is_in_place: bool) -> None:
    z = f"tensor<2x{n}x5xf64>"
    text = f"""
    func.func @f(%x: {z}) -> {z} {{
      %a = array.add %x, %x : {z}
      %b = array.fft forward %a {{dim = 0, pairs = 0}} : {z} -> {z}
      %c = array.fft backward %b {{dim = 0, pairs = 0}} : {z} -> {z}
      func.return %c : {z}
    }}"""
    f = form_kernels(next(op for op in parse_module(text).body.block.ops if isinstance(op, FuncOp)))
    new = planned(f)
    assert (arena(new) == 0) is is_in_place
    x = np.random.default_rng(n).normal(size=(2, n, 5))
    check_kernels(f, [x], [2 * n * x], 1e-10)


def product_of_planes(n: int, m: int) -> str:
    """x y times x, of complex numbers as two planes, with intermediate results in memory of their own."""
    z, p = f"tensor<2x{n}x{m}xf64>", f"tensor<{n}x{m}xf64>"

    def product(name: str, x: str, y: str) -> str:
        parts = [
            f"%{name}{factor}{k} = array.index {value}[%{k}] : {z} -> {p}"
            for factor, value in (("x", x), ("y", y))
            for k in (0, 1)
        ]
        terms = [
            f"%{name}{j}{k} = array.absorbing_mul %{name}x{j}, %{name}y{k} : {p}"
            for j in (0, 1)
            for k in (0, 1)
        ]
        return "\n".join(
            [
                *parts,
                *terms,
                f"%{name}r = array.sub %{name}00, %{name}11 : {p}",
                f"%{name}i = array.add %{name}01, %{name}10 : {p}",
                f"%{name} = array.stack %{name}r, %{name}i {{dim = 0}} : {p}, {p} -> {z}",
            ]
        )

    return f"""
    func.func @f(%x: {z}, %y: {z}) -> ({z}, {z}) {{
      %0 = array.constant 0 : i64
      %1 = array.constant 1 : i64
      %u = array.fft forward %x {{dim = 0, pairs = 0}} : {z} -> {z}
      {product("v", "%u", "%y")}
      %w = array.fft backward %v {{dim = 0, pairs = 0}} : {z} -> {z}
      {product("a", "%u", "%w")}
      {product("b", "%w", "%w")}
      %c = array.fft forward %a {{dim = 0, pairs = 0}} : {z} -> {z}
      %d = array.fft forward %b {{dim = 0, pairs = 0}} : {z} -> {z}
      func.return %c, %d : {z}, {z}
    }}"""


@pytest.mark.parametrize(("n", "m"), [(32, 64), (18, 17), (16, 21), (27, 9)])
def test_both_planes_of_a_product_are_computed_before_either_is_stored(n: int, m: int) -> None:
    """So the products lie where their factors lay."""
    new, program = lowered(loop_function(product_of_planes(n, m)))
    products = [op for op in new.body.block.ops if isinstance(op, NestOp)]
    loops = [op.cut_loops for op in products]
    assert all([s.copies for s in found.segments.get(found.tile or 0, ())] == [2] for found in loops)
    assert {p for op in products for p in values_of(op.places or ints(()))} <= {-1, -2, 0}
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(2, 2, n, m))
    y[0, 1, m - 1] = np.nan
    spectrum = np.fft.fft(x[0] + 1j * x[1], axis=0)
    turned = n * np.fft.ifft(spectrum * (y[0] + 1j * y[1]), axis=0)
    want = [np.fft.fft(v, axis=0) for v in (spectrum * turned, turned * turned)]
    for one, other in zip(map(np.asarray, NativeFunction(program, debug=True)(x, y)), want, strict=True):
        np.testing.assert_allclose(one[0] + 1j * one[1], other, rtol=1e-10, atol=1e-8)


@pytest.mark.parametrize(
    ("kind", "rows", "columns"), [("f64", 3, 1), ("f32", 5, 9), ("f64", 20, 1), ("f64", 20, 4)]
)
@pytest.mark.parametrize("flags", ["upper", "transposed, unit"])
def test_solutions_lie_where_right_sides_lay(kind: str, rows: int, columns: int, flags: str) -> None:
    t, b = f"tensor<7x{rows}x{rows}x{kind}>", f"tensor<7x{rows}x{columns}x{kind}>"
    text = f"""
    func.func @f(%t: {t}, %b: {b}) -> {b} {{
      %0 = array.add %b, %b : {b}
      %1 = array.triangular_solve %t, %0 {{{flags}}} : {t}, {b} -> {b}
      %2 = array.triangular_solve %t, %1 {{unit}} : {t}, {b} -> {b}
      %3 = array.mul %2, %1 : {b}
      func.return %3 : {b}
    }}"""
    rng = np.random.default_rng(rows)
    dtype = {"f32": np.float32, "f64": np.float64}[kind]
    x = (rng.normal(size=(7, rows, rows)) + 2 * rows * np.eye(rows)).astype(dtype)
    new = check(
        text, x, rng.normal(size=(7, rows, columns)).astype(dtype), rtol=1e-5 if kind == "f32" else 1e-10
    )
    first, second = (op for op in new.body.block.ops if isinstance(op, TriangularSolveOp))
    assert first.places is not None
    assert places(new)[0] == values_of(first.places)
    assert second.places != first.places


def test_a_matrix_is_not_overwritten_by_the_solutions_of_its_own_system() -> None:
    t = "tensor<12x12xf64>"
    text = f"""
    func.func @f(%t: {t}) -> {t} {{
      %0 = array.add %t, %t : {t}
      %1 = array.triangular_solve %0, %0 {{upper}} : {t}, {t} -> {t}
      %2 = array.add %1, %1 : {t}
      func.return %2 : {t}
    }}"""
    new = check(text, np.triu(np.random.default_rng(1).normal(size=(12, 12))) + 9 * np.eye(12))
    solve = next(op for op in new.body.block.ops if isinstance(op, TriangularSolveOp))
    assert solve.places is not None
    assert places(new)[0] != values_of(solve.places)
