"""Programs that passes do not take are refused at their place, and are not called a defect."""

from __future__ import annotations

import pytest

from mlirad.errors import CompileError, UnsupportedError
from mlirad.ir.parsing import MAX_NESTING, parse_module
from mlirad.ir.verification import verify_module
from mlirad.pipelines import PIPELINES, pipeline_passes, run_passes
from mlirad.registry import make_passes

ARRAYS = """
func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = array.sin %x : tensor<4xf64>
  func.return %y : tensor<4xf64>
}
"""
BUILD = """
func.func @f(%x: f64) -> tensor<4xf64> {
  %y = array.build (%i) : -> tensor<4xf64> {
    array.yield %x : f64
  }
  func.return %y : tensor<4xf64>
}
"""
MAP = """
func.func @f(%x: f64) -> !linear.map<f64, f64> {
  %m = linear.scale %x : f64 -> !linear.map<f64, f64>
  func.return %m : !linear.map<f64, f64>
}
"""
GIVEN_MAP = "func.func @f(%m: MAP) -> MAP {\n  func.return %m : MAP\n}".replace(
    "MAP", "!linear.map<f64, f64>"
)
TWO_MAPS = MAP.replace(
    "-> !linear.map<f64, f64> {", "-> (!linear.map<f64, f64>, !linear.map<f64, f64>) {"
).replace("return %m : !linear.map<f64, f64>", "return %m, %m : !linear.map<f64, f64>, !linear.map<f64, f64>")
CALLED_MAP = (
    MAP
    + """
func.func @g(%x: f64) -> f64 {
  %m = func.call @f(%x) : (f64) -> !linear.map<f64, f64>
  func.return %x : f64
}
"""
)
TAKEN_NAME = MAP + "\nfunc.func @f_map() {\n  func.return\n}"


@pytest.mark.parametrize(
    ("text", "passes", "message"),
    [
        (ARRAYS, "form-kernels,form-kernels", "@f has been lowered: kernel.nest is a kernel"),
        (BUILD, "form-kernels", "array.build cannot be lowered"),
        (MAP, "form-kernels", "linear.scale cannot be lowered"),
        (GIVEN_MAP, "form-kernels", "argument 0 has type !linear.map<f64, f64>, which has no code"),
        (GIVEN_MAP, "split-maps", "@f cannot be split: its parameter 0 has type"),
        (TWO_MAPS, "split-maps", "@f cannot be split: its result 0 has type"),
        (CALLED_MAP, "split-maps", "@f, which func.call refers to, cannot be split"),
        (TAKEN_NAME, "split-maps", "@f cannot be split: there is a function @f_map"),
    ],
)
def test_programs_that_a_pass_does_not_take(text: str, passes: str, message: str) -> None:
    module = parse_module(text, "f.mlir")
    verify_module(module)
    with pytest.raises(UnsupportedError) as caught:
        run_passes(module, make_passes(passes))
    assert caught.value.message.startswith(message)
    assert caught.value.location is not None and caught.value.location.startswith("f.mlir:")


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_lowered_programs_go_through_every_pipeline(pipeline: str) -> None:
    """As they are, or with an error; none reports a defect."""
    module = parse_module(ARRAYS)
    run_passes(module, pipeline_passes("lower"))
    options = "{function=f}" if pipeline == "grad" else ""
    try:
        run_passes(module, pipeline_passes(pipeline + options))
    except CompileError:
        raise
    except Exception as error:
        assert getattr(error, "location", None) is not None


def nested(depth: int) -> str:
    """A loop in a loop in a loop ..."""
    heads = [
        f"%r{k} = array.scan %{f'c{k}' if k else 'x'} (%i{k}, %c{k + 1}: f64) "
        "{carries = 1, length = 2} : f64 -> f64 {"
        for k in range(depth)
    ]
    tails = ["}\n" + (f"array.yield %r{k} : f64" if k else "") for k in reversed(range(depth))]
    body = [*heads, f"%v = array.sin %c{depth} : f64", "array.yield %v : f64", *tails]
    return "func.func @f(%x: f64) -> f64 {\n" + "\n".join(body) + "\nfunc.return %r0 : f64\n}"


def test_nesting_is_bounded_and_what_is_allowed_compiles() -> None:
    # A function, nested loops, and the ops in the innermost.
    deepest = nested(MAX_NESTING - 2)
    for pipeline in ("simplify", "compile"):
        module = parse_module(deepest)
        verify_module(module)
        run_passes(module, pipeline_passes(pipeline))
    with pytest.raises(ValueError, match=f"nested more than {MAX_NESTING} deep"):
        parse_module(nested(MAX_NESTING - 1))


def test_long_chains_are_lowered() -> None:
    """Lowering recurses over what an element is computed from: here ops that change positions."""
    ops = [
        f"%v{k + 1} = array.reverse %v{k} {{dims = [0]}} : tensor<3xf64> -> tensor<3xf64>"
        for k in range(1200)
    ]
    text = "func.func @f(%v0: tensor<3xf64>) -> tensor<3xf64> {\n" + "\n".join(ops)
    module = parse_module(text + "\nfunc.return %v1200 : tensor<3xf64>\n}")
    run_passes(module, pipeline_passes("lower"))
