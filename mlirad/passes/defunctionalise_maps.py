"""Maps that functions return become residuals and code: what a map that crosses a call is at run time.

    @df(x) -> (y, map)                      @df_primal(x) -> (y, residuals...)    @df_map(residuals...) -> map
    %y, %n = call @df(%x)          -->      %y, %r... = call @df_primal(%x)
                                            %n = linear.call %r... {callee = @df_map}

`apply-linear-maps` then makes an application of n a call of a function of residuals and vector,
@df_map_apply or @df_map_apply_transpose. After `mlirad-inline` there is nothing to lower: what a function
returns is known where it is called, and no map is left at run time. For a public function these two are made
here, as its callers are unknown.

Such a map is not a closure, a matrix or an interpreted tree: its code is known at compile time, so only the
values that it reads exist at run time. In a loop, a call gives residuals immediately, which the loop stacks
like its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass

from mlirad.dialects import linear
from mlirad.dialects.shapes import UNIT, Value, components_of
from mlirad.errors import UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.builder import returned
from mlirad.ir.call_graph import (
    PRIVATE,
    CallGraph,
    callee_name,
    calls_except,
    calls_of,
    functions_by_name,
)
from mlirad.ir.free_values import own_operands
from mlirad.ir.locations import location_of
from mlirad.ir.maps import codomain_of
from mlirad.ir.regions import nested_ops
from mlirad.lazy_dataclass import dataclass
from mlirad.linear_maps.apply.calls import APPLY, APPLY_TRANSPOSE
from mlirad.passes.apply_linear_maps.application_functions import application, called, made_map
from mlirad.passes.function_pass import drop_unreferenced, replace_function, visit_regions
from mlirad.passes.split_map import SplitMap, split_map


@dataclass(frozen=True)
class DefunctionaliseMapsPass(ModulePass):
    """Makes functions that return a map functions of values and residuals, and of maps of these."""

    name = "defunctionalise-maps"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Split callees before callers; raises `UnsupportedError` for maps that are not a last result."""
        functions = functions_by_name(op)
        returning = [function for function in functions.values() if _mentions_maps(function)]
        if not returning:
            return
        split: dict[str, SplitMap] = {}
        ops = (o for f in functions.values() for o in nested_ops(f.body))
        makers = {o.callee_name for o in ops if isinstance(o, linear.CallOp)}
        graph = CallGraph(functions, calls_except(CallGraph(functions).recursive()))
        for name in graph.postorder(functions):
            source = functions[name]
            lowered = with_split_calls(source, split)
            if not _returns_map(lowered) or name in makers:
                replace_function(source, lowered)
                continue
            parts = split[name] = split_map(lowered, f"{name}_primal", f"{name}_map")
            new = [parts.primal, parts.map]
            if source.sym_visibility is None:
                for suffix, way in ((APPLY, linear.ApplyOp), (APPLY_TRANSPOSE, linear.ApplyTransposeOp)):
                    new.append(application(f"{name}_map{suffix}", parts.map, way, None))
            else:
                parts.primal.sym_visibility = source.sym_visibility
            parts.map.sym_visibility = PRIVATE
            op.body.block.insert_ops_before([f for f in new if _is_new(f, functions)], source)
            op.body.block.erase_op(source)
        drop_unreferenced(op)


def called_split(b: ArrayBuilder, split: SplitMap, arguments: Sequence[Value]) -> list[Value]:
    """The values of a function that is split, and its map as a map of the residuals."""
    results = called(b, split.primal, arguments)
    made = iter(results[split.values :])
    residuals = [next(made) if place is None else arguments[place] for place in split.kept]
    return [*results[: split.values], made_map(b, split.map, residuals)]


def _with_units(b: ArrayBuilder, value: Value, wanted: Attribute) -> Value:
    """A map with the components of its codomain that hold no data, which `split_map` has dropped."""
    if value.type == wanted or not isinstance(wanted, linear.MapType):
        return value
    carrying = codomain_of(value)
    parts = components_of(wanted.codomain)
    is_one = len(linear.carried(wanted.codomain)) == 1
    count, maps = 0, list[Value]()
    for part in parts:
        if part == UNIT:
            maps.append(b.zero_map(wanted.domain, UNIT))
        else:
            maps.append(value if is_one else b.compose(b.project(carrying, count), value))
            count += 1
    return b.vcat(wanted.domain, maps)


def _is_new(function: FuncOp, functions: dict[str, FuncOp]) -> bool:
    """Return whether the module lacks a function that was made; raises if it has another one of that name."""
    name = function.sym_name.data
    known = functions.get(name)
    if known is None:
        return True
    if not known.is_structurally_equivalent(function):
        raise UnsupportedError(
            f"there is a function @{name} already", location=location_of(known), hint="rename it"
        )
    return False


def _mentions_maps(function: FuncOp) -> bool:
    """Return whether maps go in or out; raises for those that are not the last result."""
    inputs, outputs = function.function_type.inputs.data, function.function_type.outputs.data
    if any(isinstance(t, linear.MapType) for t in (*inputs, *outputs[:-1])):
        raise UnsupportedError(
            f"@{function.sym_name.data} takes a linear map, or returns one that is not its last result",
            location=location_of(function),
            hint="run the pass mlirad-inline before, or return one map, last",
        )
    return bool(outputs) and isinstance(outputs[-1], linear.MapType)


def _returns_map(function: FuncOp) -> bool:
    results = returned(function)
    return bool(results) and isinstance(results[-1].type, linear.MapType)


def with_split_calls(function: FuncOp, split: dict[str, SplitMap]) -> FuncOp:
    """The function with its calls of functions that are split as calls of their parts."""
    if not any(name in split for name, _ in calls_of(function)):
        return function

    def visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
        if isinstance(op, CallOp) and callee_name(op) in split:
            arguments = [env.get(o, o) for o in own_operands(op)]
            b.name_hint = None
            for old, made in zip(op.results, called_split(b, split[callee_name(op)], arguments), strict=True):
                new = env[old] = _with_units(b, made, old.type)
                if new.name_hint is None:
                    new.name_hint = old.name_hint
        else:
            visit_regions(b, op, env, visit)

    return rebuild_function(function, visit)
