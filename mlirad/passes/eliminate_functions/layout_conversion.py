"""The arrays that stand for a value where it flows to: from one layout to another.

    %h = array.if %p {yield %f} else {yield %g}      the branches yield a tag and slots for f and for g

A value that flows to a place where it may be one of more closures gets the tag and the slots of that place.
Nothing is emitted if the codes at both are the same, and only what fills further slots if those at the source
are the first of those at the target; otherwise a branch by the old tag makes the new one. Slots that a value
does not use are filled with arrays that are there, so that loops and branches copy none, or with zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeAlias, cast

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from mlirad.dialects.array.frames import RestoreOp, SaveOp
from mlirad.dialects.function import LambdaOp, PartialOp, SumType, TupleOp
from mlirad.dialects.shapes import Value, is_array, shape_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.first_order import is_higher
from mlirad.passes.eliminate_functions.choices import Key, is_choice, source_of
from mlirad.passes.eliminate_functions.flow import Code, FlowNode, Tree, part_of
from mlirad.passes.eliminate_functions.layout import Layouts

Scope: TypeAlias = Mapping[Key, Value]
"""The values that stand for those of the source program."""


class Standing:
    """Emits what stands for values, given what stands for their parts."""

    def __init__(self, layouts: Layouts):
        self.layouts = layouts
        self.flow = layouts.flow
        self._unread: list[tuple[ArrayBuilder, Mapping[object, Value]]] = []
        """The arrays in slots of other alternatives, of the choices and loops around, by what they stand for,
        with the functions that these are in.
        """

    def held(self, value: Value, scope: Scope) -> list[Value]:
        """Return what stands for the parts of a value."""
        return [scope[key] for key in self.layouts.parts(value)]

    def given(self, b: ArrayBuilder, value: Value, target: Tree, scope: Scope) -> list[Value]:
        """Return what stands for a value at the nodes that it flows to."""
        if not is_higher(value.type):
            return [scope[value]]
        value = source_of(value)
        if isinstance(value.owner, TupleOp):
            parts = enumerate(value.owner.components)
            return [leaf for k, v in parts for leaf in self.given(b, v, part_of(target, k), scope)]
        return self._given(b, value, self.held(value, scope), target)

    def all_given(
        self, b: ArrayBuilder, values: Sequence[Value], targets: Sequence[Tree], scope: Scope
    ) -> list[Value]:
        """Return what stands for values at the nodes that they flow to, in order."""
        pairs = zip(values, targets, strict=True)
        return [leaf for value, target in pairs for leaf in self.given(b, value, target, scope)]

    def by_alternative(
        self,
        b: ArrayBuilder,
        value: Value,
        held: Sequence[Value],
        body: Callable[[Value, Sequence[Value]], list[Value]],
    ) -> list[Value]:
        """Return what the body makes of the alternative that was chosen, and of its parts."""
        choice = self.layouts.choice(value)
        leaves = dict(zip(choice.parts, held, strict=True))

        def chosen(alternative: Value, own: Sequence[Value]) -> list[Value]:
            with self.unread(b, {key: v for key, v in leaves.items() if v not in own}):
                return body(alternative, own)

        bodies = [
            partial(chosen, alternative, [leaves[key] for key in keys])
            for alternative, keys in zip(choice.alternatives, choice.held, strict=True)
        ]
        return bodies[0]() if choice.tag is None else b.choose(leaves[choice.tag], bodies)

    def by_tag(
        self,
        b: ArrayBuilder,
        type_: Attribute,
        tree: Tree,
        leaves: Sequence[Value],
        bodies: Sequence[Callable[[Sequence[Value]], list[Value]]],
    ) -> list[Value]:
        """Return what the body makes that the tag of a sum or closure chooses, of what is in its slots."""
        if self.layouts.records.is_record(tree):
            leaves = b.insert(RestoreOp, leaves, self.layouts.tagged_types(type_, tree)).results
        tag, *slots = leaves

        def chosen(body: Callable[[Sequence[Value]], list[Value]], own: Sequence[int]) -> list[Value]:
            with self.unread(b, {k: v for k, v in enumerate(slots, 1) if k not in own}):
                return body([slots[place - 1] for place in own])

        places = self.layouts.places(type_, tree)
        return b.switch(tag, [partial(chosen, *both) for both in zip(bodies, places, strict=True)])

    def tagged(
        self, b: ArrayBuilder, type_: Attribute, tree: Tree, number: int, own: Sequence[Value]
    ) -> list[Value]:
        """A tag and slots, or the record of them: of the slots the given values, in all others what is there.

        That is an array that this alternative of a value does not read, so that a loop copies none, or zeros.
        """
        _, *types = self.layouts.tagged_types(type_, tree)
        places = self.layouts.places(type_, tree)[number]
        held, keys = dict(zip(places, own, strict=True)), self.layouts.slot_keys(type_, tree)
        known = {keys[place - 1]: value for place, value in held.items()}
        empty = [k for k in range(1, len(types) + 1) if k not in held]
        fillers = self._fillers(b, [types[k - 1] for k in empty], [keys[k - 1] for k in empty], known, own)
        held |= zip(empty, fillers, strict=True)
        made = [b.index_constant(number), *(held[k] for k in range(1, len(types) + 1))]
        records = self.layouts.records
        if isinstance(tree, FlowNode) and records.is_record(tree):
            return [b.emit(SaveOp, made, records.type_of(tree))]
        return made

    @contextmanager
    def unread(self, b: ArrayBuilder, values: Mapping[Any, Value]) -> Generator[None]:
        """Let the arrays among some values stand in slots that nothing reads, of what is made inside; they
        are given by what they stand for.
        """
        self._unread.append((b, {k: v for k, v in values.items() if is_array(v.type) and shape_of(v)}))
        try:
            yield
        finally:
            self._unread.pop()

    def _fillers(
        self,
        b: ArrayBuilder,
        types: Sequence[Attribute],
        keys: Sequence[Key | None],
        known: Mapping[Key | None, Value],
        own: Sequence[Value],
    ) -> Iterator[Value]:
        """Yield what stands in slots that nothing reads, for captured arrays at `keys`: these where they are
        there, or others of the innermost choice or loop that has any of the type and that `own` has not, in
        order, or zeros.
        """
        around = [unread for by, unread in reversed(self._unread) if by is b]
        ordered: dict[Attribute, list[Value]] = {}
        for type_, key in zip(types, keys, strict=True):
            same = next((each[key] for each in (known, *around) if key is not None and key in each), None)
            if same is not None:
                yield same
                continue
            if type_ not in ordered:
                others = (dict.fromkeys(v for v in vs.values() if v.type == type_) for vs in around)
                free = ([v for v in each if v not in own] for each in others)
                ordered[type_] = next((vs for vs in free if vs), list[Value]())
            left = ordered[type_]
            yield b.zeros(type_) if not left else left.pop(0) if len(left) > 1 else left[0]

    def converted(
        self, b: ArrayBuilder, type_: Attribute, leaves: Sequence[Value], source: Tree, target: Tree
    ) -> list[Value]:
        """Return what stands for a value of a type at other nodes than those it was made for."""
        if self.layouts.are_alike(source, target):
            return list(leaves)
        if isinstance(type_, TupleType):
            made: list[Value] = []
            start = 0
            for k, t in enumerate(cast("Sequence[Attribute]", type_.types.data)):
                a, z = part_of(source, k), part_of(target, k)
                end = start + len(self.layouts.types(t, a))
                made += self.converted(b, t, leaves[start:end], a, z)
                start = end
            return made
        if isinstance(type_, SumType):

            def alternative(k: int, t: Attribute, own: Sequence[Value]) -> list[Value]:
                inner = self.converted(b, t, own, part_of(source, k), part_of(target, k))
                return self.tagged(b, type_, target, k, inner)

            bodies = [partial(alternative, k, t) for k, t in enumerate(type_.types.data)]
            return self.by_tag(b, type_, source, leaves, bodies)
        assert isinstance(source, FlowNode)
        assert isinstance(target, FlowNode)
        return self._closure(b, type_, leaves, source, target)

    def _given(self, b: ArrayBuilder, value: Value, held: Sequence[Value], target: Tree) -> list[Value]:
        if is_choice(value):
            return self.by_alternative(b, value, held, lambda v, own: self._given(b, v, own, target))
        owner = value.owner
        if isinstance(owner, LambdaOp | PartialOp):
            assert isinstance(target, FlowNode)
            return self._known(b, owner, held, target)
        return self.converted(b, value.type, held, self.flow.tree(value), target)

    def _known(self, b: ArrayBuilder, code: Code, held: Sequence[Value], target: FlowNode) -> list[Value]:
        """A closure that is known, by its environment, as one that may have the codes of a node."""
        codes = [self.layouts.number(c) for c in self.layouts.codes(target)]
        own = self.layouts.number(code)
        if codes == [own] and not self.layouts.records.is_record(target):
            return list(held)
        return self.tagged(b, code.closure.type, target, codes.index(own), held)

    def _closure(
        self, b: ArrayBuilder, type_: Attribute, leaves: Sequence[Value], source: FlowNode, target: FlowNode
    ) -> list[Value]:
        """A closure that may have the codes of one node, as one that may have those of another, too."""
        old, new = ([self.layouts.number(c) for c in self.layouts.codes(node)] for node in (source, target))
        is_record = self.layouts.records.is_record
        if not old:  # nothing makes such a closure, so it is never applied
            return list(map(b.zeros, self.layouts.types(type_, target)))
        if not is_record(source) and not is_record(target):
            if old == new:
                return list(leaves)
            if old == new[: len(old)] and len(old) != 1:
                further = self.layouts.types(type_, target)[len(leaves) :]
                keys = self.layouts.slot_keys(type_, target)[len(leaves) - 1 :]
                return [*leaves, *self._fillers(b, further, keys, {}, leaves)]
        bodies = [partial(self.tagged, b, type_, target, new.index(number)) for number in old]
        if len(bodies) == 1 and not is_record(source):
            return bodies[0](leaves)
        return self.by_tag(b, type_, source, leaves, bodies)
