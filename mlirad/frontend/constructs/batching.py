"""`vmap`: a function of one element as a function of a batch of them.

    ad.vmap(f, in_axes=(0, None))(x, w)            build over i of f(x[i], w)

It is a `build` over the batch, which `bulk-operations` turns into operations on whole arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from mlirad.errors import ShapeError
from mlirad.frontend.constructs import eager
from mlirad.frontend.constructs.build import build_over
from mlirad.frontend.constructs.carries import leaf_array, leaf_read
from mlirad.frontend.tracing.array import Array, copied_leaves
from mlirad.frontend.tracing.dtypes import plain_array
from mlirad.frontend.tracing.function_names import function_name
from mlirad.frontend.tracing.functions import require_arguments
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.pytree import Tree, flatten, parts_of
from mlirad.frontend.tracing.shapes import one_axis
from mlirad.frontend.tracing.source import user_line

Axes: TypeAlias = Any
"""An axis, `None`, or a structure of them that begins like that of the values."""


def vmap(
    function: Callable[..., Any],
    in_axes: Axes,
    out_axes: Axes,
    args: tuple[Any, ...],
    chunk: int | None = None,
) -> Any:
    """The function on every element of the batch, at most `chunk` at a time, results along `out_axes`."""
    hint = "give it None in in_axes: it is the same for the whole batch"
    leaves, tree, moved, size = _moved(
        function, in_axes, args, lambda leaf, path: leaf_array(leaf, path, "vmap", hint), xp.moveaxis
    )
    require_arguments(function, len(args), "vmap")

    def element(i: Array) -> Any:
        inner = [leaf if m is None else m[i] for leaf, m in zip(leaves, moved, strict=True)]
        return function(*copied_leaves(tree.unflatten(inner)))

    places: list[int | None] = []

    def shared(result: Any) -> list[bool]:
        places[:] = _spread(out_axes, result, "out_axes")
        return [place is None for place in places]

    result = build_over((size,), element, chunk, whole=shared, what="vmap")
    stacked, structure = flatten(result)
    return structure.unflatten(
        [
            r if p is None else xp.moveaxis(r, 0, one_axis(p, r.ndim))
            for r, p in zip(stacked, places, strict=True)
        ]
    )


def plain_vmap(function: Callable[..., Any], in_axes: Axes, out_axes: Axes, args: tuple[Any, ...]) -> Any:
    """The same outside of a trace: a call of the function for each element of NumPy arrays."""
    leaves, tree, moved, size = _moved(
        function,
        in_axes,
        args,
        lambda leaf, path: leaf_read(leaf, path, "vmap", plain_array),
        np.moveaxis,
    )
    require_arguments(function, len(args), "vmap")

    def element(i: Any) -> Any:
        inner = [leaf if m is None else eager.own(m[i]) for leaf, m in zip(leaves, moved, strict=True)]
        return function(*eager.given(tree.unflatten(inner)))

    if not size:
        return eager.interpreted(lambda *given: vmap(function, in_axes, out_axes, given), *args)
    result = eager.build((size,), element, "vmap")
    stacked, structure = flatten(result)
    return structure.unflatten(
        [
            r[0] if p is None else np.moveaxis(r, 0, one_axis(p, r.ndim))
            for r, p in zip(stacked, _spread(out_axes, result, "out_axes"), strict=True)
        ]
    )


# Parts -------------------------------------------------------------------------------------------


def _moved(
    function: Callable[..., Any],
    in_axes: Axes,
    args: tuple[Any, ...],
    read: Callable[[Any, str], Any],
    moveaxis: Callable[[Any, int, int], Any],
) -> tuple[list[Any], Tree, list[Any], int]:
    """Leaves and structure of arguments, the leaves with the batch in front, and the size of the batch.

    A leaf that is the same for the whole batch is `None` among the latter.
    """
    if isinstance(in_axes, int) or in_axes is None:
        in_axes = (in_axes,) * len(args)
    if len(in_axes) != len(args):
        raise ShapeError(
            f"vmap: in_axes has {len(in_axes)} entries, and {function_name(function)} is given {len(args)} "
            f"arguments",
            location=user_line(),
            hint="write one axis for all arguments, or an axis or None for each",
        )
    leaves, tree = flatten(args)
    axes = _spread(tuple(in_axes), args, "in_axes")
    moved: list[Any] = []
    sizes: dict[int, str] = {}
    for leaf, axis, path in zip(leaves, axes, tree.paths("args"), strict=True):
        if axis is None:
            moved.append(None)
            continue
        array = read(leaf, path)
        if not array.shape:
            raise ShapeError(
                f"vmap: {path} is a scalar and has no axis {axis}",
                location=user_line(),
                hint="give it None in in_axes if it is the same for the whole batch",
            )
        array = moveaxis(array, one_axis(axis, array.ndim), 0)
        sizes.setdefault(array.shape[0], path)
        moved.append(array)
    if len(sizes) != 1:
        found = ", ".join(f"{path} has {size}" for size, path in sizes.items()) or "all in_axes are None"
        raise ShapeError(
            f"vmap needs one batch size: {found}",
            location=user_line(),
            hint="batch arguments along axes of one size; None in in_axes marks what all elements share",
        )
    return leaves, tree, moved, next(iter(sizes))


def _spread(axes: Axes, value: Any, what: str) -> list[int | None]:
    """One axis per leaf of `value`; an axis where the value has a structure holds for all of it."""
    if axes is None or isinstance(axes, int):
        return [axes] * len(flatten(value)[0])
    parts = parts_of(value)
    given = parts_of(axes)
    if parts is None or given is None or list(parts) != list(given):
        raise ShapeError(
            f"vmap: {what} {axes!r} does not fit the structure {flatten(value)[1]}",
            location=user_line(),
            hint="write one axis for the whole, or axes in tuples, lists and dictionaries like the value's",
        )
    return [axis for name, part in parts.items() for axis in _spread(given[name], part, what)]
