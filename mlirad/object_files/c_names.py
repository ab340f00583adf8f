"""Names as C and C++ take them.

require_c_name("loss")                   raises nothing
require_c_name("2loss")                  raises UnsupportedError
c_names(["w['a']", "w['b']", "int"])     ["w_a", "w_b", "int_"]
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from mlirad.errors import ArgumentError
from mlirad.object_files.c_library import C_LIBRARY

_KEYWORDS: Final = frozenset(
    [
        "alignas",
        "alignof",
        "and",
        "and_eq",
        "asm",
        "auto",
        "bitand",
        "bitor",
        "bool",
        "break",
        "case",
        "catch",
        "char",
        "char8_t",
        "char16_t",
        "char32_t",
        "class",
        "co_await",
        "co_return",
        "co_yield",
        "compl",
        "concept",
        "const",
        "const_cast",
        "consteval",
        "constexpr",
        "constinit",
        "continue",
        "decltype",
        "default",
        "delete",
        "do",
        "double",
        "dynamic_cast",
        "else",
        "enum",
        "explicit",
        "export",
        "extern",
        "false",
        "float",
        "for",
        "friend",
        "goto",
        "if",
        "inline",
        "int",
        "long",
        "mutable",
        "namespace",
        "new",
        "noexcept",
        "not",
        "not_eq",
        "nullptr",
        "operator",
        "or",
        "or_eq",
        "private",
        "protected",
        "public",
        "register",
        "reinterpret_cast",
        "requires",
        "restrict",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "static_assert",
        "static_cast",
        "struct",
        "switch",
        "template",
        "this",
        "thread_local",
        "throw",
        "true",
        "try",
        "typedef",
        "typeid",
        "typename",
        "typeof",
        "typeof_unqual",
        "union",
        "unsigned",
        "using",
        "virtual",
        "void",
        "volatile",
        "wchar_t",
        "while",
        "xor",
        "xor_eq",
    ]
)
"""The keywords of C and of C++, and the names that headers of C define as macros for them."""

_DEFINED: Final = frozenset(
    [
        "EOF",
        "FILE",
        "HUGE_VAL",
        "I",
        "INFINITY",
        "NAN",
        "NULL",
        "RAND_MAX",
        "assert",
        "complex",
        "errno",
        "imaginary",
        "linux",
        "stderr",
        "stdin",
        "stdout",
        "unix",
        "int8_t",
        "int16_t",
        "int32_t",
        "int64_t",
        "ptrdiff_t",
        "size_t",
        "uint8_t",
        "uint16_t",
        "uint32_t",
        "uint64_t",
    ]
)
"""Macros and types of headers of C, and macros of compilers."""

SCRATCH: Final = "scratch"
"""The parameter that is the caller's scratch memory."""

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)


def require_c_name(name: str, hint: str) -> None:
    """Raise `UnsupportedError` for a name that no function of C and C++ may have."""
    why = None
    if not _NAME.fullmatch(name):
        why = "names begin with a letter, and consist of letters, digits and underscores"
    elif name in _KEYWORDS:
        why = "it is a keyword"
    elif name in _DEFINED:
        why = "headers of C define it"
    elif name in C_LIBRARY:
        why = "the C library has a function of this name"
    elif "__" in name:
        why = "names with two underscores in a row are reserved in C++"
    elif name.lower().startswith("mlirad_"):
        why = "names that begin with mlirad_ are the compiler's"
    if why is not None:
        raise ArgumentError(f"{name!r} cannot be the name of a C function: {why}", hint=hint)


def c_names(paths: Sequence[str]) -> list[str]:
    """For every path, such as `params['w'][0]`, the name of a parameter; all are different."""
    found: list[str] = []
    for path in paths:
        name = re.sub(r"[^A-Za-z0-9]+", "_", path).strip("_")
        if not name or name[0].isdigit():
            name = f"x_{name}".rstrip("_")
        if name in _KEYWORDS or name in _DEFINED or name == SCRATCH:
            name += "_"
        candidate, k = name, 1
        while candidate in found:
            k += 1
            candidate = f"{name}_{k}"
        found.append(candidate)
    return found
