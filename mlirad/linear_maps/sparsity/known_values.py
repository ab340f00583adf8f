"""Known values of a program in sparsity analysis: those that constants and integers determine.

    known = Known({%camera_of: array([0, 1, 0])})
    known.at(%position, scope)                 the value, or None if it depends on something unknown

Values inside regions are known for all positions at once. A *scope* is a region with its *batch axes*: the
iterations of a loop, or the points of an index space. The value of an expression there is an array with one
more leading axis for each batch axis, of extent 1 where it does not vary.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from itertools import product
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array.elementwise import ElementwiseOp
from mlirad.dialects.array.indexing import IndexOp
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.linear import MapOp
from mlirad.dialects.shapes import Shape, Value, is_array, shape_of
from mlirad.errors import InterpreterError, UnsupportedError
from mlirad.float_modes import silent, standard_floats
from mlirad.interpreter.array_ops import ARRAY_ELEMENT_MEANINGS
from mlirad.interpreter.machine import Frame, Machine
from mlirad.interpreter.running import MEANINGS
from mlirad.ir.free_values import free_values, own_operands
from mlirad.lazy_dataclass import dataclass
from mlirad.recursion import deep_recursion

Array: TypeAlias = NDArray[Any]

MAX_RUNS = 1 << 14
"""The number of times that an op may be run, at each batch position, to know its values; beyond that they are
unknown."""


@dataclass(frozen=True, eq=False)
class Scope:
    """A place in the program: the batch axes of the regions around it, and the values known there."""

    batch: Shape
    parent: Scope | None
    depth: int
    values: dict[Value, Array | None] = field(default_factory=dict[Value, "Array | None"])

    def inner(self, extents: Shape, arguments: Mapping[Value, Array | None]) -> Scope:
        """The scope of a region with further batch axes, in which the arguments vary."""
        return Scope((*self.batch, *extents), self, self.depth + 1, dict(arguments))

    def called(self, arguments: Mapping[Value, Array | None]) -> Scope:
        """The scope of a function that is called here: nothing around the call is seen from it."""
        return Scope(self.batch, None, 0, dict(arguments))

    @property
    def root(self) -> Scope:
        """The outermost scope that is seen from here."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def indices(self, extents: Shape) -> list[Array]:
        """The positions of further batch axes of the given extents, an array for each axis."""
        first, rank = len(self.batch), len(self.batch) + len(extents)
        return [
            np.arange(e).reshape([e if d == first + k else 1 for d in range(rank)])
            for k, e in enumerate(extents)
        ]

    def home(self, value: Value) -> Scope | None:
        """The scope here or around in which a value is recorded."""
        scope: Scope | None = self
        while scope is not None and value not in scope.values:
            scope = scope.parent
        return scope


class Known:
    """The known values of one program, computed when they are asked for.

    `functions` are those that the program calls, `calls` counts how many were followed.
    """

    def __init__(self, given: Mapping[Value, Array], functions: Mapping[str, FuncOp] | None = None):
        self.top = Scope((), None, 0, dict(given))
        self.functions = dict(functions or {})
        self.calls = 0
        self._frame = Frame(Machine(MEANINGS, ARRAY_ELEMENT_MEANINGS, self.functions), {})

    def at(self, value: Value, scope: Scope) -> Array | None:
        """The value with the batch axes of the scope as leading axes, `None` where it is unknown."""
        home = scope.home(value)
        if home is None:
            self._compute_all(value, scope)
            home = scope.home(value)
            assert home is not None
        found = home.values[value]
        return None if found is None else _with_batch_axes(found, len(home.batch), len(scope.batch))

    @silent
    @deep_recursion
    @standard_floats
    def _compute_all(self, value: Value, scope: Scope) -> None:
        """Record a value and all that it depends on."""
        pending = [value]
        while pending:
            wanted = pending[-1]
            if scope.home(wanted) is not None:
                pending.pop()
                continue
            owner = wanted.owner
            if not isinstance(owner, Operation) or not _can_run(owner):
                scope.root.values[wanted] = None
                continue
            missing = [v for v in free_values(owner) if scope.home(v) is None]
            pending += missing
            if not missing:
                self._compute(owner, scope)

    def _compute(self, op: Operation, scope: Scope) -> None:
        """Record the results of an op in the innermost scope that something it reads belongs to."""
        homes = {v: scope.home(v) for v in free_values(op)}
        home = max((h for h in homes.values() if h is not None), key=lambda h: h.depth, default=scope.root)
        operands: dict[Value, Array] = {}
        for v in homes:
            operand = self.at(v, home)
            if operand is None:
                break
            operands[v] = operand
        is_known = len(operands) == len(homes)
        results = self._run(op, operands, len(home.batch)) if is_known else None
        for k, result in enumerate(op.results):
            home.values[result] = None if results is None else results[k]

    def _run(self, op: Operation, operands: Mapping[Value, Array], ranks: int) -> list[Array] | None:
        if not all(is_array(r.type) for r in op.results):
            return None
        try:
            if any(e != 1 for v in operands.values() for e in v.shape[:ranks]):
                made = _run_batch(op, operands, ranks)
                if made is not None:
                    return [made]
            return self._run_each(op, operands, ranks)
        except (InterpreterError, UnsupportedError):
            return None

    def _run_each(self, op: Operation, operands: Mapping[Value, Array], ranks: int) -> list[Array] | None:
        """Any op, at each batch position."""
        extents = tuple(
            next((v.shape[d] for v in operands.values() if v.shape[d] != 1), 1) for d in range(ranks)
        )
        if prod(extents) > MAX_RUNS:
            return None
        columns: list[list[Any]] = [[] for _ in op.results]
        values = self._frame.values
        instruction = self._frame.machine.instruction_of(op)
        if prod(extents) == 1:
            for v, array in operands.items():
                values[v] = array.reshape(array.shape[ranks:])[()]
            made = self._frame.run_instruction(instruction, [values[o] for o in own_operands(op)])
            return [
                np.asarray(one).reshape((*extents, *shape_of(r)))
                for one, r in zip(made, op.results, strict=True)
            ]
        for position in product(*map(range, extents)):
            for v, array in operands.items():
                at = tuple(i if e != 1 else 0 for i, e in zip(position, array.shape, strict=False))
                values[v] = np.asarray(array[at])[()]
            made = self._frame.run_instruction(instruction, [values[o] for o in own_operands(op)])
            for column, one in zip(columns, made, strict=True):
                column.append(one)
        return [
            np.asarray(column, numpy_dtype(r.type)).reshape((*extents, *shape_of(r)))
            for column, r in zip(columns, op.results, strict=True)
        ]


def distinct_part(array: Array) -> Array:
    """A part of an array that has all its elements: along axes that it repeats itself along, one position."""
    return array[tuple(slice(0, 1) if s == 0 else slice(None) for s in array.strides)]


def _can_run(op: Operation) -> bool:
    return not isinstance(op, MapOp) and type(op) in MEANINGS


def _with_batch_axes(array: Array, ranks: int, wanted: int) -> Array:
    """An array with `ranks` batch axes as one with more of them, along which it does not vary."""
    if ranks == wanted:
        return array
    return array.reshape((*array.shape[:ranks], *(1,) * (wanted - ranks), *array.shape[ranks:]))


def _run_batch(op: Operation, operands: Mapping[Value, Array], ranks: int) -> Array | None:
    """An elementwise op, or an index into an array that does not vary, at all batch positions at once."""
    meaning = ARRAY_ELEMENT_MEANINGS.get(type(op))
    if meaning is None:
        return None
    values = [operands[v] for v in own_operands(op)]
    if isinstance(op, IndexOp):
        x, *positions = values
        if any(e != 1 for e in x.shape[:ranks]):
            return None
        return np.asarray(meaning(op, [x.reshape(x.shape[ranks:]), *np.broadcast_arrays(*positions)]))
    if not isinstance(op, ElementwiseOp):
        return None
    rank = len(shape_of(op.results[0]))
    return np.asarray(meaning(op, [v.reshape((*v.shape, *(1,) * (ranks + rank - v.ndim))) for v in values]))
