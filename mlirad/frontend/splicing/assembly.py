"""Code as a list of instructions that others can be put between, and code objects made of such lists.

    body = disassembled(code)             instructions, with jumps to instructions
    assembled(code, body)                 the code object; with more constants and stack if asked for

Jumps, handlers of errors and source positions follow the instructions.
"""

from __future__ import annotations

import dis
from collections.abc import Iterable, Sequence
from dataclasses import field
from types import CodeType
from typing import Any, Final, TypeAlias

from mlirad.frontend.splicing.code_tables import (
    Handler,
    Position,
    encoded_handlers,
    encoded_positions,
    handlers,
)
from mlirad.frontend.splicing.insertion import CACHE_UNITS, UnknownCodeError, with_argument
from mlirad.lazy_dataclass import dataclass

_EXTENDED: Final = dis.EXTENDED_ARG
_JUMPS: Final = frozenset(dis.hasjrel)
_BACKWARD: Final = frozenset(op for op in _JUMPS if "BACKWARD" in dis.opname[op])


@dataclass(eq=False, slots=True)
class Instruction:
    """One instruction; a jump has a `target` in place of an argument."""

    operation: int
    argument: int = 0
    position: Position = (None, None, None, None)
    target: Instruction | None = None

    @property
    def name(self) -> str:
        """The name of the operation."""
        return dis.opname[self.operation]


_Handled: TypeAlias = "tuple[Instruction, Instruction | None, Instruction, int]"


@dataclass
class Body:
    """Instructions, and what handles their errors: from which one up to before which one."""

    instructions: list[Instruction]
    handlers: list[_Handled] = field(default_factory=list[Any])


def disassembled(code: CodeType) -> Body:
    """The instructions of a code object."""
    if dis.hasjabs:
        raise UnknownCodeError
    units = code.co_code
    positions = list(code.co_positions())
    at: dict[int, Instruction] = {}
    jumps: list[tuple[Instruction, int]] = []
    unit = start = argument = 0
    while 2 * unit < len(units):
        operation, low = units[2 * unit], units[2 * unit + 1]
        argument = argument << 8 | low
        unit += 1
        if operation == _EXTENDED:
            continue
        found = at[start] = Instruction(operation, argument, positions[unit - 1])
        unit += CACHE_UNITS[operation]
        if operation in _JUMPS:
            jumps.append((found, unit - argument if operation in _BACKWARD else unit + argument))
        start, argument = unit, 0
    for jump, target in jumps:
        jump.target = at[target]
    found = [(at[h.start], at.get(h.end), at[h.target], h.depth_and_lasti) for h in handlers(code)]
    return Body(list(at.values()), found)


def assembled(code: CodeType, body: Body, constants: Sequence[object], stack: int) -> CodeType:
    """The code object that has these instructions, and is like another one in all other respects."""
    placed, end = _placed(body.instructions)
    units = bytearray()
    positions: list[tuple[int, Position]] = []
    for instruction, (_, size) in placed.items():
        operation, caches = instruction.operation, CACHE_UNITS[instruction.operation]
        argument = _argument(instruction, placed)
        made = bytes((operation, argument)) if size == 1 else with_argument(operation, argument)
        units += bytes((_EXTENDED, 0)) * (size - len(made) // 2) + made + bytes(2 * caches)
        positions.append((size + caches, instruction.position))
    table = [
        Handler(placed[first][0], end if last is None else placed[last][0], placed[target][0], rest)
        for first, last, target, rest in body.handlers
    ]
    return code.replace(
        co_code=bytes(units),
        co_consts=tuple(constants),
        co_stacksize=code.co_stacksize + stack,
        co_exceptiontable=encoded_handlers(sorted(table, key=lambda h: h.start)),
        co_linetable=encoded_positions(code.co_firstlineno, positions),
    )


_Placed = dict[Instruction, tuple[int, int]]
"""By instruction the unit at which it starts, and how many it has without its caches."""


def _placed(instructions: Iterable[Instruction]) -> tuple[_Placed, int]:
    """Return where instructions stand, and end: long jumps need more units, which can make others longer."""
    sizes = {i: _size(i.argument) for i in instructions}
    jumps = [i for i in sizes if i.target is not None]
    while True:
        placed: _Placed = {}
        unit = 0
        for instruction, size in sizes.items():
            placed[instruction] = unit, size
            unit += size + CACHE_UNITS[instruction.operation]
        longer = {i: size for i in jumps if (size := _size(_argument(i, placed))) > sizes[i]}
        if not longer:
            return placed, unit
        sizes |= longer


def _size(argument: int) -> int:
    """Return how many units an argument needs, with the operation."""
    return 1 if argument < 256 else (argument.bit_length() + 7) // 8


def _argument(instruction: Instruction, placed: _Placed) -> int:
    if instruction.target is None:
        return instruction.argument
    start, size = placed[instruction]
    distance = placed[instruction.target][0] - (start + size + CACHE_UNITS[instruction.operation])
    is_backward = instruction.operation in _BACKWARD
    if (distance > 0) if is_backward else (distance < 0):
        raise UnknownCodeError
    return abs(distance)
