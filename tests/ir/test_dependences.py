"""Dependences of the results of loops and branches."""

from __future__ import annotations

from mlirad.ir.dependences import Dependences
from mlirad.ir.parsing import parse_module

SOURCE = """
func.func @f(%a: f64, %b: f64, %k: f64, %x: tensor<3xf64>, %p: i1, %n: i64) -> f64 {
  %s, %t, %y = array.scan %a, %b, %x (%i, %c : f64, %d : f64, %e : f64) {carries = 2, length = 3}
      : f64, f64, tensor<3xf64> -> (f64, f64, tensor<3xf64>) {
    %u = array.mul %c, %k : f64
    %v = array.add %d, %c : f64
    array.yield %u, %v, %e : f64, f64, f64
  }
  %w, %m = array.if %p : i1 -> (f64, f64) {
    array.yield %a, %b : f64, f64
  } else {
    array.yield %k, %b : f64, f64
  }
  %h, %o, %l, %tape = array.while %n, %a, %b (%i : i64, %c : f64, %d : f64) {record = 1}
      : i64, f64, f64 -> (i64, f64, f64, !array.tape<f64>) {
    %g = array.compare lt %i, %n : i64, i64 -> i1
    array.yield %g : i1
  } do (%i : i64, %c : f64, %d : f64) {
    %j = array.add %i, %n : i64
    %z = array.sin %c : f64
    array.yield %j, %z, %d, %k : i64, f64, f64, f64
  }
  %r = array.replay %tape, %b (%e : f64, %c : f64) : !array.tape<f64>, f64 -> f64 {
    %q = array.sin %c : f64
    array.yield %q : f64
  }
  func.return %r : f64
}
"""


def test_results_depend_on_what_reaches_them() -> None:
    (function,) = parse_module(SOURCE).body.block.ops
    block = function.regions[0].block
    names = dict(zip(block.args, "abkxpn", strict=True))
    scan, branch, loop, replay, _ = block.ops
    names[loop.results[3]] = "tape"
    dependences = Dependences()

    def shown(op: object) -> list[str]:
        return [" ".join(sorted(names[v] for v in values)) for values in dependences.of(op)]  # type: ignore[arg-type]

    assert shown(scan) == ["a k", "a b k", "x"]
    assert shown(branch) == ["a k p", "b p"]
    assert shown(loop) == ["n", "a n", "b", "k n"]
    assert shown(replay) == ["b tape"]
