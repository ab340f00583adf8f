"""Loops over kernels whose iterations threads may share: which loops can be, and the attribute that says so.

    %p = array.scan (%t) over 16 {...} attributes {kernel.parallel = 2}      eight tasks of two iterations

The iterations of such a loop are independent: it has no carries, and hands over slices of its results, each
written by one iteration (where strips overlap, by two that follow each other). Values that its kernels
compute for each other lie in memory of the thread. Nests say the same of their outermost loop by their
property `parallel`.
"""

from __future__ import annotations

from typing import Final, cast

from xdsl.dialects.builtin import I64, IntegerAttr, i64
from xdsl.dialects.func import CallOp
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.control import ReplayOp, ScanOp, WhileOp
from mlirad.dialects.array.frames import NextRowOp, RestoreOp, SaveOp
from mlirad.dialects.extents import at_most
from mlirad.dialects.extents_attribute import ExtentAttr
from mlirad.dialects.kernel.strips import StripsOp
from mlirad.dialects.kernel.whole_arrays import CallbackOp, ReportOp
from mlirad.dialects.shapes import integer_of

PARALLEL_ATTRIBUTE: Final = "kernel.parallel"
"""The attribute of a loop over kernels that says how many iterations in a row are one task."""

_NOT_SHARED: Final = (ReportOp, CallbackOp, CallOp, SaveOp, RestoreOp, NextRowOp, ReplayOp)
"""Ops that run on one thread: they call the host, or use memory of the call."""


def stated_parallel(op: ScanOp | StripsOp) -> int | None:
    """Return the iterations of one task, None for a loop that threads do not share."""
    found = op.attributes.get(PARALLEL_ATTRIBUTE)
    return None if found is None else integer_of(cast("IntegerAttr[I64]", found))


def why_dependent(op: Operation) -> str | None:
    """Return the reason why threads cannot share the iterations of an op, None if they can."""
    if not isinstance(op, ScanOp | StripsOp):
        return f"{op.name} has no independent iterations"
    if op.carry_count:
        return "iterations with carries depend on each other"
    return keeps_to_one_thread(op)


def keeps_to_one_thread(op: ScanOp | StripsOp) -> str | None:
    """Return what in the body of a loop keeps threads from running it, None if nothing does."""
    for inner in op.body.walk():
        if isinstance(inner, _NOT_SHARED) or (isinstance(inner, WhileOp) and inner.tape is not None):
            return f"{inner.name} in its body is for one thread"
    return None


def check_parallel_attribute(op: Operation) -> None:
    """Require a number of iterations, of a loop whose iterations are independent."""
    found = op.attributes.get(PARALLEL_ATTRIBUTE)
    if found is None:
        return
    is_integer = isinstance(found, IntegerAttr) and cast(Attribute, found.type) == i64
    if not (is_integer or isinstance(found, ExtentAttr)) or not at_most(
        1, integer_of(cast("IntegerAttr[I64]", found))
    ):
        raise VerifyException(f"attribute '{PARALLEL_ATTRIBUTE}' must be an i64 from 1 on, got {found}")
    reason = why_dependent(op)
    if reason is not None:
        raise VerifyException(f"threads cannot share this loop: {reason}")
