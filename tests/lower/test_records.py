"""Records in which loops stack: where they are used, that results stay, that the check of plans sees bad
ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.kernel.plans import PLACES_ATTRIBUTE, STRIDES_ATTRIBUTE, stated_places, stated_strides
from mlirad.dialects.shapes import ints
from mlirad.errors import VerifyError
from mlirad.interpreter import run_function
from mlirad.jit.call import NativeFunction
from mlirad.lower.cpu.emit import fetch_records
from mlirad.lower.cpu.schedule_kernels import schedule_function
from mlirad.lower.kernels.form_kernels import form_kernels
from mlirad.lower.kernels.plan_memory import plan_function, records
from mlirad.lower.kernels.plan_verification import verify_plan
from tests.lower.loops import function
from tests.lower.native import compiled_program

LOOPS = """
func.func @f(%x: tensor<5xf64>, %c: f64) -> (tensor<5xf64>, f64) {
  %last, %sum, %a, %b, %p = array.scan %x, %c (%i, %u: tensor<5xf64>, %s: f64) {carries = 2, length = 7}
      : tensor<5xf64>, f64 -> (tensor<5xf64>, f64, tensor<7x5xf64>, tensor<7xf64>, tensor<7x5xi1>) {
    %v = array.sin %u : tensor<5xf64>
    %r = array.reverse %v {dims = [0]} : tensor<5xf64> -> tensor<5xf64>
    %t = array.mul %s, %s : f64
    %n = array.compare lt %v, %r : tensor<5xf64>, tensor<5xf64> -> tensor<5xi1>
    array.yield %r, %t, %v, %t, %n : tensor<5xf64>, f64, tensor<5xf64>, f64, tensor<5xi1>
  }
  %back, %all = array.scan %last, %sum, %p, %a, %b
      (%i, %g: tensor<5xf64>, %s: f64, %n: tensor<5xi1>, %v: tensor<5xf64>, %t: f64)
      {carries = 2, length = 7, reverse}
      : tensor<5xf64>, f64, tensor<7x5xi1>, tensor<7x5xf64>, tensor<7xf64> -> (tensor<5xf64>, f64) {
    %h = array.select %n, %g, %v : tensor<5xi1>, tensor<5xf64>, tensor<5xf64> -> tensor<5xf64>
    %o = array.broadcast %t {dims = []} : f64 -> tensor<5xf64>
    %m = array.add %h, %o : tensor<5xf64>
    %w = array.reverse %m {dims = [0]} : tensor<5xf64> -> tensor<5xf64>
    %q = array.add %s, %t : f64
    array.yield %w, %q : tensor<5xf64>, f64
  }
  func.return %back, %all : tensor<5xf64>, f64
}
"""


@pytest.fixture
def everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records wherever they are possible."""
    monkeypatch.setattr(records, "STREAMS", 0)
    monkeypatch.setattr(records, "L2_BYTES", 0)


def planned() -> FuncOp:
    return plan_function(schedule_function(form_kernels(function(LOOPS)), vector_bytes=32))


def first_scan(f: FuncOp) -> ScanOp:
    return next(op for op in f.walk() if isinstance(op, ScanOp))


@pytest.mark.usefixtures("everywhere")
def test_rows_of_a_iteration_lie_side_by_side() -> None:
    f = planned()
    op = first_scan(f)
    # Rows of 40, 8 and 5 bytes, all aligned to multiples of 8.
    assert stated_strides(op) == (0, 0, 56, 56, 56)
    places = stated_places(op)
    assert places is not None
    first = places[2]
    assert places[3:] == (first + 40, first + 48)


@pytest.mark.usefixtures("everywhere")
def test_results_stay() -> None:
    f = planned()
    verify_plan(f)
    args: list[Any] = [np.linspace(-1, 2, 5), np.float64(0.7)]
    want = run_function(function(LOOPS), args)
    for checks in (False, True):
        native: Any = NativeFunction(compiled_program(ModuleOp([f.clone()]), "f", checks=checks), debug=True)
        for one, other in zip(native(*args), want, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.usefixtures("everywhere")
def test_the_next_record_is_fetched() -> None:
    """Records of 53 bytes: one fetch asks for the start and one for the end, in both loops."""
    text = compiled_program(ModuleOp([planned()]), "f").llvm
    fetches = [line for line in text.splitlines() if "call void @llvm.prefetch" in line]
    assert [line.split(", ")[1] for line in fetches] == ["i32 1", "i32 1", "i32 0", "i32 0"]


def test_nothing_is_fetched_of_what_lies_apart() -> None:
    assert "prefetch" not in compiled_program(ModuleOp([planned()]), "f").llvm


@pytest.mark.usefixtures("everywhere")
def test_long_records_are_not_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch_records, "MOST_FETCHED", 52)
    assert "prefetch" not in compiled_program(ModuleOp([planned()]), "f").llvm


def test_few_values_and_small_ones_lie_apart() -> None:
    assert STRIDES_ATTRIBUTE not in first_scan(planned()).attributes


@pytest.mark.usefixtures("everywhere")
@pytest.mark.parametrize(
    ("strides", "moved"),
    [
        ((0, 0, 56, 56, 48), 0),  # records of two lengths
        ((0, 0, 32, 32, 32), 0),  # shorter than a row
        ((0, 0, 56, 56, 56), -8),  # a row that begins in the one before
        ((0, 0, 57, 57, 57), 0),  # not aligned
        ((0, 0, 56, 56), 0),  # one too few
        ((56, 0, 56, 56, 56), 0),  # the last value of a carry has no rows of iterations
        ((0, 0, 56, 56, -56), 0),
        ((0, 0, 2**40, 2**40, 2**40), 0),
    ],
)
def test_the_check_sees_records_that_overlap(strides: tuple[int, ...], moved: int) -> None:
    f = planned()
    op = first_scan(f)
    places = stated_places(op)
    assert places is not None
    op.attributes[STRIDES_ATTRIBUTE] = ints(strides)
    op.attributes[PLACES_ATTRIBUTE] = ints((*places[:3], places[3] + moved, places[4]))
    with pytest.raises(VerifyError):
        verify_plan(f)


@pytest.mark.usefixtures("everywhere")
def test_what_others_than_loops_read_lies_apart() -> None:
    text = LOOPS.replace(
        "func.return %back, %all : tensor<5xf64>, f64", "func.return %back, %b : tensor<5xf64>, tensor<7xf64>"
    )
    f = function(
        text.replace("-> (tensor<5xf64>, f64) {\n  %last", "-> (tensor<5xf64>, tensor<7xf64>) {\n  %last")
    )
    op = first_scan(plan_function(schedule_function(form_kernels(f), vector_bytes=32)))
    assert [bool(s) for s in stated_strides(op)] == [False, False, True, False, True]
