"""Texts of LLVM IR with names for addresses and numbers, and two short forms:

    ${name}                              what `filled` is given for the name
    %x = load i64, ptr %base[i64 3]      of the element 3 after an address: a `getelementptr` and the load
    if eq i64 %x, 0 then %a else %b      an `icmp` and the branch

filled("call void ${free}(ptr %x)", {"free": pointer(0x7F00)})
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import count
from types import ModuleType

from mlirad.jit.object_layout import python_function

_ELEMENT = re.compile(r"^(.*ptr )([%@][\w.]+)\[(\w+) (\S+)\]", re.MULTILINE)
_IF = re.compile(r"^  if (.*) then (%\S+) else (%\S+)$", re.MULTILINE)


def filled(text: str, values: Mapping[str, object]) -> str:
    """The text with the value of each name in its places, and its short forms written out."""
    for name, value in values.items():
        text = text.replace(f"${{{name}}}", str(value))
    names = (f"%.{k}" for k in count())

    def element(found: re.Match[str]) -> str:
        at = next(names)
        return f"  {at} = getelementptr {found[3]}, ptr {found[2]}, i64 {found[4]}\n{found[1]}{at}"

    def branch(found: re.Match[str]) -> str:
        test = next(names)
        return f"  {test} = icmp {found[1]}\n  br i1 {test}, label {found[2]}, label {found[3]}"

    return _IF.sub(branch, _ELEMENT.sub(element, text))


ADDRESS = re.compile(r"inttoptr \(i64 ([1-9]\d*) to ptr\)")
"""An address in a text, as `pointer` writes it; null is none."""


def pointer(address: int) -> str:
    """An address as a constant of LLVM IR."""
    return f"inttoptr (i64 {address} to ptr)"


def python_functions(names: Sequence[str]) -> dict[str, str]:
    """The addresses of functions of Python's interface for C, by their names."""
    return {name: pointer(python_function(name)) for name in names}


def constants(module: ModuleType) -> dict[str, object]:
    """The constants of a module, by their names."""
    return {name: value for name, value in vars(module).items() if name.isupper()}
