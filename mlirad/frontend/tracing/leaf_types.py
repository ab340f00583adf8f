"""The types of arrays that functions are traced with: shape, dtype, and promotion like Python scalars.

LeafType((3,), np.dtype(np.float64))      float64[3]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlirad.frontend.tracing.dtypes import PYTHON_TYPES, Dtype, Kind
from mlirad.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from xdsl.ir import Attribute

    from mlirad.dialects.shapes import Shape, Value
    from mlirad.frontend.tracing.array import Array


@dataclass(frozen=True)
class LeafType:
    """The type of one leaf that a traced function is compiled for: shape, dtype, and whether it is weak."""

    shape: Shape
    dtype: Dtype
    weak: bool = False

    @property
    def type(self) -> Attribute:
        """As a type of the language."""
        from mlirad.dialects.array.literals import ELEMENT_TYPES
        from mlirad.dialects.shapes import array_type

        return array_type(self.shape, ELEMENT_TYPES[self.dtype])

    @property
    def kind(self) -> Kind:
        """Return how it promotes."""
        return PYTHON_TYPES[self.dtype.kind] if self.weak else self.dtype

    def made(self, value: Value) -> Array:
        """The array of a value just emitted."""
        from mlirad.frontend.tracing.array import made

        return made(value, weak=self.weak)

    def __str__(self) -> str:
        return f"{self.dtype}{list(self.shape)}"
