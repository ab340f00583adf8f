"""Rep-functions as code: the value of a function, and what emits the tangents of its argument.

    y, back = rep_functions.run(b, rep, x)       emits the value of `rep` at x
    back(w)                                      emits the tangent of x, for the tangent w of y

`RepFunctions` has the types of values and tangents, and back-propagators as closures; `Staging`
(`staging.py`) the code of each combinator.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation

from mlirad.dialects import linear
from mlirad.dialects.function import ClosureType, closure_type
from mlirad.dialects.function import control_combinators as control
from mlirad.dialects.function.rep import RepType
from mlirad.dialects.shapes import Value, components_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.linear_maps.elements import Element, from_leaves, is_zero
from mlirad.passes.chad.types import Types as Tangents
from mlirad.passes.curry.environments import Environments, EnvironmentTangents, EnvironmentTypes
from mlirad.passes.maps_to_closures.elements import Elements, Types
from mlirad.passes.maps_to_closures.maps_to_closures import Rewriting

Back: TypeAlias = Callable[[Element], Element]
"""Emits the tangent of a function's argument, given that of its value."""

Data: TypeAlias = "Value | tuple[Data, ...]"
"""A value, or the components of a tuple."""


class RepFunctions(Rewriting, ABC):
    """Emits rep-functions, by the values and tangents of their types."""

    def __init__(self, module: ModuleOp, *, by_calls: bool):
        self.by_calls = by_calls
        if by_calls:
            self.tangents = Tangents("reverse")
            elements = Elements(module, Types(module))
        else:
            self.tangents = EnvironmentTangents("reverse")
            elements = Environments(module, EnvironmentTypes(module, self.tangents))
        for op in module.walk():
            if isinstance(op, control.RollOp):
                elements.types.define(self.tangents.linear(op.codomain), self._linear_leaves(op.domain))
            elif isinstance(op, control.UnrollOp):
                elements.types.define(self.tangents.linear(op.domain), self._linear_leaves(op.codomain))
        super().__init__(elements)

    def _linear_leaves(self, type_: Attribute) -> tuple[Attribute, ...]:
        return linear.carried(self.tangents.linear(type_))

    def value_type(self, type_: Attribute) -> Attribute:
        """The type of a value that a rep-function takes or makes, as code has it."""
        return self.types.of(self.tangents.primal(type_))

    def leaves(self, type_: Attribute) -> list[Attribute]:
        """The types of the leaves of the tangent of a value."""
        return self.types.leaves(self.tangents.linear(type_))

    def back_type(self, type_: RepType) -> ClosureType:
        """The type of the back-propagator of a rep-function, as a closure."""
        return closure_type(self.leaves(type_.codomain), self.leaves(type_.domain))

    def back_closure(self, b: ArrayBuilder, type_: RepType, back: Back) -> Value:
        """A back-propagator as a closure."""
        b.name_hint = None
        made = self.back_type(type_)

        def body(*leaves: Value) -> list[Value]:
            return self.written(b, back(self.tangent(type_.codomain, leaves)), type_.domain)

        return b.lambda_(made.inputs, body)

    def tangent(self, type_: Attribute, leaves: Sequence[Value]) -> Element:
        """The tangent of a value with these leaves."""
        return from_leaves(self.tangents.linear(type_), leaves)

    def written(self, b: ArrayBuilder, tangent: Element, type_: Attribute) -> list[Value]:
        """The leaves of the tangent of a value."""
        return self.elements.written(b, tangent, self.tangents.linear(type_))

    def applied(self, b: ArrayBuilder, type_: RepType, back: Value) -> Back:
        """The back-propagator that a closure is."""

        def of(w: Element) -> Element:
            return self.tangent(type_.domain, b.apply(back, self.written(b, w, type_.codomain)))

        return of

    def flat(self, b: ArrayBuilder, data: Data, type_: Attribute) -> list[Value]:
        """The values of a tuple."""
        return [reified(b, part_) for part_ in components(b, data, type_)]

    def run(self, b: ArrayBuilder, rep: Value, x: Data) -> tuple[Data, Back]:
        """Emit the value of a rep-function; its back-propagator takes 0 to 0."""
        op = rep.owner
        assert isinstance(op, Operation)
        b.location, b.name_hint = op.location, None
        y, back = self._run(b, op, rep_type(rep), x)
        return y, lambda w: None if is_zero(w) else back(w)

    @abstractmethod
    def _run(self, b: ArrayBuilder, op: Operation, type_: RepType, x: Data) -> tuple[Data, Back]:
        """Emit the value of the rep-function that a combinator makes."""


def rep_type(rep: Value) -> RepType:
    """The type of a rep-function."""
    assert isinstance(rep.type, RepType)
    return rep.type


def components(b: ArrayBuilder, data: Data, type_: Attribute) -> list[Data]:
    """The components of a tuple."""
    if isinstance(data, tuple):
        return list(cast("tuple[Data, ...]", data))
    return [b.get(data, k) for k in range(len(components_of(type_)))]


def reified(b: ArrayBuilder, data: Data) -> Value:
    """A tuple of values as one value."""
    return b.tuple_([reified(b, v) for v in data]) if isinstance(data, tuple) else data
