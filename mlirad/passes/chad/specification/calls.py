"""CHAD of the derivatives of recursive functions and of loops on data, which are ops until the end.

    dy = linear.push @f x, dx                 dy's element is the image of those of x and dx
    cx = linear.pull @f x, ct + s             by x it is symmetric, and it is linear in ct and s

These are of derivatives inside of what is differentiated: `expand-inner-derivatives` leaves them, as no
reverse sweep over a tape or over activation records is ever differentiated. Their maps name derived
functions, which `outline-derivatives` makes at last.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value
from mlirad.ir.free_values import own_operands
from mlirad.linear_maps.elements import components
from mlirad.passes.chad.specification.derivation import Derivation, Sweep
from mlirad.passes.dual_arrays.calls import curvature_map, derivative_map, transposed_map


def push(d: Derivation, op: linear.PushOp) -> None:
    """Emit the op, and note its derivative by the operands that depend on the inputs."""
    sources, operands = own_operands(op), own_operands(d.primal(op))
    active = [k for k, v in enumerate(sources) if v in d.active]
    if not active:
        return
    d.activate(op.results)

    def run(sweep: Sweep) -> None:
        callee, numbers = op.properties["callee"], op.positions("results")
        map_ = derivative_map(d.b, callee, op.groups, operands, active, numbers, op.results)
        _take(sweep, map_, [sources[k] for k in active], op.results)

    d.step(op, run)


def pull(d: Derivation, op: linear.PullOp) -> None:
    """Emit the op, and note its derivatives by the point, the cotangents and the sums."""
    operands = own_operands(d.primal(op))
    count = len(op.positions("results"))
    cotangents, sums = op.extra[:count], op.extra[count:]
    by = [k for k, v in enumerate(op.primals) if v in d.active]
    active = [k for k, v in enumerate(cotangents) if v in d.active]
    if not (by or active or d.active_of(sums)):
        return
    d.activate(op.results)

    def run(sweep: Sweep) -> None:
        if by:
            map_ = curvature_map(d.b, op, operands, by)
            _take(sweep, map_, [op.primals[k] for k in by], op.results)
        if active:
            map_ = transposed_map(d.b, op, operands, active)
            _take(sweep, map_, [cotangents[k] for k in active], op.results)
        sweep.same(sums, op.results)

    d.step(op, run)


def _take(sweep: Sweep, map_: Value, inputs: Sequence[Value], results: Sequence[Value]) -> None:
    """Take elements through a map from the tuple of inputs to that of results, in the sweep's direction."""
    reverse, type_ = sweep.types.is_reverse, linear.map_type(map_.type, "map")
    sources, targets = (results, inputs) if reverse else (inputs, results)
    image = sweep.apply(map_, [sweep.of(v) for v in sources], transposed=reverse)
    parts = components(image, type_.domain if reverse else type_.codomain)
    for target, x in zip(targets, parts, strict=True):
        sweep.add(target, x)
