"""The errors mlirad raises for bad input, one class per kind, all under `MliradError`, and its warnings.

Each carries the user's source location where one is known, says what is wrong and what to do about it,
and is also a subclass of the Python class a NumPy user would expect.

The message says what is wrong, the hint what to do, the location is the user's line. A pass raises an
`UnsupportedError` at an op that it does not take; any other exception in a pass is reported as a
`CompileError`, a defect of mlirad.
"""

from __future__ import annotations

import pickle
import re
from functools import partial
from inspect import CO_VARARGS
from itertools import pairwise
from typing import Self, cast

import numpy as np

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that change what a terminal shows beside themselves, or that it cannot show."""


def visible(text: str) -> str:
    """A text with characters that control terminals as escapes: `\\x1b[31m`."""
    return _CONTROLS.sub(lambda found: repr(found[0])[1:-1], text)


def of_class(value: object) -> str:
    """Return the name of a value's class with its article: an int, a Generator."""
    return with_article(type(value).__name__)


def with_article(name: str) -> str:
    """Return the name of a class with its article."""
    return f"an {name}" if _VOWELS.match(name) else f"a {name}"


_VOWELS = re.compile(r"[aeioAEIO]|nd|[uU](?!f|int|ni|s)")
"""Beginnings of names that are spoken with a vowel."""


def is_from_signal(error: BaseException) -> bool:
    """Tell whether the handler of a signal raised an error, between two statements of whatever was running.

    Such an error belongs to the program that set the handler, so it passes through what turns errors of
    mlirad's code into others. A handler is a function that Python calls with a number and the frame below.
    """
    traceback = error.__traceback__
    while traceback is not None:
        frame = traceback.tb_frame
        code = frame.f_code
        values: list[object] = [frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount]]
        if code.co_flags & CO_VARARGS:
            rest = frame.f_locals.get(code.co_varnames[code.co_argcount + code.co_kwonlyargcount])
            values += cast("tuple[object, ...]", rest) if isinstance(rest, tuple) else ()
        below = frame.f_back
        if below is not None and any(
            isinstance(number, int) and interrupted is frame.f_back
            for number, interrupted in pairwise(values)
        ):
            return True
        traceback = traceback.tb_next
    return False


class MliradError(Exception):
    """Base of every error that mlirad raises on purpose.

    `message` says what is wrong, `location` is `file:line` of the user's code (or `None` when no source
    line is known), `hint` says what to do. None of them has characters that control terminals.
    """

    def __init__(self, message: str, *, location: str | None = None, hint: str | None = None):
        self.message = message = visible(message)
        self.location = location = None if location is None else visible(location)
        self.hint = hint = None if hint is None else visible(hint)
        text = message if location is None else f"{location}: {message}"
        if hint is not None:
            text += f"\n  hint: {hint}"
        super().__init__(text)

    def restated(self, message: str, location: str | None) -> Self:
        """An error of the same class and with the same hint, about the same thing in other words."""
        return type(self)(message, location=location, hint=self.hint)

    def __reduce__(self) -> tuple[object, ...]:
        return partial(type(self), location=self.location, hint=self.hint), (self.message,)


class ShapeError(MliradError, ValueError):
    """Shapes that do not fit together."""


class DtypeError(MliradError, TypeError):
    """An element type that the operation, or the language, does not have."""


class DifferentiationError(MliradError, TypeError):
    """A derivative that does not exist: of an integer, of a non-scalar objective, of an op without a rule."""


class TracingError(MliradError, TypeError):
    """Python code that cannot be traced: control flow on traced values, leaked tracers, NumPy escapes."""

    asks_size: bool = False
    """True if the code needs the number of a size, which is not known while it is traced."""

    makes_array: bool = False
    """True if that is a function of NumPy that makes an array of as many elements, as rewritten code can."""


class ArgumentError(MliradError, TypeError, ValueError):
    """An argument that a function does not take: of a wrong kind, missing, or of no known name.

    Python and NumPy raise a `TypeError` or a `ValueError` for such a call; this is both.
    """


class UnsupportedError(MliradError, TypeError):
    """A NumPy function, option or IR construct that mlirad does not know."""


class SplitError(UnsupportedError):
    """A program that cannot be split by rows, at the line that needs rows of more than one chunk."""


class UnknownOptionError(ArgumentError, UnsupportedError):
    """An option of a name that mlirad does not know."""


class MissingAttributeError(UnsupportedError, AttributeError):
    """An attribute or a function that mlirad does not have."""


class MissingImportError(UnsupportedError, ImportError):
    """A name that mlirad does not have, in an import."""


class SizeNeeded(MliradError):
    """Something asked for the number that a size of the program has, which is known when it runs.

    `extent` is what had to be a number. While a function is traced it becomes a `TracingError` at the line
    that asked. It is no `TypeError`, which NumPy would replace by its own.
    """

    def __init__(
        self, message: str, extent: object = None, *, location: str | None = None, hint: str | None = None
    ):
        self.extent = extent
        super().__init__(message, location=location, hint=hint)


class PositionError(MliradError, IndexError):
    """A position outside its array, a static one or one that `check_bounds` found, or too many positions."""


class IntegerOverflowError(DtypeError, OverflowError):
    """A Python integer met an array of a dtype that does not hold it."""


class NotANumberError(MliradError, FloatingPointError):
    """An operation that made NaN of operands without NaN, in a program compiled with `check_nans`."""


class AbsorbedPoleError(MliradError, FloatingPointError):
    """A zero that absorbed an infinite derivative, in a program compiled with `check_absorbed`."""


class LinearAlgebraError(MliradError, np.linalg.LinAlgError):
    """A matrix that a function does not take: singular, not positive definite, not square."""


class ConvergenceError(MliradError, ArithmeticError):
    """A solver that does not converge within its limits."""


class AssertionFailedError(MliradError, AssertionError):
    """An `assert` of a rewritten function that does not hold when the program runs."""


class ProgramError(MliradError, RuntimeError):
    """An exception of a class that this process does not know, raised by a program from a file."""


class CallDepthError(MliradError, RecursionError):
    """Functions of a running program that call each other too deeply, for the limit or for the stack."""


class OutOfMemoryError(MliradError, MemoryError):
    """More memory is needed than there is: to compile a program, or for what its loops and calls record."""


class NoRoomError(OutOfMemoryError):
    """A program that needs more rows than it was made with, for the type of records number `record`."""

    def __init__(self, record: int) -> None:
        super().__init__(
            "functions as values hold more functions of their own kind than the program has room for",
            hint="call ad.grad, ad.jvp or another transformation, which make room as they need it; in a "
            f"pipeline, number {record} of records-to-rows{{rooms=64,64}} is how many there may be",
        )
        self.record = record


class TimeLimitError(MliradError, TimeoutError):
    """A program, or a tool, that ran longer than its option `timeout` allows."""

    def __init__(
        self,
        message: str = "this took longer than its time limit",
        *,
        location: str | None = None,
        hint: str | None = "raise the limit, option timeout",
    ):
        super().__init__(message, location=location, hint=hint)


class ClusterError(MliradError, RuntimeError):
    """Workers that cannot run a program: of another version or processor, without memory, lost or silent."""


class ParseError(MliradError, ValueError):
    """MLIR text that does not parse; the location is `file:line:column`."""


class VerifyError(MliradError, ValueError):
    """IR that parses and breaks a rule of its dialect, or uses a value before it is defined."""


class ArraySizeError(VerifyError):
    """An array of more elements than any machine holds."""


class CompileError(MliradError, RuntimeError):
    """Code generation failed: a defect of mlirad or of its environment, not of the user's program."""


class InterpreterError(MliradError, RuntimeError):
    """A program that runs breaks a promise of its IR, as by a load outside its buffer: a defect of a pass."""


class PicklingError(MliradError, pickle.PicklingError):
    """A compiled function, or a map, that another process could not read."""


class DerivativeCheckError(MliradError, AssertionError):
    """A derivative that does not agree with the function, or whose two modes do not agree with each other."""


class CacheWarning(UserWarning):
    """A folder for compiled programs that was asked for and cannot be used."""


class DonationWarning(UserWarning):
    """An argument was donated, and no result fits its memory."""


class DroppedRuleWarning(UserWarning):
    """A function of JAX has a derivative rule that is not taken over."""


class RecompileWarning(UserWarning):
    """A function is compiled for ever new shapes, or ever new static values, of its arguments."""


class ControlFlowWarning(UserWarning):
    """Functions ask for elements of traced values, so they are traced with their control flow rewritten."""


class UnrolledLoopWarning(UserWarning):
    """A Python loop that is traced iteration by iteration makes thousands of operations."""


class CaptureWarning(UserWarning):
    """A warning that values which a traced function reads from outside change: with every call, or while it
    is traced.
    """


class SwallowedErrorWarning(UserWarning):
    """Traced code caught an error that says what cannot be traced, and what it does then is compiled."""
