"""Reads the LLVM IR that the machine runs: functions as blocks of instructions, globals by size.

    functions, sizes, types = parsed(text)      {"f": Function("f", ...)}, {"counts": 4}, {"%job": 10}

It reads as much as clang makes of the pool of worker threads: integers and pointers, each a word of 8 bytes
in structures.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

WORD = 8


@dataclass(frozen=True)
class Instruction:
    """An instruction: the name of its result ("" without one), its operation, and its text after that."""

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


_DEFINITION = re.compile(r"define [^@]*@([\w.]+)\((.*)\)[^{)]*\{$")
_GLOBAL = re.compile(r"@([\w.]+) = (?:internal )?global (.*) (?:zeroinitializer|0)(?:,|$)")
_TYPE = re.compile(r"(%[\w.]+) = type (.*)")
_INSTRUCTION = re.compile(r"(?:(%[\w.]+) = )?(?:tail )?(\w+)\s*(.*)")
_FLAGS = re.compile(r"\b(inbounds|nuw|nsw|nneg|samesign|disjoint|exact) ")
_SYMBOL_AS_NUMBER = re.compile(r"ptrtoint \(ptr (@[\w.]+) to i64\)")
_BITS = {"i1": 8, "i8": 8, "i32": 32, "i64": 64, "ptr": 64}


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
            found = _INSTRUCTION.match(_SYMBOL_AS_NUMBER.sub(r"\1", _FLAGS.sub("", line)))
            assert found, line
            block.append(Instruction(found[1] or "", found[2], found[3]))
    return functions, sizes, types


def words(type_: str, types: dict[str, int]) -> int:
    """The words of a type, part of one as a whole one."""
    return -(-size(type_, types) // WORD)


def size(type_: str, types: dict[str, int]) -> int:
    """The bytes of a type: an array `[3 x [4 x i64]]`, a structure `{ i64, ptr }`, a named one, a number."""
    if found := re.fullmatch(r"\[(\d+) x (.*)\]", type_):
        return int(found[1]) * size(found[2], types)
    if type_.startswith("{"):
        return sum(size(part, types) for part in type_.strip("{ }").split(", "))
    return WORD * types[type_] if type_ in types else _BITS[type_] // 8


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
