"""The walk through a program that finds the state of every value (`states.py`), by the rule of each op.

    flow = Flow("n")
    flow.function(main)             raises `SplitError` at an op that cannot be split
    flow.states[value]              Rows(0)
    flow.levels[value]              2: rounds 0 and 1 come before
    flow.partials[value]            "add": the results of chunks are combined before others read it

Rules note what has to change in the code of a chunk (`own_code.py`): `masked` operands count in the first
chunk alone, so that a sum over chunks has them once; `numbered` operands are positions among the chunk's rows
that are to be numbers of rows; `picked` and `counted` ops read rows by number, or find numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Final

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, Region

from mlirad.dialects.extents_attribute import sizes_in
from mlirad.dialects.linear.linearity import is_zero_value
from mlirad.dialects.shapes import Value
from mlirad.errors import SplitError
from mlirad.ir.free_values import free_values, own_operands
from mlirad.ir.locations import location_of
from mlirad.ir.regions import nested_ops
from mlirad.ir.structural import scalar_of
from mlirad.passes.shard_rows.states import (
    OWN,
    WHOLE,
    Own,
    Partial,
    RowNumber,
    Rows,
    State,
    Whole,
    refused,
    rows_of,
    state_of,
)

Rule = Callable[["Flow", Operation, list[State]], list[State]]
"""From an op and the states of its operands to the states of its results."""

FIRST: Final = "first"
"""The combination that is what the first chunk has."""

ROW: Final = "row"
"""The combination of what one chunk has read, and the least number of all others: their maximum."""

RANKS: Final = "ranks"
"""The combination of what chunks count in a search for elements of some ranks (`orders.py`)."""

LOCAL: Final = "local"
"""The mark of a reduction that a chunk uses as it is, in sums that are corrected when they are combined."""

PREFIX: Final = "prefix"
"""The mark of ops of cumulative sums in two rounds (`prefixes.py`)."""

CUT: Final = "left_out"
"""The mark of a return: how many rows each result has too many, at its end (`alignment.py`)."""

GROUP: Final = "group"
"""The mark of partial results that are combined together: the kind, and a number."""

_groups = count()
"""Numbers of groups: they tell groups of one function apart, and do not reach plans."""


def new_group(kind: str) -> StringAttr:
    """The mark of a new group of partial results."""
    return StringAttr(f"{kind} {next(_groups)}")


IDEMPOTENT: Final = frozenset({FIRST, ROW, "max", "min", "and", "or"})
"""Combinations in which what all chunks have may count more than once."""

COMBINED_NAMES: Final = {
    FIRST: "first row",
    ROW: "row at a position",
    "add": "sum of all rows",
    "max": "maximum of all rows",
    "min": "minimum of all rows",
    "prod": "product of all rows",
    "and": "np.all of all rows",
    "or": "np.any of all rows",
}


class Flow:
    """The states of the values of a function, and what follows for the code of a chunk."""

    def __init__(self, name: str, rule: Rule):
        self.name = name
        self._rule = rule
        self.states: dict[Value, State] = {}
        self.levels: dict[Value, int] = {}
        self.partials: dict[Value, str] = {}
        self.alike: set[Value] = set()
        """Values that are computed with rows, and are the same in every chunk."""
        self.groups: dict[str, list[Value]] = {}
        """By mark, the partial results that are combined together, in order."""
        self.masked: dict[Operation, set[int]] = {}
        self.numbered: dict[Operation, dict[int, int]] = {}
        self.picked: dict[Operation, Rows] = {}
        """Ops that read or write rows at positions that all chunks know (`picked.py`)."""
        self.searched: dict[Value, BlockArgument] = {}
        """Elements of some ranks: the pivots of their search (`searches.py`)."""
        self.counted: dict[Operation, int] = {}
        """Ops whose results are positions of rows: how many elements each row has."""

    # The walk ------------------------------------------------------------------------------------

    def function(self, function: FuncOp) -> None:
        """Find the states and levels of all values. Raises `SplitError`."""
        block = function.body.block
        for argument in block.args:
            self.states[argument] = state_of(argument, self.name, function)
            self.levels[argument] = 0
        for op in block.ops:
            if op is block.last_op:
                break
            self.visit(op)
            self._raise(op)
        last = block.last_op
        assert last is not None
        for value in own_operands(last):
            if isinstance(self.states[value], Own):
                raise refused(last, "a result differs from chunk to chunk")

    def _raise(self, op: Operation) -> None:
        """Enter the levels of results; partials are complete for whoever reads them."""
        level = max((self.levels[v] for v in free_values(op)), default=0)
        for result in op.results:
            state = self.states[result]
            self.levels[result] = level
            if LOCAL in op.attributes:
                self.states[result] = WHOLE
            elif isinstance(state, Partial):
                self.partials[result] = state.kind
                self.states[result] = OWN if PREFIX in op.attributes else WHOLE
                self.levels[result] = level + 1
                mark = op.attributes.get(GROUP)
                if isinstance(mark, StringAttr):
                    group = self.groups.setdefault(mark.data, [])
                    group.append(result)
                    # The number of rows is known at once, and nobody reads it: it goes with the others.
                    self.levels[group[0]] = max(self.levels[v] for v in group)
            elif isinstance(state, Whole) and self.is_of_rows(op):
                self.alike.add(result)

    def rounds(self, function: FuncOp) -> int:
        """Count the rounds that the results of the function need."""
        last = function.body.block.last_op
        assert last is not None
        seen: set[Value] = set()
        pending = list(own_operands(last))
        found = 0
        while pending:
            value = pending.pop()
            if value in seen:
                continue
            seen.add(value)
            found = max(found, self.levels.get(value, 0))
            if isinstance(value.owner, Operation):
                pending += free_values(value.owner)
        return found

    def is_of_rows(self, op: Operation) -> bool:
        """Tell whether an op reads rows or makes some, inside of it too."""
        if any(not isinstance(self.states[v], Whole) for v in (*free_values(op), *op.results)):
            return True
        inner = [o for region in op.regions for o in nested_ops(region)]
        return any(not isinstance(self.states.get(r, WHOLE), Whole) for o in inner for r in o.results)

    def region(self, region: Region, arguments: Sequence[State]) -> list[State]:
        """The states of what a region yields, when its arguments have these."""
        block = region.block
        for argument, state in zip(block.args, arguments, strict=True):
            self.states[argument] = state
        for op in block.ops:
            if op is not block.last_op:
                self.visit(op)
        last = block.last_op
        assert last is not None
        self._forget(last)
        return [self.states[v] for v in own_operands(last)]

    def visit(self, op: Operation) -> None:
        """Find the states of the results of an op."""
        self._forget(op)
        states = [self.states[v] for v in own_operands(op)]
        found = self._rule(self, op, states)
        for result, state in zip(op.results, found, strict=True):
            self.states[result] = state

    def _forget(self, op: Operation) -> None:
        """A region is walked through until the states of its arguments no longer change."""
        self.masked.pop(op, None)
        self.numbered.pop(op, None)
        self.picked.pop(op, None)
        self.counted.pop(op, None)

    def rename(self, old: Value, new: Value) -> None:
        """Have what is known of a value hold for the one that takes its place."""
        for found in (self.states, self.levels, self.partials):
            if old in found:
                found[new] = found.pop(old)  # pyright: ignore[reportArgumentType]
        for group in self.groups.values():
            group[:] = [new if v is old else v for v in group]

    # For rules -----------------------------------------------------------------------------------

    def rows(self, value: Value, op: Operation) -> Rows | None:
        """Find the dimension of a value that has rows."""
        return rows_of(value, self.name, op)

    def typed(self, op: Operation) -> list[State]:
        """The states that the types of the results say."""
        return [state_of(result, self.name, op) for result in op.results]

    def is_of_size(self, extent: int) -> bool:
        """Tell whether an extent has the size in it."""
        return self.name in sizes_in((extent,))

    def number(self, op: Operation, states: list[State], but: Sequence[int] = ()) -> list[State]:
        """Have an op read numbers of rows where it reads positions, except in the operands `but`."""
        found = list(states)
        for k, state in enumerate(states):
            if isinstance(state, RowNumber) and k not in but:
                self.numbered.setdefault(op, {})[k] = state.each
                found[k] = WHOLE
        return found

    def as_partial(self, op: Operation, k: int, state: State, kind: str) -> bool:
        """Tell whether an operand can be taken for a partial result; what is whole is counted once."""
        if state == Partial(kind):
            return True
        if not isinstance(state, Whole):
            return False
        if kind in IDEMPOTENT:
            return True
        value = own_operands(op)[k]
        if kind == "prod":
            return scalar_of(value) in (0, 1)
        if kind != "add":
            return False
        if not is_zero_value(value):
            self.masked.setdefault(op, set()).add(k)
        return True

    def joined(self, states: Sequence[State]) -> State | None:
        """The state of a value that is one of several, None if they have no common state."""
        partial = {s for s in states if isinstance(s, Partial)}
        if len(partial) == 1 and all(isinstance(s, Whole | Partial) for s in states):
            return next(iter(partial))
        first, *rest = states
        if all(s == first for s in rest):
            return first
        return OWN if any(isinstance(s, Own) for s in states) else None


class TooEarly(SplitError):
    """A partial result is read, by an op in a loop or a branch, as if it were complete."""

    op: Operation


def too_early(op: Operation, kind: str) -> TooEarly:
    """The error for a partial result that is read in a loop or a branch as if it were complete."""
    error = TooEarly(
        f"the {COMBINED_NAMES.get(kind, kind)} is used inside of a loop or a branch, where it is known for "
        f"the rows of one chunk alone",
        location=location_of(op),
        hint="write the loop outside of the function, in Python: each call is a round over the chunks",
    )
    error.op = op
    return error
