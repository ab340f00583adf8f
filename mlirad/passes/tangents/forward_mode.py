"""The function (f; A), which computes f and its derivative along tangents of the arguments in A, op by op.

    f(x, n) = x * f(x, n - 1)        -->        (f; 0)(x, n, dx) = y * x, y * dx + dy * x
                                                     where y, dy = (f; 0)(x, n - 1, dx)

A float that depends on the arguments in A has its tangent computed right after it: the image of the operands'
tangents under the map of the derivative table. Loops carry, stack and record tangents beside values, branches
yield them, calls pass them. So nothing is kept and nothing is reversed; the result is code like any other,
recursive where f is, and can be differentiated too. A tangent that is known to be zero is not computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, TypeAlias

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation

from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.shapes import Shape, Value, is_float, tuple_type
from mlirad.ir.arrays import ArrayBuilder, Environment, Images, new_function
from mlirad.ir.builder import function_block, returned
from mlirad.ir.free_values import free_values, own_operands
from mlirad.lazy_dataclass import dataclass
from mlirad.linear_maps.apply.evaluator import MapEvaluator
from mlirad.linear_maps.elements import as_value
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.dual_arrays.duals import Construct, DualArrays
from mlirad.rules.derivatives import ZERO

Callee: TypeAlias = Callable[[str, Shape], str]
"""From the name of a function and positions of its operands to the function with their tangents."""

ForwardRule: TypeAlias = "Callable[[ForwardMode, Any], None]"
"""Emits an op with regions or a call, and enters its results and their tangents."""


def interleaved(types: Iterable[Attribute]) -> list[Attribute]:
    """The types of results, each float followed by its tangent."""
    return [t for type_ in types for t in ((type_, type_) if is_float(type_) else (type_,))]


def forward_derivative(
    function: FuncOp,
    name: str,
    wrt: Sequence[int],
    callee: Callee,
    control: Mapping[type[Operation], ForwardRule],
    constructs: Mapping[type[Operation], Construct],
) -> FuncOp:
    """The function of the arguments and of tangents of those at `wrt`, under the given name.

    `control` are the ops with forward rules of their own, `constructs` those that differentiate other ops
    without a line in the derivative table. Raises DifferentiationError for ops without a derivative.
    """
    source = function_block(function)
    types = list(source.arg_types)

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        t = ForwardMode(b, callee, control, constructs)
        t.env.update(zip(source.args, args, strict=False))
        for k, tangent in zip(wrt, args[len(types) :], strict=True):
            t.tangents[source.args[k]] = tangent
        t.transform(source.ops)
        made: list[Value] = []
        for value in returned(function):
            made.append(t.value(value))
            if is_float(value):
                made.append(t.tangent(value))
        return made

    hints = [a.name_hint for a in source.args]
    hints += [None if hints[k] is None else f"d_{hints[k]}" for k in wrt]
    new = new_function(name, [*types, *(types[k] for k in wrt)], body, "private", hints)
    new.location = function.location
    return eliminate_dead_code(new)


@dataclass
class ForwardMode(Images):
    """The images of source values, and their tangents; a value without a tangent has tangent 0.

    `tapes` says for the tape of a source loop which of its columns are followed by their tangents, in the
    order of these columns, after all columns.
    """

    b: ArrayBuilder
    callee: Callee
    control: Mapping[type[Operation], ForwardRule]
    constructs: Mapping[type[Operation], Construct]
    env: Environment = field(default_factory=dict[Value, Value])
    tangents: dict[Value, Value] = field(default_factory=dict[Value, Value])
    tapes: dict[Value, list[int]] = field(default_factory=dict[Value, list[int]])

    def tangent(self, source: Value) -> Value:
        """The tangent of a float, zeros written out."""
        known = self.tangents.get(source)
        return self.b.zeros(source.type) if known is None else known

    def transform(self, ops: Iterable[Operation]) -> None:
        """Emit ops with tangents, up to a terminator."""
        for op in ops:
            if isinstance(op, YieldOp | ReturnOp):
                return
            read = free_values(op)
            if type(op) in ZERO or not any(v in self.tangents or v in self.tapes for v in read):
                self.b.rebuild(op, self.env)
            elif isinstance(op, CallOp):
                self._call(op)
            elif type(op) in self.control:
                self.b.location, self.b.name_hint = op.location, None
                self.control[type(op)](self, op)
            else:
                self._by_maps(op, [v for v in read if v in self.tangents])

    def _by_maps(self, op: Operation, active: Sequence[Value]) -> None:
        """Apply the maps that D makes of the op to the tangents of what it reads."""
        b = self.b
        space = tuple_type([v.type for v in active])
        d = DualArrays(b, space, self.constructs, self.env)
        for k, source in enumerate(active):
            d.maps[source] = b.project(space, k)
        d.transform([op])
        evaluator = MapEvaluator(b, op, {})
        for result in op.results:
            tangent_map = d.maps.get(result)
            if tangent_map is None:
                continue
            image = evaluator.run(False, tangent_map, [self.tangents[v] for v in active])
            if image is not None:
                tangent = self.tangents[result] = as_value(image)
                if tangent.name_hint is None and result.name_hint is not None:
                    tangent.name_hint = f"d_{result.name_hint}"

    def _call(self, op: CallOp) -> None:
        """Call the function with tangents."""
        b, operands = self.b, own_operands(op)
        group = tuple(k for k, v in enumerate(operands) if v in self.tangents)
        name = self.callee(op.callee.root_reference.data, group)
        b.location, b.name_hint = op.location, None
        given = [*map(self.value, operands), *(self.tangents[operands[k]] for k in group)]
        call = b.insert(CallOp, given, interleaved(op.result_types), {"callee": SymbolRefAttr(name)})
        made = iter(call.results)
        for result in op.results:
            self.env[result] = next(made)
            if is_float(result):
                self.tangents[result] = next(made)
