"""Generator functions as functions that return the list of what they yield.

    def above(x):                         ad_yielded = []
        for v in x:                       for v in x:
            if v > 0:                         if v > 0:
                yield v                           ad_yielded.append(v)
                                          return ad_yielded

So a traced condition decides which elements the list has. Generators that are sent values, that return one,
or that have no end stay as they are.
"""

from __future__ import annotations

import ast
from typing import Any

from mlirad.frontend.rewriting.jumps import YIELDED
from mlirad.frontend.rewriting.names import own_nodes
from mlirad.frontend.rewriting.nodes import at, call, load, store


def is_collectable(node: ast.FunctionDef) -> bool:
    """Tell whether a generator function can become one that returns a list."""
    nodes = list(own_nodes(node.body))
    plain = {id(n.value) for n in nodes if isinstance(n, ast.Expr)}
    return not any(
        (isinstance(n, ast.Yield | ast.YieldFrom) and id(n) not in plain)
        or (isinstance(n, ast.Return) and n.value is not None)
        or isinstance(n, ast.Await | ast.AsyncFor | ast.AsyncWith | ast.With | ast.Try)
        or (isinstance(n, ast.While | ast.For) and _is_endless(n))
        for n in nodes
    )


_ENDLESS = frozenset(("count", "cycle", "repeat"))
"""Iterators of `itertools` that may have no end."""


def _is_endless(node: ast.While | ast.For) -> bool:
    """Tell whether the code that takes elements may decide when a loop ends."""
    if isinstance(node, ast.While):
        return isinstance(node.test, ast.Constant) and bool(node.test.value)
    parts = list(ast.walk(node.iter))
    names = {n.id for n in parts if isinstance(n, ast.Name)}
    return not _ENDLESS.isdisjoint(names | {n.attr for n in parts if isinstance(n, ast.Attribute)})


def collecting(node: ast.FunctionDef) -> ast.FunctionDef:
    """The function that returns the list; the node is changed."""
    start = at(node.body[0], ast.Assign([store(YIELDED)], ast.List([], ast.Load())))
    body = [_Collecting().visit(statement) for statement in node.body]
    node.body = [start, *body, at(node.body[-1], ast.Return(load(YIELDED)))]
    return node


class _Collecting(ast.NodeTransformer):
    """The rewriting of `yield` and `return`."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """A statement `yield`."""
        found = node.value
        if not isinstance(found, ast.Yield | ast.YieldFrom):
            return node
        if isinstance(found, ast.YieldFrom):
            elements = call("ending", found.value)
            parts: list[ast.expr] = [ast.Starred(part, ast.Load()) for part in (load(YIELDED), elements)]
            return at(found, ast.Assign([store(YIELDED)], ast.List(parts, ast.Load())))
        append = ast.Attribute(load(YIELDED), "append", ast.Load())
        return at(found, ast.Expr(ast.Call(append, [found.value or ast.Constant(None)], [])))

    def visit_Return(self, node: ast.Return) -> ast.AST:
        """The end of the list."""
        node.value = load(YIELDED)
        return at(node, node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """A function of its own."""
        return node

    visit_ClassDef: Any = visit_FunctionDef
    visit_Lambda: Any = visit_FunctionDef
    visit_AsyncFunctionDef: Any = visit_FunctionDef
