"""Structures of arguments and results as data that a file can hold, and back.

data_of(tree of {"w": (a, b)})      ["dict", [["tuple", [["leaf", ...], ...]]], ["w"], [], ["w"]]

Only structures of Python's own containers have such data: a class of the program may be another one in
another process, or may make other values of the same parts.
"""

from __future__ import annotations

from typing import Any, Final, cast

from mlirad.frontend.tracing.library_functions import NotPortable
from mlirad.frontend.tracing.pytree import Tree
from mlirad.frontend.tracing.statics import Static

_NAMES: Final[dict[type[Any] | None, str]] = {
    None: "leaf",
    type(None): "none",
    tuple: "tuple",
    list: "list",
    dict: "dict",
    complex: "complex",
    Static: "static",
}
_KINDS: Final = {name: kind for kind, name in _NAMES.items()}


def data_of(tree: Tree) -> list[Any]:
    """A structure as data. Raises `NotPortable` for one that has none."""
    fixed = (*tree.names, *tree.static, *tree.order)
    if tree.kind not in _NAMES or not all(type(part) in (str, int) for part in fixed):
        raise NotPortable
    children = [data_of(child) for child in tree.children]
    return [_NAMES[tree.kind], children, list(tree.names), list(tree.static), list(tree.order)]


def tree_of(data: object) -> Tree:
    """The structure that data state. Raises ValueError, TypeError or KeyError for what states none."""
    kind, children, *fixed = cast("list[Any]", data)
    names, static, order = map(tuple, fixed)
    return Tree(_KINDS[kind], tuple(map(tree_of, children)), names, static, order)
