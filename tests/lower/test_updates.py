"""Results of called functions that take over the memory of an argument, where they can."""

from __future__ import annotations

import numpy as np
import pytest

from mlirad.dialects.kernel.plans import stated_updates
from mlirad.interpreter import run_function
from mlirad.ir.call_graph import functions_of
from mlirad.ir.parsing import parse_module
from mlirad.jit.call import NativeFunction
from mlirad.lower.kernels.plan_verification import verify_plan
from mlirad.pipelines import expansion, lowering
from tests.lower.native import compiled_program
from tests.passes.derivatives import run_passes

T = "tensor<3xf64>"


def descent(step: str) -> str:
    """A function that calls itself three times, with the array %y that `step` makes of %x."""
    return f"""
      func.func private @descend(%x: {T}, %n: i64) -> {T} {{
        %one = array.constant 1 : i64
        %stop = array.compare lt %n, %one : i64, i64 -> i1
        %r = array.if %stop : i1 -> ({T}) {{
          array.yield %x : {T}
        }} else {{
          {step}
          %less = array.sub %n, %one : i64
          %z = func.call @descend(%y, %less) : ({T}, i64) -> {T}
          %v = array.neg %z : {T}
          array.yield %v : {T}
        }}
        func.return %r : {T}
      }}
      func.func @main(%x: {T}) -> {T} {{
        %n = array.constant 3 : i64
        %r = func.call @descend(%x, %n) : ({T}, i64) -> {T}
        func.return %r : {T}
      }}"""


STEPS = {
    "one element": (
        f"""%c = array.constant 2.5 : f64
          %y = array.update add %x, %c () : {T}, f64 -> {T} {{
            array.yield %one : i64
          }}""",
        True,
    ),
    "elsewhere": (
        f"""%y = array.scatter %x (%i) : {T} -> {T} {{
            %square = array.mul %i, %i : i64
            %three = array.constant 3 : i64
            %p = array.rem %square, %three : i64
            array.yield %p : i64
          }}""",
        False,
    ),
    "turned around": (f"%y = array.reverse %x {{dims = [0]}} : {T} -> {T}", False),
    "sums so far": (f"%y = array.cumulative sum %x {{dim = 0, reverse}} : {T} -> {T}", False),
}
"""The text of a step by name, and a flag for those that can work where the array lies."""


@pytest.mark.parametrize("case", STEPS)
def test_calls_update_their_arguments_or_leave_them(case: str) -> None:
    step, updates = STEPS[case]
    source = parse_module(descent(step))
    x = np.array([0.5, -1.25, 3.0])
    expected = run_function(source, [x])
    planned = run_passes(source.clone(), ",".join([*expansion(), *lowering()]))
    stated = {f.sym_name.data: stated_updates(f) for f in functions_of(planned)}
    assert stated == {"descend": {0: 0} if updates else {}, "main": {}}
    for function in functions_of(planned):
        verify_plan(function)
    got = NativeFunction(compiled_program(source, "main", checks=True), debug=True)(x)
    np.testing.assert_array_equal(got, expected)
