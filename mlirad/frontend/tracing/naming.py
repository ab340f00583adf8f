"""Objects that are pickled by the name that their module has for them, as Python's functions are.

    @ad.function
    def power(x, n): ...         # pickled as the name `power` of its module

So every process has its own, made when it imports the module.
"""

from __future__ import annotations

import sys
from typing import Any, SupportsIndex


def global_name(thing: Any) -> str | None:
    """The name by which an object is found in the module that it says it is from, None where it is not."""
    name = getattr(thing, "__qualname__", None)
    found: Any = sys.modules.get(getattr(thing, "__module__", None) or "")
    if not isinstance(name, str) or found is None:
        return None
    for part in name.split("."):
        found = getattr(found, part, None)
    return name if found is thing else None


class Named:
    """A function of a kind of its own, pickled by its name where it has one; copies are then itself."""

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        return global_name(self) or super().__reduce_ex__(protocol)
