"""Functions whose calls and subscripts ask first, in threads that trace.

    y = array([x, 1.0])          y = made(called(array)([x, 1.0]))
    z = table[k]                 z = made(item((table, k)))
    y[i] = x                     put((x, y, i))
    w = 2 * y                    w = made(2 * y)
    f"{x} m"                     text((f"{x}", " m"))

The right column shows the code that was told to ask; `Hooks` says what it means. So functions in C
are reached, and subscripts of NumPy's arrays, however the code came by them. Such code has its instructions
twice: as they were, for other threads, and with the questions. Functions that it defines ask, too.
"""

from __future__ import annotations

import dis
import opcode
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from sys import version_info
from threading import get_ident
from types import CodeType
from typing import Any, Final

from mlirad.frontend.splicing.assembly import Body, Instruction, assembled, disassembled
from mlirad.frontend.splicing.code_tables import Position
from mlirad.frontend.splicing.insertion import UnknownCodeError
from mlirad.frontend.splicing.plain import Hooks, Told
from mlirad.frontend.splicing.tracing_threads import TRACING

_CODES: Final = dis.opmap
_CALLABLE_FIRST: Final = version_info >= (3, 13)
"""True if what is called lies below the place of `self` on the stack, not above it."""

_REMAINDER: Final = next(k for k, (name, _) in enumerate(opcode._nb_ops) if name == "NB_REMAINDER")  # pyright: ignore
"""The number of the operator `%`."""

_MOST_STACK: Final = 4
"""The number of values more that code that asks has on the stack, at most."""


def asking(code: CodeType, hooks: Hooks, silent: Sequence[str] = ()) -> CodeType:
    """Code with questions at its calls and subscripts, except for functions in it of the names `silent`.

    Raises `UnknownCodeError` for code of a form that is not known.
    """
    return _Asking(code, hooks, silent).made()


class _Asking:
    """The making of such code."""

    def __init__(self, code: CodeType, hooks: Hooks, silent: Sequence[str]):
        self._code = code
        self._hooks = hooks
        self._silent = silent
        self._constants: list[object] = list(code.co_consts)

    def made(self) -> CodeType:
        """The code: what comes before the body, which body is run, the one that asks, and the other."""
        plain = disassembled(self._code)
        names = [i.name for i in plain.instructions]
        if "RESUME" not in names:
            raise UnknownCodeError
        start = names.index("RESUME") + 1
        before, own = plain.instructions[:start], plain.instructions[start:]
        copies = [Instruction(i.operation, i.argument, i.position, i.target) for i in own]
        asked: list[Instruction] = []
        entries: dict[Instruction | None, Instruction] = {None: own[0], **{i: i for i in before}}
        for k, instruction in enumerate(own):
            first = len(asked)
            asked += [*self._before(own, k), *self._instead(copies[k])]
            entries[instruction] = asked[first]  # what leads here leads to what is put in front
        for copy in copies:
            copy.target = None if copy.target is None else entries[copy.target]
        choice = self._choice(before[-1].position, own[0])
        body = Body([*before, *choice, *asked, *own])
        for first, last, target, rest in plain.handlers:
            body.handlers.append((entries[first], entries[last], entries[target], rest))
            if last not in before:
                body.handlers.append((own[0] if first in before else first, last, target, rest))
        constants = [*self._constants, Told(self._code)]
        return assembled(self._code, body, constants, _MOST_STACK)

    def _constant(self, value: object) -> int:
        """The place of a constant that code has besides its own."""
        for place in range(len(self._code.co_consts), len(self._constants)):
            if self._constants[place] is value:
                return place
        self._constants.append(value)
        return len(self._constants) - 1

    def _choice(self, position: Position, other: Instruction) -> Iterator[Instruction]:
        """Instructions that go on only in threads that trace, and elsewhere in all others."""
        known = {"threads": TRACING, "ident": get_ident}
        for i, name in _template():
            if i.target is not None:
                yield Instruction(i.operation, 0, position, other)
            elif name in known:
                yield Instruction(_CODES["LOAD_CONST"], self._constant(known[name]), position)
            else:
                yield Instruction(i.operation, i.argument, position)

    def _before(self, own: list[Instruction], k: int) -> Iterator[Instruction]:
        """Yield what is put in front of the instructions of a call."""
        previous = own[k - 1].name if k else ""
        name = own[k].name
        if name in ("KW_NAMES", "PRECALL", "CALL") and previous not in ("KW_NAMES", "PRECALL"):
            call = next(i for i in own[k:] if i.name == "CALL")
            depth = call.argument + 1
        elif name == "CALL_KW":
            depth = own[k].argument + 2
        elif name == "CALL_FUNCTION_EX":
            depth = 2 + (own[k].argument & 1)
        else:
            return
        depth += _CALLABLE_FIRST
        position = own[k].position
        yield Instruction(_CODES["COPY"], depth, position)
        yield from self._hooked(self._hooks.called, position)
        yield Instruction(_CODES["SWAP"], depth + 1, position)
        yield Instruction(_CODES["POP_TOP"], 0, position)

    def _instead(self, copy: Instruction) -> Iterator[Instruction]:
        """Yield what stands for an instruction: itself, if it asks nothing."""
        position, name = copy.position, copy.name
        is_method = name == "LOAD_METHOD" or (
            name in ("LOAD_ATTR", "LOAD_SUPER_ATTR") and version_info >= (3, 12) and copy.argument & 1
        )
        if name in ("BINARY_SUBSCR", "STORE_SUBSCR", "BINARY_SLICE", "STORE_SLICE"):
            if name.endswith("SLICE"):
                yield Instruction(_CODES["BUILD_SLICE"], 2, position)
            is_read = name.startswith("BINARY")
            yield Instruction(_CODES["BUILD_TUPLE"], 2 if is_read else 3, position)
            yield from self._hooked(self._hooks.item if is_read else self._hooks.put, position)
            if is_read:
                yield from self._hooked(self._hooks.made, position)
            else:
                yield Instruction(_CODES["POP_TOP"], 0, position)
        elif name == "BUILD_STRING":
            yield Instruction(_CODES["BUILD_TUPLE"], copy.argument, position)
            yield from self._hooked(self._hooks.text, position)
        elif name == "BINARY_OP" and copy.argument == _REMAINDER:
            yield Instruction(_CODES["BUILD_TUPLE"], 2, position)
            yield from self._hooked(self._hooks.remainder, position)
            yield from self._hooked(self._hooks.made, position)
        elif name in ("CONTAINS_OP", "IS_OP"):
            yield Instruction(_CODES["BUILD_TUPLE"], 2, position)
            hook = self._hooks.within if name == "CONTAINS_OP" else self._hooks.same
            yield from self._hooked(hook, position)
            if copy.argument:
                yield Instruction(_CODES["UNARY_NOT"], 0, position)
        elif is_method:  # as an attribute, so it is known where what is called lies
            operation = _CODES["LOAD_ATTR"] if name == "LOAD_METHOD" else copy.operation
            argument = copy.argument if name == "LOAD_METHOD" else copy.argument & ~1
            yield Instruction(operation, argument, position)
            yield Instruction(_CODES["PUSH_NULL"], 0, position)
            if not _CALLABLE_FIRST:
                yield Instruction(_CODES["SWAP"], 2, position)
        else:
            constant = self._code.co_consts[copy.argument] if name == "LOAD_CONST" else None
            if isinstance(constant, CodeType) and constant.co_name not in self._silent:
                copy.argument = self._inner(constant)
            yield copy
            if name in _MAKING:
                yield from self._hooked(self._hooks.made, position)

    def _inner(self, code: CodeType) -> int:
        """The place of a code that is defined inside, with questions."""
        self._constants.append(asking(code, self._hooks, self._silent))
        return len(self._constants) - 1

    def _hooked(self, hook: Callable[[Any], Any], position: Position) -> Iterator[Instruction]:
        """Instructions that put what a hook makes of the top of the stack into its place."""
        load = Instruction(_CODES["LOAD_CONST"], self._constant(hook), position)
        null, swap = ("PUSH_NULL", 0), ("SWAP", 2)
        order = (load, swap, null, swap) if _CALLABLE_FIRST else (null, swap, load, swap)
        for step in order:
            yield step if isinstance(step, Instruction) else Instruction(_CODES[step[0]], step[1], position)
        if "PRECALL" in _CODES:
            yield Instruction(_CODES["PRECALL"], 1, position)
        yield Instruction(_CODES["CALL"], 1, position)


def _question(threads: Any, ident: Any) -> Callable[..., Any]:
    def function() -> Any:
        if threads and ident() in threads:
            return ident
        return threads(ident)

    return function


_MAKING: Final = frozenset((
    "CALL", "CALL_KW", "CALL_FUNCTION_EX", "BINARY_OP", "UNARY_NEGATIVE", "UNARY_INVERT", "UNARY_POSITIVE",
))  # fmt: skip
"""Instructions that give what may be new."""


@cache
def _template() -> list[tuple[Instruction, str]]:
    """Return what this interpreter compiles of the condition, each with the name of what it loads."""
    code = _question(None, None).__code__
    found: list[tuple[Instruction, str]] = []
    body = disassembled(code).instructions
    start = [i.name for i in body].index("RESUME") + 1
    last = max(k for k, i in enumerate(body) if i.target is not None)
    for i in body[start : last + 1]:
        found.append((i, code.co_freevars[i.argument] if i.name == "LOAD_DEREF" else ""))
    if {name for _, name in found} != {"", "threads", "ident"}:
        raise UnknownCodeError
    return found
