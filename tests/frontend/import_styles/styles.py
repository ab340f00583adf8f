"""The styles in which people import what they call, of one program: its source, rewritten.

np.exp(x)            as it stands, in the style "modules"
np_exp(x)            from numpy import exp as np_exp                                  "from"
CALLED["np.exp"](x)  CALLED = {"np.exp": np.exp}                                      "dictionary"
Called.np_exp(x)     class Called: np_exp = staticmethod(np.exp)                      "class"
np_exp(x)            def f(x, np_exp=np.exp)                                          "defaults"
np_exp(x)            a variable of a function around the program                      "closure"
np_exp(x)            np_exp = functools.partial(np.exp)                               "partial"
helper.np_exp(x)     of a module that imports it                                      "helper"
"""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
from types import ModuleType
from typing import Any

MODULES = ("np", "sp", "la", "sf", "stats", "signal", "interpolate", "math")
STYLES = ("modules", "from", "dictionary", "class", "defaults", "closure", "partial", "helper")


def programs_in(module: ModuleType, style: str) -> dict[str, Any]:
    """The programs of a module in a style, by their names, each with its start."""
    if style == "modules":
        return module.PROGRAMS
    tree = ast.parse(inspect.getsource(module))
    called = _Called(style, {name: getattr(module, name) for name in MODULES if hasattr(module, name)})
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            node.body = [called.visit(statement) for statement in node.body]
            if style == "defaults":
                used = sorted(
                    {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in called.names}
                )
                node.args.kwonlyargs = [ast.arg(name) for name in used]
                node.args.kw_defaults = [ast.parse(called.names[name], mode="eval").body for name in used]
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    others = [node for node in tree.body if node not in imports]
    text = "\n".join([*map(ast.unparse, imports), "import functools", *_given(style, called), ""])
    text += _around(style, called, ast.unparse(ast.fix_missing_locations(ast.Module(others, []))))
    file = f"<{module.__name__} {style}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"__name__": "__styles__", "helper": _helper(called)}
    exec(compile(text, file, "exec"), names)
    return names["PROGRAMS"]


class _Called(ast.NodeTransformer):
    """Replaces dotted names of functions by what a style calls; `names` has those by what it calls them."""

    def __init__(self, style: str, modules: dict[str, Any]):
        self._style, self.modules = style, modules
        self.names: dict[str, str] = {}

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        text = ast.unparse(node)
        root, *parts = text.split(".")
        if root not in self.modules or not all(part.isidentifier() for part in parts):
            self.generic_visit(node)
            return node
        if not callable(functools.reduce(getattr, parts, self.modules[root])):
            return node
        name = text.replace(".", "_")
        self.names[name] = text
        shown = {"dictionary": f"CALLED[{text!r}]", "class": f"Called.{name}", "helper": f"helper.{name}"}
        return ast.parse(shown.get(self._style, name), mode="eval").body


def _given(style: str, called: _Called) -> list[str]:
    """The lines in front of the program."""
    items = sorted(called.names.items())
    match style:
        case "from":
            return [_imported(name, text, called.modules) for name, text in items]
        case "dictionary":
            return [f"CALLED = {{{', '.join(f'{text!r}: {text}' for _, text in items)}}}"]
        case "class":
            return ["class Called:", *(f"    {name} = staticmethod({text})" for name, text in items)]
        case "partial":
            return [f"{name} = functools.partial({text})" for name, text in items]
        case _:
            return []


def _imported(name: str, text: str, modules: dict[str, Any]) -> str:
    """The line that imports a function, or the object that it is a method of."""
    root, *parts = text.split(".")
    owner: Any = modules[root]
    while parts and isinstance(getattr(owner, parts[0]), ModuleType):
        owner = getattr(owner, parts.pop(0))
    rest = "".join(f".{part}" for part in parts[1:])
    return f"from {owner.__name__} import {parts[0]} as {name}" + (f"\n{name} = {name}{rest}" if rest else "")


def _around(style: str, called: _Called, text: str) -> str:
    """The program, in a function where what it calls are variables of that."""
    if style != "closure":
        return text
    lines = [f"    {name} = {dotted}" for name, dotted in sorted(called.names.items())]
    body = [f"    {line}" for line in text.splitlines()]
    return "\n".join(["def program():", *lines, *body, "    return PROGRAMS", "PROGRAMS = program()", ""])


def _helper(called: _Called) -> ModuleType:
    helper = ModuleType("helper")
    for name, text in called.names.items():
        root, *parts = text.split(".")
        setattr(helper, name, functools.reduce(getattr, parts, called.modules[root]))
    return helper
