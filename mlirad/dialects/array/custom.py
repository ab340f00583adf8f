"""Code that is differentiated in a special way: by a rule of its own, or without keeping values.

    %y = array.custom %x (%a : f64) : f64 -> f64 {
      %e = array.exp %a : f64
      array.yield %e : f64
    } derivative (%a : f64, %da : f64) {
      %e = array.exp %a : f64
      %d = array.mul %e, %da : f64
      array.yield %d : f64
    }

    %z = array.checkpoint : -> f64 {
      %e = array.exp %x : f64
      array.yield %e : f64
    }

The second region of `custom` is a rule: the derivative in forward form, or with `transposed` the transposed
derivative, from cotangents to cotangents. A third region, after the word `transposed`, gives the latter
beside the former. A rule is applied as written in its own direction. In the other one it is transposed, which
takes linear code. With `results` rules take the results of the op behind its operands: what a rule reads of
them has their derivative, so derivatives of every order follow where the result defines its own derivative,
as a root of an equation does. A region of `checkpoint` captures what it reads.

A rule may read the result. The derivative of a root is made of the root, and its second derivative of how the
root moves. A rule that computes the root again would compute it twice, and differentiate how; one that
captures it would hold it fixed. As an operand of the rule, the result moves as the rule says, at every order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    opt_prop_def,
    region_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.control import check_arguments, check_arrays, check_results, check_values
from mlirad.dialects.array.indexing import yielded
from mlirad.dialects.shapes import is_float
from mlirad.dialects.syntax import StructuredOp


@irdl_op_definition
class CustomOp(StructuredOp):
    """The values of the first region at the operands, with the derivative that the later regions compute.

    A rule takes the operands and one tangent per float operand, and yields one tangent per float result; a
    transposed rule takes the operands and one cotangent per float result, and yields one cotangent per float
    operand. With `results`, both take the results as well, behind the operands. The rule of one direction
    serves the other if it is linear in what it takes last. With respect to floats that it captures, the first
    region is differentiated as it is written. With `squared` there is a second result, the square of the
    first, which is smooth where that is 0.
    """

    name = "array.custom"
    inputs = var_operand_def()
    transposed = opt_prop_def(UnitAttr)
    reads_results = opt_prop_def(UnitAttr, prop_name="results")
    squared = opt_prop_def(UnitAttr)
    body = region_def("single_block")
    rules = var_region_def("single_block")
    outputs = var_result_def()
    BRACED: ClassVar = ("transposed", "results", "squared")
    REGION_WORDS: ClassVar = ("derivative", "transposed")
    REPEATED: ClassVar = True

    @property
    def known(self) -> list[SSAValue]:
        """Return what rules take before tangents or cotangents: the operands, and with `results` the
        results.
        """
        return [*self.inputs, *(self.outputs if self.reads_results is not None else ())]

    @property
    def forward_rule(self) -> Region | None:
        """The region from tangents to tangents."""
        return None if self.transposed is not None else self.rules[0]

    @property
    def transposed_rule(self) -> Region | None:
        """The region from cotangents to cotangents."""
        return self.rules[-1] if self.transposed is not None or len(self.rules) > 1 else None

    def verify_(self) -> None:
        """Operands and results as the regions take and yield them."""
        types = [o.type for o in self.operands]
        check_arrays(types, "operand")
        check_arguments(self.body.block, types, "region")
        made, _ = yielded(self.body)
        check_arrays(made, "yielded value")
        check_results(self.result_types, made)
        if self.squared is not None and (len(made) != 2 or made[0] != made[1] or not is_float(made[0])):
            raise VerifyException("a number and its square are two floats of one type")
        if len(self.rules) not in (1, 1 if self.transposed is not None else 2):
            raise VerifyException(f"{len(self.rules)} rules are given, one for each direction at most")
        floats = _floats(types), _floats(made)
        for rule, what, (given, found) in (
            (self.forward_rule, "derivative", floats),
            (self.transposed_rule, "transposed derivative", floats[::-1]),
        ):
            if rule is not None:
                check_arguments(rule.block, [*(v.type for v in self.known), *given], what)
                check_results(yielded(rule)[0], found)


@irdl_op_definition
class CheckpointOp(StructuredOp):
    """The values of the region. Its derivative keeps nothing of it: there the region is recomputed."""

    name = "array.checkpoint"
    body = region_def("single_block")
    outputs = var_result_def()
    BARE_REGIONS: ClassVar = True

    def verify_(self) -> None:
        """The region yields the results."""
        check_arguments(self.body.block, (), "region")
        made, _ = yielded(self.body)
        check_values(made, "yielded value")
        check_results(self.result_types, made)


def _floats(types: Sequence[Attribute]) -> list[Attribute]:
    return [t for t in types if is_float(t)]


CUSTOM_OPS = (CustomOp, CheckpointOp)
"""Every op of this file."""
