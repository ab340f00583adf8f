"""The sparsity pattern of a function's Jacobian, or of the Hessian where it has one result alone.

pattern(f, args)      Pattern("Hessian", (12, 12), rows, columns)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlirad.errors import MliradError
from mlirad.frontend.tracing.pytree import flatten
from mlirad.frontend.transformations import hessian, jacobian, jit

MOST_COMPONENTS = {"Jacobian": 5000, "Hessian": 400}
"""How many components arguments may have for a pattern to be found: colouring a Hessian takes their cube."""


@dataclass(frozen=True)
class Pattern:
    """Positions of entries that can differ from zero."""

    title: str
    shape: tuple[int, int]
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]


def pattern(function: Callable[..., Any], args: tuple[Any, ...]) -> Pattern | str:
    """The pattern with respect to all arguments with floats, or a sentence why there is none."""
    floats = [np.asarray(leaf).dtype.kind == "f" for leaf in flatten(args)[0]]
    sizes = [int(np.size(leaf)) for leaf in flatten(args)[0]]
    count = sum(size for size, is_float in zip(sizes, floats, strict=True) if is_float)
    chosen = tuple(k for k, arg in enumerate(args) if _has_floats(arg))
    if not chosen:
        return "No argument has floats."
    try:
        size = sum(int(np.size(leaf)) for leaf in flatten(jit(function)(*args))[0])
        title, make, height = ("Hessian", hessian, count) if size == 1 else ("Jacobian", jacobian, size)
        most = MOST_COMPONENTS[title]
        if count > most:
            return f"The arguments have {count} components; the {title} is looked at up to {most}."
        rows, columns = make(function, argnums=chosen, sparse=True).structure(*args)
    except MliradError as error:
        return error.message
    return Pattern(title, (height, count), rows, columns)


def _has_floats(argument: Any) -> bool:
    return any(np.asarray(leaf).dtype.kind == "f" for leaf in flatten(argument)[0])
