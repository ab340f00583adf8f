"""The rules of loops and branches.

A loop runs on a chunk as it does on all rows if its number of iterations is the same. A carry may be a
partial sum, as cotangents of parameters are: it starts at 0 in all chunks but the first, and each iteration
is linear in it, and adds partial sums.

    %dw = array.scan %zero, %xs (%i, %c, %x) {             %c: Partial("add")
      %d = array.sum %x {dims = [0]}
      %t = array.add %c, %d
      array.yield %t
    }

A loop that runs as long as any row needs, as `vmap` makes of a `while`, may end earlier for a chunk if rows
that are done stay as they are (`frozen.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Operation, Region

from mlirad.dialects.array.control import IfOp, ReplayOp, ScanOp, SwitchOp, WhileOp
from mlirad.passes.shard_rows.flow import Flow, too_early
from mlirad.passes.shard_rows.frozen import Unchanged, iteration_of_replay, iteration_of_while
from mlirad.passes.shard_rows.states import OWN, WHOLE, Own, Partial, Rows, State, Tape, Whole, refused

OUTSIDE = "write the loop outside of the function, in Python: each call is a round over the chunks"


def scan(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    """A number of iterations that is known."""
    assert isinstance(op, ScanOp)
    if flow.is_of_size(op.iterations):
        raise refused(
            op,
            "a loop over all rows, in which each row needs the one before",
            "let the loop run over another dimension, and over rows by ad.vmap",
        )
    states = flow.number(op, states)
    count = op.carry_count
    slices = [Rows(s.dim - 1, s.each) if isinstance(s, Rows) else s for s in states[count:]]
    carries, found = _fixed(flow, op, op.body, states[:count], 0, lambda now: [WHOLE, *now, *slices])
    return [*carries, *(Rows(s.dim + 1, s.each) if isinstance(s, Rows) else s for s in found[count:])]


def _fixed(
    flow: Flow,
    op: Operation,
    body: Region,
    init: Sequence[State],
    first: int,
    arguments: Callable[[list[State]], list[State]],
) -> tuple[list[State], list[State]]:
    """The states of carries that an iteration keeps, and of all that it yields; `first` is the operand with
    the first carry."""
    now = list(init)
    last = body.block.last_op
    assert last is not None
    while True:
        found = flow.number(last, flow.region(body, arguments(now)))
        joined = [flow.joined((a, b)) for a, b in zip(now, found, strict=False)]
        following = [_of_carry(op, state) for state in joined]
        if following == now:
            break
        now = following
    for k, state in enumerate(now):
        if isinstance(state, Partial) and not (
            flow.as_partial(op, first + k, init[k], state.kind)
            and flow.as_partial(last, k, found[k], state.kind)
        ):
            raise too_early(op, state.kind)
    return now, found


def _of_carry(op: Operation, state: State | None) -> State:
    if state is None:
        raise refused(op, "a loop carries what is combined over chunks in two ways", OUTSIDE)
    return state


def branches(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    """All chunks take the same branch."""
    assert isinstance(op, IfOp | SwitchOp)
    states = flow.number(op, states)
    if isinstance(states[0], Partial):
        raise too_early(op, states[0].kind)
    found: list[list[State]] = []
    for region in op.regions:
        last = region.block.last_op
        assert last is not None
        found.append(flow.number(last, flow.region(region, ())))
    results: list[State] = []
    for k, of_branches in enumerate(zip(*found, strict=True)):
        state = flow.joined(of_branches)
        if state is None:
            raise refused(op, "branches compute what is combined over chunks in different ways", OUTSIDE)
        if isinstance(state, Partial):
            for region, of_branch in zip(op.regions, of_branches, strict=True):
                last = region.block.last_op
                assert last is not None
                if not flow.as_partial(last, k, of_branch, state.kind):
                    raise too_early(op, state.kind)
        results.append(state)
    return results


def while_(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    """A loop whose condition all chunks agree on, or which rows leave on their own."""
    assert isinstance(op, WhileOp)
    states = flow.number(op, states)
    count = len(states)
    carries, found = _fixed(flow, op, op.body, states, 0, lambda now: now)
    condition = op.condition.block.last_op
    assert condition is not None
    (decided,) = flow.number(condition, flow.region(op.condition, carries))
    recorded = tuple(found[count:])
    if any(not isinstance(s, Whole | Rows) for s in recorded):
        raise refused(op, "a loop records sums over the rows of one chunk for its derivative", OUTSIDE)
    if isinstance(decided, Whole):
        return [*carries, *([] if op.tape is None else [Tape(recorded)])]
    if decided != Partial("or"):
        raise too_early(op, decided.kind if isinstance(decided, Partial) else "or")
    made = iteration_of_while(op)
    _require_frozen(op, carries, made[:count])
    results: list[State] = [_left(state, was) for state, was in zip(carries, made, strict=False)]
    return [*results, *([] if op.tape is None else [Tape(recorded, tuple(made[count:]))])]


def _require_frozen(op: Operation, carries: Sequence[State], made: Sequence[object]) -> None:
    """Require that an iteration in which no row of the chunk takes part changes no row, and no sum."""
    for k, (state, was) in enumerate(zip(carries, made, strict=True)):
        if not isinstance(state, Whole | Own) and was != Unchanged(k):
            raise refused(
                op,
                "a loop runs until it is done for all rows, and goes on to change those that are done: these "
                "differ from chunk to chunk",
                "write the loop for one row and map it by ad.vmap, which leaves rows alone that are done; or "
                "keep them by np.where(active, new, old)",
            )


def _left(state: State, was: object) -> State:
    """The state of a carry after a loop that chunks leave at different iterations."""
    return OWN if isinstance(state, Whole) and not isinstance(was, Unchanged) else state


def replay(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    """A loop over what another one recorded, in as many iterations as that had."""
    assert isinstance(op, ReplayOp)
    states = flow.number(op, states)
    tape, *init = states
    assert isinstance(tape, Tape), op
    made: Sequence[object] = ()
    if tape.frozen is not None:
        made = iteration_of_replay(op, tape.frozen)
        if op.reverse is not None:
            # Chunks begin at different iterations, so a carry that changes is never the same.
            init = [_left(state, was) for state, was in zip(init, made, strict=True)]
    carries, _ = _fixed(flow, op, op.body, init, 1, lambda now: [*tape.entries, *now])
    if tape.frozen is not None:
        _require_frozen(op, carries, made)
        carries = [_left(state, was) for state, was in zip(carries, made, strict=True)]
    return carries
