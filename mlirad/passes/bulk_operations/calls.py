"""Calls that stay inside builds: the function over all lanes, made once for each pattern of lanes.

    build n (i. call @f(x, k)), i in x, i not in k   -->   call @f_lanes(build n (i. x), k, true)

The mask is the last argument of the new function, and holds in some lane: where a call stands under a mask,
it is made only if that does. So the recursion ends when the last lane has ended, as deep as the deepest.

Calls of other functions wait for inlining, and those of functions that reach derivatives for their expansion.
Derivatives of calls are those of the function over all lanes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr, i1
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array.frames import FRAME_OPS
from mlirad.dialects.linear import CALL_VALUES, DerivedOp, Linear, PullOp, PushOp, properties_of
from mlirad.dialects.shapes import Shape, Value, array_type, element_of, shape_of
from mlirad.errors import UnsupportedError
from mlirad.ir.free_values import own_operands
from mlirad.ir.locations import location_of
from mlirad.passes.bulk_operations.paths import Paths
from mlirad.passes.bulk_operations.terms import Term, extents, joined, union
from mlirad.passes.calls import callee_name
from mlirad.passes.function_pass import functions_of, holds, nested_ops
from mlirad.passes.kept_calls import kept_functions

Over: TypeAlias = Callable[[FuncOp, str, Shape, Sequence[bool]], FuncOp]
"""Makes a function over lanes of the given extents, the flags saying which arguments differ between them."""

MAX_PATTERNS = 16
"""How many patterns of lanes a function may be called with; more are a sign that there is no end of them."""


class BulkCalls:
    """The functions of a module whose calls stay, and their forms over lanes."""

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
        """Whether an op is a call, or the derivative of one, that can stand inside builds."""
        match op:
            case CallOp():
                return callee_name(op) in self._sources
            case PushOp() | PullOp():
                name = op.callee_name
                return name in self._sources or any(f.sym_name.data == name for f in self._loops)
            case _:
                return False

    def call(self, p: Paths, op: CallOp) -> list[Term]:
        """The results of a call that depends on lanes, or may be made in some only."""
        r, b, mask = p.r, p.b, p.mask
        operands = [p.term(o) for o in own_operands(op)]
        lanes = union(operands)
        callee, values = callee_name(op), [r.value(t) for t in operands]
        if lanes:
            lanes = joined((lanes, () if mask is None else mask.lanes))
            shape = extents(lanes)
            laned = tuple(bool(t.lanes) for t in operands)
            callee = self._over(op, callee, shape, laned)
            everywhere = b.splat(True, array_type(shape, i1))
            values = [r.align(t, lanes) if t.lanes else r.value(t) for t in operands]
            values.append(everywhere if mask is None else r.align(mask, lanes))
        types = [array_type((*extents(lanes), *shape_of(v)), element_of(v)) for v in op.results]

        def made() -> Sequence[Value]:
            return b.insert(CallOp, values, types, {"callee": SymbolRefAttr(callee)}).results

        def skipped() -> Sequence[Value]:
            return [b.zeros(t) for t in types]

        results = made() if mask is None else b.if_(p.any_of(mask), made, skipped)
        return [r.term(lanes, v) for v in results]

    def derived(self, p: Paths, op: PushOp | PullOp) -> list[Term]:
        """The results of the derivative of a call: the derivative of the function over lanes.

        An operand by which is differentiated has all lanes, so that each lane has its own cotangent.
        """
        r, b, mask = p.r, p.b, p.mask
        operands = [p.term(o) for o in own_operands(op)]
        lanes = union(operands)
        callee = op.callee_name
        properties = dict(op.properties)
        values = [r.value(t) for t in operands]
        if lanes:
            lanes = joined((lanes, () if mask is None else mask.lanes))
            shape, base, extra = extents(lanes), op.base_count, op.extra_count
            laned = _laned(op, [bool(t.lanes) for t in operands[: len(operands) - extra]])
            laned += [True] * extra
            callee = self._over(op, callee, shape, tuple(laned[:base]))
            values = [
                r.align(t, lanes) if lane else r.value(t) for t, lane in zip(operands, laned, strict=True)
            ]
            everywhere = b.splat(True, array_type(shape, i1))
            values.insert(base, everywhere if mask is None else r.align(mask, lanes))
            along = tuple(tuple(k + (k >= base) for k in group) for group in op.groups)
            wrt = (
                {} if isinstance(op, PushOp) else {"wrt": tuple(k + (k >= base) for k in op.positions("wrt"))}
            )
            properties = properties_of(SymbolRefAttr(callee), along, op.positions("results"), **wrt)
        types = [array_type((*extents(lanes), *shape_of(v)), element_of(v)) for v in op.results]

        def made() -> Sequence[Value]:
            return b.insert(type(op), values, types, properties).results

        def skipped() -> Sequence[Value]:
            return [b.zeros(t) for t in types] if isinstance(op, PushOp) else values[-len(types) :]

        results = made() if mask is None else b.if_(p.any_of(mask), made, skipped)
        return [r.term(lanes, v) for v in results]

    def add_functions(self, over: Over) -> None:
        """Add the functions over lanes that are called to the module, and those that they call."""
        while self._wanted:
            name, source, shape, laned = self._wanted.pop(0)
            function = over(self._source(source), name, shape, laned)
            function.properties["sym_visibility"] = StringAttr("private")
            self._module.body.block.add_op(function)

    def _source(self, name: str) -> FuncOp:
        known = self._sources.get(name)
        return next(f for f in self._loops if f.sym_name.data == name) if known is None else known

    def _over(self, op: Operation, callee: str, shape: Shape, laned: tuple[bool, ...]) -> str:
        """The name of a function over lanes, which is made later."""
        known = self._patterns.setdefault(callee, {})
        name = known.get((shape, laned))
        if name is None:
            if len(known) >= MAX_PATTERNS:
                raise UnsupportedError(
                    f"@{callee} calls itself inside more and more builds",
                    location=location_of(op),
                    hint="move the call out of the build",
                )
            count = len(known)
            while (name := f"{callee}_lanes{count or ''}") in self._names:
                count += 1
            self._names.add(name)
            known[shape, laned] = name
            self._wanted.append((name, callee, shape, laned))
        return name


def _laned(op: PushOp | PullOp, laned: list[bool]) -> list[bool]:
    """Which operands of the derived function have lanes: what is in `wrt`, and tangents as their primals."""
    if isinstance(op, PullOp):
        for k in op.positions("wrt"):
            laned[k] = True
    pairs: list[tuple[int, int]] = []
    known = op.base_count
    for group in op.groups:
        pairs += zip(group, range(known, known + len(group)), strict=True)
        known += len(group)
    for _ in range(len(op.groups) + 1):
        for primal, tangent in pairs:
            laned[primal] = laned[tangent] = laned[primal] or laned[tangent]
    return laned


def _with_bulk_form(module: ModuleOp) -> set[str]:
    """The functions whose calls stay and those whose derivatives are called, and what they reach.

    None of these holds a derivative that is still to be expanded, or frames.
    """
    functions = {f.sym_name.data: f for f in functions_of(module)}
    ops = {
        name: [op for op in nested_ops(f.body) if isinstance(op, _NAMING)] for name, f in functions.items()
    }
    callees = {name: {_named(op) for op in found} & functions.keys() for name, found in ops.items()}
    derived = {op.callee_name for found in ops.values() for op in found if isinstance(op, DerivedOp)}
    found: set[str] = set()
    for name in (*kept_functions(functions), *(derived & functions.keys())):
        reached, pending = {name}, [name]
        while pending:
            for callee in callees[pending.pop()] - reached:
                reached.add(callee)
                pending.append(callee)
        if not any(holds(functions[f], _UNEXPANDED) for f in reached):
            found |= reached
    return found


_NAMING = (CallOp, DerivedOp)

_UNEXPANDED: tuple[type[Operation], ...] = (
    *(op for op in Linear.operations if op not in CALL_VALUES),
    *FRAME_OPS,
)


def _named(op: CallOp | DerivedOp) -> str:
    return callee_name(op) if isinstance(op, CallOp) else op.callee_name
