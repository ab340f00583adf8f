"""The pass `record-walks-to-loops`: what functions compute stays, and there is no limit of their depth."""

from __future__ import annotations

import random
import time
from collections import Counter
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import mlirad as ad
from mlirad.dialects.array import control
from mlirad.interpreter import OperationCounter, run_function
from mlirad.ir.call_graph import references_of
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.pipeline_options import SPECIFICATIONS
from tests.generators import arguments_for, random_higher_order
from tests.passes.derivatives import run_passes
from tests.passes.growing import COMPOSED, FOLDED, OF_A_TREE, RETURNED, Growing

BEFORE = "eliminate-functions,tail-calls-to-loops"


def recursive(module: ModuleOp) -> set[str]:
    """The functions that call themselves."""
    functions = [op for op in module.body.ops if isinstance(op, FuncOp)]
    return {f.sym_name.data for f in functions for name, _ in references_of(f) if name == f.sym_name.data}


def rewritten(module: ModuleOp) -> ModuleOp:
    made = run_passes(module.clone(), "record-walks-to-loops{depth=0}")
    verify_module(made)
    return made


def check(seed: int, size: int) -> bool:
    """Loops compute the same, bit for bit; whether there are any."""
    source = random_higher_order(seed, size, growing=True)
    before, arguments = run_passes(source, BEFORE), arguments_for(source, random.Random(seed))
    after = rewritten(before)
    (expected,), (found,) = (run_function(module, arguments, function="main") for module in (before, after))
    assert found.tobytes() == expected.tobytes()
    return recursive(after) != recursive(before)


def test_random_programs_keep_their_meaning() -> None:
    assert sum(check(seed, 3 + seed % 12) for seed in range(40)) >= 3


@pytest.mark.fuzz
def test_many_random_programs_keep_their_meaning(fuzz_seconds: float, judged: Counter[str]) -> None:
    end, seeds = time.monotonic() + fuzz_seconds, random.SystemRandom()
    while time.monotonic() < end:
        seed, size = seeds.randrange(2**32), seeds.randint(2, 20)
        print(f"seed {seed}, size {size}")  # noqa: T201
        judged["with loops" if check(seed, size) else "without"] += 1


CHAIN = """
func.func private @walk(%r: !array.frame<cell>, %x: f64, %w: tensor<3xf64>) -> (f64, i64) {
  %k, %a, %next = array.restore %r : !array.frame<cell> -> (i64, f64, !array.frame<cell>)
  %one = array.constant 1 : i64
  %three = array.constant 3 : i64
  %y, %n = array.switch %k : i64 -> (f64, i64) {
    array.yield %x, %one : f64, i64
  } case {
    %z = array.mul %a, %x : f64
    %p = array.compare gt %z, %a : f64, f64 -> i1
    %v, %m, %q = array.if %p : i1 -> (f64, i64, f64) {
      %i = array.rem %k, %three : i64
      %e = array.index %w[%i] : tensor<3xf64> -> f64
      %v, %m = func.call @walk(%next, %z, %w) : (!array.frame<cell>, f64, tensor<3xf64>) -> (f64, i64)
      %b = array.mul %v, %e : f64
      array.yield %b, %m, %z : f64, i64, f64
    } else {
      array.yield %a, %three, %x : f64, i64, f64
    }
    %s = array.add %v, %q : f64
    array.yield %s, %m : f64, i64
  } case {
    %z = array.sin %x : f64
    %v, %m = func.call @walk(%next, %z, %w) : (!array.frame<cell>, f64, tensor<3xf64>) -> (f64, i64)
    %s = array.sub %v, %z : f64
    array.yield %s, %m : f64, i64
  }
  %t = array.mul %y, %a : f64
  %o = array.add %n, %one : i64
  func.return %t, %o : f64, i64
}
func.func @main(%ks: tensor<7xi64>, %as: tensor<7xf64>, %x: f64, %w: tensor<3xf64>) -> (f64, i64) {
  %zero = array.constant 0 : i64
  %none = array.no_frame : -> !array.frame<cell>
  %end = array.save %zero, %x, %none : i64, f64, !array.frame<cell> -> !array.frame<cell>
  %r = array.scan %end, %ks, %as (%i, %c: !array.frame<cell>, %k, %a: f64) {carries = 1, length = 7}
      : !array.frame<cell>, tensor<7xi64>, tensor<7xf64> -> !array.frame<cell> {
    %d = array.save %k, %a, %c : i64, f64, !array.frame<cell> -> !array.frame<cell>
    array.yield %d : !array.frame<cell>
  }
  %y, %n = func.call @walk(%r, %x, %w) : (!array.frame<cell>, f64, tensor<3xf64>) -> (f64, i64)
  func.return %y, %n : f64, i64
}"""


def test_branches_in_branches_and_ends_at_every_level() -> None:
    """All ends and both calls occur; what is not done at an end is not done in the loop."""
    before = parse_module(CHAIN)
    after, rng, depths = rewritten(before), np.random.default_rng(0), set[int]()
    assert recursive(before) == {"walk"} and not recursive(after)
    for _ in range(200):
        arguments = [
            rng.integers(0, 3, 7),
            rng.uniform(0.5, 3, 7),
            rng.uniform(0.5, 3),
            rng.uniform(-1, 1, 3),
        ]
        expected, found = (run_function(module, arguments, function="main") for module in (before, after))
        assert [v.tobytes() for v in found] == [v.tobytes() for v in expected]
        depths.add(int(found[1]))
    assert len(depths) > 6
    assert {type(op) for op in after.walk()} >= {control.WhileOp, control.ReplayOp}


@pytest.mark.parametrize("source", [OF_A_TREE, RETURNED], ids=lambda p: p.name)
def test_other_recursion_stays(source: Growing) -> None:
    """Recursion with two calls on the way, and with a count, which need not end."""
    before = run_passes(source.module(5), BEFORE)
    assert recursive(before)
    assert str(rewritten(before)) == str(before)


def test_cost_is_linear() -> None:
    counts: list[int] = []
    for n in (500, 1000, 2000):
        module, counter = rewritten(run_passes(FOLDED.module(n), BEFORE)), OperationCounter()
        run_function(module, [np.float64(0.3), np.linspace(0.6, 1.3, n)], function="main", counter=counter)
        counts.append(counter.total)
    assert counts[2] - counts[1] == 2 * (counts[1] - counts[0])


# Depth -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("program", [FOLDED, COMPOSED], ids=lambda p: p.name)
def test_a_fold_of_any_length(program: Growing) -> None:
    n = 50_000
    x, w = np.float64(0.7), np.linspace(0.6, 1.3, n)
    from mlirad.compiler import compile_module
    from mlirad.jit.call import NativeFunction
    from mlirad.pipeline_options import Options

    native = NativeFunction(compile_module(program.module(n), Options()).program)
    total = x
    for e in w:
        total = np.sin(total) * e
    if program is FOLDED:
        assert native(x, w)[0] == pytest.approx(total, rel=1e-9)
    else:
        assert np.isfinite(native(x, w)[0])


def _counted(x: Any, n: Any) -> Any:
    return ad.fori_loop(0, n, lambda i, c: np.sin(c) * x + 0.5, 1.0)


def _over_elements(x: Any, n: Any) -> Any:
    elements = np.cos(np.arange(6000.0))
    return ad.fold(lambda c, e: np.sin(c) * e * x + 0.3, 1.0, elements) + 0.0 * n


def _until(x: Any, n: Any) -> Any:
    return ad.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, np.sin(s[1]) * x + 0.5), (0, x))[1]


@pytest.mark.parametrize("method", SPECIFICATIONS)
@pytest.mark.parametrize("loop", [_counted, _over_elements, _until])
def test_loops_of_many_iterations_by_specifications(loop: Any, method: str) -> None:
    expected = ad.grad(loop)(0.7, 20_000)
    assert ad.grad(loop, method=method)(0.7, 20_000) == pytest.approx(expected, rel=1e-9)
    tangent = ad.jvp(lambda x: loop(x, 20_000), (0.7,), (1.0,), method=method)[1]
    assert tangent == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("count", "stays"), [(100, True), (2000, False)])
def test_calls_stay_where_few_records_are_made(count: int, stays: bool) -> None:
    before = run_passes(FOLDED.module(count), BEFORE)
    assert recursive(before)
    assert (recursive(run_passes(before.clone(), "record-walks-to-loops")) == recursive(before)) == stays
