"""The code that a function had before instructions were put in, for those who compare codes or read them."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any

from mlirad.lazy_dataclass import dataclass


class Spliced:
    """The last constant of code into which instructions were put: it knows the code as it was."""

    __slots__ = ("code",)

    def __init__(self, code: CodeType):
        self.code = code


class Told(Spliced):
    """The last constant of code that asks at its calls; see `call_sites`."""

    __slots__ = ()


@dataclass(frozen=True, eq=False)
class Hooks:
    """The functions that such code calls."""

    called: Callable[[Any], Any]
    """From the object to be called, the function that is called."""
    item: Callable[[tuple[Any, Any]], Any]
    """From an object and a key, its item."""
    put: Callable[[tuple[Any, Any, Any]], Any]
    """Writes a value into an object, at a key."""
    text: Callable[[tuple[str, ...]], str]
    """From the parts of an f-string, the text."""
    remainder: Callable[[tuple[Any, Any]], Any]
    """From the operands of `%`, the result."""
    within: Callable[[tuple[Any, Any]], bool]
    """From the operands of `in`, the answer."""
    same: Callable[[tuple[Any, Any]], Any]
    """From the operands of `is`, the answer."""
    made: Callable[[Any], Any]
    """From the result of a call, an operator or a subscript, the value that the code goes on with."""


def plain_code(code: CodeType) -> CodeType:
    """A code as it was."""
    while code.co_consts and isinstance(code.co_consts[-1], Spliced):
        code = code.co_consts[-1].code
    return code
