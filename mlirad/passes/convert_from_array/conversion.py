"""The conversion of one function: the walk through its ops and regions.

    c.convert(op)                         emits what stands for an op, and enters its results
    c.inlined(region, arguments)          emits the ops of a region; returns what it yields

Regions of the array dialect become bodies of upstream ops. As scalars are arrays of rank 0, ops of such
bodies are converted like all others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region

from mlirad.dialects.array.elementwise import ElementwiseOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.shapes import Value
from mlirad.errors import UnsupportedError
from mlirad.ir.free_values import own_operands
from mlirad.ir.locations import location_of
from mlirad.passes.convert_from_array.emitter import Emitter
from mlirad.passes.convert_from_array.scalars import formula_of

Handler: TypeAlias = Callable[["Conversion", Operation], Sequence[Value]]
"""From an op to the values of its results."""


class Conversion:
    """The state of the conversion of a function."""

    def __init__(
        self, u: Emitter, handlers: dict[type[Operation], Handler], refusals: dict[type[Operation], str]
    ):
        self.u = u
        self._handlers = handlers
        self._refusals = refusals
        self._env: dict[Value, Value] = {}

    def value(self, value: Value) -> Value:
        """Return what stands for a value."""
        return self._env[value]

    def values(self, values: Sequence[Value]) -> list[Value]:
        """Return what stands for values."""
        return [self._env[value] for value in values]

    def block(self, block: Block, arguments: Sequence[Value]) -> list[Value]:
        """Emit the ops of a block for the arguments; returns what its terminator yields."""
        self._env.update(zip(block.args, arguments, strict=True))
        for op in block.ops:
            if isinstance(op, YieldOp | ReturnOp):
                return self.values(own_operands(op))
            self.convert(op)
        raise AssertionError("a block without a terminator")

    def inlined(self, region: Region, arguments: Sequence[Value]) -> list[Value]:
        """Emit the ops of a region for the arguments; returns what it yields."""
        return self.block(region.block, arguments)

    def convert(self, op: Operation) -> None:
        """Emit what stands for an op, and enter its results."""
        u = self.u
        u.location = op.location
        made: Sequence[Value]
        handler = self._handlers.get(type(op))
        if handler is not None:
            made = handler(self, op)
        elif isinstance(op, ElementwiseOp) and type(op) not in self._refusals:
            formula = formula_of(op)
            operands = self.values(own_operands(op))
            made = [u.elementwise(op.results[0].type, operands, lambda *x: formula(u, *x))]
        elif isinstance(op, CallOp):
            types = [r.type for r in op.results]
            made = list(u.add(CallOp(op.callee, self.values(own_operands(op)), types)).results)
        else:
            raise self._refused(op)
        for result, value in zip(op.results, made, strict=True):
            self._env[result] = value
            if value.name_hint is None:
                value.name_hint = result.name_hint

    def _refused(self, op: Operation) -> UnsupportedError:
        reason = self._refusals.get(type(op))
        hint = None
        if reason is None:
            reason = "only array code becomes upstream code"
            hint = "expand derivatives, functions as values and builds before: --pipeline=grad or expand"
        return UnsupportedError(f"{op.name}: {reason}", location=location_of(op), hint=hint)


def convert_function(
    function: FuncOp,
    handlers: dict[type[Operation], Handler],
    refusals: dict[type[Operation], str],
) -> tuple[FuncOp, Emitter]:
    """The function over upstream dialects, and the emitter that knows what it calls."""
    source = function.body.block
    block = Block(arg_types=source.arg_types)
    for argument, old in zip(block.args, source.args, strict=True):
        argument.name_hint = old.name_hint
    u = Emitter(block)
    results = Conversion(u, handlers, refusals).block(source, block.args)
    u.location = function.location
    u.add(ReturnOp(*results))
    new = FuncOp(function.sym_name.data, function.function_type, Region(block), function.sym_visibility)
    new.location = function.location
    return new, u
