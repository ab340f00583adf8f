"""Sums, inductive types, branches, builds and loops as combinators; most run others on a context.

%f = function.rolled : -> !function.rep<A, !function.inductive<list>>
%f = function.match %g, %h : ... -> !function.rep<tuple<C, !function.sum<A, B>>, D>
%f = function.choose %g, %h : ... -> !function.rep<tuple<C, i1>, D>
%f = function.fold %g {carries = 1, length = 5} : ... -> !function.rep<tuple<C, f64>, tuple<f64>>
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import I64, IntegerAttr, UnitAttr, i1, i64
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.control import shown
from mlirad.dialects.extents import at_most
from mlirad.dialects.function.rep import CombinatorOp, parts, rep_type, with_context
from mlirad.dialects.function_types import InductiveType, SumType
from mlirad.dialects.shapes import (
    EXTENT,
    EXTENT_LIST,
    array_type,
    element_of,
    integer_of,
    is_array,
    shape_of,
    tuple_type,
    values_of,
)


@irdl_op_definition
class InjectOp(CombinatorOp):
    """x to x as alternative number `index` of a sum."""

    name = "function.injection"
    index = prop_def(IntegerAttr[I64])
    BRACED: ClassVar = ("index",)

    def verify_(self) -> None:
        """The sum has such an alternative."""
        index = self.index.value.data
        if not isinstance(self.codomain, SumType) or not 0 <= index < len(self.codomain.types.data):
            raise VerifyException(f"codomain {self.codomain} has no alternative {index}")
        self.require(self.codomain.types.data[index], self.codomain)


@irdl_op_definition
class RollOp(CombinatorOp):
    """x to x under the name of an inductive type."""

    name = "function.rolled"

    def verify_(self) -> None:
        """The codomain is the type of a name."""
        if not isinstance(self.codomain, InductiveType):
            raise VerifyException(f"codomain {self.codomain} is not an inductive type")


@irdl_op_definition
class UnrollOp(CombinatorOp):
    """x to what it is without the name of its inductive type."""

    name = "function.unrolled"

    def verify_(self) -> None:
        """The domain is the type of a name."""
        if not isinstance(self.domain, InductiveType):
            raise VerifyException(f"domain {self.domain} is not an inductive type")


@irdl_op_definition
class MatchOp(CombinatorOp):
    """(c, s) to f(c, a), where f is the operand for the alternative that s is, with the value a."""

    name = "function.match"
    arms = var_operand_def()

    def verify_(self) -> None:
        """A function for each alternative, of the context and its value."""
        types = [rep_type(arm.type, f"operand {k}") for k, arm in enumerate(self.arms)]
        context, sum_ = (*parts(self.domain, "domain", 2)[:2],)
        if not isinstance(sum_, SumType) or len(sum_.types.data) != len(types):
            raise VerifyException(f"{len(types)} functions for the alternatives of {sum_}")
        for k, (type_, alternative) in enumerate(zip(types, sum_.types.data, strict=True)):
            if type_.domain != with_context(context, [alternative]) or type_.codomain != self.codomain:
                raise VerifyException(f"operand {k} of type {type_} does not fit alternative {alternative}")
        self.require(with_context(context, [sum_]), self.codomain)


@irdl_op_definition
class ChooseOp(CombinatorOp):
    """(c, i) to f(c), where f is operand number i, clamped; of two, the first if a boolean holds."""

    name = "function.choose"
    branches = var_operand_def()

    def verify_(self) -> None:
        """Functions of one type, of the context."""
        types = [rep_type(f.type, f"operand {k}") for k, f in enumerate(self.branches)]
        context, index = (*parts(self.domain, "domain", 2)[:2],)
        if index not in (i1, i64) or not types or (index == i1 and len(types) != 2):
            raise VerifyException(f"{len(types)} functions cannot be chosen from by {index}")
        for k, type_ in enumerate(types):
            if (type_.domain, type_.codomain) != (context, self.codomain):
                raise VerifyException(
                    f"operand {k} of type {type_} does not take {context} to {self.codomain}"
                )
        self.require(with_context(context, [index]), self.codomain)


@irdl_op_definition
class TabulateOp(CombinatorOp):
    """c to the array of f(c, i...) over all positions of `extents`."""

    name = "function.tabulate"
    function = operand_def()
    extents = prop_def(EXTENT_LIST)
    BRACED: ClassVar = ("extents",)

    def verify_(self) -> None:
        """The function takes a context and a position, and makes an array."""
        type_, extents = rep_type(self.function.type, "operand"), values_of(self.extents)
        context, *position = parts(type_.domain, "what the operand takes", 1)
        made = parts(type_.codomain, "what the operand makes")
        if (
            position != [i64] * len(extents)
            or len(made) != 1
            or not is_array(made[0])
            or not all(at_most(0, extent) for extent in extents)
        ):
            raise VerifyException(f"operand of type {type_} makes no array of extents {list(extents)}")
        whole = array_type((*extents, *shape_of(made[0])), element_of(made[0]))
        self.require(context, tuple_type([whole]))


@irdl_op_definition
class FoldOp(CombinatorOp):
    """(c, s..., xs...) to the last carries and the stacked values of a loop of f(c, i, s..., x...).

    It is the meaning of `array.scan`.
    """

    name = "function.fold"
    function = operand_def()
    carries = prop_def(IntegerAttr[I64])
    length = prop_def(EXTENT)
    reverse = opt_prop_def(UnitAttr)
    BRACED: ClassVar = ("carries", "length", "reverse")

    def verify_(self) -> None:
        """The function is that of an iteration."""
        count, length = self.carries.value.data, integer_of(self.length)
        type_ = rep_type(self.function.type, "operand")
        context, index, *given = parts(type_.domain, "what the operand takes", 2)
        made = parts(type_.codomain, "what the operand makes")
        if index != i64 or length < 0 or not 0 <= count <= min(len(given), len(made)):
            raise VerifyException(
                f"operand of type {type_} is not an iteration of a loop with {count} carries"
            )
        if list(made[:count]) != given[:count]:
            raise VerifyException(
                f"an iteration takes carries {shown(given[:count])} and makes {shown(made[:count])}"
            )
        if not all(map(is_array, (*given[count:], *made[count:]))):
            raise VerifyException("slices and stacked values of an iteration must be arrays")
        wholes = [[_stacked(t, length) for t in types[count:]] for types in (given, made)]
        self.require(
            with_context(context, [*given[:count], *wholes[0]]), tuple_type([*made[:count], *wholes[1]])
        )


@irdl_op_definition
class IterateOp(CombinatorOp):
    """(c, s...) to the carries after as many iterations f(c, s...) as the condition p(c, s...) holds
    before.
    """

    name = "function.iterate"
    condition = operand_def()
    function = operand_def()

    def verify_(self) -> None:
        """Condition and iteration take the context and the carries."""
        condition = rep_type(self.condition.type, "first operand")
        type_ = rep_type(self.function.type, "second operand")
        context, *carries = parts(type_.domain, "what an iteration takes", 1)
        if type_.codomain != tuple_type(carries):
            raise VerifyException(f"an iteration takes carries {shown(carries)} and makes {type_.codomain}")
        if (condition.domain, condition.codomain) != (type_.domain, tuple_type([i1])):
            raise VerifyException(f"the condition must take {type_.domain} to tuple<i1>, got {condition}")
        self.require(with_context(context, carries), tuple_type(carries))


def _stacked(type_: Attribute, length: int) -> Attribute:
    return array_type((length, *shape_of(type_)), element_of(type_))


CONTROL_COMBINATORS = (InjectOp, RollOp, UnrollOp, MatchOp, ChooseOp, TabulateOp, FoldOp, IterateOp)
"""Every op of this file."""
