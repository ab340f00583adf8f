"""Signatures of ops, apart from their operands: equal numbers for equal ones.

    %c = array.add %a, %b : f64                    1
    %d = array.mul %c, %b : f64                    2
    %e = array.add %d, %c : f64                    1

A Python function that is differentiated in each iteration of a loop is traced in each: the functions of the
program have other names, and equal bodies.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, Region

from mlirad.dialects.shapes import Value
from mlirad.ir.call_graph import functions_of, is_private
from mlirad.ir.free_values import own_operands
from mlirad.passes.reroll_loops.periods import LEAST_REPETITIONS


class Signatures:
    """Numbers of ops, equal where the ops differ in nothing but what they read.

    Names of private functions of `module` that have equal bodies count as one.
    """

    def __init__(self, module: ModuleOp | None = None) -> None:
        self._numbers: dict[object, int] = {}
        self._attributes: dict[int, tuple[Attribute, int]] = {}
        functions = [] if module is None else [f for f in functions_of(module) if is_private(f)]
        if len(functions) >= LEAST_REPETITIONS:
            for function in functions:
                self._name(function)

    def __call__(self, op: Operation) -> int:
        key = self._key(op, {})
        return self._numbers.setdefault(key, len(self._numbers))

    def _name(self, function: FuncOp) -> None:
        """Give the name of a function the number of its body."""
        key = self._region(function.body, {})
        name = SymbolRefAttr(function.sym_name)
        self._numbers[name] = self._numbers.setdefault(key, len(self._numbers))

    def _attribute(self, attribute: Attribute) -> int:
        """The number of an attribute, which is hashed once."""
        known = self._attributes.get(id(attribute))
        if known is None:
            number = self._numbers.setdefault(attribute, len(self._numbers))
            known = self._attributes[id(attribute)] = attribute, number
        return known[1]

    def _key(self, op: Operation, local: dict[Value, int]) -> tuple[object, ...]:
        return (
            type(op),
            len(own_operands(op)),
            *[self._attribute(r.type) for r in op.results],
            *[(name, self._attribute(op.properties[name])) for name in sorted(op.properties)],
            *[self._region(region, local) for region in op.regions],
        )

    def _region(self, region: Region, local: dict[Value, int]) -> tuple[object, ...]:
        parts: list[object] = []
        for block in region.blocks:
            for argument in block.args:
                local[argument] = len(local)
                parts.append(self._attribute(argument.type))
            for op in block.ops:
                parts.append((self._key(op, local), *[local.get(o) for o in own_operands(op)]))
                for result in op.results:
                    local[result] = len(local)
        return tuple(parts)
