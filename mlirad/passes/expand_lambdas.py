"""Linear code as a map expression: every `linear.lambda` becomes a map in spine form.

    %m = linear.lambda (%dx : f64) ... {        %m = linear.scale %k
      %y = array.mul %k, %dx : f64
      array.yield %y : f64
    }

Linear code is its own derivative, at any point. So its map is the one that D makes of it
(`mlirad.passes.dual_arrays`), by the same table as every other derivative; the values of the code, computed
at 0, are dead and removed. Applied, the map is the original code with structural zeros left out; transposed,
it is the code walked backwards with one sum per value.

A composition with a lambda on the left becomes D of the code with the inner map as the tangent map of its
argument, so the whole is in spine form if the inner map is.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp, TupleType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation

from mlirad.dialects import linear
from mlirad.dialects.array.indexing import BuildOp
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder, Environment, new_function, rebuild_function
from mlirad.ir.builder import function_block, returned
from mlirad.ir.first_order import require_first_order
from mlirad.ir.free_values import captures, own_operands
from mlirad.ir.maps import domain_of
from mlirad.ir.regions import discard
from mlirad.lazy_dataclass import dataclass
from mlirad.linear_maps.apply.evaluator import MapEvaluator
from mlirad.linear_maps.elements import from_leaves, leaves
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.dual_arrays.constructs import CONSTRUCTS
from mlirad.passes.dual_arrays.duals import DualArrays
from mlirad.passes.function_pass import FunctionPass, holds, visit_region, visit_regions


@dataclass(frozen=True)
class ExpandLambdasPass(FunctionPass):
    """Makes map expressions of maps given by code."""

    name = "expand-lambdas"

    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """The function without lambdas."""
        return expand_lambdas(function)


def expand_lambdas(function: FuncOp) -> FuncOp:
    """The function with every lambda as a map expression; itself when it has none."""
    if not holds(function, linear.LambdaOp):
        return function
    require_first_order(function)
    return eliminate_dead_code(rebuild_function(function, _visit))


def _visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
    match op:
        case linear.ComposeOp() if isinstance(op.outer.owner, linear.LambdaOp):
            inner = own_operands(op)[1]
            env[op.result] = _spine(b, op.outer.owner, env, env.get(inner, inner))
        case linear.LambdaOp():
            if not all(isinstance(u.operation, linear.ComposeOp) and u.index == 0 for u in op.result.uses):
                env[op.result] = expanded_lambda(b, op, env)
        case _:
            visit_regions(b, op, env, _visit)


def expanded_lambda(b: ArrayBuilder, op: linear.LambdaOp, env: Environment) -> Value:
    """The map of the code, whose captured values `env` gives, in spine form."""
    return _spine(b, op, env, b.identity_map(op.domain))


def _spine(b: ArrayBuilder, op: linear.LambdaOp, env: Environment, inner: Value) -> Value:
    """The map of the code after an inner map, which gives its argument."""
    code, free = _code(b, op, env)
    block = function_block(code)
    tangents = block.args[len(free) :]
    values = [*free, *(b.zeros(a.type) for a in tangents)]
    d = DualArrays(b, domain_of(inner), CONSTRUCTS, dict(zip(block.args, values, strict=True)))
    b.location, b.name_hint = op.location, None
    for tangent, tangent_map in zip(tangents, leaf_maps(b, op.domain, inner), strict=True):
        d.enter(tangent, tangent_map)
    d.transform(o for o in block.ops if not isinstance(o, ReturnOp))
    made = iter([d.tangent_map(v) for v in returned(code)])
    code.drop_all_references()
    return paired(b, d.space, op.codomain, made)


def leaf_maps(b: ArrayBuilder, space: Attribute, inner: Value) -> list[Value]:
    """The maps to the leaves of an element of a space, to which `inner` goes."""
    if not isinstance(space, TupleType):
        return [inner]
    components = [b.compose(b.project(space, k), inner) for k in range(len(space.types.data))]
    return [m for s, c in zip(space.types.data, components, strict=True) for m in leaf_maps(b, s, c)]


def paired(b: ArrayBuilder, domain: Attribute, space: Attribute, leaves: Iterator[Value]) -> Value:
    """The map to an element of a space, from the maps to its leaves."""
    if not isinstance(space, TupleType):
        return next(leaves)
    return b.vcat(domain, [paired(b, domain, s, leaves) for s in space.types.data])


def _code(b: ArrayBuilder, op: linear.LambdaOp, env: Environment) -> tuple[FuncOp, list[Value]]:
    """The code as a function of what it captures and of its argument, without maps and builds."""
    region = visit_region(b, op.body, env, _visit_code, ())
    free = captures(region)

    def body(inside: ArrayBuilder, *args: Value) -> list[Value]:
        return inside.inline_region(region, args[len(free) :], dict(zip(free, args, strict=False)))

    types = [v.type for v in (*free, *region.block.args)]
    function = new_function("code", types, body)
    discard(region)
    if holds(function, BuildOp):
        from mlirad.passes.bulk_operations import bulk_function

        function = bulk_function(function)
    return function, free


def _visit_code(b: ArrayBuilder, op: Operation, env: Environment) -> None:
    """An op of linear code: maps that it applies are applied, those that it makes are expanded."""
    match op:
        case linear.ApplicationOp():
            type_ = linear.map_type(op.map.type, "map")
            transposed = isinstance(op, linear.ApplyTransposeOp)
            source, target = (type_.domain, type_.codomain)[:: -1 if transposed else 1]
            x = from_leaves(source, [env.get(a, a) for a in op.arguments])
            image = MapEvaluator(b, op, {}).run(transposed, env.get(op.map, op.map), x)
            env.update(zip(op.images, leaves(b, image, target), strict=True))
        case linear.MapOp():
            _visit(b, op, env)
        case _:
            visit_regions(b, op, env, _visit_code)
