"""Texts of traced values, which say nothing before the program runs: they may be shown, and decide nothing.

    print(x, f"{x}", "x: " + str(x))      Array(x: float64[]) ...
    f"{x}" == "1.0", len(str(x))          a `TracingError`
    f"x: {x}" == "x: 1.0"                 the same

Python makes a text of its own of several parts. So code that asks for the text of a traced value is told to
ask where it makes texts (`told_functions`), unless it only prints or raises, and what is made there of such
a text is another one.
"""

from __future__ import annotations

import operator
import sys
import threading
import warnings
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any, Final, cast

from mlirad.errors import TracingError
from mlirad.frontend.tracing.code_reads import is_program_file
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.raising import tracing_error
from mlirad.frontend.tracing.source import user_frame
from mlirad.frontend.tracing.told_functions import require_asking_for_texts
from mlirad.frontend.tracing.usage_hints import is_for_people

_DECIDING: Final = """
__hash__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __contains__ __len__ __iter__ __getitem__ count encode
endswith find index isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable
isspace istitle isupper join partition rfind rindex rpartition rsplit split splitlines startswith
"""
"""The methods whose results depend on the characters."""

_KEEPING: Final = """
__add__ __mod__ __mul__ __rmul__ capitalize casefold center expandtabs format format_map ljust lower lstrip
removeprefix removesuffix replace rjust rstrip strip swapcase title translate upper zfill
"""
"""The methods that make another such text."""


_HINT: Final = "choose by the values, not by a text of them: np.where, ad.cond"


class UnfinishedText(str):
    """A text whose numbers are known when the program runs."""

    __slots__ = ()

    def __str__(self) -> str:
        _note(sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
        return self

    def __format__(self, spec: str) -> str:
        _note(sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
        return UnfinishedText(format(str.__str__(self), spec))

    def __bool__(self) -> bool:
        """Tell whether there is a text: those of numbers have characters."""
        return bool(str.__str__(self))

    def __radd__(self, before: str) -> str:
        return UnfinishedText(str.__add__(before, self))


class _Texts(threading.local):
    def __init__(self) -> None:
        self.count = 0
        """The number of texts of traced values that were asked for."""
        self.is_noting = False
        """A flag: `noted` marks its result as such a text itself."""


_texts: Final = _Texts()


def characters_of(text: str | bytes) -> str | bytes:
    """A text as it is written, for comparisons that decide nothing in the program."""
    return str.__str__(text) if type(text) is UnfinishedText else text


def undecided() -> TracingError:
    """The error of code in which a text of a traced value would decide something."""
    return tracing_error(
        "a text of a traced value holds elements that are not known, so it decides nothing",
        _HINT,
    )


def _deciding(name: str) -> Callable[..., Any]:
    def method(self: UnfinishedText, *args: Any, **options: Any) -> Any:
        if not is_tracing() or is_for_people(sys._getframe(1)):  # pyright: ignore[reportPrivateUsage]
            return getattr(str, name)(self, *args, **options)
        if name in ("__eq__", "__ne__") and not isinstance(args[0], str):
            return NotImplemented  # no other object equals a text
        raise tracing_error(
            f"the text {str.__str__(self)!r} holds elements of traced values, so what it says is not known",
            _HINT,
        )

    return method


def _keeping(name: str) -> Callable[..., str]:
    def method(self: UnfinishedText, *args: Any, **options: Any) -> str:
        return UnfinishedText(getattr(str, name)(self, *args, **options))

    return method


for _make, _names in ((_deciding, _DECIDING), (_keeping, _KEEPING)):
    for _name in _names.split():
        setattr(UnfinishedText, _name, _make(_name))


def text_of(shown: str) -> str:
    """A text of a traced value, for a method of its that Python calls."""
    _note(sys._getframe(2))  # pyright: ignore[reportPrivateUsage]
    return UnfinishedText(shown)


def formatted(value: Any, specification: str) -> str:
    """The text of a traced value in an f-string. Raises `TracingError` for a specification of digits."""
    if specification:
        raise tracing_error(
            f"a traced value has no digits to format as {specification!r} while tracing",
            "print(x) shows its type; return the value and format it outside",
        )
    _note(sys._getframe(2))  # pyright: ignore[reportPrivateUsage]
    return str(value)


def represented(shown: str) -> str:
    """The representation of a traced value, for its method `__repr__`; for debuggers it is any other text."""
    frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
    _note(frame)
    is_asked = is_tracing() and is_program_file(frame.f_code.co_filename)
    return UnfinishedText(shown) if is_asked else shown


def _note(frame: FrameType) -> None:
    _texts.count += 1
    if not _texts.is_noting:
        require_asking_for_texts(frame)


def noted(make: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """The result of a function, marked as unfinished if it is a text made of one of a traced value."""
    before, outer = _texts.count, _texts.is_noting
    try:
        _texts.is_noting = True
        found = make(*args, **options)
    finally:
        _texts.is_noting = outer
    if type(found) is not str or _texts.count == before:
        return found
    frame = user_frame()
    if frame is not None and not outer:
        require_asking_for_texts(frame)
    return UnfinishedText(found)


def joined(parts: Iterable[str]) -> str:
    """The text that parts make."""
    found = list(parts)
    made = "".join(found)
    return UnfinishedText(made) if any(type(part) is UnfinishedText for part in found) else made


def called_method(own: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """A method of a text of Python's, which may be given others."""
    given = [*args, *options.values()]
    if own.__name__ == "join" and len(args) == 1:
        args = (list(args[0]),)
        given = cast("list[Any]", args[0])
    if not any(type(value) is UnfinishedText for value in given):
        return noted(own, *args, **options)
    found = own(*args, **options)
    if not isinstance(found, str):
        raise undecided()
    return UnfinishedText(found)


def warn(message: Any, *args: Any, **options: Any) -> None:
    """`warnings.warn`, which looks the text up among those that it has shown."""
    plain = str.__str__(message) if isinstance(message, UnfinishedText) else message
    if len(args) < 2:
        options["stacklevel"] = options.get("stacklevel", 1) + 2  # of whoever calls what stands for `warn`
    warnings.warn(plain, *args, **options)


def is_within(place: tuple[Any, Any]) -> bool:
    """`item in container`, which a text decides where the container is another one."""
    item, container = place
    if type(item) is UnfinishedText and isinstance(container, str):
        raise undecided()
    return item in container


def remainder(values: tuple[Any, Any]) -> Any:
    """`one % other`, which may fill in a text."""
    one, other = values
    return noted(operator.mod, one, other) if isinstance(one, str) else one % other
