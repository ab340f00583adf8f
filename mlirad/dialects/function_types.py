"""The types of functions as values and of values of one of several types.

    !function.closure<(f64, i64) -> f64>        a function together with the values that it captured
    !function.sum<i64, tensor<3xf64>>           a value of one of these types, and which of them it is
    !function.inductive<list>                   a value of a type that may hold values of its own type

A name stands for one type in a module, the one that `function.roll` and `function.unroll` say; that type may
contain the name. Parts are values: scalars, arrays, tuples, closures, sums, names and linear maps
(`is_value` of `mlirad.dialects.shapes`), which the check of a module requires. There are no arrays
of closures or of sums.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, FunctionType, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.type_lists import TypeByName, TypeList


class ValueType(ParametrizedAttribute, TypeAttribute, ABC):
    """A type of values that are made by another dialect, and that closures may take and return."""


@irdl_attr_definition
class ClosureType(ParametrizedAttribute, TypeAttribute):
    """The type of functions from some values to some values."""

    name = "function.closure"
    signature: FunctionType = param_def()

    @property
    def inputs(self) -> tuple[Attribute, ...]:
        """The types of the parameters."""
        return tuple(self.signature.inputs.data)

    @property
    def outputs(self) -> tuple[Attribute, ...]:
        """The types of the results."""
        return tuple(self.signature.outputs.data)


@irdl_attr_definition
class SumType(TypeList):
    """The type of values of one of several types, the alternatives, that know which one it is."""

    name = "function.sum"
    types: ArrayAttr[Attribute] = param_def()

    def verify(self) -> None:
        """There is an alternative."""
        if not self.types.data:
            raise VerifyException("a sum needs at least one alternative")


@irdl_attr_definition
class InductiveType(TypeByName):
    """The type of values that `function.roll` makes under a name."""

    name = "function.inductive"
    type_name: StringAttr = param_def()


def closure_type(inputs: Sequence[Attribute], outputs: Sequence[Attribute]) -> ClosureType:
    """The type of functions from the `inputs` to the `outputs`."""
    return ClosureType(FunctionType.from_lists(inputs, outputs))


def sum_type(types: Sequence[Attribute]) -> SumType:
    """The type of values of one of the given types."""
    return SumType(ArrayAttr[Attribute](types))


def inductive_type(name: str) -> InductiveType:
    """The type of a name."""
    return InductiveType(StringAttr(name))
