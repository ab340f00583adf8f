"""Questions about a traced value that call nothing of it, so that code which asks them has to be told to ask.

    type(x) is float        a trace would go on as if x were no number
    flag is True            and as if no flag were one

The code of a function is read when the trace calls it, or when it makes its first operation, and so is that
of the functions that it names. What a told function finds is what it would find of NumPy's values.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any, Final, cast

from mlirad.frontend.splicing.plain import plain_code
from mlirad.frontend.tracing.asked import RUNTIME
from mlirad.frontend.tracing.code_reads import depths, is_rewritable_file
from mlirad.frontend.tracing.lessons import Running
from mlirad.frontend.tracing.told_functions import Unasked, can_be_told, codes_in, lessons, tell
from mlirad.jit.object_layout import running_function

_SAYING: Final = ("FORMAT", "CONVERT_VALUE", "BUILD_STRING")
"""The beginnings of names of instructions that make texts."""

_NAMES: Final = ("__name__", "__qualname__", "__module__")

_OWN: Final = ("self", "cls")

_MADE_WITH: Final = ("__new__", "__init__", "__call__")


def heed(function: Callable[..., Any]) -> None:
    """Tell a function that the trace is about to call, and those that it leads to, if they ask silently."""
    for asking in _asking(_Walk([function])):
        tell(asking)


def heed_running(frame: FrameType) -> None:
    """The same of a function that runs. Raises `Unasked` if one is told: it may have run before."""
    code = plain_code(frame.f_code)
    walk = _Walk()
    if not walk.is_new(code):
        return
    names = frame.f_locals
    own = [names[name] for name in (*code.co_varnames[:1], *code.co_freevars) if name in names]
    walk.open(code, frame.f_globals, own)
    running: Running = {id(one.__code__): (one.__code__, one) for one in _asking(walk)}
    if can_be_told(frame.f_code, lessons().untold) and _asks(code):
        running[id(frame.f_code)] = frame.f_code, running_function(frame)
    if running:
        raise Unasked(running)


def _asking(walk: _Walk) -> list[FunctionType]:
    return [f for f in walk.found() if can_be_told(f.__code__, lessons().untold) and _asks(f.__code__)]


class _Walk:
    """From functions to those that they name: in modules, in classes, in variables of functions around."""

    def __init__(self, values: Iterable[Any] = ()):
        self._known = lessons().read
        self._waiting: list[tuple[Any, frozenset[str], int, Any]] = []
        self._waiting += [(value, frozenset[str](), 0, None) for value in values]
        self._depth = 0

    def found(self) -> Iterator[FunctionType]:
        """The functions of the program and of packages, without those that were read for it before."""
        while self._waiting:
            value, used, depth, owner = self._waiting.pop()
            self._depth = depth + 1
            if isinstance(value, FunctionType):
                code = plain_code(value.__code__)
                if self.is_new(code):
                    yield value
                    cells = [_content(cell) for cell in value.__closure__ or ()]
                    self.open(code, value.__globals__, [owner, *cells])
            else:
                owner = None if isinstance(value, ModuleType) else value
                self._waiting += [(one, used, depth, owner) for one in _parts(value, used)]

    def is_new(self, code: CodeType) -> bool:
        """Whether a code of the program or of a package, as it was written, is met for the first time."""
        is_new = id(code) not in self._known and is_rewritable_file(code.co_filename)
        self._known[id(code)] = code
        return is_new and RUNTIME not in (*code.co_freevars, *code.co_names)

    def open(self, code: CodeType, names: dict[str, Any], own: Iterable[Any]) -> None:
        """Go on to what a code names in its module, and has in variables."""
        if self._depth <= _DEPTH:
            used = frozenset(name for inner in codes_in(code) for name in inner.co_names)
            values = (*own, *(names[name] for name in used if name in names))
            self._waiting += [(value, used, self._depth, None) for value in values]


_DEPTH: Final = 3
"""How many calls away functions are read before they make an operation themselves."""


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # the variable has no value yet
        return None


def _parts(value: Any, used: frozenset[str]) -> Iterator[Any]:
    """The functions of a container, and those under the names that are `used` in modules and classes."""
    if isinstance(value, MethodType):
        yield value.__func__
    elif isinstance(value, partial):
        yield cast("Any", value).func
    elif type(value) in (list, tuple, dict):
        parts = cast("Any", value).values() if type(value) is dict else value
        yield from (part for part in parts if isinstance(part, FunctionType))
    else:
        yield from _attributes(value, used)


def _attributes(value: Any, used: frozenset[str]) -> Iterator[FunctionType]:
    if isinstance(value, ModuleType):
        file = getattr(value, "__file__", None)
        holders: list[object] = [value] if isinstance(file, str) and is_rewritable_file(file) else []
    else:
        kind = cast("type[Any]", value if isinstance(value, type) else type(value))
        holders = [] if kind.__module__ == "builtins" else list(kind.__mro__)
    for holder in holders:
        for name in (*used, *_MADE_WITH):
            one = vars(holder).get(name)
            if isinstance(one, staticmethod | classmethod):
                one = cast("Any", one).__func__
            if isinstance(one, FunctionType):
                yield one


def _asks(code: CodeType) -> bool:
    """Whether a code, or one that it defines, compares the class of a value, or a value with a truth."""
    return any(_compares_truths(one) or _compares_types(one) for one in codes_in(plain_code(code)))


def _compares_truths(code: CodeType) -> bool:
    if not any(constant is True or constant is False for constant in code.co_consts):
        return False
    instructions = list(dis.get_instructions(code))
    truths = [i.opname == "LOAD_CONST" and isinstance(i.argval, bool) for i in instructions]
    return any(_is_operand(instructions[k:]) for k, is_truth in enumerate(truths) if is_truth)


def _is_operand(instructions: list[dis.Instruction]) -> bool:
    """Whether what the first of some instructions loads stands beside `is`."""
    for instruction, depth in depths(instructions):
        if instruction.opname == "IS_OP" and depth <= 1:
            return True
        if depth < 1:
            return False
    return False


def _compares_types(code: CodeType) -> bool:
    if "type" not in code.co_names:
        return False
    instructions = [i for i in dis.get_instructions(code) if i.opname not in ("CACHE", "NOP")]
    starts = [k for k, i in enumerate(instructions) if i.opname in _GLOBAL and i.argval == "type"]
    return any(_is_compared(instructions[k:]) for k in starts)


_GLOBAL: Final = ("LOAD_GLOBAL", "LOAD_NAME")


def _is_compared(instructions: list[dis.Instruction]) -> bool:
    """Whether what `type` gives, which the first of some instructions loads, serves more than a text."""
    for k, (instruction, depth) in enumerate(depths(instructions)):
        if instruction.opname == "CALL" and depth <= 1:
            after = next(i for i in instructions[k + 1 :] if i.argval not in _NAMES)
            is_known = after.opname.startswith(_SAYING) or instructions[k - 1].argval in _OWN
            return instruction.argval == 1 and not is_known
    return False
