"""The outside reads of a Python function's code: names of globals, attributes and modules.

    def f(x):                          globals: np, config
        return np.sin(x) * config.w    attributes: sin, w

Functions and lambdas defined inside count as part of it.
"""

from __future__ import annotations

import dis
import os
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import cache, cached_property
from inspect import CO_GENERATOR
from sysconfig import get_paths
from types import CodeType, FunctionType
from typing import Any, Final, cast

from mlirad.frontend.splicing.plain import plain_code
from mlirad.frontend.tracing.source import is_user_file
from mlirad.jit.once import once
from mlirad.lazy_dataclass import dataclass
from mlirad.packages import folder_of

EVERY_NAME: Final = "*"
"""In sets of names: code reads attributes that it does not name."""

SURVIVES: Final = "?"
"""In sets of names: code goes on where it finds no attribute of a name."""

CONSTRUCTS: Final = "()"
"""In sets of names: code may call the class of an object, or a class that is passed to it."""

_GLOBALS: Final = frozenset(("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"))
_ATTRIBUTES: Final = frozenset(("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "IMPORT_FROM"))
_WRITTEN: Final = frozenset(("STORE_ATTR", "DELETE_ATTR"))
_BY_NAME: Final = frozenset((
    "getattr", "vars", "dir", "__dict__", "__getattribute__", "attrgetter", "asdict", "astuple", "fields",
    "setattr", "delattr", "getmembers", "getattr_static", "get_type_hints", "get_annotations",
))  # fmt: skip
"""The names that code calls, or reads, to get at attributes that it does not name."""
_OF_GLOBALS: Final = frozenset((
    "globals", "eval", "exec", "compile", "__globals__", "__builtins__", "f_globals", "f_locals",
    "f_builtins",
))  # fmt: skip
"""The names that code calls, or reads, to get at globals that it does not name."""
_OF_MODULES: Final = frozenset(("modules", "import_module", "__import__", "reload"))
"""The names that code calls, or reads, to get at modules that it does not name."""
_SURVIVING: Final = _BY_NAME | {"hasattr", "suppress", "ExitStack"}
"""Names by which code finds out that an attribute is not there."""


@dataclass(frozen=True)
class CodeReads:
    """Names that a code object reads, those of functions defined in it included.

    Attributes of flags hold if something of the code has them.
    """

    globals: dict[str, None]
    assigned: dict[str, None]
    """The globals that it assigns."""
    attributes: frozenset[str]
    written: frozenset[str]
    """The attributes that it assigns or deletes, which setters can see."""
    modules: dict[str, None]
    """The modules that it imports; relative ones begin with dots."""
    codes: tuple[CodeType, ...]
    """It and the functions defined in it."""
    reads_all: bool
    """True if it may read attributes which it does not name."""
    reads_globals: bool
    """True if it may read globals which it does not name."""
    reads_modules: bool
    """True if it may read modules which no import names."""
    texts: frozenset[str]
    """Its strings, if it may read such modules."""
    survives: bool
    """True if it goes on where it finds no attribute of a name."""
    makes_sets: bool
    """True if it may iterate over sets, the order of whose strings is another in each process."""
    is_harmful: bool
    """True if it assigns more than its own variables and elements of containers, or imports something."""

    @cached_property
    def names(self) -> frozenset[str]:
        """The attributes with what says how they are read, as the walk over captured objects takes them."""
        marks = {setter(name) for name in self.written}
        marks |= {EVERY_NAME} if self.reads_all else set()
        marks |= {SURVIVES} if self.survives else set()
        return self.attributes | marks


def setter(name: str) -> str:
    """In sets of names: code assigns or deletes an attribute of this name."""
    return f"={name}"


_SETS: Final = frozenset(("BUILD_SET", "SET_ADD", "SET_UPDATE"))

_OUTLIVING: Final = frozenset((
    "STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR", "IMPORT_NAME", "IMPORT_STAR",
    "LOAD_BUILD_CLASS",
))  # fmt: skip
"""Instructions with effects that outlive the call, and those that make classes and load modules."""

_known: weakref.WeakKeyDictionary[CodeType, CodeReads] = weakref.WeakKeyDictionary()


def reads_of(code: CodeType) -> CodeReads:
    """Return what a code object, and those of the functions defined in it, can read."""
    found = _known.get(code)
    if found is None:
        inner = [reads_of(constant) for constant in code.co_consts if isinstance(constant, CodeType)]
        found = _known[code] = _joined([_own_reads(code), *inner])
    return found


def _joined(parts: Sequence[CodeReads]) -> CodeReads:
    """Return what several codes read: names together, flags if one of them has them."""
    joined: dict[str, Any] = {}
    for field in fields(CodeReads):
        values: list[Any] = [getattr(part, field.name) for part in parts]
        total = values[0]
        for value in values[1:]:
            total = total + value if isinstance(total, tuple) else total | value
        joined[field.name] = total
    return CodeReads(**joined)


def _own_reads(code: CodeType) -> CodeReads:
    names: dict[str, None] = {}
    assigned: dict[str, None] = {}
    attributes: set[str] = set()
    written: set[str] = set()
    modules: dict[str, None] = {}
    matches = is_harmful = catches = makes_sets = combines = False
    instructions = list(dis.get_instructions(code))
    for k, instruction in enumerate(instructions):
        operation, name = instruction.opname, instruction.argval
        if operation in _OUTLIVING or (operation == "STORE_DEREF" and name in code.co_freevars):
            is_harmful = True
        if operation in _GLOBALS:
            names[name] = None
        elif operation == "STORE_GLOBAL":
            assigned[name] = None
        elif operation in _ATTRIBUTES:
            attributes.add(name)
        elif operation in _WRITTEN:
            written.add(name)
        elif operation == "IMPORT_NAME":
            level = instructions[k - 2].argval
            modules[f"{'.' * (level if isinstance(level, int) else 0)}{name}"] = None
        elif operation == "MATCH_CLASS":
            matches = True
        elif operation == "PUSH_EXC_INFO":
            catches = catches or instructions[k + 1].opname != "WITH_EXCEPT_START"
        elif operation in _SETS or (operation == "LOAD_CONST" and isinstance(name, frozenset)):
            makes_sets = makes_sets or instructions[k + 1].opname != "CONTAINS_OP"
        elif operation == "BINARY_OP" and instruction.argrepr in ("&", "|", "^"):
            combines = True
    used = frozenset((*names, *attributes))
    reads_globals = not _OF_GLOBALS.isdisjoint(used)
    reads_all = (
        reads_globals
        or not _BY_NAME.isdisjoint(used)
        or ("hasattr" in names and not _names_what_it_asks_for(instructions))
    )
    if matches:
        attributes.update(_strings(code.co_consts))
    if reads_all or "hasattr" in names:
        attributes.update(c for c in code.co_consts if isinstance(c, str) and c.isidentifier())
    reads_modules = not _OF_MODULES.isdisjoint(used)
    texts = (c for c in code.co_consts if isinstance(c, str)) if reads_modules else ()
    return CodeReads(
        names,
        assigned,
        frozenset(attributes),
        frozenset(written),
        modules,
        (code,),
        reads_all,
        reads_globals,
        reads_modules,
        frozenset(texts),
        matches or catches or not _SURVIVING.isdisjoint(used),
        makes_sets
        or not used.isdisjoint(("set", "frozenset"))
        or (combines and not used.isdisjoint(("keys", "items"))),
        is_harmful,
    )


def _names_what_it_asks_for(instructions: Sequence[dis.Instruction]) -> bool:
    """Return whether every call of `hasattr` has a string of the code as its last argument."""
    places = [k for k, i in enumerate(instructions) if i.opname in _GLOBALS and i.argval == "hasattr"]
    return all(_last_argument(instructions[k:]) for k in places)


def _last_argument(instructions: Sequence[dis.Instruction]) -> str | None:
    """The string that stands last in the call of what the first of some instructions loads, if one does."""
    before: str | None = None
    for instruction, depth in depths(instructions):
        if instruction.opname == "CALL" and depth <= 1:
            return before
        if instruction.opname not in ("PRECALL", "CACHE", "NOP"):
            is_text = instruction.opname == "LOAD_CONST" and isinstance(instruction.argval, str)
            before = cast(str, instruction.argval) if is_text else None
    return None


def depths(instructions: Sequence[dis.Instruction]) -> Iterator[tuple[dis.Instruction, int]]:
    """Instructions up to the first jump, and how much more there is on the stack after each of them."""
    depth = 0
    for instruction in instructions:
        if instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs:
            return
        depth += dis.stack_effect(instruction.opcode, instruction.arg, jump=False)
        yield instruction, depth


def _strings(constants: tuple[object, ...]) -> set[str]:
    """The strings in tuples of constants: the attributes that `match` reads are named there."""
    tuples = [cast("tuple[object, ...]", c) for c in constants if isinstance(c, tuple)]
    return {part for c in tuples for part in c if isinstance(part, str)}


def own_code(function: FunctionType) -> CodeType:
    """The code of a function as its source gives it, without what was put into it to ask in traces."""
    return plain_code(function.__code__)


def is_generator(code: CodeType) -> bool:
    """Tell whether code is that of a generator."""
    return bool(code.co_flags & CO_GENERATOR)


@cache
def is_rewritable_file(file: str) -> bool:
    """Return whether control flow of code in a file may be rewritten: of the program, of packages and of
    SciPy.

    Python's own modules stay as they are, as do packages that compile code or have arrays of their own.
    """
    if not is_user_file(file):
        return is_scipy_code(file)
    _, found, path = file.replace("\\", "/").rpartition("-packages/")
    return is_program_file(file) if not found else path.partition("/")[0] not in OWN_ARRAYS


_OF_SCIPY: Final = ("_external", "_lib", "cluster", "linalg", "signal", "spatial", "stats")
"""The packages of SciPy whose functions compute by functions of NumPy, for the most part."""


@cache
def is_scipy_code(file: str) -> bool:
    """Tell whether a file has functions of SciPy or NumPy that are traced as those of packages are."""
    return file.endswith(".py") and file.startswith((*_scipy_folders(), polynomial_folder()))


@cache
def polynomial_folder() -> str:
    """The folder of `numpy.polynomial`, which computes by functions of NumPy."""
    return os.path.join(folder_of("numpy"), "polynomial", "")


@cache
def _scipy_folders() -> tuple[str, ...]:
    return tuple(os.path.join(folder_of("scipy"), name, "") for name in _OF_SCIPY)


OWN_ARRAYS: Final = frozenset(("dask", "jax", "jaxlib", "numba", "pandas", "tensorflow", "torch"))
"""Packages that compile code, or have arrays of their own."""


@cache
def is_program_file(file: str) -> bool:
    """Return whether code in a file belongs to the program, not to Python, to mlirad or to an installed
    package.
    """
    if not is_user_file(file) or "site-packages" in file or "dist-packages" in file:
        return False
    return not file.startswith(_python_folders())


@once
def _python_folders() -> tuple[str, ...]:
    """The folders of Python's own modules. `sysconfig` fails if two threads ask for them first together."""
    return tuple(get_paths()[name] for name in ("stdlib", "platstdlib"))
