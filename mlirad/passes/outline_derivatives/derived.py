"""Pushes and pulls as calls of derived functions or as their code, and the functions that these reach."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation

from mlirad.dialects.linear import PullOp, PushOp
from mlirad.dialects.linear.linearity import is_zero_value
from mlirad.dialects.shapes import Shape, Value, is_float, tuple_type
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.builder import function_block, returned
from mlirad.ir.call_graph import callee_name, calls_of, functions_by_name
from mlirad.ir.free_values import own_operands
from mlirad.linear_maps.apply.evaluator import MapEvaluator
from mlirad.linear_maps.elements import Element, accumulated, value_of
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.dual_arrays.constructs import CONSTRUCTS
from mlirad.passes.dual_arrays.duals import DualArrays
from mlirad.passes.function_pass import holds, visit_regions
from mlirad.passes.outline_derivatives.pairs import recorded_calls
from mlirad.passes.outline_derivatives.recording import Recordings
from mlirad.passes.outline_derivatives.sources import Sources


class DerivedFunctions:
    """The functions derived from those of a module, each made when it is first asked for."""

    def __init__(self, module: ModuleOp):
        self._module = module
        self._sources = Sources(module)
        self._recordings = Recordings(self._sources)
        self._pulls: dict[tuple[str, Shape, Shape], str] = {}
        self._pulling: dict[str, FuncOp] = {}
        self._recorded: dict[Operation, Shape] = {}
        self._reversed: dict[PullOp, Operation] = {}
        self._frames: dict[Operation, Value] = {}

    def expanded(self, function: FuncOp) -> FuncOp:
        """The function with calls of derived functions, or their code, for pushes and pulls."""
        if not holds(function, (PushOp, PullOp)):
            return function
        while holds(function, (PushOp, PullOp)):
            self._recorded, self._reversed = recorded_calls(function_block(function), self._sources)
            function = rebuild_function(function, self._visit)
        return eliminate_dead_code(function)

    def _visit(self, b: ArrayBuilder, op: Operation, env: Environment) -> None:
        operands = [env.get(o, o) for o in own_operands(op)]
        if isinstance(op, CallOp) and op in self._recorded:
            made: Sequence[Value] = self._called(b, op, callee_name(op), operands)[: len(op.results)]
        elif isinstance(op, PushOp | PullOp):
            name = self._sources.derived_name(op.callee_name, op.groups)
            if isinstance(op, PushOp):
                made = self._pushed(b, op, name, operands)
            else:
                made = self._pulled(b, op, name, operands)
        else:
            visit_regions(b, op, env, self._visit)
            return
        env.update(zip(op.results, made, strict=True))

    def _called(
        self, b: ArrayBuilder, op: Operation, name: str, operands: Sequence[Value]
    ) -> Sequence[Value]:
        """The results of a function whose calls stay; the call records where a pull goes back through it."""
        wrt = self._recorded.get(op)
        if wrt is None:
            types = self._sources.source(name).function_type.outputs.data
            return b.insert(CallOp, operands, types, {"callee": SymbolRefAttr(name)}).results
        *results, self._frames[op] = self._recordings.of(name, wrt).recorded(b, operands)
        return results

    def _pushed(self, b: ArrayBuilder, op: PushOp, name: str, operands: Sequence[Value]) -> list[Value]:
        if op.callee_name in self._sources.kept:
            results = self._called(b, op, name, operands)
        else:
            results = b.inline_block(function_block(self._sources.source(name)), operands, {})
        floats = [v for v in results if is_float(v)]
        return [floats[k] for k in op.positions("results")]

    def _pulled(self, b: ArrayBuilder, op: PullOp, name: str, operands: Sequence[Value]) -> list[Value]:
        wrt, numbers = op.positions("wrt"), op.positions("results")
        if op.callee_name in self._sources.kept:
            recording = self._recordings.of(name, wrt)
            before = operands[len(operands) - len(wrt) :]
            onto = [v for k, v in enumerate(before) if k not in recording.fresh]
            given = [*operands[: len(operands) - len(wrt)], *onto]
            if op in self._reversed:
                count = len(op.primals)
                frame = self._frames[self._reversed[op]]
                made: Sequence[Value] = recording.reversed(b, frame, given[:count], numbers, given[count:])
            else:
                callee = SymbolRefAttr(self._pull_name(name, wrt, numbers))
                made = b.insert(CallOp, given, op.result_types, {"callee": callee}).results
            return [
                value_of(b, accumulated(b, _begun(before[k]), v), v.type) if k in recording.fresh else v
                for k, v in enumerate(made)
            ]
        function = self._sources.source(name)
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
        map_ = b.vcat(space, [d.tangent_map(floats[k]) for k in numbers])
        cotangents: list[Element] = list(extra[: len(numbers)])
        sums: list[Element] = [_begun(v) for v in extra[len(numbers) :]]
        b.location = op.location
        found = MapEvaluator(b, op, {}).transposed_onto({}, map_, cotangents, sums)
        return [value_of(b, e, t) for e, t in zip(found, op.result_types, strict=True)]

    def add_functions(self) -> None:
        """Add the derived functions that the functions of the module reach, expanded."""
        present = functions_by_name(self._module)
        pending = list(present.values())
        while pending:
            for name, _ in calls_of(pending.pop()):
                if name not in present:
                    made = self._pulling.get(name) or self._recordings.function(name)
                    function = self.expanded(self._sources.source(name).clone() if made is None else made)
                    present[name] = function
                    self._module.body.block.add_op(function)
                    pending.append(function)

    def _pull_name(self, name: str, wrt: Shape, results: Shape) -> str:
        """The name of the function that pulls cotangents of some results back through another."""
        known = self._pulls.get((name, wrt, results))
        if known is None:
            known = self._pulls[name, wrt, results] = self._sources.fresh_name(f"{name}_vjp")
            self._pulling[known] = self._recordings.of(name, wrt).pulling(known, results)
        return known


def _begun(before: Value) -> Element:
    """A sum to add to, None where it is 0: an addition to an array of zeros takes the time of the array."""
    return None if is_zero_value(before) else before
