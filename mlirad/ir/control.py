"""Folding constructors of loops and branches.

    carries, ys = b.scan([zero], [xs], 5, lambda i, c, x: ([b.add(c[0], x[0])], [c[0]]))
    carries     = b.while_([x], lambda a: b.compare("gt", a, one), lambda a: [b.mul(a, half)])
    values      = b.if_(p, lambda: [x], lambda: [b.exp(x)])

The following fold: loops of no iteration or one, scans without carries that are not kept (to builds),
branches whose choice is known, carries that never change and slices that are the same in every iteration (the
body captures them), slices that nothing reads, stacked values that are the same in every iteration, results
that all branches agree on. A body is emitted once, and the regions that come out are cut in place, so
building a nest of loops takes time linear in its size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region

from mlirad.dialects import linear
from mlirad.dialects.array import control
from mlirad.dialects.array.custom import CheckpointOp
from mlirad.dialects.array.elementwise import NotOp
from mlirad.dialects.array.structural import BroadcastOp, IotaOp
from mlirad.dialects.shapes import FLAG, Value, array_type, element_of, integer, keyword, shape_of, values_of
from mlirad.ir.builder import yields
from mlirad.ir.indexing import IndexingBuilder
from mlirad.ir.regions import discard, keep_yields, remove_argument

Values: TypeAlias = Sequence[Value]
ScanBody: TypeAlias = Callable[[Value, list[Value], list[Value]], tuple[Values, Values]]
"""From the index, the carries and the slices of an iteration to the new carries and what is stacked."""


class ControlBuilder(IndexingBuilder):
    """Constructors of `scan`, `while`, `replay`, `if` and `switch`."""

    # Scan ----------------------------------------------------------------------------------------

    def scan(
        self,
        init: Values,
        xs: Values,
        length: int,
        body: ScanBody,
        *,
        reverse: bool = False,
        checkpoint: str | None = None,
        kept: bool = False,
    ) -> tuple[list[Value], list[Value]]:
        """The last carries and the stacked values of a loop of `length` iterations; see `array.scan`."""
        if length == 1:
            carries, ys = body(self.index_constant(0), list(init), [self.first_slice(x) for x in xs])
            return list(carries), [self.repeated(y, 1) for y in ys]
        if not init and not kept:
            return [], self._independent_iterations(xs, length, body)
        constant = [self._constant_slice(x) for x in xs]
        sliced = [x for x, c in zip(xs, constant, strict=True) if c is None and not self._is_counting(x)]

        def emit(index: Value, *args: Value) -> list[Value]:
            given = iter(args[len(init) :])
            slices = [
                c if c is not None else index if self._is_counting(x) else next(given)
                for x, c in zip(xs, constant, strict=True)
            ]
            carries, ys = body(index, list(args[: len(init)]), slices)
            return [*carries, *ys]

        types = [i64, *(v.type for v in init), *(_slice_type(x) for x in sliced)]
        region = self.region_over((length,), types, emit)
        properties: dict[str, Attribute] = {}
        if reverse:
            properties["reverse"] = FLAG
        if checkpoint is not None:
            properties["checkpoint"] = keyword(checkpoint)
        if kept:
            properties["kept"] = FLAG
        return self._finished_scan(list(init), sliced, length, region, properties)

    def scan_over(
        self,
        extents: Sequence[int],
        init: Values,
        body: Callable[[list[Value], list[Value]], tuple[Values, Values]],
        *,
        reverse: bool = False,
    ) -> tuple[list[Value], list[Value]]:
        """The last carries and the stacked values of loops over all positions, one in the other.

        `body` makes new carries and what is stacked of a position and the carries. With `reverse` the last
        position comes first.
        """

        def at(position: list[Value], carries: Values) -> tuple[list[Value], list[Value]]:
            if len(position) == len(extents):
                final, stacked = body(position, list(carries))
                return list(final), list(stacked)
            extent = extents[len(position)]
            return self.scan(
                carries, [], extent, lambda i, state, _: at([*position, i], state), reverse=reverse
            )

        return at([], init)

    def scan_like(
        self, op: control.ScanOp | linear.ScanOp, init: Values, xs: Values, body: ScanBody
    ) -> tuple[list[Value], list[Value]]:
        """A `scan` of as many iterations as `op` and in the same order, checkpointed and kept as it is."""
        return self.scan(
            init,
            xs,
            op.iterations,
            body,
            reverse=op.reverse is not None,
            checkpoint=op.checkpointing,
            kept=op.kept is not None,
        )

    def _finished_scan(
        self,
        init: list[Value],
        xs: list[Value],
        length: int,
        region: Region,
        properties: dict[str, Attribute],
    ) -> tuple[list[Value], list[Value]]:
        """The scan with this region and further properties, without the parts that need no scan."""
        made, count = yields(region), len(init)
        if length == 0:
            discard(region)
            return init, [self.zeros(array_type((0, *shape_of(y)), element_of(y))) for y in made[count:]]
        varying = self._varying_carries(init, (region.block,), 1, made)
        args = region.block.args[1:]
        positions = dict(zip(args[len(varying) :], xs, strict=True))
        made = yields(region)
        stacks: dict[Value, Value] = {}
        kept: dict[Value, int] = {}
        for k, y in enumerate(made[count:]):
            stack = self._without_stacking(y, region, positions, length)
            if stack is None:
                kept.setdefault(y, count + k)
            else:
                stacks[y] = stack
        keep_yields(region, [*varying, *kept.values()])
        read: list[Value] = []
        for arg in list(args[len(varying) :]):
            if arg.first_use is None:
                remove_argument(arg)
            else:
                read.append(positions[arg])
        final = list(init)
        if varying or kept:
            properties = {"carries": integer(len(varying)), "length": integer(length), **properties}
            types = [init[k].type for k in varying]
            types += [array_type((length, *shape_of(y)), element_of(y)) for y in kept]
            operands = [*(init[k] for k in varying), *read]
            op = self.insert(control.ScanOp, operands, types, properties, (region,))
            for k, result in zip(varying, op.results[: len(varying)], strict=True):
                final[k] = result
            stacks.update(zip(kept, op.results[len(varying) :], strict=True))
        else:
            discard(region)
        return final, [stacks[y] for y in made[count:]]

    def _independent_iterations(self, xs: Values, length: int, body: ScanBody) -> list[Value]:
        """A scan without carries: a build where one value is stacked."""

        def emit(index: Value) -> Values:
            return body(index, [], [self.index(x, [index]) for x in xs])[1]

        region = self.index_region((length,), emit)
        made = yields(region)
        if len(made) == 1:
            return [self.build_from((length,), region)]
        return self._finished_scan([], [], length, region, {})[1]

    def _without_stacking(
        self, y: Value, region: Region, slices: dict[BlockArgument, Value], length: int
    ) -> Value | None:
        """The stack of a yielded value that is an argument, or the same in every iteration."""
        if isinstance(y, BlockArgument) and y.block is region.block:
            if y.index == 0:
                return self.iota((length,), 0)
            return slices.get(y)
        return self.repeated(y, length) if is_outside(y, region.block) else None

    def first_slice(self, x: Value) -> Value:
        """Slice 0 along dimension 0."""
        return self.index(x, [self.index_constant(0)])

    def repeated(self, y: Value, length: int) -> Value:
        """`length` copies of a value along a new dimension 0."""
        shape = shape_of(y)
        return self.broadcast(y, (length, *shape), range(1, len(shape) + 1))

    def _constant_slice(self, x: Value) -> Value | None:
        """The slice along dimension 0 of an array whose slices are all the same."""
        owner = x.owner
        if isinstance(owner, BroadcastOp) and 0 not in values_of(owner.dims) and shape_of(x)[0] > 0:
            return self.first_slice(x)
        return None

    @staticmethod
    def _is_counting(x: Value) -> bool:
        """Return whether slice i is i."""
        return isinstance(x.owner, IotaOp) and len(shape_of(x)) == 1

    def _varying_carries(
        self, init: Values, blocks: Sequence[Block], first: int, made: list[Value]
    ) -> list[int]:
        """The numbers of the carries that change; the others' arguments give way to their initial values.

        Argument `first + k` of every block is carry k, whose new value is `made[k]`.
        """
        varying = list(range(len(init)))
        at = 0
        while at < len(varying):
            k = varying[at]
            arguments = [block.args[first + at] for block in blocks]
            if made[k] not in (arguments[-1], init[k]):
                at += 1
                continue
            for argument in arguments:
                argument.replace_all_uses_with(init[k])
                remove_argument(argument)
            made[:] = [init[k] if v is arguments[-1] else v for v in made]
            del varying[at]
            # A carry that became equal to a captured value may keep another carry from changing.
            at = 0
        return varying

    # Loops on data -------------------------------------------------------------------------------

    def while_(
        self,
        init: Values,
        condition: Callable[..., Value],
        body: Callable[..., Values],
        record: int | None = None,
    ) -> list[Value]:
        """The last carries of a loop that goes on while `condition(*carries)` holds.

        With `record`, `body(*carries)` returns that many values after the carries, and the tape is the last
        result.
        """
        types = [v.type for v in init]
        first = self.region(types, lambda *carries: [condition(*carries)])
        second = self.region(types, body)
        return self.while_from(init, first, second, record)

    def while_from(
        self, init: Values, condition: Region, body: Region, record: int | None = None
    ) -> list[Value]:
        """A `while` with finished regions."""
        if record is None and self.scalar_of(yields(condition)[0]) is False:
            discard(condition, body)
            return list(init)
        made, count = yields(body), len(init)
        varying = self._varying_carries(init, (condition.block, body.block), 0, made)
        keep_yields(body, [*varying, *range(count, len(made))])
        types: list[Attribute] = [init[k].type for k in varying]
        properties: dict[str, Attribute] = {}
        if record is not None:
            types.append(control.tape_type([v.type for v in made[count:]]))
            properties["record"] = integer(record)
        elif not varying:
            # Without carries the loop has no result: whether it ends is not observed.
            discard(condition, body)
            return list(init)
        operands = [init[k] for k in varying]
        op = self.insert(control.WhileOp, operands, types, properties, (condition, body))
        final = list(init)
        for k, result in zip(varying, op.results, strict=False):
            final[k] = result
        return final if record is None else [*final, op.results[-1]]

    def replay(
        self,
        tape: Value,
        init: Values,
        body: Callable[[list[Value], list[Value]], Values],
        *,
        reverse: bool = False,
    ) -> list[Value]:
        """The last carries of a loop over a tape; `body` gets the values of an entry and the carries."""
        entry = control.entry_types(tape)
        region = self.region(
            [*entry, *(v.type for v in init)],
            lambda *args: body(list(args[: len(entry)]), list(args[len(entry) :])),
        )
        made = yields(region)
        varying = self._varying_carries(init, (region.block,), len(entry), made)
        final = list(init)
        if not varying:
            discard(region)
            return final
        keep_yields(region, varying)
        types = [init[k].type for k in varying]
        properties: dict[str, Attribute] = {"reverse": FLAG} if reverse else {}
        operands = [tape, *(init[k] for k in varying)]
        op = self.insert(control.ReplayOp, operands, types, properties, (region,))
        for k, result in zip(varying, op.results, strict=True):
            final[k] = result
        return final

    # Branches ------------------------------------------------------------------------------------

    def if_(
        self, condition: Value, then: Callable[[], Values], otherwise: Callable[[], Values]
    ) -> list[Value]:
        """The values of `then` where the condition holds, else those of `otherwise`.

        Inside of both, choices by the same condition are folded away.
        """
        known = self.decided[condition] if condition in self.decided else self.scalar_of(condition)
        if known is not None:
            return list(then() if known else otherwise())
        owner = condition.owner
        if isinstance(owner, NotOp):
            return self.if_(owner.operand, otherwise, then)
        regions = [self._branch(condition, True, then), self._branch(condition, False, otherwise)]
        return self._chosen(control.IfOp, condition, regions)

    def _branch(self, condition: Value, holds: bool, branch: Callable[[], Values]) -> Region:
        if not self.knows_branches:
            return self.region((), branch)
        self.decided[condition] = holds
        try:
            return self.region((), branch)
        finally:
            del self.decided[condition]

    def switch(self, index: Value, branches: Sequence[Callable[[], Values]]) -> list[Value]:
        """The values of branch number `index`, clamped to the range of branches."""
        last = len(branches) - 1
        low, high = self.ranges.bounds(index)
        least = 0 if low is None else min(max(low, 0), last)
        most = last if high is None else min(max(high, 0), last)
        if least == most:
            return list(branches[least]())
        if last == 1:
            positive = self.compare("gt", index, self.index_constant(0))
            return self.if_(positive, branches[1], branches[0])
        regions = [self.region((), branch) for branch in branches]
        return self._chosen(control.SwitchOp, index, regions)

    def choose(self, choice: Value | None, branches: Sequence[Callable[[], Values]]) -> list[Value]:
        """`if_` by a condition, `switch` by an index; without a choice the only branch, as a checkpoint."""
        if choice is None:
            region = self.region((), branches[0])
            types = [v.type for v in yields(region)]
            return list(self.insert(CheckpointOp, (), types, None, (region,)).results)
        return self.if_(choice, *branches) if choice.type == i1 else self.switch(choice, branches)

    def _chosen(self, op_class: type[Operation], choice: Value, regions: list[Region]) -> list[Value]:
        """The op on finished branches, without the results that all of them agree on."""
        made = [yields(region) for region in regions]
        columns = list(zip(*made, strict=True))
        results: list[Value] = [column[0] for column in columns]
        differing = [k for k, column in enumerate(columns) if any(v is not column[0] for v in column)]
        if not differing:
            discard(*regions)
            return results
        for region in regions:
            keep_yields(region, differing)
        types = [results[k].type for k in differing]
        op = self.insert(op_class, (choice,), types, None, regions)
        for k, result in zip(differing, op.results, strict=True):
            results[k] = result
        return results


def is_outside(value: Value, block: Block) -> bool:
    """Return whether a value that a block yields is defined outside of the block."""
    owner = value.owner
    return owner is not block if isinstance(owner, Block) else owner.parent is not block


def _slice_type(x: Value) -> Attribute:
    return array_type(shape_of(x)[1:], element_of(x))
