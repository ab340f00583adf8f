"""The values that stand for those of a source, while a pass emits code in their place."""

from __future__ import annotations

from collections.abc import Iterable

from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import Environment


class Images:
    """Code that is emitted for a source: `env` maps the source's values to their images.

    A value that `env` does not hold stands outside the source and is its own image.
    """

    env: Environment

    def value(self, source: Value) -> Value:
        """The image of a source value."""
        return self.env.get(source, source)

    def values(self, sources: Iterable[Value]) -> list[Value]:
        """The images of source values."""
        return [self.value(v) for v in sources]
