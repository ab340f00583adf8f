"""Making syntax: names, calls of what control flow becomes, and functions of no arguments.

call("and_", x, thunk(y))      ad__.and_(x, lambda: y)
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeVar

from mlirad.frontend.tracing.asked import RUNTIME

N = TypeVar("N", bound=ast.AST)


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
    """A new node, and those in it that have no position, at the position of another."""
    for inner in ast.walk(node):
        if "lineno" in inner._attributes and not hasattr(inner, "lineno"):
            ast.copy_location(inner, place)
    return node


def binds(node: ast.expr) -> bool:
    """Tell whether an expression assigns variables, which a function of its own would not assign here."""
    return any(isinstance(n, ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Await) for n in ast.walk(node))
