"""The other holders of a list or dictionary: variables of running functions, globals, and everything they
reach.

def first(items):                  After the `if`, items is a list of its own, or that of the caller. The
    if x > 0:                      caller has a variable for it, so no write to it can be traced. A list
        items = [*items]           that was made in this function, and is in no other variable, may be
    items[0] = x                   written.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Set
from types import CodeType, FrameType
from typing import Any, Final

from mlirad.frontend.control_flow.places import Attribute
from mlirad.frontend.control_flow.reached import LIMIT, Reached
from mlirad.frontend.tracing.code_reads import is_program_file
from mlirad.frontend.tracing.functions import call_for_values

_BEGINNING: Final[CodeType] = call_for_values.__code__
"""The code that calls the traced function, with copies of its arguments."""


def is_held_elsewhere(
    found: object, name: str, cells: Set[int], attributes: Iterable[Attribute] = ()
) -> bool:
    """Return whether anything but a variable of the innermost function that has this name holds an object.

    The variables in `cells` and the `attributes` are left out, since they are about to get other values.
    Where there is too much to look at, it may be held.
    """
    running = list(_running())
    values = tuple(_variables(running, name))
    codes = ((frame.f_code, frame.f_globals) for frame in running)
    reached = Reached((values,), cells, codes, attributes).objects
    return id(found) in reached or len(reached) >= LIMIT


def _running() -> Iterator[FrameType]:
    """The frames of the functions of the program that are running in this trace, from the innermost one."""
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None and frame.f_code is not _BEGINNING:
        if is_program_file(frame.f_code.co_filename):
            yield frame
        frame = frame.f_back


def _variables(running: Iterable[FrameType], name: str) -> Iterator[Any]:
    """The values of the variables of functions, without that one of the innermost function that has it."""
    is_inside = True
    for frame in running:
        yield from (value for key, value in frame.f_locals.items() if key != name or not is_inside)
        is_inside = is_inside and name not in frame.f_code.co_cellvars
