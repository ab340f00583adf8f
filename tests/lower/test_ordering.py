"""Sorting, prefix reductions and products in native code, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import mlirad as ad
from mlirad.jit.call import NativeFunction
from mlirad.lower.native_program import BUFFER_ALIGNMENT
from tests.lower.emission import tensor
from tests.lower.loops import check, function, lowered

SHAPES = [
    ((1,), 0),
    ((2,), 0),
    ((16,), 0),
    ((17,), 0),
    ((255,), 0),
    ((256,), 0),
    ((1000,), 0),
    ((9000,), 0),
    ((2, 300, 3), 1),
    ((5, 33), 1),
    ((33, 5), 0),
    ((3, 40, 2), 1),
]
DTYPES = ["float64", "float32", "int64", "int32", "bool"]


def values(shape: tuple[int, ...], dtype: str, seed: int = 0) -> npt.NDArray[np.generic]:
    """Values with many equal ones, and NaN, infinities and both zeros among floats."""
    rng = np.random.default_rng(seed)
    x = rng.integers(-9, 9, shape).astype(dtype)
    if dtype.startswith("float"):
        special = np.array([np.nan, np.inf, -np.inf, -0.0], dtype)
        x = np.where(rng.random(shape) < 0.3, special[rng.integers(0, 4, shape)], x)
    return x


@pytest.mark.parametrize(("shape", "dim"), SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_sorting_is_stable_and_puts_nan_last(shape: tuple[int, ...], dim: int, dtype: str) -> None:
    t, i = tensor(shape, dtype), tensor(shape, "int64")
    text = f"""
    func.func @f(%x: {t}) -> ({t}, {i}) {{
      %s = array.sort %x {{dim = {dim}}} : {t}
      %p = array.argsort %x {{dim = {dim}}} : {t} -> {i}
      func.return %s, %p : {t}, {i}
    }}"""
    x = values(shape, dtype)
    got, order = NativeFunction(lowered(function(text))[1], debug=True)(x)
    np.testing.assert_array_equal(order, np.argsort(x, axis=dim, kind="stable"))
    np.testing.assert_array_equal(got, np.sort(x, axis=dim, kind="stable"))


@pytest.mark.parametrize("dtype", DTYPES[:-1])
def test_all_bit_patterns_are_sorted(dtype: str) -> None:
    """Long lines are sorted by their bits: subnormal and huge numbers, NaN of either sign."""
    n, rng = 3000, np.random.default_rng(7)
    t, i = tensor((n,), dtype), tensor((n,), "int64")
    text = f"""
    func.func @f(%x: {t}) -> ({t}, {i}) {{
      %s = array.sort %x {{dim = 0}} : {t}
      %p = array.argsort %x {{dim = 0}} : {t} -> {i}
      func.return %s, %p : {t}, {i}
    }}"""
    sort = NativeFunction(lowered(function(text))[1], debug=True)
    digits = rng.integers(0, 256, (n, np.dtype(dtype).itemsize), np.uint8)
    one_moved = digits.copy()
    one_moved[:, 1:] = digits[0, 1:]
    x = digits.reshape(-1).view(dtype)
    for y in (
        one_moved.reshape(-1).view(dtype),
        x,
        np.where(rng.random(n) < 0.5, x, x[:1]),
        np.full(n, x[0]),
        np.sort(x),
        np.sort(x)[::-1].copy(),
    ):
        values, order = sort(y)
        np.testing.assert_array_equal(order, np.argsort(y, kind="stable"))
        assert values.tobytes() == y[order].tobytes()


def test_lines_are_sorted_in_the_memory_of_the_result() -> None:
    """An argsort of 1000 numbers needs two lines of them; positions lie in the result from the beginning."""
    t, i = tensor((1000,), "float64"), tensor((1000,), "int64")
    text = f"""
    func.func @f(%x: {t}) -> {i} {{
      %p = array.argsort %x {{dim = 0}} : {t} -> {i}
      func.return %p : {i}
    }}"""
    line = 8 * 1000 + BUFFER_ALIGNMENT
    assert lowered(function(text))[1].arena_bytes <= 2 * line
    text = text.replace("%p = array.argsort", "%p = array.sort").replace(f"-> {i}", f"-> {t}")
    text = text.replace(f": {t} -> {t}\n", f": {t}\n").replace(f"%p : {i}", f"%p : {t}")
    assert lowered(function(text))[1].arena_bytes <= line


@pytest.mark.parametrize(("shape", "dim"), [*SHAPES, ((9, 40), 1), ((4, 3, 21), 0)])
@pytest.mark.parametrize("kind", ["sum", "prod", "max", "min"])
@pytest.mark.parametrize("reverse", ["", ", reverse"])
def test_prefix_reductions(shape: tuple[int, ...], dim: int, kind: str, reverse: str) -> None:
    for dtype in ("float64", "int32"):
        t = tensor(shape, dtype)
        x = np.random.default_rng(0).uniform(-2, 2, shape).astype(dtype)
        check(
            f"""
            func.func @f(%x: {t}) -> {t} {{
              %c = array.cumulative {kind} %x {{dim = {dim}{reverse}}} : {t}
              func.return %c : {t}
            }}""",
            x,
        )


def test_prefix_extrema_propagate_nan() -> None:
    x = np.array([1.0, 3.0, np.nan, 5.0, -np.inf])
    text = """
    func.func @f(%x: tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>) {
      %a = array.cumulative max %x {dim = 0} : tensor<5xf64>
      %b = array.cumulative min %x {dim = 0, reverse} : tensor<5xf64>
      func.return %a, %b : tensor<5xf64>, tensor<5xf64>
    }"""
    check(text, x)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
@pytest.mark.parametrize("extent", [0, 1, 7, 300])
def test_products(dtype: str, extent: int) -> None:
    t = tensor((3, extent), dtype)
    x = np.random.default_rng(1).uniform(0.9, 1.1, (3, extent)).astype(dtype)
    check(
        f"""
        func.func @f(%x: {t}) -> ({tensor((3,), dtype)}, {tensor((extent,), dtype)}) {{
          %p = array.reduce prod %x {{dims = [1]}} : {t} -> {tensor((3,), dtype)}
          %q = array.reduce prod %x {{dims = [0]}} : {t} -> {tensor((extent,), dtype)}
          func.return %p, %q : {tensor((3,), dtype)}, {tensor((extent,), dtype)}
        }}""",
        x,
        rtol=1e-4 if dtype == "float32" else 1e-12,
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("shape", "axis"), [((5000,), 0), ((3, 700), 1), ((700, 9), 0), ((4, 300, 2), 1)])
def test_prefix_sums_of_weights_never_decrease(dtype: Any, shape: tuple[int, ...], axis: int) -> None:
    """Searches in them rely on it; many weights are 0, or vanish beside the sum."""
    rng = np.random.default_rng(3)
    weights = (
        rng.exponential(size=shape) * 10.0 ** rng.uniform(-12, 0, shape) * (rng.random(shape) < 0.6)
    ).astype(dtype)
    sums = ad.jit(lambda w: np.cumsum(w, axis))(weights)
    assert (np.diff(sums, axis=axis) >= 0).all()
    exact = np.cumsum(weights.astype(np.longdouble), axis)
    np.testing.assert_allclose(sums, exact, rtol=2e-7 if dtype == np.float32 else 1e-13)
