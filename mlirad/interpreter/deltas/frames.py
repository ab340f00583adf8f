"""Running programs on dual numbers: the machine of the interpreter, with floats that have Delta terms.

Control, calls, closures, tuples and sums hand values on, whatever these are, so that they mean here what they
mean to the interpreter. Other ops are run on plain values, and get their terms from `rules`. Code of an index
space, such as that of a build, runs position by position, so that each position has terms of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import count
from typing import Any

import numpy as np
from xdsl.dialects.func import CallOp, ReturnOp
from xdsl.ir import Attribute, Operation, Region

from mlirad.dialects.array.callbacks import CallbackOp
from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.array.indexing import BuildOp, YieldOp
from mlirad.dialects.shapes import ELEMENTS, Shape, Value, is_array, is_float, shape_of
from mlirad.errors import UnsupportedError
from mlirad.interpreter.control import CONTROL_MEANINGS
from mlirad.interpreter.deltas.custom import custom
from mlirad.interpreter.deltas.duals import Dual, joined, plain, terms_of, with_terms
from mlirad.interpreter.deltas.rules import RULES, Execution
from mlirad.interpreter.factorisations import FACTORISATION_MEANINGS
from mlirad.interpreter.functions import FUNCTION_MEANINGS
from mlirad.interpreter.machine import Frame, Instruction, Machine, Meaning, location_of
from mlirad.interpreter.running import MEANINGS
from mlirad.interpreter.transforms import TRANSFORM_MEANINGS
from mlirad.lazy_dataclass import dataclass


@dataclass
class DualMachine(Machine):
    """A machine whose floats may be dual numbers; the IDs of shared terms increase as it runs."""

    ids: Iterator[int] = field(default_factory=count)

    def frame(self, values: dict[Value, Any]) -> Frame:
        """A new activation, which has terms for ops that read some."""
        return _DualFrame(self, values)


@dataclass
class _DualFrame(Frame):
    """One activation of a function: values, and dual numbers for those that depend on inputs."""

    def run_instruction(self, instruction: Instruction, operands: list[Any]) -> Sequence[Any]:
        """The results of an op. Raises UnsupportedError for ops without a meaning on dual numbers."""
        op = instruction.op
        if type(op) in HANDING_ON or not any(isinstance(o, Dual) for o in operands):
            return super().run_instruction(instruction, operands)
        values = list(map(plain, operands))
        if all(is_array(r.type) and not is_float(r) for r in op.results):
            return super().run_instruction(instruction, values)
        rule = RULES.get(type(op))
        if rule is None:
            raise _no_meaning(op)
        (result,) = super().run_instruction(instruction, values)
        step = Execution(op, values, result, list(map(terms_of, operands)), self, _ids(self))
        return [with_terms(result, rule(step))]

    def checked(self, value: Any, type_: Attribute, shape: Shape, dtype: np.dtype[Any]) -> Any:
        """A value, or a dual number, as one of a type."""
        found = super().checked(plain(value), type_, shape, dtype)
        return Dual(found, value.terms) if isinstance(value, Dual) else found

    def stacked(self, rows: Sequence[Any], type_: Attribute) -> Any:
        """The array of the rows, with their terms."""
        return joined(rows, shape_of(type_), type_)

    def region(self, region: Region, extents: Shape) -> list[Any]:
        """The values that a region yields at every index: all at once, unless its operands may have terms."""
        op = region.parent_op()
        assert op is not None
        if not any(self._may_have_terms(v) for v in self.machine.captures_of(op)):
            return super().region(region, extents)
        rows: list[list[Any]] = []
        for position in np.ndindex(*extents):
            self.bind(region.block, list(map(np.int64, position)))
            rows.append(self.run(region.block))
        terminator = region.block.last_op
        assert terminator is not None
        return [
            joined([row[k] for row in rows], (*extents, *shape_of(y)), y.type)
            for k, y in enumerate(terminator.operands)
        ]

    def _may_have_terms(self, value: Value) -> bool:
        """Tell if a value is a dual number, or may hold one: a closure, a sum, a record."""
        return isinstance(self.values[value], Dual) or not is_array(value.type, ELEMENTS)


def _no_meaning(op: Operation) -> UnsupportedError:
    if type(op) in MEANT_FOR_ARRAYS:
        return UnsupportedError(
            f"{op.name} computes with whole arrays, so it has no meaning on scalar dual numbers",
            location=location_of(op.location),
            hint="write it in scalar operations, or give it a derivative of its own",
        )
    return UnsupportedError(
        f"{op.name} has no meaning on dual numbers",
        location=location_of(op.location),
        hint="expand derivatives and linear maps before the program runs on dual numbers",
    )


def _ids(frame: Frame) -> Iterator[int]:
    assert isinstance(frame.machine, DualMachine)
    return frame.machine.ids


def _custom(op: CustomOp, operands: Sequence[Any], frame: Frame) -> Any:
    return custom(op, operands, frame, _ids(frame))


HANDING_ON: frozenset[type[Operation]] = frozenset(
    (*CONTROL_MEANINGS, *FUNCTION_MEANINGS, CallOp, ReturnOp, YieldOp, BuildOp)
)
"""The ops that hand values on without looking at floats: their meanings are those of the interpreter."""

MEANT_FOR_ARRAYS: frozenset[type[Operation]] = frozenset(
    (*FACTORISATION_MEANINGS, *TRANSFORM_MEANINGS, CallbackOp)
)
"""The ops from floats to floats that are refused: the language does not say which scalar ops they consist of.
"""

DUAL_MEANINGS: dict[type[Operation], Meaning] = {**MEANINGS, CustomOp: _custom}
"""The meanings of a machine for dual numbers."""
