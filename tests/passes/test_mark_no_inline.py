"""Calls that stay: a tree of functions that call the next one twice is not written out 2^n times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.func import CallOp, FuncOp

import mlirad as ad
from mlirad.errors import UnsupportedError
from mlirad.frontend.tracing import frames
from mlirad.interpreter import run_function
from mlirad.ir.parsing import parse_module
from mlirad.passes.mark_no_inline import NO_INLINE
from mlirad.pipeline_options import METHODS
from mlirad.pipelines import expansion, lowering
from tests.passes.derivatives import run_passes

DEEP = 24


def tree(levels: int, leaf: str = "array.sin %x : f64") -> str:
    """@f0 calls @f1 twice, which calls @f2 twice, and so on: 2^levels times the leaf."""
    calls = "".join(
        f"""func.func @f{k}(%x: f64) -> f64 {{
          %a = func.call @f{k + 1}(%x) : (f64) -> f64
          %b = func.call @f{k + 1}(%a) : (f64) -> f64
          func.return %b : f64
        }}
        """
        for k in range(levels)
    )
    return f"{calls}func.func @f{levels}(%x: f64) -> f64 {{\n  %a = {leaf}\n  func.return %a : f64\n}}"


def chain(decorate: Any, levels: int) -> Any:
    """The same tree in Python."""
    f = decorate(lambda x: np.sin(x))
    for _ in range(levels):
        f = decorate(lambda x, g=f: g(g(x))) if decorate is not ad.function else _twice(f)
    return f


def _twice(g: Any) -> Any:
    return ad.function(lambda x: g(g(x)))


def iterated(x: float, times: int) -> tuple[float, float]:
    """sin applied so often, and the derivative."""
    slope = 1.0
    for _ in range(times):
        x, slope = np.sin(x), slope * np.cos(x)
    return x, slope


def ops(module: Any) -> int:
    return sum(1 for _ in module.walk())


def test_a_small_program_is_written_out():
    module = run_passes(parse_module(tree(3)), "mlirad-inline")
    assert not any(isinstance(op, CallOp) for op in module.walk())


@pytest.mark.parametrize("pipeline", ["mlirad-inline", *map(expansion, METHODS)])
def test_size_grows_with_the_levels(pipeline):
    """Not with two to the power of them."""
    passes = pipeline if isinstance(pipeline, str) else ",".join(pipeline)
    small, large = (ops(run_passes(parse_module(tree(n)), passes)) for n in (20, 40))
    assert large <= 2.2 * small


@pytest.mark.parametrize("method", METHODS)
def test_size_of_gradients_grows_with_the_levels(method):
    passes = ",".join(("differentiate{function=f0}", *expansion(method), *lowering()))
    small, large = (ops(run_passes(parse_module(tree(n)), passes)) for n in (20, 40))
    assert large <= 2.2 * small


@pytest.mark.parametrize("method", METHODS)
def test_values_and_gradients(method):
    levels = 9
    passes = ",".join(("differentiate{function=f0}", *expansion(method)))
    module = run_passes(parse_module(tree(levels)), passes)
    assert any(isinstance(op, CallOp) for op in module.walk())
    found = run_function(module, [np.float64(0.5)], function="f0_grad")
    np.testing.assert_allclose(found, iterated(0.5, 2**levels), rtol=1e-10)


def test_calls_of_marked_functions_stay():
    text = tree(2).replace("@f1(%x: f64) -> f64 {", f"@f1(%x: f64) -> f64 attributes {{{NO_INLINE}}} {{")
    module = run_passes(parse_module(text), "mlirad-inline")
    main = next(f for f in module.walk() if isinstance(f, FuncOp) and f.sym_name.data == "f0")
    assert [op.callee.root_reference.data for op in main.walk() if isinstance(op, CallOp)] == ["f1", "f1"]


def test_calls_that_stay_inside_builds():
    """The function over the batch, and its derivative."""
    f = chain(ad.function, 9)
    x = np.linspace(0.1, 0.6, 3)
    values, slopes = zip(*(iterated(v, 2**9) for v in x), strict=True)
    np.testing.assert_allclose(ad.jit(ad.vmap(f), interpret=True)(x), values, rtol=1e-10)
    for method in METHODS:
        gradient = ad.grad(lambda x: np.sum(ad.vmap(f)(x)), method=method, interpret=True)
        np.testing.assert_allclose(gradient(x), slopes, rtol=1e-9)


@pytest.mark.parametrize("decorate", [ad.function, ad.jit], ids=["function", "jit"])
def test_deep_trees_in_python(decorate):
    """They are traced and differentiated; run they would take 2^40 steps."""
    f = chain(decorate, DEEP)
    module = ad.trace(lambda x: ad.grad(f)(x), 0.5)
    assert ops(run_passes(module, ",".join(expansion("dual-arrays")))) < 10_000


def test_checkpoints_in_a_tree_are_traced_a_few_times():
    assert ops(ad.trace(chain(ad.checkpoint, DEEP), 0.5)) < 2_000


def test_shared_functions_compute_the_same():
    f = chain(ad.jit, 8)
    value, slope = ad.value_and_grad(f)(0.5)
    np.testing.assert_allclose((value, slope), iterated(0.5, 2**8), rtol=1e-10)


def test_a_tree_of_plain_functions_ends_with_an_error(monkeypatch):
    monkeypatch.setattr(frames, "MAX_OPERATIONS", 500)
    with pytest.raises(UnsupportedError, match="more than 500 operations") as error:
        ad.trace(chain(lambda f: f, 12), 0.5)
    assert "@ad.function" in str(error.value.hint)


def test_functions_of_maps_are_written_out_within_bounds():
    """A function that returns a map must be; too many copies are an error."""

    def level(k: int) -> str:
        return f"""func.func private @m{k}() -> !linear.map<f64, f64> {{
          %a = func.call @m{k + 1}() : () -> !linear.map<f64, f64>
          %b = func.call @m{k + 1}() : () -> !linear.map<f64, f64>
          %c = linear.compose %a, %b : !linear.map<f64, f64>, !linear.map<f64, f64> -> !linear.map<f64, f64>
          func.return %c : !linear.map<f64, f64>
        }}
        """

    last = """func.func private @m30() -> !linear.map<f64, f64> {
      %c = array.constant 2.0 : f64
      %m = linear.scale %c : f64 -> !linear.map<f64, f64>
      func.return %m : !linear.map<f64, f64>
    }
    func.func @main(%x: f64) -> f64 {
      %m = func.call @m0() : () -> !linear.map<f64, f64>
      %y = linear.apply %m, %x : !linear.map<f64, f64>, f64 -> f64
      func.return %y : f64
    }"""
    module = parse_module("".join(map(level, range(30))) + last)
    with pytest.raises(UnsupportedError, match="takes or returns linear maps"):
        run_passes(module, "mlirad-inline")
