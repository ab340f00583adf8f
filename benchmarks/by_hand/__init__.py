"""Derivatives written by hand in C, compiled where there is a compiler: what generated code can aim for.

    derivative("lse", (x,))()      the gradient, a tuple of arrays

The derivative is by hand, the loops are blocked and vectorise, what the reverse sweep needs is kept or
recomputed as is cheaper. The compiler is `$CC`, or the first of `cc`, `gcc` and `clang`.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.problem import Arguments

FOLDER = Path(__file__).parent
OPTIONS = ("-O3", "-march=native", "-ffast-math", "-fno-math-errno", "-fPIC", "-std=gnu11")

Outputs = tuple[Any, ...]
Made = tuple[
    str, tuple[Any, ...], Outputs
]  # the name of the function, its arguments and the arrays that it fills


class CompilerError(Exception):
    """The compiler does not take a source; the message is its own."""


@functools.cache
def compiler() -> str | None:
    """The C compiler of this machine, or None if there is no compiler."""
    named = os.environ.get("CC")
    return next(
        (found for name in (named, "cc", "gcc", "clang") if name and (found := shutil.which(name))), None
    )


def why_not() -> str | None:
    """Why there are no derivatives by hand here; None if there are."""
    if os.name == "nt":
        return "the sources are compiled for POSIX systems only"
    return None if compiler() else "there is no C compiler (set CC to one)"


def derivative(name: str, arguments: Arguments) -> Callable[[], Outputs]:
    """A call of the derivative of a problem; it fills the same arrays each time."""
    function, given, outputs = DERIVATIVES[name](*arguments)
    call = library()[function]
    call.restype = None
    kept = [np.ascontiguousarray(a) if isinstance(a, np.ndarray) else a for a in (*given, *outputs)]
    passed = [ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else ctypes.c_long(a) for a in kept]

    def run() -> Outputs:
        call(*passed)
        return tuple(kept[len(given) :])

    return run


@functools.cache
def library() -> Any:
    """All sources as one library, in a folder that is removed at the end. Raises `CompilerError`."""
    folder = Path(tempfile.mkdtemp(prefix="mlirad-by-hand-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    objects = []
    for source in sorted(FOLDER.glob("*.c")):
        objects.append(str(folder / f"{source.stem}.o"))
        _run(str(compiler()), *OPTIONS, "-c", str(source), "-o", objects[-1])
    # linked without -ffast-math, with which a library changes the arithmetic of the whole process
    shared = folder / "by_hand.so"
    _run(str(compiler()), "-shared", "-o", str(shared), *objects, "-lm")
    return ctypes.CDLL(str(shared))


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CompilerError(f"{' '.join(command)}:\n{done.stderr.strip()}")


# Calls --------------------------------------------------------------------------------------------


def _lse(x: Any) -> Made:
    return "lse", (len(x), x), (np.empty_like(x),)


def _cross_entropy(scores: Any, labels: Any) -> Made:
    name = f"cross_entropy_{'f32' if scores.dtype == np.float32 else 'f64'}"
    return name, (*scores.shape, scores, labels), (np.empty_like(scores),)


def _llsq(x: Any, t: Any) -> Made:
    return "llsq", (len(t), len(x), x, t), (np.empty_like(x),)


def _kmeans(function: str) -> Callable[[Any, Any], Made]:
    def made(points: Any, centroids: Any) -> Made:
        n, d = points.shape
        return function, (n, len(centroids), d, points, centroids), (np.empty_like(centroids),)

    return made


def _ode(x: Any, times: Any) -> Made:
    return "ode", (len(x), len(times), x), (np.empty_like(x),)


def _lstm(main_params: Any, extra_params: Any, state: Any, sequence: Any) -> Made:
    sizes = (len(main_params) // 2, *sequence.shape)
    given = (*sizes, main_params, extra_params, state, sequence)
    return "lstm", given, (np.empty_like(main_params), np.empty_like(extra_params))


def _gmm(alpha: Any, mu: Any, q: Any, l: Any, x: Any) -> Made:  # noqa: E741
    given = (*x.shape, len(alpha), alpha, mu, q, l, x)
    return "gmm", given, tuple(np.empty_like(part) for part in (alpha, mu, q, l))


def _ba(cameras: Any, points: Any, weights: Any, measured: Any, camera_of: Any, point_of: Any) -> Made:
    p = len(weights)
    given = (p, cameras, points, weights, measured, camera_of, point_of)
    return "ba", given, (np.empty((p, 2, 11)), np.empty((p, 2, 3)), np.empty((p, 2)), np.empty(p))


DERIVATIVES: dict[str, Callable[..., Made]] = {
    "gmm": _gmm,
    "lse": _lse,
    "llsq": _llsq,
    "llsq-scan": _llsq,
    "kmeans": _kmeans("kmeans"),
    "kmeans-dir": _kmeans("kmeans_direction"),
    "ode": _ode,
    "ode-build": _ode,
    "lstm": _lstm,
    "ba": _ba,
    "cross-entropy": _cross_entropy,
}
