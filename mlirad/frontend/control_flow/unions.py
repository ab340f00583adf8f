"""Variables that hold different objects at the ends of a statement, which are not values of one structure.

if x > 0:                The statement is traced once more, and both branches give a number and the
    kind = "up"          values, if there are any: `OneOf` of the objects. The objects of a statement
else:                    are known when it is traced again.
    kind = None
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

import numpy as np

from mlirad.frontend.constructs.alternatives import (
    VALUES,
    OneOf,
    Unset,
    is_same_option,
    options_of,
    renumbered,
)
from mlirad.frontend.constructs.carries import leaf_value
from mlirad.frontend.control_flow.objects import containers_in
from mlirad.frontend.control_flow.state import UNSET, is_missing, is_opaque, is_same
from mlirad.frontend.indexing.masks import MaskedElements
from mlirad.frontend.tracing.array import Array, base_of
from mlirad.frontend.tracing.frames import current_frame, emitting
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.operations import as_array
from mlirad.frontend.tracing.pytree import Tree, flatten
from mlirad.frontend.tracing.values import ValueType, type_of


class Widened(Exception):
    """A statement is to be traced again: a variable was found to be one of more objects."""


class Unions:
    """The variables of one statement that are a `OneOf` at its ends."""

    def __init__(
        self, code: Any, known: dict[tuple[Any, str], list[Any]], attributes: Mapping[str, Any] | None = None
    ) -> None:
        """Those of the statement that `code` stands for; `known` has what was found before.

        Of the variables, `attributes` are those of objects, which always have a value. More are found,
        and put into that dictionary, while the statement is traced.
        """
        self._code, self._objects = code, known
        self._attributes: Mapping[str, Any] = {} if attributes is None else attributes
        self._widened: set[str] = set()
        self._parted: set[str] = set()
        """Tuples that have a `OneOf` among their parts."""
        self._types: dict[str, tuple[Tree, list[ValueType]]] = {}
        self._refused: set[str] = set()
        self._ends: list[dict[str, Any]] = [{}, {}]
        self._scopes: list[Any] = [None, None]

    def encoded(self, k: int, values: dict[str, Any]) -> dict[str, Any]:
        """The variables at the end of branch `k`, each in the same form in all branches."""
        self._ends[k], self._scopes[k] = values, current_frame().scope
        return {name: self._encoded(name, found) for name, found in values.items()}

    def is_one(self, name: str) -> bool:
        """Tell whether a variable is one object at all ends."""
        ends = [end.get(name) for end in self._ends]
        return self._known(name) is not None and is_same(*ends) and not is_missing(ends[0])

    def found(self, name: str) -> Any:
        """The form of a variable."""
        return self._ends[0][name]

    def widen(self, names: Iterable[str], one: Mapping[str, Any], other: Mapping[str, Any]) -> None:
        """Raise `Widened` if variables are different objects at two ends, and were not known to be."""
        if [name for name in names if self._is_new(name, one[name], other[name])]:
            raise Widened

    def _known(self, name: str) -> list[Any] | None:
        return self._objects.get((self._code, name))

    def _known_unset(self, name: str, found: Any) -> Any:
        """The value of a variable at an end; `Unset`, which a `OneOf` can hold, if it has none."""
        return Unset(name) if found is UNSET and name not in self._attributes else found

    def _encoded(self, name: str, found: Any) -> Any:
        found = self._known_unset(name, found)
        if name in self._refused or is_missing(found):
            return found
        if name in self._parted and type(found) is tuple:
            parts = enumerate(cast("tuple[Any, ...]", found))
            return tuple(self._encoded(f"{name}[{k}]", part) for k, part in parts)
        objects = self._known(name)
        if objects is None:
            return UNSET if isinstance(found, Unset) else found
        options = options_of(objects)
        place = None if _holds_values(found) else options.place_of(found)
        value = None
        if type(found) is OneOf:
            places = {k: options.place_of(x) for k, x in enumerate(found.options.objects)}
            if any(k is None for k in places.values()):
                return found
            number: Any = renumbered(found.number, {k: p or 0 for k, p in places.items()})
            value = found.value
        else:
            if place is None:
                place = options.place_of(VALUES) if _is_value(found) else None
                value = found
            if place is None:
                return found
            number = as_array(np.int64(place))
        if value is None and options.place_of(VALUES) is not None:
            if name not in self._types:
                return found
            value = _zeros_of(*self._types[name])
        return OneOf(number, options, value)

    def _is_new(self, name: str, one: Any, other: Any) -> bool:
        """Note what a variable is at two ends; whether that was not known."""
        one, other = self._known_unset(name, one), self._known_unset(name, other)
        if is_missing(one) or is_missing(other) or name in self._refused or is_same_option(one, other):
            return False
        if is_same(one, other) or isinstance(one, MaskedElements) or isinstance(other, MaskedElements):
            return False
        if type(one) is type(other) is tuple and len(one) == len(other):
            pairs = enumerate(zip(one, other, strict=True))
            new = [k for k, pair in pairs if self._is_new(f"{name}[{k}]", *pair)]
            if new:
                self._parted.add(name)
            return bool(new)
        values = [x.value if type(x) is OneOf else x for x in (one, other) if _holds_values(x)]
        trees = [flatten(x)[1] for x in values]
        is_plain = type(one) is not OneOf and type(other) is not OneOf
        if is_plain and len(values) == 2:
            return False  # of one structure, or an error
        if type(one) is type(other) is OneOf and one.options is other.options:
            return False
        if any(tree != trees[0] for tree in trees[1:]) or any(map(self._holds_containers, values)):
            self._refused.add(name)
            return False
        objects = self._objects.setdefault((self._code, name), [])
        if name in self._widened:  # made again in each trace
            self._refused.add(name)
            return True
        self._widened.add(name)
        for end in (one, other):
            if type(end) is OneOf:
                new = list(end.options.objects)
            else:
                new = [VALUES if _holds_values(end) else end]
            objects += [x for x in new if not any(is_same_option(x, known) for known in objects)]
        if values:
            leaves, tree = flatten(values[0])
            self._types[name] = tree, [type_of(leaf_value(leaf, "", "")) for leaf in leaves]
        return True

    def _holds_containers(self, found: Any) -> bool:
        """Tell whether values are in lists or dictionaries, or in arrays that no end has made."""
        arrays = (base_of(leaf) for leaf in flatten(found)[0] if isinstance(leaf, Array) and leaf.ndim)
        is_outside = any(not any(x._owner is scope for scope in self._scopes) for x in arrays)
        return is_outside or any(True for _ in containers_in({"": found}))


def _holds_values(found: Any) -> bool:
    """Tell whether a variable holds values of the program."""
    if type(found) is OneOf:
        return found.options.place_of(VALUES) is not None
    return _is_value(found)


def _is_value(found: Any) -> bool:
    return not is_missing(found) and not is_opaque(found) and bool(flatten(found)[0])


def _zeros_of(tree: Tree, types: list[ValueType]) -> Any:
    b = emitting()
    return tree.unflatten([t.made(b.zeros(t.type)) for t in types if isinstance(t, LeafType)])
