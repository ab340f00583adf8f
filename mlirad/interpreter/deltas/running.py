"""Running a function on dual numbers: floats with their Delta terms, all else as it is.

The values are computed by the reference interpreter, op by op, in the order of the program; beside them every
float that depends on an input gets the terms of its elements from `rules`. A build runs its body position by
position, so that each position has terms of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from math import prod
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation

from mlirad.dialects.array.indexing import BuildOp
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.shapes import Value, is_array, is_float, shape_of
from mlirad.errors import DifferentiationError, UnsupportedError
from mlirad.float_modes import silent, standard_floats
from mlirad.interpreter.deltas.rules import RULES, Step, Terms
from mlirad.interpreter.deltas.terms import ZERO, Delta, Input
from mlirad.interpreter.machine import Frame, Instruction, Machine, location_of
from mlirad.interpreter.running import prepared
from mlirad.lazy_dataclass import dataclass
from mlirad.recursion import deep_recursion


@dataclass(frozen=True)
class DualResults:
    """The results of a function, and the terms of their elements in row-major order.

    `deltas` has None for discrete results: they have no derivative. `points` are the arguments that are
    differentiated; the inputs are numbered through their elements.
    """

    values: tuple[Any, ...]
    deltas: tuple[list[Delta] | None, ...]
    points: tuple[Any, ...]


def run_duals(
    program: ModuleOp | FuncOp,
    args: Sequence[npt.ArrayLike],
    wrt: Sequence[int],
    *,
    function: str | None = None,
) -> DualResults:
    """The results of a function whose arguments `wrt` are inputs; the others are constants.

    Arguments and `function` are those of `run_function`, and so are the errors. Also raises
    DifferentiationError for inputs that are not floats, and UnsupportedError for ops on inputs other than
    those of the array dialect and calls: linear maps have to be expanded first.
    """
    machine, main, values = prepared(program, args, function)
    types = main.function_type.inputs.data
    inputs = count()
    terms: list[list[Delta] | None] = [None] * len(values)
    for k in wrt:
        if not 0 <= k < len(types) or terms[k] is not None:
            raise DifferentiationError(
                f"wrt {list(wrt)} must be distinct positions among the {len(types)} arguments of "
                f"@{main.sym_name.data}"
            )
        if not is_float(types[k]):
            raise DifferentiationError(
                f"argument {k} of @{main.sym_name.data} is {types[k]}: only floats have a derivative",
                hint="leave it out of wrt",
            )
        terms[k] = [Input(next(inputs)) for _ in range(prod(shape_of(types[k])))]
    duals = silent(deep_recursion(standard_floats(_call)))(
        machine, main.sym_name.data, values, terms, count()
    )
    outputs = main.function_type.outputs.data
    deltas = [
        list(own or _zeros(prod(shape_of(t)))) if is_float(t) else None
        for (_, own), t in zip(duals, outputs, strict=True)
    ]
    copies = tuple(cast(Any, v).copy() if isinstance(v, np.ndarray) else v for v, _ in duals)
    return DualResults(copies, tuple(deltas), tuple(values[k] for k in wrt))


def _zeros(size: int) -> Terms:
    return [ZERO] * size


def _call(
    machine: Machine,
    name: str,
    values: Sequence[Any],
    terms: Sequence[Terms | None],
    ids: Iterator[int],
) -> list[tuple[Any, Terms | None]]:
    """Each result of a function with the terms of its elements, or None for only zeros."""
    with machine.entered(name) as block:
        frame = _DualFrame(Frame(machine, {}), {}, ids)
        frame.bind(block, values, terms)
        return frame.run(block)


@dataclass
class _DualFrame:
    """One activation of a function: the values in a frame, and the terms of those that depend on inputs."""

    primal: Frame
    terms: dict[Value, Terms]
    ids: Iterator[int]

    def bind(self, block: Block, values: Sequence[Any], terms: Sequence[Terms | None]) -> None:
        """Give a block its arguments."""
        self.primal.bind(block, values)
        self._enter(block.args, terms)

    def run(self, block: Block) -> list[tuple[Any, Terms | None]]:
        """Run the ops of a block; the operands of its terminator with their terms."""
        values = self.primal.values
        for instruction in self.primal.machine.instructions_of(block):
            op = instruction.op
            operands = [values[o] for o in instruction.operands]
            if op is block.last_op:
                return list(zip(operands, map(self.terms.get, instruction.operands), strict=True))
            if self._depends_on_inputs(op):
                self._run_active(instruction, operands)
            else:
                values.update(
                    zip(instruction.results, self.primal.run_instruction(instruction, operands), strict=True)
                )
                self._enter(instruction.results, [None] * len(instruction.results))
        return []

    def _enter(self, results: Sequence[Value], terms: Sequence[Terms | None]) -> None:
        """Terms of values; None takes away those of an earlier position of a build."""
        for result, own in zip(results, terms, strict=True):
            if own is None:
                self.terms.pop(result, None)
            else:
                self.terms[result] = own

    def _depends_on_inputs(self, op: Operation) -> bool:
        return any(operand in self.terms for inner in op.walk() for operand in inner.operands)

    def _run_active(self, instruction: Instruction, operands: list[Any]) -> None:
        """Run an op that reads values with terms."""
        op = instruction.op
        match op:
            case CallOp():
                terms = [self.terms.get(o) for o in op.operands]
                duals = _call(self.primal.machine, op.callee.root_reference.data, operands, terms, self.ids)
            case BuildOp():
                duals = [self._build(op)]
            case _:
                duals = self._by_rule(instruction, operands)
        self.primal.values.update(zip(op.results, (value for value, _ in duals), strict=True))
        self._enter(op.results, [own for _, own in duals])

    def _build(self, op: BuildOp) -> tuple[Any, Terms | None]:
        """The values and terms of the body at every position, in order."""
        block = op.body.block
        shape = shape_of(op.result)
        extents, rest = shape[: len(block.args)], shape[len(block.args) :]
        values: list[Any] = []
        terms: list[Delta] = []
        for position in np.ndindex(*extents):
            self.bind(block, list(map(np.int64, position)), [None] * len(position))
            ((value, own),) = self.run(block)
            values.append(value)
            terms += own or _zeros(prod(rest))
        array = np.array(values, numpy_dtype(op.result.type)).reshape(shape)[()]
        return array, terms if is_float(op.result) else None

    def _by_rule(self, instruction: Instruction, operands: list[Any]) -> list[tuple[Any, Terms | None]]:
        """One op of the array dialect, or any op with discrete results only."""
        op = instruction.op
        is_discrete = all(is_array(r.type) and not is_float(r) for r in op.results)
        rule = RULES.get(type(op))
        if rule is None and not is_discrete:
            raise UnsupportedError(
                f"{op.name} has no meaning on dual numbers",
                location=location_of(op.location),
                hint="scalar dual numbers go through the array dialect and calls alone; expand derivatives "
                "and linear maps first",
            )
        results = self.primal.run_instruction(instruction, operands)
        if rule is None or is_discrete:
            return [(value, None) for value in results]
        (result,) = results
        terms = [self.terms.get(o) or _zeros(np.size(x)) for o, x in zip(op.operands, operands, strict=True)]
        return [(result, rule(Step(op, operands, result, terms, self.primal, self.ids)))]
