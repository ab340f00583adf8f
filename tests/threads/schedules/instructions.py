"""Reads the LLVM IR that the machine runs: functions as blocks of instructions, globals by size.

    functions, sizes, types = parsed(text)      {"f": Function("f", ...)}, {"counts": 4}, {"%job": 10}

It reads as much as the pool of worker threads is written in: integers and pointers, each a word of 8 bytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod

WORD = 8


@dataclass(frozen=True)
class Instruction:
    """An instruction: the name of its result ("" if there is none), what it is, and its text after that."""

    result: str
    op: str
    rest: str


@dataclass(frozen=True)
class Function:
    """A function: the names of its parameters, and its blocks by label, in order; the first is its entry."""

    name: str
    parameters: tuple[str, ...]
    blocks: dict[str, list[Instruction]]
    entry: str


_DEFINITION = re.compile(r"define (?:internal )?\S+ @([\w.]+)\((.*)\)[^{)]*\{$")
_GLOBAL = re.compile(r"@([\w.]+) = (?:internal )?global (.*) zeroinitializer")
_TYPE = re.compile(r"(%\w+) = type (.*)")
_INSTRUCTION = re.compile(r"(?:(%[\w.]+) = )?(\w+)\s*(.*)")


def parsed(text: str) -> tuple[dict[str, Function], dict[str, int], dict[str, int]]:
    """The functions by name, the words of each global, and the words of each named type."""
    functions: dict[str, Function] = {}
    sizes: dict[str, int] = {}
    types: dict[str, int] = {}
    name, parameters = "", ()
    blocks: dict[str, list[Instruction]] = {}
    block: list[Instruction] = []
    for line in _lines(text):
        if found := _TYPE.match(line):
            types[found[1]] = words(found[2], types)
        elif found := _GLOBAL.match(line):
            sizes[found[1]] = words(found[2], types)
        elif found := _DEFINITION.match(line):
            name, parameters = found[1], tuple(re.findall(r"%[\w.]+", found[2]))
            block = []
            blocks = {"": block}
        elif line == "}":
            if not blocks[""]:
                del blocks[""]
            functions[name] = Function(name, parameters, blocks, next(iter(blocks)))
        elif line.endswith(":"):
            block = blocks[line[:-1]] = []
        elif not line.startswith("declare"):
            found = _INSTRUCTION.match(line)
            assert found, line
            block.append(Instruction(found[1] or "", found[2], found[3]))
    return functions, sizes, types


def words(type_: str, types: dict[str, int]) -> int:
    """The words of a type: an array `[3 x [4 x i64]]`, a named one, or one word."""
    found = re.fullmatch(r"\[(\d+) x (.*)\]", type_)
    if found:
        return prod((int(found[1]), words(found[2], types)))
    return types.get(type_, 1)


def _lines(text: str) -> list[str]:
    """The lines without comments; one that ends within a list goes on in the next."""
    found: list[str] = []
    pending = ""
    for line in text.splitlines():
        line = pending + line.partition(";")[0].strip()
        pending = ""
        if line.endswith((",", "(")):
            pending = line + " " if line.endswith(",") else line
        elif line:
            found.append(line)
    return found
