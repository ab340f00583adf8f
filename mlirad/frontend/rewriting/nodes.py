"""Making syntax: names, calls of what control flow becomes, and functions of no arguments.

call("and_", x, thunk(y))      ad__.and_(x, lambda: y)
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeVar

from mlirad.frontend.tracing.usage_hints import RUNTIME

N = TypeVar("N", bound=ast.AST)

_PLACED = "is_placed"
"""The name of what says that all nodes of a function have positions."""


def load(name: str) -> ast.Name:
    """The variable, read."""
    return ast.Name(name, ast.Load())


def store(name: str) -> ast.Name:
    """The variable, written."""
    return ast.Name(name, ast.Store())


def call(name: str, *args: ast.expr) -> ast.Call:
    """A call of what control flow becomes."""
    return ast.Call(ast.Attribute(load(RUNTIME), name, ast.Load()), list(args), [])


def strings(names: Sequence[str]) -> ast.Tuple:
    """A tuple of strings."""
    return ast.Tuple([ast.Constant(name) for name in names], ast.Load())


def thunk(value: ast.expr) -> ast.Lambda:
    """`lambda: value`."""
    return ast.Lambda(no_parameters(), value)


def no_parameters() -> ast.arguments:
    """The parameters of a function without any."""
    return ast.arguments([], [], None, [], [], None, [])


def define(name: str, body: list[ast.stmt], parameter: str | None = None) -> ast.FunctionDef:
    """A function of no parameters, or of one."""
    parameters = no_parameters()
    if parameter is not None:
        parameters.args.append(ast.arg(parameter))
    node = ast.FunctionDef(name, parameters, body or [ast.Pass()], [], None)
    vars(node)["type_params"] = []
    return node


def at(place: ast.AST, node: N) -> N:
    """A new node, and those in it that have no position, at the position of another.

    Functions in it that have been given theirs are not walked again, so nested ones take linear time.
    """
    pending: list[ast.AST] = [node]
    while pending:
        inner = pending.pop()
        if "lineno" in inner._attributes and not hasattr(inner, "lineno"):
            ast.copy_location(inner, place)
        pending += (n for n in ast.iter_child_nodes(inner) if not vars(n).get(_PLACED, False))
    if isinstance(node, ast.FunctionDef):
        vars(node)[_PLACED] = True
    return node


def binds(node: ast.expr) -> bool:
    """Tell whether an expression assigns variables, which a function of its own would not assign here."""
    return any(isinstance(n, ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Await) for n in ast.walk(node))
