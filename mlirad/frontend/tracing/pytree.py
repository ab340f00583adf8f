"""Arguments and results of any structure, as flat lists of leaves and back.

    leaves, tree = flatten({"w": (w, b), "scale": 2.0})      -->  [2.0, w, b], {'scale': *, 'w': (*, *)}
    tree.unflatten(leaves)                                   -->  the original dictionary

Containers (`containers.py`) and `None` are structure, and so is a complex number or array, of a real and an
imaginary part. So is what stands for itself (`statics.py`), such as a string; everything else is a leaf. The
leaves of a dictionary come in the order of its sorted keys, so that two dictionaries that compare equal have
equal structure; unflattening restores the order in which the keys of the flattened one stood.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import field, replace
from typing import Any, Final, cast

import numpy as np

from mlirad.errors import with_article
from mlirad.frontend.tracing.captured_objects import PROXIES
from mlirad.frontend.tracing.complex_array import is_complex, parts_of_complex
from mlirad.frontend.tracing.containers import OF_PACKAGES, Container, Fields, Opened, container_of
from mlirad.frontend.tracing.raising import unsupported_error
from mlirad.frontend.tracing.statics import Static, is_static, require_unchanging, structure_key
from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True)
class Tree:
    """A structure without its leaves. Equal structures are equal and hash alike.

    `kind` is the class of the container, `None` for a leaf, `NoneType` for `None`, and `Static` for what
    stands for itself. `names` are the keys of a dictionary (sorted) or the names of attributes; `static`
    holds the values that are part of the structure; `order` is the insertion order of the keys, which takes
    no part in comparisons. Names and static values are compared by their keys, which tell 1 from True and 0.0
    from -0.0.

        >>> structure = ad.tree.structure({"a": 1.0, "b": (2.0, 3.0)})
        >>> structure == ad.tree.structure({"b": (0.0, 0.0), "a": 0.0})
        True
    """

    kind: type[Any] | None
    children: tuple[Tree, ...] = ()
    names: tuple[Hashable, ...] = field(default=(), compare=False)
    static: tuple[object, ...] = field(default=(), compare=False)
    order: tuple[Hashable, ...] = field(default=(), compare=False)
    keys: Hashable = field(init=False)

    def __post_init__(self) -> None:
        keys = (tuple(map(structure_key, self.names)), tuple(map(structure_key, self.static)))
        object.__setattr__(self, "keys", keys)

    @property
    def container(self) -> Container | None:
        """Return how values of the class are made; `None` for leaves, `None` and what stands for itself."""
        kind = self.kind
        return None if kind is None or kind in (type(None), Static) else container_of(kind)

    @property
    def is_dict(self) -> bool:
        """Return whether it is that of a dictionary."""
        return self.kind is not None and issubclass(self.kind, dict)

    @property
    def size(self) -> int:
        """The number of leaves."""
        return 1 if self.kind is None else sum(child.size for child in self.children)

    def unflatten(self, leaves: Sequence[Any]) -> Any:
        """The structure with the given leaves in it; there must be `size` of them."""
        return self._build(iter(leaves))

    def flatten_like(self, value: object, what: str) -> list[Any]:
        """The leaves of `value`, which has this structure but may have any object where this has a leaf, and
        `None` in place of what stands for itself.

        Raises `ValueError` with the place where the structures differ, which `what` names.
        """
        leaves: list[Any] = []
        self._match(value, what, leaves)
        return leaves

    def statics(self) -> Iterator[object]:
        """The values of all static fields, and all that stand for themselves."""
        yield from self.static
        for child in self.children:
            yield from child.statics()

    def imaginary(self) -> Iterator[bool]:
        """For each leaf, whether it is the imaginary part of a complex number."""
        if self.kind is None:
            yield False
        elif self.kind is complex:
            yield from (False, True)
        else:
            for child in self.children:
                yield from child.imaginary()

    def conjugated(self, leaves: Sequence[Any]) -> list[Any]:
        """Leaves with the imaginary parts of complex numbers negated; `None` as it is.

        The language pairs cotangents and tangents part by part, by Re(conj(c) z). The cotangents and
        gradients that users give and get are the conjugates of those, paired by Re(c z): a pullback through a
        holomorphic function is a product with its derivative.
        """
        return [
            -leaf if is_imaginary and leaf is not None else leaf
            for leaf, is_imaginary in zip(leaves, self.imaginary(), strict=True)
        ]

    def with_whole_numbers(self) -> Tree:
        """The structure in which complex numbers are leaves."""
        if self.kind is complex:
            return LEAF
        return replace(self, children=tuple(child.with_whole_numbers() for child in self.children))

    def kinds(self) -> Iterator[type[Any]]:
        """The classes of all containers."""
        if self.kind is not None:
            yield self.kind
            for child in self.children:
                yield from child.kinds()

    def paths(self, prefix: str) -> list[str]:
        """Return how to reach each leaf from a variable called `prefix`, such as `x['w'][0]`."""
        if self.kind is None:
            return [prefix]
        found: list[str] = []
        for k, child in enumerate(self.children):
            found += child.paths(prefix + self._step(k))
        return found

    def variables(self) -> list[str]:
        """Return how to reach each leaf of a dictionary of variables by their names, such as `x[0]`."""
        return [
            path
            for name, child in zip(self.names, self.children, strict=True)
            for path in child.paths(str(name))
        ]

    def _step(self, k: int) -> str:
        container = self.container
        return container.step(self.names[k]) if self.names and container else f"[{k}]"

    def _build(self, leaves: Iterator[Any]) -> Any:
        container = self.container
        if container is not None:
            parts = [child._build(leaves) for child in self.children]
            return container.make(
                cast("type[Any]", self.kind), Opened(self.names, parts, self.static, self.order)
            )
        if self.kind is None:
            return next(leaves)
        return self.static[0] if self.static else None

    def _match(self, value: object, what: str, leaves: list[Any]) -> None:
        if self.kind is None:
            leaves.append(value)
            return
        if self.kind is Static:
            if value is not None and not (is_static(value) and flatten(value)[1] == self):
                raise ValueError(f"{what} must be {self} or None, got {structure_text(value)}")
            return
        kind = _kind_of(value)
        container = container_of(kind)
        if self.kind is complex and container is None and not is_static(value):
            leaves.extend(parts_of_complex(value))
            return
        opened = Opened((), []) if container is None else container.open(value)
        fits = len(opened.parts) == len(self.children) and opened.names == self.names
        if kind is not self.kind or not fits:
            raise ValueError(f"{what} must be structured like {self}, got {structure_text(value)}")
        if tuple(map(structure_key, opened.static)) != tuple(map(structure_key, self.static)):
            text = "" if container is None else container.differences(opened.static, self.static)
            raise ValueError(f"{what} {text}")
        for k, (child, part) in enumerate(zip(self.children, opened.parts, strict=True)):
            child._match(part, what + self._step(k), leaves)

    def shown(self, leaves: Sequence[str]) -> str:
        """The structure as text, with a text for each leaf."""
        return self._shown(iter(leaves))

    def _shown(self, leaves: Iterator[str]) -> str:
        if self.kind is None:
            return next(leaves)
        if self.kind is type(None):
            return "None"
        if self.kind is Static:
            return repr(self.static[0])
        inner = [child._shown(leaves) for child in self.children]
        if self.is_dict:
            return "{" + ", ".join(f"{n!r}: {c}" for n, c in zip(self.names, inner, strict=True)) + "}"
        container = self.container
        if self.names or isinstance(container, Fields):
            named = [c if type(n) is int else f"{n}={c}" for n, c in zip(self.names, inner, strict=True)]
            if container is not None:
                named += [f"{n}={v!r}" for n, v in zip(container.static_names, self.static, strict=False)]
            return f"{self.kind.__name__}({', '.join(named)})"
        if self.kind is list:
            return f"[{', '.join(inner)}]"
        name = "" if self.kind is tuple else self.kind.__name__
        return f"{name}({', '.join(inner)}{',' if len(inner) == 1 and not name else ''})"

    def __str__(self) -> str:
        return self.shown(["*"] * self.size)


LEAF = Tree(None)
"""The structure of a single leaf."""

NONE = Tree(type(None))
"""The structure of `None`, which has no leaves."""


SCALAR_CLASSES: Final[set[type[Any]]] = {bool, int, float, np.bool_, np.int64, np.float32, np.float64}
"""Exact classes of numbers, which are leaves; `array.py` adds its own."""

LEAF_CLASSES: Final[set[type[Any]]] = {*SCALAR_CLASSES}
"""These, and exact classes of other leaves: they are told from structures at once."""

MAX_DEPTH = 200
"""The depth to which containers may be nested."""


def flatten(value: object) -> tuple[list[Any], Tree]:
    """The leaves of a value and its structure.

    Raises `UnsupportedError` for containers that hold themselves, or are nested more than `MAX_DEPTH` deep,
    and for static fields that hold lists, arrays and their like.
    """
    leaves: list[Any] = []
    return leaves, _flatten(value, leaves, MAX_DEPTH)


def parts_of(value: object) -> dict[Hashable, object] | None:
    """The parts of a container by name or position, in the order of its leaves; `None` for a leaf."""
    container = container_of(_kind_of(value))
    if container is None:
        return {} if value is None or is_static(value) else None
    opened = container.open(value)
    return dict(zip(opened.names or range(len(opened.parts)), opened.parts, strict=True))


def structure_text(value: object) -> str:
    """The structure of a value as errors print it."""
    kind: type[Any] = type(value)
    return kind.__name__ if parts_of(value) is None else str(flatten(value)[1])


def _flatten(value: object, leaves: list[Any], depth: int) -> Tree:
    if type(value) in LEAF_CLASSES:
        leaves.append(value)
        return LEAF
    if type(value) in _PLAIN_ITEMS and depth:
        items = cast("Sequence[Any]", value)
        if LEAF_CLASSES.issuperset(map(type, items)):
            leaves.extend(items)
            return _of_leaves(type(items), len(items))
    if value is None:
        return NONE
    if type(value) in PROXIES:
        raise unsupported_error("a weak proxy cannot be part of a structure", "give the object it stands for")
    kind = _kind_of(value)
    container = container_of(kind)
    if container is None:
        if is_static(value):
            return Tree(Static, static=(value,))
        leaves.append(value)
        return LEAF
    if depth == 0:
        raise unsupported_error(
            f"{with_article(kind.__name__)} contains itself, or is nested more than {MAX_DEPTH} deep",
            "keep the values in an array, or in a list of one level",
        )
    opened = container.open(value)
    for name, held in zip(container.static_names, opened.static, strict=False):
        require_unchanging(held, f"{name} of {kind.__name__}")
    if LEAF_CLASSES.issuperset(map(type, opened.parts)):
        leaves.extend(opened.parts)
        children = (LEAF,) * len(opened.parts)
    else:
        children = tuple(_flatten(part, leaves, depth - 1) for part in opened.parts)
    return Tree(kind, children, opened.names, opened.static, opened.order)


_PLAIN_ITEMS: Final = frozenset[type[Any]]((tuple, list))


@functools.lru_cache
def _of_leaves(kind: type[Any], size: int) -> Tree:
    """The structure of a tuple or list of leaves."""
    return Tree(kind, (LEAF,) * size)


def _container_of_sparse(kind: type[Any]) -> Container | None:
    from mlirad.frontend.tracing.sparse_containers import container_of_sparse  # which few programs need

    return container_of_sparse(kind)


OF_PACKAGES["scipy.sparse."] = _container_of_sparse


def _kind_of(value: object) -> type[Any]:
    """The class of a value, `complex` for all complex numbers and arrays; SciPy's for traced matrices."""
    if is_complex(value):
        return complex
    kind = cast("type[Any]", type(value))
    return getattr(kind, "KIND_IN_STRUCTURES", kind) if kind.__module__.startswith("scipy.") else kind
