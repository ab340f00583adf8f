"""Contributions of the nodes of a map expression to the cotangents of their operands: whole arrays, or parts.

    scale, add, update, the carries of a loop        a whole: an array of the size of the cotangent
    index, slice, gather, what a branch reads        a part: added in place to an existing sum

A part costs its own size if there is a sum to add it to, and otherwise a whole array of zeros. So the
reverse sweep takes

    wholes first    of the nodes that may come next, loops and branches wait for all others, and those that
                    only read numbers and parts wait for those that add wholes
    parts last      a part waits as long as its sum has not begun and a whole is still to come

and a loop whose iterations update one element of a carry and read others costs O(1) per iteration.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from typing import TypeAlias

from xdsl.ir import Attribute, Region

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value, components_of, is_array, shape_of
from mlirad.ir.builder import yields
from mlirad.ir.free_values import own_operands
from mlirad.linear_maps.apply.in_place import PARTS
from mlirad.linear_maps.fold import operands_over
from mlirad.linear_maps.nonzeros import Nonzero

ADDS_TO_SUMS = (linear.ControlMapOp, linear.CallOp)
"""Maps whose transposed image is added to sums that they are given, one for each component."""

Wholes: TypeAlias = Callable[[Value], Nonzero]
"""The components of the domain of a region's map to which its transposed image may add a whole."""


def whole_components(op: linear.MapOp, wholes: Wholes) -> Nonzero:
    """The components of the domain to which a map that adds to sums may pass on a whole."""
    count = len(components_of(op.domain))
    match op:
        case linear.ScanOp():
            carries, inputs, _ = op.counts
            return frozenset(range(carries + inputs)) | _of_region(op.body, wholes)
        case linear.WhileOp():
            return frozenset(range(op.carries.value.data)) | _of_region(op.body, wholes)
        case linear.IfOp() | linear.SwitchOp() | linear.CheckpointOp():
            return frozenset[int]().union(*(_of_region(region, wholes) for region in op.regions))
        case linear.CallOp() | linear.DerivativeOp() | linear.CurvatureOp() | linear.RecordedOp():
            # The cotangent of a result may come back as that of an array of the same type.
            made = set(components_of(op.codomain))
            return frozenset(k for k, space in enumerate(components_of(op.domain)) if space in made)
        case _:
            return frozenset(range(count))


def _of_region(region: Region, wholes: Wholes) -> Nonzero:
    return wholes(yields(region)[0])


Target: TypeAlias = "Value | int"
"""The owner of a component of a sum: a node, or the component of this number of the map below."""


class Contributions:
    """The nodes of an expression, operands before users, with what each adds to which.

    A map that adds to sums is given those of the maps that the map below it pairs. Of a map that is not a
    pair, and of the inputs, it is given the sums of the projections that are nodes.
    """

    def __init__(self, order: Sequence[Value], wholes: Wholes):
        self.order = order
        self.wholes: Counter[Value] = Counter()
        """The number of wholes that each node may receive."""
        self.given: dict[Value, list[Value]] = {}
        """The nodes that each hands a whole."""
        self.before: dict[Value, list[Value]] = {}
        """The nodes that the sweep takes after each."""
        self.waits: dict[Value, int] = {}
        """The kinds of nodes by how long they wait: loops, branches and calls do, other nodes do not."""
        self._wholes = wholes
        self._projections = _projections(order)
        pairs = {m for node in order for m in _read_as_one(node)}
        pairs.add(order[-1])
        for node in order:
            self._enter(node, pairs)
            self.wholes.update(self.given[node])

    def _enter(self, node: Value, pairs: set[Value]) -> None:
        op = node.owner
        before = self.before[node] = operands_over(node)
        wholes = self.given[node] = []
        added = _added(node)
        if added is not None:
            map_, inner = added
            handed_on = whole_components(map_, self._wholes)
            self.waits[node] = 1 if any(_is_large(components_of(map_.domain)[k]) for k in handed_on) else 2
            targets = self.targets(map_, inner)
            before += [m for m in targets if not isinstance(m, int) and m not in before]
            wholes += [m for k, m in enumerate(targets) if k in handed_on and not isinstance(m, int)]
            if handed_on and any(isinstance(m, int) for m in targets) and inner is not None:
                wholes.append(inner)
        elif isinstance(op, linear.ComposeOp):
            outer, inner = own_operands(op)
            if not isinstance(outer.owner, PARTS):
                wholes.append(inner)
        elif isinstance(op, linear.AddOp) or node in pairs:
            wholes += before

    def targets(self, op: linear.MapOp, inner: Value | None) -> list[Target]:
        """Return the owners of the cotangent sums that the components of the map, alone or after `inner`, add
        to.
        """
        if inner is not None and isinstance(inner.owner, linear.VcatOp):
            return list(own_operands(inner.owner))
        known = self._projections.get(inner, {})
        return [known.get(k, k) for k in range(len(components_of(op.domain)))]

    def whole_components(self) -> Nonzero:
        """The components of the domain that may receive a whole."""
        found: set[int] = set()
        for node in self.order:
            op = node.owner
            assert isinstance(op, linear.MapOp)
            if isinstance(op, linear.ZeroOp) or self.before[node]:
                continue
            if isinstance(op, ADDS_TO_SUMS):
                found |= whole_components(op, self._wholes)
            elif isinstance(op, linear.ProjectOp):
                if self.wholes[node] or node is self.order[-1]:
                    found.add(op.index.value.data)
            elif not isinstance(op, PARTS):
                found.update(range(len(components_of(op.domain))))
        return frozenset(found)


def _is_large(space: Attribute) -> bool:
    """Return whether a whole of a space is more than a number, so that there are parts that wait for it."""
    return not is_array(space) or bool(shape_of(space))


def _projections(order: Sequence[Value]) -> dict[Value | None, dict[int, Value]]:
    """The nodes that project a map, and, under `None`, the inputs, to a component."""
    found: dict[Value | None, dict[int, Value]] = {}
    for node in order:
        op = node.owner
        inner: Value | None = None
        if isinstance(op, linear.ComposeOp):
            outer, inner = own_operands(op)
            op = outer.owner
        if isinstance(op, linear.ProjectOp):
            found.setdefault(inner, {}).setdefault(op.index.value.data, node)
    return found


def _added(node: Value) -> tuple[linear.MapOp, Value | None] | None:
    """The map of a node that adds to the sums of what is below, and that; `None` where it is the inputs."""
    op = node.owner
    if isinstance(op, linear.ComposeOp):
        outer, inner = own_operands(op)
        return (outer.owner, inner) if isinstance(outer.owner, ADDS_TO_SUMS) else None
    return (op, None) if isinstance(op, ADDS_TO_SUMS) else None


def _read_as_one(node: Value) -> list[Value]:
    """The maps that a node reads otherwise than by adding to the sums of the maps that they pair."""
    return [] if _added(node) is not None else operands_over(node)


class ReverseOrder:
    """The nodes in the order in which the reverse sweep takes them: users first, what waits last.

    Without loops, branches and calls that is the reversed order of the expression.
    """

    def __init__(self, contributions: Contributions):
        order = contributions.order
        self._contributions = contributions
        self._places = {node: -k for k, node in enumerate(order)}
        self._users = Counter(m for before in contributions.before.values() for m in before)
        self._wholes = Counter(contributions.wholes)
        self._ready: list[tuple[int, int]] = []
        self._push(order[-1])

    def __iter__(self) -> ReverseOrder:
        return self

    def __next__(self) -> Value:
        """The next node."""
        if not self._ready:
            raise StopIteration
        return self._contributions.order[-heappop(self._ready)[1]]

    def taken(self, node: Value) -> None:
        """Say that a node has added what it adds."""
        self._wholes.subtract(self._contributions.given[node])
        for m in self._contributions.before[node]:
            self._users[m] -= 1
            if not self._users[m]:
                self._push(m)

    def awaits_whole(self, node: Value) -> bool:
        """Return whether a whole may still be added to a node's cotangent."""
        return self._wholes[node] > 0

    def _push(self, node: Value) -> None:
        heappush(self._ready, (self._contributions.waits.get(node, 0), self._places[node]))
