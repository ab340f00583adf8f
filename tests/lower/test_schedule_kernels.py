"""Schedules of representative nests: which decisions are taken, and that they leave the meaning alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ArrayAttr, TensorType
from xdsl.dialects.func import FuncOp

from mlirad.dialects.kernel import NestOp, ScatterOp
from mlirad.dialects.shapes import values_of
from mlirad.interpreter import run_function
from mlirad.ir.parsing import make_context, parse_module
from mlirad.ir.verification import verify_module
from mlirad.lower.cpu.schedule_kernels import ScheduleKernelsPass, schedule_function
from tests.lower.emission import check


def function(text: str) -> FuncOp:
    return next(op for op in parse_module(text).body.block.ops if isinstance(op, FuncOp))


def scheduled(text: str, vector_bytes: int = 64) -> FuncOp:
    """The scheduled function, checked to be well-formed and to mean the same."""
    module = parse_module(text)
    original = function(text)
    ScheduleKernelsPass(vector_bytes=vector_bytes).apply(make_context(), module)
    verify_module(module)
    new = next(op for op in module.body.block.ops if isinstance(op, FuncOp))
    generator = np.random.default_rng(0)
    shapes = [t.get_shape() if isinstance(t, TensorType) else () for t in original.function_type.inputs]
    args = [generator.standard_normal(tuple(shape)) for shape in shapes]
    for a, b in zip(run_function(new, args), run_function(original, args), strict=True):
        np.testing.assert_array_equal(a, b)
    return new


def nests(f: FuncOp) -> list[NestOp]:
    return [op for op in f.body.block.ops if isinstance(op, NestOp)]


def decisions(op: NestOp | ScatterOp) -> dict[str, object]:
    found: dict[str, object] = {}
    for name in ("lane", "width", "tile_dim", "tile"):
        value = op.properties.get(name)
        if value is not None:
            found[name] = value.value.data
    return found


def layout(op: NestOp | ScatterOp, k: int = 0) -> tuple[int, ...] | None:
    return None if not isinstance(op.layouts, ArrayAttr) else values_of(op.layouts.data[k])


def order(op: NestOp) -> tuple[int, ...] | None:
    return None if op.order is None else values_of(op.order)


def contraction(i: int, j: int, k: int) -> str:
    return f"""
    func.func @f(%x: tensor<{i}x{k}xf64>, %y: tensor<{k}x{j}xf64>) -> tensor<{i}x{j}xf64> {{
      %z = kernel.nest %x, %y (%i, %j, %k) {{space = [{i}, {j}], reduction = [{k}], combiners = [add]}}
          : tensor<{i}x{k}xf64>, tensor<{k}x{j}xf64> -> tensor<{i}x{j}xf64> {{
        %a = kernel.load %x[%i, %k] : tensor<{i}x{k}xf64> -> f64
        %b = kernel.load %y[%k, %j] : tensor<{k}x{j}xf64> -> f64
        %p = array.mul %a, %b : f64
        array.yield %p : f64
      }}
      func.return %z : tensor<{i}x{j}xf64>
    }}"""


def sums(n: int, m: int, *, rows: bool, body: str = "") -> str:
    space, reduction, position = (n, m, "%i, %k") if rows else (m, n, "%k, %i")
    value = "%b" if body else "%a"
    return f"""
    func.func @f(%x: tensor<{n}x{m}xf64>) -> tensor<{space}xf64> {{
      %z = kernel.nest %x (%i, %k) {{space = [{space}], reduction = [{reduction}], combiners = [add]}}
          : tensor<{n}x{m}xf64> -> tensor<{space}xf64> {{
        %a = kernel.load %x[{position}] : tensor<{n}x{m}xf64> -> f64
        {body}
        array.yield {value} : f64
      }}
      func.return %z : tensor<{space}xf64>
    }}"""


def elementwise(n: int, element: str = "f64", ops: tuple[str, ...] = ("neg",)) -> str:
    lines = "\n".join(f"%v{k + 1} = array.{op} %v{k} : {element}" for k, op in enumerate(ops))
    return f"""
    func.func @f(%x: tensor<{n}x{element}>) -> tensor<{n}x{element}> {{
      %z = kernel.nest %x (%i) {{space = [{n}], reduction = []}}
          : tensor<{n}x{element}> -> tensor<{n}x{element}> {{
        %v0 = kernel.load %x[%i] : tensor<{n}x{element}> -> {element}
        {lines}
        array.yield %v{len(ops)} : {element}
      }}
      func.return %z : tensor<{n}x{element}>
    }}"""


# Lanes -------------------------------------------------------------------------------------------


def test_a_contraction_runs_lanes_along_the_contiguous_output_and_tiles_the_other() -> None:
    (nest,) = nests(scheduled(contraction(100, 80, 64)))
    found = decisions(nest)
    assert (found["lane"], found["width"], found["tile_dim"]) == (1, 16, 0)
    assert found["tile"] > 1, "rows share the loads of the other operand"


def test_column_sums_run_lanes_along_columns_with_the_reduction_outside() -> None:
    (nest,) = nests(scheduled(sums(500, 100, rows=False)))
    assert decisions(nest)["lane"] == 0
    assert nest.reduction_outer is not None
    assert order(nest) == (1, 0)


def windows(side: int, images: int) -> str:
    """The gradient of a 3 x 3 kernel of 4 x 4 channels, from padded images and cotangents."""
    x, w = f"tensor<{images}x4x{side + 2}x{side + 2}xf64>", f"tensor<{images}x4x{side}x{side}xf64>"
    return f"""
func.func @f(%x: {x}, %w: {w}) -> tensor<3x3x4x4xf64> {{
  %y = kernel.nest %x, %w (%r, %s, %c, %o, %i, %j, %n)
      {{space = [3, 3, 4, 4], reduction = [{side}, {side}, {images}], combiners = [add]}}
      : {x}, {w} -> tensor<3x3x4x4xf64> {{
    %p = array.add %i, %r : i64
    %q = array.add %j, %s : i64
    %a = kernel.load %x[%n, %c, %p, %q] : {x} -> f64
    %b = kernel.load %w[%n, %o, %i, %j] : {w} -> f64
    %t = array.mul %a, %b : f64
    array.yield %t : f64
  }}
  func.return %y : tensor<3x3x4x4xf64>
}}"""


def test_sums_over_windows_share_lines_beyond_the_first_cache() -> None:
    near, far = (decisions(nests(scheduled(windows(side, 2)))[0]) for side in (8, 48))
    assert (near["lane"], far["lane"]) == (5, 5)
    assert near["tile_dim"] in (2, 3)  # fewest loads
    assert (far["tile_dim"], far["tile"]) in ((0, 3), (1, 3))
    rng = np.random.default_rng(0)
    check(windows(48, 2), rng.normal(size=(2, 4, 50, 50)), rng.normal(size=(2, 4, 48, 48)))


def test_few_columns_are_summed_in_registers() -> None:
    (nest,) = nests(scheduled(sums(500, 16, rows=False)))
    assert decisions(nest)["lane"] == 0
    assert nest.reduction_outer is None
    assert order(nest) == (0, 1)


def test_long_rows_are_summed_along_themselves() -> None:
    (nest,) = nests(scheduled(sums(50, 400, rows=True)))
    assert decisions(nest)["lane"] == 1


def test_short_rows_run_lanes_across_rows() -> None:
    (nest,) = nests(scheduled(sums(800, 6, rows=True)))
    assert decisions(nest)["lane"] == 0


def test_tiny_nests_stay_scalar() -> None:
    (nest,) = nests(scheduled(elementwise(8)))
    assert decisions(nest) == {}


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_empty_and_small_extents(n: int) -> None:
    (nest,) = nests(scheduled(elementwise(n)))
    assert decisions(nest) == {}
    (nest,) = nests(scheduled(contraction(n, 40, 30)))
    assert decisions(nest).get("tile", 1) <= max(1, n)
    scheduled(contraction(40, n, 30))
    scheduled(contraction(40, 40, n))


@pytest.mark.parametrize(("n", "m", "lane"), [(1, 4000, 1), (300, 7, 0)])
def test_argmax_of_few_runs_across_rows(n: int, m: int, lane: int) -> None:
    text = sums(n, m, rows=True).replace("[add]", "[argmax]")
    text = text.replace(f"-> tensor<{n}xf64>", f"-> tensor<{n}xi64>").replace(
        f": tensor<{n}xf64>\n", f": tensor<{n}xi64>\n"
    )
    (nest,) = nests(scheduled(text))
    assert decisions(nest)["lane"] == lane


def test_positions_that_are_data_are_gathers() -> None:
    text = """
    func.func @f(%x: tensor<40x500xf64>, %p: tensor<500xf64>) -> tensor<500xf64> {
      %z = kernel.nest %x, %p (%i, %k) {space = [500], reduction = [40], combiners = [add]}
          : tensor<40x500xf64>, tensor<500xf64> -> tensor<500xf64> {
        %q = kernel.load %p[%i] : tensor<500xf64> -> f64
        %zero = array.constant 0.0 : f64
        %m = array.mul %q, %zero : f64
        %e = array.convert %m : f64 -> i64
        %a = kernel.load %x[%k, %e] : tensor<40x500xf64> -> f64
        array.yield %a : f64
      }
      func.return %z : tensor<500xf64>
    }"""
    (nest,) = nests(scheduled(text))
    assert decisions(nest).get("lane") != 1


# Widths ------------------------------------------------------------------------------------------


def test_widths_fit_vectors_element_sizes_and_bodies() -> None:
    def width(text: str, vector_bytes: int = 64) -> object:
        return decisions(nests(scheduled(text, vector_bytes))[0])["width"]

    light, heavy = ("neg",), ("exp", "log", "tanh")
    assert width(elementwise(1024)) == 32
    assert width(elementwise(1024), 32) == 16
    assert width(elementwise(1024), 16) == 8
    assert width(elementwise(1024, ops=heavy)) == 16
    assert width(elementwise(1000, ops=light * 12)) == 32
    assert width(elementwise(100, ops=heavy)) == 8
    assert width(elementwise(1024, ops=("special log_ndtr",))) == 32
    assert width(elementwise(1024, ops=(*heavy, "special erfcx"))) == 32


@given(st.integers(1, 70), st.integers(1, 70), st.integers(1, 70), st.sampled_from([16, 32, 64]))
def test_every_schedule_of_a_contraction_is_sound(i: int, j: int, k: int, vector_bytes: int) -> None:
    (nest, *_) = reversed(nests(schedule_function(function(contraction(i, j, k)), vector_bytes=vector_bytes)))
    found = decisions(nest)
    width = found.get("width", 1)
    assert isinstance(width, int) and width & (width - 1) == 0
    if "lane" in found:
        assert width <= nest.extents[found["lane"]]  # pyright: ignore
    if "tile" in found:
        accumulators = found["tile"] * max(1, width * 8 // vector_bytes)  # pyright: ignore
        assert accumulators < (32 if vector_bytes == 64 else 16)
        assert found["tile_dim"] != found["lane"]
    assert sorted(order(nest) or ()) == [0, 1, 2]


# Packs and layouts -------------------------------------------------------------------------------

GMM = """
func.func @f(%x: tensor<200x10xf64>, %m: tensor<25x10xf64>, %q: tensor<25x10x10xf64>) -> tensor<200xf64> {
  %c = kernel.nest %x, %m (%n, %k, %d) {space = [200, 25, 10], reduction = []}
      : tensor<200x10xf64>, tensor<25x10xf64> -> tensor<200x25x10xf64> {
    %a = kernel.load %x[%n, %d] : tensor<200x10xf64> -> f64
    %b = kernel.load %m[%k, %d] : tensor<25x10xf64> -> f64
    %s = array.sub %a, %b : f64
    array.yield %s : f64
  }
  %y = kernel.nest %q, %c (%n, %k, %d, %e) {space = [200, 25, 10], reduction = [10], combiners = [add]}
      : tensor<25x10x10xf64>, tensor<200x25x10xf64> -> tensor<200x25x10xf64> {
    %a = kernel.load %q[%k, %d, %e] : tensor<25x10x10xf64> -> f64
    %b = kernel.load %c[%n, %k, %e] : tensor<200x25x10xf64> -> f64
    %s = array.mul %a, %b : f64
    array.yield %s : f64
  }
  %w = kernel.nest %y (%n, %k) {space = [200], reduction = [25], combiners = [add]}
      : tensor<200x25x10xf64> -> tensor<200xf64> {
    %o = array.constant 0 : i64
    %b = kernel.load %y[%n, %k, %o] : tensor<200x25x10xf64> -> f64
    %s = array.exp %b : f64
    array.yield %s : f64
  }
  func.return %w : tensor<200xf64>
}"""


def test_intermediates_lie_in_the_lane_order_of_their_consumers() -> None:
    pack, centred, product, total = nests(scheduled(GMM))
    assert layout(pack) == (1, 0)
    assert layout(centred) == layout(product) == (1, 2, 0)
    assert [decisions(op)["lane"] for op in (centred, product, total)] == [0, 0, 0]
    assert decisions(product)["tile"] > 1
    assert layout(total) is None


def test_a_copy_is_shared_by_its_readers_and_keeps_the_location() -> None:
    square = "tensor<100x100xf64>"
    product = f"""kernel.nest %x, %y (%i, %j, %k) {{space = [100, 100], reduction = [100], combiners = [add]}}
          : {square}, {square} -> {square} {{
        %a = kernel.load %x[%i, %k] : {square} -> f64
        %b = kernel.load %y[%j, %k] : {square} -> f64
        %p = array.OP %a, %b : f64
        array.yield %p : f64
      }}"""
    text = f"""
    func.func @f(%x: {square}, %y: {square}) -> ({square}, {square}) {{
      %z = {product.replace("OP", "mul")}
      %w = {product.replace("OP", "add")}
      func.return %z, %w : {square}, {square}
    }}"""
    copy, *readers = nests(scheduled(text))
    assert len(readers) == 2
    assert all(copy.roots[0] in op.inputs for op in readers)
    assert copy.location == readers[0].location


def test_inputs_read_once_are_not_copied() -> None:
    text = """
    func.func @f(%x: tensor<64x96xf64>) -> tensor<96x64xf64> {
      %z = kernel.nest %x (%i, %j) {space = [96, 64], reduction = []}
          : tensor<64x96xf64> -> tensor<96x64xf64> {
        %a = kernel.load %x[%j, %i] : tensor<64x96xf64> -> f64
        %e = array.exp %a : f64
        array.yield %e : f64
      }
      func.return %z : tensor<96x64xf64>
    }"""
    assert len(nests(scheduled(text))) == 1


def test_returned_values_and_operands_of_blas_stay_row_major() -> None:
    text = """
    func.func @f(%x: tensor<64x96xf64>) -> (tensor<96x64xf64>, tensor<96x96xf64>) {
      %z, %w = kernel.nest %x (%i, %j) {space = [96, 64], reduction = []}
          : tensor<64x96xf64> -> (tensor<96x64xf64>, tensor<96x64xf64>) {
        %a = kernel.load %x[%j, %i] : tensor<64x96xf64> -> f64
        %e = array.exp %a : f64
        array.yield %e, %a : f64, f64
      }
      %d = kernel.dot %w, %w {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [1]}
          : tensor<96x64xf64>, tensor<96x64xf64> -> tensor<96x96xf64>
      func.return %z, %d : tensor<96x64xf64>, tensor<96x96xf64>
    }"""
    (nest,) = nests(scheduled(text))
    assert layout(nest) is None


# Order and scatters ------------------------------------------------------------------------------


def test_blocks_of_lanes_run_outermost_when_the_rest_stays_in_cache() -> None:
    text = """
    func.func @f(%q: tensor<25x10x10xf64>, %x: tensor<10x9000xf64>) -> tensor<25x10x9000xf64> {
      %y = kernel.nest %q, %x (%k, %d, %n, %e) {space = [25, 10, 9000], reduction = [10], combiners = [add]}
          : tensor<25x10x10xf64>, tensor<10x9000xf64> -> tensor<25x10x9000xf64> {
        %a = kernel.load %q[%k, %d, %e] : tensor<25x10x10xf64> -> f64
        %b = kernel.load %x[%e, %n] : tensor<10x9000xf64> -> f64
        %s = array.mul %a, %b : f64
        array.yield %s : f64
      }
      func.return %y : tensor<25x10x9000xf64>
    }"""
    (nest,) = nests(schedule_function(function(text)))
    assert decisions(nest)["lane"] == 2
    assert order(nest) == (2, 0, 1, 3)


SCATTER = """
func.func @f(%g: tensor<30x64xf64>, %p: tensor<30xf64>) -> tensor<50x64xf64> {
  %z = kernel.scatter add %g, %p (%i, %j) {space = [30, 64], from_zero}
      : tensor<30x64xf64>, tensor<30xf64> -> tensor<50x64xf64> {
    %a = kernel.load %g[%i, %j] : tensor<30x64xf64> -> f64
    %q = kernel.load %p[%i] : tensor<30xf64> -> f64
    %zero = array.constant 0.0 : f64
    %m = array.mul %q, %zero : f64
    %e = array.convert %m : f64 -> i64
    array.yield %a, POSITIONS : f64, i64, i64
  }
  func.return %z : tensor<50x64xf64>
}"""


def test_a_scatter_of_rows_runs_lanes_along_rows() -> None:
    f = scheduled(SCATTER.replace("POSITIONS", "%e, %j"))
    scatter = next(op for op in f.body.block.ops if isinstance(op, ScatterOp))
    assert decisions(scatter) == {"lane": 1, "width": 16}


def test_a_scatter_whose_rows_depend_on_the_lane_stays_scalar() -> None:
    f = scheduled(SCATTER.replace("POSITIONS", "%i, %e"))
    scatter = next(op for op in f.body.block.ops if isinstance(op, ScatterOp))
    assert decisions(scatter) == {}


OVERLAPPING_ROWS = """
func.func @main(%g: tensor<20x3x32xf64>) -> RESULT {
  %z = kernel.scatter add %g (%i, %k, %c) {space = [20, 3, 32], from_zero}
      : tensor<20x3x32xf64> -> tensor<32x41xf64> {
    %a = kernel.load %g[%i, %k, %c] : tensor<20x3x32xf64> -> f64
    %two = array.constant 2 : i64
    %start = array.mul %i, %two : i64
    %p = array.add %start, %k : i64
    array.yield %a, %c, %p : f64, i64, i64
  }
  READER
}"""
TURNED = """%y = kernel.nest %z (%p, %c) {space = [41, 32], reduction = []}
      : tensor<32x41xf64> -> tensor<41x32xf64> {
    %a = kernel.load %z[%c, %p] : tensor<32x41xf64> -> f64
    %e = array.neg %a : f64
    array.yield %e : f64
  }
  func.return %y : tensor<41x32xf64>"""


def test_a_sum_lies_in_the_order_in_which_a_scatter_adds_to_it() -> None:
    text = OVERLAPPING_ROWS.replace("RESULT", "tensor<41x32xf64>").replace("READER", TURNED)
    f = scheduled(text)
    scatter = next(op for op in f.body.block.ops if isinstance(op, ScatterOp))
    assert (layout(scatter), decisions(scatter)["lane"]) == ((1, 0), 2)
    check(str(f), np.random.default_rng(0).normal(size=(20, 3, 32)))


def test_a_sum_that_is_returned_stays_row_major() -> None:
    returned = "func.return %z : tensor<32x41xf64>"
    f = scheduled(OVERLAPPING_ROWS.replace("RESULT", "tensor<32x41xf64>").replace("READER", returned))
    scatter = next(op for op in f.body.block.ops if isinstance(op, ScatterOp))
    assert layout(scatter) is None
    assert "lane" not in decisions(scatter)


def test_the_given_function_is_left_alone() -> None:
    original = function(GMM)
    before = str(original)
    schedule_function(original)
    assert str(original) == before


@pytest.mark.parametrize(("n", "width"), [(14, 8), (63, 8), (64, 16), (4096, 16)])
def test_chains_over_long_loops_take_several_vectors(n: int, width: int) -> None:
    """An exponential waits for itself; over short loops blocks stay narrower, as they overlap at the end."""
    text = f"""
    func.func @f(%x: tensor<{n}xf64>) -> tensor<{n}xf64> {{
      %y = kernel.nest %x (%i) {{space = [{n}], reduction = []}} : tensor<{n}xf64> -> tensor<{n}xf64> {{
        %a = kernel.load %x[%i] : tensor<{n}xf64> -> f64
        %e = array.exp %a : f64
        array.yield %e : f64
      }}
      func.return %y : tensor<{n}xf64>
    }}"""
    assert decisions(nests(scheduled(text, 32))[0])["width"] == width


def test_what_depends_on_no_loop_is_computed_once_so_it_keeps_no_lanes_away() -> None:
    """A call of the C library has no vector form."""

    def called(on: str) -> str:
        return f"""
        func.func @f(%x: tensor<1000xf64>, %a: f64) -> tensor<1000xf64> {{
          %z = kernel.nest %x, %a (%i) {{space = [1000], reduction = []}}
              : tensor<1000xf64>, f64 -> tensor<1000xf64> {{
            %u = kernel.load %x[%i] : tensor<1000xf64> -> f64
            %v = kernel.load %a[] : f64 -> f64
            %g = array.lgamma %{on} : f64
            %p = array.mul %u, %g : f64
            array.yield %p : f64
          }}
          func.return %z : tensor<1000xf64>
        }}"""

    (once,), (each,) = nests(scheduled(called("v"))), nests(scheduled(called("u")))
    assert decisions(once)["lane"] == 0
    assert "lane" not in decisions(each)
