"""A region traced on its own: its code and the maps of what it yields, on a scratch block.

    step = trace(d, region, extents, active)     D over the region; tangent maps go out of the step space
    step.values(b, arguments)                    its primal code emitted here: what it yields, the residuals
    step.map(b, residuals, wanted)               its map emitted here from residuals

The step space is the tuple of the tangents of `active` source values: carries, slices and captured values.
The scratch block is emitted twice, once without its maps and once without what only the values need, and
then dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Block, Region

from mlirad.dialects.shapes import Value, tuple_type
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.builder import handed_over
from mlirad.ir.regions import discard
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.dual_arrays.availability import Level
from mlirad.passes.dual_arrays.duals import DualArrays
from mlirad.passes.dual_arrays.residuals import Residuals, emit_with_residuals
from mlirad.passes.dual_arrays.scales import merge_scales


@dataclass
class TracedRegion:
    """A traced region: the tangent maps of what it yields, and the plan of its residuals."""

    region: Region
    space: TupleType
    tangent_maps: list[Value]
    residuals: Residuals

    @property
    def kept(self) -> list[Value]:
        """The values to keep, as values of the scratch block."""
        return list(self.residuals.kept)

    def values(self, b: ArrayBuilder, arguments: Sequence[Value]) -> tuple[list[Value], list[Value]]:
        """Emit the primal code; returns what the region yields and the residuals."""
        return emit_with_residuals(b, self.region, arguments, self.kept)

    def map(self, b: ArrayBuilder, known: Sequence[tuple[Value, Value]], wanted: Sequence[int]) -> Value:
        """The map of the wanted yielded values, as a tuple; `known` says what stands for scratch values."""
        env: Environment = dict(known)
        b.name_hint = None
        for op in self.residuals.recomputed_ops():
            b.rebuild_unfolded(op, env)
        return b.vcat(self.space, [env.get(m, m) for m in (self.tangent_maps[k] for k in wanted)])

    def discard(self) -> None:
        """Drop the scratch block."""
        discard(self.region)


def trace(
    d: DualArrays,
    region: Region,
    extents: Sequence[int],
    active: Sequence[Value],
    free: Sequence[int] = (),
    stacked: Sequence[int] = (),
    recompute: bool = False,
    repeats: bool = True,
) -> TracedRegion:
    """D over a region of the source, or the body of a function, with the step space of `active` values.

    `free` are the places of arguments that are available without being kept, `stacked` of those that are
    kept at no cost; `repeats` says that the region is the body of a loop.
    """
    b = d.b
    space = tuple_type([v.type for v in active])
    tangent_maps: list[Value] = []

    around, iterations = d.levels, prod(extents)

    def plan(block: Block, maps: Sequence[Value]) -> Residuals:
        args = block.args
        known = [args[k] for k in free], [args[k] for k in stacked]
        return Residuals(block, maps, *known, recompute, repeats, around, iterations)

    def emit(*args: Value) -> list[Value]:
        for old, arg in zip(region.block.args, args, strict=True):
            arg.name_hint = old.name_hint
        present = args if recompute else [args[k] for k in (*free, *stacked)]
        level = Level(b.block, around, present, recompute=recompute, repeats=repeats, iterations=iterations)
        inside = d.inner(space, zip(region.block.args, args, strict=True), level)
        for k, source in enumerate(active):
            inside.enter(source, b.project(space, k))
        inside.transform(region.block.ops)
        made = handed_over(region)
        found = [inside.tangent_map(v) for v in made]
        tangent_maps.extend(
            found if recompute else merge_scales(b, b.block, found, lambda: plan(b.block, found))
        )
        return [inside.value(v) for v in made]

    scratch = b.region_over(extents, region.block.arg_types, emit)
    return TracedRegion(scratch, space, tangent_maps, plan(scratch.block, tangent_maps))
