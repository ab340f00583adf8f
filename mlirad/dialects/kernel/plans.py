"""The attributes in which a memory plan is stated, and the rules that each of them obeys on its own.

    kernel.arena_bytes    of a function: the bytes of memory that it works in
    kernel.places         of a loop, branch, call or `array.save`: per result a place, as `places` of kernels
    kernel.strides        of a loop: per result the bytes from one of its rows to the next, 0 where there is
                          nothing between them
    kernel.carries        of a loop: per carry how it is kept
    kernel.updates        of a function and of every call of it: pairs of a result and the argument whose
                          memory it takes over

A place with sizes in it is rounded up to the alignment of the arena when the program runs.

A plan is checked when it is used: `mlirad.lower.kernels.plan_verification`.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import I64, DenseArrayBase, IntegerAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.extents_attribute import ExtentAttr
from mlirad.dialects.shapes import Shape, integer_of, is_ints, values_of

ARENA_ATTRIBUTE = "kernel.arena_bytes"
"""The function attribute that states the size of the arena, in bytes."""

PLACES_ATTRIBUTE = "kernel.places"
"""The places of the results of a loop, branch or call."""

STRIDES_ATTRIBUTE = "kernel.strides"
"""The bytes from one row of each result of a loop to the next, where results share records; 0 for others."""

CARRIES_ATTRIBUTE = "kernel.carries"
"""The way each carry of a loop is kept: `IN_PLACE`, `COPIED` or the offset of its scratch memory."""

UPDATES_ATTRIBUTE = "kernel.updates"
"""The attribute of a function, or a call of it, with pairs of a result and the argument whose memory it takes
over.
"""

IN_PLACE = -1
COPIED = -2

MAX_ARENA_BYTES = 2**48
"""The largest arena: addresses of what is larger do not fit a machine word."""


def stated_arena(function: FuncOp) -> int | None:
    """The bytes of a function's arena, `None` before planning."""
    found = function.attributes.get(ARENA_ATTRIBUTE)
    return None if found is None else integer_of(cast("IntegerAttr[I64]", found))


def stated_places(op: Operation) -> Shape | None:
    """The places of the results of a loop, branch or call, `None` before planning."""
    return _stated(op, PLACES_ATTRIBUTE)


def stated_strides(op: Operation) -> Shape:
    """The bytes between rows of each result of a loop; 0 for rows that follow each other."""
    return _stated(op, STRIDES_ATTRIBUTE) or (0,) * len(op.results)


def stated_carries(op: Operation) -> Shape | None:
    """Return how the carries of a loop are kept, `None` before planning."""
    return _stated(op, CARRIES_ATTRIBUTE)


def stated_updates(op: Operation) -> dict[int, int]:
    """From the results of a function, or of a call of it, that overwrite an argument to that argument."""
    found = _stated(op, UPDATES_ATTRIBUTE) or ()
    return dict(zip(found[::2], found[1::2], strict=True))


def _stated(op: Operation, name: str) -> Shape | None:
    found = op.attributes.get(name)
    return None if found is None else values_of(cast("DenseArrayBase[I64]", found))


def check_plan_attributes(op: Operation) -> None:
    """Require the attributes that state a plan to be of their types and in their ranges."""
    if not op.attributes:
        return
    arena = op.attributes.get(ARENA_ATTRIBUTE)
    if (
        arena is not None
        and not isinstance(arena, ExtentAttr)
        and not (
            isinstance(arena, IntegerAttr)
            and cast(Attribute, arena.type) == i64
            and 0 <= arena.value.data <= MAX_ARENA_BYTES
        )
    ):
        raise VerifyException(
            f"attribute '{ARENA_ATTRIBUTE}' must be a number of bytes, an i64 of at most 2**48, got {arena}"
        )
    for name in (PLACES_ATTRIBUTE, STRIDES_ATTRIBUTE, CARRIES_ATTRIBUTE, UPDATES_ATTRIBUTE):
        found = op.attributes.get(name)
        if found is not None and not is_ints(found):
            raise VerifyException(f"attribute '{name}' must be an array<i64: ...>, got {found}")
    updates = _stated(op, UPDATES_ATTRIBUTE) or ()
    results, arguments = updates[::2], updates[1::2]
    if len(results) != len(arguments) or len({*results}) + len({*arguments}) != len(updates):
        raise VerifyException(f"attribute '{UPDATES_ATTRIBUTE}' must pair each result with one argument")
