"""Masked loads whose mask is a condition that lanes share and a mask of lanes that is known."""

from __future__ import annotations

import re

import numpy as np
import pytest

import mlirad as ad
from mlirad.lower.llvm.instructions import Instructions
from mlirad.lower.llvm.text import BYTES, Kind, ModuleText, Parameter, vector
from tests.lower.test_llvm_text import run

TARGETS = (None, "x86-64-v3")
"""The host, and processors with AVX2, for which LLVM selects wrong masked loads of more than one register."""


@pytest.fixture(params=TARGETS)
def target(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile for a target."""
    if request.param:
        monkeypatch.setenv("MLIRAD_TARGET_FEATURES", request.param)


@pytest.mark.usefixtures("target")
@pytest.mark.parametrize("n", [3, 5, 6, 8, 12, 16])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_gradients_of_slices_of_products(n: int, dtype: type[np.floating]) -> None:
    rng = np.random.default_rng(n)
    x = rng.normal(size=(n, n)).astype(dtype)
    for rows in range(1, n + 1):
        for columns in (1, n // 2, n - 1, n):
            w = np.zeros((n, n), dtype)
            w[:rows, :columns] = rng.normal(size=(rows, columns))
            part = w[:rows, :columns]
            found = ad.grad(lambda y, w: np.sum((y @ y)[: w.shape[0], : w.shape[1]] * w))(x, part)
            np.testing.assert_allclose(found, w @ x.T + x.T @ w, rtol=1e-4, atol=1e-4)


@pytest.mark.usefixtures("target")
@pytest.mark.parametrize("n", [3, 5, 7, 8, 12])
def test_products_of_padded_arrays(n: int) -> None:
    rng = np.random.default_rng(n)
    x, w = rng.normal(size=(n, n)), rng.normal(size=(n - 1, n // 2))
    padded = np.pad(w, ((1, 0), (n - n // 2, 0)))
    found = ad.jit(lambda x, w: x @ np.pad(w, ((1, 0), (n - n // 2, 0))))(x, w)
    np.testing.assert_allclose(found, x @ padded, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("kind", ["double", "float", "i64", "i32", "i1"])
@pytest.mark.parametrize("mask_bytes", [16, 32, 64])
@pytest.mark.parametrize("width", [2, 8, 32])
def test_long_loads_are_made_of_short_ones(kind: Kind, mask_bytes: int, width: int) -> None:
    """A mask is a condition on the first element and lanes that are known; other elements are 7, or true."""
    module = ModuleText(instructions=Instructions(mask_bytes=mask_bytes))
    f = module.function("f", [Parameter("x", "ptr"), Parameter("out", "ptr")], linkage="")
    x, out = f.arguments
    known = np.arange(width) % 5 < 3
    condition = f.icmp("eq", f.load(x, "i8"), 1)
    mask = f.and_(condition, vector("i1", [int(lane) for lane in known]))
    f.store(f.masked_load(x, mask, kind, 1 if kind == "i1" else 7), out)
    f.ret()
    loaded = [int(found) for found in re.findall(r"masked\.load\.v(\d+)", module.text())]
    assert loaded and all(lanes * BYTES[kind] <= mask_bytes for lanes in loaded)
    dtype = {"double": np.float64, "float": np.float32, "i64": np.int64, "i32": np.int32, "i1": np.bool_}[
        kind
    ]
    for first in (0, 1):
        values, found = np.arange(width).astype(dtype), np.zeros(width, dtype)
        values.view(np.uint8)[0] = first
        run(module, "f", values, found)
        expected = np.where(known & bool(first), values, np.asarray(7).astype(dtype))
        np.testing.assert_array_equal(found, expected)
