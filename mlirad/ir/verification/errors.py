"""The errors of verification: which op breaks which rule, and where.

raise error_at(op, "must be the last op of its block")
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.linear import NotLinear
from mlirad.errors import SizeNeeded, VerifyError
from mlirad.ir.locations import location_of


def error_at(op: Operation, message: str, hint: str | None = None) -> VerifyError:
    """The error that `op` breaks a rule."""
    return VerifyError(f"{op.name}: {message}", location=location_of(op), hint=hint)


def located(op: Operation, check: Callable[[], None]) -> None:
    """Make the check, which raises for `op` or for one that it names."""
    try:
        check()
    except SizeNeeded as error:
        raise VerifyError(f"{op.name}: {error.message}", location=location_of(op)) from error
    except VerifyException as error:
        message = ": ".join(line.strip(" :") for line in str(error).splitlines())
        wrong = error.op if isinstance(error, NotLinear) else op
        raise VerifyError(f"{op.name}: {message}", location=location_of(wrong)) from error


def check_same_types(
    op: Operation, subject: str, found: Sequence[Attribute], expected: Sequence[Attribute]
) -> None:
    """Require types in number and kind; the message begins with `subject`."""
    if len(found) != len(expected):
        raise error_at(op, f"{subject} {len(expected)} values, got {len(found)}")
    for k, (a, b) in enumerate(zip(found, expected, strict=True)):
        if a != b:
            raise error_at(op, f"{subject} {b} in place {k}, got {a}")
