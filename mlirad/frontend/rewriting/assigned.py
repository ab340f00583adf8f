"""Reads of variables that may have no value yet, because some path to them does not assign.

    if x > 0:           The first `y` is read where it may have no value, z has one. Variables that
        y, z = x, 1     a loop assigns may have none behind it. Flags are not followed, so the second `y`
    else:               may have none, too, whichever test guards it.
        z = 2
    w = z * y

Code has no `break`, `continue` or early `return` any more (`jumps.py`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from mlirad.frontend.rewriting.names import Names, bound_names, own_nodes


class Assigned:
    """The names of variables among `own`, by the nodes that read them where they may have no value."""

    def __init__(self, body: Sequence[ast.stmt], own: Names):
        self._own = own
        self.doubtful: set[ast.Name] = set()
        self._block(body, frozenset())

    def _block(self, body: Iterable[ast.stmt], given: Names) -> Names:
        """The variables that have a value behind code, of those before it."""
        for statement in body:
            given = self._statement(statement, given)
        return given

    def _statement(self, node: ast.stmt, given: Names) -> Names:
        match node:
            case ast.If():
                self._read([node.test], given)
                given |= bound_names([node.test])
                return self._block(node.body, given) & self._block(node.orelse, given)
            case ast.While():
                self._read([node.test], given)
                given |= bound_names([node.test])
                self._block(node.body, given)
                return self._block(node.orelse, given)
            case ast.For():
                self._read([node.iter], given)
                self._block(node.body, given | bound_names([node.target]))
                return self._block(node.orelse, given)
            case ast.With():
                self._read(node.items, given)
                return self._block(node.body, given | bound_names(node.items))
            case ast.Try():
                body = self._block(node.orelse, self._block(node.body, given))
                handlers = [self._handler(handler, given) for handler in node.handlers]
                return body.intersection(*handlers) | self._block(node.finalbody, given)
            case ast.Match():
                self._read([node.subject], given)
                for case in node.cases:
                    self._block(case.body, given | bound_names([case.pattern]))
                return given
            case ast.Raise():
                self._read([node], given)
                return self._own
            case _:
                self._read([node], given)
                return given | bound_names([node])

    def _handler(self, node: ast.ExceptHandler, given: Names) -> Names:
        return self._block(node.body, given | ({node.name} if node.name else frozenset[str]()))

    def _read(self, nodes: Iterable[ast.AST], given: Names) -> None:
        for node in own_nodes(nodes):
            if (
                isinstance(node, ast.Name)
                and isinstance(node.ctx, ast.Load)
                and self._may_lack(node.id, given)
            ):
                self.doubtful.add(node)

    def _may_lack(self, name: str, given: Names) -> bool:
        return name in self._own and name not in given
