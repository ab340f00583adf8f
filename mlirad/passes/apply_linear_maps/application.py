"""Application of linear maps: every `linear.apply` and `linear.apply_transpose` becomes array code.

    %dy = linear.apply %d, %dx              one image per node of the map, from the inputs on
    %cx = linear.apply_transpose %d, %ct    one sum of cotangents per node, from the output back

A node's image, or its sum of cotangents, is complete when the node is reached, because the nodes are visited
in topological order: what is shared in the map is computed once, and n shared steps give O(n) ops. A node
that no cotangent reaches costs nothing: absence from the table of sums is a structural zero.

That holds for maps in spine form, where every left operand of a composition is local. A composite left
operand is a function: it is walked again, from its own input, at each place where it is applied. With m1 = m0
m0, m2 = m1 m1, ..., the map mk means 2^k applications of m0, so the number written out is limited.
"""

from __future__ import annotations

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects import linear
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.builder import yields
from mlirad.ir.free_values import free_values
from mlirad.ir.maps import is_local
from mlirad.ir.regions import nested_ops
from mlirad.linear_maps.apply.evaluator import MapEvaluator
from mlirad.linear_maps.elements import from_leaves, leaves
from mlirad.passes.expand_lambdas import expand_lambdas
from mlirad.passes.function_pass import holds, visit_regions


def apply_maps(function: FuncOp) -> FuncOp:
    """The function with every application as array code; maps that are still used otherwise stay."""
    if not holds(function, (linear.ApplicationOp, linear.MapOp)):
        return function
    function = prepared_for_application(function)
    kept = _kept_maps(function)

    def visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
        match op:
            case linear.ApplicationOp():
                images = apply_op(b, op, env)
                env.update(zip(op.images, images, strict=True))
            case linear.MapOp() if op.result not in kept:
                pass
            case _:
                visit_regions(b, op, env, visit)

    return rebuild_function(function, visit)


def prepared_for_application(function: FuncOp) -> FuncOp:
    """The function with its maps in the form in which they are applied."""
    function = _simplified(function)
    expanded = expand_lambdas(function)
    function = function if expanded is function else _simplified(expanded)
    if any(_composite_outer(op) for op in _maps(function)):
        # The laws of the algebra shrink what would be walked more than once.
        function = rebuild_function(function)
    return function


def _simplified(function: FuncOp) -> FuncOp:
    """The function with maps at every position as maps of arrays, where there is such a map."""
    if not holds(function, (linear.IndexedMapOp, linear.PointwiseMapOp)):
        return function
    from mlirad.passes.simplify_maps import simplify_maps

    return simplify_maps(function, transposes=False)


def _maps(function: FuncOp) -> list[linear.MapOp]:
    return [op for op in nested_ops(function.body) if isinstance(op, linear.MapOp)]


def _composite_outer(op: linear.MapOp) -> bool:
    """Return whether an op composes with a composite map on the left."""
    if not isinstance(op, linear.ComposeOp):
        return False
    outer = op.outer.owner
    return not (isinstance(outer, linear.MapOp) and is_local(outer))


def _kept_maps(function: FuncOp) -> set[Value]:
    """The maps that something other than an application needs."""
    maps = _maps(function)
    kept: set[Value] = set()
    pending = [op.result for op in maps if any(_is_needed_by(use.operation) for use in op.result.uses)]
    while pending:
        node = pending.pop()
        if node not in kept:
            kept.add(node)
            if isinstance(node.owner, linear.MapOp):
                made = [v for region in node.owner.regions for v in yields(region)]
                read = [*free_values(node.owner), *made]
                pending += [v for v in read if isinstance(v.type, linear.MapType)]
    return kept


def _is_needed_by(user: Operation) -> bool:
    """Return whether an op that reads a map is neither an application nor part of a map."""
    if isinstance(user, YieldOp):
        return not isinstance(user.parent_op(), linear.MapOp)
    return not isinstance(user, linear.MapOp | linear.ApplicationOp)


def apply_op(b: ArrayBuilder, op: linear.ApplicationOp, env: Environment) -> list[Value]:
    """The images of one application as array code."""
    type_ = linear.map_type(op.map.type, "map")
    arguments = [env.get(a, a) for a in op.arguments]
    transposed = isinstance(op, linear.ApplyTransposeOp)
    source, target = (type_.codomain, type_.domain) if transposed else (type_.domain, type_.codomain)
    image = MapEvaluator(b, op, env).run(transposed, op.map, from_leaves(source, arguments))
    b.location = op.location
    return leaves(b, image, target)
