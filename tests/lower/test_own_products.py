"""Products of our own: every orientation and remainder, what memory they touch, bits whatever the blocks."""

from __future__ import annotations

import re
import threading
from itertools import product as combinations

import numpy as np
import pytest

from mlirad.dialects.kernel.schedules import MOST_VECTORS
from mlirad.jit.call import NativeFunction
from mlirad.jit.target import find_target
from mlirad.lower.cpu.complete_schedules import complete_in_place
from mlirad.lower.cpu.emit import emit_program
from mlirad.lower.cpu.emit.chunk_store import MOST_STACK_BYTES
from mlirad.lower.cpu.product_tiles import (
    INNER_BLOCK,
    LEAST_BLOCK,
    LEAST_VECTOR_BYTES,
    Product,
    inner_block,
)
from mlirad.lower.machine import registers
from tests.lower.emission import check, compiled, parsed, run, tensor

needs_vectors = pytest.mark.skipif(
    find_target().vector_bytes < LEAST_VECTOR_BYTES, reason="processors with short vectors call BLAS"
)

SHAPES = [
    (16, 16, 16),
    (17, 19, 23),
    (16, 33, 257),
    (29, 50, 40),
    (100, 100, 100),
    (67, 81, 300),
    (131, 48, 513),
    (40, 130, 771),
    (128, 64, 256),
]
"""Rows, columns and contracted extents: whole and partial vectors, panels, tiles and blocks."""


def contraction(
    shape: tuple[int, int, int],
    *,
    left: bool = False,
    right: bool = False,
    dtype: str = "float64",
    extra: str = "",
) -> str:
    """A function of one product; `left` and `right` say which operands lie by columns."""
    rows, columns, inner = shape
    a = tensor((inner, rows) if left else (rows, inner), dtype)
    b = tensor((columns, inner) if right else (inner, columns), dtype)
    c = tensor((rows, columns), dtype)
    return f"""
func.func @main(%x: {a}, %y: {b}) -> {c} {{
  %z = kernel.dot %x, %y {{lhs_batch = [], rhs_batch = [], lhs_contract = [{0 if left else 1}],
    rhs_contract = [{1 if right else 0}]{extra}}} : {a}, {b} -> {c}
  func.return %z : {c}
}}"""


def operands(
    shape: tuple[int, int, int], *, left: bool = False, right: bool = False, dtype: str = "float64"
) -> tuple[np.ndarray, np.ndarray]:
    """Operands of the function."""
    rows, columns, inner = shape
    random = np.random.default_rng(rows + columns + inner)
    a, b = random.normal(size=(rows, inner)), random.normal(size=(inner, columns))
    return (
        np.ascontiguousarray(a.T if left else a).astype(dtype),
        np.ascontiguousarray(b.T if right else b).astype(dtype),
    )


@needs_vectors
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_orientations(shape: tuple[int, int, int], dtype: str) -> None:
    """With and without checked addresses, of results in both layouts; BLAS is not called."""
    rtol = 1e-11 if dtype == "float64" else 2e-3
    for left, right, layout in combinations((False, True), (False, True), ("", ", layouts = [[1, 0]]")):
        text = contraction(shape, left=left, right=right, dtype=dtype, extra=layout)
        made = check(text, *operands(shape, left=left, right=right, dtype=dtype), rtol=rtol)
        assert "mlirad_blas" not in made.llvm


@needs_vectors
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_bits_do_not_depend_on_blocks(shape: tuple[int, int, int], dtype: str) -> None:
    """Neither on those of rows and columns, nor on how the operands lie, nor on vectors."""
    rows, columns, _ = shape
    half, part = -(-rows // 2), -(-columns // 3)
    blocks = ["", f", parallel = {half}"]
    if columns - 2 * part >= LEAST_BLOCK:
        blocks.append(f", parallel = {half}, columns = {part}")
    found = [
        run(
            contraction(shape, left=left, right=right, dtype=dtype, extra=extra),
            *operands(shape, left=left, right=right, dtype=dtype),
            features=features,
        )[0]
        for left, right, extra, features in combinations(
            (False, True), (False, True), blocks, (None, "x86-64-v3") if _is_x86() else (None,)
        )
    ]
    for other in found[1:]:
        assert other.tobytes() == found[0].tobytes()


@needs_vectors
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("left", "right"), [(x, y) for x in (False, True) for y in (False, True)])
def test_products_run_on_small_stacks(left: bool, right: bool, dtype: str) -> None:
    """Threads are given as little stack as Python asks for."""
    for shape in ((128, 256, 512), (256, 64, 256), (16, 16, 16), (300, 40, 700)):
        for blocks in ("", ", parallel = 32"):
            text = contraction(shape, left=left, right=right, dtype=dtype, extra=blocks)
            program, given = compiled(text)[1], operands(shape, left=left, right=right, dtype=dtype)
            sizes = {"double": 8, "float": 4}
            on_stack = [
                int(n) * sizes[kind]
                for n, kind in re.findall(r"alloca \[(\d+) x (double|float)\]", program.llvm)
            ]
            assert sum(on_stack) <= MOST_STACK_BYTES
            native, found = NativeFunction(program), list[np.ndarray]()
            before = threading.stack_size(1 << 16)
            try:
                thread = threading.Thread(target=lambda n=native, g=given, f=found: f.extend(n(*g)))
                thread.start()
            finally:
                threading.stack_size(before)
            thread.join()
            np.testing.assert_array_equal(found[0], run(text, *given)[0])


def _is_x86() -> bool:
    return find_target().triple.startswith("x86_64")


@needs_vectors
def test_long_sums_are_exact_enough() -> None:
    """Equal numbers all round in the same direction: no more than the additions in a row allow."""
    shape = (16, 16, 300_000)
    a, b = (np.full(s, 0.1, np.float32) for s in ((16, 300_000), (300_000, 16)))
    (got,) = run(contraction(shape, dtype="float32"), a, b)
    additions = INNER_BLOCK + 300_000 // inner_block(300_000) + 1
    want = 300_000 * np.float64(np.float32(0.1)) ** 2
    np.testing.assert_allclose(got, want, rtol=additions * 2.0**-24)


@pytest.mark.parametrize("inner", [*range(1, 1200), 65_537, 1_000_003])
def test_blocks_of_the_contracted_extent(inner: int) -> None:
    """None is longer than a panel, none shorter than a vector."""
    block = inner_block(inner)
    assert 1 <= block <= INNER_BLOCK
    assert inner % block == 0 or inner % block >= LEAST_BLOCK
    assert inner > INNER_BLOCK or block == inner


@pytest.mark.parametrize("vector_bytes", [32, 64])
@pytest.mark.parametrize("element", [4, 8])
def test_tiles_fit_the_registers(vector_bytes: int, element: int) -> None:
    for rows, columns in combinations((16, 32, 64, 100, 128, 500), (16, 20, 64, 100, 512)):
        tile = Product(rows, columns, 256, element, vector_bytes).tile
        held = tile.rows * tile.vectors + min(tile.rows, tile.vectors) + 1
        assert held <= registers(vector_bytes) and tile.rows <= rows and tile.vectors <= MOST_VECTORS
        repeated = -(-rows // tile.rows) * tile.rows - rows
        assert 8 * repeated <= rows or rows < 64, "few rows are computed twice"


def test_long_vectors_have_large_tiles() -> None:
    """Those that were measured to be fastest: 24 sums and more, of 32 registers."""
    for element in (4, 8):
        tile = Product(128, 256, 256, element, 64).tile
        assert tile.rows * tile.vectors >= 24


def test_short_vectors_call_blas() -> None:
    function = parsed(contraction((32, 32, 32)))
    complete_in_place(function, vector_bytes=16)
    program = emit_program(function)
    assert "mlirad_blas_dgemm" in program.llvm
