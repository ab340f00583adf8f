"""Keys of traces by which another process can tell whether its trace would be the same.

    portable_captures(f, names)      all that `captures.py` finds, as bytes; or `NotPortable`

In a process a function, a class or a module is what it is. Here it is what it consists of, or a name in a
library under which it is found: code by its content, arrays by a digest, values as they are. A trace also
does things, or reads some, that no walk sees. So code may name nothing in libraries but what `pure_names.py`
lists, and must not assign anything that outlives its call. A value that is not known to be harmless has no
key.

A key made of the function, its code and its captures saves the trace and its imports, nine tenths of what is
left of the first call. But not everything that a trace reads can be seen, and a key that misses something
gives a wrong result in every later process. Within a process, modules and the code of packages may be taken
not to change, and an object is known by its identity; between processes neither holds, and a file, a variable
of the environment or the time of day may decide a trace without a mark in the names of code. So the key is
made by a list of what is harmless:

- Code is told by its content: instructions, constants, names, and also file and lines, as messages of
  programs have them. A cell of a notebook, whose file has another name in each session, is traced.
- Numbers, strings and arrays are told by their bits, containers by their contents, in order. A function or
  module of a library is told by its name, once this very object is seen to stand there, and each attribute
  that code names is checked too: a replaced `np.sin` has no key, or another one.
- Code may name in libraries only what `pure_names.py` lists. It may not assign globals, attributes or
  variables of enclosing functions, import, define classes, or read names that it does not state (`getattr`,
  `eval`).
- The key is made again after the trace, and must be the same; a trace with a warning is not kept.
- Versions, source files of mlirad, processor, options, signature, and NumPy's handling of floating-point
  errors count.

Without a key are objects and classes of the program, custom derivatives, generators and iterators, functions
with attributes of their own, open files, modules of other packages, code rewritten by `control`, and dynamic
sizes. These are traced, and their programs found by the traced module, which misses nothing. A library that
was changed from inside is not seen, such as a function of NumPy that another one calls.
"""

from __future__ import annotations

import functools
import struct
import sys
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final, cast

import numpy as np

from mlirad.disk_cache.encoding import UnknownError, encoded
from mlirad.frontend.tracing.capture_walk import PROGRAMS, Walk
from mlirad.frontend.tracing.captured_objects import file_of
from mlirad.frontend.tracing.code_reads import is_program_file, own_code, reads_of
from mlirad.frontend.tracing.library_functions import (
    NotPortable,
    builtins_in,
    code_parts,
    is_library,
    library_name,
    names_in,
)
from mlirad.frontend.tracing.pure_names import is_plain_attribute
from mlirad.frontend.tracing.value_keys import Same

_TYPES: Final[frozenset[type[Any]]] = frozenset((
    bool, int, float, complex, str, bytes, tuple, list, dict, set, frozenset, slice, range, type(None),
    type(...), type(NotImplemented), functools.partial, np.ndarray, np.dtype,
))  # fmt: skip
"""Classes whose objects are what they hold; besides those of NumPy's numbers."""

_PROBE: Final = "the order of strings in sets"
"""A string whose hash tells processes apart in which sets of strings have other orders."""


def portable_captures(root: object, names: frozenset[str]) -> bytes:
    """Return what `root` reads from outside, as bytes; `names` are the attributes that its code names.

    Raises `NotPortable` where that cannot be told to another process.
    """
    walk = _PortableWalk(names)
    walk.run(root)
    if not walk.is_whole or walk.drawn or walk.depends_on(walk.names - names):
        raise NotPortable
    libraries = [(module.__name__, names_in(module, walk.names)) for module in walk.libraries]
    return portable((tuple(walk.entries), libraries))


def portable(value: object) -> bytes:
    """A key as bytes. Raises `NotPortable` if something in it has no encoding."""
    try:
        return encoded(value, _part)
    except UnknownError:
        raise NotPortable from None


class _PortableWalk(Walk):
    """A walk that ends at what cannot be told to another process."""

    def __init__(self, names: frozenset[str]):
        super().__init__(names, frozenset())
        self.libraries: list[ModuleType] = []

    def _function(self, function: FunctionType, kind: type[Any], path: str) -> None:
        if not is_program_file(function.__code__.co_filename):
            self._enter(path, Same(function))
            return
        if function.__dict__.keys() - {PROGRAMS}:
            raise NotPortable
        reads = reads_of(own_code(function))
        if reads.reads_all or reads.reads_globals or reads.is_harmful:
            raise NotPortable
        if not all(map(is_plain_attribute, reads.attributes)):
            raise NotPortable
        table = function.__globals__
        builtins_in(function, [name for name in reads.globals if name not in table])
        if reads.makes_sets:
            self._enter(path, "order of sets", hash(_PROBE))
        self._enter(path, function.__name__, function.__qualname__, function.__module__)
        super()._function(function, kind, path)

    def _module(self, module: ModuleType, kind: type[Any], path: str) -> None:
        if is_library(module):
            self.libraries.append(module)
        elif type(module) is not ModuleType or "__getattr__" in vars(module):
            raise NotPortable
        super()._module(module, kind, path)


def _part(value: Any) -> bytes | None:
    """Return what keys consist of besides numbers, strings and tuples; `NotPortable` for all else."""
    kind = cast("type[Any]", type(value))
    if kind is Same:
        return b"=" + _named(value.value)
    if isinstance(value, type):
        return b"k" + _named(cast(object, value))
    if kind is CodeType:
        return b"o" + portable(code_parts(value))
    if kind is frozenset:
        return b"z" + portable(sorted(map(portable, value)))
    if kind is complex:
        return b"j" + struct.pack("<dd", value.real, value.imag)
    if value is ...:
        return b"."
    if _is_own(kind):
        return None
    raise NotPortable


def _is_own(kind: type[Any]) -> bool:
    """Return whether a class is one of mlirad that says of itself, not of classes derived from it, that its
    objects are what their fields are.
    """
    is_marked = kind.__module__.startswith("mlirad.") and hasattr(kind, "IS_PORTABLE")
    return is_marked and "IS_PORTABLE" in vars(kind)


def _named(thing: Any) -> bytes:
    """A class, a module or a function of a library by its name."""
    if isinstance(thing, type):
        known = thing in _TYPES or _is_own(thing)
        if known or (issubclass(thing, np.generic) and vars(np).get(thing.__name__) is thing):
            return portable(("class", thing.__module__, thing.__qualname__))
        return portable(("of a library", library_name(cast(object, thing))))
    if isinstance(thing, ModuleType) and not is_library(thing):
        return _own_module(thing)
    return portable(("of a library", library_name(thing)))


def _own_module(module: ModuleType) -> bytes:
    """A module of the program, whose attributes the walk has looked at."""
    file = file_of(module)
    if sys.modules.get(module.__name__) is not module or file is None or not is_program_file(file):
        raise NotPortable
    return portable(("module", module.__name__))
