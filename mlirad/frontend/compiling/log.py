"""The logger "mlirad": which functions are compiled, why, how long it takes, and what is done instead.

    logging.basicConfig(level=logging.INFO)
    INFO:mlirad:compiled loss(w: float64[3]) in 0.153 s: its first call
    INFO:mlirad:loaded loss(w: float64[4]) from the disk in 0.004 s: arguments of another signature
    INFO:mlirad:step: derivatives are expanded for each size: ...
    DEBUG:mlirad:loss(w: float64[3]) shares the program of an equal function

Messages of a compile are logged when it is done, so that no handler runs in a trace.
Where the program has not imported `logging` nobody listens, and it is not imported here.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import field
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from mlirad.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from logging import Logger

NAME: Final = "mlirad"

T = TypeVar("T")

_DEBUG, _INFO = 10, 20
"""The levels of `logging`."""

Source = Literal["compiled", "loaded", "shared", "interpreted"]

_SAID: Final[dict[str, str]] = {
    "compiled": "compiled {}",
    "loaded": "loaded {} from the disk",
    "interpreted": "prepared {} for the interpreter",
}


@dataclass
class Record:
    """The log record of a function that is compiled: why, where its program is from, what was done
    instead.
    """

    name: str
    cause: str = ""
    source: Source | None = None
    told: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """Levels and texts, of what is compiled on the way too."""


_open: ContextVar[Record | None] = ContextVar("open", default=None)


def recorded(name: str, make: Callable[[Record | None], T], signature: Callable[[], str] | None = None) -> T:
    """Tell of the program that `make` makes, if it does; it gets None where nobody listens.

    Programs that are compiled on the way for the same function belong to it.
    """
    logger, outer = _logger(), _open.get()
    if logger is None or (outer is not None and outer.name == name):
        return make(None)
    record, start = Record(name), time.perf_counter()
    error: Exception | None = None
    try:
        _open.set(record)
        return make(record)
    except Exception as caught:
        error = caught
        raise
    finally:
        _open.set(outer)
        seconds = time.perf_counter() - start
        if record.source is not None or error is not None:
            shown = name if signature is None else f"{name}({signature()})"
            record.told.insert(0, _sentence(record, shown, seconds, error))
        if outer is None:
            for level, text in record.told:
                logger.log(level, "%s", text)
        else:
            outer.told += record.told


def _sentence(record: Record, shown: str, seconds: float, error: Exception | None) -> tuple[int, str]:
    if error is not None:
        why = f"{type(error).__name__}: {getattr(error, 'message', error)}"
        return _INFO, f"could not compile {shown}, after {seconds:.3f} s: {why}"
    if record.source is None or record.source == "shared":
        return _DEBUG, f"{shown} shares the program of an equal function"
    cause = f": {record.cause}" if record.cause else ""
    return _INFO, f"{_SAID[record.source].format(shown)} in {seconds:.3f} s{cause}"


def note(source: Source) -> None:
    """Say where the program that is being made is from; compiling outweighs all else."""
    record = _open.get()
    if record is not None and record.source != "compiled":
        record.source = source


def fell_back(what: str) -> None:
    """Say what is done instead of the usual, and why."""
    record = _open.get()
    if record is not None:
        record.told.append((_INFO, f"{record.name}: {what}"))


def _logger() -> Logger | None:
    """The logger, if somebody listens; asked without `logging`'s lock, which an interrupt can leave taken."""
    logging = sys.modules.get("logging")
    if logging is None:
        return None
    logger = _named(logging)
    is_heard = logging.root.manager.disable < _INFO and logger.getEffectiveLevel() <= _INFO
    return logger if is_heard and not logger.disabled else None


@cache
def _named(logging: Any) -> Logger:
    return logging.getLogger(NAME)
