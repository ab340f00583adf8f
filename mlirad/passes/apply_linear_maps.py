"""Application of linear maps: every `linear.apply` and `linear.apply_transpose` becomes array code.

    %dy = linear.apply %d, %dx              one image per node of the map, from the inputs on
    %cx = linear.apply_transpose %d, %ct    one sum of cotangents per node, from the output back

A node's image, or its sum of cotangents, is complete when the node is reached, because the nodes are taken
in topological order: what is shared in the map is computed once, and n shared steps give O(n) ops. A node
that no cotangent reaches costs nothing: absence from the table of sums is a structural zero.

That holds for spine forms, where every left operand of a composition is local. A composite left operand is
a function: it is walked anew, from its own input, at each place where it is applied. With m1 = m0 m0,
m2 = m1 m1, ..., the map mk means 2^k applications of m0, so there is a limit on how many are written out.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeAlias, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value
from mlirad.errors import UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.free_values import own_operands
from mlirad.ir.locations import location_of
from mlirad.ir.maps import is_local
from mlirad.passes.function_pass import FunctionPass, holds, nested_ops, visit_regions
from mlirad.rules.accumulations import accumulate_transposed
from mlirad.rules.applications import apply_map
from mlirad.rules.elements import Element, accumulated, from_values, is_zero, part, plus, to_values

MAX_NESTED_NODES = 1 << 16
"""How many nodes of composite left operands one application may write out."""


@dataclass(frozen=True)
class ApplyLinearMapsPass(FunctionPass):
    """Replaces applications by array code and removes the maps."""

    name = "apply-linear-maps"

    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """The function without applications."""
        return apply_maps(function)


def apply_maps(function: FuncOp) -> FuncOp:
    """The function with every application as array code; maps that are still used otherwise stay."""
    if not holds(function, (linear.ApplicationOp, linear.MapOp)):
        return function
    if any(_composite_outer(op) for op in _maps(function)):
        # The laws of the algebra shrink what would be walked more than once.
        function = rebuild_function(function)
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


def _maps(function: FuncOp) -> list[linear.MapOp]:
    return [op for op in nested_ops(function.body) if isinstance(op, linear.MapOp)]


def _composite_outer(op: linear.MapOp) -> bool:
    """Whether an op composes with a composite map on the left."""
    if not isinstance(op, linear.ComposeOp):
        return False
    outer = op.outer.owner
    return not (isinstance(outer, linear.MapOp) and is_local(outer))


def _kept_maps(function: FuncOp) -> set[Value]:
    """The maps that something other than an application needs."""
    maps = _maps(function)
    kept: set[Value] = set()
    pending = [
        op.result
        for op in maps
        if any(not isinstance(use.operation, linear.MapOp | linear.ApplicationOp) for use in op.result.uses)
    ]
    while pending:
        node = pending.pop()
        if node not in kept:
            kept.add(node)
            if isinstance(node.owner, linear.MapOp):
                pending += [o for o in own_operands(node.owner) if isinstance(o.type, linear.MapType)]
    return kept


def apply_op(b: ArrayBuilder, op: linear.ApplicationOp, env: Environment) -> list[Value]:
    """The images of one application as array code."""
    type_ = linear.map_type(op.map.type, "map")
    arguments = [env.get(a, a) for a in op.arguments]
    transposed = isinstance(op, linear.ApplyTransposeOp)
    source, target = (type_.codomain, type_.domain) if transposed else (type_.domain, type_.codomain)
    walk = _Walk(b, op, env)
    image = walk.run(transposed, op.map, from_values(source, arguments))
    b.location = op.location
    return to_values(b, image, target)


Request: TypeAlias = tuple[bool, Value, Element]
"""A map applied to an element, transposed or not."""

Steps: TypeAlias = Generator[Request, Element, Element]
"""A walk that asks for the images of composite maps and returns its own."""


class _Walk:
    """One application. Composite maps inside are walked on a stack of generators, not by recursion."""

    def __init__(self, b: ArrayBuilder, op: linear.ApplicationOp, env: Environment):
        self.b = b
        self.op = op
        self.env = env
        self.orders: dict[Value, list[Value]] = {}
        self.nested = 0

    def run(self, transposed: bool, map_: Value, element: Element) -> Element:
        """The image of an element."""
        stack = [self._start(transposed, map_, element)]
        answer: Element = None
        fresh = True
        while stack:
            try:
                request = next(stack[-1]) if fresh else stack[-1].send(answer)
            except StopIteration as done:
                stack.pop()
                answer, fresh = done.value, False
                continue
            self.nested += len(self._order(request[1]))
            if self.nested > MAX_NESTED_NODES:
                raise UnsupportedError(
                    f"the map applies composite maps {self.nested} times over",
                    location=location_of(self.op),
                    hint="apply the maps one after the other instead of composing them with themselves",
                )
            stack.append(self._start(*request))
            fresh = True
        return answer

    def _start(self, transposed: bool, map_: Value, element: Element) -> Steps:
        return self._backward(map_, element) if transposed else self._forward(map_, element)

    def _order(self, root: Value) -> list[Value]:
        """The nodes that share the root's domain, operands before users."""
        known = self.orders.get(root)
        if known is not None:
            return known
        order: dict[Value, None] = {}
        pending = [root]
        while pending:
            node = pending[-1]
            if node in order:
                pending.pop()
                continue
            waiting = [o for o in self._same_domain(node) if o not in order]
            if waiting:
                pending += reversed(waiting)
            else:
                order[node] = None
                pending.pop()
        self.orders[root] = list(order)
        return self.orders[root]

    def _same_domain(self, node: Value) -> list[Value]:
        op = node.owner
        match op:
            case linear.ComposeOp():
                return [own_operands(op)[1]]
            case linear.AddOp() | linear.VcatOp():
                return list(own_operands(op))
            case linear.MapOp():
                return []
            case _:
                what = "an argument" if isinstance(op, Block) else f"a result of {op.name}"
                raise UnsupportedError(
                    f"the map is {what} and not known here",
                    location=location_of(self.op),
                    hint="maps can be applied where they are made; run mlirad-inline and linearize before",
                )

    # Forward -------------------------------------------------------------------------------------

    def _forward(self, root: Value, x: Element) -> Steps:
        images: dict[Value, Element] = {}
        for node in self._order(root):
            op = cast("linear.MapOp", node.owner)
            self.b.location = op.location
            match op:
                case linear.ComposeOp():
                    outer, inner = own_operands(op)
                    x_inner = images[inner]
                    if x_inner is None:
                        image = None
                    elif is_local(outer.owner):
                        image = apply_map(self.b, cast("linear.MapOp", outer.owner), self.env, x_inner)
                    else:
                        image = yield False, outer, x_inner
                case linear.AddOp():
                    left, right = own_operands(op)
                    image = plus(self.b, images[left], images[right])
                case linear.VcatOp():
                    image = [images[m] for m in own_operands(op)]
                case linear.HcatOp():
                    image = None
                    for k, m in enumerate(op.maps):
                        image = plus(self.b, image, (yield False, m, part(x, k)))
                case linear.TransposeOp():
                    image = yield True, op.operand, x
                case _:
                    image = apply_map(self.b, op, self.env, x)
            images[node] = None if is_zero(image) else image
        return images[root]

    # Transposed ----------------------------------------------------------------------------------

    def _backward(self, root: Value, ct: Element) -> Steps:
        """Reverse order; each node passes its complete sum of cotangents to the nodes it is made of."""
        b = self.b
        sums: dict[Value, Element] = {root: accumulated(b, None, ct)}
        total: Element = None
        for node in reversed(self._order(root)):
            summed = sums.pop(node, None)
            if summed is None:
                continue
            op = cast("linear.MapOp", node.owner)
            b.location = op.location
            match op:
                case linear.ComposeOp():
                    outer, inner = own_operands(op)
                    before = sums.get(inner)
                    if is_local(outer.owner):
                        local = cast("linear.MapOp", outer.owner)
                        sums[inner] = accumulate_transposed(b, local, self.env, before, summed)
                    else:
                        sums[inner] = accumulated(b, before, (yield True, outer, summed))
                case linear.AddOp():
                    for term in own_operands(op):
                        sums[term] = accumulated(b, sums.get(term), summed)
                case linear.VcatOp():
                    for k, m in enumerate(own_operands(op)):
                        sums[m] = accumulated(b, sums.get(m), part(summed, k))
                case linear.HcatOp():
                    components: list[Element] = []
                    for m in op.maps:
                        components.append((yield True, m, summed))
                    total = accumulated(b, total, components)
                case linear.TransposeOp():
                    total = accumulated(b, total, (yield False, op.operand, summed))
                case _:
                    total = accumulate_transposed(b, op, self.env, total, summed)
        return total
