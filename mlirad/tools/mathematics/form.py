"""The form of an op: a function of the op and of the texts of its operands.

def neg(w: Texts, op: NegOp) -> Text:
    return Text(f"-{w.of(op.operand, PREFIX)}", PREFIX)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeAlias

from xdsl.ir import Region

from mlirad.dialects.shapes import Value
from mlirad.tools.mathematics.notation import LOOSE, Notation, Text


class Texts(Protocol):
    """The texts of values, regions and names of functions, which forms are made from."""

    notation: Notation
    title: Callable[[str], str]
    """The name of a function from its symbol."""

    def of(self, value: Value, binding: int = LOOSE) -> str:
        """A value where something at least so tight is wanted."""
        ...

    def list_of(self, values: Iterable[Value]) -> str:
        """Values, separated by commas."""
        ...

    def tuple_of(self, values: Sequence[Value]) -> str:
        """One value, or several in parentheses."""
        ...

    def function(self, region: Region) -> str:
        """A region as a function: `i, j. body`."""
        ...


Form: TypeAlias = Callable[[Texts, Any], Text]
