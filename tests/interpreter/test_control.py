"""Loops and branches against the same loops and branches in Python."""

from __future__ import annotations

import numpy as np
import pytest

from mlirad.errors import UnsupportedError
from mlirad.interpreter import OperationCounter, run_function
from tests.interpreter.programs import module, run

SCAN = """
    %c, %n, %ys, %is = array.scan %z, %k, %x (%i, %a : f64, %m : i64, %e : tensor<2xf64>)
        {{carries = 2, length = {length}{reverse}}}
        : f64, i64, tensor<{length}x2xf64> -> (f64, i64, tensor<{length}x2xf64>, tensor<{length}xi64>) {{
      %s = array.sum %e {{dims = [0]}} : tensor<2xf64> -> f64
      %as = array.mul %a, %s : f64
      %w = array.index %v[%i] : tensor<3xf64> -> f64
      %b = array.add %as, %w : f64
      %bs = array.broadcast %b {{dims = []}} : f64 -> tensor<2xf64>
      %y = array.sub %bs, %e : tensor<2xf64>
      %mi = array.sub %i, %m : i64
      array.yield %b, %mi, %y, %mi : f64, i64, tensor<2xf64>, i64
    }}
    func.return %c, %n, %ys, %is : f64, i64, tensor<{length}x2xf64>, tensor<{length}xi64>"""


@pytest.mark.parametrize("length", [0, 1, 2, 5])
@pytest.mark.parametrize("reverse", [False, True])
def test_scan(length: int, reverse: bool) -> None:
    generator = np.random.default_rng(length)
    x, v = generator.normal(size=(length, 2)), generator.normal(size=3)
    body = SCAN.format(length=length, reverse=", reverse" if reverse else "")
    parameters = f"%z : f64, %k : i64, %x : tensor<{length}x2xf64>, %v : tensor<3xf64>"
    results = f"f64, i64, tensor<{length}x2xf64>, tensor<{length}xi64>"
    found = run(parameters, results, body, 1.5, 7, x, v)
    c, n, ys, positions = 1.5, 7, np.zeros((length, 2)), np.zeros(length, np.int64)
    for i in sorted(range(length), reverse=reverse):
        c = c * x[i].sum() + v[min(i, 2)]
        n = i - n
        ys[i], positions[i] = c - x[i], n
    for a, b in zip(found, (c, n, ys, positions), strict=True):
        np.testing.assert_allclose(a, b)


def test_scan_swaps_carries_at_once() -> None:
    body = """
    %c, %d = array.scan %x, %y (%i, %a : f64, %b : f64) {carries = 2, length = 3} : f64, f64 -> (f64, f64) {
      array.yield %b, %a : f64, f64
    }
    func.return %c, %d : f64, f64"""
    assert run("%x : f64, %y : f64", "f64, f64", body, 1.0, 2.0) == (2.0, 1.0)


def test_scan_counts_slices_and_stacks() -> None:
    body = SCAN.format(length=5, reverse="")
    counter = OperationCounter()
    parameters = "%z : f64, %k : i64, %x : tensor<5x2xf64>, %v : tensor<3xf64>"
    results = "f64, i64, tensor<5x2xf64>, tensor<5xi64>"
    run(parameters, results, body, 1.5, 7, np.ones((5, 2)), np.ones(3), counter=counter)
    each_iteration = {"sum": 2, "mul": 1, "index": 1, "add": 1, "broadcast": 2, "sub": 3}
    expected = {f"array.{name}": 5 * n for name, n in each_iteration.items()}
    assert counter.by_op == {**expected, "array.scan": 10 + 10 + 5}


COLLATZ = """
    %one = array.constant 1 : i64
    %two = array.constant 2 : i64
    %three = array.constant 3 : i64
    %zero = array.constant 0 : i64
    %m, %steps, %t = array.while %n, %zero (%a : i64, %s : i64) {record = 2}
        : i64, i64 -> (i64, i64, !array.tape<i64, tensor<2xi64>>) {
      %more = array.compare gt %a, %one : i64, i64 -> i1
      array.yield %more : i1
    } do (%a : i64, %s : i64) {
      %half = array.floor_div %a, %two : i64
      %rest = array.rem %a, %two : i64
      %even = array.compare eq %rest, %zero : i64, i64 -> i1
      %next = array.if %even : i1 -> i64 {
        array.yield %half : i64
      } else {
        %thrice = array.mul %three, %a : i64
        %more = array.add %thrice, %one : i64
        array.yield %more : i64
      }
      %s1 = array.add %s, %one : i64
      %pair = array.stack %a, %s {dim = 0} : i64, i64 -> tensor<2xi64>
      array.yield %next, %s1, %a, %pair : i64, i64, i64, tensor<2xi64>
    }
    %last, %sum = array.replay %t, %zero, %two (%a : i64, %p : tensor<2xi64>, %l : i64, %s : i64) REVERSE
        : !array.tape<i64, tensor<2xi64>>, i64, i64 -> (i64, i64) {
      %second = array.index %p[%one] : tensor<2xi64> -> i64
      %b = array.add %s, %second : i64
      array.yield %a, %b : i64, i64
    }
    func.return %steps, %last, %sum : i64, i64, i64"""


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("n", [1, 6, 27])
def test_while_records_what_replay_reads(n: int, reverse: bool) -> None:
    values, m = [], n
    while m > 1:
        values.append(m)
        m = m // 2 if m % 2 == 0 else 3 * m + 1
    counter = OperationCounter()
    body = COLLATZ.replace("REVERSE", "{reverse}" if reverse else "")
    steps, last, total = run("%n : i64", "i64, i64, i64", body, n, counter=counter)
    assert steps == len(values)
    assert last == (0 if not values else values[0] if reverse else values[-1])
    assert total == 2 + sum(range(len(values)))
    assert counter.by_op["array.compare"] == 2 * len(values) + 1
    assert counter.by_op["array.while"] == counter.by_op["array.replay"] == 3 * len(values)
    assert counter.by_op["array.if"] == 0


@pytest.mark.parametrize("condition", [False, True])
def test_only_the_chosen_branch_runs(condition: bool) -> None:
    body = """
    %y, %z = array.if %p : i1 -> (f64, tensor<2xf64>) {
      %e = array.exp %x : f64
      array.yield %e, %v : f64, tensor<2xf64>
    } else {
      %w = array.neg %v : tensor<2xf64>
      array.yield %x, %w : f64, tensor<2xf64>
    }
    func.return %y, %z : f64, tensor<2xf64>"""
    counter = OperationCounter()
    v = np.array([1.0, 2.0])
    parameters = "%p : i1, %x : f64, %v : tensor<2xf64>"
    y, z = run(parameters, "f64, tensor<2xf64>", body, condition, 0.5, v, counter=counter)
    assert y == (np.exp(0.5) if condition else 0.5)
    np.testing.assert_array_equal(z, v if condition else -v)
    assert counter.by_op == ({"array.exp": 1} if condition else {"array.neg": 2})


@pytest.mark.parametrize(("index", "branch"), [(-5, 0), (0, 0), (1, 1), (2, 2), (3, 2), (2**62, 2)])
def test_switch_clamps(index: int, branch: int) -> None:
    branches = " case ".join(
        f"{{ %c = array.constant {k}.0 : f64\n array.yield %c : f64 }}" for k in range(3)
    )
    body = f"%y = array.switch %k : i64 -> f64 {branches}\nfunc.return %y : f64"
    assert run("%k : i64", "f64", body, index) == branch


def test_ops_without_results_run() -> None:
    body = """
    array.if %p : i1 { array.yield } else { array.yield }
    array.scan (%i) {carries = 0, length = 3} { array.yield }
    func.return"""
    assert run("%p : i1", "", body, True) == ()


POWER = """
func.func @power(%x: f64, %n: i64) -> f64 {
  %one = array.constant 1 : i64
  %p = array.compare lt %n, %one : i64, i64 -> i1
  %y = array.if %p : i1 -> f64 {
    %e = array.constant 1.0 : f64
    array.yield %e : f64
  } else {
    %m = array.sub %n, %one : i64
    %z = func.call @power(%x, %m) : (f64, i64) -> f64
    %xz = array.mul %x, %z : f64
    array.yield %xz : f64
  }
  func.return %y : f64
}
"""


def test_recursion() -> None:
    for n in (0, 1, 10, 900):
        (y,) = run_function(module(POWER), [1.01, n])
        np.testing.assert_allclose(y, 1.01**n)


def test_recursion_without_end() -> None:
    with pytest.raises(UnsupportedError, match="nested more than"):
        run_function(module(POWER), [1.01, 2000])


def test_loops_inside_builds() -> None:
    body = """
    %y = array.build (%i) : -> tensor<4xf64> {
      %c = array.scan %x (%j, %a : f64) {carries = 1, length = 3} : f64 -> f64 {
        %e = array.index %v[%i, %j] : tensor<4x3xf64> -> f64
        %b = array.mul %a, %e : f64
        array.yield %b : f64
      }
      array.yield %c : f64
    }
    func.return %y : tensor<4xf64>"""
    v = np.random.default_rng(0).normal(size=(4, 3))
    y = run("%x : f64, %v : tensor<4x3xf64>", "tensor<4xf64>", body, 2.0, v)
    np.testing.assert_allclose(y, 2 * v.prod(1))


@pytest.mark.parametrize("shape", [(0,), (4,), (3, 0), (3, 4)])
def test_sorting_and_prefixes_of_special_numbers(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(1).choice([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0], shape)
    dims = "x".join(map(str, shape))
    last = len(shape) - 1
    body = f"""
    %s = array.sort %x {{dim = {last}}} : tensor<{dims}xf64>
    %p = array.argsort %x {{dim = {last}}} : tensor<{dims}xf64> -> tensor<{dims}xi64>
    %c = array.cumulative max %x {{dim = 0, reverse}} : tensor<{dims}xf64>
    %r = array.reduce prod %x {{dims = [{last}]}} : tensor<{dims}xf64> -> RESULT
    func.return %s, %p, %c, %r : tensor<{dims}xf64>, tensor<{dims}xi64>, tensor<{dims}xf64>, RESULT"""
    rest = "x".join(map(str, shape[:-1]))
    result = f"tensor<{rest}xf64>" if rest else "f64"
    types = f"tensor<{dims}xf64>, tensor<{dims}xi64>, tensor<{dims}xf64>, {result}"
    s, p, c, r = run(f"%x : tensor<{dims}xf64>", types, body.replace("RESULT", result), x)
    np.testing.assert_array_equal(s, np.sort(x, kind="stable"))
    np.testing.assert_array_equal(p, np.argsort(x, kind="stable"))
    np.testing.assert_array_equal(c, np.maximum.accumulate(x[::-1])[::-1])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(r, x.prod(-1))
