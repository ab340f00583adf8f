"""∇ of `array.build`, which stays a build: the map of a position, made at every position.

    ∇[build(n, i. e)] = 𝓑(n, i. ∇e) ∘ (∇x1 × ... × ∇xk)      x1, ..., xk what e reads from outside

In the region of 𝓑 the values that the map of a position needs are recomputed. Bulk operations, which come
after the map is applied, make of both computations one.
"""

from __future__ import annotations

from dataclasses import replace

from mlirad.dialects import linear
from mlirad.dialects.array.indexing import BuildOp
from mlirad.dialects.shapes import Value, shape_of
from mlirad.ir.arrays import Environment
from mlirad.ir.free_values import captures
from mlirad.passes.dual_arrays.duals import DualArrays
from mlirad.passes.dual_arrays.traced_regions import trace


def build(d: DualArrays, op: BuildOp) -> None:
    """Emit a build, and the map of its elements at every position."""
    b, block = d.b, op.body.block
    captured = [v for v in captures(op.body) if v in d.maps]
    b.rebuild_unfolded(op, d.env)
    extents = shape_of(op.result)[: len(block.args)]
    step = trace(replace(d, levels=()), op.body, extents, captured, recompute=True)
    (tangent_map,) = step.tangent_maps
    if not isinstance(tangent_map.owner, linear.ZeroOp):

        def body(*position: Value) -> Value:
            env: Environment = dict(zip(step.region.block.args, position, strict=True))
            b.name_hint = None
            for recomputed in step.residuals.recomputed_ops():
                b.rebuild_unfolded(recomputed, env)
            return env.get(tangent_map, tangent_map)

        b.name_hint = None
        map_ = b.build_map(step.space, extents, body) if extents else body()
        d.enter(op.result, b.compose(map_, b.vcat(d.space, [d.tangent_map(v) for v in captured])))
    step.discard()
