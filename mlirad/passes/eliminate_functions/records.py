"""Closures that may hold closures of their own kind: which these are, and the types of their records.

    %g = array.scan %f (%i, %h: CLOSURE) ... {            %h: {f, k}, and k captures %h
      %k = function.lambda (%z: f64) : -> CLOSURE {... function.apply %h ...}
      array.yield %k : CLOSURE
    }

Slots for the environment of k would have to hold slots for the environment of k. So a closure at %h is a
record (`array.save`) of a tag and slots, of a type with a name, `!array.frame<f_closure>`; k captures it.

In the graph whose nodes are sets of codes, with an edge from a set to that at each place that a code of it
captures, the sets on cycles are those of records. So are those that would take more than `MOST_SLOTS` slots:
a closure that holds what two calls of the one before it returned would have twice as many. All others stay
tags and slots. The captures of a code have one layout wherever it is, so that a closure goes from one set to
a larger one by one `restore` and one `save`, whatever it holds.

Closures in memory would do for all programs, and cost a save and a restore for each one that is free now. A
set of codes is on a cycle or not, so no program pays for a generality that it does not use. The captures of a
code have one layout everywhere; so records need not have one type along the flow, and a closure that flows to
a larger set is restored and saved once. A record is a copy of its contents, hence the boxes: with arrays in
slots a loop that composes n closures over an array of n elements takes n squared.

There are no arrays of closures: each would be an array of tags and arrays of slots, as large as the largest
environment. `switch` on an index says the same, and costs what it says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from functools import cached_property

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from mlirad.dialects.array.frames import FRAME_OPS
from mlirad.dialects.frame_type import FrameType, frame_type
from mlirad.dialects.function import ClosureType, InductiveType, LambdaOp, PartialOp, SumType, TupleOp
from mlirad.dialects.shapes import Value
from mlirad.ir.first_order import is_higher
from mlirad.ir.free_values import own_operands
from mlirad.ir.symbols import free_name
from mlirad.passes.eliminate_functions.choices import chosen_from, is_choice, source_of
from mlirad.passes.eliminate_functions.equal_codes import captured_by
from mlirad.passes.eliminate_functions.flow import Code, Flow, FlowNode, Tree, part_of

MOST_SLOTS = 64
"""The number of slots that a closure may have that is not a record."""


class Records:
    """The sets of codes whose closures are records."""

    def __init__(self, flow: Flow):
        self._flow = flow
        self._weights: dict[int, int] = {}
        self._parts: dict[Code, dict[Value, int]] = {}
        self._held: dict[Value, frozenset[int]] = {}
        self._captured: dict[Code, frozenset[int]] = {}
        self._of_names: dict[InductiveType, FrameType] = {}

    def is_record(self, tree: Tree) -> bool:
        """Tell whether a closure at a node is a record."""
        return isinstance(tree, FlowNode) and tree.codes in self._types

    def type_of(self, node: FlowNode) -> Attribute:
        """The type of the records at a node."""
        return self._types[node.codes]

    def type_of_name(self, type_: InductiveType) -> FrameType:
        """The type of the records that stand for values of an inductive type."""
        if type_ not in self._of_names:
            self._of_names[type_] = self.new_type(type_.type_name.data)
        return self._of_names[type_]

    def holds(self, code: Code) -> bool:
        """Tell whether closures of a code may be records."""
        bit = 1 << self._flow.order(code)
        return any(codes & bit for codes in self._types)

    def is_alone(self, code: Code) -> bool:
        """Tell whether records of one type alone hold closures of a code."""
        bit = 1 << self._flow.order(code)
        return sum(1 for codes in self._types if codes & bit) == 1

    @cached_property
    def _types(self) -> dict[int, FrameType]:
        """The type of the records of each set of codes."""
        graph: dict[int, Set[int]] = {}
        pending = [codes for code in self._flow.codes for codes in self._captured_sets(code)]
        while pending:
            codes = pending.pop()
            if codes not in graph:
                graph[codes] = {s for code in self._flow.members(codes) for s in self._captured_sets(code)}
                pending += graph[codes]
        circular = on_cycles(graph)
        self._weights.update(dict.fromkeys(circular, 1))
        large = {codes for codes in graph if self._weight(codes) > MOST_SLOTS}
        types: dict[int, FrameType] = {}
        for codes in sorted(circular | large):
            first = self._flow.members(codes)[0]
            types[codes] = self.new_type(f"{first.closure.name_hint or 'lambda'}_closure")
        return types

    def _weight(self, codes: int) -> int:
        """Return how many slots a closure of a set would need, where those that need too many are records."""
        if codes not in self._weights:
            members = self._flow.members(codes)
            self._weights[codes] = max((sum(self._held_parts(code).values()) for code in members), default=0)
        return self._weights[codes]

    def _held_parts(self, code: Code) -> dict[Value, int]:
        """The values that a code holds, with how many slots each takes."""
        if code not in self._parts:
            held: dict[Value, int] = {}
            for value in captured_by(code):
                held.update(self._parts_of(value))
            self._parts[code] = held
        return self._parts[code]

    def _parts_of(self, value: Value) -> dict[Value, int]:
        value = source_of(value)
        owner = value.owner
        if isinstance(owner, LambdaOp | PartialOp):
            return self._held_parts(owner)
        if not is_higher(value.type) or not (isinstance(owner, TupleOp) or is_choice(value)):
            return {value: self._slots(value.type, self._flow.tree(value))}
        held = {value: 1}
        for part in owner.components if isinstance(owner, TupleOp) else chosen_from(value):
            held.update(self._parts_of(part))
        return held

    def _slots(self, type_: Attribute, tree: Tree) -> int:
        """Return how many slots a value of a type takes, whose closures are at these nodes."""
        match type_:
            case TupleType() | SumType():
                parts = [self._slots(t, part_of(tree, k)) for k, t in enumerate(type_.types.data)]
                return sum(parts) if isinstance(type_, TupleType) else 1 + max(parts)
            case ClosureType():
                assert isinstance(tree, FlowNode)
                weight = self._weight(tree.codes)
                return 1 if weight > MOST_SLOTS else weight
            case _:
                return 1

    def new_type(self, name: str) -> FrameType:
        """A type of records by a name, with a number where there is such a type."""
        name = free_name(name, self._names, "_")
        self._names.add(name)
        return frame_type(name)

    @cached_property
    def _names(self) -> set[str]:
        """The names of types of records in the module."""
        ops = [op for op in self._flow.module.walk() if isinstance(op, FRAME_OPS)]
        operands = [v for op in ops for v in (*own_operands(op), *op.results)]
        return {v.type.type_name.data for v in operands if isinstance(v.type, FrameType)}

    def _captured_sets(self, code: Code) -> frozenset[int]:
        """The sets of codes at the places in the environment of a code."""
        if code not in self._captured:
            self._captured[code] = _union(map(self._sets_in, captured_by(code)))
        return self._captured[code]

    def _sets_in(self, value: Value) -> frozenset[int]:
        """The sets of codes at the places in what stands for a value that is captured."""
        if not is_higher(value.type):
            return frozenset()
        value = source_of(value)
        if value not in self._held:
            self._held[value] = self._places(value)
        return self._held[value]

    def _places(self, value: Value) -> frozenset[int]:
        owner = value.owner
        if isinstance(owner, LambdaOp | PartialOp):
            return self._captured_sets(owner)
        if isinstance(owner, TupleOp):
            return _union(map(self._sets_in, owner.components))
        if is_choice(value):
            return _union(map(self._sets_in, chosen_from(value)))
        return frozenset(node.codes for node in nodes_of(self._flow.tree(value)))


def nodes_of(tree: Tree) -> list[FlowNode]:
    """The nodes in a tree."""
    found: list[FlowNode] = []
    pending = [tree]
    while pending:
        part = pending.pop()
        if isinstance(part, FlowNode):
            found.append(part)
        elif part is not None:
            pending += part
    return found


def on_cycles(graph: Mapping[int, Set[int]]) -> set[int]:
    """The nodes of a graph that can be reached from themselves."""
    left = _ending(graph, graph)
    inward: dict[int, set[int]] = {node: set() for node in left}
    for node in left:
        for target in graph[node] & left:
            inward[target].add(node)
    left = _ending(inward, left)
    return {node for node in left if _reaches(graph, left, node)}


def _ending(graph: Mapping[int, Set[int]], nodes: Iterable[int]) -> set[int]:
    """The nodes except for those from which all ways through the graph end."""
    left = set(nodes)
    sources: dict[int, list[int]] = {}
    for node in left:
        for target in graph[node]:
            sources.setdefault(target, []).append(node)
    degrees = {node: len(graph[node] & left) for node in left}
    pending = [node for node in left if not degrees[node]]
    while pending:
        node = pending.pop()
        left.discard(node)
        for source in sources.get(node, ()):
            degrees[source] -= 1
            if not degrees[source]:
                pending.append(source)
    return left


def _reaches(graph: Mapping[int, Set[int]], nodes: Set[int], start: int) -> bool:
    seen: set[int] = set()
    pending = [start]
    while pending:
        for target in graph[pending.pop()] & nodes:
            if target == start:
                return True
            if target not in seen:
                seen.add(target)
                pending.append(target)
    return False


def _union(sets: Iterable[frozenset[int]]) -> frozenset[int]:
    return frozenset[int]().union(*sets)
