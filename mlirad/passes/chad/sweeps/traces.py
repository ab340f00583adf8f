"""A region traced on its own: its forward code, and the code that goes back through it, on scratch blocks.

    t = trace(s, region, extents, active, wanted, summed)     the sweep of a region, emitted once
    t.forward(b, arguments)                 its forward code emitted here: what it yields, the residuals
    t.backward(b, known, cotangents, sums)  its backward code emitted here from residuals

The backward code stands in a region behind the forward code and reads values of it. The residuals are those
of them that are kept; the others are made again (`mlirad.passes.dual_arrays.residuals`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod

from xdsl.ir import Block, Region

from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.builder import handed_over, yields
from mlirad.ir.free_values import captures, free_values
from mlirad.ir.regions import discard
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.chad.sweeps.backward import Backward, Cotangents
from mlirad.passes.chad.sweeps.merged_scales import merge_scales
from mlirad.passes.chad.sweeps.structural_zeros import inlined
from mlirad.passes.chad.sweeps.sweep import Sweep
from mlirad.passes.dual_arrays.availability import Level
from mlirad.passes.dual_arrays.residuals import Residuals, emit_with_residuals


@dataclass
class Traced:
    """A region that was traced.

    The backward region takes a cotangent for each yielded value in `wanted` and a sum for each value in
    `summed`; it yields the sums of the values in `active`.
    """

    forward_region: Region
    backward_region: Region
    active: Sequence[Value]
    wanted: Sequence[int]
    summed: Sequence[Value]
    residuals: Residuals

    @property
    def kept(self) -> list[Value]:
        """The values to keep, as values of the scratch block."""
        return list(self.residuals.kept)

    def forward(self, b: ArrayBuilder, arguments: Sequence[Value]) -> tuple[list[Value], list[Value]]:
        """Emit the forward code; returns what the region yields and the residuals."""
        return emit_with_residuals(b, self.forward_region, arguments, self.kept)

    def backward(
        self, b: ArrayBuilder, known: Mapping[Value, Value], cotangents: Cotangents, sums: Cotangents
    ) -> list[Value | None]:
        """Emit the backward code; returns the sums of the active values, `None` for zeros.

        `known` says what stands for values of the forward code, `cotangents` are those of the wanted values,
        and `sums` are those of the summed values, where they have begun.
        """
        env: Environment = dict(known)
        b.name_hint = None
        for op in self.residuals.recomputed_ops():
            b.rebuild_unfolded(op, env)
        return inlined(b, self.backward_region, [*cotangents, *sums], env)

    def reached(self, given: frozenset[int]) -> list[int]:
        """The places of the active values that the cotangents at the places `given` of `wanted` reach."""
        bits = sum(1 << k for k in given)
        return [k for k, found in enumerate(self._reaching) if found & bits]

    @cached_property
    def _reaching(self) -> list[int]:
        """For each active value the set of cotangents that reach its sum, as bits."""
        block = self.backward_region.block
        found: dict[Value, int] = {block.args[k]: 1 << k for k in range(len(self.wanted))}
        for op in block.ops:
            bits = 0
            for v in free_values(op):
                bits |= found.get(v, 0)
            if bits:
                found.update(dict.fromkeys(op.results, bits))
        return [found.get(v, 0) for v in yields(self.backward_region)]


def trace(
    s: Sweep,
    region: Region,
    extents: Sequence[int],
    active: Sequence[Value],
    wanted: Sequence[int],
    summed: Sequence[Value],
    free: Sequence[int] = (),
    stacked: Sequence[int] = (),
    recompute: bool = False,
    repeats: bool = True,
) -> Traced:
    """The sweep of a region of the source, or of the body of a function, with sums for `active` values.

    `wanted` are the places of the yielded values that have cotangents; sums for the values `summed` are
    given. `free` are the places of arguments that are available without being kept, `stacked` of those that
    are kept at no cost; `repeats` says that the region is the body of a loop.
    """
    b, made = s.b, handed_over(region)
    around, iterations = s.levels, prod(extents)
    backward: list[Region] = []
    scratch: list[Region] = []

    def plan(block: Block) -> Residuals:
        args = block.args
        known = [args[k] for k in free], [args[k] for k in stacked]
        return Residuals(block, captures(backward[0]), *known, recompute, repeats, around, iterations)

    def emit(*args: Value) -> list[Value]:
        for old, arg in zip(region.block.args, args, strict=True):
            arg.name_hint = old.name_hint
        present = args if recompute else [args[k] for k in (*free, *stacked)]
        level = Level(b.block, around, present, recompute=recompute, repeats=repeats, iterations=iterations)
        inside = s.inner(zip(region.block.args, args, strict=True), active, level)
        inside.transform(region.block.ops)

        def sweep(*given: Value) -> list[Value]:
            back = Backward(b, inside.steps)
            back.sums.update(zip(summed, given[len(wanted) :], strict=True))
            for k, cotangent in zip(wanted, given, strict=False):
                if made[k] in inside.active:
                    back.add(made[k], cotangent)
            back.run()
            return [back.taken_sum(v) for v in active]

        scratch.extend(inside.scratch)
        b.name_hint = None
        backward.append(b.region([*(made[k].type for k in wanted), *(v.type for v in summed)], sweep))
        if not recompute:
            merge_scales(b, backward[0], lambda: plan(b.block))
        return inside.values(made)

    forward = b.region_over(extents, region.block.arg_types, emit)
    discard(*scratch)
    s.scratch += [backward[0], forward]
    return Traced(forward, backward[0], active, wanted, summed, plan(forward.block))
