"""Gathers at regular positions become slices, so that their derivatives are pads instead of scatters.

    %s = array.gather %y (%i) {                            %a = array.slice %y {starts = [9], limits = [10]}
      yield (%i - 1) mod 10                    -->         %b = array.slice %y {starts = [0], limits = [9]}
    }                                                      %s = array.concatenate %a, %b {dim = 0}

    %r = array.select (iota == 0), %x, %s      -->         %r = array.concatenate %x[0:1], %b {dim = 0}

Regular are positions that are piecewise affine functions of one argument each, of few pieces
(`mlirad/ir/piecewise_affine.py`). Elements that selects do not choose become zeros. Where a select
chooses by whole parts, and what it chooses otherwise does not vary along them, the parts are joined in its
place. A condition on positions that always or never holds is a constant. Gathers from arrays that are padded
with a constant read no padding (`padded_gathers.py`).

Gathers become slices before they are differentiated. The transpose of a gather is a scatter, which is
sequential; to see later that its indices do not collide is to find out what was known before. `where(i == 0,
x0, y[i - 1])` in a build is `concatenate([x0], y[:-1])`, and is differentiated as that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from itertools import accumulate, pairwise

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import indexing, structural
from mlirad.dialects.shapes import Value, is_boolean, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder, Environment, extents_of, rebuild_function
from mlirad.ir.builder import function_block, yields
from mlirad.ir.dead_code import erase_unused
from mlirad.ir.piecewise_affine import Along, Piece, Pieces
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import FunctionPass, holds, visit_regions
from mlirad.passes.padded_gathers import without_padding

MOST_PARTS = 3
"""The number of slices that a gather becomes along one dimension at most."""

MOST_OPS = 16
"""The number of ops in a row that are followed to find what is chosen of their results."""

_INDEXED = (indexing.BuildOp, indexing.GatherOp, indexing.ScatterOp, indexing.UpdateOp)


@dataclass(frozen=True)
class SliceGathersPass(FunctionPass):
    """Turn gathers at piecewise affine positions into slices."""

    name = "slice-gathers"

    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """As `slice_gathers`."""
        return slice_gathers(function) if holds(function, indexing.GatherOp) else function


def slice_gathers(function: FuncOp) -> FuncOp:
    """The function with slices for every gather at regular positions."""
    new = rebuild_function(function, _Slicing().visit)
    erase_unused(function_block(new))
    return new


@dataclass
class _Slicing:
    """The rewriting of one function; what is known of positions is of its source."""

    pieces: Pieces = field(default_factory=Pieces)

    def visit(self, b: ArrayBuilder, op: Operation, env: Environment) -> None:
        """Emit what stands for an op."""
        match op:
            case indexing.GatherOp():
                found = self._sliced(b, op, env)
                if found is None:
                    found = without_padding(b, op, env)
            case ew.SelectOp() if shape_of(op.result):
                found = self._selected(b, op, env)
            case ew.CompareOp() | ew.AndOp() | ew.OrOp() if is_boolean(op.result):
                found = self._decided(b, op.result)
            case _:
                found = None
        if found is not None:
            env[op.results[0]] = found
        elif op.regions and not isinstance(op, _INDEXED):
            visit_regions(b, op, env, self.visit)
        else:
            b.rebuild(op, env)

    def _decided(self, b: ArrayBuilder, condition: Value) -> Value | None:
        known = self.pieces.of(condition)
        number = None if known is None else known.constant
        return None if number is None else b.splat(bool(number), condition.type)

    # Gathers -------------------------------------------------------------------------------------

    def _sliced(self, b: ArrayBuilder, op: indexing.GatherOp, env: Environment) -> Value | None:
        """The slices that a gather is, in the order of its arguments."""
        shape, extents = shape_of(op.operand), extents_of(op)
        reads = self._reads(op)
        if reads is None or 0 in (*shape, *extents):
            return None
        x = env.get(op.operand, op.operand)
        for dim, read in enumerate(reads):
            parts = [_taken(b, x, dim, piece) for piece in read.pieces]
            if isinstance(read.axis, BlockArgument) and len(parts) > 1:
                for k, piece in enumerate(read.pieces):
                    if self._is_unneeded(op.result, read.axis.index, piece.start, piece.stop):
                        parts[k] = b.zeros(parts[k].type)
            x = b.concatenate(parts, dim)
        arguments = [read.axis.index for read in reads if isinstance(read.axis, BlockArgument)]
        rest = shape[len(reads) :]
        x = b.reshape(x, (*(extents[a] for a in arguments), *rest))
        inner = range(len(extents), len(extents) + len(rest))
        return b.broadcast(x, (*extents, *rest), (*arguments, *inner))

    def _reads(self, op: indexing.GatherOp) -> list[Along] | None:
        """Return where each position reads, if all are regular and of arguments of their own."""
        reads: list[Along] = []
        for target, extent in zip(yields(op.body), shape_of(op.operand), strict=False):
            position = self.pieces.of(target)
            read = None if position is None or not extent else position.clamped(extent)
            if read is None or len(read.pieces) > MOST_PARTS:
                return None
            reads.append(read)
        axes = [read.axis for read in reads if read.axis is not None]
        own = list[object](op.body.block.args)
        are_own = all(axis in own for axis in axes) and len(set(axes)) == len(axes)
        return reads if axes and are_own else None

    # Selects -------------------------------------------------------------------------------------

    def _selected(self, b: ArrayBuilder, op: ew.SelectOp, env: Environment) -> Value | None:
        """The parts that a select chooses, where it chooses whole parts of what is joined of parts."""
        sides = [env.get(v, v) for v in (op.on_false, op.on_true)]
        for k, (side, other) in enumerate(zip(sides, reversed(sides), strict=True)):
            joined = side.owner
            if not isinstance(joined, structural.ConcatenateOp):
                continue
            dim = joined.dim.value.data
            bounds = _bounds(joined.parts, dim)
            left_out = [self.pieces.never(op.condition, bool(k), dim, *part) for part in bounds]
            taken = [self.pieces.never(op.condition, not k, dim, *part) for part in bounds]
            if _is_uniform(other, dim) and all(a or c for a, c in zip(left_out, taken, strict=True)):
                parts = [
                    _cut(b, other, dim, *bound) if is_left_out else part
                    for part, bound, is_left_out in zip(joined.parts, bounds, left_out, strict=True)
                ]
                return b.concatenate(parts, dim)
        return None

    def _is_unneeded(self, value: Value, dim: int, start: int, stop: int, depth: int = 0) -> bool:
        """Return whether selects choose nothing that is made of these elements of an array, element by
        element.
        """
        return depth < MOST_OPS and all(
            self._needs_nothing(use.operation, use.index, (dim, start, stop), depth) for use in value.uses
        )

    def _needs_nothing(self, op: Operation, operand: int, elements: tuple[int, int, int], depth: int) -> bool:
        if not isinstance(op, ew.ElementwiseOp):
            return False
        if (
            isinstance(op, ew.SelectOp)
            and operand
            and self.pieces.never(op.condition, operand == 1, *elements)
        ):
            return True
        return self._is_unneeded(op.results[0], *elements, depth + 1)


def _bounds(parts: Sequence[Value], dim: int) -> list[tuple[int, int]]:
    """Return where each part begins and ends."""
    ends = [0, *accumulate(shape_of(part)[dim] for part in parts)]
    return list(pairwise(ends))


def _cut(b: ArrayBuilder, x: Value, dim: int, start: int, stop: int) -> Value:
    """The elements `start .. stop - 1` along a dimension."""
    shape = shape_of(x)
    starts = [start if d == dim else 0 for d in range(len(shape))]
    limits = [stop if d == dim else e for d, e in enumerate(shape)]
    return b.slice(x, starts, limits, [1] * len(shape))


def _taken(b: ArrayBuilder, x: Value, dim: int, piece: Piece) -> Value:
    """The elements of x along a dimension at the positions of a piece."""
    shape = shape_of(x)
    starts, limits, strides = [0] * len(shape), list(shape), [1] * len(shape)
    ends = piece.at(piece.start), piece.at(piece.stop - 1)
    starts[dim], limits[dim], strides[dim] = min(ends), max(ends) + 1, max(1, abs(piece.slope))
    part = b.slice(x, starts, limits, strides)
    if piece.slope < 0:
        return b.reverse(part, [dim])
    count = piece.stop - piece.start
    if piece.slope or count == 1:
        return part
    kept = [d for d in range(len(shape)) if d != dim]
    one = b.reshape(part, [shape[d] for d in kept])
    return b.broadcast(one, [count if d == dim else e for d, e in enumerate(shape)], kept)


def _is_uniform(x: Value, dim: int) -> bool:
    """Return whether x is known to be the same all along a dimension."""
    op = x.owner
    return isinstance(op, structural.BroadcastOp) and dim not in values_of(op.dims)
