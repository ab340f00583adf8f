"""The type of functions that carry their derivative, and the base of the ops that make them.

!function.rep<tuple<f64, f64>, f64>
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition, param_def, result_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.shapes import tuple_type
from mlirad.dialects.syntax import StructuredOp


@irdl_attr_definition
class RepType(ParametrizedAttribute, TypeAttribute):
    """The type of rep-functions from values of `domain` to values of `codomain`."""

    name = "function.rep"
    domain: Attribute = param_def()
    codomain: Attribute = param_def()


class CombinatorOp(StructuredOp, ABC):
    """An op that makes a rep-function, of others or of code."""

    result = result_def(RepType)

    @property
    def domain(self) -> Attribute:
        """Return what the function takes."""
        return self.result.type.domain

    @property
    def codomain(self) -> Attribute:
        """Return what the function makes."""
        return self.result.type.codomain

    def require(self, domain: Attribute, codomain: Attribute) -> None:
        """Require the function's type."""
        if (self.domain, self.codomain) != (domain, codomain):
            made = RepType(domain, codomain)
            raise VerifyException(f"result has type {self.result.type}, the op makes one of type {made}")


def rep_type(type_: Attribute, what: str) -> RepType:
    """`type_` as a rep-function; raises for other types."""
    if not isinstance(type_, RepType):
        raise VerifyException(f"{what} must be a rep-function, got {type_}")
    return type_


def parts(type_: Attribute, what: str, least: int = 0) -> tuple[Attribute, ...]:
    """The components of a tuple; raises for any other type, and where there are too few."""
    if not isinstance(type_, TupleType) or len(type_.types.data) < least:
        enough = f" of at least {least}" if least else ""
        raise VerifyException(f"{what} must be a tuple{enough}, got {type_}")
    return tuple(type_.types.data)


def with_context(context: Attribute, types: Sequence[Attribute]) -> TupleType:
    """The type of a context together with further values."""
    return tuple_type([context, *types])
