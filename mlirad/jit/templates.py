"""Filling in addresses and numbers where a text of LLVM IR has `${name}`.

filled("call void ${free}(ptr %x)", {"free": pointer(0x7F00)})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType

from mlirad.jit.object_layout import python_function


def filled(text: str, values: Mapping[str, object]) -> str:
    """The text with the value of each name in its places."""
    for name, value in values.items():
        text = text.replace(f"${{{name}}}", str(value))
    return text


def pointer(address: int) -> str:
    """An address as a constant of LLVM IR."""
    return f"inttoptr (i64 {address} to ptr)"


def python_functions(names: Sequence[str]) -> dict[str, str]:
    """The addresses of functions of Python's interface for C, by their names."""
    return {name: pointer(python_function(name)) for name in names}


def constants(module: ModuleType) -> dict[str, object]:
    """The constants of a module, by their names."""
    return {name: value for name, value in vars(module).items() if name.isupper()}
