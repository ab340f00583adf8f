"""The arguments of a compiled function: which are static, and as programs take them.

static_names(f, "n")         ("n",), if f has such a parameter
static_names(f, (), 1)       ("n",), if n is its second
"""

from __future__ import annotations

import functools
import inspect
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from numbers import Integral
from typing import Any, Final, TypeAlias, cast

import numpy as np

from mlirad.frontend.tracing.control import as_traced
from mlirad.frontend.tracing.dtypes import plain_array
from mlirad.frontend.tracing.function_names import function_name
from mlirad.frontend.tracing.raising import argument_error

OUT: Final = "out"
"""The name by which calls pass arrays for results, of functions that have no such parameter."""

Names: TypeAlias = Sequence[str] | str
"""Parameters by name."""

Positions: TypeAlias = Sequence[int] | int
"""Parameters by position."""

Chosen: TypeAlias = Sequence[str | int] | str | int
"""Parameters by name or position."""

_SCALARS = frozenset((int, float, bool))


def static_names(function: Callable[..., Any], names: Names, positions: Positions = ()) -> tuple[str, ...]:
    """Return the names of the parameters that are static, given by name or by position.

    Raises `ArgumentError` for those that the function lacks.
    """
    found = [_static_name(function, name, "static_argnames", str) for name in listed(names)]
    found += [_static_name(function, position, "static_argnums", Integral) for position in listed(positions)]
    return tuple(sorted(set(found)))


def _static_name(function: Callable[..., Any], given: Any, option: str, kind: type[Any]) -> str:
    kinds = kinds_of(function)
    known = named(kinds or {})
    takes_any = kinds is None or inspect.Parameter.VAR_KEYWORD in kinds.values()
    name = name_of(given, kinds) if isinstance(given, kind) else None
    if name is not None and (name in known or (takes_any and name not in (kinds or {}))):
        return name
    raise argument_error(
        f"{option}: {function_name(function)} has no parameter {given!r} that could be static",
        f"write static_argnames for names, static_argnums for positions: it has {', '.join(known) or 'none'}",
    )


def name_of(chosen: Any, kinds: dict[str, Any] | None) -> str | None:
    """Return the name of a parameter given by its name or position, a negative one from the end.

    None stands for a position where there is no parameter, and for what is neither.
    """
    if isinstance(chosen, str):
        return chosen
    if isinstance(chosen, bool) or not isinstance(chosen, Integral):
        return None
    position = int(chosen)
    placed = [n for n in named(kinds or {}) if (kinds or {})[n] is not inspect.Parameter.KEYWORD_ONLY]
    return placed[position] if -len(placed) <= position < len(placed) else None


def takes_out(function: Callable[..., Any]) -> bool:
    """Return whether `out` is free to name arrays for results: whether no parameter of the function takes
    it.
    """
    kinds = kinds_of(function)
    return kinds is not None and OUT not in kinds and inspect.Parameter.VAR_KEYWORD not in kinds.values()


def listed(given: Any) -> tuple[Any, ...]:
    """Return one or several as several, and None as none."""
    if given is None or isinstance(given, str):
        return () if given is None else (given,)
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
        return as_traced(function)(*bound.args, **bound.kwargs)

    functools.update_wrapper(named, function, updated=())
    del cast(Any, named).__wrapped__
    kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD
    cast(Any, named).__signature__ = inspect.Signature([inspect.Parameter(name, kinds) for name in names])
    return named
