"""Source locations: where an op comes from, as an attribute on the op and as the text that errors print.

    op.location = source_location("model.py", 12)
    location_of(op)      -->  "model.py:12"
    location_of(parsed)  -->  "input.mlir:3:8"        parsed text knows its columns

A location without a column has column 0. Call-site, fused and named locations are read as the first position
in a file that they contain: the callee before the caller, the first of the fused ones.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    NameLoc,
    StringAttr,
)
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue


class FileLocation(NamedTuple):
    """A place in a file; `line` counts from 1, `column` from 1, and is 0 where it is not known."""

    file: str
    line: int
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" + (f":{self.column}" if self.column else "")


_PLACE = re.compile(r"(?P<file>.*?):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?", re.DOTALL)


def read_place(text: str) -> FileLocation | None:
    """The place that `file:line` or `file:line:column` names, `None` if the text is neither."""
    found = _PLACE.fullmatch(text)
    if found is None:
        return None
    return FileLocation(found["file"], int(found["line"]), int(found["column"] or 0))


@lru_cache(maxsize=65536)
def source_location(file: str, line: int, column: int = 0) -> FileLineColLoc:
    """The location attribute of a place in a file. Interned."""
    return FileLineColLoc(_file_name(file), IntAttr(line), IntAttr(column))


@lru_cache(maxsize=256)
def _file_name(file: str) -> StringAttr:
    return StringAttr(file)


def place_of(location: Attribute) -> FileLocation | None:
    """The first place in a file that a location attribute contains, `None` for an unknown one."""
    pending: list[Attribute] = [location]
    while pending:
        current = pending.pop()
        match current:
            case FileLineColLoc():
                return FileLocation(current.filename.data, current.line.data, current.column.data)
            case NameLoc():
                pending.append(current.location)
            case CallSiteLoc():
                pending += (current.caller, current.callee)
            case FusedLoc():
                pending += reversed(cast("ArrayAttr[Attribute]", current.locations).data)
            case _:
                continue
    return None


def location_of(op: Operation) -> str | None:
    """`file:line`, or `file:line:column` where the column is known, of the source of `op`.

    An op without a location of its own has that of the nearest op around it; `None` if no op has one.
    """
    current: Operation | None = op
    while current is not None:
        place = place_of(current.location)
        if place is not None:
            return str(place)
        current = current.parent_op()
    return None


def name_of(value: SSAValue) -> str:
    """Return how an error names a value: `%x`, or what it is where it has no name."""
    if value.name_hint is not None:
        return f"%{value.name_hint}"
    if isinstance(value, BlockArgument):
        return f"argument {value.index}"
    owner = value.owner
    return f"the result of {owner.name}" if isinstance(owner, Operation) else "a value"
