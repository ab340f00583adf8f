"""Arguments and results of any structure, as flat lists of leaves and back.

    leaves, tree = flatten({"w": (w, b), "scale": 2.0})      -->  [2.0, w, b], {'scale': *, 'w': (*, *)}
    tree.unflatten(leaves)                                   -->  the original dictionary

Tuples, named tuples, lists, dictionaries, dataclasses and `None` are structure; everything else is a leaf.
A dictionary's leaves come in the order of its sorted keys, so that two dictionaries that compare equal have
equal structure; unflattening restores the order in which the keys of the flattened one stood.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, cast

from mlirad.frontend.tracing.captures import static_key
from mlirad.frontend.tracing.raising import unsupported_error


@dataclass(frozen=True)
class Tree:
    """A structure without its leaves. Equal structures are equal and hash alike.

    `kind` is the class of the container, `None` for a leaf, and `NoneType` for `None`. `names` are the keys
    of a dictionary (sorted) or the fields of a dataclass; `static` holds the values of fields that are part
    of the structure; `order` is the insertion order of the keys, which takes no part in comparisons. Names
    and static values are compared by their keys, which tell 1 from True and 0.0 from -0.0.
    """

    kind: type[Any] | None
    children: tuple[Tree, ...] = ()
    names: tuple[Hashable, ...] = field(default=(), compare=False)
    static: tuple[Hashable, ...] = field(default=(), compare=False)
    order: tuple[Hashable, ...] = field(default=(), compare=False)
    keys: Hashable = field(init=False)

    def __post_init__(self) -> None:
        keys = (*map(static_key, self.names), *map(static_key, self.static)) if self.names else ()
        object.__setattr__(self, "keys", keys)

    @property
    def is_dict(self) -> bool:
        """Whether it is that of a dictionary."""
        return self.kind is not None and issubclass(self.kind, dict)

    @property
    def size(self) -> int:
        """The number of leaves."""
        return 1 if self.kind is None else sum(child.size for child in self.children)

    def unflatten(self, leaves: Sequence[Any]) -> Any:
        """The structure with the given leaves in it; there must be `size` of them."""
        return self._build(iter(leaves))

    def flatten_like(self, value: object, what: str) -> list[Any]:
        """The leaves of `value`, which has this structure but may have any object where this has a leaf.

        Raises `ValueError` with the place where the structures differ, which `what` names.
        """
        leaves: list[Any] = []
        self._match(value, what, leaves)
        return leaves

    def statics(self) -> Iterator[Hashable]:
        """The values of all static fields."""
        yield from self.static
        for child in self.children:
            yield from child.statics()

    def kinds(self) -> Iterator[type[Any]]:
        """The classes of all containers."""
        if self.kind is not None:
            yield self.kind
            for child in self.children:
                yield from child.kinds()

    def paths(self, prefix: str) -> list[str]:
        """How to reach each leaf from a variable called `prefix`, such as `x['w'][0]`."""
        if self.kind is None:
            return [prefix]
        found: list[str] = []
        for k, child in enumerate(self.children):
            found += child.paths(prefix + self._step(k))
        return found

    def variables(self) -> list[str]:
        """How to reach each leaf of a dictionary of variables by their names, such as `x[0]`."""
        return [
            path
            for name, child in zip(self.names, self.children, strict=True)
            for path in child.paths(str(name))
        ]

    def _step(self, k: int) -> str:
        if not self.names:
            return f"[{k}]"
        return f"[{self.names[k]!r}]" if self.is_dict else f".{self.names[k]}"

    def _build(self, leaves: Iterator[Any]) -> Any:
        if self.kind is None:
            return next(leaves)
        if self.kind is type(None):
            return None
        parts = [child._build(leaves) for child in self.children]
        if self.is_dict:
            by_name = dict(zip(self.names, parts, strict=True))
            return {name: by_name[name] for name in self.order}
        if is_dataclass(cast(object, self.kind)):
            return make_dataclass(self.kind, dict(zip(self.names, parts, strict=True)), self.static)
        make = cast("Callable[..., Any]", self.kind)
        return make(*parts) if self.names else make(parts)

    def _match(self, value: object, what: str, leaves: list[Any]) -> None:
        if self.kind is None:
            leaves.append(value)
            return
        names, parts, static = _open(value) if _is_node(value) else ((), [], ())
        if type(value) is not self.kind or len(parts) != len(self.children) or names != self.names:
            raise ValueError(f"{what} must be structured like {self}, got {structure_text(value)}")
        if static != self.static:
            raise ValueError(f"{what} has static fields {static}, and {self.static} are expected")
        for k, (child, part) in enumerate(zip(self.children, parts, strict=True)):
            child._match(part, what + self._step(k), leaves)

    def shown(self, leaves: Sequence[str]) -> str:
        """The structure as text, with a text for each leaf."""
        return self._shown(iter(leaves))

    def _shown(self, leaves: Iterator[str]) -> str:
        if self.kind is None:
            return next(leaves)
        if self.kind is type(None):
            return "None"
        inner = [child._shown(leaves) for child in self.children]
        if self.is_dict:
            return "{" + ", ".join(f"{n!r}: {c}" for n, c in zip(self.names, inner, strict=True)) + "}"
        if self.names:
            fields_ = ", ".join(f"{n}={c}" for n, c in zip(self.names, inner, strict=True))
            return f"{self.kind.__name__}({fields_})"
        if self.kind is list:
            return f"[{', '.join(inner)}]"
        return f"({', '.join(inner)}{',' if len(inner) == 1 else ''})"

    def __str__(self) -> str:
        return self.shown(["*"] * self.size)


LEAF = Tree(None)
"""The structure of a single leaf."""

NONE = Tree(type(None))
"""The structure of `None`, which has no leaves."""


MAX_DEPTH = 200
"""How deep containers may be nested."""


def flatten(value: object) -> tuple[list[Any], Tree]:
    """The leaves of a value and its structure.

    Raises `UnsupportedError` for containers that hold themselves, or are nested more than `MAX_DEPTH` deep.
    """
    leaves: list[Any] = []
    return leaves, _flatten(value, leaves, MAX_DEPTH)


def parts_of(value: object) -> dict[Hashable, object] | None:
    """The parts of a container by name or position, in the order of its leaves; `None` for a leaf."""
    if not _is_node(value):
        return None
    names, parts, _ = _open(value)
    return dict(zip(names or range(len(parts)), parts, strict=True))


def structure_text(value: object) -> str:
    """The structure of a value as errors print it."""
    kind: type[Any] = type(value)
    return str(flatten(value)[1]) if _is_node(value) else kind.__name__


def _flatten(value: object, leaves: list[Any], depth: int) -> Tree:
    if value is None:
        return NONE
    if not _is_node(value):
        leaves.append(value)
        return LEAF
    if depth == 0:
        raise unsupported_error(
            f"a {type(value).__name__} contains itself, or is nested more than {MAX_DEPTH} deep",
            "keep the values in an array, or in a list of one level",
        )
    kind = cast("type[Any]", type(value))
    names, parts, static = _open(value)
    order = tuple(cast("dict[Hashable, object]", value)) if isinstance(value, dict) else ()
    return Tree(kind, tuple(_flatten(part, leaves, depth - 1) for part in parts), names, static, order)


def _is_node(value: object) -> bool:
    if isinstance(value, tuple | list | dict) or value is None:
        return True
    return is_dataclass(value) and not isinstance(value, type)


def _open(value: object) -> tuple[tuple[Hashable, ...], list[object], tuple[Hashable, ...]]:
    """Names, parts and static field values of a container."""
    if value is None:
        return (), [], ()
    if isinstance(value, dict):
        table = cast("dict[Hashable, object]", value)
        names = _sorted(list(table))
        return tuple(names), [table[name] for name in names], ()
    if isinstance(value, tuple | list):
        parts = list(cast("Sequence[object]", value))
        names = cast("tuple[str, ...]", getattr(cast(object, value), "_fields", ()))
        return tuple(names), parts, ()
    known = fields(cast(Any, value))
    moving = [f.name for f in known if not f.metadata.get("static")]
    static = tuple(cast(Hashable, getattr(value, f.name)) for f in known if f.metadata.get("static"))
    return tuple(moving), [getattr(value, name) for name in moving], static


def _sorted(keys: list[Hashable]) -> list[Hashable]:
    try:
        return sorted(keys)  # pyright: ignore[reportArgumentType, reportUnknownVariableType]
    except TypeError:
        return sorted(keys, key=lambda key: (type(key).__name__, repr(key)))


def make_dataclass(kind: type[Any], parts: dict[Hashable, object], static: tuple[Hashable, ...]) -> object:
    """An instance with the given fields; its `__init__` and `__post_init__` are not run again."""
    made = object.__new__(kind)
    rest = iter(static)
    for known in fields(kind):
        value = next(rest) if known.metadata.get("static") else parts[known.name]
        object.__setattr__(made, known.name, value)
    return made
