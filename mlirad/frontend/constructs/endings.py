"""Loops on traced conditions that an exception of the program ends, as it ends Python's.

    while True:
        n = n + 1
        if n > limit:                   the loop stops here, and the call raises when it ends
            raise RuntimeError("no convergence")

A report does not stop a program by itself. So a loop in which an exception may be all that ends it
carries whether there was one. Loops with a bounded number of iterations need nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numpy as np

from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.frames import Scope, current_frame
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.frontend.tracing.raising import unsupported_error
from mlirad.frontend.tracing.tokens import last_token, resume

T = TypeVar("T")


class Part:
    """The body of a loop, or a branch in it, that is being traced: its scope, and whether it ends the loop.

    `failed` is None as long as the body or the branch does not yield it.
    """

    def __init__(self) -> None:
        self.scope: Scope | None = None
        self.failed: Any = None


class _Open(threading.local):
    def __init__(self) -> None:
        self.parts: list[Part] = []


_open = _Open()


class Ends(BaseException):
    """A part meets an exception, which it does not pass on yet."""

    def __init__(self, part: Part):
        self.part = part


def in_loop() -> bool:
    """Return whether the body of a loop on a traced condition is being traced."""
    return bool(_open.parts)


def traced_part(part: Part, failed: Any, body: Callable[[], T]) -> T:
    """Return what a body gives, which is traced as a part, in a scope of its own."""
    part.scope, part.failed = current_frame().scope, failed
    _open.parts.append(part)
    try:
        return body()
    finally:
        _open.parts.pop()


def ended_by_exceptions(
    repeated: Callable[..., Any],
    cond: Callable[[Any], Any],
    body: Callable[[Any], Any],
    init: Any,
    what: str,
    *,
    of_variables: bool = False,
) -> Any:
    """The loop that `repeated` makes, which stops where its body meets an exception of the program."""
    loop, token = Part(), last_token()

    def traced(failed: Any, carry: Any) -> Any:
        return traced_part(loop, failed, lambda: body(carry))

    try:
        return repeated(cond, partial(traced, None), init, what, of_variables=of_variables)
    except Ends as ends:
        if ends.part is not loop:
            raise
    resume(token)

    def goes_on(carry: tuple[Any, Array]) -> Any:
        return xp.logical_and(cond(carry[0]), xp.logical_not(carry[1]))

    def step(carry: tuple[Any, Array]) -> tuple[Any, Array]:
        return traced(carry[1], carry[0]), loop.failed

    start = init, as_array(np.bool_(False))
    last, failed = repeated(goes_on, step, start, what, of_variables=of_variables)
    end_where(failed)
    return last


def end_where(condition: Array) -> None:
    """End the loops around where a condition holds. Raises `UnsupportedError` in an inner loop."""
    if not _open.parts:
        return
    part = _open.parts[-1]
    if current_frame().scope is not part.scope:
        raise unsupported_error(
            "an exception is raised in a loop that is inside of a loop on a traced condition, which it may "
            "be all that ends",
            "raise it in the body of the outer loop: let the inner one compute a flag",
        )
    if part.failed is None:
        raise Ends(part)
    part.failed = xp.logical_or(part.failed, condition)
