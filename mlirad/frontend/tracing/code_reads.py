"""What the code of a Python function can read from outside: names of globals, attributes and modules.

    def f(x):                          globals: np, config
        return np.sin(x) * config.w    attributes: sin, w

Functions and lambdas defined inside count as part of it.
"""

from __future__ import annotations

import dis
import weakref
from dataclasses import dataclass
from functools import cache
from sysconfig import get_paths
from types import CodeType
from typing import Final, cast

from mlirad.frontend.tracing.source import is_user_file

_GLOBALS: Final = frozenset(("LOAD_GLOBAL", "LOAD_NAME"))
_ATTRIBUTES: Final = frozenset(("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "IMPORT_FROM", "LOAD_SPECIAL"))
_BY_NAME: Final = frozenset(
    ("getattr", "vars", "dir", "__dict__", "__getattribute__", "attrgetter", "asdict", "astuple", "fields")
)
"""What code calls that reads attributes which it does not name."""
_OF_GLOBALS: Final = frozenset(("globals", "eval", "exec", "__globals__"))
"""What code calls, or reads, to get at globals which it does not name."""


@dataclass(frozen=True)
class CodeReads:
    """Names that a code object reads. `reads_all` says that it may read attributes which it does not name."""

    globals: tuple[str, ...]
    assigned: tuple[str, ...]
    """The globals that it assigns."""
    attributes: frozenset[str]
    modules: tuple[str, ...]
    reads_all: bool
    reads_globals: bool
    """Whether it may read globals which it does not name."""
    is_harmless: bool
    """Whether it assigns nothing but its own variables and what stands in containers, and imports nothing."""


_OUTLIVING: Final = frozenset((
    "STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR", "IMPORT_NAME", "IMPORT_STAR",
    "LOAD_BUILD_CLASS",
))  # fmt: skip
"""Instructions with effects that outlive the call, and those that make classes and load modules."""

_known: weakref.WeakKeyDictionary[CodeType, CodeReads] = weakref.WeakKeyDictionary()


def reads_of(code: CodeType) -> CodeReads:
    """What a code object, and those of the functions defined in it, can read."""
    found = _known.get(code)
    if found is None:
        found = _known[code] = _reads_of(code)
    return found


def _reads_of(code: CodeType) -> CodeReads:
    names: dict[str, None] = {}
    assigned: dict[str, None] = {}
    attributes: set[str] = set()
    modules: dict[str, None] = {}
    is_harmless = True
    for instruction in dis.get_instructions(code):
        operation, name = instruction.opname, instruction.argval
        if operation in _OUTLIVING or (operation == "STORE_DEREF" and name in code.co_freevars):
            is_harmless = False
        if operation in _GLOBALS:
            names[name] = None
        elif operation == "STORE_GLOBAL":
            assigned[name] = None
        elif operation in _ATTRIBUTES:
            attributes.add(name)
        elif operation == "IMPORT_NAME":
            modules[name] = None
        elif operation == "MATCH_CLASS":
            attributes.update(_strings(code.co_consts))
    reads_all = not _BY_NAME.isdisjoint(names) or not _BY_NAME.isdisjoint(attributes)
    if reads_all:
        attributes.update(c for c in code.co_consts if isinstance(c, str) and c.isidentifier())
    reads_globals = not _OF_GLOBALS.isdisjoint(names) or not _OF_GLOBALS.isdisjoint(attributes)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            inner = reads_of(constant)
            names.update(dict.fromkeys(inner.globals))
            assigned.update(dict.fromkeys(inner.assigned))
            attributes.update(inner.attributes)
            modules.update(dict.fromkeys(inner.modules))
            reads_all = reads_all or inner.reads_all
            reads_globals = reads_globals or inner.reads_globals
            is_harmless = is_harmless and inner.is_harmless
    found = frozenset(attributes)
    return CodeReads(
        tuple(names), tuple(assigned), found, tuple(modules), reads_all, reads_globals, is_harmless
    )


def _strings(constants: tuple[object, ...]) -> set[str]:
    """The strings in tuples of constants: the attributes that `match` reads are named there."""
    tuples = [cast("tuple[object, ...]", c) for c in constants if isinstance(c, tuple)]
    return {part for c in tuples for part in c if isinstance(part, str)}


@cache
def is_program_file(file: str) -> bool:
    """Whether code in a file belongs to the program, not to Python, to mlirad or to an installed package."""
    if not is_user_file(file) or "site-packages" in file or "dist-packages" in file:
        return False
    return not file.startswith(tuple(get_paths()[name] for name in ("stdlib", "platstdlib")))
