"""Instructions at the start of a function: whether something else answers the call.

    def f(a, b):                    def f(a, b):
        return a + b                    if TRACING and get_ident() in TRACING and ask((a, b)):
                                            return take()
                                        return a + b

The function keeps its frame, so whatever looks at who calls whom finds what it would find without. The
instructions are those that this interpreter compiles of the lines above, so they are not known by name here.
"""

from __future__ import annotations

import dis
import opcode
from collections.abc import Callable, Iterator
from functools import cache
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR, CO_VARARGS, CO_VARKEYWORDS
from threading import get_ident
from types import CodeType, FrameType
from typing import Any, Final, TypeAlias, cast

from mlirad.frontend.splicing.code_tables import (
    Handler,
    encoded_handlers,
    encoded_positions,
    entry_ends,
    handlers,
    same_line,
)
from mlirad.frontend.splicing.plain import Spliced
from mlirad.frontend.splicing.tracing_threads import TRACING

_RESUME: Final = dis.opmap["RESUME"]
_EXTENDED: Final = dis.EXTENDED_ARG
_LOAD_CONST: Final = dis.opmap["LOAD_CONST"]
_LOAD_FAST: Final = dis.opmap["LOAD_FAST"]
_LOAD_DEREF: Final = dis.opmap["LOAD_DEREF"]
_BUILD_TUPLE: Final = dis.opmap["BUILD_TUPLE"]
_JUMPS: Final = frozenset(dis.hasjrel)


_JUMP: Final = "jump"
_NAMES: Final[frozenset[str]] = frozenset(("", _JUMP, "threads", "ident", "ask", "values", "take"))
"""The operands of instructions in the question; empty for instructions that load nothing."""


class UnknownCodeError(Exception):
    """Code of a form into which nothing is put."""


def _cache_units() -> list[int]:
    """By operation how many units after it belong to it, for the interpreter to note things in."""
    known: Any = vars(opcode)["_inline_cache_entries"]
    if isinstance(known, dict):
        return [cast("dict[str, int]", known).get(name, 0) for name in dis.opname]
    return [*known]


CACHE_UNITS: Final = _cache_units()


def with_argument(operation: int, argument: int) -> bytes:
    """An instruction, with what extends its argument and without its caches."""
    extended = bytearray()
    rest = argument >> 8
    while rest:
        extended[:0] = bytes((_EXTENDED, rest & 255))
        rest >>= 8
    return bytes(extended) + bytes((operation, argument & 255))


def start_of_body(code: CodeType) -> int:
    """The unit at which the body begins, after what makes cells and generators.

    Raises `UnknownCodeError` for code that has no such place.
    """
    units, unit = code.co_code, 0
    while 2 * unit < len(units):
        operation = units[2 * unit]
        unit += 1 + CACHE_UNITS[operation]
        if operation == _RESUME:
            return unit
    raise UnknownCodeError


def is_question(frame: FrameType) -> bool:
    """Return whether a frame runs instructions that ask, not those of its function."""
    code, unit = frame.f_code, frame.f_lasti // 2
    if not code.co_consts or not isinstance(code.co_consts[-1], Spliced):
        return False
    start, positions = start_of_body(code), list(code.co_positions())
    line, _, *columns = positions[start - 1]
    asked = ((line, columns), (line, [None, None]))
    return unit >= start and all((p[0], [*p[2:]]) in asked for p in positions[start : unit + 1])


def parameter_count(code: CodeType) -> int:
    """Return how many variables of a function are its parameters; they are the first ones."""
    several = bool(code.co_flags & CO_VARARGS) + bool(code.co_flags & CO_VARKEYWORDS)
    return code.co_argcount + code.co_kwonlyargcount + several


Ask: TypeAlias = Callable[[tuple[Any, ...]], bool]


def with_question(code: CodeType, ask: Ask, take: Callable[[], Any]) -> CodeType:
    """Code that calls `ask` with the values of its parameters, in threads that trace.

    If that is true it returns what `take` gives; a generator yields it, and ends. `ask` becomes the last
    constant. Raises `UnknownCodeError` for coroutines.
    """
    if code.co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR):
        raise UnknownCodeError
    constants = (*code.co_consts, TRACING, get_ident, take, ask)
    places = {name: len(code.co_consts) + k for k, name in enumerate(("threads", "ident", "take", "ask"))}
    template, stack = _template(bool(code.co_flags & CO_GENERATOR))
    parts = [
        _parameters(code) if name == "values" else with_argument(_LOAD_CONST, places[name])
        if name in places else units
        for units, name in template
    ]  # fmt: skip
    sizes = [len(part) // 2 for part in parts]
    for k, (units, name) in enumerate(template):
        if name == _JUMP:
            ahead = sum(sizes[k + 1 :])
            if ahead > 255:
                raise UnknownCodeError
            parts[k] = bytes((units[0], ahead)) + units[2:]
    start, size = start_of_body(code), sum(sizes)
    return code.replace(
        co_code=code.co_code[: 2 * start] + b"".join(parts) + code.co_code[2 * start :],
        co_consts=constants,
        co_stacksize=max(code.co_stacksize, stack + parameter_count(code)),
        co_exceptiontable=encoded_handlers(_moved(handlers(code), start, size)),
        co_linetable=_with_lines(code, start, size),
    )


def _parameters(code: CodeType) -> bytes:
    """Instructions that make a tuple of the parameters."""
    count = parameter_count(code)
    loads = (
        with_argument(_LOAD_DEREF if name in code.co_cellvars else _LOAD_FAST, k)
        for k, name in enumerate(code.co_varnames[:count])
    )
    return b"".join(loads) + with_argument(_BUILD_TUPLE, count)


def _moved(table: list[Handler], start: int, by: int) -> Iterator[Handler]:
    """Handlers of code into which units were put at `start`."""
    for h in table:
        first = h.start + by if h.start >= start else h.start
        end = h.end + by if h.end > start else h.end
        yield Handler(first, end, h.target + by, h.depth_and_lasti)


def _with_lines(code: CodeType, start: int, units: int) -> bytes:
    """The table of positions, with units at `start` that stand in the line of what is before them."""
    table = code.co_linetable
    for end, at in entry_ends(table):
        if end == start:
            return table[:at] + same_line(units) + table[at:]
    known = list(code.co_positions())  # one entry covers both sides, as in code without columns
    longer = [*known[:start], *(known[start - 1],) * units, *known[start:]]
    return encoded_positions(code.co_firstlineno, ((1, position) for position in longer))


# The question in the instructions of this interpreter ---------------------------------------------


def _questions(threads: Any, ident: Any, ask: Any, take: Any) -> tuple[Callable[..., Any], ...]:
    def function(values: Any) -> Any:
        if threads and ident() in threads and ask(values):
            return take()
        return ident(take)

    def generator(values: Any) -> Any:
        if threads and ident() in threads and ask(values):
            yield take()
            return
        ident(take)

    return function, generator


@cache
def _template(is_generator: bool) -> tuple[list[tuple[bytes, str]], int]:
    """The instructions of the question, with the names of what they load; and how much stack they need."""
    code = _questions(*(None,) * 4)[is_generator].__code__
    start = 2 * start_of_body(code)
    found: list[tuple[bytes, str]] = []
    ends: set[int] = set()
    for instruction in dis.get_instructions(code):
        at, operation = instruction.offset, instruction.opcode
        if at in ends:
            break
        if at >= start:
            name = str(instruction.argval) if operation in (_LOAD_DEREF, _LOAD_FAST) else ""
            if operation in _JUMPS:
                name = _JUMP
                ends.add(instruction.argval)
            found.append((code.co_code[at : at + 2 + 2 * CACHE_UNITS[operation]], name))
    if len(ends) != 1 or _NAMES ^ {name for _, name in found}:
        raise UnknownCodeError
    return found, code.co_stacksize
