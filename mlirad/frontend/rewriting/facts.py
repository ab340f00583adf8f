"""The variables that statements bind, change and read, each statement looked at once.

    if a:                facts.of([outer]) looks at both statements, facts.of([inner]) then at none:
        if b:            the facts of a statement are those of its parts, put together.
            y[0] = x     Facts(bound=set(), elements={y}, augmented=set(), read={a, b, x, y}, ...)

Every `if` and loop is asked about all code inside it. Where each stands inside the one before, as after early
returns, n statements would be looked at n times. Statements are asked about before they are changed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from mlirad.frontend.rewriting.names import (
    Names,
    augmented_names,
    bound_names,
    element_names,
    own_nodes,
    read_names,
)
from mlirad.lazy_dataclass import dataclass

_AROUND = (
    ast.If, ast.While, ast.For, ast.With, ast.Try, ast.TryStar, ast.Match, ast.match_case, ast.ExceptHandler,
)  # fmt: skip
"""Code that consists of other code, and does nothing besides, except for the name of a handler."""

_NONE: Names = frozenset()


@dataclass(frozen=True)
class Facts:
    """The variables of some code: see `names.py`."""

    bound: Names = _NONE
    elements: Names = _NONE
    augmented: Names = _NONE
    read: Names = _NONE
    has_calls: bool = False
    writes_attributes: bool = False

    @property
    def written(self) -> Names:
        """The variables whose value the code may change in place."""
        return self.elements | self.augmented

    @property
    def changed(self) -> Names:
        """The variables that the code binds, or whose value it may change in place."""
        return self.bound | self.written


class KnownFacts:
    """The facts of the code of one function, as far as they were asked for."""

    def __init__(self) -> None:
        self._known: dict[ast.AST, Facts] = {}

    def of(self, nodes: Iterable[ast.AST]) -> Facts:
        """The facts of some code, such as the body of a statement."""
        found = [self._one(node) for node in nodes]
        return Facts(
            _NONE.union(*(f.bound for f in found)),
            _NONE.union(*(f.elements for f in found)),
            _NONE.union(*(f.augmented for f in found)),
            _NONE.union(*(f.read for f in found)),
            any(f.has_calls for f in found),
            any(f.writes_attributes for f in found),
        )

    def _one(self, node: ast.AST) -> Facts:
        known = self._known.get(node)
        if known is None:
            known = self._known[node] = self._looked_at(node)
        return known

    def _looked_at(self, node: ast.AST) -> Facts:
        if not isinstance(node, _AROUND):
            own = list(own_nodes([node]))
            return Facts(
                bound_names([node]),
                element_names([node]),
                augmented_names([node]),
                read_names(node),
                any(isinstance(n, ast.Call) for n in own),
                any(isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load) for n in own),
            )
        parts = self.of(ast.iter_child_nodes(node))
        if not isinstance(node, ast.ExceptHandler) or node.name is None:
            return parts
        return Facts(
            parts.bound | {node.name},
            parts.elements,
            parts.augmented,
            parts.read,
            parts.has_calls,
            parts.writes_attributes,
        )
