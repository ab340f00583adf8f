"""Loops inside builds: one loop over bulk carries.

    build n (i. scan c xs (x. t))        -->  one scan over the carries of the whole batch
    build n (i. while c p t)             -->  while (any a) over (cs, a):      a = the members that go on
                                              cs' = select a (t on cs) cs,  a' = a and p on cs'

A carry, slice, stacked or recorded value is bulk only along the batch axes that it depends on, which are
known before the loop is made (`mlirad.ir.dependences`). A scan without carries is a build, and its iterations
become a batch axis, unless it is marked `kept`. A loop inside builds makes as many iterations as the member
that needs most, and all members compute in each of them; those that are finished keep their carries, and what
they compute meanwhile does no harm (see `paths`). The tape of such a `while` records the members that went on
as its last column, by which a replay skips the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from xdsl.dialects.builtin import i1

from mlirad.dialects.array import control
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value, shape_of
from mlirad.ir.builder import yields
from mlirad.ir.carries import Carries, name_arguments_like
from mlirad.passes.bulk_operations.paths import BulkTape, Paths
from mlirad.passes.bulk_operations.reader import BatchReader
from mlirad.passes.bulk_operations.terms import BatchAxes, Term, joined


def bulk_scan(p: Paths, op: control.ScanOp) -> list[Term]:
    """The last carries, then the stacked values."""
    r, count, iterations = p.r, op.carry_count, op.iterations
    made, args = yields(op.body), op.body.block.args
    if iterations == 0:
        stacked = [r.whole(r.b.zeros(v.type)) for v in op.stacked]
        return [*(p.term(v) for v in op.init), *stacked]
    loop = _Carries(p, op, args[1 : count + 1], made)
    if iterations == 1 or not (loop.varying or op.kept):
        return _unrolled(p, op, loop)
    stacked_axes: list[BatchAxes] = []
    slices = [p.term(x) for x in op.xs]

    def body(index: Value, carries: list[Value], parts: list[Value]) -> tuple[list[Value], list[Value]]:
        name_arguments_like(
            [index, *carries, *parts], [args[0], *loop.changed(args[1 : count + 1]), *args[count + 1 :]]
        )
        now = loop.terms(carries)
        xs = [r.term(x.axes, part) for x, part in zip(slices, parts, strict=True)]
        found = p.evaluate(p.mask, op.body, [r.whole(index), *now, *xs])
        stacked_axes[:] = [t.axes for t in found[count:]]
        return loop.aligned(found), [r.value(t) for t in found[count:]]

    init = loop.aligned(loop.all)
    final, stacked = r.b.scan_like(op, init, [_iterations_first(r, x) for x in slices], body)
    carried = loop.terms(final)
    return [*carried, *(_axes_first(r, own, y) for own, y in zip(stacked_axes, stacked, strict=True))]


def _unrolled(p: Paths, op: control.ScanOp, loop: _Carries) -> list[Term]:
    """A scan of one iteration, or of iterations that know nothing of each other: these become a batch
    axis.
    """
    r, count = p.r, op.carry_count
    own = r.open((op.iterations,), op.body.block.args[:1])
    at = r.positions(own)
    xs = [r.index(p.term(x), at) for x in op.xs]
    found = p.evaluate(p.mask, op.body, [*at, *loop.all, *xs])
    carried = loop.all if loop.varying == [] else found[:count]
    return [*carried, *(r.close(t, own) for t in found[count:])]


def bulk_while(p: Paths, op: control.WhileOp) -> list[Term]:
    """The last carries; the tape, if there is one, is entered in `p.tapes`."""
    r, b, made, args = p.r, p.r.b, yields(op.body), op.body.block.args
    count = len(args)
    loop = _Carries(p, op, args, made)
    known: dict[Value, BatchAxes] = dict(zip(op.condition.block.args, loop.axes, strict=False))
    deciding = p.yielded_axes(op.condition, known)[0]
    outer = p.mask
    masked = bool(deciding)
    if masked and outer is not None:
        deciding = joined((deciding, outer.axes))
    columns: list[BatchAxes] = []

    def holds(carries: Sequence[Term], mask: Term | None) -> Term:
        going = p.evaluate(mask, op.condition, carries)[0]
        return going if mask is None else r.elementwise(ew.AndOp, (mask, going), i1)

    def condition(*values: Value) -> Value:
        if masked:
            values[-1].name_hint = "active"
            return p.any_of(r.term(deciding, values[-1]))
        name_arguments_like(values, loop.changed(op.condition.block.args))
        going = r.value(p.evaluate(outer, op.condition, loop.terms(values))[0])
        return going if outer is None else b.logical_and(p.any_of(outer), going)

    def body(*values: Value) -> list[Value]:
        name_arguments_like(values[: len(loop.varying)], loop.changed(args))
        now = loop.terms(values[: len(loop.varying)])
        if not masked:
            found = p.evaluate(outer, op.body, now)
            columns[:] = [t.axes for t in found[count:]]
            new = loop.aligned(found)
            return [*new, *(r.value(t) for t in found[count:])]
        values[-1].name_hint = "active"
        active = r.term(deciding, values[-1])
        before, p.taken = p.taken, active
        found = p.evaluate(active, op.body, now)
        columns[:] = [*(t.axes for t in found[count:]), deciding]
        after = [
            now[k] if k not in loop.varying else r.elementwise(ew.SelectOp, (active, t, now[k]), t.element)
            for k, t in enumerate(found[:count])
        ]
        goes_on = r.align(holds(after, active), deciding)
        p.taken = before
        recorded = [] if op.tape is None else [*(r.value(t) for t in found[count:]), values[-1]]
        return [*loop.aligned(after), goes_on, *recorded]

    init = loop.aligned(loop.all)
    if masked:
        init.append(r.align(holds(loop.all, outer), deciding))
    record = None if op.record is None else op.record.value.data + masked
    results = b.while_(init, condition, body, record)
    if op.tape is not None:
        p.tapes[op.tape] = BulkTape(results[-1], tuple(columns), deciding if masked else ())
    return loop.terms(results[: len(loop.varying)])


def bulk_replay(p: Paths, op: control.ReplayOp) -> list[Term]:
    """The last carries."""
    r, block, tape = p.r, op.body.block, p.tape(op.tape)
    count = len(op.init)
    entry_args, args = block.args[: len(block.args) - count], block.args[len(block.args) - count :]
    loop = _Carries(p, op, args, yields(op.body))

    def body(entry: list[Value], carries: list[Value]) -> list[Value]:
        name_arguments_like([*entry[: len(entry_args)], *carries], [*entry_args, *loop.changed(args)])
        read = [r.term(own, v) for own, v in zip(tape.columns, entry, strict=True)]
        now = loop.terms(carries)
        given = [*read[: len(entry_args)], *now]
        if not tape.mask:
            found = p.evaluate(p.mask, op.body, given)
        else:
            active = p.restricted(read[-1])
            computed = p.evaluate(active, op.body, given)
            found = [
                r.elementwise(ew.SelectOp, (read[-1], t, old), t.element)
                for t, old in zip(computed, now, strict=True)
            ]
        return loop.aligned(found)

    init = loop.aligned(loop.all)
    return loop.terms(r.b.replay(tape.value, init, body, reverse=op.reverse is not None))


class _Carries(Carries[Term]):
    """The carries of a loop as terms; those that change have all batch axes that reach them."""

    def __init__(self, p: Paths, op: control.LoopOp, arguments: Sequence[Value], made: Sequence[Value]):
        super().__init__(arguments, made, op.init, [p.term(v) for v in op.init])
        self._paths, self._op = p, op

    @cached_property
    def axes(self) -> list[BatchAxes]:
        """The batch axes of each result of the loop."""
        return self._paths.result_axes(self._op)

    def aligned(self, terms: Sequence[Term]) -> list[Value]:
        """The bulk values of the carries that change, from the terms of all."""
        return [self._paths.r.align(terms[k], self.axes[k]) for k in self.varying]

    def terms(self, values: Sequence[Value]) -> list[Term]:
        """The terms of all carries, from the bulk values of those that change."""
        pairs = zip(self.varying, values, strict=True)
        return self.all_of([self._paths.r.term(self.axes[k], v) for k, v in pairs])


def _iterations_first(r: BatchReader, x: Term) -> Value:
    """The bulk value of an array that iterations take slices of, their dimension in front of the batch
    axes.
    """
    value, count = r.value(x), len(x.axes)
    rank = len(shape_of(value))
    return r.b.transpose(value, [count, *range(count), *range(count + 1, rank)])


def _axes_first(r: BatchReader, axes: BatchAxes, y: Value) -> Term:
    """Stacked bulk values as a term: the dimension of the iterations behind the batch axes."""
    count, rank = len(axes), len(shape_of(y))
    return r.term(axes, r.b.transpose(y, [*range(1, count + 1), 0, *range(count + 1, rank)]))
