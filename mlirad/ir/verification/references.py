"""Verification of what ops say of functions: callees, what types with names hold, and no endless derivative.

%y = func.call @f(%x)                  @f exists, takes and returns these types
linear.linearize %x {callee = @f}      and does not need this derivative itself
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from xdsl.dialects.builtin import FunctionType, SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation

from mlirad.dialects import linear
from mlirad.dialects.array.control import shown
from mlirad.dialects.array.elementwise import ElementwiseOp
from mlirad.dialects.array.frames import RestoreOp, SaveOp
from mlirad.dialects.function import PartialOp, RollOp, UnrollOp
from mlirad.dialects.function import control_combinators as of_control
from mlirad.dialects.function.closures import signature_of
from mlirad.dialects.function.combinators import NamedOp
from mlirad.dialects.linear import DerivedOp, DifferentiationOp, RecordedOp
from mlirad.dialects.shapes import components_of, is_float
from mlirad.ir.call_graph import CallGraph, references_of
from mlirad.ir.locations import location_of
from mlirad.ir.verification.errors import check_same_types, error_at


class References:
    """The functions of a module, what types with names hold, and the derivatives that ops name."""

    def __init__(self, functions: dict[str, FuncOp]):
        self._functions = functions
        self._held: dict[Attribute, tuple[Sequence[Attribute], Operation]] = {}
        self._derivatives: list[tuple[str, DifferentiationOp | DerivedOp]] = []

    def check(self, op: Operation, caller: str) -> None:
        """Require what an op in the function `caller` says of functions and frames to be so."""
        match op:
            case ElementwiseOp():
                pass
            case CallOp():
                self._check_call(op)
            case SaveOp() | RestoreOp():
                self._check_held(op, "a frame", op.frame.type, op.values.types)
            case RollOp():
                self._check_held(op, "a value", op.result.type, [op.value.type])
            case UnrollOp():
                self._check_held(op, "a value", op.operand.type, [op.result.type])
            case linear.RollOp():
                self._check_held(op, "an element", op.result.type, op.leaves.types)
            case linear.UnrollOp():
                self._check_held(op, "an element", op.operand.type, op.leaves.types)
            case of_control.RollOp():
                self._check_held(op, "a value", op.codomain, [op.domain])
            case of_control.UnrollOp():
                self._check_held(op, "a value", op.domain, [op.codomain])
            case DifferentiationOp():
                self._derivatives.append((caller, op))
                self._check_types(op, op.callee_name, [v.type for v in op.given], [v.type for v in op.values])
            case linear.CallOp():
                self._check_types(op, op.callee_name, op.arguments.types, (op.result.type,))
            case PartialOp():
                made = signature_of(op.closure)
                self._check_types(op, op.callee_name, [*made.inputs, *op.fixed.types], made.outputs)
            case NamedOp():
                self._check_types(op, op.callee_name, (), (op.result.type,))
            case DerivedOp():
                self._derivatives.append((caller, op))
                self._check_derived(op)
            case RecordedOp():
                sums = [components_of(op.domain)[k] for k in op.summed]
                domain, codomain = components_of(op.domain), components_of(op.codomain)
                types, count = [o.type for o in op.operands], op.primal_count
                self._check_types(
                    op, op.callee.root_reference.data, [*types[count:], *codomain, *sums], domain
                )
                if op.forward is not None:
                    name = op.forward.root_reference.data
                    self._check_types(op, name, [*types[:count], *domain], codomain)
            case _:
                pass

    def check_recursion(self) -> None:
        """Functions may call themselves, but no derivative may be of a function that needs it."""
        graph = CallGraph(self._functions, references_of)
        reachable: dict[str, Container[str]] = {}
        for name, op in self._derivatives:
            callee = op.callee_name
            if callee not in reachable:
                reachable[callee] = graph.reachable([callee])
            if name in reachable[callee]:
                raise error_at(
                    op,
                    f"@{callee} is differentiated in a function that it calls (@{name})",
                    "its derivative has no end: differentiate a function that does not need it",
                )

    def _check_types(
        self, op: Operation, name: str, taken: Sequence[Attribute], returned: Sequence[Attribute]
    ) -> None:
        type_ = self._callee(op, name).function_type
        check_same_types(op, f"@{name} takes", taken, type_.inputs.data)
        check_same_types(op, f"@{name} returns", returned, type_.outputs.data)

    def _check_call(self, call: CallOp) -> None:
        # The op's own rules look its symbol up again, in time linear in the number of functions.
        callee = call.properties.get("callee")
        if not isinstance(callee, SymbolRefAttr) or callee.nested_references.data:
            raise error_at(call, "property 'callee' must name a function")
        if len(call.properties) > 1 or call.regions:
            raise error_at(call, "has properties or regions that it does not define")
        self._check_types(call, callee.root_reference.data, call.arguments.types, call.res.types)

    def _check_derived(self, op: DerivedOp) -> None:
        function = self._callee(op, op.callee_name)
        given = [o.type for o in op.operands[: op.base_count]]
        check_same_types(op, f"@{function.sym_name.data} takes", given, function.function_type.inputs.data)
        floats = sum(map(is_float, function.function_type.outputs.data)) << len(op.groups)
        for k in op.positions("results"):
            if not 0 <= k < floats:
                raise error_at(op, f"results names float {k} of {floats}")

    def _check_held(self, op: Operation, noun: str, type_: Attribute, held: Sequence[Attribute]) -> None:
        """Require the types that values of a type with a name hold: what is taken out is what was put in."""
        known, first = self._held.setdefault(type_, (held, op))
        if list(known) != list(held):
            at = location_of(first)
            raise error_at(
                op,
                f"{noun} of type {type_} holds {shown(held)} here and {shown(known)} in {first.name}"
                + ("" if at is None else f" at {at}"),
            )

    def _callee(self, op: Operation, name: str) -> FuncOp:
        function = self._functions.get(name)
        if function is None or not isinstance(function.properties.get("function_type"), FunctionType):
            there = ", ".join(f"@{known}" for known in self._functions)
            raise error_at(op, f"there is no function @{name}", f"the module defines {there or 'none'}")
        return function
