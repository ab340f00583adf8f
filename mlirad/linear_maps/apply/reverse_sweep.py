"""The reverse sweep through a map expression: a sum of cotangents per node, from the output back.

    swept(evaluator, %map, ct)              the transposed image of ct
    swept(evaluator, %map, ct, before)      the sums of the components of the domain with it added

A node's sum is complete when the node is reached, and is pulled back to the node's operands. A node that no
cotangent reaches costs nothing: absence from the table of sums is a structural zero. `contributions` decides
in which order the nodes are visited, and what waits for a sum to add to in place; `in_place` decides what is
added in place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, cast

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value, components_of
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.free_values import own_operands
from mlirad.ir.maps import domain_of, is_local
from mlirad.linear_maps.apply.contributions import Contributions, ReverseOrder, Target
from mlirad.linear_maps.apply.in_place import PARTS, accumulate_transposed
from mlirad.linear_maps.elements import Element, Elements, accumulated, assembled, components, part, parts


class Sweeper(Protocol):
    """Whoever evaluates the maps that a sweep meets."""

    b: ArrayBuilder
    env: Environment

    def contributions(self, root: Value) -> Contributions:
        """Return what the nodes of an expression add to which."""
        ...

    def composite(self, map_: Value, x: Element) -> Element:
        """The image under a composite map."""
        ...

    def transposed(self, map_: Value, x: Element) -> Element:
        """The transposed image under a composite map."""
        ...

    def control(self, transposed: bool, op: linear.MapOp, x: Element, sums: Elements) -> Elements:
        """The sums with the image added, under a map with regions or of a call."""
        ...


def swept(evaluator: Sweeper, root: Value, ct: Element, before: Elements | None = None) -> Element:
    """The transposed image of ct, added to the sums `before` of the components of the domain.

    Each of these is the first sum of the node that projects to the component, so that what is added there is
    added in place.
    """
    return _Sweep(evaluator, root, before).run(root, ct)


class _Sweep:
    """One sweep: the sums of cotangents of the nodes, and the total of the domain."""

    def __init__(self, evaluator: Sweeper, root: Value, before: Elements | None):
        self.evaluator, self.b = evaluator, evaluator.b
        self.contributions = evaluator.contributions(root)
        self.sums: dict[Value, Element] = {}
        self.total: Element = None if before is None else assembled(list(before), domain_of(root))
        if isinstance(self.total, list):
            for node in self.contributions.order:
                op = node.owner
                if isinstance(op, linear.ProjectOp) and self.total[op.index.value.data] is not None:
                    self.sums[node] = self.total[op.index.value.data]
                    self.total[op.index.value.data] = None

    def run(self, root: Value, ct: Element) -> Element:
        """The total after the cotangent of the root has gone back to the domain."""
        self._add(root, ct)
        waiting: dict[Value, list[tuple[linear.MapOp, Element]]] = {}
        reverse = ReverseOrder(self.contributions)
        for node in reverse:
            reverse.taken(node)
            for local, small in waiting.pop(node, ()):
                self.sums[node] = self._pulled(local, self.sums.get(node), small)
            summed = self.sums.pop(node, None)
            if summed is None:
                continue
            op = cast("linear.MapOp", node.owner)
            self.b.location = op.location
            match op:
                case linear.ComposeOp():
                    outer, inner = own_operands(op)
                    local = cast("linear.MapOp", outer.owner)
                    is_part = isinstance(local, PARTS) and inner not in self.sums
                    if is_part and reverse.awaits_whole(inner):
                        waiting.setdefault(inner, []).append((local, summed))
                    elif is_local(local):
                        made = self._pulled(local, self.sums.get(inner), summed, inner)
                        if made is not None:
                            self.sums[inner] = made
                    else:
                        self._add(inner, self.evaluator.transposed(outer, summed))
                case linear.AddOp():
                    for term in own_operands(op):
                        self._add(term, summed)
                case linear.VcatOp():
                    for k, m in enumerate(own_operands(op)):
                        self._add(m, part(summed, k))
                case linear.HcatOp():
                    columns: Elements = [self.evaluator.transposed(m, summed) for m in op.maps]
                    self.total = accumulated(self.b, self.total, columns)
                case linear.TransposeOp():
                    image = self.evaluator.composite(op.operand, summed)
                    self.total = accumulated(self.b, self.total, image)
                case _:
                    self.total = self._pulled(op, self.total, summed)
        return self.total

    def _add(self, node: Value, ct: Element) -> None:
        self.sums[node] = accumulated(self.b, self.sums.get(node), ct)

    def _pulled(self, op: linear.MapOp, rest: Element, ct: Element, inner: Value | None = None) -> Element:
        """The sum of what is below a local map, `inner` or the inputs, with its transposed image added."""
        match op:
            case linear.IdentityOp():
                return accumulated(self.b, rest, ct)
            case linear.ProjectOp():
                sums = parts(rest, len(components_of(op.domain)))
                index = op.index.value.data
                sums[index] = accumulated(self.b, sums[index], ct)
                return sums
            case linear.InjectOp():
                return accumulated(self.b, rest, part(ct, op.index.value.data))
            case linear.PrimitiveMapOp():
                return accumulate_transposed(self.b, op, self.evaluator.env, rest, ct)
            case linear.ControlMapOp() | linear.CallOp():
                return self._controlled(op, self.contributions.targets(op, inner), rest, ct)
            case _:
                assert isinstance(op, linear.ZeroOp), op.name
                return rest

    def _controlled(self, op: linear.MapOp, targets: Sequence[Target], rest: Element, ct: Element) -> Element:
        """Add the transposed image of a cotangent to the sums that its components belong to, in place.

        So what a loop or branch adds to an array is added to the array's sum. Returns `rest`, the sum of what
        is below, after the components are added that belong to no node.
        """
        own = list(components(rest, op.domain))
        first = {m: k for k, m in reversed(list(enumerate(targets)))}
        before = [
            own[k] if isinstance(m, int) else self.sums.get(m) if first[m] == k else None
            for k, m in enumerate(targets)
        ]
        after = self.evaluator.control(True, op, ct, before)
        for k, m in enumerate(targets):
            if isinstance(m, int):
                own[k] = after[k]
            elif first[m] == k:
                self.sums[m] = after[k]
            else:
                self._add(m, after[k])
        return rest if all(e is None for e in own) else assembled(own, op.domain)
