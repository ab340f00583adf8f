"""Code of a function once more, with all columns: of arrays of vectors for other vectors, of spectral values
at constants.

    %v = array.eigh vectors %a
    %u = array.slice %v [:, 1:3]           image of %y: %v' = all columns of other vectors, %v'
    %y = array.dot %u, %b                               array.dot %v', %b

An array of vectors is linear in them, so its image is the same code on other matrices; factors are left out.
A value that is computed of eigenvalues is computed of constants. Where some columns are taken both have all,
and what does not depend on the columns is repeated along them.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import i64
from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import indexing, structural
from mlirad.dialects.array.factorisations import EighOp, SvdOp
from mlirad.dialects.array.reductions import DotOp, SumOp
from mlirad.dialects.shapes import Value, element_of, is_boolean, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder, Environment, Images, extents_of
from mlirad.ir.builder import yields
from mlirad.ir.free_values import own_operands
from mlirad.passes.spectral_functions.facts import ALL, Pick, Spectral, Vectors
from mlirad.passes.spectral_functions.jets import unrepeated
from mlirad.passes.spectral_functions.reading import Reading
from mlirad.passes.spectral_functions.sources import FRAMES, complex_part

Source = Callable[[EighOp | SvdOp, int | None], Value]
"""The images of vectors: real ones, or their real (0) or imaginary (1) part."""


class SpectralImages(Images):
    """The images of a function's values in code with its matrices' own frames."""

    def __init__(self, b: ArrayBuilder, env: Environment, reading: Reading):
        self.b = b
        self.env = env
        self.reading = reading

    # Vectors ---------------------------------------------------------------------------------------

    def vectors(self, x: Value, source: Source) -> Value:
        """The image of an array of vectors, without its factors."""
        made: dict[Value, Value] = {}

        def image(v: Value) -> Value:
            if v not in made:
                made[v] = self._vectors(v, source, image)
            return made[v]

        return image(x)

    def _vectors(self, x: Value, source: Source, image: Callable[[Value], Value]) -> Value:
        b, op = self.b, x.owner
        fact = self.reading.facts[x]
        assert isinstance(op, Operation) and isinstance(fact, Vectors)
        if isinstance(op, FRAMES):
            return source(op, None)
        if isinstance(op, structural.SliceOp):
            part = complex_part(op)
            if part is not None:
                found = source(*part)
                return b.reshape(found, (*shape_of(found), 1))
        shape = self._whole_shape(x, fact)
        if isinstance(op, ew.AddOp | ew.SubOp):
            return b.binary(type(op), image(op.lhs), image(op.rhs))
        operand = own_operands(op)[self.reading.through.get(x, 0)]
        y = image(operand)
        if isinstance(op, ew.ElementwiseOp):
            return self._elementwise(op, operand, y, fact, shape)
        if isinstance(op, DotOp):
            return self._contracted(op, operand, y, shape)
        return self._moved(op, y, fact, shape)

    def _elementwise(
        self, op: ew.ElementwiseOp, operand: Value, y: Value, fact: Vectors, shape: tuple[int, ...]
    ) -> Value:
        b = self.b
        if isinstance(op, ew.NegOp):
            return b.neg(y)
        if isinstance(op, ew.ConvertOp):
            return b.convert(y, element_of(op.result))
        if isinstance(op, ew.SelectOp):
            condition = self.spread(op.condition, fact.label, shape)
            if condition is None:
                return y
            zeros = b.zeros(y.type)
            return b.select(condition, y, zeros) if operand is op.on_true else b.select(condition, zeros, y)
        left, right = own_operands(op)
        other = self.spread(right if operand is left else left, fact.label, shape)
        return y if other is None else b.apply_elementwise(type(op), [y, other])

    def spread(self, x: Value, label: int, shape: tuple[int, ...]) -> Value | None:
        """Return what does not depend on the columns, repeated along all; `None` for what does: it is a
        factor.
        """
        core, dims = unrepeated(x)
        if not shape_of(x):
            return self.value(x)
        return None if label in dims else self.b.broadcast(self.value(core), shape, dims)

    def _contracted(self, op: DotOp, operand: Value, y: Value, shape: tuple[int, ...]) -> Value:
        """A contraction with another array; with a diagonal matrix, whose elements are a factor, a move."""
        b, k = self.b, 0 if operand is op.lhs else 1
        fact, made = self.reading.facts[operand], self.reading.facts[op.result]
        assert isinstance(fact, Vectors) and isinstance(made, Vectors)
        if fact.label in op.contract[k]:
            from_ = [d for d in range(len(shape_of(y))) if d not in (*op.batch[k], fact.label)]
            order = [*op.batch[k], *from_]
            order.insert(made.label, fact.label)
            return b.transpose(y, order)
        other = self.value(own_operands(op)[1 - k])
        pair = (y, other) if k == 0 else (other, y)
        return b.dot(*pair, *op.batch, *op.contract)

    def _moved(self, op: Operation, y: Value, fact: Vectors | Spectral, shape: tuple[int, ...]) -> Value:
        """An op that moves elements or adds some, on all columns."""
        b, label = self.b, fact.label
        match op:
            case structural.BroadcastOp():
                return b.broadcast(y, shape, values_of(op.dims))
            case structural.TransposeOp():
                return b.transpose(y, values_of(op.permutation))
            case structural.ReshapeOp():
                return b.reshape(y, shape)
            case structural.SliceOp():
                bounds = [list(values_of(v)) for v in (op.starts, op.limits, op.strides)]
                bounds[0][label], bounds[1][label], bounds[2][label] = 0, shape_of(y)[label], 1
                return b.slice(y, *bounds)
            case structural.ReverseOp():
                return b.reverse(y, [d for d in values_of(op.dims) if d != label])
            case structural.PadOp():
                fill = b.zeros(self.value(op.value).type)
                return b.pad(y, fill, values_of(op.low), values_of(op.high), values_of(op.interior))
            case SumOp():
                return b.sum(y, values_of(op.dims))
            case indexing.GatherOp():
                return self._gathered(op, y, shape)
            case indexing.IndexOp():
                return b.index(y, [self.value(p) for p in op.positions])
            case _:
                raise AssertionError(f"{op.name} has no image")

    def _gathered(self, op: indexing.GatherOp, y: Value, shape: tuple[int, ...]) -> Value:
        """A gather that takes all columns in their order."""
        b = self.b
        fact = self.reading.facts[op.operand]
        made = self.reading.facts[op.result]
        assert isinstance(fact, Vectors | Spectral) and isinstance(made, Vectors | Spectral)
        count = len(extents_of(op))
        targets = yields(op.body)

        def positions(*indices: Value) -> list[Value]:
            places = b.inline_region(op.body, indices, self.env)
            if fact.label < len(targets):
                places[fact.label] = indices[made.label]
            return places

        return b.gather(y, shape[:count], positions)

    def _whole_shape(self, x: Value, fact: Vectors | Spectral) -> tuple[int, ...]:
        shape = list(shape_of(x))
        shape[fact.label] = fact.frame.extent
        return tuple(shape)

    # Values ----------------------------------------------------------------------------------------

    def spectral(self, x: Value, fact: Spectral, nodes: Value) -> Value:
        """Return what is computed of the values of a frame, at `nodes` instead and for all columns."""
        made: dict[Value, Value] = {}

        def image(v: Value) -> Value:
            if v not in made:
                made[v] = self._spectral(v, fact, nodes, image)
            return made[v]

        return image(x)

    def _spectral(self, x: Value, at: Spectral, nodes: Value, image: Callable[[Value], Value]) -> Value:
        b, op = self.b, x.owner
        fact = self.reading.facts[x]
        assert isinstance(op, Operation) and isinstance(fact, Spectral)
        if isinstance(op, FRAMES):
            return nodes
        shape = self._whole_shape(x, fact)
        if not isinstance(op, ew.ElementwiseOp):
            return self._moved(op, image(own_operands(op)[0]), fact, shape)
        operands: list[Value] = []
        for operand in own_operands(op):
            if isinstance(self.reading.facts.get(operand), Spectral):
                operands.append(image(operand))
                continue
            spread = self.spread(operand, fact.label, shape)
            if spread is None:
                spread = self.whole(operand, fact.label, fact.pick, fact.frame.extent)
            operands.append(spread)
        return b.apply_elementwise(type(op), operands, op.properties, element_of(op.results[0]))

    def whole(self, x: Value, label: int, pick: Pick, extent: int) -> Value:
        """An array that has numbers for the columns taken, with zeros for all others."""
        b, value = self.b, self.value(x)
        if pick == ALL:
            return value
        if is_boolean(value):
            numbers = self._placed(b.convert(value, i64), label, pick, extent)
            return b.compare("ne", numbers, b.zeros(numbers.type))
        return self._placed(value, label, pick, extent)

    def _placed(self, value: Value, label: int, pick: Pick, extent: int) -> Value:
        b, shape = self.b, list(shape_of(value))
        shape[label] = extent
        index = self._index_of(pick)

        def positions(*indices: Value) -> list[Value]:
            return [b.index(index, [i]) if d == label else i for d, i in enumerate(indices)]

        return b.scatter(value, len(shape), shape, positions)

    def _index_of(self, pick: Pick) -> Value:
        """The positions of the columns taken."""
        b = self.b
        positions = None if pick.positions is None else b.constant(list(pick.positions), i64)
        if pick.index is None:
            assert positions is not None
            return positions
        index = self.value(pick.index)
        if positions is None:
            return index
        return b.gather(index, shape_of(positions), self._reading_from(positions))

    def is_taken(self, pick: Pick, extent: int) -> Value | None:
        """Booleans that say which of all columns are taken; `None` if all are."""
        b = self.b
        if pick == ALL:
            return None
        index = self._index_of(pick)
        if shape_of(index) == (extent,):
            return None
        counts = b.scatter(b.splat(1, index.type), 1, [extent], self._reading_from(index))
        return b.compare("ne", counts, b.zeros(counts.type))

    def _reading_from(self, index: Value) -> Callable[..., list[Value]]:
        return lambda *place: [self.b.index(index, place)]
