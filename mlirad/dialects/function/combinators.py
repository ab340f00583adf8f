"""Functions as combinators that carry their derivatives: what the differentiable curry is made of.

    %p = function.proj {index = 0} : -> !function.rep<tuple<f64, f64>, f64>
    %s = function.prod %p, %p : ... -> !function.rep<tuple<f64, f64>, tuple<f64, f64>>
    %m = function.primitive (%a : f64, %b : f64) : -> !function.rep<tuple<f64, f64>, tuple<f64>> {...}
    %f = function.compose %m, %s : ... -> !function.rep<tuple<f64, f64>, tuple<f64>>
    %y, %d = function.pullback %f, %x, %w {tangents = environment} : ... -> (f64, !linear.map<f64, ...>)

A value of type `!function.rep<A, B>` takes values of type A to values of type B, and has a back-propagator
(curry paper, section 4). A tuple stands for several values: the arguments or results of code, or what it
reads from outside. A closure among these values is a rep-function, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I64, FlatSymbolRefAttrConstr, IntegerAttr, StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, region_def, var_operand_def, var_result_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.control import check_arguments, check_types
from mlirad.dialects.array.indexing import yielded
from mlirad.dialects.function.rep import CombinatorOp, parts, rep_type, with_context
from mlirad.dialects.function_types import ClosureType, closure_type
from mlirad.dialects.linear.maps import map_type
from mlirad.dialects.shapes import UNIT, tangent_type, tuple_type
from mlirad.dialects.syntax import StructuredOp

TANGENTS = ("calls", "environment")
"""The two forms of a closure's tangent: the list of its calls, or the tangents of what it captured."""


@irdl_op_definition
class IdentityOp(CombinatorOp):
    """x to x."""

    name = "function.id"

    def verify_(self) -> None:
        """Domain and codomain agree."""
        self.require(self.domain, self.domain)


@irdl_op_definition
class ComposeOp(CombinatorOp):
    """`compose %outer, %inner`: x to outer(inner(x))."""

    name = "function.compose"
    outer = operand_def()
    inner = operand_def()

    def verify_(self) -> None:
        """The inner codomain is the outer domain."""
        outer, inner = rep_type(self.outer.type, "outer operand"), rep_type(self.inner.type, "inner operand")
        if inner.codomain != outer.domain:
            raise VerifyException(
                f"the inner function makes {inner.codomain}, the outer one takes {outer.domain}"
            )
        self.require(inner.domain, outer.codomain)


@irdl_op_definition
class ProjOp(CombinatorOp):
    """The component `index` of a tuple."""

    name = "function.proj"
    index = prop_def(IntegerAttr[I64])
    BRACED: ClassVar = ("index",)

    def verify_(self) -> None:
        """The tuple has such a component."""
        types, index = parts(self.domain, "domain"), self.index.value.data
        if not 0 <= index < len(types):
            raise VerifyException(f"domain {self.domain} has no component {index}")
        self.require(self.domain, types[index])


@irdl_op_definition
class ProdOp(CombinatorOp):
    """x to the tuple of f(x) for each operand f."""

    name = "function.prod"
    functions = var_operand_def()

    def verify_(self) -> None:
        """Functions of one domain; the codomain is the tuple of theirs."""
        types = [rep_type(f.type, f"operand {k}") for k, f in enumerate(self.functions)]
        for k, type_ in enumerate(types):
            if type_.domain != self.domain:
                raise VerifyException(f"operand {k} takes {type_.domain}, not {self.domain}")
        self.require(self.domain, tuple_type([t.codomain for t in types]))


@irdl_op_definition
class CurryOp(CombinatorOp):
    """a to the closure that takes s... to f(a, s...)."""

    name = "function.curry"
    function = operand_def()

    def verify_(self) -> None:
        """The function takes a context and the arguments of the closure."""
        type_ = rep_type(self.function.type, "operand")
        context, *arguments = parts(type_.domain, "what the operand takes", 1)
        results = parts(type_.codomain, "what the operand makes")
        self.require(context, closure_type(arguments, results))


@irdl_op_definition
class EvalOp(CombinatorOp):
    """(f, s...) to the results of the closure f at s... ."""

    name = "function.eval"

    def verify_(self) -> None:
        """The function takes a closure and its arguments."""
        closure = parts(self.domain, "domain", 1)[0]
        if not isinstance(closure, ClosureType):
            raise VerifyException(f"domain must begin with a closure, got {self.domain}")
        self.require(with_context(closure, closure.inputs), tuple_type(closure.outputs))


@irdl_op_definition
class PrimitiveOp(CombinatorOp):
    """The function whose code is the region: it takes arrays, and yields arrays and its back-propagator.

    The last value that is yielded is the map from the cotangents of the others to those of the arguments. The
    region captures nothing.
    """

    name = "function.primitive"
    body = region_def("single_block")

    def verify_(self) -> None:
        """The region has the types of the function, and its map those of the derivative."""
        check_arguments(self.body.block, parts(self.domain, "domain"), "region")
        types, _ = yielded(self.body)
        if not types:
            raise VerifyException("region must yield a map last")
        map_ = map_type(types[-1], "last yielded value")
        check_types(types[:-1], parts(self.codomain, "codomain"), "result", "region yields")
        expected = _space(types[:-1]), _space(self.body.block.arg_types)
        if (map_.domain, map_.codomain) != expected:
            raise VerifyException(
                f"the back-propagator must go from {expected[0]} to {expected[1]}, got {map_}"
            )


@irdl_op_definition
class NamedOp(CombinatorOp):
    """The function that `callee`, which has no parameters, returns; it is called where that is applied."""

    name = "function.named"
    callee = prop_def(FlatSymbolRefAttrConstr)
    BRACED: ClassVar = ("callee",)

    @property
    def callee_name(self) -> str:
        """The symbol of the function."""
        return self.callee.root_reference.data

    def verify_(self) -> None:
        """It takes and makes tuples; the callee is looked up by the check of the module."""
        parts(self.domain, "domain")
        parts(self.codomain, "codomain")


@irdl_op_definition
class PullbackOp(StructuredOp):
    """The results of a rep-function at the operands, and its back-propagator there as a map.

    `tangents` says what stands for the tangents of closures in it. Arguments and results are arrays.
    """

    name = "function.pullback"
    function = operand_def()
    arguments = var_operand_def()
    tangents = prop_def(StringAttr)
    outputs = var_result_def()
    BRACED: ClassVar = ("tangents",)

    def verify_(self) -> None:
        """Arguments and results are those of the function, and the last result is the map."""
        if self.tangents.data not in TANGENTS:
            raise VerifyException(f"tangents '{self.tangents.data}' is not one of {', '.join(TANGENTS)}")
        type_ = rep_type(self.function.type, "first operand")
        given = parts(type_.domain, "what the function takes")
        check_types([a.type for a in self.arguments], given, "argument", "the function is given")
        made = parts(type_.codomain, "what the function makes")
        if not self.outputs:
            raise VerifyException("needs a result for the map")
        check_types(self.result_types[:-1], made, "result", "the op returns")
        map_ = map_type(self.result_types[-1], "last result")
        if (map_.domain, map_.codomain) != (_space(made), _space(given)):
            raise VerifyException(f"the map must go from {_space(made)} to {_space(given)}, got {map_}")


def _space(types: Sequence[Attribute]) -> Attribute:
    """The product of the tangents of arrays: of one array the array itself."""
    spaces = [tangent_type(t) for t in types]
    return spaces[0] if len(spaces) == 1 and spaces[0] != UNIT else tuple_type(spaces)


CORE_OPS = (IdentityOp, ComposeOp, ProjOp, ProdOp, CurryOp, EvalOp, PrimitiveOp, NamedOp, PullbackOp)
"""Every op of this file."""
