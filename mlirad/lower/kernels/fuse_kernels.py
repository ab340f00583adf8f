"""`fuse-kernels`: nests over the same loops become one nest where that saves memory traffic.

Two nests with equal output and reduction spaces are merged when

- the later reads a result of the earlier at the position where it was just computed (maps only: sums are not
  complete before their loop ends); the load becomes the value, and the result is not stored if nobody else
  reads it;
- they load the same elements of an array; or
- they are so small that it matters most to compile one kernel less.

    %a = nest %x (%i) { load %x[%i]; exp }              %b = nest %x (%i) { load %x[%i]; exp; add 1 }
    %b = nest %a (%i) { load %a[%i]; add 1 }      -->

The merged nest stands where the earlier one stood, or where the later one did, so that every value is still
made before it is read, and none is read after a scatter that could work in its memory. The size of bodies is
bounded: a long one runs out of registers and is slower than two nests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import field
from math import prod
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation
from xdsl.passes import ModulePass

from mlirad.dialects.array.control import CONTROL_OPS
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.extents import nominal
from mlirad.dialects.kernel import LoadIfOp, LoadOp, NestOp, ScatterOp
from mlirad.dialects.kernel.nests import is_element_wise
from mlirad.dialects.shapes import Shape, Value, shape_of, values_of
from mlirad.ir.builder import function_block, yields
from mlirad.ir.locations import location_of
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.kernels.moves import considered
from mlirad.lower.large_sizes import nominal_size

__all__ = ["FuseKernelsPass", "fuse_function", "fuse_in_place"]

MAX_BODY = 120
"""The most ops of a merged body."""

MAX_MAP_RESULTS = 8
MAX_TINY_RESULTS = 16
MAX_REDUCTION_RESULTS = 4
"""Results of a merged nest: each reduction holds its accumulators in registers.

Tiny nests may have more, because calling them costs more than they do.
"""

TINY = 256
"""Iterations up to which nests are merged to compile faster, whatever they share."""

WINDOW = 16
"""The number of earlier nests over the same loops that are considered."""

Spaces: TypeAlias = tuple[Shape, Shape]


@dataclass(frozen=True)
class FuseKernelsPass(ModulePass):
    """Merges nests over the same loops that share what they read or feed each other."""

    name = "fuse-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Fuse within every function of the module."""
        for function in op.body.block.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                fuse_in_place(function)


def fuse_function(function: FuncOp) -> FuncOp:
    """The function with nests merged."""
    fused = function.clone()
    fuse_in_place(fused)
    return fused


def fuse_in_place(function: FuncOp) -> None:
    """Merge the nests of this function."""
    _fuse_block(function_block(function))


def _fuse_block(block: Block) -> None:
    """Merge the nests of a block, and those in the regions of its loops and branches."""
    for op in block.ops:
        if isinstance(op, CONTROL_OPS):
            for region in op.regions:
                _fuse_block(region.block)
    fusion = _Fusion(block)
    ops = list(block.ops)
    spaces = {op: _spaces(op) for op in ops if isinstance(op, NestOp) and not _is_scheduled(op)}
    common = Counter(spaces.values())
    candidates = {op for op, loops in spaces.items() if common[loops] > 1}
    for op in ops:
        if isinstance(op, NestOp) and op in candidates:
            fusion.visit_nest(op)
        elif not isinstance(op, ReturnOp | YieldOp):
            fusion.append(op)


def _spaces(op: NestOp) -> Spaces:
    """The loops of a nest: output space and reduction space."""
    return values_of(op.space), values_of(op.reduction)


def _is_scheduled(op: NestOp) -> bool:
    """Return whether it has been decided how a nest runs."""
    return not is_element_wise(op) or any(p not in ("space", "reduction", "combiners") for p in op.properties)


class Numbering:
    """Numbers for scalar values, equal exactly when computed alike over the same loops and buffers."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._attributes: dict[int, tuple[Attribute, int]] = {}

    def of(self, key: object) -> int:
        """The number of a key: of an outer value, a loop index, or an op with numbered operands."""
        return self._numbers.setdefault(key, len(self._numbers))

    def rename(self, old: Value, new: Value) -> None:
        """Let `new` have the number of `old`."""
        self._numbers[new] = self.of(old)

    def attribute(self, attribute: Attribute) -> int:
        """The number of an attribute, which is hashed once per object."""
        known = self._attributes.get(id(attribute))
        if known is None:
            known = self._attributes[id(attribute)] = (attribute, self.of(attribute))
        return known[1]


@dataclass(slots=True)
class Body:
    """The body of a nest by number: of each value, and back; which numbers are loads; how many ops."""

    op: NestOp
    numbers: dict[Value, int] = field(default_factory=dict[Value, int])
    values: dict[int, Value] = field(default_factory=dict[int, Value])
    loads: dict[int, Value] = field(default_factory=dict[int, Value])
    length: int = 0

    def enter(self, op: Operation, numbering: Numbering) -> Value:
        """Number an op whose operands are numbered; gives the value that stands for its result."""
        numbers = self.numbers
        key = (
            type(op),
            *[numbers[o] if o in numbers else numbering.of(o) for o in op.operands],
            numbering.attribute(op.results[0].type),
            *[(name, numbering.attribute(op.properties[name])) for name in sorted(op.properties)],
        )
        number = numbering.of(key)
        result = self.values.setdefault(number, op.results[0])
        numbers[op.results[0]] = number
        if result is op.results[0]:
            self.length += 1
            if isinstance(op, LoadOp | LoadIfOp) and shape_of(op.buffer):
                self.loads[number] = op.buffer
        return result


class _Fusion:
    """The ops of a function so far, nests among them merged; `slots` gives the place of each op."""

    def __init__(self, block: Block):
        self.block = block
        self.slots: dict[Operation, int] = {}
        self.updated: dict[Value, int] = {}
        """The place of the last scatter onto a value."""
        self.count = 0
        self.by_spaces: dict[Spaces, list[Body]] = {}
        self.numbering = Numbering()

    def append(self, op: Operation) -> None:
        """Keep an op as it is."""
        self.slots[op] = self.count
        if isinstance(op, ScatterOp) and op.from_zero is None:
            self.updated[op.inputs[0]] = self.count
        self.count += 1

    def visit_nest(self, op: NestOp) -> None:
        """Merge a nest with the earlier one that saves most, or keep it."""
        body = Body(op)
        for k, arg in enumerate(op.body.block.args):
            body.numbers[arg] = self.numbering.of(("loop", k))
        for inner in op.body.block.ops:
            if inner.results:
                body.enter(inner, self.numbering)
        nests = self.by_spaces.setdefault(_spaces(op), [])
        found = self._partner(nests[-WINDOW:], body)
        if found is None:
            nests.append(body)
            self.append(op)
            return
        partner, slot = found
        merged = self._merge(partner, body, at_later=slot == self.count)
        # It is among the last ones.
        del nests[-1 - next(k for k, nest in enumerate(reversed(nests)) if nest is partner)]
        nests.append(merged)
        self.slots[merged.op] = slot
        self.count = max(self.count, slot + 1)

    def _partner(self, nests: Sequence[Body], later: Body) -> tuple[Body, int] | None:
        """The nest to merge with, and where the merged one may stand; of equal ones the last."""
        elsewhere = _read_elsewhere(later.op)
        saved = [(self._saved(earlier, later), k) for k, earlier in enumerate(nests)]
        for gain, k in sorted(saved, reverse=True):
            if gain <= 0:
                break
            slot = None if nests[k].op in elsewhere else self._slot(nests[k], later)
            what = f"one kernel with that of {location_of(nests[k].op)}"
            is_done = slot is not None
            considered(later.op, what, gain, 0, unit="elements", is_done=is_done)
            if slot is not None:
                return nests[k], slot
        return None

    def _saved(self, earlier: Body, later: Body) -> int:
        """Bytes, roughly, that merging saves; 0 when the bounds forbid it or nothing is gained."""
        space, reduction = _spaces(earlier.op)
        results = len(earlier.op.roots) + len(later.op.roots)
        fed = [v for v in dict.fromkeys(later.op.operands) if v.owner is earlier.op]
        if fed and reduction:
            return 0
        results -= sum(all(self._user(u.operation) is later.op for u in r.uses) for r in fed)
        iterations = nominal(prod(space + reduction))
        is_tiny = iterations <= TINY
        most = MAX_REDUCTION_RESULTS if reduction else MAX_TINY_RESULTS if is_tiny else MAX_MAP_RESULTS
        if results > most:
            return 0
        if earlier.length + later.length > MAX_BODY:
            return 0
        shared = [b for n, b in earlier.loads.items() if n in later.loads]
        saved = sum(min(nominal_size(b), iterations) for b in (*fed, *fed, *shared))
        return saved + (1 if is_tiny else 0)

    def _slot(self, earlier: Body, later: Body) -> int | None:
        """Return where the merged nest may stand: at the earlier one, at the end, or nowhere."""
        slot = self.slots[earlier.op]
        if all(self._made_before(v, slot) or v.owner is earlier.op for v in later.op.operands):
            return slot
        uses = (use.operation for root in earlier.op.roots for use in root.uses)
        if any(self._user(op) in self.slots for op in uses) or self._is_followed_by_update(earlier.op):
            return None
        return self.count

    def _is_followed_by_update(self, op: NestOp) -> bool:
        """Return whether a scatter after a nest may overwrite what that reads, if it stays before."""
        here = self.slots[op]
        return any(self.updated.get(read, -1) > here for read in op.operands)

    def _made_before(self, value: Value, slot: int) -> bool:
        owner = value.owner
        if isinstance(owner, Block) or owner.parent is not self.block:
            return True
        return self.slots[owner] < slot

    def _user(self, op: Operation) -> Operation:
        """The op of the block that an op is, or stands in."""
        while op.parent is not self.block:
            around = op.parent_op()
            assert around is not None
            op = around
        return op

    def _merge(self, earlier: Body, later: Body, *, at_later: bool) -> Body:
        """Both nests as one, standing in place of one of them. Results nobody reads any more are dropped."""
        first, second = earlier.op, later.op
        last = first.body.block.last_op
        assert last is not None
        values = list(last.operands)
        env: dict[Value, Value] = dict(zip(second.body.block.args, first.body.block.args, strict=True))
        values += self._move_body(second, earlier, last, dict(zip(first.roots, values, strict=True)), env)
        second.operands = []
        roots = [*first.roots, *second.roots]
        kept = [k for k, root in enumerate(roots) if k >= len(first.roots) or root.first_use is not None]
        properties: dict[str, Attribute] = {"space": first.space, "reduction": first.reduction}
        if first.combiners is not None and second.combiners is not None:
            combiners = (*first.combiners.data, *second.combiners.data)
            properties["combiners"] = ArrayAttr([combiners[k] for k in kept])
        last.operands = [values[k] for k in kept]
        loaded = [op.buffer for op in first.body.block.ops if isinstance(op, LoadOp | LoadIfOp)]
        nest = NestOp.create(
            operands=list(dict.fromkeys(loaded)),
            result_types=[roots[k].type for k in kept],
            properties=properties,
            regions=[first.detach_region(0)],
            location=first.location,
        )
        self.block.insert_op_before(nest, second if at_later else first)
        for k, new in zip(kept, nest.roots, strict=True):
            self.numbering.rename(roots[k], new)
            roots[k].replace_all_uses_with(new)
        del self.slots[first]
        for old in (first, second):
            old.detach()
            old.erase()
        earlier.op = nest
        return earlier

    def _move_body(
        self,
        second: NestOp,
        into: Body,
        last: Operation,
        computed: dict[Value, Value],
        env: dict[Value, Value],
    ) -> list[Value]:
        """Move the ops of a nest to the end of another's body; gives what it yielded.

        Ops that are there already are not moved; loads of what that nest computes are replaced.
        """
        block = into.op.body.block
        yielded = yields(second.body)
        for op in list(second.body.block.ops)[:-1]:
            if isinstance(op, LoadOp) and op.buffer in computed:
                env[op.result] = computed[op.buffer]
                op.operands = []
                continue
            op.operands = [env.get(o, o) for o in op.operands]
            known = into.enter(op, self.numbering)
            if known is op.results[0]:
                op.detach()
                block.insert_op_before(op, last)
            else:
                env[op.results[0]] = known
        return [env.get(v, v) for v in yielded]


def _read_elsewhere(nest: NestOp) -> set[Operation | Block]:
    """Return whose results a nest reads at other positions than that of its own output, or under a
    condition.
    """
    indices: list[Value] = list(nest.body.block.args[: len(values_of(nest.space))])
    return {
        op.buffer.owner
        for op in nest.body.block.ops
        if isinstance(op, LoadIfOp) or (isinstance(op, LoadOp) and list(op.positions) != indices)
    }
