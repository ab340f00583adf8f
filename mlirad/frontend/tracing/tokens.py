"""Reports at run time, and the tokens that carry them through a program.

    report("print", %true, [%x], "x = {}")      %t1 = array.report print %t0, %true, %x {message = "x = {}"}

The language is pure, so a report is data: it takes the last token and makes the next one. While a function
with reports is traced, its frame holds the last token. Loops carry it, branches and functions return it, a
build returns the tokens of all positions, and in the end a result of the program depends on it by a selection
that never chooses otherwise. So no pass can lose a report, repeat it or change the order.

Programs without reports have none of this: at the first report the function is retraced.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from xdsl.dialects.builtin import i64

from mlirad.dialects.shapes import Value
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.frames import current_frame, emitting
from mlirad.frontend.tracing.lessons import Request
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.raising import tracing_error
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.values import HigherType, ValueType

T = TypeVar("T")


class ReportsNeeded(Request):
    """The function being traced has a report, and its frames hold no tokens yet."""


def report(kind: str, condition: Value, values: Sequence[Value], message: str) -> None:
    """Report the values for each position at which the condition holds."""
    said = str.__str__(message)  # also of a text of traced values
    after = emitting().report(kind, token().value, condition, values, said, user_line())
    resume(made(after))


def has_reports() -> bool:
    """Return whether the program being traced has reports."""
    return current_frame().functions.has_reports


def checks(what: str) -> bool:
    """Return whether the program being traced is to check for `what`."""
    return is_tracing() and what in current_frame().functions.checks


# Tokens ------------------------------------------------------------------------------------------


def token() -> Array:
    """The last token."""
    for frame in current_frame().around():
        if frame.token is not None:
            return frame.token
    return made(emitting().constant(0, i64))


def resume(last: Array | None) -> None:
    """Go on with this token, in the block that is being emitted into."""
    frame = current_frame()
    frame.token = last
    frame.token_block = frame.builder.block


def sending(result: Any) -> Any:
    """Return what a region returns: its result and, with it, the last token."""
    return (result, token()) if has_reports() else result


def with_last_token(sent: list[Value]) -> list[Value]:
    """Values that end with the token sent with them, with the last token in its place."""
    return [*sent[:-1], token().value] if has_reports() else sent


def receiving(sent: Any) -> Any:
    """The result alone of what `sending` made; its token is the last one from now on."""
    if not has_reports():
        return sent
    result, last = sent
    resume(last)
    return result


def starting_with(last: Array | None, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as one that starts with a token and sends the last one."""
    if last is None:
        return function

    def run(*args: Any) -> Any:
        resume(last)
        return sending(function(*args))

    return run


def last_token() -> Array | None:
    """The last token if the program has reports."""
    return token() if has_reports() else None


def sealed(
    results: Sequence[Value], before: Array | None = None, kinds: Sequence[ValueType] = ()
) -> list[Value]:
    """The results of a region or function, one made to depend on the last token if that is new.

    That is an array. The result that depends on it is an array, or else a function or a sum, whose `kinds`
    must then be given.
    """
    values = list(results)
    if not has_reports():
        return values
    b, last = emitting(), token().value
    if b.scalar_of(last) is not None or (before is not None and before.value is last):
        return values
    found = b.sealed(values, last)
    if found is not None:
        return found
    higher = [(k, kind) for k, kind in enumerate(kinds) if isinstance(kind, HigherType)]
    if not higher:
        raise tracing_error(
            "a function that reports, by debug_print or a check, returns no array",
            "return one of the arrays that it computes",
        )
    k, kind = higher[0]
    (values[k],) = b.choose(b.never(last), [lambda: [kind.blank()], lambda: [results[k]]])
    return values
