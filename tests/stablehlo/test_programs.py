"""Programs as JAX prints them: values and gradients are JAX's, text survives printing, errors name places."""

from __future__ import annotations

import re

import numpy as np
import pytest

import mlirad as ad
from mlirad.dialects.stablehlo import HloOp
from mlirad.interpreter import run_function
from mlirad.ir.foreign import STABLEHLO
from mlirad.ir.parsing import parse_module
from mlirad.ir.regions import nested_ops
from mlirad.ir.verification import verify_module
from mlirad.passes.convert_stablehlo import convert_stablehlo
from tests.stablehlo.figures import FOLDER, Figure, figures, weights

FIGURES = figures()
EXACT = 1e-12


def error(found, expected) -> float:
    """The largest difference, relative to numbers larger than 1."""
    assert np.shape(found) == expected.shape
    if expected.dtype.kind != "f":
        return float(np.any(np.asarray(found) != expected))
    return float(np.max(np.abs(found - expected) / (1 + np.abs(expected)), initial=0.0))


def named(name: str) -> Figure:
    return next(figure for figure in FIGURES if figure.name == name)


def test_programs_are_read_printed_and_converted() -> None:
    for figure in FIGURES[::5]:
        module = parse_module(figure.text, f"{figure.name}.mlir")
        verify_module(module, foreign=frozenset(STABLEHLO))
        printed = str(module)
        assert str(parse_module(printed)) == printed
        convert_stablehlo(module)
        verify_module(module)
        assert not any(isinstance(op, HloOp) for op in nested_ops(module.body))


def test_interpreted_values() -> None:
    """Some programs, by the reference interpreter, with the calls that conversion keeps."""
    for figure in FIGURES[3::12]:
        module = parse_module(figure.text)
        convert_stablehlo(module)
        results = run_function(module, figure.arguments, function="main")
        assert max(map(error, results, figure.results)) < EXACT, figure.name


@pytest.mark.parametrize("name", [figure.name for figure in FIGURES])
def test_values_and_gradients(name) -> None:
    figure = named(name)
    function = ad.from_stablehlo(figure.text, f"{name}.mlir")

    def total(*chosen):
        given = list(figure.arguments)
        for k, value in zip(figure.moving, chosen, strict=True):
            given[k] = value
        results = function(*given)
        floats = [r for r in results if np.dtype(r.dtype).kind == "f"]
        return sum(np.sum(weights(r.shape) * r) for r in floats), results

    chosen = [figure.arguments[k] for k in figure.moving]
    derivative = ad.value_and_grad(total, tuple(range(len(chosen))), has_aux=True)
    (_, results), gradients = derivative(*chosen)
    assert len(results) == len(figure.results)
    assert max(map(error, results, figure.results)) < EXACT
    assert max(map(error, gradients, figure.gradients)) < EXACT


def test_loops_that_count_are_scans() -> None:
    for name in ("recurrent_network", "reverse_scan", "for_loop"):
        text = ad.jit(ad.from_stablehlo(named(name).text)).ir(*named(name).arguments)
        assert "array.scan" in text and "array.while" not in text and "array.update" not in text, name


def test_generic_text_is_the_same_program() -> None:
    from mlirad.tools.instrumentation import module_text

    for name in ("prefixes", "segment_max"):
        module = parse_module(named(name).text)
        generic = module_text(module, generic=True, locations=False)
        assert str(parse_module(generic)) == str(module)


def test_locations_behind_the_module_are_those_of_errors() -> None:
    text = """
module @m {
  func.func public @main(%arg0: tensor<3xf64> loc("x")) -> tensor<3xf64> {
    %0 = stablehlo.tanh %arg0 : tensor<3xf64> loc(#loc3)
    %1 = stablehlo.custom_call @secret(%0) : (tensor<3xf64>) -> tensor<3xf64> loc(#loc3)
    return %1 : tensor<3xf64> loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc = loc(unknown)
#loc1 = loc("model.py":7:4 to :19)
#loc2 = loc("layer"(#loc1))
#loc3 = loc("jit(layer)/call"(#loc2))
"""
    with pytest.raises(ad.UnsupportedError, match=r"^model\.py:7:4: stablehlo\.custom_call: calls @secret"):
        ad.from_stablehlo(text, "f.mlir")


def test_regions_on_scalars_read_scalars_from_around_them() -> None:
    text = """
func.func @main(%x: tensor<3x4xf64>, %s: tensor<f64>) -> (tensor<3xf64>, tensor<3x4xf64>) {
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %m = stablehlo.multiply %b, %s : tensor<f64>
    %t = stablehlo.add %a, %m : tensor<f64>
    stablehlo.return %t : tensor<f64>
  }) : (tensor<3x4xf64>, tensor<f64>) -> tensor<3xf64>
  %1 = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f64>):
    stablehlo.return %s : tensor<f64>
  }) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %0, %1 : tensor<3xf64>, tensor<3x4xf64>
}
func.func private @declared(tensor<f64>) -> tensor<f64>
"""
    x = np.arange(12.0).reshape(3, 4)
    total, same = ad.from_stablehlo(text)(x, 2.0)
    np.testing.assert_allclose(total, 2 * x.sum(axis=1))
    np.testing.assert_array_equal(same, np.full((3, 4), 2.0))


WRONG = {
    "%0 = stablehlo.convert %x : (tensor<3xf64>) -> tensor<3xf16>": (
        "stablehlo.convert: the language has no floats of type f16: compute in f32 or f64"
    ),
    "%0 = stablehlo.fft %x, type = RFFT : (tensor<3xf64>) -> tensor<2xcomplex<f64>>": (
        "stablehlo.fft is not an op of StableHLO that mlirad reads"
    ),
    "%0 = stablehlo.add %x, %y : tensor<3xf64>": "%y is not defined",
    "%0 = stablehlo.reshape %x : (tensor<3xf64>) -> tensor<2xf64>": "stablehlo.reshape: ",
    "%0 = stablehlo.transpose %x, dims = [0, 1] : (tensor<3xf64>) -> tensor<3xf64>": "stablehlo.transpose: ",
    "%0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<3xf64>) -> tensor<2x3xf64>": (
        "stablehlo.broadcast_in_dim: "
    ),
    "%0 = func.call @g(%x) : (tensor<3xf64>) -> tensor<3xf64>\n%1 = stablehlo.sine %x : tensor<3xf64>": (
        "func.call: there is no function @g"
    ),
    "%0 = stablehlo.sine %x : (tensor<3xf64>) -> tensor<?xf64>": (
        "stablehlo.sine: the language has no dynamic shapes"
    ),
    "%0 = stablehlo.sine %x : (tensor<3xf64>) -> tensor<4xf64>": (
        "stablehlo.sine: the result is tensor<4xf64>, and must be tensor<3xf64>"
    ),
    "%0 = stablehlo.iota dim = 0 : tensor<3xi8>": "stablehlo.iota: the language has no integers of 8 bits",
}


@pytest.mark.parametrize("line", WRONG)
def test_wrong_text_is_told_in_a_sentence(line) -> None:
    text = (
        "func.func @main(%x: tensor<3xf64>) -> tensor<3xf64> {\n" + line + "\n  return %x : tensor<3xf64>\n}"
    )
    with pytest.raises(ad.MliradError, match=rf"^f\.mlir:2:\d+: {re.escape(WRONG[line])}"):
        ad.from_stablehlo(text, "f.mlir")


def test_arguments_must_be_those_of_the_text() -> None:
    function = ad.from_stablehlo(named("softmax").text)
    with pytest.raises(ad.ArgumentError, match=r"argument 0 is float64\[2\], and the program is written for"):
        function(np.ones(2))
    with pytest.raises(ad.ArgumentError, match="takes 1 arrays, got 2"):
        function(np.ones((5, 4)), 1.0)


def test_figures_are_of_the_programs_listed() -> None:
    assert {path.stem for path in FOLDER.glob("*.mlir")} == {figure.name for figure in FIGURES}
    assert len(FIGURES) >= 40
