"""Checks of arguments of the interface that are not arrays, with errors at the user's line.

checked_flag(reverse, "scan: reverse")                       True or False
checked_choice(checkpoint, "checkpoint", CHECKPOINTS)        one of some names
checked_integer(chunk, "chunk", 1, "write chunk=1")          an integer from 1 on
checked_list(branches, "the branches", "write [f, g]")       a list or tuple
checked_path(path, "path", 'write path="a.html"')            a path
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any, cast

import numpy as np

from mlirad.errors import of_class
from mlirad.frontend.tracing.raising import argument_error

MACHINE_INTEGERS = 2**63
"""Integers from minus this to below it fit a machine word."""


def checked_flag(value: Any, what: str) -> bool:
    """A truth value."""
    if type(value) in (bool, np.bool_):
        return bool(value)
    raise argument_error(f"{what} is {_shown(value)}, and it must be True or False", "write True or False")


def checked_choice(value: Any, what: str, choices: Sequence[str]) -> str:
    """One of some names."""
    if not isinstance(value, str) or value not in choices:
        raise argument_error(f"there is no {what} {_shown(value)}", f"there are {', '.join(choices)}")
    return value


def checked_integer(
    value: Any, what: str, least: int, hint: str, *, most: int | None = None, others: str = ""
) -> int:
    """An integer that is not less than `least`, and not greater than `most` or fits a machine word.

    `others` says in the message what else there is, such as "or 'all'".
    """
    limit = MACHINE_INTEGERS - 1 if most is None else most
    if not _is_number(value, Integral) or not least <= value <= limit:
        numbers = f"from {least} on" if most is None else f"from {least} to {most}"
        expected = f"an integer {numbers}, {others}" if others else f"an integer {numbers}"
        raise argument_error(f"{what} is {_shown(value)}, and it must be {expected}", hint)
    return int(value)


def checked_number(value: Any, what: str, most: float, hint: str) -> float:
    """A number above 0 and below `most`."""
    if not _is_number(value, Real) or not 0 < value < most:
        limits = f"between 0 and {most:g}" if math.isfinite(most) else "above 0"
        raise argument_error(f"{what} is {_shown(value)}, and it must be a finite number {limits}", hint)
    return float(value)


def checked_list(value: Any, what: str, hint: str) -> Sequence[Any]:
    """A list or a tuple."""
    if not isinstance(value, list | tuple):
        raise argument_error(f"{what} are given as {of_class(value)}, not as a list or tuple", hint)
    return cast("Sequence[Any]", value)


def checked_text(value: Any, what: str, hint: str) -> str:
    """A string."""
    if not isinstance(value, str):
        raise argument_error(f"{what} is {_shown(value)}, and it must be a string", hint)
    return value


def checked_path(value: Any, what: str, hint: str) -> Path:
    """The path of a file, as a string or as an object of `pathlib`."""
    name: Any = os.fspath(cast("os.PathLike[Any]", value)) if isinstance(value, os.PathLike) else value
    if not isinstance(name, str):
        raise argument_error(
            f"{what} is {_shown(cast(object, value))}, and it must be the path of a file", hint
        )
    return Path(name)


def _is_number(value: Any, kind: Any) -> bool:
    """Return whether a value is a number of a kind; truth values are not."""
    return isinstance(value, kind) and not isinstance(value, bool)


def _shown(value: object) -> str:
    """A value in one line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
