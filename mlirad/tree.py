"""Structures of arrays as lists of their leaves: `ad.tree`.

    ad.tree.map(lambda p, g: p - 0.1 * g, params, gradients)
    vector, unravel = ad.tree.ravel(params)

In traced functions and outside. Structure and leaves are the same as of arguments, except that a complex
number or array is one leaf; `ravel` takes it apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, cast

import numpy as np

from mlirad.errors import of_class
from mlirad.frontend.tracing.functions import require_function
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.pytree import Tree
from mlirad.frontend.tracing.pytree import flatten as _flatten
from mlirad.frontend.tracing.raising import argument_error, dtype_error, shape_error
from mlirad.frontend.tracing.tracebacks import plain_errors

__all__ = ["Structure", "flatten", "leaves", "map", "paths", "ravel", "structure", "unflatten"]

Structure: TypeAlias = Tree
"""A structure without its leaves: compared by `==`, hashed, and printed with a `*` for each leaf."""


@plain_errors
def flatten(value: Any) -> tuple[list[Any], Structure]:
    """The leaves of a value in their order, and its structure.

    >>> leaves, structure = ad.tree.flatten({"b": (2.0, 3.0), "a": 1.0})
    >>> leaves
    [1.0, 2.0, 3.0]
    >>> ad.tree.unflatten(structure, [10 * leaf for leaf in leaves])
    {'b': (20.0, 30.0), 'a': 10.0}
    """
    return _whole(value)


@plain_errors
def unflatten(structure: Structure, leaves: Sequence[Any]) -> Any:
    """The structure with the given leaves, which can be anything. Raises `ShapeError` for another number.

    >>> structure = ad.tree.structure({"w": 0.0, "b": 0.0})
    >>> ad.tree.unflatten(structure, ["first", "second"])
    {'w': 'second', 'b': 'first'}
    """
    if not isinstance(cast(object, structure), Tree):
        raise argument_error(
            f"ad.tree.unflatten takes a structure, got {of_class(structure)}",
            "write ad.tree.unflatten(ad.tree.structure(value), leaves)",
        )
    given = list(leaves)
    if len(given) != structure.size:
        raise shape_error(
            f"the structure {structure} has {structure.size} leaves, {len(given)} are given",
            "pass as many leaves as ad.tree.leaves gives of such a structure",
        )
    return structure.unflatten(given)


@plain_errors
def leaves(value: Any) -> list[Any]:
    """The leaves of a value in their order.

    >>> ad.tree.leaves({"b": (2.0, None), "a": np.zeros(2)})
    [array([0., 0.]), 2.0]
    """
    return _whole(value)[0]


@plain_errors
def structure(value: Any) -> Structure:
    """The structure of a value.

    >>> ad.tree.structure([1.0, 2.0]) == ad.tree.structure((1.0, 2.0))
    False
    """
    return _whole(value)[1]


@plain_errors
def paths(value: Any, name: str = "") -> list[str]:
    """The code that reaches each leaf, in their order, from a variable called `name`: `x['w'][0]`.

    >>> ad.tree.paths({"b": (2.0, 3.0), "a": 1.0}, "params")
    ["params['a']", "params['b'][0]", "params['b'][1]"]
    """
    return _whole(value)[1].paths(name)


@plain_errors
def map(function: Callable[..., Any], value: Any, *others: Any) -> Any:  # the module's word for it
    """Return what a function makes of each leaf of a value, in its structure.

    The function takes one more argument from each of `others`, which are structured like the value; where
    that has a leaf they may have anything, such as `None` or a tuple. Raises `ShapeError` where structures
    differ.

        >>> ad.tree.map(lambda p, g: p - 0.5 * g, {"w": 1.0, "b": 2.0}, {"w": 2.0, "b": 0.0})
        {'w': 0.0, 'b': 2.0}
        >>> ad.tree.map(abs, {"amplitude": 3 + 4j})
        {'amplitude': 5.0}
    """
    require_function(function, "ad.tree.map")
    first, tree = _whole(value)
    columns = [_like(tree, other, f"structure {k}") for k, other in enumerate(others, start=2)]
    return tree.unflatten([function(*leaves) for leaves in zip(first, *columns, strict=True)])


@plain_errors
def ravel(value: Any) -> tuple[Any, Callable[[Any], Any]]:
    """All leaves as one vector, and the function that makes a value of such a vector.

    The vector is real: of a complex leaf it has the real parts, then the imaginary ones. It has the dtype
    that the leaves promote to; what is made of one has leaves of their own dtypes and shapes. Raises
    `DtypeError` for leaves that are not arrays.

        >>> vector, unravel = ad.tree.ravel({"a": 1.0, "b": np.array([2.0, 3.0])})
        >>> vector
        array([1., 2., 3.])
        >>> unravel(2 * vector)
        {'a': array(2.), 'b': array([4., 6.])}
    """
    first, tree = _flatten(value)
    arrays = [_array(leaf, path) for leaf, path in zip(first, tree.paths("the structure"), strict=True)]
    forms = [(tuple(np.shape(a)), np.dtype(a.dtype)) for a in arrays]
    dtype = np.result_type(*(d for _, d in forms)) if forms else np.dtype(float)
    size = sum(int(np.prod(shape, dtype=int)) for shape, _ in forms)

    def unravel(vector: Any) -> Any:
        if np.shape(vector) != (size,):
            raise shape_error(
                f"the vector has shape {list(np.shape(vector))}, and [{size}] is expected",
                "pass a vector of that many elements",
            )
        made: list[Any] = []
        start = 0
        for shape, own in forms:
            end = start + int(np.prod(shape, dtype=int))
            made.append(xp.reshape(vector[start:end], shape).astype(own))
            start = end
        return tree.unflatten(made)

    if not arrays:
        return np.zeros(0, dtype), plain_errors(unravel)
    parts = [xp.reshape(a, (-1,)).astype(dtype) for a in arrays]
    return xp.concatenate(parts), plain_errors(unravel)


def _whole(value: Any) -> tuple[list[Any], Tree]:
    """The leaves and the structure of a value, complex numbers as leaves."""
    leaves, parted = _flatten(value)
    tree = parted.with_whole_numbers()
    return (leaves, tree) if tree.size == parted.size else (tree.flatten_like(value, "the value"), tree)


def _array(leaf: Any, path: str) -> Any:
    array = leaf if hasattr(leaf, "dtype") else np.asarray(leaf)
    if array.dtype.kind not in "biuf":
        raise dtype_error(
            f"{path} is {of_class(leaf)}, and a vector is made of numbers",
            "leave it out, or make it a number",
        )
    return array


def _like(tree: Tree, value: Any, what: str) -> list[Any]:
    try:
        return tree.flatten_like(value, what)
    except ValueError as error:
        raise shape_error(str(error), "pass structures that are alike") from error


def __getattr__(name: str) -> Any:
    from mlirad.neighbours import unknown_name

    raise unknown_name(__name__, name, __all__)
