"""Globals of packages that a function can change, or one that it names: found in their codes, once.

    _cache = {}
    def factor(n):                      changed_globals(factor): the global `_cache` of its module
        _cache[n] = sum(range(n))
        return _cache[n]

A package has many functions and large tables. So only globals count that code assigns, and objects that code
names which also writes items or attributes, or calls a method that changes containers.
"""

from __future__ import annotations

import dis
from collections import deque
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final, TypeAlias

import numpy as np

from mlirad.frontend.tracing.captured_objects import is_rewritable_class
from mlirad.frontend.tracing.code_reads import is_rewritable_file, own_code, reads_of

Variable: TypeAlias = tuple[dict[str, Any], str]
"""A table of globals, and a name in it."""

_WRITING: Final = frozenset((
    "add", "append", "appendleft", "clear", "discard", "extend", "fill", "insert", "pop", "popitem",
    "popleft", "remove", "reverse", "setdefault", "sort", "update",
))  # fmt: skip
"""Methods that change containers."""

_STORING: Final = frozenset(
    dis.opmap[name]
    for name in ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE", "STORE_ATTR", "DELETE_ATTR")
    if name in dis.opmap
)
"""Instructions that change what an object holds."""

_known: dict[int, tuple[CodeType, tuple[Variable, ...]]] = {}


def changed_globals(function: FunctionType) -> tuple[Variable, ...]:
    """The globals that a function, and the functions of packages that it names, can change."""
    code = own_code(function)
    known = _known.get(id(code))
    if known is None:
        known = _known[id(code)] = code, tuple(_found(code, function.__globals__))
    return known[1]


def _found(code: CodeType, table: dict[str, Any]) -> list[Variable]:
    found: dict[tuple[int, str], Variable] = {}
    seen = {id(code)}
    waiting = deque([(code, table)])
    while waiting:
        code, table = waiting.popleft()
        reads = reads_of(code)
        is_writing = any(map(_writes, reads.codes)) or not _WRITING.isdisjoint(reads.attributes)
        for name in (*reads.globals, *reads.assigned):
            value = table.get(name)
            for function in _functions(value, reads.attributes):
                inner = own_code(function)
                if id(inner) not in seen:
                    seen.add(id(inner))
                    waiting.append((inner, function.__globals__))
            if name in table and (name in reads.assigned or (is_writing and _can_be_written(value))):
                found[id(table), name] = table, name
    return list(found.values())


def _writes(code: CodeType) -> bool:
    return not _STORING.isdisjoint(code.co_code[::2])


def _functions(value: Any, attributes: frozenset[str]) -> list[FunctionType]:
    """The functions of packages that a global is, or that code finds in it by attributes."""
    if isinstance(value, ModuleType):
        parts = [vars(value).get(name) for name in attributes]
    elif isinstance(value, type):
        parts = [*vars(value).values()]
    else:
        parts = [value]
    functions = [part for part in parts if isinstance(part, FunctionType)]
    return [f for f in functions if is_rewritable_file(f.__code__.co_filename)]


def _can_be_written(value: Any) -> bool:
    if isinstance(value, dict | list | set | deque | np.ndarray):
        return True
    return is_rewritable_class(value if isinstance(value, type) else type(value))
