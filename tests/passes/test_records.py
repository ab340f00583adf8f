"""Closures that hold closures of their own kind: what they compute, what they cost, and what is refused."""

from __future__ import annotations

import random
import time
from collections import Counter
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.compiler import compile_module
from mlirad.dialects.array.frames import SaveOp
from mlirad.dialects.shapes import shape_of
from mlirad.errors import CallDepthError, UnsupportedError
from mlirad.interpreter import OperationCounter, run_function
from mlirad.ir.first_order import higher_order_op
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.jit.call import NativeFunction
from mlirad.jit.target import find_target
from mlirad.passes.eliminate_functions import eliminate_functions, order
from mlirad.passes.eliminate_functions.records import on_cycles
from mlirad.pipeline_options import Options
from mlirad.recursion import deep_recursion
from tests.generators import arguments_for, random_higher_order
from tests.passes.growing import COMPOSED, LINEAR, PROGRAMS, C, Growing


def eliminated(source: ModuleOp) -> ModuleOp:
    module = source.clone()
    deep_recursion(eliminate_functions)(module)
    verify_module(module)
    assert higher_order_op(module) is None
    return module


def compiled(source: ModuleOp) -> NativeFunction:
    program = compile_module(source.clone(), Options(), address_checks=True, flush_subnormals=False).program
    return NativeFunction(program, target=find_target(), debug=True)


def arguments_of_size(n: int) -> list[Any]:
    return [np.float64(0.7), np.linspace(0.6, 1.3, n)]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_programs_compute_what_functions_of_python_do(program: Growing) -> None:
    for n in (3, 6):
        module, arguments = program.module(n), arguments_of_size(n)
        (value,) = run_function(module, arguments, function="main")
        assert value == pytest.approx(program.expected(*arguments), rel=1e-12)
        after = eliminated(module)
        assert any(isinstance(op, SaveOp) for op in after.walk())
        assert run_function(after, arguments, function="main") == (value,)
        assert compiled(module)(*arguments)[0] == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("program", LINEAR, ids=lambda p: p.name)
def test_cost_is_linear(program: Growing) -> None:
    def cost(n: int) -> int:
        counter = OperationCounter()
        run_function(eliminated(program.module(n)), arguments_of_size(n), function="main", counter=counter)
        # Restored elements of an array are where it lies; the interpreter counts all of it.
        return counter.total - counter.by_op["array.restore"]

    small, middle, large = cost(12), cost(24), cost(48)
    assert middle <= 2.05 * small
    assert large <= 2.05 * middle


@pytest.mark.parametrize("program", LINEAR, ids=lambda p: p.name)
def test_an_array_is_saved_once(program: Growing) -> None:
    """Not by each closure that captures it: where it is defined, in the block of a function."""
    for op in eliminated(program.module(5)).walk():
        if isinstance(op, SaveOp) and any(shape_of(v) for v in op.operands):
            assert isinstance(op.parent_op(), FuncOp)
            assert len(op.operands) == 1


def test_functions_take_boxes_of_arrays_that_recursion_hands_on() -> None:
    names = {
        op.sym_name.data: op for op in eliminated(PROGRAMS[1].module(5)).body.ops if isinstance(op, FuncOp)
    }
    types = [str(t) for t in names["go"].function_type.inputs]
    assert types == ["i64", "f64", "!array.frame<box>", "!array.frame<k2_closure>"]


def check_random_program(seed: int, size: int) -> bool:
    """Elimination and compilation keep what a random program computes; whether there are records."""
    module = random_higher_order(seed, size, growing=True)
    arguments = arguments_for(module, random.Random(seed))
    (value,) = run_function(module, arguments)
    after = eliminated(module)
    assert run_function(after, arguments)[0].tobytes() == value.tobytes()
    if not any(isinstance(op, SaveOp) for op in after.walk()):
        return False
    assert compiled(module)(*arguments)[0] == pytest.approx(value, rel=1e-9, abs=1e-12)
    return True


def test_random_programs_keep_their_meaning() -> None:
    assert sum(check_random_program(seed, 3 + seed % 14) for seed in range(24)) >= 8


@pytest.mark.parametrize(("seed", "size"), [(105859970, 12), (3125777968, 20)])
def test_closures_that_nothing_makes_and_choices_in_code_that_is_emitted_last(seed: int, size: int) -> None:
    check_random_program(seed, size)


@pytest.mark.fuzz
def test_many_random_programs_keep_their_meaning(fuzz_seconds: float, judged: Counter[str]) -> None:
    end, seeds = time.monotonic() + fuzz_seconds, random.SystemRandom()
    while time.monotonic() < end:
        seed, size = seeds.randrange(2**32), seeds.randint(2, 20)
        print(f"seed {seed}, size {size}")  # noqa: T201
        judged["with records" if check_random_program(seed, size) else "without records"] += 1


def test_programs_without_cycles_have_no_records() -> None:
    for seed in range(20):
        after = eliminated(random_higher_order(seed, 16))
        assert not any(isinstance(op, SaveOp) for op in after.walk())


# Cycles ------------------------------------------------------------------------------------------


def test_nodes_on_cycles_against_paths() -> None:
    """Against all that can be reached, on random graphs."""
    rng = random.Random(3)
    for _ in range(200):
        count = rng.randint(1, 7)
        graph = {k: {j for j in range(count) if rng.random() < 0.25} for k in range(count)}
        reached = {k: set(graph[k]) for k in graph}
        for _ in range(count):
            for k in graph:
                reached[k] |= {z for j in reached[k] for z in graph[j]}
        assert on_cycles(graph) == {k for k in graph if k in reached[k]}


# Limits ------------------------------------------------------------------------------------------


def test_a_chain_of_calls_that_is_too_long() -> None:
    with pytest.raises(CallDepthError, match="4000 deep"):
        compiled(PROGRAMS[3].module(5000))(*arguments_of_size(5000))


def test_records_and_frames_of_the_program_have_names_of_their_own() -> None:
    text = str(COMPOSED.module(3)).replace(
        "func.return %y",
        "%q = array.save %y : f64 -> !array.frame<f_closure>\n"
        "%r = array.restore %q : !array.frame<f_closure> -> f64\n"
        "func.return %r",
    )
    after = eliminated(parse_module(text))
    assert "!array.frame<f_closure_1>" in str(after)


def test_a_public_function_that_is_not_written_out_takes_no_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order, "LEAST_ROOM", 0)
    monkeypatch.setattr(order, "GROWTH", 0)
    text = f"""
func.func @applied(%f: {C}, %x: f64) -> f64 {{
  %y = function.apply %f, %x : {C}, f64 -> f64
  func.return %y : f64
}}
func.func @main(%x: f64) -> f64 {{
  %f = function.lambda (%z: f64) : -> {C} {{
    array.yield %z : f64
  }}
  %g = array.scan %f (%i, %h: {C}) {{carries = 1, length = 3}} : {C} -> {C} {{
    %k = function.lambda (%z: f64) : -> {C} {{
      %a = func.call @applied(%h, %z) : ({C}, f64) -> f64
      %b = array.sin %a : f64
      array.yield %b : f64
    }}
    array.yield %k : {C}
  }}
  %y = func.call @applied(%g, %x) : ({C}, f64) -> f64
  func.return %y : f64
}}"""
    module = parse_module(text)
    with pytest.raises(UnsupportedError, match=r"@applied takes or returns functions that may hold") as error:
        eliminated(module)
    assert "not inlined any further" in str(error.value)
    assert "make it private" in str(error.value)
