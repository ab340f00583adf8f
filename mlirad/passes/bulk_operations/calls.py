"""Calls that stay inside builds: the batched function, made once for each pattern of batched arguments.

    build n (i. call @f(x, k)), i in x, i not in k   -->   call @f_batched(build n (i. x), k, true)

The mask is the last argument of the new function, and holds for some member: a call under a mask is made only
if the mask holds for one. So the recursion ends when the last member's ends, and is as deep as the deepest
member's.

Calls of other functions wait for inlining, and those of functions that reach derivatives for their expansion.
Derivatives of calls are those of the batched function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr, i1
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation

from mlirad.dialects.array.frames import FRAME_OPS
from mlirad.dialects.linear import CALL_VALUES, DerivedOp, Linear, PullOp, PushOp, properties_of
from mlirad.dialects.shapes import Shape, Value, array_type, element_of, shape_of
from mlirad.errors import UnsupportedError
from mlirad.ir.call_graph import (
    PRIVATE,
    CallGraph,
    callee_name,
    functions_by_name,
    functions_of,
    references_of,
)
from mlirad.ir.free_values import own_operands
from mlirad.ir.locations import location_of
from mlirad.ir.regions import nested_ops
from mlirad.passes.bulk_operations.paths import Paths
from mlirad.passes.bulk_operations.terms import BatchAxes, Term, extents, joined, union
from mlirad.passes.function_pass import holds
from mlirad.passes.mark_no_inline import kept_functions

BatchedFunction: TypeAlias = Callable[[FuncOp, str, Shape, Sequence[bool]], FuncOp]
"""Makes a batched function over axes of the given extents; the flags say which arguments are batched."""

MAX_PATTERNS = 16
"""The number of patterns of batched arguments that a function may have; more are a sign that there is no
end."""


class BulkCalls:
    """The functions of a module whose calls stay, and their batched forms."""

    def __init__(self, module: ModuleOp, loops: Sequence[FuncOp] = ()):
        """`loops`, which may grow, are functions that are still to be added to the module."""
        self._module = module
        self._loops = loops
        self._names = {f.sym_name.data for f in functions_of(module)}
        found = _with_bulk_form(module)
        self._sources = {f.sym_name.data: f.clone() for f in functions_of(module) if f.sym_name.data in found}
        self._patterns: dict[str, dict[tuple[Shape, tuple[bool, ...]], str]] = {}
        self._wanted: list[tuple[str, str, Shape, tuple[bool, ...]]] = []

    def has_bulk_form(self, op: Operation) -> bool:
        """Return whether an op is a call, or the derivative of one, that can stand inside builds."""
        match op:
            case CallOp():
                return callee_name(op) in self._sources
            case PushOp() | PullOp():
                name = op.callee_name
                return name in self._sources or any(f.sym_name.data == name for f in self._loops)
            case _:
                return False

    def call(self, p: Paths, op: CallOp) -> list[Term]:
        """The results of a call that is batched, or made by some members only."""
        operands = [p.term(o) for o in own_operands(op)]
        axes, callee, values = _axes_of_call(p, operands), callee_name(op), [p.r.value(t) for t in operands]
        if axes:
            batched = [bool(t.axes) for t in operands]
            callee = self._batched_name(op, callee, extents(axes), batched)
            values = [*_aligned(p, operands, batched, axes), _mask_over(p, axes)]
        return _if_on_the_path(p, op, axes, values, {"callee": SymbolRefAttr(callee)})

    def derived(self, p: Paths, op: PushOp | PullOp) -> list[Term]:
        """The results of the derivative of a call: the derivative of the batched function.

        An operand by which is differentiated has all batch axes, so that each member has its own cotangent.
        """
        operands = [p.term(o) for o in own_operands(op)]
        axes, properties = _axes_of_call(p, operands), dict(op.properties)
        values = [p.r.value(t) for t in operands]
        if axes:
            base, extra = op.base_count, op.extra_count
            batched = _batched(op, [bool(t.axes) for t in operands[: len(operands) - extra]])
            batched += [True] * extra
            callee = self._batched_name(op, op.callee_name, extents(axes), batched[:base])
            values = _aligned(p, operands, batched, axes)
            values.insert(base, _mask_over(p, axes))
            groups = tuple(tuple(k + (k >= base) for k in group) for group in op.groups)
            moved = (
                {"wrt": tuple(k + (k >= base) for k in op.positions("wrt"))} if "wrt" in properties else {}
            )
            properties = properties_of(SymbolRefAttr(callee), groups, op.positions("results"), **moved)
        return _if_on_the_path(p, op, axes, values, properties)

    def add_functions(self, batched_function: BatchedFunction) -> None:
        """Add the batched functions that are called to the module, and those that they call."""
        while self._wanted:
            name, source, shape, batched = self._wanted.pop(0)
            function = batched_function(self._source(source), name, shape, batched)
            function.properties["sym_visibility"] = PRIVATE
            self._module.body.block.add_op(function)

    def _source(self, name: str) -> FuncOp:
        known = self._sources.get(name)
        return next(f for f in self._loops if f.sym_name.data == name) if known is None else known

    def _batched_name(self, op: Operation, callee: str, shape: Shape, pattern: Sequence[bool]) -> str:
        """The name of a batched function, which is made later."""
        known = self._patterns.setdefault(callee, {})
        batched = tuple(pattern)
        name = known.get((shape, batched))
        if name is None:
            if len(known) >= MAX_PATTERNS:
                raise UnsupportedError(
                    f"@{callee} calls itself inside more and more builds",
                    location=location_of(op),
                    hint="move the call out of the build",
                )
            count = len(known)
            while (name := f"{callee}_batched{count or ''}") in self._names:
                count += 1
            self._names.add(name)
            known[shape, batched] = name
            self._wanted.append((name, callee, shape, batched))
        return name


def _axes_of_call(p: Paths, operands: Sequence[Term]) -> BatchAxes:
    """The axes of the batched function: those of the operands and of the mask; none if no operand has any."""
    axes = union(operands)
    return joined((axes, p.mask.axes)) if axes and p.mask is not None else axes


def _aligned(p: Paths, operands: Sequence[Term], batched: Sequence[bool], axes: BatchAxes) -> list[Value]:
    return [p.r.align(t, axes) if b else p.r.value(t) for t, b in zip(operands, batched, strict=True)]


def _mask_over(p: Paths, axes: BatchAxes) -> Value:
    return p.b.splat(True, array_type(extents(axes), i1)) if p.mask is None else p.r.align(p.mask, axes)


def _if_on_the_path(
    p: Paths,
    op: CallOp | PushOp | PullOp,
    axes: BatchAxes,
    values: Sequence[Value],
    properties: dict[str, Attribute],
) -> list[Term]:
    """The results of the op on the given values, made if any member is on the path."""
    types = [array_type((*extents(axes), *shape_of(v)), element_of(v)) for v in op.results]

    def made() -> Sequence[Value]:
        return p.b.insert(type(op), values, types, properties).results

    def skipped() -> Sequence[Value]:
        return values[-len(types) :] if isinstance(op, PullOp) else [p.b.zeros(t) for t in types]

    results = made() if p.mask is None else p.b.if_(p.any_of(p.mask), made, skipped)
    return [p.r.term(axes, v) for v in results]


def _batched(op: PushOp | PullOp, batched: list[bool]) -> list[bool]:
    """Return which operands of the derived function are batched: what is in `wrt`, and tangents as their
    primals.
    """
    if isinstance(op, PullOp):
        for k in op.positions("wrt"):
            batched[k] = True
    pairs: list[tuple[int, int]] = []
    known = op.base_count
    for group in op.groups:
        pairs += zip(group, range(known, known + len(group)), strict=True)
        known += len(group)
    for _ in range(len(op.groups) + 1):
        for primal, tangent in pairs:
            batched[primal] = batched[tangent] = batched[primal] or batched[tangent]
    return batched


def _with_bulk_form(module: ModuleOp) -> set[str]:
    """The functions whose calls stay and those whose derivatives are called, and what they reach.

    None of these holds a derivative that is still to be expanded, or frames.
    """
    functions = functions_by_name(module)
    graph = CallGraph(functions, references_of)
    derived = {
        op.callee_name for f in functions.values() for op in nested_ops(f.body) if isinstance(op, DerivedOp)
    }
    found: set[str] = set()
    for name in (*kept_functions(functions), *derived):
        reached = graph.reachable([name])
        if not any(holds(functions[f], _UNEXPANDED) for f in reached):
            found.update(reached)
    return found


_UNEXPANDED: tuple[type[Operation], ...] = (
    *(op for op in Linear.operations if op not in CALL_VALUES),
    *FRAME_OPS,
)
