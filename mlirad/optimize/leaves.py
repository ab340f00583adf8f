"""Operations of optimisers on pytrees: functions of each float leaf, updates, and flat vectors.

each(lambda g, v: 0.9 * v + g, gradients, velocity)        None where the gradient is None
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlirad.errors import of_class
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.pytree import Tree, flatten, parts_of
from mlirad.frontend.tracing.raising import dtype_error, shape_error
from mlirad.frontend.tracing.tracebacks import plain_errors


@plain_errors
def apply_updates(params: Any, updates: Any) -> Any:
    """The parameters with the updates added; those without an update as they are.

    >>> ad.optimize.apply_updates({"w": 1.0, "n": 3}, {"w": -0.25, "n": None})
    {'w': 0.75, 'n': 3}
    """
    leaves, tree = flatten(params)
    moves = like(tree, leaves, updates, "updates")
    return tree.unflatten([p if m is None else p + m for p, m in zip(leaves, moves, strict=True)])


def like(tree: Tree, leaves: list[Any], value: Any, what: str) -> list[Any]:
    """The leaves of a value that is structured like parameters, each of the shape of its own or `None`."""
    try:
        found = tree.flatten_like(value, what)
    except ValueError as error:
        raise shape_error(str(error), f"{what} have the structure of the parameters") from error
    for leaf, p, path in zip(found, leaves, tree.paths(what), strict=True):
        if leaf is None:
            continue
        if parts_of(leaf) is not None:
            raise shape_error(
                f"{path} is {of_class(leaf)}, and its parameter an array",
                f"{what} have the structure of the parameters",
            )
        if np.shape(leaf) != np.shape(p):
            raise shape_error(
                f"{path} has the shape {list(np.shape(leaf))}, and its parameter {list(np.shape(p))}",
                f"{what} have the shapes of the parameters",
            )
        if dtype_of(leaf).kind != "f":
            raise dtype_error(f"{path} is of dtype {dtype_of(leaf)}", f"{what} are floats, or None")
    return found


def dtype_of(leaf: Any) -> Any:
    """The dtype of an array or a scalar, traced or not; raises for anything else."""
    dtype = getattr(leaf, "dtype", None)
    try:
        return np.asarray(leaf).dtype if dtype is None else np.dtype(dtype)
    except (TypeError, ValueError):
        raise dtype_error(
            f"{repr(leaf)[:60]} is neither an array nor a number", "parameters are arrays of floats"
        ) from None


def each(function: Callable[[Any], Any], value: Any) -> Any:
    """The function of each leaf, in its dtype; `None` where that is `None`."""
    leaves, tree = flatten(value)
    return tree.unflatten([_of_dtype(function(leaf), dtype_of(leaf)) for leaf in leaves])


def _of_dtype(value: Any, dtype: Any) -> Any:
    return value.astype(dtype) if hasattr(value, "astype") else dtype.type(value)


def each_pair(function: Callable[[Any, Any], Any], first: Any, second: Any) -> Any:
    """The function of the leaves of two structures that are alike, in the dtypes of the first."""
    leaves, tree = flatten(first)
    others, other = flatten(second)
    if tree != other:
        raise shape_error(
            f"gradients structured like {tree}, and the state has {other}",
            "make the state by init(params), and take the gradient by all of params",
        )
    pairs = zip(leaves, others, strict=True)
    return tree.unflatten([_of_dtype(function(a, b), dtype_of(a)) for a, b in pairs])


def gradients_like(params: Any, gradients: Any, *, is_start: bool = False) -> Any:
    """Gradients that are structured like the parameters; raises where they are not. At the start zeros."""
    leaves, tree = flatten(params)
    if not is_start:
        return tree.unflatten(like(tree, leaves, gradients, "gradients"))
    return tree.unflatten([xp.zeros_like(p) if dtype_of(p).kind == "f" else None for p in leaves])


def flat(value: Any, dtype: Any = None) -> Any:
    """The leaves of a structure as one vector; without those that are `None` or no floats."""
    leaves = [v for v in flatten(value)[0] if dtype_of(v).kind == "f"]
    if not leaves:
        raise dtype_error("no parameter is a float", "write 1.0 for 1, or params.astype(float)")
    joined = xp.concatenate([xp.reshape(v, (-1,)) for v in leaves])
    return joined if dtype is None else joined.astype(dtype)


def shaped(vector: Any, gradients: Any) -> Any:
    """A vector in the structure of gradients."""
    leaves, tree = flatten(gradients)
    made: list[Any] = []
    first = 0
    for leaf in leaves:
        after = first + int(np.prod(np.shape(leaf), dtype=int))
        made.append(xp.reshape(vector[first:after], np.shape(leaf)).astype(dtype_of(leaf)))
        first = after
    return tree.unflatten(made)
