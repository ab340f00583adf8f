"""Maps given by array code: code that is linear in its argument, and a user's rules, which need not be.

%m = linear.lambda (%dx : tensor<3xf64>) : -> !linear.map<tensor<3xf64>, f64> {
  %k = array.mul %a, %dx : tensor<3xf64>
  %y = array.sum %k {dims = [0]} : tensor<3xf64> -> f64
  array.yield %y : f64
}
%m = linear.rule (%ct : f64) {transposed} : -> !linear.map<tuple<f64>, tuple<f64>> {
  %c = array.max %ct, %least : f64
  array.yield %c : f64
}
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Region
from xdsl.irdl import irdl_op_definition, opt_prop_def, region_def, var_region_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.control import check_arguments, check_types
from mlirad.dialects.array.indexing import yielded
from mlirad.dialects.linear.control import product_components
from mlirad.dialects.linear.linearity import check_linear
from mlirad.dialects.linear.maps import ControlMapOp, MapOp
from mlirad.dialects.linear.spaces import carried
from mlirad.dialects.shapes import Value


@irdl_op_definition
class LambdaOp(MapOp):
    """dx goes to what the region, which is linear in dx, computes from it.

    The region takes the leaves of an element of the domain and yields those of the codomain. It may capture
    outer values and use every op of the array language, on what depends on dx only linearly. Passes
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
        """Leaves in and out, and code that is linear in those that come in."""
        check_arguments(self.body.block, carried(self.domain), "region")
        types, _ = yielded(self.body)
        check_types(list(types), list(carried(self.codomain)), "component", "region yields")
        check_linear(self.body, self.tangents)


@irdl_op_definition
class RuleOp(ControlMapOp):
    """A map in the direction in which it is given: dx goes to what the region computes.

    With `transposed` the region computes the transposed image, dy to dx. A second region gives the transposed
    image beside the image. The code is applied as written, at one tangent or cotangent, and is not required
    to be linear; 0 goes to 0. In a direction without code the map cannot be applied. Regions may capture
    outer values.
    """

    name = "linear.rule"
    transposed = opt_prop_def(UnitAttr)
    code = region_def("single_block")
    other = var_region_def("single_block")
    BRACED: ClassVar = ("transposed",)
    REGION_WORDS: ClassVar = ("transposed",)
    REPEATED: ClassVar = True

    @property
    def forward_code(self) -> Region | None:
        """The region that computes the image."""
        return None if self.transposed is not None else self.code

    @property
    def transposed_code(self) -> Region | None:
        """The region that computes the transposed image."""
        if self.transposed is not None:
            return self.code
        return self.other[0] if self.other else None

    def verify_(self) -> None:
        """Each region takes the components of the space that it starts from and yields those of the other."""
        domain = product_components(self.domain, "domain")
        codomain = product_components(self.codomain, "codomain")
        if len(self.other) > (self.transposed is None):
            raise VerifyException(f"{len(self.regions)} regions are given, one for each direction at most")
        for region, taken, made in (
            (self.forward_code, domain, codomain),
            (self.transposed_code, codomain, domain),
        ):
            if region is not None:
                check_arguments(region.block, taken, "region")
                types, _ = yielded(region)
                check_types(list(types), list(made), "component", "region yields")
