"""The arguments of a compiled function: which are static, by name or by position, and as programs take them.

static_names(f, "n")       ("n",), if f has such a parameter
"""

from __future__ import annotations

import functools
import inspect
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Any, cast

import numpy as np

from mlirad.errors import TracingError
from mlirad.frontend.tracing.dtypes import plain_array
from mlirad.frontend.tracing.functions import function_name
from mlirad.frontend.tracing.source import user_line

_SCALARS = frozenset((int, float, bool))


def static_names(function: Callable[..., Any], given: Sequence[str] | str) -> tuple[str, ...]:
    """The names of static arguments; raises `TracingError` for what names no parameter."""
    if isinstance(given, str):
        names = (given,)
    else:
        try:
            names = tuple(given)
        except TypeError:
            names = (cast(Any, given),)
    if not names:
        return ()
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return names
    kinds = {name: parameter.kind for name, parameter in parameters.items()}
    takes_any = inspect.Parameter.VAR_KEYWORD in kinds.values()
    known = [n for n, kind in kinds.items() if kind not in (kind.VAR_POSITIONAL, kind.VAR_KEYWORD)]
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
    return kind is np.ndarray or kind in _SCALARS or issubclass(kind, np.generic)


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
