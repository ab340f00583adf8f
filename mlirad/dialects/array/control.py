"""Control flow: loops of a known and of an unknown number of iterations, branches, and the tape of a loop.

    %c, %ys = array.scan %init, %xs (%i, %a : f64, %x : f64) {carries = 1, length = 5}
        : f64, tensor<5xf64> -> (f64, tensor<5xf64>) {
      %b = array.mul %a, %x : f64
      array.yield %b, %a : f64, f64
    }
    %n = array.while %x (%a : f64) : f64 -> f64 {
      %more = array.compare gt %a, %one : f64, f64 -> i1
      array.yield %more : i1
    } do (%a : f64) {
      %b = array.mul %a, %half : f64
      array.yield %b : f64
    }
    %y = array.if %p : i1 -> f64 {
      array.yield %x : f64
    } else {
      array.yield %z : f64
    }

Every region may capture outer values. Carries and results of branches may be closures, sums and tuples
(`mlirad.dialects.function`); slices, stacked values and records are arrays. All ops are pure: one whose
results are not used may go, a `while` too.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import I64, ArrayAttr, IntegerAttr, StringAttr, UnitAttr, i1, i64
from xdsl.ir import Attribute, Block, Region
from xdsl.irdl import (
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    param_def,
    region_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.indexing import yielded
from mlirad.dialects.loops import CarryingOp, CountedOp
from mlirad.dialects.shapes import (
    Value,
    array_type,
    element_of,
    is_array,
    is_value,
    shape_of,
)
from mlirad.dialects.syntax import StructuredOp
from mlirad.dialects.type_lists import TypeList

CHECKPOINTS = ("store", "recompute", "sqrt")
"""The values that a scan keeps for its reverse sweep: all of an iteration, each carry, or every √n-th."""


@irdl_attr_definition
class TapeType(TypeList):
    """The type of a record of iterations: a sequence of any length of tuples of scalars and arrays.

    Written `!array.tape<f64, tensor<3xf64>>`; `!array.tape<>` records only how many iterations there were.
    """

    name = "array.tape"
    types: ArrayAttr[Attribute] = param_def()

    def verify(self) -> None:
        """The entries are scalars and arrays."""
        for type_ in self.types.data:
            if not is_array(type_):
                raise VerifyException(f"a tape records scalars and arrays, not {type_}")


def tape_type(types: Sequence[Attribute]) -> TapeType:
    """The type of tapes whose entries have the given types."""
    return TapeType(ArrayAttr[Attribute](types))


def entry_types(tape: Value) -> tuple[Attribute, ...]:
    """The types of the values that a tape records in each iteration."""
    return tuple(cast(TapeType, tape.type).types.data)


class IterationsOp(CountedOp, ABC):
    """A loop of `length` iterations that has a derivative, or the map of one."""

    checkpoint = opt_prop_def(StringAttr)
    kept = opt_prop_def(UnitAttr)

    @property
    def checkpointing(self) -> str | None:
        """Return what the reverse sweep keeps, where it is stated."""
        return None if self.checkpoint is None else self.checkpoint.data

    def check_iterations(self) -> None:
        """Require a number of iterations, and something to keep that is known."""
        if self.iterations < 0:
            raise VerifyException(f"length {self.iterations} must not be negative")
        if self.checkpointing not in (None, *CHECKPOINTS):
            known = ", ".join(CHECKPOINTS)
            raise VerifyException(f"checkpoint '{self.checkpointing}' is not one of {known}")


@irdl_op_definition
class ScanOp(IterationsOp, CarryingOp):
    """A loop of `length` iterations over carries, slices and captured values.

    The first `carries` operands are the initial carries; each other operand gives its slice number i along
    dimension 0 to iteration i. The region takes i, the carries and the slices; it yields the new carries,
    then any number of values that are stacked: that of iteration i stands at position i of dimension 0. With
    `reverse` the iterations run from the last to the first. The results are the last carries, then the
    stacked values.

    `checkpoint` says what the reverse sweep of the derivative keeps; it does not change the value. A scan
    without carries is a build, unless it is `kept`: then its iterations run one after another, and its
    derivatives are kept loops too.
    """

    name = "array.scan"
    inputs = var_operand_def()
    outputs = var_result_def()
    BRACED: ClassVar = ("carries", "length", "reverse", "checkpoint", "kept")

    @property
    def xs(self) -> Sequence[Value]:
        """The arrays that the iterations take slices of."""
        return self.operands[self.carry_count :]

    def verify_(self) -> None:
        """Region arguments and results follow from the operands, the length and what the region yields."""
        carries, length = self.carry_count, self.iterations
        types = [o.type for o in self.operands]
        if not 0 <= carries <= len(types):
            raise VerifyException(f"{carries} carries of {len(types)} operands")
        self.check_iterations()
        check_values(types[:carries], "operand")
        check_arrays(types[carries:], "operand", carries)
        for k, type_ in enumerate(types[carries:]):
            shape = shape_of(type_)
            if not shape or shape[0] != length:
                raise VerifyException(f"operand {carries + k} of type {type_} has no {length} slices")
        slices = [array_type(shape_of(t)[1:], element_of(t)) for t in types[carries:]]
        check_arguments(self.body.block, [i64, *types[:carries], *slices], "region")
        made, _ = yielded(self.body)
        check_types(made[:carries], types[:carries], "carry", "region yields")
        check_arrays(made[carries:], "yielded value", carries)
        stacked = [array_type((length, *shape_of(t)), element_of(t)) for t in made[carries:]]
        check_results(self.result_types, [*types[:carries], *stacked])


@irdl_op_definition
class WhileOp(StructuredOp):
    """A loop that goes on while its condition holds for the carries; the number of iterations depends on
    data.

    The first region takes the carries and yields one i1, the second one takes them and yields the new ones.
    With `record = k` the second region yields k more values after the carries. Each iteration pushes them
    onto a tape, which is the last result.
    """

    name = "array.while"
    init = var_operand_def()
    record = opt_prop_def(IntegerAttr[I64])
    condition = region_def("single_block")
    body = region_def("single_block")
    outputs = var_result_def()
    BRACED: ClassVar = ("record",)
    REGION_WORDS: ClassVar = ("do",)

    @property
    def final(self) -> Sequence[Value]:
        """The results that are last carries."""
        return self.results[: len(self.operands)]

    @property
    def tape(self) -> Value | None:
        """The result that is the record of the iterations, where there is one."""
        return None if self.record is None else self.results[-1]

    def verify_(self) -> None:
        """Both regions take the carries; the results are the carries and, with a record, the tape."""
        types = [o.type for o in self.operands]
        check_values(types, "operand")
        check_arguments(self.condition.block, types, "condition")
        check_arguments(self.body.block, types, "body")
        decided, _ = yielded(self.condition)
        if list(decided) != [i1]:
            raise VerifyException(f"condition must yield one i1, got {shown(decided)}")
        made, _ = yielded(self.body)
        recorded = 0 if self.record is None else self.record.value.data
        if recorded < 0:
            raise VerifyException(f"record {recorded} must not be negative")
        if len(made) != len(types) + recorded:
            raise VerifyException(
                f"body must yield {len(types)} carries and {recorded} recorded values, got {len(made)} values"
            )
        check_types(made[: len(types)], types, "carry", "body yields")
        check_arrays(made[len(types) :], "yielded value", len(types))
        tape = [] if self.record is None else [tape_type(made[len(types) :])]
        check_results(self.result_types, [*types, *tape])


@irdl_op_definition
class ReplayOp(StructuredOp):
    """A loop over the entries of a tape, the oldest first or, with `reverse`, the newest first.

    The region takes the values of an entry, then the carries; it yields the new carries.
    """

    name = "array.replay"
    tape = operand_def(TapeType)
    init = var_operand_def()
    reverse = opt_prop_def(UnitAttr)
    body = region_def("single_block")
    outputs = var_result_def()
    BRACED: ClassVar = ("reverse",)

    def verify_(self) -> None:
        """The region takes an entry and the carries; it yields the carries, which are the results."""
        types = [o.type for o in self.init]
        check_arrays(types, "carry")
        check_arguments(self.body.block, [*entry_types(self.tape), *types], "region")
        made, _ = yielded(self.body)
        check_types(made, types, "carry", "region yields")
        check_results(self.result_types, types)


@irdl_op_definition
class IfOp(StructuredOp):
    """The values of the first region if the condition holds, else those of the second; only that one runs."""

    name = "array.if"
    condition = operand_def(i1)
    then = region_def("single_block")
    otherwise = region_def("single_block")
    outputs = var_result_def()
    REGION_WORDS: ClassVar = ("else",)
    BARE_REGIONS: ClassVar = True

    def verify_(self) -> None:
        """Both branches yield the types of the results."""
        check_branches((self.then, self.otherwise), self.result_types)


@irdl_op_definition
class SwitchOp(StructuredOp):
    """The values of branch number `index`, which is clamped to the range of branches; only that one runs."""

    name = "array.switch"
    index = operand_def(i64)
    branches = var_region_def("single_block")
    outputs = var_result_def()
    REGION_WORDS: ClassVar = ("case",)
    REPEATED: ClassVar = True
    BARE_REGIONS: ClassVar = True

    def verify_(self) -> None:
        """At least one branch, and every branch yields the types of the results."""
        if not self.branches:
            raise VerifyException("switch needs at least one branch")
        check_branches(self.branches, self.result_types)


LoopOp = ScanOp | WhileOp | ReplayOp
"""A loop."""

BranchOp = IfOp | SwitchOp
"""A choice between regions without arguments, which all yield the types of the results."""

CONTROL_OPS = (ScanOp, WhileOp, IfOp, SwitchOp, ReplayOp)
"""Every op of this file, in the order of the documentation."""


def check_branches(branches: Sequence[Region], results: Sequence[Attribute]) -> None:
    """Require branches without arguments that yield the given types."""
    for k, branch in enumerate(branches):
        check_arguments(branch.block, (), f"branch {k}")
        made, _ = yielded(branch)
        check_values(made, f"branch {k}: yielded value")
        check_types(made, results, "value", f"branch {k} yields")


def check_arrays(types: Sequence[Attribute], what: str, first: int = 0) -> None:
    """Require scalars and arrays; `first` is the number of the first one."""
    for k, type_ in enumerate(types, first):
        if not is_array(type_):
            raise VerifyException(f"{what} {k} must be a scalar or an array, got {type_}")


def check_values(types: Sequence[Attribute], what: str) -> None:
    """Require scalars, arrays, and tuples, closures and sums of such."""
    for k, type_ in enumerate(types):
        if not (is_array(type_) or is_value(type_)):
            raise VerifyException(f"{what} {k} must be a value, got {type_}")


def check_arguments(block: Block, types: Sequence[Attribute], what: str) -> None:
    """Require a block to take arguments of the given types."""
    if list(block.arg_types) != list(types):
        raise VerifyException(f"{what} takes {shown(block.arg_types)}, it is given {shown(types)}")


def check_types(found: Sequence[Attribute], expected: Sequence[Attribute], what: str, verb: str) -> None:
    """Require the types that something must have."""
    if len(found) != len(expected):
        raise VerifyException(f"{verb} {shown(found)}, {shown(expected)} expected")
    for k, (a, b) in enumerate(zip(found, expected, strict=True)):
        if a != b:
            raise VerifyException(f"{what} {k} has type {b}, {verb} {a}")


def check_results(found: Sequence[Attribute], computed: Sequence[Attribute]) -> None:
    """Require results of the types that an op computes."""
    if len(found) != len(computed):
        raise VerifyException(f"results have types {shown(found)}, the op computes {shown(computed)}")
    for k, (a, b) in enumerate(zip(found, computed, strict=True)):
        if a != b:
            raise VerifyException(f"result {k} has type {a}, the op computes {b}")


def shown(types: Sequence[Attribute]) -> str:
    """Types as an error lists them."""
    return f"({', '.join(map(str, types))})"
