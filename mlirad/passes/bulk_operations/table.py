"""The table of bulk forms: what each op of the language becomes when it stands inside builds.

A rule takes the op and its operands as terms and gives its result as a term, by the constructors of
`BulkBuilder` and `BatchReader`, which decide what is combined, and over which batch axes. (Source:
dual-numbers paper, section 5.1, figure 9; there for builds of one index that copy every operand.)

    build n (i. f t u)               -->  f (build n (i. t)) (build n (i. u))
    build n (i. t), i not in t       -->  broadcast t
    build n (i. gather x (s) -> e)   -->  gather x (i, s) -> e                  if i not in x, else
                                          gather (build n (i. x)) (i, s) -> (i, e)
    build n (i. build m (j. t))      -->  build (n, m) (i, j. t)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from xdsl.ir import Operation

from mlirad.dialects.array import control, factorisations, indexing, ordering, reductions, structural
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.callbacks import CallbackOp
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.dialects.array.frames import NextRowOp
from mlirad.dialects.array.reporting import ReportOp
from mlirad.dialects.array.transforms import FftOp
from mlirad.dialects.shapes import Value, array_type, element_of, shape_of, values_of
from mlirad.ir.arrays import extents_of
from mlirad.ir.builder import yields
from mlirad.passes.bulk_operations.branches import bulk_choice, bulk_if, bulk_switch
from mlirad.passes.bulk_operations.callbacks import bulk_callback
from mlirad.passes.bulk_operations.custom import bulk_custom
from mlirad.passes.bulk_operations.loops import bulk_replay, bulk_scan, bulk_while
from mlirad.passes.bulk_operations.paths import Paths
from mlirad.passes.bulk_operations.reader import BatchReader
from mlirad.passes.bulk_operations.reports import bulk_report
from mlirad.passes.bulk_operations.terms import BatchAxes, Term

Rule: TypeAlias = Callable[[BatchReader, Any, Sequence[Term]], Term]
ControlRule: TypeAlias = Callable[[Paths, Any], list[Term]]


def _constant(r: BatchReader, op: Operation, o: Sequence[Term]) -> Term:
    """A literal, the same for the whole batch."""
    env: dict[Any, Any] = {}
    r.b.rebuild(op, env)
    return r.whole(env[op.results[0]])


def _elementwise(r: BatchReader, op: ew.ElementwiseOp, o: Sequence[Term]) -> Term:
    return r.elementwise(type(op), o, element_of(op.results[0]), op.properties)


def _transpose(r: BatchReader, op: structural.TransposeOp, o: Sequence[Term]) -> Term:
    permutation = values_of(op.permutation)
    inverse = [permutation.index(d) for d in range(len(permutation))]
    return r.broadcast(o[0], shape_of(op.result), inverse)


def _slice(r: BatchReader, op: structural.SliceOp, o: Sequence[Term]) -> Term:
    return r.slice(o[0], values_of(op.starts), values_of(op.limits), values_of(op.strides))


def _pad(r: BatchReader, op: structural.PadOp, o: Sequence[Term]) -> Term:
    return r.pad(o[0], o[1], values_of(op.low), values_of(op.high), values_of(op.interior))


def _with_axes(
    r: BatchReader, op: indexing.BuildOp | indexing.GatherOp | indexing.ScatterOp | indexing.UpdateOp
) -> tuple[BatchAxes, list[Term]]:
    """New batch axes for the arguments of a region, and what the region yields over them."""
    own = r.open(extents_of(op), op.body.block.args)
    return own, r.evaluate(op.body, r.positions(own))


def _build(r: BatchReader, op: indexing.BuildOp, o: Sequence[Term]) -> Term:
    """The body over its own batch axes, which become dimensions. An empty build has no body to run."""
    if 0 in extents_of(op):
        return r.whole(r.b.zeros(op.result.type))
    own, values = _with_axes(r, op)
    return r.close(values[0], own)


def _gather(r: BatchReader, op: indexing.GatherOp, o: Sequence[Term]) -> Term:
    """A build of an index."""
    if 0 in extents_of(op):
        return r.whole(r.b.zeros(op.result.type))
    own, targets = _with_axes(r, op)
    return r.close(r.index(o[0], targets), own)


def _scatter(r: BatchReader, op: indexing.ScatterOp, o: Sequence[Term]) -> Term:
    own, targets = _with_axes(r, op)
    return r.scatter(o[0], own, targets, shape_of(op.result)[: len(yields(op.body))])


def _update(r: BatchReader, op: indexing.UpdateOp, o: Sequence[Term]) -> Term:
    own, targets = _with_axes(r, op)
    return r.update(op.kind.data, o[0], o[1], own, targets)


def _part(r: BatchReader, op: factorisations.PartOp, o: Sequence[Term]) -> Term:
    constructor = getattr(r.b, op.name.removeprefix("array."))
    return r.each(partial(constructor, op.part.data, is_complex=op.complex is not None), o[0])


def _triangular_solve(r: BatchReader, op: factorisations.TriangularSolveOp, o: Sequence[Term]) -> Term:
    flags = factorisations.triangle_flags(op)
    return r.solved(partial(r.b.triangular_solve, **flags), *o, is_complex=flags["complex"])


def _fft(r: BatchReader, op: FftOp, o: Sequence[Term]) -> Term:
    def transformed(x: Value) -> Value:
        batch = shape_of(x)[: len(shape_of(x)) - len(shape_of(op.operand))]
        type_ = array_type((*batch, *shape_of(op.result)), element_of(op.result))
        return r.b.fft(op.kind.data, x, type_, op.axes.behind(len(batch)))

    return r.each(transformed, o[0])


def _next_row(r: BatchReader, op: NextRowOp, o: Sequence[Term]) -> Term:
    """The counts, none beyond the largest one, for which there is space."""
    largest = r.b.reduce("max", r.value(o[0]), range(len(o[0].axes)))
    checked = r.b.emit(NextRowOp, (largest,), op.result.type, op.properties)
    return r.elementwise(ew.MinOp, (o[0], r.whole(checked)), element_of(op.result))


BULK_RULES: dict[type[Operation], Rule] = {
    **dict.fromkeys(ew.ELEMENTWISE_OPS, _elementwise),
    structural.ConstantOp: _constant,
    structural.IotaOp: _constant,
    structural.SizeOp: _constant,
    structural.BroadcastOp: lambda r, op, o: r.broadcast(o[0], shape_of(op.result), values_of(op.dims)),
    structural.TransposeOp: _transpose,
    structural.ReshapeOp: lambda r, op, o: r.reshape(o[0], shape_of(op.result)),
    structural.SliceOp: _slice,
    structural.PadOp: _pad,
    structural.ConcatenateOp: lambda r, op, o: r.concatenate(o, op.dim.value.data),
    structural.ReverseOp: lambda r, op, o: r.reverse(o[0], values_of(op.dims)),
    structural.StackOp: lambda r, op, o: r.stack(o, op.dim.value.data),
    indexing.IndexOp: lambda r, op, o: r.index(o[0], o[1:]),
    indexing.GatherOp: _gather,
    indexing.ScatterOp: _scatter,
    indexing.UpdateOp: _update,
    indexing.BuildOp: _build,
    reductions.SumOp: lambda r, op, o: r.sum(o[0], values_of(op.dims)),
    reductions.ReduceOp: lambda r, op, o: r.reduce(op.kind.data, o[0], values_of(op.dims)),
    reductions.ArgmaxOp: lambda r, op, o: r.along(r.b.argmax, o[0], op.dim.value.data),
    reductions.ArgminOp: lambda r, op, o: r.along(r.b.argmin, o[0], op.dim.value.data),
    reductions.DotOp: lambda r, op, o: r.dot(o[0], o[1], op.batch, op.contract),
    ordering.SortOp: lambda r, op, o: r.along(r.b.sort, o[0], op.dim.value.data),
    ordering.ArgsortOp: lambda r, op, o: r.along(r.b.argsort, o[0], op.dim.value.data),
    ordering.CumulativeOp: lambda r, op, o: r.cumulative(
        op.kind.data, o[0], op.dim.value.data, op.reverse is not None
    ),
    factorisations.LuOp: _part,
    factorisations.CholeskyOp: lambda r, op, o: r.each(
        partial(r.b.cholesky, is_complex=op.complex is not None), o[0]
    ),
    factorisations.QrOp: _part,
    factorisations.EighOp: _part,
    factorisations.SvdOp: _part,
    factorisations.EigOp: _part,
    factorisations.SchurOp: _part,
    factorisations.TriangularSolveOp: _triangular_solve,
    factorisations.SolveOp: lambda r, op, o: r.solved(
        partial(r.b.solve, is_complex=op.complex is not None), *o, is_complex=op.complex is not None
    ),
    FftOp: _fft,
    NextRowOp: _next_row,
}
"""Every op of the array dialect by its class, except for the terminator and for loops and branches."""

CONTROL_RULES: dict[type[Operation], ControlRule] = {
    control.ScanOp: bulk_scan,
    control.WhileOp: bulk_while,
    control.ReplayOp: bulk_replay,
    control.IfOp: bulk_if,
    control.SwitchOp: bulk_switch,
    CustomOp: bulk_custom,
    CheckpointOp: bulk_choice,
    ReportOp: bulk_report,
    CallbackOp: bulk_callback,
}
"""Loops and branches; the rules give the terms of all results but tapes."""
