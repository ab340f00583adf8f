"""Application of map expressions: an image per node from the inputs on, a sum per node from the output back.

    Walk(b, op, env).run(False, map, x)      the image of x
    Walk(b, op, env).run(True, map, ct)      the transposed image of ct

A node's image, or its sum of cotangents, is complete when the node is reached, because the nodes are taken in
topological order; in which one the sweep back takes them, `contributions` says.
A composite left operand of a composition is a function, walked anew where it is applied.
"""

from __future__ import annotations

from collections.abc import Container, Generator, Sequence
from typing import TypeAlias, cast

from xdsl.ir import Block, Operation

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value, components_of
from mlirad.errors import UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.free_values import own_operands
from mlirad.ir.locations import location_of
from mlirad.ir.maps import codomain_of, domain_of, is_local
from mlirad.linear_maps.apply.contributions import (
    ADDS_TO_SUMS,
    Contributions,
    ReverseOrder,
    Target,
    is_part,
    operands_over,
)
from mlirad.linear_maps.apply.control_flow import accumulate_control, apply_control
from mlirad.linear_maps.apply.image_sums import Terms
from mlirad.linear_maps.apply.in_place import accumulate_transposed
from mlirad.linear_maps.apply.primitives import apply_map
from mlirad.linear_maps.elements import Element, accumulated, assembled, components, is_zero, part, plus
from mlirad.linear_maps.nonzeros import Alive, alive_cotangent, alive_image

MAX_NESTED_NODES = 1 << 16
"""How many nodes of composite left operands one application may write out."""

Request: TypeAlias = tuple[bool, Value, Element]
"""A map applied to an element, transposed or not."""

Steps: TypeAlias = Generator[Request, Element, Element]
"""A walk that asks for the images of composite maps and returns its own."""


class Walk:
    """One application. Composite maps inside are walked on a stack of generators, not by recursion."""

    def __init__(self, b: ArrayBuilder, op: Operation, env: Environment, around: Walk | None = None):
        """`around` is the walk that asks for the image of a map of a region."""
        self.b = b
        self.op = op
        self.env = env
        self.orders: dict[Value, list[Value]] = {} if around is None else around.orders
        self.contributions: dict[Value, Contributions] = {} if around is None else around.contributions
        self.nested = 0

    def run(self, transposed: bool, map_: Value, element: Element) -> Element:
        """The image of an element."""
        stack = [self._start(transposed, map_, element)]
        return self._answer(stack)

    def _answer(self, stack: list[Steps]) -> Element:
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

    # What maps of control flow ask for --------------------------------------------------------------

    def forward(self, env: Environment, map_: Value, x: list[Element]) -> list[Element]:
        """The components of the image of x under a map of a region, whose captured values `env` gives."""
        walk = Walk(self.b, self.op, env, self)
        image = walk._answer([walk._forward(map_, assembled(x, domain_of(map_)))])
        return components(image, codomain_of(map_))

    def summed(self, env: Environment, map_: Value, x: list[Element], sums: list[Element]) -> list[Element]:
        """`sums` with the components of the image of x added."""
        walk = Walk(self.b, self.op, env, self)
        space = codomain_of(map_)
        before = assembled(sums, space)
        steps = walk._forward_onto(map_, assembled(x, domain_of(map_)), before)
        return components(walk._answer([steps]), space)

    def transposed(
        self, env: Environment, map_: Value, ct: list[Element], sums: list[Element]
    ) -> list[Element]:
        """`sums` with the components of the transposed image of ct added."""
        walk = Walk(self.b, self.op, env, self)
        steps = walk._backward(map_, assembled(ct, codomain_of(map_)), sums)
        return components(walk._answer([steps]), domain_of(map_))

    def alive_image(self, map_: Value, x: Alive) -> Alive:
        """The components of an image that can differ from zero."""
        return alive_image(self._order(map_), x)

    def alive_cotangent(self, map_: Value, ct: Alive) -> Alive:
        """The components of a transposed image that can differ from zero."""
        return alive_cotangent(self._order(map_), ct, len(components_of(domain_of(map_))))

    def whole_components(self, map_: Value) -> Alive:
        """The components of the domain to which the transposed image may add a whole."""
        return self._contributions(map_).whole_components()

    # Nodes -----------------------------------------------------------------------------------------

    def _contributions(self, root: Value) -> Contributions:
        known = self.contributions.get(root)
        if known is None:
            known = self.contributions[root] = Contributions(self._order(root), self)
        return known

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
        if not isinstance(op, linear.MapOp):
            what = "an argument" if isinstance(op, Block) else f"a result of {op.name}"
            raise UnsupportedError(
                f"the map is {what} and not known here",
                location=location_of(self.op),
                hint="maps can be applied where they are made; run mlirad-inline and linearize before",
            )
        return operands_over(node)

    # Forward -------------------------------------------------------------------------------------

    def _forward(self, root: Value, x: Element) -> Steps:
        images = yield from self._images(root, x)
        return images[root]

    def _forward_onto(self, root: Value, x: Element, before: Element) -> Steps:
        """`before` with the image added, in place where the terms that the root is made of allow it."""
        terms = Terms(root)
        images = yield from self._images(root, x, terms.passed)
        return terms.added(self.b, self.env, images, x, before)

    def _images(
        self, root: Value, x: Element, passed: Container[Value] = ()
    ) -> Generator[Request, Element, dict[Value, Element]]:
        """The image under every node of the expression, but for those that are passed over."""
        images: dict[Value, Element] = {}
        for node in self._order(root):
            if node in passed:
                continue
            op = cast("linear.MapOp", node.owner)
            self.b.location = op.location
            match op:
                case linear.ComposeOp():
                    outer, inner = own_operands(op)
                    x_inner = images[inner]
                    if x_inner is None:
                        image = None
                    elif is_local(outer.owner):
                        image = self._image(cast("linear.MapOp", outer.owner), x_inner)
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
                    image = self._image(op, x)
            images[node] = None if is_zero(image) else image
        return images

    def _image(self, op: linear.MapOp, x: Element) -> Element:
        if x is not None and isinstance(op, linear.ControlMapOp):
            return apply_control(self.b, op, self.env, x, self)
        return apply_map(self.b, op, self.env, x)

    # Transposed ----------------------------------------------------------------------------------

    def _backward(self, root: Value, ct: Element, before: list[Element] | None = None) -> Steps:
        """Reverse order; each node passes its complete sum of cotangents to the nodes it is made of.

        `before` are sums of cotangents of the components of the domain to which the image is added. Each is
        the first sum of the node that projects to the component, so that what is added there is added in
        place.
        """
        b = self.b
        sums: dict[Value, Element] = {}
        total: Element = None
        if before is not None:
            total = assembled(list(before), domain_of(root))
        if isinstance(total, list):
            for node in self._order(root):
                op = node.owner
                if isinstance(op, linear.ProjectOp) and total[op.index.value.data] is not None:
                    sums[node] = total[op.index.value.data]
                    total[op.index.value.data] = None
        sums[root] = accumulated(b, sums.get(root), ct)
        parts: dict[Value, list[tuple[linear.MapOp, Element]]] = {}
        contributions = self._contributions(root)
        reverse = ReverseOrder(contributions)
        for node in reverse:
            reverse.taken(node)
            summed = sums.pop(node, None)
            for local, small in parts.pop(node, ()):
                summed = accumulate_transposed(b, local, self.env, summed, small)
            if summed is None:
                continue
            op = cast("linear.MapOp", node.owner)
            b.location = op.location
            match op:
                case linear.ComposeOp():
                    outer, inner = own_operands(op)
                    local = outer.owner
                    if isinstance(local, ADDS_TO_SUMS):
                        targets = contributions.targets(local, inner)
                        rest = self._added(local, targets, sums.get(inner), summed, sums)
                        if rest is not None:
                            sums[inner] = rest
                    elif is_local(local):
                        assert isinstance(local, linear.MapOp)
                        if is_part(local) and inner not in sums and reverse.awaits_whole(inner):
                            parts.setdefault(inner, []).append((local, summed))
                        else:
                            sums[inner] = accumulate_transposed(b, local, self.env, sums.get(inner), summed)
                    else:
                        sums[inner] = accumulated(b, sums.get(inner), (yield True, outer, summed))
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
                case linear.ControlMapOp() | linear.CallOp():
                    total = self._added(op, contributions.targets(op, None), total, summed, sums)
                case _:
                    total = accumulate_transposed(b, op, self.env, total, summed)
        return total

    def _added(
        self,
        op: linear.MapOp,
        targets: Sequence[Target],
        rest: Element,
        summed: Element,
        sums: dict[Value, Element],
    ) -> Element:
        """Add the transposed image of a cotangent to the sums that its components belong to, in place.

        So what a loop or branch adds to an array is added to the array's sum. Returns `rest`, the sum of what
        is below, after the components are added that belong to no node.
        """
        b = self.b
        own = list(components(rest, op.domain))
        first = {m: k for k, m in reversed(list(enumerate(targets)))}
        before = [
            own[k] if isinstance(m, int) else sums.get(m) if first[m] == k else None
            for k, m in enumerate(targets)
        ]
        after = accumulate_control(b, op, self.env, before, summed, self)
        for k, m in enumerate(targets):
            if isinstance(m, int):
                own[k] = after[k]
            else:
                sums[m] = after[k] if first[m] == k else accumulated(b, sums.get(m), after[k])
        if all(e is None for e in own):
            return rest
        return assembled(own, op.domain)
