"""Parts of the run-time library as one LLVM IR text, with the addresses of what they call.

    linked_text(("pool",), {"mlirad_rt_poll": 0x7F00}, "define internal void @mlirad_pause() {...}")

A declaration of a part is defined by another part, in the text beside them, or at an address: a given one, or
that of the function of this name in CPython's interface. Intrinsics of LLVM stay declared.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from mlirad.jit.pointers import pointer, python_functions
from mlirad.runtime import runtime_module

_DEFINED: Final = re.compile(r"^(?:define .*?)?@([\w.]+)(?:\(| = )", re.MULTILINE)
_SYMBOL: Final = re.compile(r"@([\w.]+)")


def linked_text(names: Sequence[str], addresses: Mapping[str, int], *beside: str) -> str:
    """The text of parts of the library and of definitions beside them."""
    modules = [runtime_module(name) for name in names]
    text = "\n".join([*(module.definitions for module in modules), *beside])
    defined = set(_DEFINED.findall(text))
    declared = {name: line for module in modules for name, line in module.declarations.items()}
    kept = [line for name, line in declared.items() if name.startswith("llvm.") and line not in text]
    outside = [name for name in declared if name not in defined and not name.startswith("llvm.")]
    pointers = python_functions([name for name in outside if name not in addresses])
    pointers |= {name: pointer(addresses[name]) for name in outside if name in addresses}
    text = _SYMBOL.sub(lambda found: pointers.get(found[1], found[0]), text)
    return "\n".join([text, *kept]) + "\n"
