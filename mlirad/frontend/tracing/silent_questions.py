"""Questions about a traced value that call nothing of it, so that code which asks them has to be told to ask.

    type(x) is float        a trace would go on as if x were not a number
    flag is True            and as if no flag were one
    hasattr(x, "shape")     and as if all numbers were NumPy's

The code of a function is read when the trace calls it, or when it makes its first operation, and so is that
of the functions that it names. A told function finds what it would find of NumPy's values.

`type(x) is float` and `flag is True` compare objects without a call, so the wrong branch would be compiled
silently. A metaclass would see `==`, but not `is`; a profiler would see every call, and slow all traces. So
the code of a function is read when a trace calls it, or when it makes its first operation, and that of the
functions to which its names, variables and their attributes lead: of the program however far, of packages up
to three calls on. Only code that a trace runs is read, and neither Python's own nor that of packages which
mlirad calls itself. A function that is reached by a computed name, and makes no operation itself, is not
found.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any, Final, cast

import numpy as np

from mlirad.frontend.splicing.plain import plain_code
from mlirad.frontend.tracing.captured_objects import attribute_table
from mlirad.frontend.tracing.code_reads import (
    OWN_ARRAYS,
    depths,
    is_program_file,
    is_rewritable_file,
)
from mlirad.frontend.tracing.lessons import Running
from mlirad.frontend.tracing.source import LIBRARIES, is_own_frame, is_user_file
from mlirad.frontend.tracing.told_functions import (
    BEGINNING,
    Unasked,
    can_be_told,
    codes_in,
    lessons,
    tell,
)
from mlirad.frontend.tracing.usage_hints import RUNTIME
from mlirad.jit.object_layout import running_function

_SAYING: Final = ("FORMAT", "CONVERT_VALUE", "BUILD_STRING")
"""The beginnings of names of instructions that make texts."""

_NAMES: Final = ("__name__", "__qualname__", "__module__")

_OWN: Final = ("self", "cls")

_WRAPPED: Final = ("__wrapped__", "py_func", "pyfunc")
"""Names of attributes by which objects hold functions that they call."""

_DEPTH: Final = 3
"""The distance in calls within which functions of packages are read before they make an operation."""

_MOST_ELEMENTS: Final = 32
"""The number of elements of a container that are looked at."""


def heed(function: Callable[..., Any]) -> None:
    """Tell a function that the trace is about to call, and those that it leads to, if they ask silently."""
    for asking in _asking(_Walk([function])):
        tell(asking)


def heed_running(frame: FrameType) -> None:
    """The same of a function that runs. Raises `Unasked` if one is told: it may have run before."""
    code, known = plain_code(frame.f_code), lessons().read
    walk = _Walk()
    if not _runs_in_trace(frame) or not walk.is_new(code, 0):
        return
    known[id(frame.f_code)] = frame.f_code, 0
    walk.open(code, frame.f_globals, frame.f_locals.values(), 0)
    running: Running = {id(one.__code__): (one.__code__, one) for one in _asking(walk)}
    if can_be_told(frame.f_code, lessons().untold) and _asks(code):
        running[id(frame.f_code)] = frame.f_code, running_function(frame)
    if running:
        raise Unasked(running)


def _runs_in_trace(frame: FrameType) -> bool:
    """Tell if the trace leads to a call: mlirad makes other calls of the program, too."""
    caller: FrameType | None = frame
    while caller is not None:
        if caller.f_code.co_name == BEGINNING and is_own_frame(caller):
            return True
        caller = caller.f_back
    return False


def _asking(walk: _Walk) -> list[FunctionType]:
    return [f for f in walk.found() if can_be_told(f.__code__, lessons().untold) and _asks(f.__code__)]


class _Walk:
    """From functions to those that they name: in modules, in classes and objects, in variables around."""

    def __init__(self, values: Iterable[Any] = ()):
        self._known = lessons().read
        self._seen: dict[tuple[int, frozenset[str]], Any] = {}
        """Objects that were taken apart, by their identity and the names that were looked for."""
        self._waiting: list[tuple[Any, frozenset[str], int, Any]] = []
        """Objects still to be taken apart, each with the names, its distance in calls, and its holder."""
        self._waiting += [(value, frozenset[str](), 0, None) for value in values]

    def found(self) -> Iterator[FunctionType]:
        """The functions of the program and of packages, without those that were read for it before."""
        while self._waiting:
            value, used, depth, holder = self._waiting.pop()
            if type(value) is FunctionType:
                code = plain_code(value.__code__)
                if self.is_new(code, depth):
                    yield value
                    cells = [_content(cell) for cell in value.__closure__ or ()]
                    self.open(code, value.__globals__, [holder, *cells], depth)
            elif (id(value), used) not in self._seen:
                self._seen[id(value), used] = value
                self._waiting += [(part, used, depth, value) for part in _parts(value, used)]

    def is_new(self, code: CodeType, depth: int) -> bool:
        """Tell if a code of the program or of a package is met for the first time, or closer than before."""
        known = self._known.get(id(code))
        if (known is not None and known[1] <= depth) or not _is_read(code.co_filename):
            return False
        self._known[id(code)] = code, depth
        return RUNTIME not in (*code.co_freevars, *code.co_names)

    def open(self, code: CodeType, names: dict[str, Any], own: Iterable[Any], depth: int) -> None:
        """Go on to what a code names in its module, and has in variables."""
        if depth < _DEPTH or is_program_file(code.co_filename):
            used = frozenset(name for inner in codes_in(code) for name in inner.co_names)
            values = (*own, *(names[name] for name in used if name in names))
            self._waiting += [(value, used, depth + 1, None) for value in values]


def _is_read(file: str) -> bool:
    """Tell if code in a file is read: code of the program and of traced packages is, SciPy's is not."""
    return is_user_file(file) and is_rewritable_file(file)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # the variable has no value yet
        return None


def _parts(value: Any, used: frozenset[str]) -> Iterator[Any]:
    """The parts of an object that may be functions, or have one under a name that is `used`.

    Objects are asked nothing, not even for `__class__` as by `isinstance`: their code may raise, or notice.
    """
    kind = cast("type[Any]", type(value))
    if kind is MethodType:
        yield value.__func__
        yield value.__self__
    elif kind is partial:
        yield value.func
        yield from value.args
    elif kind in (list, tuple, dict):
        yield from islice(value.values() if kind is dict else value, _MOST_ELEMENTS)
    elif kind is ModuleType:
        file = getattr(value, "__file__", None)
        if isinstance(file, str) and _is_read(file):
            yield from _named(cast("dict[str, Any]", value.__dict__), used)
    else:
        yield from _attributes(value, kind, used)


def _attributes(value: Any, kind: type[Any], used: frozenset[str]) -> Iterator[Any]:
    """The same of a class, or of an object and its class."""
    owner = cast("type[Any]", value) if issubclass(kind, type) else kind
    if owner.__module__.partition(".")[0] not in _WITHOUT:
        for holder in owner.__mro__:
            names = [name for name in vars(holder) if name in used or name.startswith("__")]
            yield from _named(vars(holder), names)
    table = None if owner is value else attribute_table(value)
    if table is not None:
        yield from _named(table, (*used, *_WRAPPED))


_WITHOUT: Final = OWN_ARRAYS | {"builtins", "mlirad", *LIBRARIES}
"""Packages whose classes have no methods of a program."""


def _named(table: Mapping[str, Any], names: Iterable[str]) -> Iterator[Any]:
    for name in names:
        found: Any = table.get(name)
        if type(found) in (staticmethod, classmethod):
            found = found.__func__
        if type(found) is property:
            found = found.fget
        if found is not None:
            yield found


def _asks(code: CodeType) -> bool:
    """Tell if a code, or one that it defines, compares a class or a truth, or asks for an attribute."""
    return any(
        _compares_truths(one) or _compares_types(one) or _asks_for_attributes(one)
        for one in codes_in(plain_code(code))
    )


def _asks_for_attributes(code: CodeType) -> bool:
    """Tell if a code asks for an attribute that some numbers or arrays lack, or for any by a variable."""
    if _BY_NAME.isdisjoint(code.co_names):
        return False
    names = [constant for constant in code.co_consts if isinstance(constant, str)]
    return not names or any(hasattr(np.ndarray, name) or hasattr(float, name) for name in names)


_BY_NAME: Final = frozenset(("getattr", "hasattr"))


def _compares_truths(code: CodeType) -> bool:
    has_pythons = any(constant is True or constant is False for constant in code.co_consts)
    if not has_pythons and _NUMPYS_TRUTHS.isdisjoint(code.co_names):
        return False
    instructions = list(dis.get_instructions(code))
    truths = [
        isinstance(i.argval, bool) if i.opname == "LOAD_CONST" else i.argval in _NUMPYS_TRUTHS
        for i in instructions
    ]
    return any(_is_operand(instructions[k + 1 :]) for k, is_truth in enumerate(truths) if is_truth)


_NUMPYS_TRUTHS: Final = frozenset(("True_", "False_"))


def _is_operand(instructions: list[dis.Instruction]) -> bool:
    """Tell if the value loaded before some instructions stands beside `is`."""
    for instruction, depth in depths(instructions):
        if instruction.opname == "IS_OP" and depth <= 0:
            return True
        if depth < 0:
            return False
    return False


def _compares_types(code: CodeType) -> bool:
    if "type" not in code.co_names:
        return False
    instructions = [i for i in dis.get_instructions(code) if i.opname not in ("CACHE", "NOP")]
    starts = [k for k, i in enumerate(instructions) if i.opname in _GLOBAL and i.argval == "type"]
    return any(_is_compared(instructions[k:]) or _is_mapped(instructions[k - 1]) for k in starts)


def _is_mapped(before: dis.Instruction) -> bool:
    """Tell if `type` is passed to `map`, which the instruction before it loads."""
    return before.opname in _GLOBAL and before.argval == "map"


_GLOBAL: Final = ("LOAD_GLOBAL", "LOAD_NAME")


def _is_compared(instructions: list[dis.Instruction]) -> bool:
    """Tell if the result of `type`, loaded by the first of some instructions, serves more than a text."""
    for k, (instruction, depth) in enumerate(depths(instructions)):
        if instruction.opname == "CALL" and depth <= 1:
            after = next(i for i in instructions[k + 1 :] if i.argval not in _NAMES)
            is_known = after.opname.startswith(_SAYING) or instructions[k - 1].argval in _OWN
            return instruction.argval == 1 and not is_known
    return False
