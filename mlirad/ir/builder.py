"""The builder every pass emits through: scopes, structural sharing, source locations.

All ops are made by `insert`. It returns an existing op when an equal one is visible
from here (same class, operands, properties, result types and regions), so common subexpressions never
arise; `mlirad.ir.arrays.ArrayBuilder` adds the constructors that fold as they build.

The current source location and name hint are state of the builder, set once per source op by its caller, so
no rewrite has to carry them along.

The builder folds and shares. Equal ops are found when they are made, so common subexpressions do not arise,
and no rewrite system runs to a fixed point; `mlirad-canonicalize` is one walk that rebuilds the function.
`linearize` is the exception: it emits without folding, since a rule must see its own op.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import LocationAttr, UnknownLoc, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.extents import is_static
from mlirad.dialects.shapes import Value
from mlirad.ir.free_values import own_operands
from mlirad.ir.ranges import Ranges

Key = tuple[object, ...]


class Scope:
    """A block under construction and the ops in it by structural key."""

    __slots__ = ("block", "memo")

    def __init__(self, block: Block):
        self.block = block
        self.memo: dict[int, Operation] = {}
        """The ops by the numbers of their keys."""


class Builder:
    """Appends ops to the innermost open block, sharing equal ones."""

    knows_branches: ClassVar[bool] = True
    """A choice by the condition of a branch is known inside of the branch."""

    def __init__(self, block: Block):
        self.scopes = [Scope(block)]
        self.location: LocationAttr = UnknownLoc()
        self.name_hint: str | None = None
        self.ranges = Ranges()
        self.decided: dict[Value, bool] = {}
        """The conditions of the branches that are open, and whether they hold there."""
        self._keys: dict[Key, int] = {}
        self._numbers: dict[Attribute, int] = {}
        self._number_by_id: dict[int, tuple[Attribute, int]] = {}

    @property
    def block(self) -> Block:
        """The innermost open block."""
        return self.scopes[-1].block

    def insert(
        self,
        op_class: type[Operation],
        operands: Sequence[Value] = (),
        result_types: Sequence[Attribute] = (),
        properties: Mapping[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
    ) -> Operation:
        """The op with these parts, without folding: an equal one that is visible here, else a new one."""
        properties = {} if properties is None else properties
        parts = self._key(op_class, operands, result_types, properties, regions)
        # Hashed once, however deep the scopes are nested.
        key = self._keys.setdefault(parts, len(self._keys))
        for scope in reversed(self.scopes):
            known = scope.memo.get(key)
            if known is not None:
                for region in regions:
                    # Captured values do not count as used by it.
                    region.drop_all_references()
                return known
        op = op_class.create(
            operands=operands,
            result_types=result_types,
            properties=properties,
            regions=regions,
            location=self.location,
        )
        self.scopes[-1].block.add_op(op)
        self.scopes[-1].memo[key] = op
        if self.name_hint is not None and len(op.results) == 1:
            op.results[0].name_hint = self.name_hint
        return op

    def emit(
        self,
        op_class: type[Operation],
        operands: Sequence[Value],
        result_type: Attribute,
        properties: Mapping[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
    ) -> Value:
        """The single result of `insert`."""
        return self.insert(op_class, operands, (result_type,), properties, regions).results[0]

    def region(
        self,
        argument_types: Sequence[Attribute],
        body: Callable[..., Iterable[Value]],
        terminator: type[Operation] = YieldOp,
    ) -> Region:
        """A region of one block: `body` gets its arguments, emits here, and returns the yields."""
        block = Block(arg_types=argument_types)
        self.scopes.append(Scope(block))
        location, hint = self.location, self.name_hint
        try:
            values = list(body(*block.args))
            block.add_op(terminator.create(operands=values, location=location))
        finally:
            self.scopes.pop()
            self.location, self.name_hint = location, hint
        return Region(block)

    def index_region(self, extents: Sequence[int], body: Callable[..., Iterable[Value]]) -> Region:
        """A region over i64 indices, each ranging over its extent."""
        return self.region_over(extents, [i64] * len(extents), body)

    def region_over(
        self,
        extents: Sequence[int],
        argument_types: Sequence[Attribute],
        body: Callable[..., Iterable[Value]],
    ) -> Region:
        """A region whose leading arguments are i64 indices, each ranging over its extent."""

        def with_ranges(*args: Value) -> Iterable[Value]:
            for index, extent in zip(args, extents, strict=False):
                self.ranges.set(index, 0, max(extent - 1, 0) if is_static(extent) else extent - 1)
            return body(*args)

        return self.region(argument_types, with_ranges)

    def forget(self, ops: Iterable[Operation]) -> None:
        """Stop sharing these ops: to be called before they are erased."""
        erased = set(ops)
        for scope in self.scopes:
            scope.memo = {key: op for key, op in scope.memo.items() if op not in erased}

    # Structural keys -----------------------------------------------------------------------------

    def _number(self, attribute: Attribute) -> int:
        """A number equal exactly for equal attributes; hashes each attribute object once."""
        known = self._number_by_id.get(id(attribute))
        if known is not None:
            return known[1]
        number = self._numbers.setdefault(attribute, len(self._numbers))
        self._number_by_id[id(attribute)] = (attribute, number)
        return number

    def _key(
        self,
        op_class: type[Operation],
        operands: Sequence[Value],
        result_types: Sequence[Attribute],
        properties: Mapping[str, Attribute],
        regions: Sequence[Region],
    ) -> Key:
        known = self._number_by_id
        parts: list[object] = [op_class, *operands]
        for type_ in result_types:
            found = known.get(id(type_))
            parts.append(self._number(type_) if found is None else found[1])
        for name in sorted(properties):
            parts += name, self._number(properties[name])
        for region in regions:
            parts.append(self._region_key(region, {}, itertools.count()))
        return tuple(parts)

    def _region_key(self, region: Region, local: dict[Value, object], numbers: Iterator[int]) -> Key:
        """The key of a region. Constants are what they are, whether inside or outside."""
        parts: list[object] = []
        for block in region.blocks:
            for arg in block.args:
                local[arg] = ("local", next(numbers))
                parts.append(self._number(arg.type))
            for op in block.ops:
                if isinstance(op, ConstantOp):
                    local[op.result] = self._constant_key(op)
                    continue
                parts.append(
                    (
                        type(op),
                        *[self._operand_key(o, local) for o in own_operands(op)],
                        *[self._number(r.type) for r in op.results],
                        *[(n, self._number(op.properties[n])) for n in sorted(op.properties)],
                        *[self._region_key(r, local, numbers) for r in op.regions],
                    )
                )
                for result in op.results:
                    local[result] = ("local", next(numbers))
        return tuple(parts)

    def _operand_key(self, value: Value, local: dict[Value, object]) -> object:
        found = local.get(value)
        if found is None:
            owner = value.owner
            found = self._constant_key(owner) if isinstance(owner, ConstantOp) else value
        return found

    def _constant_key(self, op: ConstantOp) -> Key:
        return "constant", self._number(op.value), self._number(op.result.type)


def function_block(function: FuncOp) -> Block:
    """The one block of a function's body."""
    return function.body.block


def returned(function: FuncOp) -> list[Value]:
    """Return what a function returns."""
    last = function_block(function).last_op
    assert isinstance(last, ReturnOp)
    return list(last.operands)


def yields(region: Region) -> list[Value]:
    """Return what the one block of a region yields."""
    last = region.block.last_op
    assert isinstance(last, YieldOp)
    return list(last.values)


def handed_over(region: Region) -> list[Value]:
    """Return what the one block of a region yields or, of a function, returns."""
    last = region.block.last_op
    assert isinstance(last, YieldOp | ReturnOp)
    return list(last.operands)
