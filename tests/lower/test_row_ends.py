"""Ends of short rows that are loaded and stored in pieces, against the interpreter and under guard."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt
import pytest

import mlirad as ad
from mlirad.lower import machine
from mlirad.lower.cpu.complete_schedules import nests
from mlirad.lower.machine import ends_in_pieces
from tests.lower.emission import TYPES, check, compiled, tensor


@pytest.fixture
def everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces wherever they are possible, however often a kernel runs."""
    monkeypatch.setattr(machine, "SECOND_PATH", 0.0)


def rows(n: int, dtype: str, width: int) -> str:
    """Two results of a row and of another one from its fourth element on, and the sum of both."""
    x, y, t = tensor((n,), dtype), tensor((n + 3,), dtype), TYPES[dtype]
    return f"""
func.func @main(%x: {x}, %y: {y}) -> ({x}, {x}, {t}) {{
  %a, %b = kernel.nest %x, %y (%i) {{space = [{n}], reduction = [], lane = 0, width = {width}}}
      : {x}, {y} -> ({x}, {x}) {{
    %u = kernel.load %x[%i] : {x} -> {t}
    %three = array.constant 3 : i64
    %j = array.add %i, %three : i64
    %v = kernel.load %y[%j] : {y} -> {t}
    %w = kernel.load %y[%three] : {y} -> {t}
    %p = array.mul %u, %v : {t}
    %q = array.sub %p, %w : {t}
    array.yield %p, %q : {t}, {t}
  }}
  %c = kernel.nest %a, %b (%i) {{space = [{n}], reduction = [], lane = 0, width = {width}}}
      : {x}, {x} -> {x} {{
    %u = kernel.load %a[%i] : {x} -> {t}
    %v = kernel.load %b[%i] : {x} -> {t}
    %p = array.add %u, %v : {t}
    array.yield %p : {t}
  }}
  %s = kernel.nest %c (%i) {{space = [], reduction = [{n}], combiners = [add], lane = 0, width = {width}}}
      : {x} -> {t} {{
    %u = kernel.load %c[%i] : {x} -> {t}
    array.yield %u : {t}
  }}
  func.return %b, %c, %s : {x}, {x}, {t}
}}"""


def given(n: int, dtype: str) -> tuple[npt.NDArray[np.generic], npt.NDArray[np.generic]]:
    rng = np.random.default_rng(n)
    return rng.integers(-9, 9, n).astype(dtype), rng.integers(-9, 9, n + 3).astype(dtype)


@pytest.mark.usefixtures("everywhere")
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32"])
@pytest.mark.parametrize("extent", [*range(2, 19), 22, 31])
@pytest.mark.parametrize("longest", [nests.LONG_CHAIN, 0])
def test_rows(extent: int, dtype: str, longest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks one by one, and side by side."""
    monkeypatch.setattr(nests, "LONG_CHAIN", longest)
    for width in (2, 4, 8, 16):
        check(rows(extent, dtype, width), *given(extent, dtype))


@pytest.mark.usefixtures("everywhere")
def test_blocks_of_long_bodies_are_computed_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    def lanes() -> set[str]:
        _, program, _ = compiled(rows(7, "float64", 4), features="x86-64-v3")
        return set(re.findall(r"fmul .*?(<\d+ x double>)", program.llvm))

    assert lanes() == {"<4 x double>"}
    monkeypatch.setattr(nests, "LONG_CHAIN", 0)
    assert lanes() == {"<8 x double>"}


@pytest.mark.usefixtures("everywhere")
def test_stores_do_not_overlap() -> None:
    """Each element of a result is stored once: no vector begins inside of the one before."""
    _, program, _ = compiled(rows(7, "float64", 4), features="x86-64-v3")
    text = program.llvm
    body = text[text.index("define internal void @k0") :]
    body = body[: body.index("\n}")]
    sizes = [line.split("store ")[1].split(",")[0] for line in body.splitlines() if " store " in line]
    kinds = sorted(kind.split(" %")[0] for kind in sizes)
    assert kinds == ["<2 x double>"] * 2 + ["<4 x double>"] * 2 + ["double"] * 2
    assert "masked" not in body


def test_which_rows_end_in_pieces() -> None:
    often = 1000.0
    assert ends_in_pieces(14, 8, often)
    assert ends_in_pieces(3, 4, often)
    assert not ends_in_pieces(16, 8, often)  # nothing is left over
    assert not ends_in_pieces(1003, 8, often)  # long
    assert not ends_in_pieces(14, 8, 1)  # not worth the code


@pytest.mark.parametrize("width", [3, 7, 11, 14])
def test_carries_of_loops(width: int) -> None:
    """The gradient of a loop over rows of carries is that of its value."""
    rng = np.random.default_rng(width)
    w, x = rng.normal(size=(2, width)), rng.normal(size=(100, width))

    def loss(w: npt.NDArray[np.float64]) -> np.float64:
        def step(h: npt.NDArray[np.float64], u: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
            return np.tanh(h * w[0] + u[::-1] * w[1])

        return np.sum(ad.fold(step, np.zeros(width), x) ** 2)

    def plain(w: npt.NDArray[np.float64]) -> float:
        h = np.zeros(width)
        for u in x:
            h = np.tanh(h * w[0] + u[::-1] * w[1])
        return float(np.sum(h**2))

    value, gradient = ad.value_and_grad(loss)(w)
    np.testing.assert_allclose(value, plain(w), rtol=1e-12)
    direction = rng.normal(size=w.shape)
    difference = (plain(w + 1e-6 * direction) - plain(w - 1e-6 * direction)) / 2e-6
    np.testing.assert_allclose(np.sum(gradient * direction), difference, rtol=1e-6, atol=1e-9)
