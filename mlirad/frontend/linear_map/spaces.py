"""`Space`: the domain or codomain of a linear map, as Python sees it: a structure with float leaves.

    y, J = ad.linearize(f, {"w": w, "n": 3}, x)      J goes from the space of (w, x) to the space of y

A vector of a space is written in its structure, with `None` at leaves that have no derivative; `None` in
place of an array is zero. In a flat vector, the leaves come one after the other, each in row-major order:
arguments and fields as declared, dictionaries by sorted keys.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import field, replace
from functools import cached_property
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.ir import Attribute

from mlirad.dialects.shapes import product_type
from mlirad.errors import DtypeError, PositionError, ShapeError, of_class
from mlirad.frontend.tracing.argument_types import leaf_type
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.dtypes import plain_array
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.frontend.tracing.pytree import LEAF, Tree, flatten
from mlirad.frontend.tracing.raising import dtype_error
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.statics import Static
from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True)
class Space:
    """The structure, and for each leaf its type, `None` if it has no derivative.

    `arguments` says that the structure is that of a list of arguments, which `names` are the names of.
    """

    tree: Tree
    leaves: tuple[LeafType | None, ...]
    arguments: bool = False
    names: tuple[str, ...] = field(default=(), compare=False)

    @cached_property
    def moving(self) -> tuple[LeafType, ...]:
        """The types of the leaves that have a derivative."""
        return tuple(leaf for leaf in self.leaves if leaf is not None)

    @cached_property
    def size(self) -> int:
        """The number of components."""
        return sum(prod(leaf.shape) for leaf in self.moving)

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """Return the dtype that the leaves promote to; float64 without leaves."""
        return np.result_type(*(leaf.dtype for leaf in self.moving)) if self.moving else np.dtype(float)

    @cached_property
    def type(self) -> Attribute:
        """As a space of the linear dialect: the product of the leaves that have a derivative."""
        return product_type([leaf.type for leaf in self.moving])

    @cached_property
    def bare(self) -> tuple[Tree, tuple[LeafType | None, ...]]:
        """Structure and leaves; of a single argument without the list around it."""
        single = self.arguments and len(self.tree.children) == 1
        return (self.tree.children[0] if single else self.tree), self.leaves

    def matches(self, other: Space) -> bool:
        """Return whether two spaces have the same vectors. A single argument is the same as its value."""
        return self.bare == other.bare

    # Vectors -------------------------------------------------------------------------------------

    def read(self, given: tuple[Any, ...], what: str) -> list[Any]:
        """Vectors structured like the space as one array per leaf that has a derivative."""
        if not self.arguments and len(given) != 1:
            raise ShapeError(
                f"{what} takes one vector, {len(given)} given",
                location=user_line(),
                hint="pass one vector, structured like the space",
            )
        try:
            leaves = self.tree.flatten_like(given if self.arguments else given[0], what)
        except ValueError as error:
            raise ShapeError(
                str(error),
                location=user_line(),
                hint="pass vectors in the structure of the space; None stands for zero",
            ) from error
        paths = self.tree.paths(what)
        return [
            vector(v, t, path) for v, t, path in zip(leaves, self.leaves, paths, strict=True) if t is not None
        ]

    def structured(self, vectors: Sequence[Any]) -> Any:
        """Arrays, one per leaf that has a derivative, in the structure of the space."""
        rest = iter(vectors)
        return self.tree.unflatten([None if t is None else next(rest) for t in self.leaves])

    def write(self, vectors: Sequence[Any]) -> Any:
        """Arrays in the structure of the space; of one argument, bare."""
        made = self.structured(vectors)
        return made[0] if self.arguments and len(made) == 1 else made

    def flatten(self, *vectors: Any) -> Any:
        """A vector in the structure of the space as a flat one of shape [size]."""
        leaves = self.read(vectors, "vectors" if self.arguments else "the vector")
        parts = [xp.reshape(leaf, (-1,)) for leaf in leaves]
        return xp.concatenate(parts).astype(self.dtype) if parts else np.zeros(0, self.dtype)

    def unflatten(self, flat: Any) -> Any:
        """A flat vector in the structure of the space; of one argument, bare."""
        return self.write(self.split(flat if isinstance(flat, Array) else np.asarray(flat)))

    def split(self, flat: Any) -> list[Any]:
        """A flat vector as its leaves."""
        if flat.shape != (self.size,):
            raise ShapeError(
                f"{self} has flat vectors of shape {(self.size,)}, got one of shape {flat.shape}",
                location=user_line(),
                hint="make one by flatten",
            )
        leaves: list[Any] = []
        first = 0
        for leaf in self.moving:
            after = first + prod(leaf.shape)
            leaves.append(xp.reshape(flat[first:after], leaf.shape).astype(leaf.dtype))
            first = after
        return leaves

    # Parts ---------------------------------------------------------------------------------------

    def part(self, key: Hashable) -> tuple[Space, range]:
        """The part called `key`, and which of the leaves that have a derivative are its own.

        An argument is found by name or position, an entry of a dictionary by its key, a field by its name, an
        entry of a tuple or list by its position. Of a single argument the parts are found too.
        """
        child = self._child(key)
        if child is None:
            return Space(self.tree.children[0], self.leaves).part(key)
        before = sum(one.size for one in self.tree.children[:child])
        tree = self.tree.children[child]
        leaves = self.leaves[before : before + tree.size]
        first = sum(leaf is not None for leaf in self.leaves[:before])
        space = Space(tree, leaves)
        return space, range(first, first + len(space.moving))

    def only(self, keys: Sequence[Hashable]) -> tuple[Space, tuple[int, ...]]:
        """The arguments called `keys`, as a list of arguments, and which leaves are theirs."""
        parts = [self.part(key) for key in keys]
        children = [self._child(key) for key in keys]
        names = [
            str(key) if k is None or not self.names else self.names[k]
            for k, key in zip(children, keys, strict=True)
        ]
        joined = join([space for space, _ in parts], tuple(names))
        return joined, tuple(k for _, places in parts for k in places)

    def _name(self, key: Hashable) -> str:
        child = self._child(key)
        return str(key) if child is None or not self.names else self.names[child]

    def _child(self, key: Hashable) -> int | None:
        """The number of a part; `None` for what may be a part of the single argument."""
        names: tuple[Hashable, ...] = self.names if self.arguments else self.tree.names
        count = len(self.tree.children)
        if key in names:
            return names.index(key)
        is_position = isinstance(key, int | np.integer) and not isinstance(key, bool)
        is_dict = self.tree.kind is not None and issubclass(self.tree.kind, dict)
        if is_position and not is_dict and -count <= int(cast(Any, key)) < count:
            return int(cast(Any, key)) % count
        if self.arguments and count == 1 and self.tree.children[0].children:
            return None
        known = ", ".join(map(repr, names)) if names else f"positions below {count}"
        raise PositionError(
            f"{self} has no part {key!r}",
            location=user_line(),
            hint=f"it has {known}" if count else "it is a single array and has no parts",
        )

    def __str__(self) -> str:
        shown = [_shown(leaf) for leaf in self.leaves]
        if self.bare[0] == LEAF:
            return shown[0]
        if self.arguments:
            shown = [
                f"{path}: {text}" if self.names else text
                for path, text in zip(self._paths(), shown, strict=True)
            ]
            return f"({', '.join(shown)})"
        paths = self.tree.paths("")
        return f"({', '.join(f'{path}: {text}' for path, text in zip(paths, shown, strict=True))})"

    def _paths(self) -> list[str]:
        names = self.names or [""] * len(self.tree.children)
        return [path for n, child in zip(names, self.tree.children, strict=True) for path in child.paths(n)]


def space_of(like: Any) -> Space:
    """The space of values like these: arrays, scalars or structures of them, traced or not.

    Raises `DtypeError` for a string and its like.
    """
    leaves, tree = flatten(like)
    if tree.kind is Static:
        raise dtype_error(
            f"{of_class(like)} is not a vector, and has no linear map",
            "write an array, a scalar, or a structure of them",
        )
    paths = tree.paths("like")
    return Space(tree, tuple(moving_type(leaf_type(v, p)) for v, p in zip(leaves, paths, strict=True)))


def moving_type(leaf: LeafType) -> LeafType | None:
    """The type of tangents at a leaf, `None` if it has none."""
    return replace(leaf, weak=False) if leaf.dtype.kind == "f" else None


def join(spaces: Sequence[Space], names: tuple[str, ...] = ()) -> Space:
    """The space of lists of arguments, one from each space."""
    trees, leaves = zip(*(space.bare for space in spaces), strict=True) if spaces else ((), ())
    return Space(Tree(tuple, trees), tuple(leaf for part in leaves for leaf in part), True, names)


def _shown(leaf: LeafType | None) -> str:
    return "none" if leaf is None else f"{leaf.dtype}[{', '.join(map(str, leaf.shape))}]"


def vector(given: Any, like: LeafType, what: str) -> Any:
    """An array of the type of a leaf; `None` is 0. Raises where shape or dtype do not fit."""
    if is_tracing():
        made: Any = as_array(np.zeros(like.shape) if given is None else given)
        is_weak = made.weak
    elif given is None:
        return np.zeros(like.shape, like.dtype)
    else:
        is_weak = type(given) in (int, float)
        made = plain_array(cast(object, given))
    if made.shape != like.shape:
        raise ShapeError(
            f"{what} has shape {made.shape}, and {like.shape} is expected",
            location=user_line(),
            hint="a tangent or cotangent has the shape of what it belongs to",
        )
    if made.dtype == np.float64 and like.dtype != np.float64 and given is not None and not is_weak:
        raise DtypeError(
            f"{what} has dtype {made.dtype}, and {like.dtype} is expected",
            location=user_line(),
            hint=f"convert it with .astype(np.{like.dtype})",
        )
    return made if made.dtype == like.dtype and not is_weak else made.astype(like.dtype)
