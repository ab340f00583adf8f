"""The names of functions, of their parameters and of the parts of their arguments, as users would write them.

argument_paths(f, tree)      -->  ["x", "params['w']"], of f(x, params)
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from typing import Any

from mlirad.frontend.tracing.pytree import Tree
from mlirad.frontend.tracing.source import user_line


def definition_of(function: Callable[..., Any]) -> str | None:
    """Return where a function is defined, as `file:line`."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return user_line() if code is None else f"{code.co_filename}:{code.co_firstlineno}"


def function_name(function: Callable[..., Any]) -> str:
    """Return how a function is called in the program."""
    name = str(getattr(function, "__name__", type(function).__name__))
    return "lambda" if name == "<lambda>" else name


def with_signature(function: Callable[..., Any], like: Callable[..., Any]) -> Callable[..., Any]:
    """`function` under the name and with the parameters of another, for messages and `argnums`."""
    return functools.update_wrapper(function, like, updated=())


def parameter_names(function: Callable[..., Any], count: int | None) -> list[str]:
    """The names of the first `count` positional parameters, made up where they have none; `None` for all."""
    names: list[str] = []
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        parameters = ()
    for parameter in parameters:
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
    if count is None:
        return names
    return [names[k] if k < len(names) else f"argument{k}" for k in range(count)]


def takes_nothing(function: Callable[..., Any]) -> bool:
    """Return whether a function is known to have no parameters."""
    try:
        return not inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def argument_paths(function: Callable[..., Any], tree: Tree) -> list[str]:
    """Return how the user would write each leaf of the arguments, such as `params['w']`."""
    names = parameter_names(function, len(tree.children))
    return [path for name, child in zip(names, tree.children, strict=True) for path in child.paths(name)]


def argument_hints(function: Callable[..., Any], tree: Tree) -> list[str | None]:
    """The names of the leaves of the arguments as SSA values."""
    return [hint_of(path) for path in argument_paths(function, tree)]


def hint_of(path: str) -> str | None:
    """A path as the name of an SSA value."""
    name = re.sub(r"\W+", "_", path, flags=re.ASCII).strip("_")
    return name if name and not name[0].isdigit() else None
