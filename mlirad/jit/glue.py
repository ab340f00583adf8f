"""Glue: the machine code between Python and programs, made once per process or taken from where it is kept.

    load_glue("define i64 @f() {...}", ("f",)).addresses["f"]

Texts of glue hold addresses of this process: of functions of Python and NumPy, and of objects. Where glue is
kept for other processes, each address becomes a symbol that is given to the linker, so the text and its
object code are the same in all of them.
"""

from __future__ import annotations

import re
from typing import Final, Protocol

from mlirad.errors import CompileError
from mlirad.jit.engine import LoadedCode, load_object, quick_object_code
from mlirad.jit.pointers import ADDRESS
from mlirad.jit.target import Target, find_target

_SYMBOL: Final = "mlirad.address."


class GlueStore(Protocol):
    """A store of the object code of texts."""

    def find(self, text: str, target: Target) -> bytes | None:
        """The object code of a text, or None if it is not kept."""
        ...

    def keep(self, text: str, target: Target, code: bytes, name: str) -> None:
        """Keep the object code of a text, under a name for those who list what is kept."""
        ...

    def is_used(self) -> bool:
        """Return whether anything is kept at all."""
        ...


def keep_glue_in(store: GlueStore) -> None:
    """Have this process look for its glue in a store, and keep it there."""
    _stores[:] = [store]


_stores: Final[list[GlueStore]] = []


def load_glue(text: str, symbols: tuple[str, ...]) -> LoadedCode:
    """Load IR text without optimising it: code that runs a few instructions between others.

    Raises `CompileError` if the text is not valid LLVM IR.
    """
    target = find_target("native")
    store = next((s for s in _stores if s.is_used()), None)
    if store is None:
        return load_object(quick_object_code(text, target), symbols=symbols)
    free, addresses = without_addresses(text)
    for find in (store.find, quick_object_code):
        code = find(free, target)
        if code is None:
            continue
        try:
            loaded = load_object(code, symbols=symbols, externals=addresses)
        except CompileError:  # of a linker that does not reach an address, or of code that is no longer whole
            continue
        if find is quick_object_code:
            store.keep(free, target, code, symbols[0])
        return loaded
    return load_object(quick_object_code(text, target), symbols=symbols)


def without_addresses(text: str) -> tuple[str, dict[str, int]]:
    """A text with a symbol for each address in it, in the order in which they occur, and what these are."""
    symbols: dict[str, str] = {}

    def symbol(found: re.Match[str]) -> str:
        return "@" + symbols.setdefault(found[1], f"{_SYMBOL}{len(symbols)}")

    replaced = ADDRESS.sub(symbol, text)
    declared = [f"@{name} = external global [0 x i8]\n" for name in symbols.values()]
    return "".join([*declared, replaced]), {name: int(address) for address, name in symbols.items()}
