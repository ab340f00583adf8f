"""The functions derived from those of a module, each made when it is first asked for."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation

from mlirad.dialects.linear import PullOp, PushOp
from mlirad.dialects.shapes import Shape, Value, is_float, tuple_type
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.builder import function_block, returned
from mlirad.ir.free_values import own_operands
from mlirad.linear_maps.apply.evaluator import MapEvaluator
from mlirad.linear_maps.elements import Element, value_of
from mlirad.passes.calls import callees_first, calls_of, recursive_functions
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.dual_arrays.constructs import CONSTRUCTS
from mlirad.passes.dual_arrays.duals import DualArrays
from mlirad.passes.function_pass import functions_of, holds, visit_regions
from mlirad.passes.inline import inline_calls
from mlirad.passes.kept_calls import kept_functions
from mlirad.passes.outline_derivatives.handed import moved, wanted_whole
from mlirad.passes.outline_derivatives.invariants import invariant_parameters
from mlirad.passes.outline_derivatives.recording import Recording
from mlirad.passes.tangents import with_tangents
from mlirad.passes.tangents.control import CONTROL


class DerivedFunctions:
    """The functions of a module and those derived from them, by name.

    `sources` hold pushes and pulls as they are, so that they can be derived from; `expanded` resolves them.
    """

    def __init__(self, module: ModuleOp):
        self.module = module
        self.sources = {f.sym_name.data: f.clone() for f in functions_of(module)}
        kept = kept_functions(self.sources)
        self.kept = set(kept)
        self._inline_others()
        known = {name: self.sources[name] for name in kept}
        self.handed = wanted_whole(known, invariant_parameters(known, recursive_functions(known)))
        self.moved = moved(known)
        self._names = set(self.sources)
        self._tangents: dict[tuple[str, Shape], str] = {}
        self._awaited: dict[str, tuple[str, Shape]] = {}
        self._recordings: dict[tuple[str, Shape], Recording] = {}
        self._pulls: dict[tuple[str, Shape, Shape], str] = {}
        self._makers: dict[str, Recording] = {}
        self._made: dict[str, FuncOp] = {}

    def _inline_others(self) -> None:
        """Write out the calls in functions whose calls stay of those whose calls do not."""

        def resolved(function: FuncOp) -> list[tuple[str, Operation]]:
            return [call for call in calls_of(function) if call[0] not in self.kept]

        starts = list(self.kept)
        if any(resolved(self.sources[name]) for name in starts):
            bodies = dict(self.sources)
            for name in callees_first(starts, self.sources, resolved):
                bodies[name] = inline_calls(bodies[name], bodies, self.kept)
            self.sources.update((name, bodies[name]) for name in starts)

    def fresh_name(self, name: str) -> str:
        """`name`, with a number where there is such a function."""
        count, found = 0, name
        while found in self._names:
            count += 1
            found = f"{name}{count}"
        self._names.add(found)
        return found

    # Functions with tangents ---------------------------------------------------------------------

    def derived_name(self, callee: str, along: Sequence[Shape]) -> str:
        """The name of the function derived from `callee` along groups of operands."""
        for group in along:
            callee = self.tangent_name(callee, group)
        return callee

    def tangent_name(self, callee: str, group: Shape) -> str:
        """The name of (callee; group), which is made when its source is asked for."""
        name = self._tangents.get((callee, group))
        if name is None:
            name = self._tangents[callee, group] = self.fresh_name(f"{callee}_jvp")
            self._awaited[name] = (callee, group)
            if callee in self.kept:
                self.kept.add(name)
                count = len(self.argument_types(callee))

                def doubled(places: Collection[int]) -> Shape:
                    return (*places, *(count + j for j, k in enumerate(group) if k in places))

                self.handed[name] = doubled(self.handed[callee])
                self.moved[name] = frozenset(doubled(self.moved[callee]))
        return name

    def argument_types(self, name: str) -> list[Attribute]:
        """The types of the arguments of a function, made or not."""
        awaited = self._awaited.get(name)
        if awaited is None:
            return list(self.sources[name].function_type.inputs.data)
        types = self.argument_types(awaited[0])
        return [*types, *(types[k] for k in awaited[1])]

    def source(self, name: str) -> FuncOp:
        """A function with its pushes and pulls as they are."""
        awaited = self._awaited.pop(name, None)
        if awaited is not None:
            function = self.source(awaited[0])
            self.sources[name] = with_tangents(
                function, name, awaited[1], self.tangent_name, CONTROL, CONSTRUCTS
            )
        return self.sources[name]

    # Recorded calls ------------------------------------------------------------------------------

    def recording(self, name: str, wrt: Shape) -> Recording:
        """The functions that record a call of a function and go back through it."""
        known = self._recordings.get((name, wrt))
        if known is None:
            known = self._recordings[name, wrt] = Recording(self, name, wrt)
            self._makers[known.record_name] = self._makers[known.reverse_name] = known
        return known

    def add(self, function: FuncOp) -> None:
        """Add a function whose name was given out before."""
        self._made[function.sym_name.data] = function

    def _pull_name(self, name: str, wrt: Shape, results: Shape) -> str:
        """The name of the function that pulls cotangents of some results back through another."""
        known = self._pulls.get((name, wrt, results))
        if known is None:
            known = self._pulls[name, wrt, results] = self.fresh_name(f"{name}_vjp")
            self.add(self.recording(name, wrt).pulling(known, results))
        return known

    # Expansion -----------------------------------------------------------------------------------

    def expanded(self, function: FuncOp) -> FuncOp:
        """The function with calls of derived functions, or their code, for pushes and pulls."""
        if not holds(function, (PushOp, PullOp)):
            return function
        while holds(function, (PushOp, PullOp)):
            function = rebuild_function(function, self._visit)
        return eliminate_dead_code(function)

    def _visit(self, b: ArrayBuilder, op: Operation, env: Environment) -> None:
        if not isinstance(op, PushOp | PullOp):
            visit_regions(b, op, env, self._visit)
            return
        operands = [env.get(o, o) for o in own_operands(op)]
        name = self.derived_name(op.callee_name, op.groups)
        made = (
            self._pushed(b, op, name, operands)
            if isinstance(op, PushOp)
            else self._pulled(b, op, name, operands)
        )
        env.update(zip(op.results, made, strict=True))

    def _pushed(self, b: ArrayBuilder, op: PushOp, name: str, operands: Sequence[Value]) -> list[Value]:
        if op.callee_name in self.kept:
            source = self.source(name)
            types = source.function_type.outputs.data
            results = b.insert(CallOp, operands, types, {"callee": SymbolRefAttr(name)}).results
        else:
            results = b.inline_block(function_block(self.source(name)), operands, {})
        floats = [v for v in results if is_float(v)]
        return [floats[k] for k in op.positions("results")]

    def _pulled(self, b: ArrayBuilder, op: PullOp, name: str, operands: Sequence[Value]) -> list[Value]:
        wrt, numbers = op.positions("wrt"), op.positions("results")
        if op.callee_name in self.kept:
            callee = SymbolRefAttr(self._pull_name(name, wrt, numbers))
            before = operands[len(operands) - len(wrt) :]
            fresh = self.recording(name, wrt).fresh
            onto = [v for k, v in enumerate(before) if k not in fresh]
            given = [*operands[: len(operands) - len(wrt)], *onto]
            made = b.insert(CallOp, given, op.result_types, {"callee": callee}).results
            return [b.add(before[k], v) if k in fresh else v for k, v in enumerate(made)]
        function = self.source(name)
        block = function_block(function)
        count = len(block.args)
        primals, extra = operands[:count], operands[count:]
        space = tuple_type([block.args[k].type for k in wrt])
        d = DualArrays(b, space, CONSTRUCTS, dict(zip(block.args, primals, strict=True)))
        b.name_hint = None
        for j, k in enumerate(wrt):
            d.enter(block.args[k], b.project(space, j))
        d.transform(block.ops)
        floats = [v for v in returned(function) if is_float(v)]
        map_ = b.vcat(space, [d.companion(floats[k]) for k in numbers])
        cotangents: list[Element] = list(extra[: len(numbers)])
        sums: list[Element] = list(extra[len(numbers) :])
        b.location = op.location
        found = MapEvaluator(b, op, {}).transposed_onto({}, map_, cotangents, sums)
        return [value_of(b, e, t) for e, t in zip(found, op.result_types, strict=True)]

    def add_functions(self) -> None:
        """Add the derived functions that the functions of the module reach, expanded."""
        present = {f.sym_name.data for f in functions_of(self.module)}
        pending = list(functions_of(self.module))
        while pending:
            for name, _ in calls_of(pending.pop()):
                if name not in present:
                    present.add(name)
                    if name in self._makers:
                        self._makers[name].make()
                    made = self._made.get(name)
                    function = self.expanded(self.source(name).clone() if made is None else made)
                    self.module.body.block.add_op(function)
                    pending.append(function)
