"""The contents of objects of Python's library, where their class hides them.

reader_of(ContextVar)(rate)           what the variable is set to
as_bytes(bytearray(b"ab"))            what stands in its memory
is_shown(logging.Logger)              False: a logger is taken to be what it is
"""

from __future__ import annotations

import gc
import operator
import os
import threading
import weakref
from array import array
from collections.abc import Callable
from contextvars import ContextVar
from io import BytesIO, StringIO
from itertools import pairwise
from types import MappingProxyType, ModuleType
from typing import Any, Final, cast

from mlirad.frontend.tracing.captured_objects import derives

_CLOSED: Final = frozenset((
    "_asyncio", "_io", "_socket", "_ssl", "_thread", "asyncio", "codecs", "concurrent", "http", "importlib",
    "io", "logging", "multiprocessing", "selectors", "socket", "sqlite3", "ssl", "subprocess", "tempfile",
    "unittest",
))  # fmt: skip
"""Modules of Python whose objects are taken to be what they are."""

_READERS: Final[tuple[tuple[type[Any], Callable[[Any], tuple[object, ...]]], ...]] = (
    (threading.local, lambda value: (value.__dict__,)),
    (ContextVar, lambda variable: (variable.get(None),)),
    (weakref.WeakMethod, lambda reference: _method_parts(reference())),
    (weakref.ref, lambda reference: (reference(),)),
    (weakref.ProxyType, lambda proxy: (_referent(proxy),)),
    (weakref.CallableProxyType, lambda proxy: (_referent(proxy),)),
    (weakref.WeakSet, lambda values: tuple(values)),
    (weakref.WeakKeyDictionary, lambda table: tuple(part for item in table.items() for part in item)),
    (weakref.WeakValueDictionary, lambda table: tuple(part for item in table.items() for part in item)),
    (MappingProxyType, lambda proxy: tuple(gc.get_referents(proxy))),
)


def reader_of(kind: type[Any]) -> Callable[[Any], tuple[object, ...]] | None:
    """Return what reads the values that an object holds whose class hides them; `None` for other classes."""
    return next((read for known, read in _READERS if derives(kind, known)), None)


def is_shown(kind: type[Any]) -> bool:
    """Return whether the objects of a class of Python's library are more than what they are."""
    return kind.__module__.partition(".")[0] not in _CLOSED


def as_bytes(value: Any) -> bytes | None:
    """The numbers or characters in memory that a value of Python's library is; `None` for others."""
    kind = cast("type[Any]", type(value))
    is_memory = derives(kind, bytearray | memoryview | array) or any(
        base.__module__ in ("_ctypes", "mmap") for base in kind.__mro__
    )
    try:
        if derives(kind, BytesIO | StringIO):
            return repr((value.tell(), value.getvalue())).encode()
        if not is_memory:
            return None
        seen = memoryview(value)
        return repr((seen.format, seen.shape)).encode() + seen.tobytes()
    except (TypeError, ValueError, BufferError, NotImplementedError):
        return None


def environment(module: ModuleType, names: set[str]) -> object:
    """The variables of the process, if code names what reads them; else `None`."""
    reads = module is os and not names.isdisjoint(("environ", "environb", "getenv", "getenvb", "expandvars"))
    return os.environ if reads else None


def _method_parts(method: Any) -> tuple[object, ...]:
    return (None,) if method is None else (method.__func__, method.__self__)


def _referent(proxy: Any) -> object:
    """Return what a weak proxy stands for, which it hands all attributes on to; `None` if it is gone."""
    try:
        return cast(object, proxy.__reduce_ex__.__self__)
    except ReferenceError:
        return None


def results_of(table: dict[Any, Any], referents: list[Any]) -> list[Any]:
    """The keys and results in the table of a cache.

    Where it is limited, a result stands in a link, which does not show it; but it follows its key in what the
    cache refers to.
    """
    following = {id(key): result for key, result in pairwise(referents)}
    return [part for key, value in table.items() for part in (key, following.get(id(key), value))]


def begins_with(function: Any, table: dict[Any, Any], before: list[Any]) -> bool:
    """Return whether the first keys and results of a cache are the same objects as before."""
    now = results_of(table, gc.get_referents(function))
    return len(now) >= len(before) and all(map(operator.is_, before, now))
