"""Arrays that records hold are records of their own, boxes, so that closures share them.

    %d = function.lambda (...) {... %w[%i] ...}  in a loop      %b = array.save %w, once, where %w is defined
                                                                each record holds %b, and its code restores it

A record is a copy of what it holds: without boxes n closures over an array of n elements would hold n
squared. A private function that is only called takes boxes of arrays that its closures capture, so recursion
that passes an array on passes on its box.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation

from mlirad.dialects.frame_type import FrameType
from mlirad.dialects.function import GetOp, LambdaOp, PartialOp, TupleOp
from mlirad.dialects.shapes import Value, is_array, shape_of
from mlirad.ir.call_graph import is_private, references_of
from mlirad.ir.first_order import is_higher
from mlirad.ir.free_values import own_operands
from mlirad.passes.eliminate_functions.choices import Box, Key, chosen_from, is_choice, source_of
from mlirad.passes.eliminate_functions.equal_codes import captured_by
from mlirad.passes.eliminate_functions.flow import Flow
from mlirad.passes.eliminate_functions.records import Records


class Boxes:
    """The arrays that have boxes."""

    def __init__(self, flow: Flow, records: Records):
        self._flow = flow
        self._records = records
        self._arrays: dict[Value, frozenset[Value]] = {}
        self._types: dict[Attribute, FrameType] = {}

    def kept(self, key: Key, type_: Attribute) -> Key:
        """The type that closures hold in place of an array, or of another value."""
        values = self._found[0]
        if not values or isinstance(key, Box) or not _is_large(type_):
            return key
        return Box(key) if (key[0] if isinstance(key, tuple) else key) in values else key

    def type_of(self, type_: Attribute) -> FrameType:
        """The type of boxes of arrays of a type."""
        if type_ not in self._types:
            self._types[type_] = self._records.new_type("box")
        return self._types[type_]

    def parameters(self, function: FuncOp) -> frozenset[int]:
        """The parameters of a function that are boxes."""
        return self._found[1].get(function.sym_name.data, frozenset())

    @property
    def are_parameters(self) -> bool:
        """Tell whether any functions take boxes."""
        return bool(self._found[1])

    @cached_property
    def _found(self) -> tuple[set[Value], dict[str, frozenset[int]]]:
        """The values whose arrays have boxes, and the parameters that are boxes."""
        values: set[Value] = set()
        parameters: dict[str, frozenset[int]] = {}
        codes = [code for code in self._flow.codes if self._records.holds(code)]
        if not codes:
            return values, parameters
        calls = self._calls()
        pending = [v for code in codes for captured in captured_by(code) for v in self._arrays_of(captured)]
        while pending:
            value = pending.pop()
            if value in values:
                continue
            values.add(value)
            if not isinstance(value, BlockArgument):
                continue
            function = value.block.parent_op()
            name = function.sym_name.data if isinstance(function, FuncOp) else ""
            if name in calls and _is_large(value.type):
                parameters[name] = parameters.get(name, frozenset()) | {value.index}
                pending += [own_operands(call)[value.index] for call in calls[name]]
        return values, parameters

    def _calls(self) -> dict[str, list[Operation]]:
        """The calls of each private function that has no other uses."""
        found: dict[str, list[Operation]] = {n: [] for n, f in self._flow.functions.items() if is_private(f)}
        for function in self._flow.functions.values():
            for name, op in references_of(function):
                if not isinstance(op, CallOp):
                    found.pop(name, None)
                elif name in found:
                    found[name].append(op)
        return found

    def _arrays_of(self, value: Value) -> frozenset[Value]:
        """The parts of a captured value that are arrays, or may have arrays as parts."""
        if not is_higher(value.type):
            return frozenset([value]) if _is_large(value.type) else frozenset()
        value = source_of(value)
        if value not in self._arrays:
            self._arrays[value] = self._parts_of(value)
        return self._arrays[value]

    def _parts_of(self, value: Value) -> frozenset[Value]:
        owner = value.owner
        if isinstance(owner, LambdaOp | PartialOp):
            return _union(map(self._arrays_of, captured_by(owner)))
        if isinstance(owner, TupleOp):
            return _union(map(self._arrays_of, owner.components))
        if isinstance(owner, GetOp):
            return self._arrays_of(owner.operand)
        if is_choice(value):
            return _union(map(self._arrays_of, chosen_from(value)))
        return frozenset([value])


def _is_large(type_: Attribute) -> bool:
    return is_array(type_) and bool(shape_of(type_))


def _union(sets: Iterable[frozenset[Value]]) -> frozenset[Value]:
    return frozenset[Value]().union(*sets)
