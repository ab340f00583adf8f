"""Sorts of what is argsorted as well become gathers, with the same elements."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, f32, f64, i64
from xdsl.ir import Attribute

import mlirad as ad
from mlirad.dialects.shapes import Value, array_type
from mlirad.interpreter import run_function
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.passes.cse_sorts import CseSortsPass

TYPES = {"float64": f64, "float32": f32, "int64": i64}
SPECIAL = [np.nan, -0.0, 0.0, np.inf, -np.inf, 1.0, 1.0]


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("dtype", TYPES)
def test_the_elements_are_the_same(dtype: str, dim: int) -> None:
    element: Attribute = TYPES[dtype]

    def body(b: ArrayBuilder, x: Value) -> list[Value]:
        return [b.sort(x, dim), b.argsort(x, dim)]

    function = new_function("f", [array_type((7, 7), element)], body)
    x = np.random.default_rng(0).integers(-3, 4, (7, 7)).astype(dtype)
    if element is not i64:
        x[2], x[:, 3] = SPECIAL, SPECIAL
    shared = CseSortsPass().transform(function, ModuleOp([]))
    assert "array.sort" not in str(shared)
    results = [run_function(ModuleOp([f.clone()]), [x], function="f") for f in (function, shared)]
    for want, got in zip(*results, strict=True):
        np.testing.assert_array_equal(got, want)


def test_a_gradient_sorts_once() -> None:
    weights = np.linspace(-1.0, 1.0, 300)
    gradient = ad.grad(lambda x: np.sum(weights * np.sort(x) ** 2))
    x = np.random.default_rng(1).normal(size=300)
    text = gradient.ir(x, after="plan-memory")
    assert text.count("kernel.sort") == 1
    expected = np.empty(300)
    order = np.argsort(x)
    expected[order] = 2 * weights * x[order]
    np.testing.assert_allclose(gradient(x), expected, rtol=1e-14)


def test_a_sort_alone_stays() -> None:
    assert "array.sort" in ad.jit(np.sort).ir(np.ones(5), after="lower-checkpoints")
