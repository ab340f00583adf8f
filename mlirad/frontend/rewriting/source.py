"""The source of a Python function as a syntax tree, with the positions that it has in its file.

    definition_of(f)      -->  the `def` or `lambda` in the parsed file, and the class around it

The whole file is parsed, so that lines and columns are those that tracebacks and debuggers show. A lambda is
found by the columns that its code notes.
"""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Final, TypeAlias

from mlirad.frontend.rewriting.changed_source import has_changed
from mlirad.frontend.tracing.code_reads import own_code
from mlirad.frontend.tracing.raising import unsupported_error
from mlirad.lazy_dataclass import dataclass

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
"""The nodes that define a function."""


@dataclass(frozen=True, eq=False)
class Definition:
    """The definition of a function: the node, and the name of the class whose body it stands in."""

    node: FunctionNode
    class_name: str | None


_STRING: Final = "<string>"
"""The file of what `eval` and `exec` compile. In Python 3.13 it has the source that `python -c` was given."""


def definition_of(function: FunctionType) -> Definition:
    """The definition of a function; raises `UnsupportedError` if its source is not there or has changed."""
    code = own_code(function)
    linecache.checkcache(code.co_filename)  # which drops the lines of a file that has changed
    lines = linecache.getlines(code.co_filename, function.__globals__)
    found = [d for d in _definitions(code.co_filename, tuple(lines)) if _defines(d.node, code)]
    if code.co_name == "<lambda>" and len(found) > 1:
        found = [min(found, key=lambda d: _misfit(d.node, code))]
    is_changed = not found or has_changed(code, tuple(lines))
    if not lines or (is_changed and code.co_filename == _STRING):
        raise unsupported_error(
            f"the control flow of {function.__qualname__} cannot be rewritten: the source of "
            f"{code.co_filename} is not available",
            "define the function in a file, or write ad.cond, ad.while_loop and ad.scan",
        )
    if is_changed:
        raise unsupported_error(
            f"the control flow of {function.__qualname__} cannot be rewritten: line {code.co_firstlineno} of "
            f"{code.co_filename} does not define it",
            "load the module again, if its file has changed since",
        )
    return found[-1]


@lru_cache(maxsize=64)
def _definitions(file: str, lines: tuple[str, ...]) -> tuple[Definition, ...]:
    """All definitions of functions in a file; none of one that does not parse."""
    try:
        return tuple(_walk(ast.parse("".join(lines), file), None))
    except SyntaxError:
        return ()


def _walk(node: ast.AST, class_name: str | None) -> Iterator[Definition]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, FunctionNode):
            yield Definition(child, class_name)
        inner = child.name if isinstance(child, ast.ClassDef) else class_name
        yield from _walk(child, inner)


def _defines(node: FunctionNode, code: CodeType) -> bool:
    """Return whether a node is where code comes from, as far as name, line and parameters tell."""
    if isinstance(node, ast.Lambda):
        first, name = node.lineno, "<lambda>"
    else:
        first, name = min([node.lineno, *(d.lineno for d in node.decorator_list)]), node.name
    return (first, name) == (code.co_firstlineno, code.co_name) and parameters(node) == parameters_of(code)


def parameters(node: FunctionNode) -> tuple[str, ...]:
    """The names of the parameters, in the order in which code holds them."""
    a = node.args
    plain = [p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs)]
    return (*plain, *(p.arg for p in (a.vararg, a.kwarg) if p is not None))


def parameters_of(code: CodeType) -> tuple[str, ...]:
    """The same of code."""
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_varnames[:count]


def _misfit(node: FunctionNode, code: CodeType) -> tuple[int, int]:
    """Return how many instructions of code stand outside of a node, and how many columns the node has."""
    start = (node.lineno, node.col_offset)
    end = (node.end_lineno or node.lineno, node.end_col_offset or 0)
    outside = sum(
        not (start <= (line, column) and (last, last_column) <= end)
        for line, last, column, last_column in code.co_positions()
        if line is not None and last is not None and column is not None and last_column is not None
        if (line, column) != (code.co_firstlineno, 0)
    )
    return outside, (end[0] - start[0]) * 10_000 + end[1] - start[1]
