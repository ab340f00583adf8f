"""Fourier transforms in native code, against NumPy's, in guarded memory and with addresses checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from mlirad.dialects.array.transforms import spectrum_shape
from mlirad.jit.call import NativeFunction
from tests.lower.emission import tensor
from tests.lower.loops import function, lowered

SIZES = [1, 2, 5, 8, 31]


def pairs(z: Any) -> npt.NDArray[Any]:
    return np.stack([z.real, z.imag], -1)


def expected(kind: str, x: npt.NDArray[Any], n: int) -> npt.NDArray[Any]:
    """The sums that define a transform, by its matrix."""
    k = np.arange(n)
    matrix = np.exp((-2j if kind in ("forward", "real") else 2j) * np.pi * np.outer(k, k) / n)
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
            half = spectrum_shape((2, n))
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
