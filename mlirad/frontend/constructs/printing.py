"""`ad.debug_print`: a message with values, printed when the program runs.

ad.debug_print("x = {}", x)      %t1 = array.report print %t0, %true, %x {message = "x = {}"}

Prints and checks are values. Each takes a token and makes the next one, and a result of the program depends
on the last. Side effects would be something for every pass to preserve. A value that the program needs is
preserved anyway: in order, once, and in each branch and iteration that runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects.builtin import i1

from mlirad.dialects.messages import check_message, fields
from mlirad.errors import ArgumentError
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.operations import as_array
from mlirad.frontend.tracing.pytree import flatten
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tokens import ReportsNeeded, has_reports, report
from mlirad.frontend.tracing.tracebacks import plain_errors


@plain_errors
def debug_print(message: str, *values: Any) -> None:
    """Print a message, filled with the values, when the program runs, or at once outside of a trace.

    In the message `{}` stands for the next value and `{0}` for the first one, with a format as in `{:.3f}`
    where it is a scalar, and `{{` and `}}` for braces.

    Prints appear in program order. In loops each iteration prints, in branches the one that is taken. In a
    `build` or `vmap` each position prints, in the order of positions; of several prints each one appears for
    all positions before the next one, and a print that does not depend on the position appears once. A
    program with derivatives prints once, when the value is computed.

        >>> @ad.jit
        ... def total(x):
        ...     def step(s, t):
        ...         ad.debug_print("{} and {:.1f}", s, t)
        ...         return s + t
        ...     return ad.fold(step, 0.0, x)
        >>> total(np.array([1.0, 2.5]))
        0.0 and 1.0
        1.0 and 2.5
        np.float64(3.5)
    """
    leaves, tree = flatten(values)
    if not is_tracing():
        _require_message(lambda: fields(message, len(values)), message)
        print(message.format(*values))  # noqa: T201 - what it is for
        return
    if len(leaves) != len(values) or len(tree.children) != len(values):
        raise ArgumentError(
            "debug_print prints arrays and scalars, and was given a structure",
            location=user_line(),
            hint="pass the parts of the structure one by one",
        )
    arrays = [as_array(v) for v in values]
    _require_message(lambda: check_message(message, [a.value.type for a in arrays]), message)
    if not has_reports():
        raise ReportsNeeded
    report("print", emitting().constant(True, i1), [a.value for a in arrays], message)


def _require_message(check: Callable[[], object], message: Any) -> None:
    if not isinstance(message, str):
        raise ArgumentError(
            f"debug_print takes a message first, a str, got {type(message).__name__}",
            location=user_line(),
            hint='write ad.debug_print("x = {}", x)',
        )
    try:
        check()
    except ValueError as error:
        raise ArgumentError(
            f"debug_print cannot fill {message!r}: {error}",
            location=user_line(),
            hint='write one {} for each value, as in ad.debug_print("x = {}, y = {:.3f}", x, y)',
        ) from error
