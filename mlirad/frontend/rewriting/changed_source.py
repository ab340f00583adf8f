"""A check that the source at a function's definition is still its own, as files are edited.

    def f(x):                 f was loaded from this;   the file now reads `return x + 2`
        return x * 2          has_changed(f.__code__, lines)      -->  True

The source is compiled, and the code compared. Modules can hold other code than their source gives, as tools
that import modules in ways of their own add checks to it; so code may differ if the file was not written
since mlirad was imported.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType
from typing import cast

from mlirad.packages import IMPORTED


def has_changed(code: CodeType, lines: tuple[str, ...]) -> bool:
    """Return whether the code differs from the code that the lines of its file give for its place."""
    if any(is_same_code(known, code) for known in _codes_at(code, lines)):
        return False
    return not _is_instrumented(code) and _age(code.co_filename) >= IMPORTED


def is_same_code(one: CodeType, other: CodeType) -> bool:
    """Return whether two codes do the same, wherever they stand."""
    return (
        (one.co_code, one.co_names, one.co_varnames) == (other.co_code, other.co_names, other.co_varnames)
        and len(one.co_consts) == len(other.co_consts)
        and all(map(_is_same_constant, one.co_consts, other.co_consts))
    )


def _is_same_constant(one: object, other: object) -> bool:
    if isinstance(one, CodeType) and isinstance(other, CodeType):
        return is_same_code(one, other)
    if type(one) is not type(other):
        return False
    if isinstance(one, frozenset):
        return set(map(repr, cast("frozenset[object]", one))) == set(
            map(repr, cast("frozenset[object]", other))
        )
    return repr(one) == repr(other)


def _codes_at(code: CodeType, lines: tuple[str, ...]) -> Iterator[CodeType]:
    """The code that the lines give for the place at which code begins."""
    whole = _compiled(code.co_filename, lines)
    pending = [] if whole is None else [whole]
    while pending:
        found = pending.pop()
        if (found.co_firstlineno, found.co_name) == (code.co_firstlineno, code.co_name):
            yield found
        pending += [c for c in found.co_consts if isinstance(c, CodeType)]


@lru_cache(maxsize=64)
def _compiled(file: str, lines: tuple[str, ...]) -> CodeType | None:
    try:
        return compile("".join(lines), file, "exec", dont_inherit=True)
    except SyntaxError:
        return None


def _is_instrumented(code: CodeType) -> bool:
    """Return whether names stand in code that no source can have, as pytest puts them there for `assert`."""
    return any(name.startswith("@") for name in code.co_names)


def _age(file: str) -> float:
    """When a file was written last; of what is not a file, such as a cell of a notebook, at any time."""
    try:
        return os.stat(file).st_mtime
    except (OSError, ValueError):
        return float("inf")
