"""Lessons that traces of one program leave for the next. A trace that learns something ends, and begins
again.

lessons.signatures      what functions that are values are called with; see `learning`
lessons.untold          codes that cannot be told to ask; see `told_functions`
lessons.adopted         where arrays of NumPy are made into which traced values are written later
lessons.read            codes that were read for questions that reach no traced value; see `silent_questions`
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field
from types import CodeType, FunctionType
from typing import Any, TypeAlias

from mlirad.frontend.tracing.open_traces import open_traces
from mlirad.lazy_dataclass import dataclass

Running: TypeAlias = "dict[int, tuple[CodeType, FunctionType | None]]"
"""Codes that run and the functions that have them, by their identity: equal ones can stand in many files."""

Place: TypeAlias = tuple[tuple[int, int], ...]
"""The users' frames that lead to an instruction, each by the identity of its code and the instruction."""


class Request(BaseException):
    """Ends a trace that is to be made again with a lesson.

    NumPy and programs can catch it. So the trace is also told of it, and does not count.
    """

    def __init__(self) -> None:
        open_traces.frames[-1].functions.request = self


@dataclass
class Lessons:
    """The facts that are known when a trace begins."""

    signatures: dict[Hashable, Any] = field(default_factory=dict[Hashable, Any])
    told: dict[int, int] = field(default_factory=dict[int, int])
    """The number of times that codes were told, by their identity."""
    untold: Running = field(default_factory=dict[int, Any])
    tells_all: bool = False
    """True if all functions that are called are told to ask, not those alone that name one in C."""
    adopted: set[Place] = field(default_factory=set[Place])
    read: dict[int, tuple[CodeType, int]] = field(default_factory=dict[int, "tuple[CodeType, int]"])
    """Codes, by their identity, and how many calls away they were read."""
