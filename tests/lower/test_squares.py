"""Stores along another dimension than lanes: squares transposed in registers, and what is left of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.dialects.kernel import NestOp
from mlirad.ir.parsing import parse_module
from mlirad.lower.cpu.schedule_kernels import schedule_in_place
from mlirad.lower.cpu.schedule_kernels.packs import copy_nest
from tests.lower.emission import check, compiled, tensor

EXTENTS = [(8, 8), (16, 8), (17, 19), (9, 40), (32, 5), (5, 32), (24, 33)]


def turned(shape: tuple[int, int], dtype: str, width: int, op: str = "array.add %v, %v") -> str:
    """A map that reads by rows and stores by columns, in squares of lanes."""
    a = tensor(shape, dtype)
    element = tensor((), dtype)
    return f"""
func.func @main(%x: {a}) -> {a} {{
  %t = kernel.nest %x (%i, %j) {{space = [{shape[0]}, {shape[1]}], reduction = [], lane = 1, width = {width},
    tile_dim = 0, tile = {width}, order = [0, 1], layouts = [[1, 0]]}} : {a} -> {a} {{
    %v = kernel.load %x[%i, %j] : {a} -> {element}
    %w = {op} : {element}
    array.yield %w : {element}
  }}
  %y = kernel.nest %t (%i, %j) {{space = [{shape[0]}, {shape[1]}], reduction = []}} : {a} -> {a} {{
    %v = kernel.load %t[%i, %j] : {a} -> {element}
    array.yield %v : {element}
  }}
  func.return %y : {a}
}}"""


@pytest.mark.parametrize("shape", EXTENTS, ids=str)
@pytest.mark.parametrize("width", [2, 4, 8])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool"])
def test_whole_squares_and_what_is_left_over(shape: tuple[int, int], width: int, dtype: str) -> None:
    """With and without checked addresses, the interpreter's elements."""
    x = np.random.default_rng(1).integers(0, 2 if dtype == "bool" else 100, size=shape).astype(dtype)
    check(turned(shape, dtype, width, "array.or %v, %v" if dtype == "bool" else "array.add %v, %v"), x)


def test_a_square_is_stored_as_vectors() -> None:
    """No element is taken out of a vector."""
    program = compiled(turned((8, 8), "float64", 4))[1]
    assert "shufflevector" in program.llvm and "extractelement" not in program.llvm


def crossed(x: Any) -> Any:
    """Exponentials, stored across."""
    return np.exp(x).T


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_maps_that_store_across_are_given_squares(dtype: str) -> None:
    a = tensor((64, 48), dtype)
    element = tensor((), dtype)
    text = f"""
func.func @main(%x: {a}) -> {tensor((48, 64), dtype)} {{
  %y = kernel.nest %x (%i, %j) {{space = [48, 64], reduction = []}} : {a} -> {tensor((48, 64), dtype)} {{
    %v = kernel.load %x[%j, %i] : {a} -> {element}
    %w = array.exp %v : {element}
    array.yield %w : {element}
  }}
  func.return %y : {tensor((48, 64), dtype)}
}}"""
    x = np.random.default_rng(2).normal(size=(64, 48)).astype(dtype)
    module = parse_module(text)
    function = next(iter(module.body.block.ops))
    schedule_in_place(function, vector_bytes=32)  # pyright: ignore[reportArgumentType]
    (nest,) = (op for op in module.walk() if isinstance(op, NestOp))
    assert nest.tile is not None and nest.width is not None
    assert nest.tile.value.data == nest.width.value.data == 32 // np.dtype(dtype).itemsize
    np.testing.assert_allclose(ad.jit(crossed)(x), crossed(x), rtol=1e-5)


@pytest.mark.parametrize(("shape", "is_square"), [((64, 48), True), ((64, 3), False), ((2, 48), False)])
def test_copies_are_made_in_squares(shape: tuple[int, int], is_square: bool) -> None:
    a = tensor(shape)
    module = parse_module(f"func.func @main(%x: {a}) -> {a} {{ func.return %x : {a} }}")
    argument = next(iter(module.body.block.ops)).regions[0].block.args[0]
    nest = copy_nest(argument, (0, 1), (1, 0), 32)
    nest.verify()
    assert (nest.lane is not None) == is_square
