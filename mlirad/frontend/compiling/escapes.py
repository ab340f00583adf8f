"""Traced values that a function leaves where it keeps things: they outlive their trace, and have no numbers.

    def loss(self, x):
        self.last = x              warns with this line
        self.history.append(x)     and so does this

They are looked for when a program has been made, by the walk that finds what a function reads. Here it also
looks at what the code assigns.
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Callable, Iterable
from types import CodeType, FunctionType
from typing import Any, Final

from mlirad.frontend.compiling.recompiles import warn
from mlirad.frontend.tracing.capture_walk import Walk
from mlirad.frontend.tracing.captures import Captures
from mlirad.frontend.tracing.code_reads import CodeReads, setter
from mlirad.frontend.tracing.function_names import function_name
from mlirad.frontend.tracing.open_traces import Known, Traced, TracedParts, is_tracing

_ASSIGN: Final = frozenset(("STORE_ATTR", "STORE_GLOBAL", "STORE_DEREF"))
"""Instructions that give a name what outlives the call."""

_FILL: Final = frozenset(("STORE_SUBSCR", "STORE_SLICE"))

_FILLING: Final = frozenset((
    "append", "appendleft", "extend", "extendleft", "insert", "add", "update", "setdefault", "put", "push",
    "setattr", "__setattr__", "__setitem__", "__dict__", "vars", "globals",
))  # fmt: skip
"""Names by which code reaches what puts something into an object."""

_BEGINNING: Final = frozenset(("__init__", "__new__", "__post_init__"))
"""Functions that make objects: what they assign is replaced by others."""

_KEEPING: Final = frozenset(dis.opmap[name] for name in _ASSIGN | _FILL if name in dis.opmap)


class Escapes:
    """Warns of the traced values that a function leaves behind, once for each place."""

    def __init__(self) -> None:
        self._warned: set[str] = set()

    def note(self, function: Callable[..., Any], captures: Captures) -> None:
        """Warn of what a trace of `function`, which reads `captures`, has left.

        Within another trace there may be values of that one, which is not over.
        """
        if is_tracing() or not any(map(_may_keep, captures.codes)):
            return
        written = {name[1:] for name in captures.names if name == setter(name[1:])}
        walk = _Search(captures.names | written)
        walk.run(function)
        for path in walk.found:
            holder = _holder(path)
            if holder not in self._warned:
                self._warned.add(holder)
                warn(
                    f"{function_name(function)} leaves a traced value in {holder}, where it outlives the "
                    "trace. It has no numbers: it stands for what the program computes, whose calls leave "
                    "nothing there",
                    "return it as a result; has_aux=True takes results beside the value",
                    place=_place_of(holder, function, walk.codes),
                )


class _Search(Walk):
    """The walk over what a function reaches and assigns, for traced values."""

    def __init__(self, names: frozenset[str]):
        super().__init__(names, frozenset())
        self.found: list[str] = []

    def _look_at(self, value: Any, path: str) -> None:
        if isinstance(value, Traced | TracedParts) and not isinstance(value, Known):
            self.found.append(path)
        else:
            super()._look_at(value, path)

    def _array(self, array: Any, path: str) -> None:
        if array.dtype.hasobject:
            super()._array(array, path)

    def _globals(self, function: FunctionType, reads: CodeReads, path: str) -> None:
        super()._globals(function, reads, path)
        for name in reads.assigned:
            self._look_at(function.__globals__.get(name), name)


def _may_keep(code: CodeType) -> bool:
    """Return whether code may put something where it outlives the call."""
    return not _FILLING.isdisjoint(code.co_names) or not _KEEPING.isdisjoint(code.co_code[::2])


def _holder(path: str) -> str:
    """The variable or attribute at the end of a path, without the elements in it."""
    while path.endswith("]"):
        path = path[: path.rindex("[")]
    return path


def _place_of(holder: str, function: Callable[..., Any], codes: Iterable[CodeType]) -> tuple[str, int] | None:
    """The line that assigns what `holder` names or puts something into it, else that of the function."""
    name = holder.rpartition(".")[2].rpartition(" ")[2]
    ordered = sorted(codes, key=lambda code: (code.co_filename, code.co_firstlineno))
    ordinary = [code for code in ordered if code.co_name not in _BEGINNING]
    for finds in (_assigns, _fills):
        for code in ordinary:
            for line, instructions in _lines(code):
                if finds(instructions, name):
                    return code.co_filename, line
    own = getattr(inspect.unwrap(function), "__code__", None)
    return None if own is None else (own.co_filename, own.co_firstlineno)


def _lines(code: CodeType) -> list[tuple[int, list[dis.Instruction]]]:
    lines: dict[int, list[dis.Instruction]] = {}
    for instruction in dis.get_instructions(code):
        if instruction.positions is not None and instruction.positions.lineno is not None:
            lines.setdefault(instruction.positions.lineno, []).append(instruction)
    return list(lines.items())


def _assigns(instructions: list[dis.Instruction], name: str) -> bool:
    return any(i.opname in _ASSIGN and i.argval == name for i in instructions)


def _fills(instructions: list[dis.Instruction], name: str) -> bool:
    fills = any(i.opname in _FILL or i.argval in _FILLING for i in instructions if _is_name_or_store(i))
    return fills and any(i.argval == name for i in instructions)


def _is_name_or_store(instruction: dis.Instruction) -> bool:
    return instruction.opname in _FILL or isinstance(instruction.argval, str)
