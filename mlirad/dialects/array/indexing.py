"""Ops that read or write at computed positions. All are total: each position is clamped to its dimension.

    clamp(e, n) = min(max(e, 0), n - 1);      an array without elements reads as 0.

Reading 0 outside an array is a convention of the Python interface, which guards positions with `select`;
the ops themselves clamp, so that they commute with elementwise ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr, i64
from xdsl.ir import Attribute, BlockArgument, Region
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, region_def, traits_def, var_operand_def
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.elementwise import ArrayOp, OperandOp, check_elements
from mlirad.dialects.array.structural import (
    BroadcastOp,
    ConcatenateOp,
    PadOp,
    ReshapeOp,
    ReverseOp,
    SliceOp,
    StackOp,
    TransposeOp,
    check_same_element,
    check_shape,
)
from mlirad.dialects.shapes import NUMBERS, STORED, array_type, element_of, shape_of
from mlirad.dialects.syntax import StructuredOp

UPDATE_KINDS: dict[str, tuple[Attribute, ...]] = {"add": NUMBERS, "set": STORED}
"""The ways in which elements are written, each with the element types it is defined on."""


@irdl_op_definition
class YieldOp(StructuredOp):
    """Ends a region and passes its values to the op around it."""

    name = "array.yield"
    values = var_operand_def()
    traits = traits_def(IsTerminator())
    ONE_TYPE: ClassVar = False


def yielded(region: Region) -> tuple[Sequence[Attribute], YieldOp]:
    """The types that a region yields and its terminator; raises when it does not end in `array.yield`."""
    if len(region.blocks) != 1:
        raise VerifyException(f"region must be one block, got {len(region.blocks)}")
    last = region.block.last_op
    if not isinstance(last, YieldOp):
        raise VerifyException("region must end in array.yield")
    return last.values.types, last


def check_index_arguments(arguments: Sequence[BlockArgument]) -> None:
    """Require i64 region arguments."""
    for arg in arguments:
        if arg.type != i64:
            raise VerifyException(f"region argument {arg.index} must be i64, got {arg.type}")


def check_positions(region: Region, what: str) -> int:
    """Require a region from i64 positions to i64 positions; returns how many it yields."""
    types, _ = yielded(region)
    check_index_arguments(region.block.args)
    for k, type_ in enumerate(types):
        if type_ != i64:
            raise VerifyException(f"{what} {k} that the region yields must be i64, got {type_}")
    return len(types)


@irdl_op_definition
class IndexOp(ArrayOp):
    """The element, or the sub-array, at the given leading positions.

    `index x[i, j]` has shape `shape(x)[2:]`. Each position is clamped to its dimension.
    """

    name = "array.index"
    operand = operand_def()
    positions = var_operand_def(i64)
    POSITIONS_FROM: ClassVar = 1

    def verify_(self) -> None:
        """At most as many positions as the operand has dimensions."""
        check_elements(self.operand.type, STORED, "operand")
        check_same_element(self.operand.type, self.result.type)
        shape = shape_of(self.operand)
        if len(self.positions) > len(shape):
            raise VerifyException(f"{len(self.positions)} positions for an array of rank {len(shape)}")
        check_shape(self.result.type, shape[len(self.positions) :])


@irdl_op_definition
class GatherOp(OperandOp):
    """`out[i, j, rest...] = x[clamp e0(i, j), ..., rest...]`.

    The region maps the leading positions (i, j, ...) of the result to leading positions of the operand. Its
    arguments range over the leading extents of the result; the rest of the result's dimensions are those
    of the operand that the region yields no position for.
    """

    name = "array.gather"
    body = region_def("single_block")

    def verify_(self) -> None:
        """A region of i64 positions; the result's trailing shape is the operand's."""
        check_elements(self.operand.type, STORED, "operand")
        check_same_element(self.operand.type, self.result.type)
        check_gather(self.body, shape_of(self.operand), shape_of(self.result), "operand", "result")


@irdl_op_definition
class ScatterOp(OperandOp):
    """`out` starts at 0; `out[clamp e0(i, j), ..., rest...] += x[i, j, rest...]`, in row-major order.

    The transpose of `gather`: the region maps leading positions of the operand to leading positions of the
    result. An empty result drops what is scattered.
    """

    name = "array.scatter"
    body = region_def("single_block")

    def verify_(self) -> None:
        """A region of i64 positions; the operand's trailing shape is the result's."""
        check_elements(self.operand.type, NUMBERS, "operand")
        check_same_element(self.operand.type, self.result.type)
        check_gather(self.body, shape_of(self.result), shape_of(self.operand), "result", "operand")


@irdl_op_definition
class UpdateOp(ArrayOp):
    """`base` with `x` scattered onto it: added, or set, where the last in row-major order wins."""

    name = "array.update"
    base = operand_def()
    operand = operand_def()
    kind = prop_def(StringAttr)
    body = region_def("single_block")
    KEYWORD: ClassVar = "kind"

    def verify_(self) -> None:
        """A known kind; the result has the base's type; the operand's trailing shape is the base's."""
        kind = self.kind.data
        if kind not in UPDATE_KINDS:
            raise VerifyException(f"kind '{kind}' is not one of {', '.join(UPDATE_KINDS)}")
        check_elements(self.base.type, UPDATE_KINDS[kind], "base")
        check_same_element(self.base.type, self.operand.type)
        if self.result.type != self.base.type:
            raise VerifyException(f"result type {self.result.type} must equal base type {self.base.type}")
        check_gather(self.body, shape_of(self.base), shape_of(self.operand), "base", "operand")


def check_gather(
    body: Region,
    indexed: tuple[int, ...],
    space: tuple[int, ...],
    indexed_name: str,
    space_name: str,
) -> None:
    """Require `body` to map leading positions of the space to leading positions of the indexed array."""
    positions = check_positions(body, "position")
    arguments = len(body.block.args)
    if arguments > len(space):
        raise VerifyException(f"region has {arguments} arguments, the {space_name} only rank {len(space)}")
    if positions > len(indexed):
        raise VerifyException(
            f"region yields {positions} positions for the {indexed_name} of rank {len(indexed)}"
        )
    if space[arguments:] != indexed[positions:]:
        raise VerifyException(
            f"trailing shape {list(space[arguments:])} of the {space_name} differs from "
            f"{list(indexed[positions:])} of the {indexed_name}"
        )


@irdl_op_definition
class BuildOp(ArrayOp):
    """`out[i, j, rest...] = body(i, j)[rest...]`: construction by position.

    The body is pure, may capture outer values and use every op of the language; it yields a scalar or an
    array. Its arguments range over the leading extents of the result.
    """

    name = "array.build"
    body = region_def("single_block")

    def verify_(self) -> None:
        """A region of i64 arguments whose one value has the trailing shape of the result."""
        check_elements(self.result.type, STORED, "result")
        types, _ = yielded(self.body)
        check_index_arguments(self.body.block.args)
        if len(types) != 1:
            raise VerifyException(f"build must yield one value, got {len(types)}")
        shape, arguments = shape_of(self.result), len(self.body.block.args)
        if arguments > len(shape):
            raise VerifyException(f"region has {arguments} arguments, the result only rank {len(shape)}")
        expected = array_type(shape[arguments:], element_of(self.result))
        if types[0] != expected:
            raise VerifyException(f"build must yield {expected}, got {types[0]}")


INDEXING_OPS = (IndexOp, GatherOp, ScatterOp, UpdateOp, BuildOp, YieldOp)
"""Every op of this file, in the order of the documentation."""

CHOICES = (BroadcastOp, TransposeOp, ReshapeOp, ReverseOp, SliceOp, IndexOp, GatherOp)
"""The ops whose result has elements of the first operand, and nothing else."""

JOINS = (ConcatenateOp, StackOp, PadOp)
"""The ops whose result has elements of all operands, and nothing else."""

MOVES = (*CHOICES, *JOINS)
"""The ops that move elements, and compute nothing."""
