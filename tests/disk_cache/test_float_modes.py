"""Programs that are made and kept in another mode of floating point are the same."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.interpolate
import scipy.linalg
import scipy.signal
import scipy.special
import scipy.stats

import mlirad as ad
from mlirad.frontend.compiling.recompiles import shared_programs
from tests.float_modes import ROUNDING, in_mode, needs_modes
from tests.forked import fork

pytestmark = needs_modes

ROOT = Path(__file__).parents[2]

X = np.array([0.1, 0.5, -0.9, 1.0, 3.0, 700.0, 1e-3])
U = np.linspace(0.05, 0.95, 7)
A = np.cos(np.arange(16.0)).reshape(4, 4) + 3 * np.eye(4)
S = A @ A.T
SINGLE = X.astype(np.float32)
TABLE = np.sort(np.sin(np.arange(9.0)))
SPLINE = scipy.interpolate.CubicSpline(TABLE, np.cos(TABLE))

Case = tuple[Callable[[], Callable[..., Any]], tuple[Any, ...]]


def elementwise(function: Any, x: Any = X) -> Case:
    return lambda: ad.jit(lambda x: function(x)), (x,)


def slope(function: Any, x: Any) -> Case:
    return lambda: ad.grad(lambda x: np.sum(function(x))), (x,)


CASES: dict[str, Case] = {
    **{f.__name__: elementwise(f) for f in (np.exp, np.sin, np.cos, np.tan, np.sinh, np.tanh, np.arctan)},
    **{f.__name__: elementwise(f, np.abs(X)) for f in (np.log, np.log1p, np.sqrt, np.cbrt, np.log2)},
    **{f"{f.__name__} float32": elementwise(f, SINGLE) for f in (np.exp, np.sin, np.expm1, np.arcsinh)},
    **{f.__name__: elementwise(f, U) for f in (np.arcsin, np.arctanh)},
    "power": (lambda: ad.jit(lambda x, y: x**y), (np.abs(X), U)),
    "atan2, hypot": (lambda: ad.jit(lambda x, y: np.arctan2(x, y) + np.hypot(x, y)), (X, U)),
    "constants of a trace": elementwise(lambda x: x * np.sqrt(2.0) + np.pi / 3),
    "linspace": elementwise(lambda x: x + np.linspace(0, 0.7, 7) / 3 + np.geomspace(1, 9, 7)),
    "means": elementwise(lambda x: np.std(x / 3) + np.mean(x) + np.var(SINGLE)),
    "long sum": elementwise(lambda x: np.sum(np.exp(x / 7)), np.linspace(0, 1, 3000)),
    "long sum float32": elementwise(lambda x: np.sum(x / 3), np.linspace(0, 1, 3000, dtype=np.float32)),
    "product": elementwise(lambda a: a @ a.T / 3, np.cos(np.arange(600.0)).reshape(20, 30)),
    "solve": slope(lambda a: np.linalg.solve(a, np.ones(4)), A),
    "eigh": slope(lambda s: np.linalg.eigh(s / 3)[0] ** 2, S),
    "svd": elementwise(lambda a: np.linalg.svd(a, compute_uv=False), A),
    "cholesky": slope(lambda s: np.linalg.cholesky(s), S),
    "fft": elementwise(lambda x: np.abs(np.fft.fft(x)), np.cos(np.arange(60.0))),
    "fft of odd rows": elementwise(lambda x: np.fft.rfft(x).real, np.cos(np.arange(49.0))),
    "interp": slope(lambda x: np.interp(x, TABLE, TABLE**2 / 3), U),
    "spline": slope(lambda x: SPLINE(x), U),
    "special": slope(lambda x: scipy.special.gammaln(x) + scipy.special.erf(x) + scipy.special.jv(1.5, x), U),
    "bessel": elementwise(lambda x: scipy.special.iv(2.5, x) + scipy.special.kv(0.3, x), U * 700),
    "density": slope(lambda x: scipy.stats.gamma.logpdf(x, 2.3) + scipy.stats.norm.cdf(x), U),
    "filter": elementwise(lambda x: scipy.signal.convolve(x, U) / 3, X),
    "random": elementwise(lambda x: x + ad.random.normal(ad.random.key(3), 7)),
    "loop": slope(lambda x: ad.fori_loop(0, 20, lambda i, c: np.sin(c) / 3 + x, x), U),
    "odeint": elementwise(lambda x: ad.odeint(lambda y, t: -y / 3, x, np.array([0.0, 1.0])), U),
    "second order": (lambda: ad.hessian(lambda x: np.sum(np.exp(x) * np.tanh(x))), (U,)),
    "interpreted": (lambda: ad.grad(lambda x: np.sum(np.exp(x) / 3), interpret=True), (U,)),
    "structures": elementwise(lambda x: x[0] / 3 + x[1]["a"], (0.1, {"a": 2**53 + 1})),
    "integers": elementwise(lambda x: x / 3 + np.float32(0.1), np.array([3, 2**53 + 1])),
    "complex": elementwise(lambda z: np.exp(z) / 3, np.array([0.3 + 2j, -1.5 - 0.1j])),
}


def bits(result: Any) -> bytes:
    return b"".join(np.asarray(leaf).tobytes() for leaf in ad.tree.leaves(result))


def in_a_child(work: Callable[[], bytes]) -> bytes:
    """The result of a forked process, which keeps nothing for this one."""
    readable, writable = os.pipe()
    child = fork()
    if child == 0:
        try:
            found = work()
            os.write(writable, found[:60_000])
        finally:
            os._exit(0)
    os.close(writable)
    with open(readable, "rb") as pipe:
        found = pipe.read()
    os.waitpid(child, 0)
    return found


@pytest.mark.parametrize("rounding", ROUNDING)
@pytest.mark.parametrize("case", CASES)
def test_programs_are_the_same_in_every_mode(
    case: str, rounding: str, folder: Path, compiles: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the process that makes one, and in others that find it on the disk."""
    make, arguments = CASES[case]

    def result() -> bytes:
        shared_programs.forget()
        function = make()
        first, second = bits(function(*arguments)), bits(function(*arguments))
        assert first == second
        return first

    def without_cache() -> bytes:
        monkeypatch.setenv("MLIRAD_CACHE", "off")
        return result()

    expected = in_a_child(without_cache)
    assert expected
    with in_mode(rounding, flushes=rounding != "nearest"):
        assert result() == expected
    count = len(compiles)
    assert result() == expected
    assert len(compiles) == count, "the program was not found on the disk"


def test_what_is_imported_in_another_mode_computes_the_same() -> None:
    text = f"""
import ctypes
library = ctypes.CDLL(None)
library.fesetround({ROUNDING["up"]})
import mlirad as ad
import numpy as np
from scipy import special
x = np.arange(1, 51) / 16
f = lambda x: np.exp(x) * np.sin(x) + np.log1p(x) * special.gammaln(x) + special.lambertw(x).real
print(ad.jit(f)(x).tobytes().hex(), ad.grad(lambda x: np.sum(f(x)))(x).tobytes().hex())
"""
    environment = os.environ | {"MLIRAD_CACHE": "off"}
    command = [sys.executable, "-c"]
    found = [
        subprocess.run(
            [*command, t], capture_output=True, text=True, env=environment, cwd=ROOT, check=True
        ).stdout
        for t in (text, text.replace(f"({ROUNDING['up']})", "(0)"))
    ]
    assert found[0] == found[1] != ""
