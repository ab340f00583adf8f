"""Gradients by scalar dual numbers: the wrapper around a run and a reverse pass (section 2.7)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.errors import DifferentiationError, ShapeError
from mlirad.interpreter.deltas.delta_terms import ZERO, Add, Delta, Scale
from mlirad.interpreter.deltas.evaluators import reverse_pass
from mlirad.interpreter.deltas.running import DualResults, run_duals


def naive_gradient(
    program: ModuleOp | FuncOp,
    args: Sequence[npt.ArrayLike],
    wrt: Sequence[int],
    cotangents: Sequence[npt.ArrayLike] | None = None,
    *,
    function: str | None = None,
) -> tuple[Any, ...]:
    """J^T cotangents: an array or scalar per position in `wrt`, of the argument's shape and dtype.

    There is one cotangent per *float* result, of its shape: discrete results are dropped, and discrete
    arguments are constants. Without cotangents the only float result must be a scalar, and has 1.

    Time and memory are those of a Python object per scalar operation. Raises what `run_duals` does, and
    ShapeError for cotangents that do not fit, DifferentiationError where they are needed and absent.
    """
    duals = run_duals(program, args, wrt, function=function)
    gradient = reverse_pass(1.0, _weighted(duals, cotangents))
    names = count()
    parts: list[Any] = []
    for point in duals.points:
        numbers = np.array([gradient.get(next(names), 0.0) for _ in range(np.size(point))])
        parts.append(numbers.astype(point.dtype).reshape(np.shape(point))[()])
    return tuple(parts)


def _weighted(duals: DualResults, cotangents: Sequence[npt.ArrayLike] | None) -> Delta:
    """The inner product of the float results with the cotangents (Appendix A)."""
    floats = [
        (np.shape(value), terms)
        for value, terms in zip(duals.values, duals.deltas, strict=True)
        if terms is not None
    ]
    if cotangents is None:
        if [shape for shape, _ in floats] != [()]:
            raise DifferentiationError(
                f"the float results have shapes {[list(shape) for shape, _ in floats]}: only a single scalar "
                "has a gradient",
                hint="give cotangents, one array per float result",
            )
        cotangents = [1.0]
    weights = [np.asarray(c, np.float64) for c in cotangents]
    if [w.shape for w in weights] != [shape for shape, _ in floats]:
        raise ShapeError(
            f"cotangents have shapes {[list(w.shape) for w in weights]}, the float results "
            f"{[list(shape) for shape, _ in floats]}"
        )
    total: Delta = ZERO
    for weight, (_, terms) in zip(weights, floats, strict=True):
        for factor, term in zip(weight.ravel().tolist(), terms, strict=True):
            total = Add(total, Scale(factor, term))
    return total
