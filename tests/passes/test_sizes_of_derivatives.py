"""Functions that passes make of a function with sizes state these, as they can be called from outside."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from mlirad.dialects.concrete_sizes import stated_sizes
from mlirad.interpreter import run_function
from mlirad.ir.call_graph import functions_by_name, is_private
from mlirad.ir.parsing import parse_module
from mlirad.pipeline_options import SPECIFICATIONS
from mlirad.pipelines import pipeline_passes, run_passes
from mlirad.registry import PASS_MODULES, load_pass, make_passes

OF_ONE_FUNCTION = [
    name
    for name in PASS_MODULES
    if "function" in {field.name for field in dataclasses.fields(load_pass(name))} and name != "shard-rows"
]
"""The passes whose option names a function; `shard-rows` replaces it."""

TEXT = """
func.func @f(%x: tensor<?xf64, #array.extents<[n]>>) -> f64 attributes {array.sizes = ["n"]} {
  %0 = array.sin %x : tensor<?xf64, #array.extents<[n]>>
  %1 = array.sum %0 {dims = [0]} : tensor<?xf64, #array.extents<[n]>> -> f64
  func.return %1 : f64
}
"""


def test_passes_of_one_function_are_found() -> None:
    assert {"differentiate", "taylor", "chad", "curry", "sweep"} <= set(OF_ONE_FUNCTION)


@pytest.mark.parametrize("name", OF_ONE_FUNCTION)
def test_what_a_pass_makes(name: str) -> None:
    module = parse_module(TEXT)
    run_passes(module, make_passes(f"{name}{{function=f}}"))  # verifies
    for function in functions_by_name(module).values():
        assert is_private(function) or stated_sizes(function) == ("n",)


@pytest.mark.parametrize("method", ["dual-arrays", "jacobian", "chad", *SPECIFICATIONS])
def test_gradients_by_all_methods(method: str) -> None:
    module = parse_module(TEXT)
    run_passes(module, pipeline_passes(f"grad{{function=f method={method}}}"))
    for n in (2, 5):
        x = np.linspace(0.1, 1.0, n)
        value, slope = run_function(module, [x], function="f_grad")
        np.testing.assert_allclose(value, np.sum(np.sin(x)), rtol=1e-14)
        np.testing.assert_allclose(slope, np.cos(x), rtol=1e-14)
