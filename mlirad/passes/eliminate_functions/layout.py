"""The layout of a value: the arrays that represent it, and their order.

    an array                             itself
    a tuple                              what stands for its components, one after the other
    a sum                                an i64 tag, and slots that can hold any alternative
    a closure that is known              nothing: what it captures is read where it is needed
    a closure that a branch chooses      a tag, and slots for what only the branch knows (`choices.py`)
    a closure that may hold its own kind     a record of an i64 tag and slots (`records.py`)
    a value of an inductive type             a record of what stands for the value that was rolled
    any other closure, which may be of
      one code                           its environment
      several codes                      an i64 tag, and slots that can hold any environment
      no code                            nothing: it is never applied

The environment of a code is what its region captures, each value once. In the place of a captured closure
that is known or chosen, its parts are captured: the values that it is made of, which are visible there.
Without that, what closures share would be copied at each level, and the slots of f_{k+1} capturing f_k and
f_{k-1} would grow like the numbers of Fibonacci.

A closure of many slots is a record. The result of a function that calls another twice has twice its slots, so
n levels have 2^n. From 65 slots on it is a record, which its holders have as one slot. Fewer stay slots,
which are values: no memory, and derivatives as they are.

Environments share slots, but for arrays: a loop that chooses between functions of different ones would copy
one in each iteration. Alternatives of sums share these too, as the array of one is often that of another,
updated in place.

An environment holds each value once: closures that capture closures share the captures. Copied level by
level, f_(k+1) capturing f_k and f_(k-1) has 1597 slots at k = 16; so it has one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from xdsl.dialects.builtin import TensorType, TupleType, i64
from xdsl.ir import Attribute, Operation

from mlirad.dialects.array.custom import CheckpointOp
from mlirad.dialects.function import (
    ClosureType,
    GetOp,
    InductiveType,
    LambdaOp,
    PartialOp,
    SumType,
    TupleOp,
)
from mlirad.dialects.function.closures import signature_of
from mlirad.dialects.linear import MapType
from mlirad.dialects.shapes import Value
from mlirad.errors import UnsupportedError
from mlirad.ir.first_order import is_higher
from mlirad.ir.free_values import own_operands
from mlirad.ir.functions import holds_closures
from mlirad.ir.locations import location_of, name_of
from mlirad.passes.eliminate_functions.boxes import Boxes
from mlirad.passes.eliminate_functions.choices import (
    Box,
    Choice,
    Key,
    choice_of,
    chosen_from,
    is_choice,
    source_of,
)
from mlirad.passes.eliminate_functions.equal_codes import captured_by, structure_of
from mlirad.passes.eliminate_functions.flow import Code, Flow, FlowNode, Tree, part_of
from mlirad.passes.eliminate_functions.records import Records
from mlirad.passes.slots import merged


class Layouts:
    """The layouts that stand for the values of a module."""

    def __init__(self, flow: Flow):
        self.flow = flow
        self.records = Records(flow)
        self.boxes = Boxes(flow, self.records)
        self._codes: dict[int, list[Code]] = {}
        self._set_types: dict[int, list[Attribute]] = {}
        self._environments: dict[Code, list[Key]] = {}
        self._parts: dict[Value, list[Key]] = {}
        self._choices: dict[Value, Choice] = {}
        self._numbers: dict[Code, int] = {}
        self._kinds: dict[object, int] = {}

    # Codes of closures ---------------------------------------------------------------------------

    def codes(self, node: FlowNode) -> list[Code]:
        """The codes that a closure may have, in the order of the program; of equal ones the first."""
        if node.codes not in self._codes:
            members = self.flow.members(node.codes)
            if len(members) > 1:
                first: dict[int, Code] = {}
                for code in members:
                    first.setdefault(self.number(code), code)
                members = list(first.values())
            self._codes[node.codes] = members
        return self._codes[node.codes]

    def types(self, type_: Attribute, tree: Tree) -> list[Attribute]:
        """The types of what stands for a value of a type, whose closures are at these nodes."""
        match type_:
            case TupleType():
                parts = enumerate(cast("Sequence[Attribute]", type_.types.data))
                return [leaf for k, t in parts for leaf in self.types(t, part_of(tree, k))]
            case SumType():
                return [i64, *self._slots(type_, tree)]
            case ClosureType():
                assert isinstance(tree, FlowNode)
                if self.records.is_record(tree):
                    return [self.records.type_of(tree)]
                if tree.codes not in self._set_types:
                    groups = self._groups(type_, tree)
                    own = (
                        groups[0] if len(groups) == 1 else [i64, *self._slots(type_, tree)] if groups else []
                    )
                    self._set_types[tree.codes] = own
                return self._set_types[tree.codes]
            case InductiveType():
                return [self.records.type_of_name(type_)]
            case _:
                return [type_]

    def tagged_types(self, type_: Attribute, tree: Tree) -> list[Attribute]:
        """The types of the tag and slots of a sum or closure, also of one that is a record of these."""
        return [i64, *self._slots(type_, tree)]

    def rolled_types(self, type_: Attribute) -> list[Attribute]:
        """The types of what the record holds that stands for a value of an inductive type."""
        return self.types(*self.flow.rolled[type_])

    def places(self, type_: Attribute, tree: Tree) -> list[list[int]]:
        """Return where in what stands for a value each alternative of a sum, or environment of a closure,
        lies.

        Only for values that have a tag, which is at place 0.
        """
        return [[place + 1 for place in own] for own in self._merged(type_, tree)[1]]

    def require_no_maps(self, value: Value) -> None:
        """Raise if a linear map would be among what a loop, branch or function of the program hands over."""
        self._require_no_maps(self.own_types(value), self.flow.tree(value))

    def _require_no_maps(self, types: Sequence[Attribute], tree: Tree) -> None:
        if not any(isinstance(t, MapType) for t in types):
            return
        code = next(
            c for c in self._inside(tree) if any(isinstance(t, MapType) for t in self.environment_types(c))
        )
        raise UnsupportedError(
            f"the function {name_of(code.closure)} captures a linear map, and a branch chooses it, a loop "
            "carries it, a sum holds it, or a recursive function takes it: which map it is has to be known",
            location=location_of(code),
            hint="apply the map outside of the function, or make it inside, of what it is the derivative of",
        )

    def _inside(self, tree: Tree) -> Iterator[Code]:
        if isinstance(tree, tuple):
            for part in tree:
                yield from self._inside(part)
        elif tree is not None:
            yield from self.flow.members(tree.codes)

    def _slots(self, type_: Attribute, tree: Tree) -> list[Attribute]:
        slots, _ = self._merged(type_, tree)
        self._require_no_maps(slots, tree)
        return slots

    def slot_keys(self, type_: Attribute, tree: Tree) -> list[Key | None]:
        """The captured array that each slot of a sum or closure is for, None for slots that several share."""
        slots, places = self._merged(type_, tree)
        keys: list[Key | None] = [None] * len(slots)
        if isinstance(tree, FlowNode) and not self.records.is_record(tree):
            for code, own in zip(self.codes(tree), places, strict=True):
                for key, place in zip(self.environment(code), own, strict=True):
                    keys[place] = key if isinstance(slots[place], TensorType) else None
        return keys

    def _merged(self, type_: Attribute, tree: Tree) -> tuple[list[Attribute], list[list[int]]]:
        """The slots of a sum or closure, and those of each alternative or environment.

        They follow from types alone, as equal codes stand for each other, whatever they capture.
        """
        groups = self._groups(type_, tree)
        if not isinstance(tree, FlowNode) or self.records.is_record(tree):
            return merged(groups)
        return merged(groups, is_shared=lambda t: not isinstance(t, TensorType))

    def _groups(self, type_: Attribute, tree: Tree) -> list[list[Attribute]]:
        """The types of the alternatives of a sum, or of the environments of a closure."""
        if isinstance(type_, SumType):
            return [self.types(t, part_of(tree, k)) for k, t in enumerate(type_.types.data)]
        assert isinstance(tree, FlowNode)
        return [self.environment_types(code) for code in self.codes(tree)]

    # Values --------------------------------------------------------------------------------------

    def own_types(self, value: Value) -> list[Attribute]:
        """The types of the arrays that the op or block that makes a value hands over for it."""
        if is_choice(value):
            return list(self.choice(value).own)
        return self.types(value.type, self.flow.tree(value))

    def parts(self, value: Value) -> list[Key]:
        """All that a value is made of."""
        if value not in self._parts:
            self._parts[value] = self._made_parts(value)
        return self._parts[value]

    def choice(self, value: Value) -> Choice:
        """The value that stands for a closure that a branch chooses."""
        if value not in self._choices:
            op = cast(Operation, value.owner)
            closures = [source_of(v) for v in chosen_from(value)]
            selector = None if isinstance(op, CheckpointOp) else self.parts(own_operands(op)[0])[0]
            self._choices[value] = choice_of(
                value,
                [(self.kind(c), c, self.parts(c)) for c in closures],
                selector,
                [self.part_types(c) for c in closures],
            )
        return self._choices[value]

    def environment(self, code: Code) -> list[Key]:
        """Return what a code captures, each once."""
        if code not in self._environments:
            keys = (key for value in captured_by(code) for key in self.kept_parts(value))
            self._environments[code] = list(dict.fromkeys(keys))
        return self._environments[code]

    def kept_parts(self, value: Value) -> list[Key]:
        """The parts that a closure holds of a captured value; arrays that records share are in boxes."""
        return [self.boxes.kept(key, self.key_type(key)) for key in self.parts(value)]

    def environment_types(self, code: Code) -> list[Attribute]:
        """The types of the environment of a code."""
        return [self.key_type(key) for key in self.environment(code)]

    def part_types(self, value: Value) -> list[Attribute]:
        """The types of the parts of a value."""
        return [self.key_type(key) for key in self.parts(value)]

    def _made_parts(self, value: Value) -> list[Key]:
        if not is_higher(value.type):
            return [value]
        value = source_of(value)
        owner = value.owner
        if isinstance(owner, LambdaOp | PartialOp):
            return self.environment(owner)
        if isinstance(owner, TupleOp):
            return [key for component in owner.components for key in self.parts(component)]
        if isinstance(owner, GetOp):
            return self.component(owner)
        if is_choice(value):
            return list(self.choice(value).parts)
        return [(value, k) for k in range(len(self.own_types(value)))]

    def component(self, op: GetOp) -> list[Key]:
        """Return what stands for a component of a tuple."""
        source = source_of(op.result)
        if source is not op.result:
            return self.parts(source)
        tree = self.flow.tree(op.operand)
        types = cast(TupleType, op.operand.type).types.data
        sizes = [len(self.types(t, part_of(tree, k))) for k, t in enumerate(types)]
        start = sum(sizes[: op.index.value.data])
        return self.parts(op.operand)[start : start + sizes[op.index.value.data]]

    def key_type(self, key: Key) -> Attribute:
        """The type of what is at a key."""
        if isinstance(key, Box):
            return self.boxes.type_of(self.key_type(key.array))
        return self.own_types(key[0])[key[1]] if isinstance(key, tuple) else key.type

    # Kinds ---------------------------------------------------------------------------------------

    def number(self, code: Code) -> int:
        """The number of a code, the same for codes that do the same with environments of the same types.

        A code that takes or returns closures has a number of its own: what these may be depends on it.
        """
        if code not in self._numbers:
            type_ = signature_of(code.closure)
            if holds_closures((*type_.inputs, *type_.outputs)):
                self._numbers[code] = self._numbered(code)
                return self._numbers[code]
            places = {key: k for k, key in enumerate(self.environment(code))}
            captured = tuple(
                (self.kind(value), *((places[key], isinstance(key, Box)) for key in self.kept_parts(value)))
                for value in captured_by(code)
            )
            self._numbers[code] = self._numbered(("code", structure_of(code), captured))
        return self._numbers[code]

    def kind(self, value: Value) -> int:
        """The number of what may be done with the parts of a value, and how."""
        value = source_of(value)
        owner = value.owner
        if isinstance(owner, TupleOp):
            return self._numbered(("tuple", *((self.kind(c), len(self.parts(c))) for c in owner.components)))
        if isinstance(owner, LambdaOp | PartialOp):
            return self.number(owner)
        if is_choice(value):
            choice = self.choice(value)
            places = {key: k for k, key in enumerate(choice.parts)}
            held = [tuple(places[key] for key in keys) for keys in choice.held]
            tag = None if choice.tag is None else self.key_type(choice.tag)
            return self._numbered(
                ("choice", tag, *zip(map(self.kind, choice.alternatives), held, strict=True))
            )
        return self._numbered(("value", value.type, self.numbers(self.flow.tree(value))))

    def numbers(self, tree: Tree) -> object:
        """The numbers of the codes at each node; of records, whose codes need these, the codes themselves."""
        if isinstance(tree, tuple):
            return tuple(self.numbers(t) for t in tree)
        if tree is None:
            return None
        if self.records.is_record(tree):
            return ("record", tree.codes)
        return tuple(self.number(code) for code in self.codes(tree))

    def are_alike(self, first: Tree, second: Tree) -> bool:
        """Return whether the codes are the same at two places, so that the layout is."""
        if isinstance(first, FlowNode) and isinstance(second, FlowNode) and first.codes == second.codes:
            return True
        if isinstance(first, tuple) and isinstance(second, tuple):
            return all(self.are_alike(*pair) for pair in zip(first, second, strict=True))
        return self.numbers(first) == self.numbers(second)

    def _numbered(self, kind: object) -> int:
        return self._kinds.setdefault(kind, len(self._kinds))
