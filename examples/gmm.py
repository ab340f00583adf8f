"""The gradient of a Gaussian mixture's log posterior, from a data file and on a larger random instance.

    python examples/gmm.py

Prints what the compiler makes of the program stage by stage, the objective and its gradient beside known
figures, and the times of the objective and of its gradient.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import mlirad as ad

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from examples.programs import gmm

DATA = Path(__file__).resolve().parent / "data" / "gmm" / "test.txt"
PARAMETERS = ("alpha", "mu", "q", "l")

# The figures that ADBench's tests state for its file: the objective, and the gradient by parameter.
ADBENCH_OBJECTIVE = 8.073804080049758
ADBENCH_GRADIENT = {
    "alpha": [0.10866285550865246, -0.7412700395238985, 0.6326071840152461],
    "mu": [
        [1.1169257653278701, 0.16333301355145527],
        [-0.021998982407119314, 0.2277782922542361],
        [1.2096302561283219, -0.060637592073395634],
    ],
    "q": [
        [2.5852999405116224, 0.11263269452421379],
        [0.07351805731823055, 5.418363627155952],
        [1.7189230977500494, 0.8600910907908669],
    ],
    "l": [[0.3857443098496118], [-0.32149440967744647], [-0.9946409304663228]],
}

# The random instance of seed 0 with d 10, k 25, n 1000, by JAX in double precision: the objective, and the
# Euclidean norm of the gradient by parameter.
RANDOM_OBJECTIVE = -32032.250011483167
RANDOM_NORMS = {
    "alpha": 174.94107433024638,
    "mu": 1694.8340888050004,
    "q": 1479.1764537706413,
    "l": 1437.468360160814,
}


def main() -> None:
    """Run both instances."""
    from_file = gmm.read_instance(DATA)
    print(f"ADBench's instance {DATA.name}: {describe(from_file)}")
    value, gradient = ad.value_and_grad(gmm.adbench_objective, argnums=PARAMETERS)(*from_file)
    report("objective", value, ADBENCH_OBJECTIVE)
    for name, part in zip(PARAMETERS, gradient, strict=True):
        report(f"gradient {name}", part, np.array(ADBENCH_GRADIENT[name]))

    instance = gmm.random_instance(d=10, k=25, n=1000)
    print(f"\nA random instance: {describe(instance)}")
    value_and_gradient = ad.value_and_grad(gmm.objective, argnums=PARAMETERS)
    print(value_and_gradient.stats(*instance))
    value, gradient = value_and_gradient(*instance)
    report("objective", value, RANDOM_OBJECTIVE)
    for name, part in zip(PARAMETERS, gradient, strict=True):
        report(f"gradient {name}", np.linalg.norm(part), RANDOM_NORMS[name])

    primal = median_seconds(ad.jit(gmm.objective), instance)
    derivative = median_seconds(value_and_gradient, instance)
    print(f"\nobjective {primal * 1e3:.4f} ms, with gradient {derivative * 1e3:.4f} ms", end="")
    print(f", ratio {derivative / primal:.2f}")


def describe(instance: gmm.Instance) -> str:
    """The sizes of an instance."""
    k, d = instance.mu.shape
    return f"d {d}, k {k}, n {len(instance.x)}"


def report(what: str, found: NDArray[Any] | float, known: NDArray[Any] | float) -> None:
    """Print a figure, or the norm of an array, and its largest error relative to the known one."""
    found, known = np.asarray(found), np.asarray(known)
    error = np.max(np.abs(found.ravel() - known.ravel())) / np.max(np.abs(known))
    shown = found.item() if found.ndim == 0 else float(np.linalg.norm(found))
    print(f"  {what:<16} {shown:>22.12f}   relative error {error:.1e}")
    assert error < 1e-10


def median_seconds(function: Callable[..., Any], arguments: tuple[Any, ...], runs: int = 200) -> float:
    """The median time of a call, after a first one that compiles."""
    function(*arguments)
    times: list[float] = []
    for _ in range(runs):
        start = time.perf_counter()
        function(*arguments)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


if __name__ == "__main__":
    main()
