"""Notation of linear maps: by the symbols of mathematics, or by the names of functions in ASCII.

(S(y) ⋈ S(x)) ∘ (∂x × ∂y)            lmCompose(lmHcat(lmScale(y), lmScale(x)), lmVcat(Dx, Dy))
"""

from __future__ import annotations

from typing import NamedTuple

from mlirad.lazy_dataclass import dataclass

LOOSE, SUM, PRODUCT, PREFIX, ATOM = 0, 10, 20, 30, 40
"""The binding strengths of texts: a text that is looser than its place asks gets parentheses."""

JOIN = 5
"""Pairs and joins of maps, which are looser than sums and compositions."""


class Text(NamedTuple):
    """A text and how tightly it holds together."""

    text: str
    binding: int = ATOM

    def within(self, binding: int) -> str:
        """The text where something at least so tight is wanted."""
        return self.text if self.binding >= binding else f"({self.text})"


@dataclass(frozen=True)
class Notation:
    """The choice between symbols and names."""

    is_ascii: bool

    @property
    def derivative(self) -> str:
        """Return what stands before the name of a function or value for its derivative."""
        return "D" if self.is_ascii else "∂"

    @property
    def times(self) -> str:
        """Return what stands between the extents of a shape."""
        return "x" if self.is_ascii else "×"


ASCII, UNICODE = Notation(is_ascii=True), Notation(is_ascii=False)
