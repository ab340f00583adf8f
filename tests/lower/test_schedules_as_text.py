"""Kernels that are printed and read back give the same code: all that emission needs is in the text."""

from __future__ import annotations

import re

import pytest
from xdsl.dialects.builtin import ModuleOp

from mlirad.compiler import compile_module
from mlirad.errors import DifferentiationError
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.jit.target import Target, find_target
from mlirad.pipeline_options import Options
from tests.generators import random_program
from tests.passes.derivatives import differentiated

KERNELS = """
func.func @main(%x: tensor<70x45xf32>, %y: tensor<45x40xf32>) -> (tensor<70x40xf32>, f32) {
  %d = array.dot %x, %y {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]}
      : tensor<70x45xf32>, tensor<45x40xf32> -> tensor<70x40xf32>
  %c = array.cumulative sum %d {dim = 0} : tensor<70x40xf32>
  %t = array.transpose %c {permutation = [1, 0]} : tensor<70x40xf32> -> tensor<40x70xf32>
  %e = array.sin %t : tensor<40x70xf32>
  %m = array.sum %e {dims = [1]} : tensor<40x70xf32> -> tensor<40xf32>
  %s = array.sum %m {dims = [0]} : tensor<40xf32> -> f32
  func.return %c, %s : tensor<70x40xf32>, f32
}"""
"""A product by tiles, sums along both dimensions, and a cumulative one."""


def code(module: ModuleOp, options: Options, target: Target) -> tuple[ModuleOp, str]:
    """The module of kernels and its text, without the names that kernels have by their place in a file."""
    made = compile_module(module, options, target)
    return made.module, re.sub(r"@k(\d+)_\w+", r"@k\1", made.program.llvm)


def check(module: ModuleOp, entry: str, target: Target) -> None:
    """Require the same text of what was printed."""
    kernels, direct = code(module, Options(entry=entry), target)
    read = parse_module(str(kernels))
    verify_module(read)
    again, reread = code(read, Options(entry=entry, start="kernels"), target)
    assert str(again) == str(kernels)
    assert reread == direct


@pytest.mark.parametrize("features", [None, "x86-64-v3", "x86-64-v4"])
def test_kernels(features: str | None) -> None:
    if features is not None and not find_target().triple.startswith("x86_64"):
        pytest.skip("another processor")
    target = find_target(features)
    check(parse_module(KERNELS), "main", target)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (2, 0, 3), (2, 3, 0), (0, 0), (1, 1, 1)])
def test_empty_arrays(shape: tuple[int, ...]) -> None:
    """Kernels of whole arrays that have no elements, along any dimension and as operands of products."""
    x = f"tensor<{'x'.join(map(str, shape))}xf64>"
    square = f"tensor<{'x'.join(map(str, (*shape[:-1], shape[-2])))}xf64>"
    sums = "\n".join(f"%c{k} = array.cumulative sum %x {{dim = {k}}} : {x}" for k in range(len(shape)))
    batch, rows = list(range(len(shape) - 2)), len(shape) - 2
    names = ", ".join([*(f"%c{k}" for k in range(len(shape))), "%s", "%d"])
    types = ", ".join([x] * (len(shape) + 2))
    text = f"""
func.func @main(%x: {x}, %a: {square}) -> ({types}) {{
  {sums}
  %s = array.triangular_solve %a, %x {{upper}} : {square}, {x} -> {x}
  %d = array.dot %a, %x {{lhs_batch = {batch}, rhs_batch = {batch}, lhs_contract = [{rows + 1}],
      rhs_contract = [{rows}]}} : {square}, {x} -> {x}
  func.return {names} : {types}
}}"""
    check(parse_module(text), "main", find_target())


@pytest.mark.parametrize("seed", range(30))
def test_random_programs(seed: int) -> None:
    check(random_program(seed, 12, smooth=False), "main", find_target())


@pytest.mark.parametrize("seed", range(30))
def test_gradients_of_random_programs(seed: int) -> None:
    module = random_program(seed, 12, smooth=True)
    try:
        module = differentiated(module, "main", (0,), "reverse")
    except DifferentiationError as error:
        pytest.skip(error.message)
    check(module, "main_grad", find_target())
