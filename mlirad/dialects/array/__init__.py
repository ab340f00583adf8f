"""The `array` dialect: the core array language, of programs and of their derivatives.

To add an op (the table in `docs/internals.md` names the files of all packages): declare it with a verifier
and a docstring that starts with its meaning, enter it in its tuple of ops, write its shape rule in
`dialects/shapes.py` if it is new, and its scalar meaning in `SCALARS` (`scalars.py`) if it is elementwise.
`lit/dialects/` has a round trip and one invalid case per message.
"""

from __future__ import annotations

from xdsl.ir import Dialect

from mlirad.dialects.array.callbacks import CALLBACK_OPS
from mlirad.dialects.array.control import CONTROL_OPS, TapeType
from mlirad.dialects.array.custom import CUSTOM_OPS
from mlirad.dialects.array.elementwise import ELEMENTWISE_OPS
from mlirad.dialects.array.factorisations import FACTORISATION_OPS
from mlirad.dialects.array.frames import FRAME_OPS
from mlirad.dialects.array.indexing import INDEXING_OPS
from mlirad.dialects.array.literals import literal, literal_array, numpy_dtype
from mlirad.dialects.array.ordering import ORDERING_OPS
from mlirad.dialects.array.reductions import REDUCTION_OPS
from mlirad.dialects.array.reporting import REPORTING_OPS
from mlirad.dialects.array.structural import STRUCTURAL_OPS
from mlirad.dialects.array.transforms import TRANSFORM_OPS
from mlirad.dialects.extents_attribute import ExtentAttr, ExtentsAttr
from mlirad.dialects.frame_type import FrameType

ARRAY_OPS = (
    *ELEMENTWISE_OPS,
    *STRUCTURAL_OPS,
    *INDEXING_OPS,
    *REDUCTION_OPS,
    *ORDERING_OPS,
    *FACTORISATION_OPS,
    *TRANSFORM_OPS,
    *CONTROL_OPS,
    *CUSTOM_OPS,
    *REPORTING_OPS,
    *CALLBACK_OPS,
)
"""Every op that programs are written in, in the order of the documentation; `FRAME_OPS` are made last."""

Array = Dialect("array", [*ARRAY_OPS, *FRAME_OPS], [TapeType, FrameType, ExtentsAttr, ExtentAttr])

__all__ = ["ARRAY_OPS", "FRAME_OPS", "Array", "literal", "literal_array", "numpy_dtype"]
