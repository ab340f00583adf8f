"""The kernel of one stored value: a nest, a scatter, or an op that a library routine computes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, Operation

from mlirad.dialects import kernel
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import factorisations, indexing, ordering, reductions, structural
from mlirad.dialects.array.callbacks import CallbackOp
from mlirad.dialects.array.reporting import ReportOp
from mlirad.dialects.array.transforms import FftOp
from mlirad.dialects.extents import is_static
from mlirad.dialects.kernel.factorisations import factorisation_types
from mlirad.dialects.kernel.whole_arrays import sort_types
from mlirad.dialects.shapes import (
    FLAG,
    Shape,
    Value,
    element_of,
    ints,
    keyword,
    shape_of,
    values_of,
)
from mlirad.errors import CompileError
from mlirad.ir.arrays import ArrayBuilder, Environment, extents_of
from mlirad.ir.locations import location_of
from mlirad.lower.kernels.form_kernels.library import is_library_dot
from mlirad.lower.kernels.form_kernels.masked_scatters import MaskedScatters
from mlirad.lower.kernels.form_kernels.masked_sums import Condition
from mlirad.lower.kernels.form_kernels.materialise import must_store
from mlirad.lower.kernels.form_kernels.nest_builder import NestBuilder
from mlirad.lower.kernels.form_kernels.reader import ElementReader, reshaped

_READING: Final = (indexing.IndexOp, indexing.GatherOp, ew.CompareOp)
"""Ops that read row numbers of factorisations element by element; other ops need 64 bits in memory."""


class KernelBuilder(NestBuilder):
    """Builds the kernel of one stored value after the other."""

    def __init__(self, b: ArrayBuilder, buffers: Environment):
        super().__init__(b, buffers)
        self.masked_sums: dict[Operation, Condition] = {}
        self._masked = MaskedScatters(b, buffers)

    def copied(self, value: Value) -> Value:
        """A kernel's own copy of a value, shared with nobody."""
        region, inputs = self.region(shape_of(value), lambda r, p: [self._element(r, value, p)])
        properties: dict[str, Attribute] = {"space": ints(shape_of(value)), "reduction": ints(())}
        nest = kernel.NestOp.create(
            operands=inputs,
            result_types=[value.type],
            properties=properties,
            regions=[region],
            location=self.b.location,
        )
        self.b.block.add_op(nest)
        return nest.results[0]

    def form(self, op: Operation) -> None:
        """Make the kernel that stores the results of `op`."""
        if isinstance(op, CallbackOp):
            self._callback(op)
            return
        value = op.results[0]
        hint = value.name_hint
        match op:
            case reductions.DotOp() if is_library_dot(op):
                operands = [self.buffers[op.lhs], self.buffers[op.rhs]]
                new = self.b.emit(kernel.DotOp, operands, op.result.type, dict(op.properties))
            case reductions.SumOp() if op in self.masked_sums:
                new = self._masked.scatter(op, self.masked_sums[op])
            case reductions.SumOp():
                new = self._reduction(op.operand, values_of(op.dims), "add", op.result)
            case reductions.ReduceOp():
                new = self._reduction(op.operand, values_of(op.dims), op.kind.data, op.result)
            case reductions.ArgReductionOp():
                kind = "argmax" if isinstance(op, reductions.ArgmaxOp) else "argmin"
                new = self._reduction(op.operand, (op.dim.value.data,), kind, op.result)
            case reductions.DotOp():
                new = self._contraction(op)
            case ordering.CumulativeOp():
                new = self.b.emit(
                    kernel.CumulativeOp, [self.buffers[op.operand]], op.result.type, op.properties
                )
            case ReportOp():
                operands = [self.buffers[o] for o in op.operands]
                new = self.b.emit(kernel.ReportOp, operands, op.result.type, op.properties)
            case ordering.SortOp() | ordering.ArgsortOp():
                new = self._sorted(op)
            case factorisations.PartOp() | factorisations.CholeskyOp():
                new = self._part(op)
            case factorisations.TriangularSolveOp():
                operands = [self.buffers[o] for o in op.operands]
                new = self.b.emit(kernel.TriangularSolveOp, operands, op.result.type, op.properties)
            case FftOp():
                operands = [self.buffers[op.operand]]
                new = self.b.emit(kernel.FftOp, operands, op.result.type, op.properties)
            case indexing.ScatterOp() | indexing.UpdateOp() if must_store(op):
                new = self._scatter(op)
            case structural.ConcatenateOp() | structural.StackOp() if must_store(op):
                new = self._joined(op)
            case _:
                new = self._stored(value)
        if new.name_hint is None:
            new.name_hint = hint
        self.buffers[value] = new

    def _callback(self, op: CallbackOp) -> None:
        operands = [self.buffers[o] for o in op.operands]
        new = self.b.insert(kernel.CallbackOp, operands, op.result_types, op.properties)
        for result, buffer in zip(op.results, new.results, strict=True):
            buffer.name_hint = result.name_hint
            self.buffers[result] = buffer

    # Nests ---------------------------------------------------------------------------------------

    def _stored(self, value: Value) -> Value:
        """The nest that computes `value` element by element."""
        if 0 in shape_of(value):
            zero = element_of(value)
            return self.nest(shape_of(value), (), None, value.type, lambda r, p: [r.b.zeros(zero)])
        return self.nest(shape_of(value), (), None, value.type, lambda r, p: [r.at(value, tuple(p))])

    def _reduction(self, operand: Value, dims: Sequence[int], combiner: str, result: Value) -> Value:
        shape = shape_of(operand)
        space = shape_of(result)
        kept = [d for d in range(len(shape)) if d not in dims]
        reduced = sorted(dims)

        def body(reader: ElementReader, p: Sequence[Value]) -> list[Value]:
            loop_of = dict(zip((*kept, *reduced), p, strict=True))
            return [self._element(reader, operand, [loop_of[d] for d in range(len(shape))])]

        extents = tuple(shape[d] for d in reduced)
        return self.nest(space, extents, combiner if extents else None, result.type, body)

    def _contraction(self, op: reductions.DotOp) -> Value:
        """Sum over the contracted positions of the product of the two elements."""
        lhs_batch, rhs_batch = values_of(op.lhs_batch), values_of(op.rhs_batch)
        lhs_contract, rhs_contract = values_of(op.lhs_contract), values_of(op.rhs_contract)
        space = shape_of(op.result)
        reduction = tuple(shape_of(op.lhs)[d] for d in lhs_contract)

        def body(reader: ElementReader, p: Sequence[Value]) -> list[Value]:
            out, inner = list(p[: len(space)]), list(p[len(space) :])
            left = dict(zip((*lhs_contract, *lhs_batch), (*inner, *out), strict=False))
            right = dict(zip((*rhs_contract, *rhs_batch), (*inner, *out), strict=False))
            free = iter(out[len(lhs_batch) :])
            lhs = [left[d] if d in left else next(free) for d in range(len(shape_of(op.lhs)))]
            rhs = [right[d] if d in right else next(free) for d in range(len(shape_of(op.rhs)))]
            a, c = self._element(reader, op.lhs, lhs), self._element(reader, op.rhs, rhs)
            return [self.b.mul(a, c)]

        if not reduction:
            return self.nest(space, (), None, op.result.type, body)
        return self.nest(space, reduction, "add", op.result.type, body)

    def _element(self, reader: ElementReader, value: Value, position: Sequence[Value]) -> Value:
        if 0 in shape_of(value):
            return self.b.zeros(element_of(value))
        return reader.at(value, tuple(position))

    def _sorted(self, op: ordering.SortOp | ordering.ArgsortOp) -> Value:
        properties: dict[str, Attribute] = {"dim": op.dim}
        if isinstance(op, ordering.ArgsortOp):
            properties["positions"] = FLAG
        types = sort_types(op.operand.type, op.dim.value.data, positions="positions" in properties)
        return self.b.insert(kernel.SortOp, [self.buffers[op.operand]], types, properties).results[0]

    def _part(self, op: factorisations.PartOp | factorisations.CholeskyOp) -> Value:
        """A part of a factorisation; all parts are found at once.

        Eigenvalues and singular values are found alone where no op of the block needs vectors.
        """
        kind = op.name.removeprefix("array.")
        part = op.part.data if isinstance(op, factorisations.PartOp) else "factor"
        properties: dict[str, Attribute] = {"kind": keyword(kind)}
        if part == "values" and not _has_vectors(op):
            properties["values"] = FLAG
        is_complex = op.complex is not None
        types = factorisation_types(
            kind, op.operand.type, values="values" in properties, is_complex=is_complex
        )
        if is_complex:
            properties["complex"] = FLAG
        new = self.b.insert(kernel.FactorisationOp, [self.buffers[op.operand]], types, properties)
        assert isinstance(new, kernel.FactorisationOp)
        made = new.results[new.parts.index(part)]
        if element_of(made) == element_of(op.result) or all(
            isinstance(use.operation, _READING) for use in op.result.uses
        ):
            return made
        self.buffers[op.result] = made
        return self._stored(op.result)

    # Scatters ------------------------------------------------------------------------------------

    def _scatter(self, op: indexing.ScatterOp | indexing.UpdateOp) -> Value:
        count = len(extents_of(op))
        value, target = self._in_rows(op), shape_of(op.result)
        space = shape_of(value)
        updating = isinstance(op, indexing.UpdateOp)

        def body(reader: ElementReader, p: Sequence[Value]) -> list[Value]:
            if 0 in space or 0 in target:
                nowhere = [self.b.index_constant(0)] * len(target)
                return [self.b.zeros(element_of(value)), *nowhere, self.b.constant(False, i1)]
            joined = reshaped(self.b, tuple(p), space, shape_of(op.operand))
            positions = reader.region_positions(op.body, joined[:count], ())
            return self._guarded(reader, value, op, positions, p, joined[count:], target)

        region, inputs = self.region(space, body)
        properties: dict[str, Attribute] = {"space": ints(space)}
        if updating:
            properties["kind"] = op.kind
            base = self.buffers.get(op.base)
            if base is None:
                raise CompileError("the base of an update must be stored", location=location_of(op))
            inputs = [base, *(i for i in inputs if i is not base)]
        else:
            properties["kind"] = keyword("add")
            properties["from_zero"] = FLAG
        return self.b.emit(kernel.ScatterOp, inputs, op.result.type, properties, (region,))

    def _in_rows(self, op: indexing.ScatterOp | indexing.UpdateOp) -> Value:
        """The array whose elements are written, as it was before its dimensions were joined: the positions in
        it are those of the loops, and not quotients and remainders of one. The order is the same.
        """
        source = op.operand.owner
        if not isinstance(source, structural.ReshapeOp) or op.operand in self.buffers:
            return op.operand
        rows = shape_of(source.operand)
        joins = len(extents_of(op)) == len(shape_of(op.operand)) == 1 < len(rows) and all(
            map(is_static, rows)
        )
        return source.operand if joins and 0 not in rows else op.operand

    def _guarded(
        self,
        reader: ElementReader,
        operand: Value,
        op: indexing.ScatterOp | indexing.UpdateOp,
        positions: Sequence[Value],
        p: Sequence[Value],
        rest: Sequence[Value],
        target: Shape,
    ) -> list[Value]:
        """Value, positions and guard of one step: adding 0 outside is the same as not adding."""
        b = self.b
        value = reader.at(operand, tuple(p))
        adds = isinstance(op, indexing.ScatterOp) or op.kind.data == "add"
        source = value.owner
        if adds and isinstance(source, ew.SelectOp):
            zero = b.scalar_of(source.on_false)
            if zero == 0:
                guard = source.condition
                inner = [
                    q if reader.inside.is_inside(q, e, (guard,)) else b.clamp(q, e)
                    for q, e in zip(positions, target, strict=False)
                ]
                return [source.on_true, *inner, *rest, guard]
        inner = [b.clamp(q, e) for q, e in zip(positions, target, strict=False)]
        return [value, *inner, *rest]

    def _joined(self, op: structural.ConcatenateOp | structural.StackOp) -> Value:
        """Many parts written one after the other into one array."""
        dim = op.dim.value.data
        stacking = isinstance(op, structural.StackOp)
        result: Value | None = None
        offset = 0
        for part in op.parts:
            space = shape_of(part)
            extent = 1 if stacking else space[dim]
            if 0 in space:
                continue

            def body(
                reader: ElementReader, p: Sequence[Value], part: Value = part, offset: int = offset
            ) -> list[Value]:
                start = self.b.index_constant(offset)
                here = [start] if stacking else [self.b.add(p[dim], start)]
                rest = p[dim:] if stacking else p[dim + 1 :]
                return [reader.at(part, tuple(p)), *p[:dim], *here, *rest]

            region, inputs = self.region(space, body)
            properties: dict[str, Attribute] = {"space": ints(space), "kind": keyword("set")}
            if result is None:
                properties["from_zero"] = FLAG
            else:
                inputs = [result, *(i for i in inputs if i is not result)]
            result = self.b.emit(kernel.ScatterOp, inputs, op.result.type, properties, (region,))
            offset += extent
        return self._stored(op.result) if result is None else result


def _has_vectors(op: Operation) -> bool:
    """Return whether an op of the same block needs other parts of a factorisation."""
    (operand,) = op.operands
    users = [use.operation for use in operand.uses]
    return any(type(user) is type(op) and user.parent is op.parent and user is not op for user in users)
