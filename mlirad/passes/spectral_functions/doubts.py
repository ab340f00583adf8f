"""Doubts: NaN derivatives at equal values, which follow vectors through a program to its results.

    %v = array.eigh vectors %a          the doubt of a column: nothing, with the derivative NaN by all of %a
                                        if its eigenvalue is another one's, too
    %p = array.mul %v, %x               the doubt of %v, also where %x is 0
    func.return %p             -->      func.return %p + array.deviation of the doubt

The rules of factorisations have NaN in the place of 1 / 0, but a zero absorbs it: one in a cotangent that
happens to vanish, or in a factor. A result would then have a finite derivative, which is wrong. So what
depends on vectors, and is not a sum over all of them, gets a doubt. It follows the structure of the program,
not its numbers: a column that is not taken, and a branch that is not chosen, raise none.

A value has two doubts: one that is settled where the value ends up in a sum over all columns, as that has a
derivative, and one that remains. The doubt of eigenvalues is of second order: they have a first derivative.

NaN in the rules of factorisations is not enough: a zero absorbs it, and a value that is 0 at a point by
chance cannot be told from one that is 0 by structure. A rule that does not absorb would make NaN of rows of a
Jacobian, and of batch elements, that have nothing to do with the vectors. So each result that depends on the
choice of vectors gets a term that is nothing but a derivative: NaN times the deviation of the matrix, where
values are equal. It costs as many operations as the matrix has elements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import TypeAlias

from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.dialects.array.factorisations import EighOp, EigOp, SvdOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.shapes import Value, is_float, shape_of
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.builder import yields
from mlirad.ir.free_values import free_values, own_operands
from mlirad.ir.regions import nested_ops
from mlirad.passes.spectral_functions.doubt_moves import carried, is_followed, sum_of
from mlirad.passes.spectral_functions.doubt_sources import Source
from mlirad.passes.spectral_functions.facts import Frame
from mlirad.passes.spectral_functions.reading import Reading
from mlirad.passes.spectral_functions.sources import WITH_VECTORS, label_of
from mlirad.rules.elementwise_derivatives import FLAT

Made: TypeAlias = Value | None
"""An array of the shape of a value, or nothing."""


class Doubt:
    """The doubt of a value, whose code is emitted where it is asked for first."""

    def __init__(self, make: Callable[[], Made]):
        self._make: Callable[[], Made] | None = make
        self._made: Made = None

    def made(self) -> Made:
        """The doubt as a value of the function that is built."""
        if self._make is not None:
            self._made, self._make = self._make(), None
        return self._made


class Doubts:
    """The doubts of the values of a function that is differentiated `order` times.

    Factorisations are sources of them if `begins` says so.
    """

    def __init__(self, reading: Reading, order: int, *, begins: bool):
        self._reading = reading
        self._order = order
        self._open: dict[Value, Doubt] = {}
        """Doubts that a sum over all columns would settle."""
        self._final: dict[Value, Doubt] = {}
        self._begins = begins

    def follow(self, b: ArrayBuilder, op: Operation, env: Environment) -> None:
        """Find the doubts of the results of an op that has been emitted."""
        if isinstance(op, CustomOp | CheckpointOp):
            self._follow_body(b, op, env)
            return
        if isinstance(op, WITH_VECTORS) and self._begins:
            self._begin(b, op, env)
        read = self._reading.read.get(op, frozenset())
        final = {o: self._both(b, o, with_open=o not in read) for o in free_values(op)}
        self._carry(b, op, env, final, self._final)
        if op not in self._reading.sites:
            self._carry(b, op, env, {o: self._open.get(o) for o in read}, self._open)

    def add(self, b: ArrayBuilder, op: Operation, doubt: Made) -> None:
        """Add a doubt to the result of an op."""
        if doubt is not None:
            self._enter(b, self._final, op.results[0], Doubt(lambda: doubt))

    def state(self, b: ArrayBuilder, op: Operation, env: Environment) -> None:
        """Add doubts to the results of an op that are read by what does not follow them."""
        for result in op.results:
            doubt = self._both(b, result)
            if doubt is not None and any(not is_followed(use.operation, op) for use in result.uses):
                made = doubt.made()
                if made is not None:
                    env[result] = b.add(env[result], b.unary(ew.DeviationOp, made))

    def source(self, b: ArrayBuilder, frame: Frame, env: Environment) -> Source:
        """The source of doubts of a frame."""
        return Source(frame.op_class, env.get(frame.matrix, frame.matrix), frame.is_complex, b, self._order)

    def _begin(self, b: ArrayBuilder, op: EighOp | SvdOp | EigOp, env: Environment) -> None:
        matrix, is_complex = env.get(op.operand, op.operand), op.complex is not None
        source = Source(type(op), matrix, is_complex, b, self._order)

        def make() -> Value:
            dims = [*range(source.batch), label_of(op)]
            return b.broadcast(source.of_part(op.part.data), shape_of(op.result), dims)

        if source.has_doubts(op.part.data):
            (self._final if isinstance(op, EigOp) else self._open)[op.result] = Doubt(make)

    def _follow_body(self, b: ArrayBuilder, op: CustomOp | CheckpointOp, env: Environment) -> None:
        """Follow doubts through the region that has the values of an op.

        The code of the region is emitted once more, for what doubts are chosen by. Factorisations in it that
        have derivatives of their own are not sources.
        """
        inner = Doubts(self._reading, self._order, begins=self._begins and isinstance(op, CheckpointOp))
        for operand in free_values(op):
            for own, outer in ((inner._open, self._open), (inner._final, self._final)):
                if operand in outer:
                    own[operand] = outer[operand]
        for operand, argument in zip(own_operands(op), op.body.block.args, strict=True):
            doubt = self._both(b, operand)
            if doubt is not None:
                inner._final[argument] = doubt
        begins = inner._begins and any(isinstance(each, WITH_VECTORS) for each in nested_ops(op.body))
        if not (inner._open or inner._final or begins):
            return
        local = dict(env)

        @cache
        def follow() -> None:
            local.update(
                (a, env.get(o, o)) for o, a in zip(own_operands(op), op.body.block.args, strict=True)
            )
            for each in op.body.block.ops:
                if not isinstance(each, YieldOp):
                    b.rebuild(each, local)
                    inner.follow(b, each, local)

        def made(value: Value) -> Made:
            follow()
            doubt = inner._both(b, value)
            return None if doubt is None else doubt.made()

        for result, value in zip(op.results, yields(op.body), strict=True):
            if is_float(result):
                self._final[result] = Doubt(partial(made, value))

    def _both(self, b: ArrayBuilder, x: Value, *, with_open: bool = True) -> Doubt | None:
        """The whole doubt of a value, or what remains of it."""
        final, open_ = self._final.get(x), self._open.get(x) if with_open else None
        if final is None or open_ is None:
            return final or open_
        return Doubt(lambda: sum_of(b, [final.made(), open_.made()]))

    def _enter(self, b: ArrayBuilder, found: dict[Value, Doubt], result: Value, doubt: Doubt) -> None:
        """Add a doubt of a result to what it has."""
        before = found.get(result)
        if before is None:
            found[result] = doubt
        else:
            found[result] = Doubt(lambda: sum_of(b, [before.made(), doubt.made()]))

    def _carry(
        self,
        b: ArrayBuilder,
        op: Operation,
        env: Environment,
        given: Mapping[Value, Doubt | None],
        found: dict[Value, Doubt],
    ) -> None:
        """Enter the doubts of results that come from those of operands, in addition to their own."""
        known = {o: doubt for o, doubt in given.items() if doubt is not None}

        def made(result: Value) -> Made:
            doubts = {o: x for o, doubt in known.items() if (x := doubt.made()) is not None}
            return carried(b, op, result, doubts, env) if doubts else None

        for result in op.results if known else ():
            if is_float(result) and not isinstance(op, FLAT):
                self._enter(b, found, result, Doubt(partial(made, result)))
