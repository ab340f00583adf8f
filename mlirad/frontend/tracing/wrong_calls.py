"""Calls with arguments that a function does not take: one too many, one missing, or an unknown name.

wrong_call(f, "f: missing a required argument: 'y'")      ArgumentError: f: missing a required argument: 'y'
                                                            hint: it is called as f(x, y)
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, Final

from mlirad.errors import ArgumentError
from mlirad.frontend.tracing.function_names import function_name
from mlirad.frontend.tracing.raising import argument_error

_UNKNOWN: Final = re.compile(r"unexpected keyword argument '(\w+)'")


def wrong_call(function: Callable[..., Any], message: str) -> ArgumentError:
    """Return the error at the user's line for a call of a function, with how it is called.

    An argument that other systems have is told what it is here, for functions of mlirad.
    """
    name = function_name(function).rstrip("_")
    unknown = _UNKNOWN.search(message)
    if unknown is not None and str(function.__module__).partition(".")[0] == "mlirad":
        from mlirad.neighbours import keyword_said

        said = keyword_said(unknown[1], name, inspect.signature(function).parameters)
        if said is not None:
            return argument_error(f"{message}: {said[0]}", said[1])
    return argument_error(message, f"it is called as {name}{shown_parameters(function)}")


def shown_parameters(function: Callable[..., Any]) -> str:
    """Return the parameters of a function as its signature shows them, without annotations."""
    signature = inspect.signature(function)
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=bare, return_annotation=signature.empty))
