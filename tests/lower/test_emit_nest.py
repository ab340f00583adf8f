"""Nests of every combiner and schedule, against the interpreter, under guard and with checked addresses."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from mlirad.errors import CompileError
from mlirad.interpreter import run_function
from tests.lower.emission import TYPES, check, compiled, run, tensor

SCHEDULES = [
    "",
    ", lane = 0",
    ", lane = 1",
    ", lane = 2",
    ", lane = 1, width = 2",
    ", lane = 1, width = 32",
    ", lane = 2, width = 16",
    ", lane = 1, tile_dim = 0, tile = 4",
    ", lane = 0, tile_dim = 1, tile = 3",
    ", lane = 2, tile_dim = 1, tile = 2",
    ", tile_dim = 0, tile = 5",
    ", lane = 1, reduction_outer",
    ", lane = 0, reduction_outer",
    ", lane = 0, tile_dim = 1, tile = 2, reduction_outer",
    ", lane = 1, order = [1, 2, 0]",
    ", lane = 2, order = [1, 0, 2]",
    ", lane = 1, layouts = [[1, 0], [1, 0]]",
    ", lane = 0, layouts = [[1, 0], [0, 1]]",
]

SHAPES = [(3, 10, 7), (8, 8, 8), (1, 1, 1), (17, 3, 33), (5, 1, 64), (2, 9, 1), (3, 0, 4), (3, 4, 0)]


def matrix_product(n: int, m: int, k: int, schedule: str, dtype: str = "float64") -> str:
    """Row sums of products with two results: sum and greatest."""
    x, y, z = tensor((n, k), dtype), tensor((k, m), dtype), tensor((n, m), dtype)
    t = TYPES[dtype]
    return f"""
func.func @main(%x: {x}, %y: {y}) -> ({z}, {z}) {{
  %z:2 = kernel.nest %x, %y (%i, %j, %r) {{space = [{n}, {m}], reduction = [{k}], combiners = [add, max]
    {schedule}}} : {x}, {y} -> ({z}, {z}) {{
    %a = kernel.load %x[%i, %r] : {x} -> {t}
    %b = kernel.load %y[%r, %j] : {y} -> {t}
    %p = array.mul %a, %b : {t}
    %q = array.sub %a, %b : {t}
    array.yield %p, %q : {t}, {t}
  }}
  func.return %z#0, %z#1 : {z}, {z}
}}"""


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("shape", SHAPES)
def test_schedules_of_a_product(schedule: str, shape: tuple[int, int, int]) -> None:
    random = np.random.default_rng(0)
    n, m, k = shape
    check(matrix_product(n, m, k, schedule), random.normal(size=(n, k)), random.normal(size=(k, m)))


@pytest.mark.parametrize("features", ["x86-64-v3", "baseline"])
@pytest.mark.parametrize("dtype", ["float32", "int32", "int64"])
def test_schedules_on_other_processors_and_types(features: str, dtype: str) -> None:
    random = np.random.default_rng(1)
    for schedule in SCHEDULES[1:8:2]:
        x = random.integers(-9, 9, (5, 13)).astype(dtype)
        y = random.integers(-9, 9, (13, 9)).astype(dtype)
        check(matrix_product(5, 9, 13, schedule, dtype), x, y, features=features)


def reduction(combiner: str, dtype: str, n: int, k: int, schedule: str) -> str:
    """One reduction of the rows of a matrix."""
    x = tensor((n, k), dtype)
    result = "int64" if combiner.startswith("arg") else dtype
    z = tensor((n,), result)
    t = TYPES[dtype]
    return f"""
func.func @main(%x: {x}) -> {z} {{
  %z = kernel.nest %x (%i, %r) {{space = [{n}], reduction = [{k}], combiners = [{combiner}]{schedule}}}
    : {x} -> {z} {{
    %a = kernel.load %x[%i, %r] : {x} -> {t}
    array.yield %a : {t}
  }}
  func.return %z : {z}
}}"""


ROW_SCHEDULES = [
    "",
    ", lane = 0",
    ", lane = 1",
    ", lane = 1, width = 32",
    ", lane = 1, tile_dim = 0, tile = 2",
]
COMBINERS = [
    *(("add", t) for t in ("float64", "float32", "int64", "int32")),
    *((c, t) for c in ("max", "min", "argmax", "argmin") for t in ("float64", "float32", "int64", "int32")),
    *((c, t) for c in ("and", "or") for t in ("int64", "int32", "bool")),
]


def rows(dtype: str, n: int, k: int, seed: int) -> npt.NDArray[Any]:
    """Rows with ties; floats with NaN, infinities, and a row of them alone."""
    random = np.random.default_rng(seed)
    if dtype == "bool":
        return random.integers(0, 2, (n, k)) > 0
    values = random.integers(-4, 5, (n, k)).astype(dtype)
    if dtype.startswith("float") and k > 2:
        values[0, random.integers(k)] = np.nan
        values[n // 2] = -np.inf
        values[n - 1, k // 2 :] = np.inf
    return values


@pytest.mark.parametrize("kind", COMBINERS, ids="-".join)
@pytest.mark.parametrize("shape", [(1, 1), (4, 3), (3, 8), (9, 37), (2, 200), (2, 0)])
def test_combiners(kind: tuple[str, str], shape: tuple[int, int]) -> None:
    for seed, schedule in enumerate(ROW_SCHEDULES):
        check(reduction(*kind, *shape, schedule), rows(kind[1], *shape, seed), rtol=1e-6)


def test_an_extremum_finds_a_nan_wherever_it_stands() -> None:
    for k in (5, 8, 19):
        for at in {0, k // 3, k - 1}:
            x = np.arange(2.0 * k).reshape(2, k)
            x[1, at] = np.nan
            for combiner in ("max", "argmax", "argmin"):
                check(reduction(combiner, "float64", 2, k, ", lane = 1"), x)


def test_results_depend_on_the_shape_alone() -> None:
    x = np.random.default_rng(2).normal(size=(3, 1003))
    text = reduction("add", "float64", 3, 1003, ", lane = 1")
    first, second = run(text, x), run(text, x.copy())
    np.testing.assert_array_equal(first, second)


def test_long_sums_are_accurate() -> None:
    x = np.full((1, 100_003), 0.1)
    (total,) = run(reduction("add", "float64", 1, 100_003, ", lane = 1"), x)
    # One after the other, the sum is off by 2e-12; how many sums run side by side depends on the machine.
    np.testing.assert_allclose(total, 10_000.3, rtol=5e-13)


STENCIL = """
func.func @main(%x: tensor<{n}xf64>) -> tensor<{n}xf64> {{
  %y = kernel.nest %x (%i) {{space = [{n}], reduction = []{schedule}}} : tensor<{n}xf64> -> tensor<{n}xf64> {{
    %one = array.constant 1 : i64
    %zero = array.constant 0 : i64
    %last = array.constant {last} : i64
    %before = array.sub %i, %one : i64
    %after = array.add %i, %one : i64
    %low = array.compare ge %before, %zero : i64, i64 -> i1
    %high = array.compare le %after, %last : i64, i64 -> i1
    %a = kernel.load_if %low, %x[%before] : i1, tensor<{n}xf64> -> f64
    %b = kernel.load %x[%i] : tensor<{n}xf64> -> f64
    %c = kernel.load_if %high, %x[%after] : i1, tensor<{n}xf64> -> f64
    %back = array.sub %last, %i : i64
    %d = kernel.load %x[%back] : tensor<{n}xf64> -> f64
    %f = kernel.load_if %low, %x[%zero] : i1, tensor<{n}xf64> -> f64
    %back2 = array.add %back, %one : i64
    %g = kernel.load_if %low, %x[%back2] : i1, tensor<{n}xf64> -> f64
    %s = array.add %a, %b : f64
    %t = array.mul %s, %c : f64
    %u = array.add %t, %d : f64
    %v = array.sub %u, %f : f64
    %w = array.sub %v, %g : f64
    array.yield %w : f64
  }}
  func.return %y : tensor<{n}xf64>
}}"""


@pytest.mark.parametrize("features", [None, "x86-64-v3", "baseline"])
@pytest.mark.parametrize("schedule", ["", ", lane = 0", ", lane = 0, width = 4", ", lane = 0, width = 32"])
def test_guards_and_reversed_loads(schedule: str, features: str | None) -> None:
    for n in (1, 2, 3, 8, 13, 40):
        x = np.random.default_rng(n).normal(size=n)
        check(STENCIL.format(n=n, last=n - 1, schedule=schedule), x, features=features)


GATHER = """
func.func @main(%x: tensor<{m}x3xf64>, %k: tensor<{n}xi64>, %q: tensor<i1s>) -> tensor<{n}x3xf64> {{
  %y = kernel.nest %x, %k, %q (%i, %j) {{space = [{n}, 3], reduction = []{schedule}}}
    : tensor<{m}x3xf64>, tensor<{n}xi64>, tensor<i1s> -> tensor<{n}x3xf64> {{
    %p = kernel.load %k[%i] : tensor<{n}xi64> -> i64
    %g = kernel.load %q[%i] : tensor<i1s> -> i1
    %two = array.constant 2 : i64
    %c = array.sub %two, %j : i64
    %a = kernel.load %x[%p, %c] : tensor<{m}x3xf64> -> f64
    %b = kernel.load_if %g, %x[%p, %j] : i1, tensor<{m}x3xf64> -> f64
    %pf = array.convert %p : i64 -> f64
    %if = array.convert %i : i64 -> f64
    %s = array.add %a, %b : f64
    %t = array.mul %s, %pf : f64
    %u = array.add %t, %if : f64
    array.yield %u : f64
  }}
  func.return %y : tensor<{n}x3xf64>
}}"""


@pytest.mark.parametrize("features", [None, "x86-64-v3", "baseline"])
@pytest.mark.parametrize(
    "schedule",
    ["", ", lane = 0", ", lane = 1", ", lane = 0, layouts = [[1, 0]]", ", lane = 0, tile_dim = 1, tile = 3"],
)
def test_positions_from_memory(schedule: str, features: str | None) -> None:
    random = np.random.default_rng(3)
    for n, m in ((1, 1), (7, 4), (19, 50)):
        text = GATHER.format(n=n, m=m, schedule=schedule).replace("i1s", f"{n}xi1")
        positions, flags = random.integers(0, m, n), random.integers(0, 2, n) > 0
        check(text, random.normal(size=(m, 3)), positions, flags, features=features)


def test_reductions_over_several_dimensions() -> None:
    x = np.random.default_rng(4).normal(size=(3, 4, 5, 6))
    for schedule in (
        "",
        ", lane = 3",
        ", lane = 2",
        ", lane = 0",
        ", lane = 1, reduction_outer",
        ", lane = 1, order = [2, 0, 1, 3]",
        ", lane = 3, order = [2, 0, 1, 3]",
        ", lane = 2, order = [0, 1, 2, 3]",
        ", lane = 2, order = [2, 0, 1, 3]",
    ):
        check(f"""
func.func @main(%x: tensor<3x4x5x6xf64>) -> tensor<3x4xf64> {{
  %z = kernel.nest %x (%i, %j, %r, %s) {{space = [3, 4], reduction = [5, 6], combiners = [add]{schedule}}}
    : tensor<3x4x5x6xf64> -> tensor<3x4xf64> {{
    %a = kernel.load %x[%i, %j, %r, %s] : tensor<3x4x5x6xf64> -> f64
    %e = array.exp %a : f64
    array.yield %e : f64
  }}
  func.return %z : tensor<3x4xf64>
}}""", x)  # fmt: skip


def test_values_that_lanes_share() -> None:
    x = np.arange(1.0, 8.0)
    for schedule in ("", ", lane = 0", ", lane = 1", ", lane = 0, reduction_outer"):
        check(f"""
func.func @main(%x: tensor<7xf64>) -> (tensor<9xf64>, tensor<9xf64>) {{
  %z:2 = kernel.nest %x (%i, %r) {{space = [9], reduction = [7], combiners = [add, min]{schedule}}}
    : tensor<7xf64> -> (tensor<9xf64>, tensor<9xf64>) {{
    %a = kernel.load %x[%r] : tensor<7xf64> -> f64
    %c = array.constant 3.0 : f64
    array.yield %a, %c : f64, f64
  }}
  func.return %z#0, %z#1 : tensor<9xf64>, tensor<9xf64>
}}""", x)  # fmt: skip


SCALARS_AND_RETURNS = """
func.func @main(%x: f64, %v: tensor<3xf64>, %q: tensor<2xi1>)
    -> (f64, f64, f64, tensor<3xf64>, tensor<2xi64>, f64, tensor<2x3xf64>, tensor<2xi1>) {
  %c = array.constant dense<[4, -5]> : tensor<2xi64>
  %y = kernel.nest %x () {space = [], reduction = []} : f64 -> f64 {
    %a = kernel.load %x : f64 -> f64
    %b = array.exp %a : f64
    array.yield %b : f64
  }
  %s = kernel.nest %v (%r) {space = [], reduction = [3], combiners = [add], lane = 0} : tensor<3xf64> -> f64 {
    %a = kernel.load %v[%r] : tensor<3xf64> -> f64
    array.yield %a : f64
  }
  %t = kernel.nest %v, %y (%i, %j) {space = [2, 3], reduction = [], lane = 0, layouts = [[1, 0]]}
      : tensor<3xf64>, f64 -> tensor<2x3xf64> {
    %a = kernel.load %v[%j] : tensor<3xf64> -> f64
    %b = kernel.load %y : f64 -> f64
    %k = array.convert %i : i64 -> f64
    %d = array.mul %a, %b : f64
    %e = array.add %d, %k : f64
    array.yield %e : f64
  }
  func.return %y, %y, %s, %v, %c, %x, %t, %q
    : f64, f64, f64, tensor<3xf64>, tensor<2xi64>, f64, tensor<2x3xf64>, tensor<2xi1>
}"""


def test_scalars_duplicates_arguments_and_literals_as_results() -> None:
    check(SCALARS_AND_RETURNS, 0.5, np.arange(3.0), np.array([True, False]))


def test_literals_of_any_size() -> None:
    for n in (2, 2000):
        numbers = ", ".join(f"{k}.5" for k in range(n))
        x = np.arange(float(n))
        program = check(f"""
func.func @main(%x: tensor<{n}xf64>) -> tensor<{n}xf64> {{
  %c = array.constant dense<[{numbers}]> : tensor<{n}xf64>
  %y = kernel.nest %x, %c (%i) {{space = [{n}], reduction = [], lane = 0}}
    : tensor<{n}xf64>, tensor<{n}xf64> -> tensor<{n}xf64> {{
    %a = kernel.load %x[%i] : tensor<{n}xf64> -> f64
    %b = kernel.load %c[%i] : tensor<{n}xf64> -> f64
    %d = array.mul %a, %b : f64
    array.yield %d : f64
  }}
  func.return %y : tensor<{n}xf64>
}}""", x)  # fmt: skip
        assert len(program.constants) == (n == 2000)


PLANNED = """
func.func @main(%x: tensor<{n}xf64>) -> tensor<{n}xf64> attributes {{kernel.arena_bytes = {bytes} : i64}} {{
  %a = kernel.nest %x (%i) {{space = [{n}], reduction = [], lane = 0, places = [0]}}
    : tensor<{n}xf64> -> tensor<{n}xf64> {{
    %v = kernel.load %x[%i] : tensor<{n}xf64> -> f64
    %w = array.add %v, %v : f64
    array.yield %w : f64
  }}
  %b = kernel.nest %a (%i) {{space = [{n}], reduction = [], lane = 0, places = [0]}}
    : tensor<{n}xf64> -> tensor<{n}xf64> {{
    %v = kernel.load %a[%i] : tensor<{n}xf64> -> f64
    %e = array.exp %v : f64
    %w = array.mul %v, %e : f64
    array.yield %w : f64
  }}
  %c = kernel.nest %b (%i) {{space = [{n}], reduction = [], lane = 0, places = [-1]}}
    : tensor<{n}xf64> -> tensor<{n}xf64> {{
    %v = kernel.load %b[%i] : tensor<{n}xf64> -> f64
    %w = array.add %v, %v : f64
    array.yield %w : f64
  }}
  func.return %c : tensor<{n}xf64>
}}"""


def test_results_in_the_memory_of_operands() -> None:
    for n in (5, 8, 13, 30):
        x = np.linspace(-1, 1, n)
        program = check(PLANNED.format(n=n, bytes=8 * n), x)
        assert program.arena_bytes == 8 * n


def test_an_access_outside_its_buffer_is_reported() -> None:
    text = STENCIL.format(n=8, last=9, schedule=", lane = 0")
    with pytest.raises(CompileError, match="writes to constant 0"):
        run(text, np.arange(8.0), checks=True)


def test_same_text_for_the_same_function() -> None:
    text = matrix_product(5, 6, 7, ", lane = 1, tile_dim = 0, tile = 2")
    assert compiled(text)[1].llvm == compiled(text)[1].llvm
    assert run_function(compiled(text)[0], [np.ones((5, 7)), np.ones((7, 6))])[0][0, 0] == 7


def test_copies_of_a_tile_are_computed_one_after_the_other() -> None:
    """The terms of one copy are added before the next begins, so few registers hold unfinished values."""
    text = """
    func.func @main(%x: tensor<12x5xf64>, %y: tensor<5x16xf64>) -> tensor<12x16xf64> {
      %z = kernel.nest %x, %y (%i, %j, %k)
          {space = [12, 16], reduction = [5], combiners = [add], lane = 1, width = 8, tile_dim = 0, tile = 4}
          : tensor<12x5xf64>, tensor<5x16xf64> -> tensor<12x16xf64> {
        %a = kernel.load %x[%i, %k] : tensor<12x5xf64> -> f64
        %b = kernel.load %y[%k, %j] : tensor<5x16xf64> -> f64
        %d = array.sub %a, %b : f64
        %s = array.mul %d, %d : f64
        array.yield %s : f64
      }
      func.return %z : tensor<12x16xf64>
    }"""
    x, y = np.random.default_rng(0).normal(size=(12, 5)), np.random.default_rng(1).normal(size=(5, 16))
    program = check(text, x, y)
    ops = re.findall(r"= (fsub|fmul|fadd|select) contract", program.llvm)
    assert ops == ["fsub", "fmul", "fadd"] * 4


def test_conditions_become_numbers_by_selection() -> None:
    """A vector of conditions is a mask; converting it would pack it into bits first."""
    text = """
    func.func @main(%x: tensor<32xf64>) -> f64 {
      %n = kernel.nest %x (%k) {space = [], reduction = [32], combiners = [add], lane = 0, width = 16}
          : tensor<32xf64> -> f64 {
        %a = kernel.load %x[%k] : tensor<32xf64> -> f64
        %zero = array.constant 0.0 : f64
        %c = array.compare gt %a, %zero : f64, f64 -> i1
        %v = array.convert %c : i1 -> f64
        array.yield %v : f64
      }
      func.return %n : f64
    }"""
    program = check(text, np.arange(-16.0, 16.0))
    assert "uitofp" not in program.llvm


MOVES = """
func.func @main(%x: tensor<4x96xf64>) -> (tensor<4x96xf64>, tensor<5x7xf64>, tensor<5x7xf64>) {{
  %a = kernel.nest %x (%i, %j) {{space = [4, 96], reduction = [], lane = 1, width = 16}}
      : tensor<4x96xf64> -> tensor<4x96xf64> {{
    %v = kernel.load %x[{positions}] : tensor<4x96xf64> -> f64
    array.yield %v : f64
  }}
  %b:2 = kernel.nest (%i, %j) {{space = [5, 7], reduction = []}} : -> (tensor<5x7xf64>, tensor<5x7xf64>) {{
    %v = array.constant {number} : f64
    %w = array.constant 0.0 : f64
    array.yield %v, %w : f64, f64
  }}
  func.return %a, %b#0, %b#1 : tensor<4x96xf64>, tensor<5x7xf64>, tensor<5x7xf64>
}}"""


def test_whole_arrays_are_copied_and_filled_with_zeros_without_loops() -> None:
    x = np.random.default_rng(0).normal(size=(4, 96))
    program = check(MOVES.format(positions="%i, %j", number="0.0"), x)
    calls = [program.llvm.count(f"call void @llvm.{name}.") for name in ("memcpy", "memset")]
    assert calls == [1, 2] and " phi " not in program.llvm
    text = MOVES.format(positions="%i, %i", number="-0.0")
    program = check(text, x)
    assert "call void @llvm.mem" not in program.llvm
    assert np.signbit(run(text, x)[1]).all()


def test_what_lanes_share_becomes_a_vector_in_front_of_their_loop() -> None:
    text = """
    func.func @main(%x: tensor<6xf64>, %y: tensor<64xf64>) -> tensor<6x64xf64> {
      %z = kernel.nest %x, %y (%i, %j) {space = [6, 64], reduction = [], lane = 1, width = 4}
          : tensor<6xf64>, tensor<64xf64> -> tensor<6x64xf64> {
        %a = kernel.load %x[%i] : tensor<6xf64> -> f64
        %b = kernel.load %y[%j] : tensor<64xf64> -> f64
        %c = array.mul %a, %b : f64
        array.yield %c : f64
      }
      func.return %z : tensor<6x64xf64>
    }"""
    program = check(text, np.arange(6.0), np.arange(64.0))
    before, inside = program.llvm.split("\ni1.body", 1)
    assert before.count("shufflevector") == 1
    assert "shufflevector" not in inside


@pytest.mark.parametrize("additions", [4096, 4000])
def test_whole_blocks_of_a_long_sum_need_no_end(additions: int) -> None:
    """The loop over a block runs at all, so it has no branch in front, and polls nothing: it is short."""
    x, y = tensor((additions, 16), "float32"), tensor((16,), "float32")
    text = f"""
    func.func @main(%x: {x}) -> {y} {{
      %z = kernel.nest %x (%i, %r) {{space = [16], reduction = [{additions}], combiners = [add], lane = 0}}
          : {x} -> {y} {{
        %a = kernel.load %x[%r, %i] : {x} -> f32
        array.yield %a : f32
      }}
      func.return %z : {y}
    }}"""
    numbers = np.random.default_rng(0).random((additions, 16), np.float32)
    program = check(text, numbers, rtol=1e-5)
    assert ("smin" in program.llvm) == (additions == 4000)
    loops = re.findall(r"^\w+\.body\.\d+:", program.llvm, re.MULTILINE)
    assert program.llvm.count("br i1") == len(loops)


def test_the_first_rows_are_not_copied_with_all_others() -> None:
    text = """
func.func @main(%x: tensor<6xf64>) -> tensor<3xf64> {
  %0 = kernel.nest %x (%i) {space = [3], reduction = []} : tensor<6xf64> -> tensor<3xf64> {
    %1 = kernel.load %x[%i] : tensor<6xf64> -> f64
    array.yield %1 : f64
  }
  func.return %0 : tensor<3xf64>
}
"""
    program = check(text, np.arange(6.0))
    assert "i64 48" not in program.llvm
