"""Objects that copies stand for in a body: the body must not read by another name what it writes by theirs.

    v = box.v                     In the branch v is a copy, which is written. The array in `box` is the one
    if x > 0:                     from before the branch, so reading it there is an error.
        v[0] = x
        y = box.v.sum()

The iterations of a loop are traced once, so there what is read before it is written is an error, too: in the
next iteration it is read afterwards.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Generator, Mapping, Set
from contextlib import contextmanager
from typing import Any

from mlirad.frontend.control_flow.aliases import COPY, arrays_in
from mlirad.frontend.control_flow.objects import is_mutable
from mlirad.frontend.control_flow.originals import Originals
from mlirad.frontend.tracing.array import Array, base_of, current_twins
from mlirad.frontend.tracing.frames import current_frame
from mlirad.frontend.tracing.raising import tracing_error


@contextmanager
def standing(originals: Originals) -> Generator[None]:
    """Have arrays, and those that they may be, know the copies that stand for them in a body."""
    before: dict[int, tuple[Array, tuple[Array, ...]]] = {}
    for found in originals.arrays():
        base, copy = base_of(found.original), base_of(found.copy)
        for x in (base, *current_twins(base)):
            before.setdefault(id(x), (x, x._stand_ins))
            x._stand_ins = (*x._stand_ins, copy)
    bodies = current_frame().bodies
    bodies.append(originals)
    try:
        yield
    finally:
        bodies.pop()
        for x, stand_ins in before.values():
            x._stand_ins = stand_ins


def passed_by(originals: Originals) -> set[int]:
    """The arrays, by identity, that a body has read by another name than those of their copies."""
    arrays = ((base_of(found.original), base_of(found.copy)) for found in originals.arrays())
    return {id(original) for original, copy in arrays if copy._is_passed_by}


def require_known(originals: Originals, passed: Set[int], what: str) -> None:
    """Raise if a body has written a copy, and reaches by another name what it stands for.

    Of arrays these are those `passed` by, which a loop reads in its next iteration, and of lists and
    dictionaries all that are in reach.
    """
    for found in originals.written():
        original = found.original
        reached = originals.outside if is_mutable(original) else passed
        if id(base_of(original) if isinstance(original, Array) else original) in reached:
            raise tracing_error(
                f"{what} with a traced condition writes {found.name}, which it also reaches by another name",
                f"write and read it by one name there, or make {found.name} a copy before",
            )


def require_own(first: int, what: str) -> None:
    """Raise if a loop writes what may be an array from outside of it, which the next iteration may read.

    Entries of the frame from the position `first` on were noted in the loop. Arrays that have copies in
    the loop are the matter of `require_known`.
    """
    frame = current_frame()
    for x in frame.doubted[first:]:
        if x._owner.is_open and x._owner is not frame.scope and not x._stand_ins:
            raise tracing_error(
                f"{what} with a traced condition writes an array that may be {x!r}, which is made outside",
                COPY,
            )


def read_all(values: Mapping[str, Any]) -> None:
    """Read the arrays in what a body gives: what they are must be known while the body is traced."""
    for _, x in arrays_in(values):
        _ = x.value
