"""Live variables: those that a loop must carry, and a branch must yield.

    t = 2 * x            y is read after the loop, and in the next iteration: it is carried
    while y > t:         d is written before it is read: each iteration has its own
        d = y - t
        y = y - d / 2

The usual equations, from the last statement to the first, with a fixed point for loops. Code has no `break`,
`continue` or early `return` any more (`jumps.py`).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from mlirad.frontend.rewriting.names import Names, bound_names, captured_names, read_names

NONE: Names = frozenset()


class Liveness:
    """The variables that are live after each `if`, `for` and `while`, and at the head of each loop, in one
    function.
    """

    def __init__(self, body: Sequence[ast.stmt], always: Names):
        self._always = always | captured_names(body)
        self.after: dict[ast.stmt, Names] = {}
        self.head: dict[ast.stmt, Names] = {}
        self._block(body, self._always)

    def _block(self, body: Sequence[ast.stmt], after: Names) -> Names:
        live = after
        for statement in reversed(body):
            live = self._statement(statement, live) | self._always
        return live

    def _statement(self, node: ast.stmt, after: Names) -> Names:
        match node:
            case ast.If():
                self.after[node] = after
                return read_names(node.test) | self._block(node.body, after) | self._block(node.orelse, after)
            case ast.While():
                return self._loop(node, after, read_names(node.test), NONE)
            case ast.For():
                given = bound_names([node.target])
                written = read_names(node.target)
                return read_names(node.iter) | written | self._loop(node, after, NONE, given)
            case ast.With():
                items = frozenset[str]().union(*(read_names(item) for item in node.items))
                given = bound_names(filter(None, (item.optional_vars for item in node.items)))
                return items | (self._block(node.body, after) - given)
            case ast.Try():
                return self._try(node, after)
            case ast.Match():
                cases = [read_names(c.guard) | self._block(c.body, after) for c in node.cases]
                return read_names(node.subject) | after.union(*cases)
            case ast.Return():
                return read_names(node.value)
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                read = read_names(node)
                if isinstance(node, ast.AugAssign):
                    return after | read | bound_names([node.target])
                return (after - bound_names([node])) | read
            case _:
                return after | read_names(node)

    def _loop(self, node: ast.While | ast.For, after: Names, tested: Names, given: Names) -> Names:
        flags = frozenset(getattr(node, "stops", ()))
        # A loop may end at its head, where its `else` follows.
        left = self._block(node.orelse, after)
        head = left | tested | flags
        while True:
            found = head | (self._block(node.body, head | given & left) - given)
            if found == head:
                break
            head = found
        self.after[node], self.head[node] = left, head
        return head

    def _try(self, node: ast.Try, after: Names) -> Names:
        last = self._block(node.finalbody, after)
        handlers = frozenset[str]().union(
            *(read_names(h.type) | self._block(h.body, last) for h in node.handlers)
        )
        around = last | handlers
        body = self._block(node.body, self._block(node.orelse, around) | around)
        return body | around
