"""The arguments of a compiled function: which are static, and as programs take them.

static_names(f, "n")       ("n",), if f has such a parameter
"""

from __future__ import annotations

import functools
import inspect
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, cast

import numpy as np

from mlirad.errors import TracingError
from mlirad.frontend.tracing.dtypes import plain_array
from mlirad.frontend.tracing.function_names import function_name
from mlirad.frontend.tracing.source import user_line

OUT: Final = "out"
"""The name by which calls pass arrays for results, of functions that have no such parameter."""

_SCALARS = frozenset((int, float, bool))


def static_names(function: Callable[..., Any], given: Sequence[str] | str) -> tuple[str, ...]:
    """The names of static arguments; raises `TracingError` for what names no parameter."""
    names = listed(given)
    kinds = kinds_of(function)
    if not names or kinds is None:
        return names
    takes_any = inspect.Parameter.VAR_KEYWORD in kinds.values()
    known = named(kinds)
    for name in names:
        if not isinstance(cast(object, name), str):
            raise TracingError(
                f"static_argnames has {name!r}, which is no name",
                location=user_line(),
                hint=f"name parameters as strings: {', '.join(map(repr, known)) or 'there are none'}",
            )
        if name not in known and (not takes_any or name in kinds):
            raise TracingError(
                f"{function_name(function)} has no parameter {name!r} that could be static",
                location=user_line(),
                hint=f"it has {', '.join(known) or 'none'}",
            )
    return tuple(sorted(set(names)))


def takes_out(function: Callable[..., Any]) -> bool:
    """Whether `out` is free to name arrays for results: whether no parameter of the function takes it."""
    kinds = kinds_of(function)
    return kinds is not None and OUT not in kinds and inspect.Parameter.VAR_KEYWORD not in kinds.values()


def listed(given: Any) -> tuple[Any, ...]:
    """One or several, as several."""
    if isinstance(given, str):
        return (given,)
    try:
        return tuple(given)
    except TypeError:
        return (given,)


def kinds_of(function: Callable[..., Any]) -> dict[str, Any] | None:
    """The parameters of a function and their kinds; None where they are not known."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return None
    return {name: parameter.kind for name, parameter in parameters.items()}


def named(kinds: dict[str, Any]) -> list[str]:
    """The parameters that take one argument."""
    return [n for n, kind in kinds.items() if kind not in (kind.VAR_POSITIONAL, kind.VAR_KEYWORD)]


def plain_key(args: tuple[Any, ...]) -> Hashable:
    """The signature of arrays and scalars, made in a hurry; of anything else, a key that is never entered."""
    kinds: list[type[Any]] = [type(a) for a in args]
    return tuple(
        [
            (a.dtype, a.shape) if kind is np.ndarray or issubclass(kind, np.generic) else kind
            for a, kind in zip(args, kinds, strict=True)
        ]
    )


def is_plain(argument: Any) -> bool:
    kind = cast("type[Any]", type(argument))
    if kind is np.ndarray or issubclass(kind, np.generic):
        return argument.dtype.kind != "c"
    return kind in _SCALARS


def prepared(leaf: Any) -> Any:
    """A leaf of a type that programs take."""
    return leaf if is_plain(leaf) else plain_array(leaf)


def with_names(
    function: Callable[..., Any], signature: inspect.Signature, names: tuple[str, ...], fixed: dict[str, Any]
) -> Callable[..., Any]:
    """The function of the named arguments, by position; the others are fixed."""

    def named(*args: Any) -> Any:
        bound = inspect.BoundArguments(signature, OrderedDict())
        given = dict(zip(names, args, strict=True)) | fixed
        bound.arguments.update({name: given[name] for name in signature.parameters if name in given})
        return function(*bound.args, **bound.kwargs)

    functools.update_wrapper(named, function, updated=())
    del cast(Any, named).__wrapped__
    kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD
    cast(Any, named).__signature__ = inspect.Signature([inspect.Parameter(name, kinds) for name in names])
    return named
