"""Maps of loops and branches: their regions make the map of an iteration, or of a branch, from primal values.

    %m = linear.scan %r (%i, %a : f64) {carries = 1, inputs = 1, captured = 1, length = 5}
        : tensor<5xf64> -> !linear.map<tuple<f64, tensor<5xf64>, f64>, tuple<f64, tensor<5xf64>>> {
      ...
      array.yield %step : !linear.map<tuple<f64, f64, f64>, tuple<f64, f64>>
    }
    %m = linear.if %p : i1 -> !linear.map<tuple<f64>, tuple<f64>> {
      array.yield %a : !linear.map<tuple<f64>, tuple<f64>>
    } else {
      array.yield %b : !linear.map<tuple<f64>, tuple<f64>>
    }

A region may capture outer primal values and outer maps. Its map is in spine form where the map around it is
to be applied at a cost proportional to its size.

Maps of loops and branches are between tuples of arrays. A component of dimension 0 carries no information
there, and the code that makes the map leaves it out. Every other map takes units and tuples of any depth.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I64, IntegerAttr, TupleType, i1, i64
from xdsl.ir import Attribute, Region
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, region_def, var_operand_def, var_region_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.control import IterationsOp, TapeType, check_arguments, entry_types, shown
from mlirad.dialects.array.indexing import yielded
from mlirad.dialects.linear.maps import ControlMapOp, MapType, map_type
from mlirad.dialects.shapes import FLOATS, array_type, element_of, is_array, shape_of, tuple_type


@irdl_op_definition
class ScanOp(ControlMapOp, IterationsOp):
    """The linear recurrence (dc, dxs, dk) to (dc after the last iteration, dys) over `length` iterations.

    Iteration i applies the map that the region makes of i and of slice i of each operand, from the tuple of
    dc, of slice i of every dxs and of dk to the tuple of the new dc and of slice i of every dys. `carries`,
    `inputs` and `captured` say how many components of the domain are dc, dxs and dk. With `reverse` the
    iterations run from the last to the first. `checkpoint` and `kept` are passed on to the loop that applies
    the map.
    """

    name = "linear.scan"
    residuals = var_operand_def()
    inputs = prop_def(IntegerAttr[I64])
    captured = prop_def(IntegerAttr[I64])
    BRACED: ClassVar = ("carries", "inputs", "captured", "length", "reverse", "checkpoint", "kept")

    @property
    def counts(self) -> tuple[int, int, int]:
        """The numbers of carries, of inputs and of captured values."""
        return self.carry_count, self.inputs.value.data, self.captured.value.data

    def verify_(self) -> None:
        """Domain and codomain follow from the map of an iteration and the length."""
        length, (carries, inputs, captured) = self.iterations, self.counts
        self.check_iterations()
        slices: list[Attribute] = []
        for k, operand in enumerate(self.residuals):
            shape = shape_of(operand)
            if not is_array(operand.type) or not shape or shape[0] != length:
                raise VerifyException(f"operand {k} of type {operand.type} has no {length} slices")
            slices.append(array_type(shape[1:], element_of(operand)))
        check_arguments(self.body.block, [i64, *slices], "region")
        step = yielded_map(self.body, "region")
        parts = product_components(step.domain, "domain of the map of an iteration")
        if min(carries, inputs, captured) < 0 or carries + inputs + captured != len(parts):
            raise VerifyException(
                f"{carries} carries, {inputs} inputs and {captured} captured values do not make {step.domain}"
            )
        made = product_components(step.codomain, "codomain of the map of an iteration")
        if made[:carries] != parts[:carries]:
            kept = shown(parts[:carries])
            raise VerifyException(f"the map of an iteration must end in carries {kept}, got {step.codomain}")
        stacked = [_stacked(t, length) for t in parts[carries : carries + inputs]]
        domain = tuple_type([*parts[:carries], *stacked, *parts[carries + inputs :]])
        codomain = tuple_type([*made[:carries], *(_stacked(t, length) for t in made[carries:])])
        self.require(domain, codomain)


@irdl_op_definition
class WhileOp(ControlMapOp):
    """The linear recurrence (dc, dk) to (dc after the last iteration) over the iterations that a tape
    recorded.

    Each iteration applies the map that the region makes of its entry, from the tuple of dc and dk to the
    tuple of the new dc. `carries` components of the domain are dc.
    """

    name = "linear.while"
    tape = operand_def(TapeType)
    carries = prop_def(IntegerAttr[I64])
    body = region_def("single_block")
    BRACED: ClassVar = ("carries",)

    def verify_(self) -> None:
        """The region takes an entry; domain and codomain are those of the map of an iteration."""
        carries = self.carries.value.data
        check_arguments(self.body.block, entry_types(self.tape), "region")
        step = yielded_map(self.body, "region")
        parts = product_components(step.domain, "domain of the map of an iteration")
        if not 0 <= carries <= len(parts):
            raise VerifyException(f"{carries} carries of {len(parts)} components")
        self.require(step.domain, tuple_type(parts[:carries]))
        if step.codomain != self.codomain:
            raise VerifyException(f"the map of an iteration ends in {step.codomain}, not in {self.codomain}")


@irdl_op_definition
class IfOp(ControlMapOp):
    """The map of the first region if the condition holds, else that of the second."""

    name = "linear.if"
    condition = operand_def(i1)
    then = region_def("single_block")
    otherwise = region_def("single_block")
    REGION_WORDS: ClassVar = ("else",)
    BARE_REGIONS: ClassVar = True

    def verify_(self) -> None:
        """Both branches yield a map of the result's type."""
        self.require(self.domain, self.codomain)
        check_branches((self.then, self.otherwise), self.result.type)


@irdl_op_definition
class SwitchOp(ControlMapOp):
    """The map of branch number `index`, which is clamped to the range of branches."""

    name = "linear.switch"
    index = operand_def(i64)
    branches = var_region_def("single_block")
    REGION_WORDS: ClassVar = ("case",)
    REPEATED: ClassVar = True
    BARE_REGIONS: ClassVar = True

    def verify_(self) -> None:
        """At least one branch, and every branch yields a map of the result's type."""
        if not self.branches:
            raise VerifyException("switch needs at least one branch")
        check_branches(self.branches, self.result.type)


@irdl_op_definition
class CheckpointOp(ControlMapOp):
    """The map of the region, whose primal code is recomputed wherever the map is applied."""

    name = "linear.checkpoint"
    body = region_def("single_block")
    BARE_REGIONS: ClassVar = True

    def verify_(self) -> None:
        """The region yields a map of the result's type."""
        self.require(self.domain, self.codomain)
        check_branches((self.body,), self.result.type)


BranchOp = IfOp | SwitchOp | CheckpointOp
"""One of several maps of one type, or of one."""

LOOPS_AND_BRANCHES: tuple[type[ControlMapOp], ...] = (ScanOp, WhileOp, IfOp, SwitchOp, CheckpointOp)
"""Every op of this file."""


def yielded_map(region: Region, what: str) -> MapType:
    """The type of the one map that a region yields."""
    types, _ = yielded(region)
    if len(types) != 1:
        raise VerifyException(f"{what} must yield one map, got {len(types)} values")
    return map_type(types[0], f"what {what} yields")


def product_components(space: Attribute, what: str) -> tuple[Attribute, ...]:
    """The components of a tuple of float scalars and arrays; raises for other spaces."""
    if not isinstance(space, TupleType) or not all(is_array(t, FLOATS) for t in space.types.data):
        raise VerifyException(f"{what} must be a tuple of float scalars and arrays, got {space}")
    return tuple(space.types.data)


def check_branches(branches: Sequence[Region], type_: Attribute) -> None:
    """Require branches without arguments that yield a map of the given type, between tuples of arrays."""
    for k, branch in enumerate(branches):
        check_arguments(branch.block, (), f"branch {k}")
        made = yielded_map(branch, f"branch {k}")
        product_components(made.domain, f"domain of branch {k}")
        product_components(made.codomain, f"codomain of branch {k}")
        if made != type_:
            raise VerifyException(f"branch {k} yields a map of type {made}, the result has type {type_}")


def _stacked(type_: Attribute, length: int) -> Attribute:
    return array_type((length, *shape_of(type_)), element_of(type_))
