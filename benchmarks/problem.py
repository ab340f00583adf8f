"""The parts of a benchmark problem.

A problem module in `benchmarks.problems` defines one `PROBLEM`: the NumPy program that mlirad
differentiates, its instances, a golden instance that every system must reproduce before it is
timed, and the program as a user of each peer would write it.

Where the derivative is not a gradient (k-means asks for a direction, bundle adjustment for blocks of
a Jacobian), `derivative` composes it of the transformations that mlirad, JAX and PyTorch have under
the same names.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

GOLDEN = Path(__file__).resolve().parents[1] / "tests" / "golden"

Program = Callable[..., Any]  # of arrays, to a scalar, an array or a tuple of arrays
Arguments = tuple[Any, ...]
Transformations = Any  # a module that has grad, jvp, jacfwd, jacrev and vmap
COMPLEX_STEP = 1e-30


@dataclass(frozen=True)
class Golden:
    """An instance with known figures; `gradient` has an entry per array of the derivative."""

    arguments: Arguments
    value: Any
    gradient: tuple[Any, ...]


@dataclass(frozen=True)
class Problem:
    name: str
    argnums: tuple[int, ...]
    sizes: dict[str, Callable[[], Arguments]]
    golden: Callable[[], Golden]
    numpy_program: Program
    jax_program: Callable[[], Program]  # imports jax when called
    torch_program: Callable[[], Program]  # imports torch when called
    value: Callable[[Transformations, Program], Program] | None = None  # if not the program itself
    derivative: Callable[[Transformations, Program], Program] | None = None  # if not the gradient
    torch_derivative: Callable[[Program], Program] | None = None  # as a user of PyTorch would write that
    unrolls_in_torch: bool = False  # whether PyTorch's program is a long loop of Python

    def dtypes(self) -> list[str]:
        """The dtypes of the floats: a size that ends in f32 has float32, others float64."""
        return ["float64", "float32"] if any(size.endswith("f32") for size in self.sizes) else ["float64"]

    def value_in(self, transformations: Transformations, program: Program) -> Program:
        """Return what is timed as the primal, of the program for this system."""
        return program if self.value is None else self.value(transformations, program)

    def derivative_in(self, transformations: Transformations, program: Program) -> Program:
        """Return what is timed as the gradient, of the program for this system."""
        if self.derivative is None:
            return transformations.grad(program, argnums=self.argnums)
        return self.derivative(transformations, program)


def by_complex_step(program: Program, arguments: Arguments, argnums: tuple[int, ...]) -> Golden:
    """The figures of a NumPy program, by complex steps: with h so small that h^2 vanishes,

        df/dx_i = Im f(x + i h e_i) / h

    without cancellation, so exactly up to rounding. The program has to be analytic except for choices, which
    NumPy makes by real parts: `np.maximum`, `np.max` and `np.sort` will do, `np.abs` will not.

    Source: Squire and Trapp, "Using complex variables to estimate derivatives of real functions", 1998.
    """

    def slope(position: int, element: int) -> float:
        moved = np.array(arguments[position], np.complex128)
        moved.flat[element] += 1j * COMPLEX_STEP
        found = program(*arguments[:position], moved, *arguments[position + 1 :])
        return float(np.imag(found)) / COMPLEX_STEP

    gradient = tuple(
        np.reshape([slope(p, k) for k in range(np.size(arguments[p]))], np.shape(arguments[p]))
        for p in argnums
    )
    return Golden(arguments, program(*arguments), gradient)


def read_golden(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The input and output of a golden file, lists as float64 arrays."""
    content = json.loads((GOLDEN / f"{name}.json").read_text())
    given = {
        key: np.array(value, dtype=np.float64) if isinstance(value, list) else value
        for key, value in content["input"].items()
    }
    return given, content["output"]
