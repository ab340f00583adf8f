"""Ops of partial results, which commute with combining over chunks.

sum over chunks of (c * p)  =  c * sum over chunks of p          c whole
sum over chunks of (p + r)  =  (sum over chunks of p) + r        r whole, counted in the first chunk alone
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.factorisations import TriangularSolveOp
from mlirad.dialects.array.indexing import GatherOp, IndexOp, ScatterOp, UpdateOp
from mlirad.dialects.array.ordering import CumulativeOp
from mlirad.dialects.array.reductions import DotOp, ReduceOp, SumOp
from mlirad.dialects.array.structural import (
    BroadcastOp,
    ConcatenateOp,
    PadOp,
    ReshapeOp,
    ReverseOp,
    SliceOp,
    StackOp,
    TransposeOp,
)
from mlirad.dialects.array.transforms import FftOp
from mlirad.dialects.shapes import is_float
from mlirad.passes.shard_rows.flow import FIRST, Flow, too_early
from mlirad.passes.shard_rows.states import WHOLE, Partial, State, Whole

Test = Callable[[Flow, Operation, list[State], str], bool]
"""Tell whether an op of partial results of a kind is one."""


def partial_results(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    """The states of the results of an op that reads partial results. Raises `SplitError`."""
    kinds = {s.kind for s in states if isinstance(s, Partial)}
    test = LINEAR.get(type(op))
    kind = min(kinds)
    is_whole = len(kinds) == 1 and all(flow.rows(r, op) is None for r in op.results)
    if kind == FIRST and is_whole and not op.regions and _rest_whole(states):
        return [Partial(FIRST) for _ in op.results]
    if not is_whole or test is None or not test(flow, op, states, kind):
        raise too_early(op, kind)
    return [Partial(kind) for _ in op.results]


def _moved(flow: Flow, op: Operation, states: list[State], kind: str) -> bool:
    """Elements of one operand, at places that are known."""
    return isinstance(states[0], Partial) and all(isinstance(s, Whole) for s in states[1:])


def _joined(flow: Flow, op: Operation, states: list[State], kind: str) -> bool:
    return all(flow.as_partial(op, k, state, kind) for k, state in enumerate(states))


def _gathered(flow: Flow, op: Operation, states: list[State], kind: str) -> bool:
    region = op.regions[0]
    positions = flow.region(region, [WHOLE] * len(region.block.args))
    return all(isinstance(s, Whole) for s in positions) and _joined(flow, op, states, kind)


def _added(*also: str) -> Test:
    def test(flow: Flow, op: Operation, states: list[State], kind: str) -> bool:
        return kind in also and _joined(flow, op, states, kind)

    return test


def _scaled(flow: Flow, op: Operation, states: list[State], kind: str) -> bool:
    return kind == "add" and sorted(map(_is_partial, states)) == [False, True] and _rest_whole(states)


def _divided(flow: Flow, op: Operation, states: list[State], kind: str) -> bool:
    return kind == "add" and is_float(op.results[0]) and _moved(flow, op, states, kind)


def _linear(flow: Flow, op: Operation, states: list[State], kind: str) -> bool:
    return kind == "add" and _moved(flow, op, states, kind)


def _converted(flow: Flow, op: Operation, states: list[State], kind: str) -> bool:
    return kind == "add" and is_float(op.results[0])


def _selected(flow: Flow, op: Operation, states: list[State], kind: str) -> bool:
    branches = all(flow.as_partial(op, k, states[k], kind) for k in (1, 2))
    return isinstance(states[0], Whole) and branches


def _reduced(flow: Flow, op: Operation, states: list[State], kind: str) -> bool:
    assert isinstance(op, ReduceOp)
    return op.kind.data == kind


def _cumulated(flow: Flow, op: Operation, states: list[State], kind: str) -> bool:
    assert isinstance(op, CumulativeOp)
    return op.kind.data == {"add": "sum"}.get(kind, kind)


def _solved(flow: Flow, op: Operation, states: list[State], kind: str) -> bool:
    return kind == "add" and isinstance(states[0], Whole) and _is_partial(states[1])


def _lattice(own: str, other: str) -> Test:
    """`max` of maxima is one, and `and` with what is whole distributes over `or`."""

    def test(flow: Flow, op: Operation, states: list[State], kind: str) -> bool:
        if kind == own:
            return _joined(flow, op, states, kind)
        return kind == other and sorted(map(_is_partial, states)) == [False, True] and _rest_whole(states)

    return test


def _is_partial(state: State) -> bool:
    return isinstance(state, Partial)


def _rest_whole(states: list[State]) -> bool:
    return all(isinstance(s, Whole | Partial) for s in states)


LINEAR: Final[Mapping[type[Operation], Test]] = {
    **dict.fromkeys((BroadcastOp, TransposeOp, ReshapeOp, SliceOp, ReverseOp, IndexOp), _moved),
    ew.StopGradientOp: _moved,
    **dict.fromkeys((ConcatenateOp, StackOp, PadOp), _joined),
    **dict.fromkeys((ew.AddOp, ew.SubOp), _added("add")),
    ew.NegOp: _linear,
    SumOp: _linear,
    FftOp: _linear,
    **dict.fromkeys((ew.MulOp, ew.AbsorbingMulOp, DotOp), _scaled),
    ew.DivOp: _divided,
    ew.ConvertOp: _converted,
    ew.SelectOp: _selected,
    ReduceOp: _reduced,
    CumulativeOp: _cumulated,
    TriangularSolveOp: _solved,
    GatherOp: _gathered,
    ScatterOp: lambda flow, op, states, kind: kind == "add" and _gathered(flow, op, states, kind),
    UpdateOp: lambda flow, op, states, kind: kind == "add" and _gathered(flow, op, states, kind),
    ew.MaxOp: _lattice("max", ""),
    ew.MinOp: _lattice("min", ""),
    ew.AndOp: _lattice("and", "or"),
    ew.OrOp: _lattice("or", "and"),
}
"""The ops that take partial results."""
