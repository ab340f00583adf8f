"""A map given by array code that is linear in its argument.

%m = linear.lambda (%dx : tensor<3xf64>) : -> !linear.map<tensor<3xf64>, f64> {
  %k = array.mul %a, %dx : tensor<3xf64>
  %y = array.sum %k {dims = [0]} : tensor<3xf64> -> f64
  array.yield %y : f64
}
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, region_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.control import check_arguments, check_types
from mlirad.dialects.array.indexing import yielded
from mlirad.dialects.linear.linearity import check_linear
from mlirad.dialects.linear.maps import MapOp
from mlirad.dialects.linear.spaces import carried
from mlirad.dialects.shapes import FLOATS, UNIT, Value, components_of, is_array


@irdl_op_definition
class LambdaOp(MapOp):
    """dx goes to what the region, which is linear in dx, computes from it.

    The region takes the components of the domain that carry data and yields those of the codomain. It may
    capture outer values and use every op of the array language, on what depends on dx only linearly. Passes
    make a `scale` of a product with a captured value, so 0 goes to 0 whatever the factor; the interpreter
    multiplies.
    """

    name = "linear.lambda"
    body = region_def("single_block")

    @property
    def tangents(self) -> Sequence[Value]:
        """The components of dx."""
        return self.body.block.args

    def verify_(self) -> None:
        """Components in and out, and code that is linear in those that come in."""
        for what, space in (("domain", self.domain), ("codomain", self.codomain)):
            _check_components(space, what)
        check_arguments(self.body.block, carried(self.domain), "region")
        types, _ = yielded(self.body)
        check_types(list(types), list(carried(self.codomain)), "component", "region yields")
        check_linear(self.body, self.tangents)


def _check_components(space: Attribute, what: str) -> None:
    """Require a product of arrays and units, whose components are values."""
    if not all(c == UNIT or is_array(c, FLOATS) for c in components_of(space)):
        raise VerifyException(f"{what} must be a product of float scalars and arrays, got {space}")
