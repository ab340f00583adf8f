"""Derivatives of functions that are called rather than inlined: recursive ones, and data-dependent loops.

    %m  = linear.derivative %x, %n {callee = @f, wrt = [0], results = [0]} : f64, i64 -> !linear.map<...>
    %dy = linear.push %x, %n, %dx {callee = @f, along = [[0]], results = [1]} : f64, i64, f64 -> f64
    %cx = linear.pull %x, %n, %ct, %sum {callee = @f, wrt = [0], results = [0]} : f64, i64, f64, f64 -> f64

These ops name a function *derived* from the callee, which computes tangents beside values. With `along = [A,
B]` it is ((f; A); B), where (f; A) takes the operands of f and then a tangent for each position in A, and
returns every result of f, each float followed by its tangent. `results` counts float results only. So float p
of f is float 2p of (f; A), and its tangent is float 2p + 1. Positions of operands stay as they are.

Every derivative of such an op is made of such ops, so they can be differentiated any number of times before
anything is generated. Finally, `outline-derivatives` makes the functions.
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    I64,
    ArrayAttr,
    DenseArrayBase,
    FlatSymbolRefAttrConstr,
    IntegerAttr,
    SymbolRefAttr,
    TupleType,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def, var_operand_def, var_result_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.linear.control import product_components
from mlirad.dialects.linear.maps import ControlMapOp
from mlirad.dialects.shapes import (
    FLOATS,
    Shape,
    Value,
    check_dims,
    components_of,
    int_lists,
    ints,
    is_array,
    tuple_type,
    values_of,
)
from mlirad.dialects.syntax import StructuredOp


class DerivedOp(StructuredOp, ABC):
    """An op that names a function derived from `callee` by taking tangents `along` groups of operands."""

    arguments = var_operand_def()
    callee = prop_def(FlatSymbolRefAttrConstr)
    along = opt_prop_def(ArrayAttr)
    results_ = prop_def(DenseArrayBase.constr(i64), prop_name="results")

    @property
    def callee_name(self) -> str:
        """The symbol of the function at the bottom."""
        return cast(SymbolRefAttr, self.properties["callee"]).root_reference.data

    @property
    def groups(self) -> tuple[Shape, ...]:
        """The positions of the operands that have tangents, one group per differentiation."""
        along = self.properties.get("along")
        if along is None:
            return ()
        return tuple(
            values_of(cast("DenseArrayBase[I64]", g)) for g in cast("ArrayAttr[Attribute]", along).data
        )

    def positions(self, name: str) -> Shape:
        """A property that lists positions."""
        return values_of(cast("DenseArrayBase[I64]", self.properties[name]))

    @property
    def base_count(self) -> int:
        """Return how many operands are those of the callee itself."""
        return len(self.operands) - self.extra_count - sum(map(len, self.groups))

    @property
    def extra_count(self) -> int:
        """Return how many operands follow those of the derived function."""
        return 0

    @property
    def primals(self) -> list[Value]:
        """The operands of the derived function."""
        return list(self.operands[: len(self.operands) - self.extra_count])

    @property
    def extra(self) -> list[Value]:
        """The operands after those of the derived function."""
        return list(self.operands[len(self.operands) - self.extra_count :])

    def check_groups(self) -> list[Attribute]:
        """Require tangents where `along` asks for them; returns the operand types of the derived function."""
        types = [o.type for o in self.primals]
        known = self.base_count
        if known < 0:
            raise VerifyException(
                f"{len(self.operands)} operands are too few for the tangents along {self.along}"
            )
        for group in self.groups:
            if not group:
                raise VerifyException("along has an empty group")
            check_dims(group, known, "along")
            for k, position in enumerate(group):
                tangent = types[known + k]
                if types[position] != tangent or not is_array(tangent, FLOATS):
                    raise VerifyException(
                        f"operand {known + k} of type {tangent} is not a tangent of operand {position} of "
                        f"type {types[position]}"
                    )
            known += len(group)
        return types

    def check_positions(self, name: str, types: list[Attribute]) -> list[Attribute]:
        """Require positions of float operands; returns their types."""
        positions = self.positions(name)
        check_dims(positions, len(types), name)
        for k in positions:
            if not is_array(types[k], FLOATS):
                raise VerifyException(f"{name} names operand {k} of type {types[k]}, which has no tangent")
        return [types[k] for k in positions]

    def check_results_count(self, count: int, what: str) -> None:
        """Require one of `what` per entry of `results`."""
        if len(self.positions("results")) != count:
            raise VerifyException(
                f"results lists {len(self.positions('results'))} results for {count} {what}"
            )


def derived_properties(
    op: DerivedOp, along: tuple[Shape, ...], results: Shape, **positions: Shape
) -> dict[str, Attribute]:
    """The properties of an op that names a function derived from the callee of `op`."""
    return properties_of(op.properties["callee"], along, results, **positions)


def properties_of(
    callee: Attribute, along: tuple[Shape, ...], results: Shape, **positions: Shape
) -> dict[str, Attribute]:
    """The properties of an op that names a function derived from `callee`."""
    made = {"callee": callee, **int_lists(results=results, **positions)}
    if along:
        made["along"] = ArrayAttr([ints(group) for group in along])
    return made


@irdl_op_definition
class PushOp(DerivedOp):
    """The float results number `results` of the derived function at the operands."""

    name = "linear.push"
    images = var_result_def()
    BRACED: ClassVar = ("callee", "along", "results")

    def verify_(self) -> None:
        """A tangent for each position of `along`, one float result per entry of `results`."""
        self.check_groups()
        self.check_results_count(len(self.result_types), "values")
        for k, type_ in enumerate(self.result_types):
            if not is_array(type_, FLOATS):
                raise VerifyException(f"result {k} of type {type_} is not a float")


@irdl_op_definition
class PullOp(DerivedOp):
    """The last operands, one per entry of `wrt`, plus the transposed derivative of the derived function.

    After the operands of the derived function come one cotangent for each of its float results in `results`
    (the others have cotangent 0), then one sum for each operand in `wrt`, to which its cotangent is added.
    """

    name = "linear.pull"
    wrt = prop_def(DenseArrayBase.constr(i64))
    sums = var_result_def()
    BRACED: ClassVar = ("callee", "along", "wrt", "results")

    @property
    def extra_count(self) -> int:
        """The cotangents and the sums."""
        return len(self.positions("wrt")) + len(self.positions("results"))

    def verify_(self) -> None:
        """Sums and results have the types of the operands in `wrt`."""
        types = self.check_groups()
        wanted = self.check_positions("wrt", types)
        count = len(self.positions("results"))
        for k, cotangent in enumerate(self.extra[:count]):
            if not is_array(cotangent.type, FLOATS):
                raise VerifyException(f"cotangent {k} of type {cotangent.type} is not a float")
        for what, found in (("sums", self.extra[count:]), ("results", self.results)):
            if [v.type for v in found] != wanted:
                raise VerifyException(f"{what} must have the types of the operands in wrt: {wanted}")


@irdl_op_definition
class DerivativeOp(DerivedOp, ControlMapOp):
    """The derivative of the derived function at the operands: from the operands in `wrt` to `results`.

    With `transposed` the transposed map.
    """

    name = "linear.derivative"
    wrt = prop_def(DenseArrayBase.constr(i64))
    transposed = opt_prop_def(UnitAttr)
    BRACED: ClassVar = ("callee", "along", "wrt", "results", "transposed")

    def verify_(self) -> None:
        """The domain is the tuple of the operands in `wrt`, the codomain has a component per result."""
        inputs: Attribute = tuple_type(self.check_positions("wrt", self.check_groups()))
        domain, codomain = self.domain, self.codomain
        if self.transposed is not None:
            domain, codomain = codomain, domain
        if domain != inputs:
            raise VerifyException(f"the map must start from {inputs}, it starts from {domain}")
        self.check_results_count(len(product_components(codomain, "codomain")), "components")


@irdl_op_definition
class CurvatureOp(DerivedOp, ControlMapOp):
    """dx to the change of J(x)ᵀ ct with x: the derivative of a pull with respect to the operands in `by`.

    J is the derivative of the derived function with respect to the operands in `wrt`; the last operands are
    the cotangents of `results`. This is a block of the Hessian of <ct, f>, which is symmetric: transposed, it
    is the block with `by` and `wrt` exchanged.
    """

    name = "linear.curvature"
    by = prop_def(DenseArrayBase.constr(i64))
    wrt = prop_def(DenseArrayBase.constr(i64))
    BRACED: ClassVar = ("callee", "along", "by", "wrt", "results")

    @property
    def extra_count(self) -> int:
        """The cotangents."""
        return len(self.positions("results"))

    def verify_(self) -> None:
        """The domain is the tuple of the operands in `by`, the codomain of those in `wrt`."""
        types = self.check_groups()
        domain = tuple_type(self.check_positions("by", types))
        self.require(domain, tuple_type(self.check_positions("wrt", types)))


@irdl_op_definition
class RecordedOp(ControlMapOp):
    """The derivative of a call that has recorded its residuals; `callee` applies its transpose to cotangents.

    `callee` takes the operands (the residuals of the call, perhaps as its activation record, and those
    arguments of the call that its reverse sweep needs too), one cotangent per component of the codomain, and
    one sum per component of the domain; it returns the sums with the cotangents added. For components that
    are `fresh` it takes no sum, and returns the cotangent. The first `primals` operands are not passed to it,
    but to `forward`, which applies the map itself: it takes these and one tangent per component of the
    domain, and returns one per component of the codomain. Without `forward` the map is only ever applied
    transposed.
    """

    name = "linear.recorded"
    arguments = var_operand_def()
    callee = prop_def(FlatSymbolRefAttrConstr)
    fresh = opt_prop_def(DenseArrayBase.constr(i64))
    forward = opt_prop_def(FlatSymbolRefAttrConstr)
    primals = opt_prop_def(IntegerAttr.constr(i64))
    BRACED: ClassVar = ("callee", "fresh", "forward", "primals")

    @property
    def primal_count(self) -> int:
        """Return how many of the operands are passed to `forward`; the others are passed to `callee`."""
        return 0 if self.primals is None else self.primals.value.data

    @property
    def summed(self) -> list[int]:
        """The components of the domain for which the callee takes a sum."""
        fresh = () if self.fresh is None else values_of(self.fresh)
        return [k for k in range(len(components_of(self.domain))) if k not in fresh]

    def verify_(self) -> None:
        """Spaces that are tuples, and as many operands as `primals` says, which is for `forward`."""
        if (self.forward is None) != (self.primals is None):
            raise VerifyException("forward and primals must be given together")
        if not 0 <= self.primal_count <= len(self.operands):
            raise VerifyException(
                f"primals is {self.primal_count}, and there are {len(self.operands)} operands"
            )
        for space in (self.domain, self.codomain):
            if not isinstance(space, TupleType):
                raise VerifyException(f"the map must go from tuple to tuple, got {space}")
            product_components(space, "space")
        if self.fresh is not None:
            check_dims(values_of(self.fresh), len(components_of(self.domain)), "fresh")


CALL_MAPS: tuple[type[ControlMapOp], ...] = (DerivativeOp, CurvatureOp, RecordedOp)
"""The maps of this file."""

CALL_VALUES = (PushOp, PullOp)
"""The values of this file."""
