"""An instance of a sweep: the table of the data that it accumulates.

    Instance("xor", {i1: i1}, zero=False, one=True, plus=xor, scale=and,
             partials={array.xor: (1, 1), array.and: lambda x, y: (y, x)})

Every element of an array whose elements are of a type in `spaces` carries data of another type. Data form a
commutative monoid, on which coefficients act: an op z = f(x, y) with the coefficients a, b makes of it

    forward     data[z] = a data[x] + b data[y]
    reverse     data[x] = data[x] + a data[z],    data[y] = data[y] + b data[z]

The coefficients may depend on x and y. Laws: + is associative and commutative with the zero, and scaling by a
coefficient is a homomorphism. Where they hold, both directions are each other's transposes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import reduce
from typing import TypeAlias

from xdsl.ir import Attribute, Operation

from mlirad.dialects.shapes import Value, array_type, element_of, is_array, shape_of
from mlirad.errors import DifferentiationError
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.locations import location_of
from mlirad.lazy_dataclass import dataclass

Binary: TypeAlias = Callable[[ArrayBuilder, Value, Value], Value]
"""An elementwise operation on two arrays of one shape."""

Partials: TypeAlias = Callable[[ArrayBuilder, Operation, Sequence[Value]], "Sequence[Value | None]"]
"""The coefficients of an elementwise op, one per operand; `None` for an operand that does not count."""


@dataclass(frozen=True)
class Instance:
    """The data that values carry, and its operations.

    `spaces` has for types of elements the types of what they carry; others carry nothing. `partials` has the
    coefficients of elementwise ops. With `reads_control` data also flow from conditions, positions, and
    through every op that has no line, from all that it reads to all that it makes: where an analysis asks
    what matters, not how much.
    """

    name: str
    spaces: Mapping[Attribute, Attribute]
    zero: float
    one: float
    plus: Binary
    scale: Binary
    partials: Mapping[type[Operation], Partials] = field(default_factory=dict[type[Operation], Partials])
    reads_control: bool = False

    def space(self, type_: Attribute) -> Attribute | None:
        """The type of what a value of a type carries."""
        if not is_array(type_) or element_of(type_) not in self.spaces:
            return None
        return array_type(shape_of(type_), self.spaces[element_of(type_)])

    def has(self, value: Value) -> bool:
        """Tell whether a value carries data."""
        return self.space(value.type) is not None

    def zeros(self, b: ArrayBuilder, type_: Attribute) -> Value:
        """The zero of what values of a type carry."""
        return self._splat(b, self.zero, type_)

    def ones(self, b: ArrayBuilder, type_: Attribute) -> Value:
        """The generator of what values of a type carry, in every element."""
        return self._splat(b, self.one, type_)

    def _splat(self, b: ArrayBuilder, number: float, type_: Attribute) -> Value:
        space = self.space(type_)
        assert space is not None
        return b.broadcast(b.constant(number, element_of(space)), shape_of(space), ())

    def sum(self, b: ArrayBuilder, found: Sequence[Value]) -> Value | None:
        """The sum of data of one shape, `None` of none."""
        return reduce(lambda x, y: self.plus(b, x, y), found) if found else None

    def total(self, b: ArrayBuilder, data: Value) -> Value:
        """The sum of all elements."""
        shape = shape_of(data)
        if not shape:
            return data
        flat = flattened(b, data)
        start = b.constant(self.zero, element_of(data))

        def step(index: Value, state: list[Value], parts: list[Value]) -> tuple[list[Value], list[Value]]:
            return [self.plus(b, state[0], parts[0])], []

        return b.scan([start], [flat], shape_of(flat)[0], step)[0][0]

    def everywhere(self, b: ArrayBuilder, scalar: Value, type_: Attribute) -> Value:
        """One element of data as that of every element of a type."""
        return b.broadcast(scalar, shape_of(type_), ())

    def refused(self, op: Operation, why: str) -> DifferentiationError:
        """The error that an op cannot be swept over."""
        return DifferentiationError(
            f"the instance {self.name!r} {why}",
            location=location_of(op),
            hint="give the instance a line for it, or keep what is swept away from it",
        )


def flattened(b: ArrayBuilder, x: Value) -> Value:
    """An array as a vector."""
    count = 1
    for extent in shape_of(x):
        count *= extent
    return b.reshape(x, (count,))
