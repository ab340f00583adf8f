"""The sweep of `array.scan`: forward a scan that stacks residuals, backward a reversed scan that reads them.

    scan (c0; xs) {body}     forward     c, ys, residuals = scan (c0; xs) {body; residuals}
                             backward    carries: cotangents of the carries, sums of captured values
                                         slices: residuals, cotangents of ys;   stacked: cotangents of xs

A carry that no cotangent reaches in any iteration is not carried. `checkpoint` decides what is kept, as for
dual arrays.
"""

from __future__ import annotations

from mlirad.dialects.array import control
from mlirad.dialects.shapes import Value
from mlirad.ir.builder import yields
from mlirad.ir.free_values import captures, free_values
from mlirad.linear_maps.elements import value_of
from mlirad.passes.chad.sweeps.backward import HANDS_ON_WHOLES, Backward, BackwardStep, Cotangents
from mlirad.passes.chad.sweeps.sweep import Sweep
from mlirad.passes.chad.sweeps.traces import trace
from mlirad.passes.chad.sweeps.whole_cotangents import handed_whole
from mlirad.passes.dual_arrays.activity import active_carries
from mlirad.passes.dual_arrays.products import is_long_product
from mlirad.passes.dual_arrays.scan import blocked, checkpoint_of


def scan(s: Sweep, op: control.ScanOp) -> None:
    """Emit a scan, and note the reversed one."""
    if is_long_product(op, s.active):
        s.by_map(op)
        return
    checkpoint = checkpoint_of(op)
    if checkpoint == "sqrt":
        s.substitute(op, free_values(op), blocked(op))
        return
    b, count, block = s.b, op.carry_count, op.body.block
    made, init, xs = yields(op.body), list(op.init), list(op.xs)
    captured = [v for v in captures(op.body) if v in s.active]
    sliced = [k for k, x in enumerate(xs) if x in s.active]
    arguments, slices = block.args[1 : count + 1], block.args[count + 1 :]
    starts_active = [v in s.active for v in init]
    read = {*captured, *(slices[k] for k in sliced)}
    carried, inside = active_carries(block, arguments, made[:count], starts_active, read)
    carries = [k for k in range(count) if carried[k]]
    wanted = [*carries, *(k for k in range(count, len(made)) if made[k] in inside)]
    active = [*(arguments[k] for k in carries), *(slices[k] for k in sliced), *captured]
    inputs = range(count + 1, len(block.args))
    recompute = checkpoint == "recompute"
    t = trace(s, op.body, (op.iterations,), active, wanted, captured, (0,), inputs, recompute)

    def iteration(index: Value, state: list[Value], parts: list[Value]) -> tuple[list[Value], list[Value]]:
        values, kept = t.forward(b, [index, *state, *parts])
        return values[:count], [*values[count:], *kept]

    reverse, kept = op.reverse is not None, op.kept is not None
    final, stacked = b.scan(
        s.values(init),
        s.values(xs),
        op.iterations,
        iteration,
        reverse=reverse,
        checkpoint=checkpoint if kept else None,
        kept=kept,
    )
    results = [*final, *stacked[: len(made) - count]]
    residuals = stacked[len(made) - count :]
    for source, result in zip(op.results, results, strict=True):
        s.env[source] = result
        if result.name_hint is None:
            result.name_hint = source.name_hint
    if not wanted:
        return
    starts = [init[k] for k in carries]
    cut = [xs[k] for k in sliced]

    def pull(back: Backward, cotangents: Cotangents) -> None:
        b = back.b
        given = frozenset(k for k, ct in enumerate(cotangents) if ct is not None)
        while True:
            reached = t.reached(given)
            more = given | {k for k in reached if k < len(carries)}
            if more == given:
                break
            given = more
        looped = [k for k in range(len(carries)) if k in given]
        outer = [k for k in range(len(carries), len(wanted)) if k in given]
        apart = [k for k in reached if len(carries) <= k < len(carries) + len(cut)]
        totals = [k for k in reached if k >= len(carries) + len(cut)]

        def iteration(
            index: Value, state: list[Value], parts: list[Value]
        ) -> tuple[list[Value], list[Value]]:
            here: list[Value | None] = [None] * len(wanted)
            present = (*state[: len(looped)], *parts[len(residuals) :])
            for k, value in zip((*looped, *outer), present, strict=True):
                here[k] = value
            begun = dict(zip((active[k] for k in totals), state[len(looped) :], strict=True))
            sums = [begun.get(v) for v in captured]
            known = {t.forward_region.block.args[0]: index, **dict(zip(t.kept, parts, strict=False))}
            found = t.backward(b, known, here, sums)
            made = [value_of(b, found[k], active[k].type) for k in (*looped, *totals, *apart)]
            return made[: len(state)], made[len(state) :]

        before = [value_of(b, cotangents[k], starts[k].type) for k in looped]
        before += [back.taken_sum(active[k]) for k in totals]
        columns = [*residuals, *(ct for k in outer if (ct := cotangents[k]) is not None)]
        final, stacked = b.scan(
            before,
            columns,
            op.iterations,
            iteration,
            reverse=not reverse,
            checkpoint=op.checkpointing,
            kept=kept,
        )
        for k, total in zip(totals, final[len(looped) :], strict=True):
            back.sums[active[k]] = total
        for k, value in zip(looped, final, strict=False):
            back.add(starts[k], value)
        for k, value in zip(apart, stacked, strict=True):
            back.add(cut[k - len(carries)], value)

    operands = dict.fromkeys(v for v in (*starts, *cut, *captured) if v in s.active)
    wholes = [v for v in operands if v in starts or v in cut or handed_whole(op.body, v, s.wholes_of_calls)]
    s.enter(
        BackwardStep([op.results[k] for k in wanted], operands, wholes, pull, op.location, HANDS_ON_WHOLES)
    )
