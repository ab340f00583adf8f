"""The user's function as one of flat vectors and of everything else that it reads.

    f = closed(lambda z: f(unflatten(z), c) + w, (vector,), (c,))      captures the traced array w
    f.data                                                             (c, w)
    f(z, *f.data)                                                      a call of a function of the program

Derivatives are taken with respect to the arguments and the traced values that are captured.
A function of the program that has all of them as parameters can be called anywhere, with any of them
replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from numbers import Number
from typing import Any

import numpy as np
from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.dialects.func import CallOp
from xdsl.ir import Region

from mlirad.dialects.shapes import is_array
from mlirad.frontend.constructs.build import stop_gradient
from mlirad.frontend.linear_map.spaces import Space, space_of
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.dtypes import Dtype
from mlirad.frontend.tracing.frames import current_frame, emitting
from mlirad.frontend.tracing.function_names import hint_of, parameter_names
from mlirad.frontend.tracing.functions import Traced, trace_inner
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.frontend.tracing.pytree import flatten
from mlirad.frontend.tracing.raising import dtype_error, shape_error, unsupported_error
from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True)
class Closed:
    """A function of the program, of vectors and of `data`, all that it reads besides."""

    traced: Traced
    data: tuple[Array, ...]
    code: Region
    """Its code; the vectors are the first arguments."""

    def __call__(self, *operands: Any) -> Any:
        """Return what it returns for vectors and data."""
        values = [as_array(x).value for x in operands]
        callee = {"callee": SymbolRefAttr(self.traced.name)}
        op = emitting().insert(CallOp, values, self.traced.result_types, callee)
        return self.traced.results.made(op.results)

    @property
    def moving(self) -> bool:
        """Return whether anything in the data has a derivative."""
        return any(x.dtype.kind == "f" for x in self.data)


def with_data(f: Callable[..., Any], data: Sequence[Any]) -> Callable[..., Any]:
    """A function of vectors and data as one of the vectors."""

    def fixed(*vectors: Any) -> Any:
        return f(*vectors, *data)

    return fixed


def closed(function: Callable[..., Any], vectors: Sequence[LeafType], args: tuple[Any, ...]) -> Closed:
    """`function(*vectors, *args)` as a function of vectors of these types, of the arrays in `args` and of
    what it captures. Other objects in `args` are handed to it as they are."""
    leaves, tree = flatten(args)
    places = [k for k, leaf in enumerate(leaves) if _is_value(leaf)]
    arrays = [as_array(leaves[k]) for k in places]
    types = [*vectors, *(LeafType(a.shape, a.dtype, a.weak) for a in arrays)]

    def rebuild(parameters: list[Any]) -> tuple[Any, ...]:
        given = leaves.copy()
        for k, parameter in zip(places, parameters[len(vectors) :], strict=True):
            given[k] = parameter
        return (*parameters[: len(vectors)], *tree.unflatten(given))

    names = parameter_names(function, len(vectors) + len(tree.children))
    given = [path for name, part in zip(names[len(vectors) :], tree.children, strict=True)
             for path in part.paths(name)]  # fmt: skip
    hints = [hint_of(name) for name in (*names[: len(vectors)], *(given[k] for k in places))]
    traced = trace_inner(function, rebuild, types, hints, is_sealed=True)
    if not all(is_array(value.type) for value in traced.captured):
        raise unsupported_error(
            "the function of a solver captures a function or a sum of the program",
            "make it in the function that uses it, of arrays",
        )
    captured = [made(value) for value in traced.captured]
    return Closed(traced, (*arrays, *captured), current_frame().functions.finished[-1].body)


def _is_value(leaf: Any) -> bool:
    """Return whether a leaf of the arguments is an array or a number, and no other object."""
    return isinstance(leaf, Array | np.ndarray | np.generic | Number)


# Structures as flat vectors ----------------------------------------------------------------------


def unknowns(start: Any, name: str, what: str) -> tuple[Space, Array]:
    """The space of a start of float arrays, and the start as a flat vector without derivative."""
    space = float_space(start, name, what)
    return space, as_array(stop_gradient(space.flatten(start)))


def float_space(start: Any, name: str, what: str) -> Space:
    """The space of a start of float arrays."""
    space = space_of(start)
    for leaf, path in zip(space.leaves, space.tree.paths(name), strict=True):
        if leaf is None:
            raise dtype_error(
                f"{what}: {path} holds integers or booleans, and a solution is made of floats",
                f"write 1.0 for 1, or {name}.astype(float)",
            )
    return space


def flat_type(space: Space) -> LeafType:
    """The type of the flat vectors of a space."""
    return LeafType((space.size,), space.dtype)


def flattened(value: Any, space: Space, what: str, dtype: Dtype | None = None) -> Array:
    """A value that has to be structured like a space, as a flat vector; `what` begins the error if not."""
    leaves, tree = flatten(value)
    arrays = [as_array(leaf) for leaf in leaves]
    shapes = [leaf.shape for leaf in space.moving]
    if tree != space.tree or [a.shape for a in arrays] != shapes:
        found = tree.shown([str(list(a.shape)) for a in arrays])
        wanted = space.tree.shown([str(list(shape)) for shape in shapes])
        raise shape_error(
            f"{what} of shape {found}, and {wanted} is needed",
            "the unknowns, and what is compared with them, have one structure with the same shapes",
        )
    for a in arrays:
        if a.dtype.kind != "f":
            raise dtype_error(f"{what} of dtype {a.dtype}", "return floats: 1.0 * x")
    return as_array(space.flatten(value), dtype or space.dtype)


def rows_of(space: Space, flat: Any) -> Any:
    """Flat vectors [n, size] as a structure whose leaves have a leading dimension n."""
    ends = np.cumsum([0, *(prod(leaf.shape) for leaf in space.moving)])
    parts = zip(space.moving, ends[:-1], ends[1:], strict=True)
    return space.structured(
        [xp.reshape(flat[:, a:b], (len(flat), *leaf.shape)).astype(leaf.dtype) for leaf, a, b in parts]
    )
