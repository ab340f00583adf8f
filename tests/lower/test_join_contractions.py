"""Sums of contractions leave loops: values stay, work gets less, and memory does not grow without bound."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import mlirad as ad
from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.array.custom import CUSTOM_OPS
from mlirad.dialects.array.indexing import BuildOp
from mlirad.dialects.array.reductions import DotOp
from mlirad.interpreter import run_function
from mlirad.ir.verification import verify_module
from mlirad.lower.kernels.join_contractions import join_contractions
from tests.generators.programs import random_program
from tests.lower.loops import function
from tests.lower.test_kernel_passes import arguments


def joined(f: FuncOp, args: list[Any], *, always: bool = True) -> FuncOp:
    """The function with its sums joined, which computes the same."""
    new = join_contractions(f, always=always)
    verify_module(ModuleOp([new.clone()]))
    for got, want in zip(run_function(new, args), run_function(f, args), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)
    return new


def dots_in_loops(f: FuncOp) -> int:
    loops = [op for op in f.walk() if isinstance(op, ScanOp)]
    return sum(isinstance(op, DotOp) for loop in loops for op in loop.body.walk())


def recurrence(iterations: int, lhs: str, rhs: str, result: str, dims: str) -> str:
    """A loop that sums products of slices %x, and of values %w that depend on the iterations before."""
    return f"""
    func.func @f(%a: tensor<{rhs}xf64>, %g: tensor<{result}xf64>, %xs: tensor<{iterations}x{lhs}xf64>)
        -> (tensor<{rhs}xf64>, tensor<{result}xf64>) {{
      %r, %s = array.scan %a, %g, %xs
          (%i, %v: tensor<{rhs}xf64>, %b: tensor<{result}xf64>, %x: tensor<{lhs}xf64>)
          {{carries = 2, length = {iterations}}}
          : tensor<{rhs}xf64>, tensor<{result}xf64>, tensor<{iterations}x{lhs}xf64>
          -> (tensor<{rhs}xf64>, tensor<{result}xf64>) {{
        %w = array.sin %v : tensor<{rhs}xf64>
        %d = array.dot %x, %w
            {{lhs_batch = [], rhs_batch = [], lhs_contract = [{dims}], rhs_contract = [{dims}]}}
            : tensor<{lhs}xf64>, tensor<{rhs}xf64> -> tensor<{result}xf64>
        %n = array.add %b, %d : tensor<{result}xf64>
        array.yield %w, %n : tensor<{rhs}xf64>, tensor<{result}xf64>
      }}
      func.return %r, %s : tensor<{rhs}xf64>, tensor<{result}xf64>
    }}
    """


def values(*shapes: tuple[int, ...]) -> list[Any]:
    generator = np.random.default_rng(0)
    return [generator.normal(size=shape) for shape in shapes]


def test_outer_products_are_one_product() -> None:
    f = function(recurrence(40, "30", "20", "30x20", ""))
    new = joined(f, values((20,), (30, 20), (40, 30)), always=False)
    assert dots_in_loops(f) == 1
    assert dots_in_loops(new) == 0


def test_what_takes_more_memory_than_the_loop_reads_stays() -> None:
    f = function(recurrence(40, "2", "200", "2x200", ""))
    args = values((200,), (2, 200), (40, 2))
    assert dots_in_loops(joined(f, args, always=False)) == 1
    assert dots_in_loops(joined(f, args)) == 0


def test_large_products_of_few_iterations_stay() -> None:
    f = function(recurrence(2, "64x32", "64x32", "32x32", "0"))
    args = values((64, 32), (32, 32), (2, 64, 32))
    assert dots_in_loops(joined(f, args, always=False)) == 1


def test_an_operand_that_is_a_carry_is_stacked() -> None:
    text = recurrence(5, "3", "4", "3x4", "").replace("array.dot %x, %w", "array.dot %x, %v")
    assert dots_in_loops(joined(function(text), values((4,), (3, 4), (5, 3)))) == 0


def test_the_gradient_of_a_recurrence_sums_after_it() -> None:
    def loss(w: Any, u: Any, xs: Any) -> Any:
        last = ad.fold(lambda s, x: np.tanh(x @ w + s @ u), np.zeros(u.shape[0]), xs)
        return np.sum(last)

    w, u, xs = (0.1 * x for x in values((24, 32), (32, 32), (50, 24)))
    program = ad.grad(loss, argnums=(0, 1)).ir(w, u, xs, after="join-contractions")
    after = program.rpartition("array.yield")[2]
    assert after.count("array.dot") == 2


@pytest.mark.parametrize("seed", range(20))
def test_random_programs_keep_their_results(seed: int) -> None:
    program = random_program(seed, 14, allow=lambda op_class: op_class not in (BuildOp, *CUSTOM_OPS))
    main = next(op for op in program.body.block.ops if isinstance(op, FuncOp))
    joined(main, arguments(main, seed))


@pytest.mark.parametrize("seed", range(12))
def test_random_recurrences_keep_their_gradients(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(seed)
    steps, rows, features, width = (int(n) for n in generator.integers(2, 7, size=4))
    batch = () if seed % 2 else (rows,)

    def gradient_of() -> Any:
        def step_from(w: Any, u: Any) -> Any:
            def step(state: Any, x: Any) -> Any:
                new = np.tanh(x @ w + state @ u) if seed % 3 else np.sin(x @ w) * (state @ u) + state
                return new, np.sum(new * state)

            return step

        def loss(w: Any, u: Any, xs: Any, start: Any) -> Any:
            last, ys = ad.scan(step_from(w, u), start, xs)
            return np.sum(last * last) + np.sum(ys)

        return ad.grad(loss, argnums=(0, 1, 2, 3))

    shapes = ((features, width), (width, width), (steps, *batch, features), (*batch, width))
    args = [generator.normal(size=shape) for shape in shapes]
    found: list[Any] = []
    programs: set[str] = set()
    for gain in (0.0, np.inf):
        monkeypatch.setattr("mlirad.lower.kernels.join_contractions.GAIN", gain)
        gradient = gradient_of()
        programs.add(gradient.ir(*args, after="join-contractions"))
        found.append(gradient(*args))
    assert len(programs) == 2
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)
