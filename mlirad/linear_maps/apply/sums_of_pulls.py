"""Images that reverse sweeps of functions find are added in place to what they are added to.

    %h = compose (curvature of f), %m            a pull of f, which adds to the sums that it is given
    %s = add (compose (project k), %h), %t       component k is added to the image of %t

So a loop whose iterations each add a part of a second derivative to an array costs what the parts cost. The
terms of a sum that are no such components are added first, and each component to what there is then.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import TypeAlias, TypeGuard

from xdsl.ir import Block, Operation

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value
from mlirad.ir.free_values import own_operands
from mlirad.lazy_dataclass import dataclass
from mlirad.linear_maps.fold import operands_over


@dataclass(frozen=True, eq=False)
class Sum:
    """A sum, whose terms nothing else reads: other nodes first, then components of images by pulls."""

    root: Value
    others: Sequence[Value]
    first: Value
    """The node that holds the first component."""


SumsOfNodes: TypeAlias = dict[Value, list[tuple[int, Sum]]]
"""The components of nodes that are added to sums, by their numbers."""


class Sums:
    """The sums of an expression that are made in place: `before` says in which order nodes then come."""

    def __init__(self, order: Sequence[Value]):
        self.before: dict[Value, list[Value]] = {}
        self.of_node: SumsOfNodes = {}
        places = {node: k for k, node in enumerate(order)}
        for root in order:
            if isinstance(root.owner, linear.AddOp) and not _is_term(root, places):
                self._enter(root, places)

    def _enter(self, root: Value, places: Mapping[Value, int]) -> None:
        terms = list(_terms(root))
        found = [m for m in terms if _component_of(m) is not None]
        components = sorted(found, key=lambda m: places[_pulled(m)])
        others = [m for m in terms if m not in components]
        while True:
            late = [m for m in components if self._reach(others, _pulled(m))]
            if not late:
                break
            components, others = [m for m in components if m not in late], [*others, *late]
        nodes = list(map(_pulled, components))
        if len(set(nodes)) < len(nodes):
            return
        before: dict[Value, list[Value]] = {}
        known: list[Value] = others
        for component, node in zip(components, nodes, strict=True):
            if self._reach(known, node):
                return
            before[node], known = known, [component]
        if not nodes:
            return
        sum_ = Sum(root, others, nodes[0])
        for component, node in zip(components, nodes, strict=True):
            self.before.setdefault(node, []).extend(before[node])
            self.of_node.setdefault(node, []).append((_number(component), sum_))

    def _reach(self, starts: Sequence[Value], wanted: Value) -> bool:
        """Tell if a node comes before some of the nodes."""
        seen: set[Value] = set()
        pending = list(starts)
        while pending:
            node = pending.pop()
            if node is wanted:
                return True
            if node not in seen:
                seen.add(node)
                pending += [*operands_over(node), *self.before.get(node, ())]
        return False


def _is_term(node: Value, nodes: Container[Value]) -> bool:
    """Tell if a sum is a term of another sum and nothing else."""
    users = [use.operation for use in node.uses]
    return len(users) == 1 and isinstance(users[0], linear.AddOp) and users[0].result in nodes


def _terms(root: Value) -> Iterator[Value]:
    for m in operands_over(root):
        if isinstance(m.owner, linear.AddOp) and m.has_one_use():
            yield from _terms(m)
        else:
            yield m


def _component_of(node: Value) -> Value | None:
    """The node that `node` and all its other readers project from, if a pull finds its image."""
    op = node.owner
    if not _is_projection(op) or not node.has_one_use():
        return None
    whole = own_operands(op)[1]
    if not isinstance(whole.owner, linear.ComposeOp) or not _is_pull(own_operands(whole.owner)[0].owner):
        return None
    return whole if all(_is_projection(use.operation) for use in whole.uses) else None


def _is_pull(op: Operation | Block) -> bool:
    """Tell if a map is applied by a pull."""
    return isinstance(op, linear.CurvatureOp) or (
        isinstance(op, linear.DerivativeOp) and op.transposed is not None
    )


def _is_projection(op: Operation | Block) -> TypeGuard[linear.ComposeOp]:
    return isinstance(op, linear.ComposeOp) and isinstance(own_operands(op)[0].owner, linear.ProjectOp)


def _pulled(component: Value) -> Value:
    found = _component_of(component)
    assert found is not None
    return found


def _number(component: Value) -> int:
    assert isinstance(component.owner, linear.ComposeOp)
    projection = own_operands(component.owner)[0].owner
    assert isinstance(projection, linear.ProjectOp)
    return projection.index.value.data
