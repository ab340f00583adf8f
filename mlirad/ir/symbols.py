"""Names of functions that passes make."""

from __future__ import annotations

from collections.abc import Container


def free_name(wanted: str, taken: Container[str], separator: str = "") -> str:
    """`wanted`, followed by the separator and a number if that name is taken."""
    name, count = wanted, 0
    while name in taken:
        count += 1
        name = f"{wanted}{separator}{count}"
    return name
