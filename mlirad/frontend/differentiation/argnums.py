"""The arguments of differentiation: positions and names of parameters.

argument_positions(f, ("w", -1), 3)      [0, 2], if `w` is the first parameter of f
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, cast

import numpy as np

from mlirad.errors import ArgumentError
from mlirad.frontend.tracing.function_names import function_name, parameter_names
from mlirad.frontend.tracing.raising import argument_error

Argnums: TypeAlias = int | str | Sequence[int | str]


def chosen_arguments(argnums: Argnums) -> int | str | tuple[int | str, ...]:
    """`argnums` as something hashable; raises for what is neither positions nor names."""
    given: object = argnums
    several = tuple(cast("Sequence[object]", given)) if isinstance(given, Sequence) else (given,)
    for one in several if not isinstance(given, str) else ():
        if not isinstance(one, int | str | np.integer) or isinstance(one, bool):
            raise argument_error(
                f"argnums holds {one!r}, which is neither a position nor a name",
                "write ad.grad(f)(x) for the gradient at x, and argnums=0 or argnums='x' for the argument",
            )
    return argnums if isinstance(argnums, int | str) else tuple(argnums)


def argument_positions(function: Callable[..., Any], argnums: Argnums, count: int) -> list[int]:
    """The positions that `argnums` (positions or names) means."""
    given = [argnums] if isinstance(argnums, int | str) else list(argnums)
    names = parameter_names(function, count)
    found: list[int] = []
    for one in given:
        if isinstance(one, str):
            if one not in names:
                raise _not_passed(function, one, names)
            found.append(names.index(one))
        elif not -count <= one < count:
            raise argument_error(
                f"argnums names argument {one} of a call with {count}",
                f"positions go from 0 to {count - 1}"
                if count
                else "pass what derivatives are with respect to",
            )
        else:
            found.append(one % count)
    if len(set(found)) < len(found):
        repeated = next(names[k] for k in found if found.count(k) > 1)
        raise argument_error(
            f"argnums names the argument {repeated} more than once",
            "name every argument once; its gradient can be used twice",
        )
    return found


def chosen_or_all(argnums: Argnums | None) -> int | str | tuple[int | str, ...] | None:
    """The same, where `None` means all arguments."""
    return None if argnums is None else chosen_arguments(argnums)


def _not_passed(function: Callable[..., Any], name: str, passed: Sequence[str]) -> ArgumentError:
    """Return the error of a name in argnums that is not an argument of the call."""
    known = parameter_names(function, None)
    if name in known:
        return argument_error(
            f"argnums names {name}, which the call leaves at its default", f"pass {name} too"
        )
    return argument_error(
        f"{function_name(function)} has no parameter {name!r}",
        f"it has {', '.join(known or passed) or 'none'}",
    )
