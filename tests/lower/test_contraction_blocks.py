"""Blocks of contractions: few rows are cut by columns, copies stay few, large products make many tasks."""

from __future__ import annotations

import pytest

from mlirad.dialects.kernel import DotOp
from mlirad.ir.parsing import parse_module
from mlirad.lower.cpu.schedule_kernels import schedule_in_place
from mlirad.lower.cpu.schedule_kernels.contraction_blocks import BLOCK_MULTIPLE, best_blocks
from mlirad.lower.cpu.schedule_kernels.parallel import MOST_TASKS
from tests.lower.emission import tensor

BLAS = 16
"""The vectors of a processor that leaves products to BLAS."""


def product(rows: int, columns: int, inner: int, *, is_transposed: bool = False) -> DotOp:
    """A contraction of two matrices; the left one lies by columns if it is transposed."""
    left = (inner, rows) if is_transposed else (rows, inner)
    a, b, c = (tensor(s, "float32") for s in (left, (inner, columns), (rows, columns)))
    module = parse_module(f"""
func.func @main(%x: {a}, %y: {b}) -> {c} {{
  %z = kernel.dot %x, %y {{lhs_batch = [], rhs_batch = [], lhs_contract = [{0 if is_transposed else 1}],
    rhs_contract = [0]}} : {a}, {b} -> {c}
  func.return %z : {c}
}}""")
    return next(op for op in module.walk() if isinstance(op, DotOp))


def test_few_rows_are_cut_by_columns() -> None:
    blocks = best_blocks(product(64, 512, 784), MOST_TASKS, BLAS)
    assert (blocks.rows, blocks.columns, blocks.count) == (64, 128, 4)


def test_an_operand_that_is_slow_to_copy_is_copied_less() -> None:
    """One that lies by columns is not copied again where the other is no larger."""
    blocks = best_blocks(product(512, 512, 512, is_transposed=True), MOST_TASKS, BLAS)
    assert blocks.columns == 512 and blocks.count == 2


def test_large_products_make_many_tasks() -> None:
    counts = [best_blocks(product(n, n, n), MOST_TASKS, BLAS).count for n in (512, 1024, 2048, 4096)]
    assert counts == sorted(counts) and counts[0] >= 2 and counts[-1] >= 16


def test_products_whose_copies_cost_as_much_stay_whole() -> None:
    assert best_blocks(product(64, 64, 4096), MOST_TASKS, BLAS).count == 1


@pytest.mark.parametrize("vector_bytes", [BLAS, 32, 64])
@pytest.mark.parametrize("most", [1, 2, 3, 7, 128])
@pytest.mark.parametrize("shape", [(500, 700, 300), (1000, 90, 1000), (33, 4000, 600)])
def test_blocks_cover_the_product(shape: tuple[int, int, int], most: int, vector_bytes: int) -> None:
    rows, columns, _ = shape
    blocks = best_blocks(product(*shape), most, vector_bytes)
    down, across = -(-rows // blocks.rows), -(-columns // blocks.columns)
    assert down * across <= blocks.count <= most
    if vector_bytes == BLAS:
        assert blocks.count == 1 or blocks.count % 2 == 0
        assert blocks.rows == rows or blocks.rows % BLOCK_MULTIPLE == 0
        assert blocks.columns == columns or blocks.columns % BLOCK_MULTIPLE == 0
    else:
        assert down * across == blocks.count


@pytest.mark.parametrize("vector_bytes", [32, 64])
@pytest.mark.parametrize(
    ("shape", "least"),
    [
        ((128, 256, 256), 8),
        ((64, 512, 784), 8),
        ((512, 256, 784), 16),
        ((2048, 128, 128), 16),
        ((1024, 1024, 1024), 64),
    ],
)
def test_products_of_our_own_make_many_tasks(
    shape: tuple[int, int, int], least: int, vector_bytes: int
) -> None:
    """As nothing but a panel is copied again, where BLAS would make two tasks."""
    found = best_blocks(product(*shape), MOST_TASKS, vector_bytes)
    assert found.count >= least > best_blocks(product(*shape), MOST_TASKS, BLAS).count


def test_a_left_operand_by_columns_is_copied_less() -> None:
    lying = best_blocks(product(512, 256, 784, is_transposed=True), MOST_TASKS, 32)
    assert lying.columns > best_blocks(product(512, 256, 784), MOST_TASKS, 32).columns


def test_independent_contractions_are_brought_together() -> None:
    """Behind the first of them; one that reads another stays where it is."""
    m, n = (
        tensor((256, 256), "float64"),
        "{lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]}",
    )
    copied = f"""{{space = [256, 256], reduction = []}} : {m} -> {m} {{
    %v = kernel.load %p[%i, %j] : {m} -> f64
    array.yield %v : f64
  }}"""
    module = parse_module(f"""
func.func @main(%x: {m}, %y: {m}) -> ({m}, {m}, {m}) {{
  %p = kernel.dot %x, %y {n} : {m}, {m} -> {m}
  %t = kernel.nest %p (%i, %j) {copied}
  %q = kernel.dot %y, %x {n} : {m}, {m} -> {m}
  %r = kernel.dot %t, %q {n} : {m}, {m} -> {m}
  func.return %t, %q, %r : {m}, {m}, {m}
}}""")
    function = next(iter(module.body.block.ops))
    schedule_in_place(function)  # pyright: ignore[reportArgumentType]
    names = [op.results[0].name_hint for op in function.regions[0].block.ops if op.results]
    assert names == ["p", "q", "t", "r"]
