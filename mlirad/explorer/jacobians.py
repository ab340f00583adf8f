"""The sparsity pattern of a function's Jacobian, or of the Hessian where it has one result alone.

pattern(f, args)                       Pattern("Hessian", (12, 12), rows, columns)
pattern(ad.grad(f, argnums=1), args)   by its second argument
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mlirad.errors import MliradError
from mlirad.frontend.compiling.transformed import Transformed
from mlirad.frontend.differentiation.argnums import Argnums, argument_positions
from mlirad.frontend.tracing.pytree import flatten
from mlirad.frontend.transformations import hessian, jacobian, jit
from mlirad.lazy_dataclass import dataclass

MOST_COMPONENTS = {"Jacobian": 5000, "Hessian": 400}
"""The number of components that arguments may have for a pattern to be found: colouring a Hessian takes their
cube."""


@dataclass(frozen=True)
class Pattern:
    """Positions of entries that can differ from zero."""

    title: str
    shape: tuple[int, int]
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]


def pattern(transformed: Callable[..., Any], args: tuple[Any, ...]) -> Pattern | str:
    """Return the pattern of a Jacobian or Hessian, or a sentence that says why it cannot be had.

    It is with respect to the arguments of a derivative, or of another function to all with floats.
    """
    function, argnums, options = _differentiated(transformed)
    try:
        positions = range(len(args)) if argnums is None else argument_positions(function, argnums, len(args))
        chosen = tuple(k for k in positions if any(map(_is_float, flatten(args[k])[0])))
        if not chosen:
            return "No argument has floats."
        leaves = [leaf for k in chosen for leaf in flatten(args[k])[0]]
        count = sum(int(np.size(leaf)) for leaf in leaves if _is_float(leaf))
        size = sum(int(np.size(leaf)) for leaf in flatten(jit(function, **options)(*args))[0])
        title, make, height = ("Hessian", hessian, count) if size == 1 else ("Jacobian", jacobian, size)
        most = MOST_COMPONENTS[title]
        if count > most:
            return f"The arguments have {count} components; the {title} is looked at up to {most}."
        rows, columns = make(function, argnums=chosen, sparse=True, **options).structure(*args)
    except MliradError as error:
        return error.message
    return Pattern(title, (height, count), rows, columns)


def _differentiated(
    transformed: Callable[..., Any],
) -> tuple[Callable[..., Any], Argnums | None, dict[str, Any]]:
    """Return the function below derivatives, the `argnums` of the innermost of them, and the options."""
    function, argnums, has_aux = transformed, None, False
    options: dict[str, Any] = {}
    while isinstance(function, Transformed) and function.recipe is not None:
        recipe = function.recipe
        if recipe.name not in _OF_DERIVATIVES:
            break
        given = (
            inspect.signature(recipe.transformation).bind(function, *recipe.args, **recipe.kwargs).arguments
        )
        if recipe.name != "jit":
            argnums, has_aux = given.get("argnums", 0), given.get("has_aux", False)
        options |= {name: given[name] for name in _KEPT if name in given}
        function = cast(Any, function).__wrapped__
    return (_without_aux(function) if has_aux else function), argnums, options


_OF_DERIVATIVES = frozenset({"jit", "grad", "value_and_grad", "jacobian", "jacfwd", "jacrev", "hessian"})
_KEPT = ("static_argnames", "static_argnums", "control")


def _without_aux(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def first(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)[0]

    return first


def _is_float(leaf: Any) -> bool:
    return np.asarray(leaf).dtype.kind == "f"
