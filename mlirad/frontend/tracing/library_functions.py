"""Names of library objects in code that hold in every process, checked to refer to these objects.

library_name(np.sum)                          "numpy.sum"
names_in(np, {"sum", "shape", "weights"})     what `np.sum` and `np.shape` are; numpy has no `weights`
names_in(np, {"savetxt"})                     raises `NotPortable`: a trace that calls it does more than trace
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterable
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final, cast

import numpy as np

from mlirad.frontend.tracing.captured_objects import HEAP_TYPE, file_of
from mlirad.frontend.tracing.code_reads import is_program_file
from mlirad.frontend.tracing.pure_names import PURE
from mlirad.frontend.tracing.value_keys import value_key

_PACKAGE: Final = "mlirad"


_UFUNCS: Final = {
    "numpy": ("numpy._core.umath", "numpy.core.umath"),
    "scipy.special": ("scipy.special._ufuncs",),
}
"""The modules in which the ufuncs of others are made."""


class NotPortable(Exception):
    """A value that no other process could be told about, or be sure of."""


def library_name(thing: object) -> str:
    """The name of a pure function or module of a library under which this very object is found there.

    Raises `NotPortable` for anything else.
    """
    name = getattr(thing, "__name__", None)
    if isinstance(thing, ModuleType):
        if is_library(thing):
            return thing.__name__
        raise NotPortable
    for module, names in PURE.items():
        own = sys.modules.get(module)
        if own is None or name not in names or vars(own).get(name) is not thing:
            continue
        if _is_original(thing, module):
            return f"{module}.{name}"
    raise NotPortable


def _is_original(thing: Any, module: str) -> bool:
    """Return whether what stands in a module of a library was made by this library, not put there by the
    program.
    """
    if isinstance(thing, np.ufunc):
        homes = [sys.modules[home] for home in _UFUNCS.get(module, ()) if home in sys.modules]
        return any(vars(home).get(thing.__name__) is thing for home in homes)
    if isinstance(thing, FunctionType) and is_program_file(thing.__code__.co_filename):
        return False
    if isinstance(thing, type) and module == "builtins" and thing.__flags__ & HEAP_TYPE:
        return False
    package = str(getattr(thing, "__module__", None)).partition(".")[0]
    return package.removeprefix("_") == module.partition(".")[0]


def is_library(module: ModuleType) -> bool:
    """Return whether a module is one of those whose pure names are listed, and not the program's by such a
    name.
    """
    file = file_of(module)
    is_programs = file is not None and is_program_file(file)
    return module.__name__ in PURE and sys.modules.get(module.__name__) is module and not is_programs


def names_in(module: ModuleType, names: Iterable[str]) -> list[tuple[object, ...]]:
    """Return what those of the names stand for in a module of a library that it has.

    Raises `NotPortable` if one of them is not listed, or does not stand for what it did when the module was
    made.
    """
    own = vars(module)
    listed = cast("Iterable[str]", own.get("__all__", ()))
    known = own.keys() | set(listed)
    found: list[tuple[object, ...]] = []
    for name in sorted(known & set(names)):
        if name not in PURE[module.__name__]:
            raise NotPortable
        if module.__name__ == _PACKAGE:
            _require_own(name, own.get(name))
            if name == "numpy":
                found += names_in(np, names)
            continue
        value: Any = own.get(name, NotPortable)
        inner = f"{module.__name__}.{name}"
        if isinstance(value, ModuleType) and inner in PURE:
            if sys.modules.get(inner) is not value:
                raise NotPortable
            found.append((inner, *names_in(value, names)))
        else:
            found.append((inner, _told(value, module)))
    return found


def _told(value: Any, module: ModuleType) -> object:
    """Return what a name of a library stands for: a number, a class of this library, or one of its
    functions.
    """
    key = value_key(value)
    if isinstance(value, np.ufunc) or key is None:
        return library_name(value)
    return key


def _require_own(name: str, value: Any) -> None:
    """Require that a name of mlirad stands for what mlirad has of that name, or was not asked for yet."""
    if value is None:
        return
    origin = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    called = str(getattr(value, "__name__", "")).rpartition(".")[2]
    if str(origin).partition(".")[0] != _PACKAGE or called.rstrip("_") != name.rstrip("_"):
        raise NotPortable


def builtins_in(function: FunctionType, names: Iterable[str]) -> None:
    """Require that names which a function takes from Python's builtins stand for pure ones of these."""
    if cast(object, function.__builtins__) is not vars(builtins):
        raise NotPortable
    for name in names:
        found = vars(builtins).get(name)
        if name not in PURE["builtins"]:
            raise NotPortable
        if found is not ... and found is not NotImplemented and library_name(found) != f"builtins.{name}":
            raise NotPortable


def code_parts(code: CodeType) -> tuple[object, ...]:
    """All that a code object is, lines included: a program's messages state them."""
    return (
        code.co_name,
        code.co_qualname,
        code.co_filename,
        code.co_firstlineno,
        (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags),
        code.co_code,
        code.co_consts,
        (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars),
        code.co_linetable,
        code.co_exceptiontable,
    )
