"""Small charts as SVG: marks and texts whose colours follow the reader's scheme, light or dark."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape

# Colours that are told apart on white and on near-black, in both schemes and by most colour-blind readers.
STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #24292f; }
  .title { font-size: 15px; font-weight: 600; }
  .note, .tick { font-size: 11px; fill: #57606a; }
  .grid { stroke: #d0d7de; stroke-width: 1; }
  .one { stroke: #57606a; stroke-width: 1.5; }
  .roof { fill: none; stroke: #57606a; stroke-width: 1.5; }
  .s0 { fill: #0969da; } .s1 { fill: #d4620b; } .s2 { fill: #8250df; } .s3 { fill: #1a7f37; } .s4 { fill:
  #bf3989; } @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .note, .tick { fill: #9198a1; }
    .grid { stroke: #30363d; } .one, .roof { stroke: #9198a1; }
    .s0 { fill: #58a6ff; } .s1 { fill: #f0883e; } .s2 { fill: #bc8cff; } .s3 { fill: #3fb950; } .s4 { fill:
    #f778ba; }
  }
"""


class Drawing:
    """An SVG image that grows by its parts; positions are pixels from the top left."""

    def __init__(self, width: float, height: float):
        self.width = width
        self.height = height
        self._parts: list[str] = []

    def text(self, x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> None:
        """Words that begin, end or are centred (`middle`) at a point."""
        place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
        self._parts.append(f'<text class="{kind}" {place}>{escape(words)}</text>')

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        self._parts.append(f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>')

    def path(self, points: Iterable[tuple[float, float]], kind: str) -> None:
        """Straight lines from point to point."""
        joined = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        self._parts.append(f'<path class="{kind}" d="M{joined}"/>')

    def dot(self, x: float, y: float, kind: str, title: str, radius: float = 4.5, **data: object) -> None:
        """A mark, whose title is shown when one points at it; `data` are its `data-` attributes."""
        self._parts.append(
            f'<circle class="{kind}"{_data(data)} cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}">'
            f"<title>{escape(title)}</title></circle>"
        )

    def box(
        self, x: float, y: float, width: float, height: float, kind: str, title: str = "", **data: object
    ) -> None:
        """A rectangle from its upper left corner, with a title as `dot` has."""
        self._parts.append(
            f'<rect class="{kind}"{_data(data)} x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
            f'height="{height:.1f}"><title>{escape(title)}</title></rect>'
        )

    def inline(self) -> str:
        """The image as part of a page, which has the styles."""
        width, height = f"{self.width:.0f}", f"{self.height:.0f}"
        size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        parts = "\n".join(self._parts)
        return f"<svg {size}>\n{parts}\n</svg>\n"

    def __str__(self) -> str:
        start = f'<svg xmlns="http://www.w3.org/2000/svg" {self.inline()[len("<svg ") :]}'
        head, _, parts = start.partition("\n")
        return f"{head}\n<style>{STYLE}</style>\n{parts}"


def _data(data: dict[str, object]) -> str:
    return "".join(f' data-{name}="{escape(str(value))}"' for name, value in data.items())


class LogScale:
    """From numbers between two powers to pixels, evenly by their logarithms."""

    def __init__(self, least: float, most: float, start: float, end: float):
        self.least, self.most = least, most
        self.start, self.end = start, end

    def __call__(self, value: float) -> float:
        share = (math.log(value) - math.log(self.least)) / (math.log(self.most) - math.log(self.least))
        return self.start + share * (self.end - self.start)

    def ticks(self, base: float) -> list[float]:
        """The powers of a base within the scale."""
        first, last = (
            math.ceil(math.log(self.least, base) - 1e-9),
            math.floor(math.log(self.most, base) + 1e-9),
        )
        return [base**k for k in range(first, last + 1)]
