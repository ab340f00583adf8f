"""MLIR text as mutators and the reduction see it: tokens, and the spans of types, numbers, regions and ops.

Nothing here parses: spans are found in broken text as well, as far as brackets match.
"""

from __future__ import annotations

import re
from bisect import bisect_right

Span = tuple[int, int]

TOKEN = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|[%@^#!][A-Za-z0-9_.$-]*(?:\#\d+)?|->|'
    r"0x[0-9A-Fa-f]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|[A-Za-z_][A-Za-z0-9_.$]*|\s+|.",
    re.DOTALL,
)
NUMBER = re.compile(r"(?<![%@^#!\w.$])-?(?:0x[0-9A-Fa-f]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)(?![\w.])")
EXTENT = re.compile(r"(?<=[<x])\d+(?=x)")
OPERAND = re.compile(r"%[A-Za-z0-9_.$-]+(?:#\d+)?")
SYMBOL = re.compile(r"@[A-Za-z0-9_.$-]+")
OP_NAME = re.compile(
    r"\b(?:array|function|linear|kernel|func|builtin|arith|math|tensor|linalg|scf|affine|stablehlo|chlo)"
    r"\.[a-z_0-9.]+"
)
ENTRY = re.compile(r"(?<=[{,\[ ])[a-z_.]+ = (?:\[[^\[\]]*\]|array<[^<>]*>|\"[^\"]*\"|[-\w.+]+(?: : \w+)?)")
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
PLAN = re.compile(r"(?:places|layouts|order|carries|updates|arena_bytes|lane|width|tile|tile_dim) = [^,}]*")
_TYPE = re.compile(
    r"(?<![\w.%@#$])(?:tensor<|tuple<|![\w.]+<?|f64|f32|i64|i32|i1|index|vector<|memref<|complex<)"
)
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}


def without_comments(text: str) -> str:
    """The text without its comments and empty lines."""
    pieces = (m[0] for m in TOKEN.finditer(text) if not m[0].startswith("//"))
    return "".join(line + "\n" for line in "".join(pieces).split("\n") if line.strip())


def balanced(text: str, start: int) -> int | None:
    """The end of the group whose opening bracket stands at `start`, where there is one."""
    opening = text[start]
    closing = _CLOSING[opening]
    depth, position = 0, start
    while position < len(text):
        character = text[position]
        if character == '"':
            string = STRING.match(text, position)
            position = string.end() if string else position + 1
            continue
        if character == opening:
            depth += 1
        elif character == closing and not (closing == ">" and text[position - 1] == "-"):
            depth -= 1
            if depth == 0:
                return position + 1
        position += 1
    return None


def types(text: str) -> list[Span]:
    """Every type, those inside of others included."""
    found: list[Span] = []
    for match in _TYPE.finditer(text):
        end = match.end()
        if match[0].endswith("<"):
            end = balanced(text, end - 1) or end
        found.append((match.start(), end))
    return found


def regions(text: str) -> list[Span]:
    """Every group in braces that spans several lines."""
    found: list[Span] = []
    for match in re.finditer(r"\{(?=[^\S\n]*\n|\^)", text):
        end = balanced(text, match.start())
        if end is not None:
            found.append((match.start(), end))
    return found


def ops(text: str) -> list[Span]:
    """Every op that begins a line, with its regions, as whole lines."""
    opening = dict(regions(text))
    starts = sorted(opening)
    found: list[Span] = []
    position = 0
    while position < len(text):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end + 1
        line = text[position:end].strip()
        if line and line[0] not in "})":
            last = end
            while True:
                # A line that ends in a brace goes on after the group, and perhaps with another one.
                at = bisect_right(starts, last - 2) - 1
                brace = starts[at] if at >= 0 else -1
                line_start = text.rfind("\n", 0, last - 1) + 1
                if brace < line_start or opening[brace] <= last - 1:
                    break
                last = text.find("\n", opening[brace])
                last = len(text) if last < 0 else last + 1
            found.append((position, last))
        position = end
    return found


def spans(pattern: re.Pattern[str], text: str) -> list[Span]:
    """The spans that a pattern matches."""
    return [match.span() for match in pattern.finditer(text)]
