"""LLVM IR and assembly with the origin of every instruction.

In the text of a program comments say where instructions come from. They become debug information, so that
LLVM says of every machine instruction which of them it was made of:

    %.4 = fmul double %x, %x ; model.py:12:7      -->      %.4 = fmul double %x, %x, !dbg !11
    !11 = !DILocation(line: 7, ...)               -->      .loc 1 7

The line of a location is the number of the origin, as columns of LLVM have 16 bits.
"""

from __future__ import annotations

import re

from mlirad.explorer.origins import Listing, Origins
from mlirad.jit.engine import assembly

_COMMENT = re.compile(r" ; (\S.*:\d+(?::\d+)?)$")
_DEFINE = re.compile(r"^define .* @([^(]+)\(.*\{$")
_CALL = re.compile(r"\bcall [^@]*@([^(]+)\(")
_LOC = re.compile(r"^\s*\.loc\s+\d+\s+(\d+)")
_NOISE = re.compile(r"^\s*\.(?:cfi_|loc\b|file\b|Ltmp|size\b|ident\b|addrsig)|^\.L(?:tmp|func_)")
_END = re.compile(r"^\s*\.section\s+\"?\.debug")


def llvm_listing(text: str, origins: Origins) -> Listing:
    """The text without its comments."""
    lines: list[str] = []
    found: list[int] = []
    for line in text.splitlines():
        comment = _COMMENT.search(line)
        lines.append(line if comment is None else line[: comment.start()])
        found.append(0 if comment is None else origins.of_text(comment[1]))
    return Listing(lines, found)


def assembly_listing(text: str, origins: Origins) -> Listing:
    """The assembly that the text compiles to, without directives that say nothing to a reader."""
    lines: list[str] = []
    found: list[int] = []
    current = 0
    for line in assembly(with_debug_information(text, origins)).splitlines():
        place = _LOC.match(line)
        if place is not None:
            current = int(place[1])
        elif _END.match(line):
            break
        elif not _NOISE.match(line) and line.strip():
            plain = line.partition("# ")[0].rstrip().replace("\t", "    ")
            is_instruction = line.startswith("\t") and not line.startswith("\t.")
            if not plain.strip():
                continue
            if plain.endswith(":") and not plain.startswith(".L"):
                current = 0
            lines.append(plain)
            found.append(current if is_instruction and current < len(origins.places) else 0)
    return Listing(lines, found)


def with_debug_information(text: str, origins: Origins) -> str:
    """The text with locations instead of comments: every function that has any is a subprogram, and so is
    every function that calls one, as locations are lost where LLVM inlines into a function without.

    In such a function LLVM wants a location for every call, so instructions without a comment have that of
    the instruction before.
    """
    metadata = [
        "!llvm.dbg.cu = !{!9000000}",
        "!llvm.module.flags = !{!9000003}",
        '!9000000 = distinct !DICompileUnit(language: DW_LANG_C, file: !9000001, producer: "mlirad", '
        "isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly)",
        '!9000001 = !DIFile(filename: "program", directory: "")',
        "!9000002 = !DISubroutineType(types: !{null})",
        '!9000003 = !{i32 2, !"Debug Info Version", i32 3}',
    ]
    number = 9000004
    lines: list[str] = []
    known: dict[int, int] = {}
    scope, current = 0, 0
    functions = _functions(text)
    located = _located(functions)
    for function in functions:
        if _name(function) not in located:
            lines += function
            continue
        for line in function:
            define = _DEFINE.match(line)
            if define is not None:
                scope, number, known, current = number, number + 1, {}, 0
                metadata.append(
                    f'!{scope} = distinct !DISubprogram(name: "{define[1]}", scope: !9000001, '
                    "file: !9000001, line: 1, type: !9000002, unit: !9000000, spFlags: DISPFlagDefinition)"
                )
                lines.append(f"{line[:-1]}!dbg !{scope} {{")
                continue
            comment = _COMMENT.search(line)
            if comment is not None:
                current = origins.of_text(comment[1])
                line = line[: comment.start()]
            if line.startswith("  ") and not line.startswith("    "):
                if current not in known:
                    known[current], number = number, number + 1
                    metadata.append(f"!{known[current]} = !DILocation(line: {current}, scope: !{scope})")
                line += f", !dbg !{known[current]}"
            lines.append(line)
    return "\n".join([*lines, *metadata]) + "\n"


def _located(functions: list[list[str]]) -> set[str]:
    """The names of functions that have comments, and of all that call them, one through the other."""
    called = {name: set(_CALL.findall("\n".join(f[1:]))) for f in functions if (name := _name(f))}
    located = {name for f in functions if (name := _name(f)) and any(map(_COMMENT.search, f))}
    while True:
        calling = {name for name, others in called.items() if not others.isdisjoint(located)}
        if calling <= located:
            return located
        located |= calling


def _name(function: list[str]) -> str:
    """Return the name of a function; '' for other lines."""
    define = _DEFINE.match(function[0]) if function else None
    return "" if define is None else define[1]


def _functions(text: str) -> list[list[str]]:
    """The lines of a text in parts: each function is one."""
    parts: list[list[str]] = [[]]
    for line in text.splitlines():
        if _DEFINE.match(line):
            parts.append([])
        parts[-1].append(line)
        if line == "}":
            parts.append([])
    return parts
