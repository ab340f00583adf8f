"""The variables that code binds, changes and reads.

bound_names(stmts)       y of `y = x + 1`, `for y in x`, `(y := x)`, `import y`; not those of inner functions
element_names(stmts)     y of `y[i] = x`, `y.sort()`, `np.copyto(y, x)`
augmented_names(stmts)   y of `y += x`
read_names(node)         x of all these
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TypeAlias

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
"""The nodes with variables of their own."""

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

Names: TypeAlias = frozenset[str]


def own_nodes(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes of code but those inside of functions and classes that it defines."""
    pending = list(nodes)[::-1]
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, ast.Lambda):
            pending += [d for d in (*node.args.defaults, *node.args.kw_defaults) if d is not None]
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            pending += [d for d in (*node.args.defaults, *node.args.kw_defaults) if d is not None]
            pending += node.decorator_list
        elif isinstance(node, ast.ClassDef):
            pending += [*node.bases, *node.decorator_list]
        else:
            pending += list(ast.iter_child_nodes(node))[::-1]


def bound_names(nodes: Iterable[ast.AST]) -> Names:
    """The variables that code binds or deletes, without those of comprehensions."""
    in_comprehensions: set[int] = set()
    found: set[str] = set()
    for node in own_nodes(nodes):
        if isinstance(node, COMPREHENSIONS):
            # Its parts come after it.
            targets = (inner for part in node.generators for inner in ast.walk(part.target))
            in_comprehensions.update(map(id, targets))
        elif id(node) in in_comprehensions:
            continue
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found.update((a.asname or a.name).partition(".")[0] for a in node.names)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
    return frozenset(found)


def augmented_names(nodes: Iterable[ast.AST]) -> Names:
    """The variables whose value `y += x` may change in place."""
    roots = (_root(node.target) for node in own_nodes(nodes) if isinstance(node, ast.AugAssign))
    return frozenset(name for name in roots if name is not None)


def element_names(nodes: Iterable[ast.AST]) -> Names:
    """The variables whose elements or methods are named, and those passed to calls for their effect."""
    found: set[str | None] = set()
    for node in own_nodes(nodes):
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            found.add(_root(node))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            called = node.value.func
            found.add(_root(called) if isinstance(called, ast.Attribute) else None)
            found.update(map(_root, (*node.value.args, *(k.value for k in node.value.keywords))))
        elif isinstance(node, ast.keyword) and node.arg == "out":
            found.add(_root(node.value))
    return frozenset(name for name in found if name is not None)


def _root(node: ast.AST) -> str | None:
    """The variable x of `x[i]`, `x.T[i]`, `x.sort`."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def read_names(node: ast.AST | None) -> Names:
    """All variables that code reads, also in functions that it defines."""
    if node is None:
        return frozenset()
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))


def captured_names(nodes: Iterable[ast.AST]) -> Names:
    """The variables that functions and generators made in code mention: they may be read at any time."""
    found: set[str] = set()
    for node in own_nodes(nodes):
        if isinstance(node, (*SCOPES, ast.GeneratorExp)):
            found.update(n.id for n in ast.walk(node) if isinstance(n, ast.Name))
    return frozenset(found)


def declared_names(nodes: Iterable[ast.AST], kind: type[ast.Global] | type[ast.Nonlocal]) -> Names:
    """The variables that `global`, or `nonlocal`, statements name."""
    return frozenset(name for node in own_nodes(nodes) if isinstance(node, kind) for name in node.names)


def inner_nonlocals(nodes: Iterable[ast.AST]) -> Names:
    """The variables that functions defined in code declare `nonlocal`: calls may assign them."""
    inner = (node for node in own_nodes(nodes) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(
        name
        for function in inner
        for node in ast.walk(function)
        if isinstance(node, ast.Nonlocal)
        for name in node.names
    )
