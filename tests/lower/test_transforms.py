"""Fourier transforms in native code, against NumPy's, in guarded memory and with addresses checked."""

from __future__ import annotations

import re
import threading
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from mlirad.dialects.array.transforms import Axes
from mlirad.jit.call import NativeFunction
from mlirad.lower.cpu.emit import library_transforms
from mlirad.lower.cpu.emit.chunk_store import MOST_STACK_BYTES
from tests.lower.emission import tensor
from tests.lower.loops import function, lowered

SIZES = [1, 2, 5, 8, 31]
ROWS = Axes(1, 2)
"""Rows of pairs."""


def pairs(z: Any) -> npt.NDArray[Any]:
    return np.stack([z.real, z.imag], -1)


def expected(kind: str, x: npt.NDArray[Any], n: int) -> npt.NDArray[Any]:
    """The sums that define a transform, by its matrix."""
    k = np.arange(n)
    matrix = np.exp((-2j if kind in ("forward", "real") else 2j) * np.pi * (np.outer(k, k) % n) / n)
    if kind == "real":
        return pairs(x @ matrix[:, : n // 2 + 1])
    z = x[..., 0] + 1j * x[..., 1]
    return (z @ matrix[: n // 2 + 1]).real if kind == "half" else pairs(z @ matrix)


@pytest.mark.parametrize("checks", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_transforms_are_their_sums(dtype: str, checks: bool) -> None:
    rng = np.random.default_rng(0)
    lines: list[str] = []
    arguments: list[npt.NDArray[Any]] = []
    results: list[str] = []
    wanted: list[npt.NDArray[Any]] = []
    for n in SIZES:
        for kind in ("forward", "backward", "real", "half"):
            half = ROWS.spectrum_shape((2, n))
            source = {"real": (2, n), "half": half}.get(kind, (2, n, 2))
            target = {"real": half, "half": (2, n)}.get(kind, (2, n, 2))
            k = len(lines)
            types = f"{tensor(source, dtype)} -> {tensor(target, dtype)}"
            lines.append(f"%r{k} = array.fft {kind} %x{k} : {types}")
            arguments.append(rng.normal(size=source).astype(dtype))
            results.append(tensor(target, dtype))
            wanted.append(expected(kind, arguments[-1], n))
    parameters = ", ".join(f"%x{k}: {tensor(x.shape, dtype)}" for k, x in enumerate(arguments))
    names = ", ".join(f"%r{k}" for k in range(len(lines)))
    body = "\n".join([*lines, f"func.return {names} : {', '.join(results)}"])
    module = function(f"func.func @f({parameters}) -> ({', '.join(results)}) {{\n{body}\n}}")
    native = NativeFunction(lowered(module, checks=checks)[1], debug=not checks)
    tolerance = 1e-12 if dtype == "float64" else 1e-4
    found: Any = native(*arguments)
    for one, sums in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, sums, rtol=tolerance, atol=tolerance * 10)


LAYOUTS = [
    ((16,), Axes(0, 0)),  # one row: two passes
    ((6, 60), Axes(1, 0)),
    ((3, 2, 20), Axes(2, 1)),
    ((96, 5), Axes(0, 0)),  # columns, fewer than vectors have lanes
    ((3, 16, 37), Axes(1, 0)),  # blocks of columns, and what is left of them
    ((2, 30, 17), Axes(1, 1)),
    ((286,), Axes(0, 0)),
    ((28, 3), Axes(0, 2)),  # pairs behind the dimension of the transform
    ((17, 3), Axes(0, 0)),  # left to the library
    ((512,), Axes(0, 0)),
]


@pytest.mark.parametrize("numbers, axes", LAYOUTS)
def test_transforms_along_any_dimension(numbers: tuple[int, ...], axes: Axes) -> None:
    rng = np.random.default_rng(0)
    for dtype, kind, checks in (
        ("float64", "forward", True),
        ("float32", "backward", False),
        ("float64", "real", False),
        ("float64", "half", True),
    ):
        pairs = axes.spectrum_shape(numbers) if kind in ("real", "half") else axes.pair_shape(numbers)
        source = numbers if kind == "real" else pairs
        target = numbers if kind == "half" else pairs
        x = rng.normal(size=source).astype(dtype)
        stated = f"{{dim = {axes.dim}, pairs = {axes.pairs}}}"
        types = f"{tensor(source, dtype)} -> {tensor(target, dtype)}"
        module = function(
            f"func.func @f(%x: {tensor(source, dtype)}) -> {tensor(target, dtype)} {{\n"
            f"%r = array.fft {kind} %x {stated} : {types}\n"
            f"func.return %r : {tensor(target, dtype)}\n}}"
        )
        results: Any = NativeFunction(lowered(module, checks=checks)[1], debug=not checks)(x)
        rows = x if kind == "real" else np.moveaxis(x, axes.pairs, -1)
        rows = np.moveaxis(rows, axes.dim, -1 if kind == "real" else -2)
        sums = expected(kind, rows, numbers[axes.dim])
        sums = np.moveaxis(sums, -1 if kind == "half" else -2, axes.dim)
        wanted = sums if kind == "half" else np.moveaxis(sums, -1, axes.pairs)
        tolerance = 1e-13 if dtype == "float64" else 1e-5
        np.testing.assert_allclose(results[0], wanted, rtol=0, atol=tolerance * np.abs(wanted).max())


@pytest.mark.parametrize("rows", [1, 4, 7, 8])
@pytest.mark.parametrize("kind", ["forward", "backward", "real", "half"])
def test_rows_of_libraries_come_in_several_calls(
    kind: str, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their bits do not depend on how many rows a call has."""
    numbers = (rows, 34)
    pairs = ROWS.spectrum_shape(numbers) if kind in ("real", "half") else (*numbers, 2)
    source, target = (numbers if kind == "real" else pairs), (numbers if kind == "half" else pairs)
    x = np.random.default_rng(0).normal(size=source)
    types = f"{tensor(source)} -> {tensor(target)}"
    text = f"func.func @f(%x: {tensor(source)}) -> {tensor(target)} {{\n%r = array.fft {kind} %x : {types}\n"
    text += f"func.return %r : {tensor(target)}\n}}"
    found: list[Any] = []
    for numbers_of_call in (library_transforms.NUMBERS, 100):
        monkeypatch.setattr(library_transforms, "NUMBERS", numbers_of_call)
        program = lowered(function(text))[1]
        whole = numbers_of_call != 100 or rows <= 100 // 34
        assert program.llvm.count("call void @mlirad_loop_pocketfft") == (1 if whole else 1 + rows % 2)
        found.append(NativeFunction(program)(x)[0])
    assert np.array_equal(found[0], found[1])


def test_large_transforms_run_on_small_stacks() -> None:
    """Threads are given as little stack as Python asks for."""
    shape = (2, 8192)
    module = function(
        f"func.func @f(%x: {tensor(shape)}) -> {tensor(shape)} {{\n"
        f"%r = array.fft forward %x {{dim = 0, pairs = 0}} : {tensor(shape)} -> {tensor(shape)}\n"
        f"func.return %r : {tensor(shape)}\n}}"
    )
    program = lowered(module)[1]
    on_stack = [int(n) for n in re.findall(r"alloca \[(\d+) x double\]", program.llvm)]
    assert sum(on_stack, 0) * 8 <= MOST_STACK_BYTES
    native = NativeFunction(program, debug=False)
    x = np.random.default_rng(0).normal(size=shape)
    found: list[Any] = []
    before = threading.stack_size(1 << 16)
    try:
        thread = threading.Thread(target=lambda: found.extend(native(x)))
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    wanted = np.fft.fft(x[0] + 1j * x[1])
    np.testing.assert_allclose(found[0], [wanted.real, wanted.imag], rtol=0, atol=1e-11)
