"""D of `array.scan`: a scan that also stacks residuals, and the map `linear.scan` that reads them.

    scan (c0; xs) {body}     -->   c, ys, residuals = scan (c0; xs) {values of body}
                                   m = linear.scan residuals {map of body}
                                   d_(c, ys) = m (d_c0 x d_xs x d_captured)

Captured floats that depend on the inputs become components of the step space. `checkpoint` decides what is
kept: "recompute" the carries of each iteration, "sqrt" those of every block of about √n iterations.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

from xdsl.dialects.builtin import i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Region

from mlirad.dialects import linear
from mlirad.dialects.array import control
from mlirad.dialects.extents import nominal
from mlirad.dialects.shapes import (
    Value,
    array_type,
    components_of,
    element_of,
    integer,
    shape_of,
    tuple_type,
)
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.builder import yields
from mlirad.ir.free_values import captures, free_values
from mlirad.passes.dual_arrays.activity import active_carries
from mlirad.passes.dual_arrays.duals import DualArrays
from mlirad.passes.dual_arrays.products import is_long_product, product
from mlirad.passes.dual_arrays.traced_regions import trace

MIN_BLOCKED_ITERATIONS = 4
"""Loops of fewer iterations are not cut into blocks."""


def scan(d: DualArrays, op: control.ScanOp) -> None:
    """Emit a scan with the map of its results."""
    if is_long_product(op, d.maps):
        product(d, op)
        return
    checkpoint = checkpoint_of(op)
    if checkpoint == "sqrt":
        d.substitute(op, free_values(op), blocked(op))
        return
    b, count, block = d.b, op.carry_count, op.body.block
    made = yields(op.body)
    captured = [v for v in captures(op.body) if v in d.maps]
    sliced = [k for k, x in enumerate(op.xs) if x in d.maps]
    arguments = block.args[1 : count + 1]
    slices = block.args[count + 1 :]
    carried, inside = active_carries(
        block,
        arguments,
        made[:count],
        [v in d.maps for v in op.init],
        {*captured, *(slices[k] for k in sliced)},
    )
    carries = [k for k in range(count) if carried[k]]
    outputs = [k for k in range(count, len(made)) if made[k] in inside]
    active = [*(arguments[k] for k in carries), *(slices[k] for k in sliced), *captured]
    inputs = range(count + 1, len(block.args))
    step = trace(d, op.body, (op.iterations,), active, (0,), inputs, checkpoint == "recompute")

    def iteration(index: Value, state: list[Value], parts: list[Value]) -> tuple[list[Value], list[Value]]:
        values, kept = step.values(b, [index, *state, *parts])
        return values[:count], [*values[count:], *kept]

    reverse = op.reverse is not None
    init, xs = [d.value(v) for v in op.init], [d.value(v) for v in op.xs]
    kept = op.kept is not None
    # Without carries nothing is kept of an iteration that is recomputed, so higher derivatives may rely on it
    # too.
    final, stacked = b.scan(
        init,
        xs,
        op.iterations,
        iteration,
        reverse=reverse,
        checkpoint=checkpoint if kept else None,
        kept=kept,
    )
    results = [*final, *stacked[: len(made) - count]]
    d.env.update(zip(op.results, results, strict=True))
    _name(results, op.results)
    residuals = stacked[len(made) - count :]
    wanted = [*carries, *outputs]
    if wanted:

        def body(index: Value, *parts: Value) -> list[Value]:
            known = [(step.region.block.args[0], index), *zip(step.kept, parts, strict=True)]
            return [step.map(b, known, wanted)]

        types = [i64, *(v.type for v in step.kept)]
        region = b.region_over((op.iterations,), types, body)
        b.name_hint = None
        tangent_map = _map_of(b, op, region, residuals, (len(carries), len(sliced), len(captured)))
        sources = [*(op.init[k] for k in carries), *(op.xs[k] for k in sliced), *captured]
        d.enter_image([op.results[k] for k in wanted], tangent_map, sources)
    step.discard()


def _map_of(
    b: ArrayBuilder, op: control.ScanOp, region: Region, residuals: list[Value], counts: tuple[int, int, int]
) -> Value:
    """The map of a loop whose region makes the map of an iteration."""
    carries, inputs, captured = counts
    step = linear.map_type(yields(region)[0].type, "map of an iteration")
    parts, made = components_of(step.domain), components_of(step.codomain)
    properties: dict[str, Attribute] = {
        "carries": integer(carries),
        "inputs": integer(inputs),
        "captured": integer(captured),
        **{k: p for k, p in op.properties.items() if k in ("length", "reverse", "checkpoint", "kept")},
    }

    def stacked(type_: Attribute) -> Attribute:
        return array_type((op.iterations, *shape_of(type_)), element_of(type_))

    slices = [stacked(t) for t in parts[carries : carries + inputs]]
    domain = tuple_type([*parts[:carries], *slices, *parts[carries + inputs :]])
    codomain = tuple_type([*made[:carries], *(stacked(t) for t in made[carries:])])
    return b.map_of(linear.ScanOp, domain, codomain, residuals, properties, (region,))


def _name(values: Sequence[Value], sources: Sequence[Value]) -> None:
    for value, source in zip(values, sources, strict=True):
        if value.name_hint is None:
            value.name_hint = source.name_hint


# Blocks of iterations -------------------------------------------------------------------------------------


def checkpoint_of(op: control.ScanOp) -> str:
    """Return how the derivative of a scan gets the values inside of it: by `store`, `recompute`, or `sqrt`.

    A loop without carries has nothing to keep between blocks of iterations, and a short one has no blocks.
    """
    if op.checkpointing != "sqrt":
        return op.checkpointing or "store"
    if op.carry_count == 0:
        return "recompute"
    return "sqrt" if nominal(op.iterations) >= MIN_BLOCKED_ITERATIONS else "store"


def blocked(op: control.ScanOp) -> FuncOp:
    """The loop as a loop of blocks of iterations that keeps only carries, as a function of its free
    values.
    """
    free = free_values(op)

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        return _in_blocks(b, op, dict(zip(free, args, strict=True)))

    return new_function("blocked", [v.type for v in free], body)


def _in_blocks(b: ArrayBuilder, op: control.ScanOp, env: dict[Value, Value]) -> list[Value]:
    """A scan of n iterations as a scan of q blocks of m iterations and one of the n - q m iterations left, m
    about √n.
    """
    n, count = op.iterations, op.carry_count
    m = isqrt(nominal(n) - 1) + 1
    q, rest = divmod(n, m)
    has_rest = rest != 0
    reverse, kept = op.reverse is not None, op.kept is not None
    xs = [env[x] for x in op.xs]

    def iterations(
        start: Value, number: int, carries: list[Value], parts: list[Value]
    ) -> tuple[list[Value], list[Value]]:
        def iteration(i: Value, state: list[Value], slices: list[Value]) -> tuple[list[Value], list[Value]]:
            index = b.add(start, i)
            b.ranges.set(index, 0, n - 1)
            made = b.inline_region(op.body, [index, *state, *slices], env)
            return made[:count], made[count:]

        return b.scan(carries, parts, number, iteration, reverse=reverse, kept=kept)

    def block(k: Value, state: list[Value], slices: list[Value]) -> tuple[list[Value], list[Value]]:
        return iterations(b.mul(k, b.index_constant(m)), m, state, slices)

    carries = [env[v] for v in op.init]
    last: list[Value] = []
    whole: list[Value] = []
    for part in ("rest", "blocks") if reverse else ("blocks", "rest"):
        if part == "blocks":
            cut = [b.reshape(_rows(b, x, 0, q * m), (q, m, *shape_of(x)[1:])) for x in xs]
            carries, whole = b.scan(
                carries, cut, q, block, reverse=reverse, checkpoint="recompute", kept=kept
            )
        elif has_rest:
            cut = [_rows(b, x, q * m, n) for x in xs]
            carries, last = iterations(b.index_constant(q * m), rest, carries, cut)
    joined = [b.reshape(y, (q * m, *shape_of(y)[2:])) for y in whole]
    if has_rest:
        joined = [b.concatenate([y, z], 0) for y, z in zip(joined, last, strict=True)]
    return [*carries, *joined]


def _rows(b: ArrayBuilder, x: Value, start: int, limit: int) -> Value:
    """The slices from `start` to `limit` along dimension 0."""
    shape = shape_of(x)
    zeros = [0] * (len(shape) - 1)
    return b.slice(x, [start, *zeros], [limit, *shape[1:]], [1] * len(shape))
