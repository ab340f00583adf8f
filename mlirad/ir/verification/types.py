"""The types of the language: arrays of a size that NumPy has, closures, sums, maps, frames, tapes.

types.check(op, "result 0", tensor<3xf64>)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from xdsl.dialects.builtin import TensorType, TupleType
from xdsl.ir import Attribute, Operation

from mlirad.dialects.array.control import TapeType
from mlirad.dialects.extents_attribute import ExtentAttr, ExtentsAttr
from mlirad.dialects.function import ClosureType, InductiveType, RepType, SumType
from mlirad.dialects.linear import ElementSpace, FunctionSpace, InductiveSpace, MapType
from mlirad.dialects.shapes import ELEMENTS, MAX_RANK, STORED, is_array, is_value, shape_of
from mlirad.errors import ArraySizeError
from mlirad.ir.locations import location_of
from mlirad.ir.verification.errors import error_at

MAX_ELEMENTS = 2**48
"""The most elements an array type may have, extents of 0 left out: what is larger does not fit into the
addresses of a machine, and NumPy refuses such a shape even for an empty array. Of types with sizes this is
not known."""


_WITH_SIZES = frozenset((ExtentsAttr, ExtentAttr))


def _has_sizes(type_: Attribute) -> bool:
    return isinstance(type_, TensorType) and isinstance(type_.encoding, ExtentsAttr)


class TypeChecks:
    """The types that were checked, each once; none where checks are `skipped`."""

    def __init__(self, *, skipped: bool = False) -> None:
        self._skipped = skipped
        self._checked: dict[int, Attribute] = {}
        self.met_sizes = False
        """True if a type or property has been met that mentions sizes."""

    def look_at(self, properties: Iterable[Attribute]) -> None:
        """Note whether the properties of an op mention sizes."""
        if not self.met_sizes:
            self.met_sizes = any(type(value) in _WITH_SIZES for value in properties)

    def check(self, op: Operation, what: str, type_: Attribute) -> None:
        """Require a type of the language of `what` of the op."""
        if self._skipped or id(type_) in self._checked:
            return
        # Held, so that no other type can take its id.
        self._checked[id(type_)] = type_
        # `mlirad.ir.verification.elements` says where elements may stand.
        is_element, in_tape = isinstance(type_, ElementSpace), isinstance(type_, TapeType)
        pending: list[Attribute] = [] if is_element else [type_]
        spaces: list[Attribute] = [type_] if is_element else []
        while pending or spaces:
            if spaces:
                self._enter_space(spaces, pending)
                continue
            current = pending.pop()
            if isinstance(current, TupleType):
                pending += current.types.data
            elif isinstance(current, RepType) and current is type_:
                pending += (current.domain, current.codomain)
            elif isinstance(current, MapType):
                spaces += (current.domain, current.codomain)
            elif isinstance(current, TapeType):
                pending += current.types.data
            elif isinstance(current, ClosureType | SumType):
                if not is_value(current):
                    raise error_at(
                        op,
                        f"{what} has type {type_}, which is made of what is not a value",
                        "parts of closures and sums are scalars, arrays, maps, tuples, closures and sums",
                    )
                pending += _parts(current)
            elif isinstance(current, InductiveType):
                pass
            elif not is_array(current, STORED if current is type_ or in_tape else ELEMENTS):
                raise error_at(
                    op,
                    f"{what} has type {type_}, which is not of the language",
                    "there are f64, f32, i64, i32, i1, static tensors of rank 1 and more, and linear maps",
                )
            elif len(shape_of(current)) > MAX_RANK:
                rank = len(shape_of(current))
                raise ArraySizeError(
                    f"{op.name}: {what} has {rank} dimensions, and arrays have no more than {MAX_RANK}",
                    location=location_of(op),
                )
            elif _has_sizes(current):
                self.met_sizes = True
            elif prod(extent or 1 for extent in shape_of(current)) > MAX_ELEMENTS:
                raise ArraySizeError(
                    f"{op.name}: {what} has type {type_}, of more than {MAX_ELEMENTS} elements",
                    location=location_of(op),
                )

    @staticmethod
    def _enter_space(spaces: list[Attribute], pending: list[Attribute]) -> None:
        """Replace the last of some spaces by the spaces and types that it is made of."""
        space = spaces.pop()
        if isinstance(space, TupleType):
            spaces += space.types.data
        elif isinstance(space, FunctionSpace):
            spaces.append(space.space)
            pending.append(space.point)
        elif not isinstance(space, InductiveSpace):
            pending.append(space)


def _parts(type_: ClosureType | SumType) -> Sequence[Attribute]:
    return (*type_.inputs, *type_.outputs) if isinstance(type_, ClosureType) else type_.types.data
