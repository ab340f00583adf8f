"""Inputs of a trace that no walk over captured objects sees: files, the clock, code that nothing leads to.

    is_outside(open)                               True
    names_outside(time, {"time", "sleep"})         ["time"]: sleeping gives nothing back
    _, watch = watching(trace, outside=True)
    watch.found(known)                             ["calls open (model.py:12)"], or nothing

Where code reaches functions of libraries that may read, its trace is watched, and only those count that are
called then by code of the program. So more may be listed here than reads, and libraries that are not known
are taken to read. Of every operation it is known whose code emits it; if the walk has not found that code,
something led to it that can change unseen. A program that was decided so holds for one call.
"""

from __future__ import annotations

import datetime
import pathlib
import random
import sys
from collections.abc import Callable, Iterable
from io import BytesIO, StringIO
from types import BuiltinFunctionType, CodeType, FrameType, ModuleType
from typing import Any, Final, ParamSpec, TypeVar, cast

import numpy as np

from mlirad.frontend.splicing.insertion import is_question
from mlirad.frontend.tracing.code_reads import is_program_file
from mlirad.frontend.tracing.open_traces import open_traces
from mlirad.frontend.tracing.source import LIBRARIES, is_own_frame

P = ParamSpec("P")
T = TypeVar("T")

_KNOWN_NAMES: Final = """
mlirad numpy scipy builtins math cmath operator functools itertools collections abc contextlib enum types
typing dataclasses copy numbers string re bisect heapq statistics fractions decimal random warnings
contextvars weakref struct array textwrap pprint json pickle inspect ast keyword reprlib graphlib queue
logging hashlib base64 binascii zlib calendar datetime colorsys traceback threading argparse configparser gc
sys __future__ typing_extensions opcode dis ctypes concurrent difflib unicodedata stringprep copyreg marshal
symtable token
"""

_KNOWN: Final = frozenset(_KNOWN_NAMES.split())
"""Libraries whose functions read nothing from outside but what `_LISTED` has; those in C likewise."""

_LISTED: Final[dict[str, frozenset[str]]] = {
    name: frozenset(text.split())
    for name, text in {
        "builtins": "open input",
        "numpy": "load loadtxt genfromtxt fromfile fromregex memmap DataSource open_memmap "
        "default_rng RandomState SeedSequence PCG64 PCG64DXSM Philox SFC64 MT19937",
        "random": "Random SystemRandom",
        "scipy": "loadmat readsav hb_read mmread netcdf_file wavfile read",
        "json": "load",
        "pickle": "load",
        "marshal": "load",
        "threading": "current_thread get_ident get_native_id active_count enumerate",
        "sys": "_getframe getrefcount",
        "configparser": "read read_file",
        "decimal": "getcontext localcontext",
        "datetime": "now today utcnow",
    }.items()
}
"""The functions of known libraries, and methods of their classes, that read from outside."""

_HARMLESS_NAMES: Final = """
altzone daylight timezone tzname sleep struct_time fspath fsencode fsdecode PathLike sep path environ getenv
linesep curdir pardir extsep altsep pathsep devnull name join split splitext basename dirname normpath
normcase isabs commonpath commonprefix splitdrive expandvars
"""

_HARMLESS: Final = frozenset(_HARMLESS_NAMES.split())
"""Names in other libraries of what reads nothing."""

_CLOCKS: Final[tuple[type[Any], ...]] = (datetime.date, datetime.time)
_PATHS: Final[tuple[type[Any], ...]] = (pathlib.PurePath,)


def is_outside(function: Any) -> bool:
    """Return whether a function, or a class, of a library may read from outside when it is called."""
    module = getattr(function, "__module__", None)
    owner = getattr(function, "__self__", None)
    if not isinstance(module, str):
        module = owner.__name__ if isinstance(owner, ModuleType) else type(owner).__module__
    return _may_read(module, getattr(function, "__name__", ""))


def names_outside(owner: Any, names: set[str]) -> list[str]:
    """Those of the names that stand in a module or a class of a library for what may read from outside."""
    if isinstance(owner, ModuleType):
        own = vars(owner)
        if owner is np and "random" in names:
            own = own | vars(np.random)
        found = [name for name in names & own.keys() if _may_read(owner.__name__, name)]
        return sorted(name for name in found if callable(own[name]))
    kind = cast("type[Any]", owner)
    if issubclass(kind, _CLOCKS):
        return sorted(_LISTED["datetime"].intersection(names))
    if issubclass(kind, _PATHS):
        own = set(vars(pathlib.Path)) - set(vars(pathlib.PurePath))
        return sorted(own.intersection(names))
    return []


def _may_read(module: str, name: str) -> bool:
    library = module.partition(".")[0]
    known = library if library in _KNOWN else library.removeprefix("_")
    if known in _KNOWN:
        return name in _LISTED.get(known, ())
    return name not in _HARMLESS and (library in sys.stdlib_module_names or module in sys.modules)


_READING: Final = frozenset((
    "_io", "_locale", "_posixsubprocess", "_socket", "_sqlite3", "_ssl", "io", "nt", "posix", "select",
    "time",
))  # fmt: skip
"""Modules in C whose functions read from outside."""

_NOT_READING: Final = frozenset((
    "sleep", "fspath", "write", "writelines", "flush", "close", "fileno", "isatty", "text_encoding",
    "writable",
))  # fmt: skip

_OTHERS: Final = frozenset((
    "input", "now", "today", "utcnow", "fromfile", "current_thread", "get_ident", "get_native_id",
))  # fmt: skip
"""Functions in C of other modules that read from outside."""


class TraceWatch:
    """The observations of a trace."""

    def __init__(self) -> None:
        self.codes: set[CodeType] = set()
        self._reads: dict[str, str] = {}

    def found(self, known: Iterable[CodeType], *, evaluates: bool) -> list[str]:
        """Return what decided the trace besides what was compared, where the walk has found the code `known`.

        If the program evaluates text, code without a file is taken to be of it.
        """
        lines = _lines_by_file(known)
        foreign = [
            code.co_qualname
            for code in self.codes
            if is_program_file(code.co_filename)
            and not (evaluates and code.co_filename.startswith("<"))
            and not any(code.co_firstlineno in part for part in lines.get(code.co_filename, ()))
        ]
        return [
            *(f"calls {name} ({place})" for place, name in self._reads.items()),
            *(f"runs {name}, to which nothing leads that it names" for name in sorted(foreign)),
        ]

    def note(self, frame: FrameType, event: str, argument: Any) -> None:
        """Note a call of a function in C that reads, as the profiler of Python."""
        if event != "c_call" or not _is_reading(argument, frame) or is_question(frame):
            return
        place = _asked_by_program(frame)
        if place is not None:
            self._reads.setdefault(place, argument.__qualname__)


def watching(function: Callable[[], T], *, outside: bool) -> tuple[T, TraceWatch]:
    """Return what a function gives, which may read from `outside`, and what was seen of its traces."""
    watch = TraceWatch()
    codes, profiler = open_traces.codes, open_traces.profiler
    try:
        open_traces.codes = watch.codes
        open_traces.profiler = watch.note if outside else None
        return function(), watch
    finally:
        open_traces.codes, open_traces.profiler = codes, profiler


def noting_calls(function: Callable[P, T]) -> Callable[P, T]:
    """A function during which calls of functions in C are noted, if somebody watches."""
    noting = open_traces.profiler
    if noting is None:
        return function

    def noted(*args: P.args, **kwargs: P.kwargs) -> T:
        before = cast("Callable[..., Any] | None", sys.getprofile())
        try:
            sys.setprofile(noting)
            return function(*args, **kwargs)
        finally:
            sys.setprofile(before)

    return noted


def _is_reading(function: Any, frame: FrameType) -> bool:
    name = getattr(function, "__name__", None)
    if not isinstance(function, BuiltinFunctionType) or name in _NOT_READING:
        return False
    if name == "seed" and isinstance(function.__self__, random.Random):
        return frame.f_locals.get("a", frame) is None  # by what the system has at hand
    if name in _OTHERS:
        return True
    owner: object = function.__self__
    if isinstance(owner, StringIO | BytesIO):
        return False
    module = owner.__name__ if isinstance(owner, ModuleType) else type(owner).__module__
    return module in _READING


def _asked_by_program(frame: FrameType | None) -> str | None:
    """The line of the program that leads to a call, unless it is mlirad's own or that of an import.

    Of a function of a package that is transformed itself, it is the line of that.
    """
    place = None
    while frame is not None:
        file = frame.f_code.co_filename
        if is_own_frame(frame):
            return place
        if file.endswith(_SOURCE_READERS):
            return None
        is_packages = "-packages" in file and not any(name in file for name in _BENEATH)
        place = f"{file}:{frame.f_lineno}" if is_packages or is_program_file(file) else None
        if place is not None and not is_packages:
            return place
        frame = frame.f_back
    return None


_BENEATH: Final = tuple(f"/{package}/" for package in LIBRARIES)
"""Folders of the packages that mlirad calls itself."""


_SOURCE_READERS: Final = ("linecache.py", "inspect.py", "warnings.py", "traceback.py", "tokenize.py")
"""Files of Python that read the source of programs."""


def _lines_by_file(codes: Iterable[CodeType]) -> dict[str, list[range]]:
    """Return where code stands; rewritten code stands in the lines of its source."""
    found: dict[str, list[range]] = {}
    for code in codes:
        last = max((line for *_, line in code.co_lines() if line is not None), default=code.co_firstlineno)
        found.setdefault(code.co_filename, []).append(range(code.co_firstlineno, last + 1))
    return found
