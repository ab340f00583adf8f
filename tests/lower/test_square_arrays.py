"""Square arrays become the kernels, strips and recurrences that others become: sizes name no dimensions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special

import mlirad as ad
from mlirad.dialects.kernel import NestOp
from mlirad.dialects.shapes import Value
from mlirad.ir.parsing import parse_module
from mlirad.lower.kernels.strip_mine.axes import axes

pytestmark = pytest.mark.filterwarnings("ignore:.* is compiled for the")

N, LONGER = 960, 976
"""One size is as long as the other, to costs; both are whole vectors."""


def filtered(c: Any, row: Any) -> Any:
    c = 0.5 * c + np.sin(row)
    return c, c


def centred(x: Any, axis: int) -> Any:
    return (x - np.mean(x, axis, keepdims=True)) / np.std(x, axis, keepdims=True)


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    **{
        f"{name} {axis}": lambda x, f=f, axis=axis: f(x, axis)
        for axis in (0, 1)
        for name, f in {
            "cumsum": lambda x, axis: np.cumsum(np.tanh(x), axis) ** 2,
            "cumprod": lambda x, axis: np.cumprod(x, axis),
            "prod": lambda x, axis: np.prod(x, axis),
            "softmax": lambda x, axis: scipy.special.softmax(x, axis) * np.sin(x),
            "logsumexp": lambda x, axis: scipy.special.logsumexp(x, axis),
            "norms": lambda x, axis: np.tanh(centred(x, axis)),
            "filter": lambda x, axis: ad.scan(filtered, np.zeros(x.shape[1 - axis]), x if axis == 0 else x.T)[
                1
            ],
        }.items()
    },
    "both": lambda x: scipy.special.softmax(scipy.special.softmax(x, 0), 1),
    "loop": lambda x: ad.fori_loop(0, 20, lambda i, c: np.tanh(c * x) + x, x),
    "outer": lambda x: np.tanh(x[:, 0, None] * x[0] + x),
}


def total(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: np.sum(function(x))


TOTALS = {name: total(function) for name, function in FUNCTIONS.items()}


def kernels(function: Callable[..., Any], shape: tuple[int, int]) -> list[str]:
    text = function.lower(np.ones(shape)).ir("form-recurrences")  # type: ignore[attr-defined]
    return re.findall(r"(?:kernel\.(?:nest|strips|recurrence|scatter)|array\.scan) (?:%|\()|block = ", text)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("transformed", [ad.jit, ad.grad], ids=["value", "gradient"])
def test_square_arrays_are_lowered_as_others_are(name: str, transformed: Callable[..., Any]) -> None:
    function = transformed(TOTALS[name])
    assert kernels(function, (N, N)) in (kernels(function, (N, LONGER)), kernels(function, (LONGER, N)))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_their_values_and_gradients(name: str) -> None:
    x = np.random.default_rng(0).uniform(0.9, 1.1, (N, N))
    value, gradient = ad.value_and_grad(TOTALS[name])(x)
    np.testing.assert_allclose(value, ad.jit(TOTALS[name], interpret=True)(x), rtol=1e-11)
    steps = np.random.default_rng(1).normal(size=x.shape) * 1e-6
    compiled = ad.jit(TOTALS[name])
    difference = compiled(x + steps) - compiled(x - steps)
    np.testing.assert_allclose(np.sum(gradient * steps) * 2, difference, rtol=1e-4, atol=1e-7 * abs(value))


TEXT = """
func.func @main(%x: tensor<40x40xf64>) -> tensor<40xf64> {
  %y = kernel.nest %x (%i, %j) {space = [40, 40], reduction = []} : tensor<40x40xf64> -> tensor<40x40xf64> {
    %a = kernel.load %x[%j, %i] : tensor<40x40xf64> -> f64
    array.yield %a : f64
  }
  %z = kernel.nest %y (%k, %l) {space = [40], reduction = [40], combiners = [add]}
      : tensor<40x40xf64> -> tensor<40xf64> {
    %a = kernel.load %y[%l, %k] : tensor<40x40xf64> -> f64
    array.yield %a : f64
  }
  func.return %z : tensor<40xf64>
}
"""


def test_axes_of_a_square_array() -> None:
    function = next(op for op in parse_module(TEXT, "square.mlir").walk() if op.name == "func.func")
    first, second = (op for op in function.walk() if isinstance(op, NestOp))
    y: Value = first.results[0]
    found = [(a.loops(first), a.dims(y), a.loops(second)) for a in axes([first, second], [first, second], 40)]
    assert found == [([0], [0], [1]), ([1], [1], [0])]
    assert [a.loops(second) for a in axes([second], [second], 40)] == []
