"""A kernel body, independent of how its loops run: dependences, addresses, needed values.

A value depends on the loops whose indices it is computed from. A position is read as an affine form over loop
indices and other integer values of the body, so the scalar ops that only compute positions are never printed:

    %r = kernel.load %x[%i, %j + 1]     x is 10 x 20      address  20 i + j + 1

Loops of extent 1 are not loops here: their index is the literal 0. The carries of a recurrence depend on all
loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from xdsl.ir import Block, Operation

from mlirad.dialects.array.frames import NoFrameOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.array.structural import ConstantOp, SizeOp
from mlirad.dialects.extents import is_static
from mlirad.dialects.kernel import LoadIfOp, LoadOp
from mlirad.dialects.kernel.nests import ScheduledOp, loop_strides, written_out_shape
from mlirad.dialects.shapes import Shape, Value, values_of
from mlirad.errors import CompileError
from mlirad.ir.affine import Affine, AffineForms
from mlirad.ir.locations import location_of
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.bodies.buffers import Buffer
from mlirad.lower.bodies.elementwise import kind_of
from mlirad.lower.large_sizes import are_static, is_loop
from mlirad.lower.llvm.text import BYTES, Kind
from mlirad.lower.llvm.text.value import wrapped

NO_LOOPS: frozenset[int] = frozenset()

FAR: Final = 1 << 16
"""Bytes: accesses that nobody wants come as far outside of a buffer as some rows."""


@dataclass(frozen=True)
class Address:
    """An element of a buffer: its number is `constant + sum of coefficient * variable`.

    `loops` has a coefficient per loop that matters, `values` pairs other integers with theirs, in the order
    of their definition.
    """

    buffer: Buffer
    loops: tuple[tuple[int, int], ...]
    values: tuple[tuple[Value, int], ...]
    constant: int

    @property
    def base(self) -> Address:
        """The same address without its constant."""
        return Address(self.buffer, self.loops, self.values, 0)

    def coefficient(self, loop: int | None) -> int:
        """Return how many elements a step of a loop moves, the other integers left alone."""
        return next((c for d, c in self.loops if d == loop), 0)

    def runs_along(self, loop: int | None) -> bool:
        """Return whether a loop goes through memory element by element."""
        return not self.values and self.coefficient(loop) == 1

    def is_far(self, extents: Shape) -> bool:
        """Return whether loops of these extents may take it further than `FAR` bytes from the buffer."""
        reach = [c * (extents[d] - 1) for d, c in self.loops]
        lowest = self.constant + sum(min(r, 0) for r in reach) if are_static(reach) else None
        if self.values or lowest is None or not are_static((self.constant, self.buffer.size)):
            return True
        outside = max(-lowest, self.constant + sum(max(r, 0) for r in reach) - self.buffer.size)
        return outside * BYTES[self.buffer.kind] > FAR


def _passing(addresses: Sequence[Address], loop: int | None) -> list[Address]:
    first = {a.buffer.place: a for a in reversed(addresses) if a.buffer.passes}
    return [a for a in first.values() if a.runs_along(loop)]


def _wrapped(number: int) -> int:
    """An integer as LLVM takes it; an extent with sizes in it is computed."""
    return wrapped(number, "i64") if is_static(number) else number


class Body:
    """The ops of one kernel body, analysed."""

    def __init__(self, op: ScheduledOp, buffers: dict[Value, Buffer], results: Sequence[Buffer]):
        self.op = op
        self.result_buffers = results
        self.block: Block = op.regions[0].block
        self.extents: Shape = op.extents
        self.yielded: Sequence[Value] = cast(YieldOp, self.block.last_op).values
        self.dependences: dict[Value, frozenset[int]] = {}
        self.addresses: dict[Operation, Address] = {}
        self._forms = AffineForms()
        self._order: dict[Value, int] = {}
        self._needed: dict[tuple[Value, ...], list[Operation]] = {}
        loops = len(self.extents)
        for d, argument in enumerate(self.block.args[:loops]):
            self.dependences[argument] = frozenset((d,)) if is_loop(self.extents[d]) else NO_LOOPS
        for argument in self.block.args[loops:]:
            self.dependences[argument] = frozenset(
                d for d, extent in enumerate(self.extents) if is_loop(extent)
            )
            self._order[argument] = -1
        for k, body_op in enumerate(self.block.ops):
            for result in body_op.results:
                self._order[result] = k
                self.dependences[result] = self._dependence(body_op, buffers)

    def _dependence(self, op: Operation, buffers: dict[Value, Buffer]) -> frozenset[int]:
        if isinstance(op, LoadOp | LoadIfOp):
            address = self.address(buffers[op.buffer], op.positions)
            self.addresses[op] = address
            loops = self.dependences_of(address)
            return loops | self.dependences[op.guard] if isinstance(op, LoadIfOp) else loops
        if isinstance(op, ConstantOp | SizeOp | NoFrameOp):
            return NO_LOOPS
        loops = NO_LOOPS
        for operand in op.operands:
            known = self.dependences.get(operand)
            if known is None:
                raise CompileError(
                    "a kernel body uses a value from outside that is not loaded",
                    location=location_of(op),
                )
            loops = loops | known
        return loops

    def address(self, buffer: Buffer, positions: Sequence[Value]) -> Address:
        """The address of an element of a buffer at positions of the body."""
        form = Affine(frozenset(), 0)
        for position, stride, extent in zip(positions, buffer.strides, buffer.shape, strict=True):
            if is_loop(extent):
                form = form + self._forms.of(position).times(stride)
        return self._address(buffer, form)

    def _address(self, buffer: Buffer, form: Affine) -> Address:
        loops: list[tuple[int, int]] = []
        values: list[tuple[Value, int]] = []
        for variable, coefficient in form.terms:
            coefficient = _wrapped(coefficient)
            loop = self.loop_of(variable)
            if loop is None:
                values.append((variable, coefficient))
            elif self.dependences[variable]:
                loops.append((loop, coefficient))
        values.sort(key=lambda pair: self._order[pair[0]])
        return Address(buffer, tuple(sorted(loops)), tuple(values), _wrapped(form.constant))

    def loop_of(self, value: Value) -> int | None:
        """The loop whose index a value is, None for any other value."""
        if value.owner is not self.block:
            return None
        number = self.block.args.index(value)
        return number if number < len(self.extents) else None

    def form(self, value: Value) -> Affine:
        """The affine form of an integer of the body."""
        return self._forms.of(value)

    def order_of(self, value: Value) -> int:
        """The number of the op that a value comes from."""
        return self._order[value]

    def own_addresses(self, buffer: Buffer, space: Shape) -> list[Address]:
        """The addresses of the elements of a result over a space that one iteration yields, in order."""
        strides = loop_strides(space, buffer.shape, buffer.strides)
        loops = tuple((d, s) for d, s in enumerate(strides) if is_loop(self.extents[d]))
        written_out = written_out_shape(space, buffer.shape)
        assert written_out is not None
        inner = buffer.strides[len(buffer.shape) - len(written_out) :]
        offsets = [0]
        for extent, stride in zip(written_out, inner, strict=True):
            offsets = [o + k * stride for o in offsets for k in range(extent)]
        return [Address(buffer, loops, (), o) for o in offsets]

    def loads(self, roots: Sequence[Value] = (), addresses: Sequence[Address] = ()) -> list[Address]:
        """The addresses that are loaded for these values and addresses, or for all that is yielded."""
        needed = self.needed(roots or self.yielded, addresses)
        return [self.addresses[op] for op in needed if op in self.addresses]

    def stores(self) -> list[Address]:
        """The addresses of the elements of all results that one iteration yields."""
        space = values_of(self.op.space)
        return [a for buffer in self.result_buffers for a in self.own_addresses(buffer, space)]

    def passing(self, loop: int | None) -> tuple[list[Address], list[Address]]:
        """The addresses loaded, and those stored, along which a loop goes element by element through memory
        that passes: the first in each slot.
        """
        space = values_of(self.op.space)
        stores = [a for b in self.result_buffers if b.passes for a in self.own_addresses(b, space)]
        return _passing(self.loads(), loop), _passing(stores, loop)

    def dependences_of(self, address: Address) -> frozenset[int]:
        """The loops that an address moves with."""
        loops = frozenset(d for d, _ in address.loops)
        for value, _ in address.values:
            loops = loops | self.dependences[value]
        return loops

    def needed(self, roots: Sequence[Value], addresses: Sequence[Address] = ()) -> list[Operation]:
        """The ops to print for these values and addresses, in order.

        Positions are needed only as far as an address does not resolve them.
        """
        given = (*roots, *(v for address in addresses for v, _ in address.values))
        known = self._needed.get(given)
        if known is not None:
            return known
        wanted = {id(v) for v in given}
        kept: list[Operation] = []
        for op in reversed(list(self.block.ops)):
            if not any(id(r) in wanted for r in op.results):
                continue
            kept.append(op)
            if isinstance(op, LoadOp | LoadIfOp):
                wanted.update(id(v) for v, _ in self.addresses[op].values)
                if isinstance(op, LoadIfOp):
                    wanted.add(id(op.guard))
            else:
                wanted.update(id(v) for v in op.operands)
        kept.reverse()
        self._needed[given] = kept
        return kept

    def widest(self, lane: int | None) -> int:
        """Bytes of the widest elements that are loaded and stored in lanes."""
        widest = max((BYTES[b.kind] for b in self.result_buffers), default=1)
        for op, address in self.addresses.items():
            if lane is not None and lane in self.dependences[op.results[0]]:
                widest = max(widest, BYTES[address.buffer.kind])
        return widest

    def kind_of_yield(self, k: int) -> Kind:
        """The element kind of a yielded value."""
        return kind_of(self.yielded[k])
