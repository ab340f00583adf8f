"""Programs that are made again with more room for functions that hold functions of their own kind.

    Roomy(make, call, (64,))(x)       what call(x) returns, or where that finds no room, make((256,))(x), ...
    growing(make)(x)                  the same for make(()) = (call, (64,)), and call(x) for (call, ())

Where such a program is differentiated, the contents of functions lie in rows of arrays, a number of them for
each type of records (`passes/records_to_rows.py`). A call that needs more rows ends; the program is then made
with four times as many and called again, and so are all later calls.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from mlirad.errors import NoRoomError, OutOfMemoryError
from mlirad.jit.forking import CompileLock

GROWTH = 4
"""The factor by which rows grow after a call that found too few."""


class Roomy:
    """A program as it was made last, by `make`, with `rooms` for the records of each type."""

    def __init__(
        self,
        make: Callable[[tuple[int, ...]], Callable[..., Any]],
        call: Callable[..., Any],
        rooms: tuple[int, ...],
    ) -> None:
        self._make = make
        self._made = call, rooms
        self._lock = CompileLock()

    @property
    def rooms(self) -> tuple[int, ...]:
        """Return how many rows there are for the records of each type."""
        return self._made[1]

    def __call__(self, *arguments: Any) -> Any:
        """The results for flat arguments. Raises `OutOfMemoryError` where rows would exceed the memory."""
        while True:
            call, rooms = self._made
            try:
                return call(*arguments)
            except NoRoomError as error:
                self._grow(rooms, error.record)

    def _grow(self, rooms: tuple[int, ...], record: int) -> None:
        """Make the program with more rows for a type of records, unless another thread has."""
        with self._lock:
            if self._made[1] == rooms:
                more = tuple(GROWTH * n if k == record else n for k, n in enumerate(rooms))
                self._made = self._make(more), more


def growing(
    make: Callable[[tuple[int, ...]], tuple[Callable[..., Any], tuple[int, ...]]],
) -> Callable[..., Any]:
    """A program that grows, if it has records.

    `make` makes it of numbers of rows, or of none for as many as usual, and says how many it has.
    """
    call, rooms = make(())
    return Roomy(lambda rooms: make(rooms)[0], call, rooms) if rooms else call


def require_rows(nbytes: int) -> None:
    """Raise `OutOfMemoryError` where the rows of a program would exceed the memory of the machine."""
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return
    there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if nbytes > there:
        raise OutOfMemoryError(
            f"functions hold too many of their own kind: their derivative would take {nbytes >> 20} MiB",
            hint="check that the loop or recursion which makes them ends, or let it make fewer",
        )
