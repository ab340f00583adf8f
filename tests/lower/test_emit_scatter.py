"""Scatters: sums and sets, guards, lanes, bases in place and copied, against the interpreter."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lower.emission import check

ROWS = """
func.func @main(%z: tensor<{m}x{c}xf64>, %k: tensor<{n}xi64>, %v: tensor<{n}x{c}xf64>)
    -> tensor<{m}x{c}xf64> {{
  %y = kernel.scatter {kind} {operands} (%i, %j) {{space = [{n}, {c}]{schedule}}}
    : {types} -> tensor<{m}x{c}xf64> {{
    %p = kernel.load %k[%i] : tensor<{n}xi64> -> i64
    %a = kernel.load %v[%i, %j] : tensor<{n}x{c}xf64> -> f64
    %zero = array.constant 0 : i64
    %g = array.compare ge %p, %zero : i64, i64 -> i1
    array.yield %a, %p, %j{guard}
  }}
  func.return %y : tensor<{m}x{c}xf64>
}}"""


@pytest.mark.parametrize("features", [None, "x86-64-v3", "baseline"])
@pytest.mark.parametrize("kind", ["add", "set"])
@pytest.mark.parametrize(
    "schedule", ["", ", lane = 1", ", lane = 0", ", lane = 1, width = 2", ", lane = 1, layouts = [[1, 0]]"]
)
def test_rows_at_positions_from_memory(kind: str, schedule: str, features: str | None) -> None:
    random = np.random.default_rng(0)
    for n, m, c in ((1, 1, 1), (6, 4, 3), (30, 5, 21), (4, 3, 0), (0, 2, 3)):
        index, values, base = f"tensor<{n}xi64>", f"tensor<{n}x{c}xf64>", f"tensor<{m}x{c}xf64>"
        z, v = random.normal(size=(m, c)), random.normal(size=(n, c))
        for guarded in (False, True):
            for from_zero in (False, True):
                text = ROWS.format(
                    n=n,
                    m=m,
                    c=c,
                    kind=kind,
                    operands="%k, %v" if from_zero else "%z, %k, %v",
                    types=", ".join([index, values] if from_zero else [base, index, values]),
                    schedule=schedule + (", from_zero" if from_zero else ""),
                    guard=", %g : f64, i64, i64, i1" if guarded else " : f64, i64, i64",
                )
                positions = random.integers(-2 if guarded else 0, m, n)
                check(text, z, positions, v, features=features)


BAND = """
func.func @main(%v: tensor<{n}xf64>) -> tensor<{n}xf64> {{
  %y = kernel.scatter add %v (%o, %i) {{space = [3, {n}], from_zero{schedule}}}
    : tensor<{n}xf64> -> tensor<{n}xf64> {{
    %a = kernel.load %v[%i] : tensor<{n}xf64> -> f64
    %one = array.constant 1 : i64
    %zero = array.constant 0 : i64
    %end = array.constant {n} : i64
    %q = array.add %i, %o : i64
    %p = array.sub %q, %one : i64
    %low = array.compare ge %p, %zero : i64, i64 -> i1
    %high = array.compare lt %p, %end : i64, i64 -> i1
    %g = array.and %low, %high : i1
    array.yield %a, %p, %g : f64, i64, i1
  }}
  func.return %y : tensor<{n}xf64>
}}"""


@pytest.mark.parametrize("features", [None, "x86-64-v3", "baseline"])
@pytest.mark.parametrize("schedule", ["", ", lane = 1", ", lane = 0", ", lane = 1, width = 16"])
def test_guards_that_differ_between_lanes(schedule: str, features: str | None) -> None:
    for n in (1, 2, 7, 8, 19, 40):
        check(BAND.format(n=n, schedule=schedule), np.arange(1.0, n + 1), features=features)


def test_a_base_of_the_program_is_updated_in_place() -> None:
    text = """
func.func @main(%x: tensor<9xf64>, %k: tensor<4xi64>) -> tensor<9xf64> {
  %b = kernel.nest %x (%i) {space = [9], reduction = [], lane = 0} : tensor<9xf64> -> tensor<9xf64> {
    %a = kernel.load %x[%i] : tensor<9xf64> -> f64
    %c = array.add %a, %a : f64
    array.yield %c : f64
  }
  %y = kernel.scatter add %b, %k, %x (%i) {space = [4], in_place}
    : tensor<9xf64>, tensor<4xi64>, tensor<9xf64> -> tensor<9xf64> {
    %p = kernel.load %k[%i] : tensor<4xi64> -> i64
    %a = kernel.load %x[%i] : tensor<9xf64> -> f64
    array.yield %a, %p : f64, i64
  }
  func.return %y : tensor<9xf64>
}"""
    program = check(text, np.arange(9.0), np.array([3, 0, 3, 8]))
    assert "memcpy" not in program.llvm.split("@mlirad_main")[0]


OWN_BASE = """
func.func @main(%x: tensor<19xf64>) -> tensor<19xf64> {{
  %b = kernel.nest %x (%i) {{space = [19], reduction = [], lane = 0}} : tensor<19xf64> -> tensor<19xf64> {{
    %a = kernel.load %x[%i] : tensor<19xf64> -> f64
    %c = array.add %a, %a : f64
    array.yield %c : f64
  }}
  %y = kernel.scatter {kind} %b (%i) {{space = [{points}], in_place{schedule}}}
    : tensor<19xf64> -> tensor<19xf64> {{
    %k = array.constant 7 : i64
    %j = array.add %i, %k : i64
    %a = kernel.load %b[{place}] : tensor<19xf64> -> f64
    %c = array.mul %a, %a : f64
    array.yield %c, %i : f64, i64
  }}
  func.return %y : tensor<19xf64>
}}"""


@pytest.mark.parametrize("kind", ["add", "set"])
@pytest.mark.parametrize(
    ("points", "place", "schedule"),
    [(19, "%i", ""), (19, "%i", ", lane = 0"), (13, "%i", ", lane = 0, width = 8"), (1, "%j", "")],
)
def test_a_base_that_the_scatter_loads(kind: str, points: int, place: str, schedule: str) -> None:
    check(OWN_BASE.format(kind=kind, points=points, place=place, schedule=schedule), np.arange(19.0))


def test_integers_and_a_scalar() -> None:
    for schedule in ("", ", lane = 0"):
        check(f"""
func.func @main(%k: tensor<20xi64>) -> (tensor<5xi32>, i64) {{
  %y = kernel.scatter add %k (%i) {{space = [20], from_zero{schedule}}} : tensor<20xi64> -> tensor<5xi32> {{
    %p = kernel.load %k[%i] : tensor<20xi64> -> i64
    %one = array.constant 1 : i32
    array.yield %one, %p : i32, i64
  }}
  %z = kernel.scatter add %k (%i) {{space = [20], from_zero{schedule}}} : tensor<20xi64> -> i64 {{
    %p = kernel.load %k[%i] : tensor<20xi64> -> i64
    array.yield %p : i64
  }}
  func.return %y, %z : tensor<5xi32>, i64
}}""", np.arange(20) ** 2 % 5)  # fmt: skip
