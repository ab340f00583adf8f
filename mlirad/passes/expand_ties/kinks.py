"""The kinks of a block: magnitudes, distances and roots, with what else has its kink in the same place.

    |x|                     a^2 = x x            0 where x = 0
    |x - y|                 a^2 = (x - y)^2      0 where x = y, as max(x, y) - min(x, y) is;
                                                 max(x, y) is the mean of both plus a / 2
    sqrt(x x + y y)         a^2 = x x + y y      0 at the origin
    max(|x|), min(|x|)      a^2 = max(x x)       0 where all elements are, or one is

A kink a is smooth but where it is 0; its square is smooth there, too. Kinks that are multiples of one another
are one: |x| and |3 x|, norm(x) and sqrt(x @ x).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import field

from xdsl.ir import Attribute, Block

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.indexing import CHOICES
from mlirad.dialects.array.reductions import ReduceOp
from mlirad.dialects.shapes import Value, is_float, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.code_jets import Symbol
from mlirad.passes.expand_ties.multiples import Forms, Multiple, same_order
from mlirad.passes.smooth_identities.roots import Emit, is_radius, magnitude_of, square_of
from mlirad.passes.smooth_identities.sides import Numbers, canonical, distance_of, numbers_of


@dataclass
class Kink:
    """A kink a, and what depends on it by itself."""

    size: Value
    """A value that is a, or -a."""
    sign: float = 1.0
    numbers: Numbers | None = None
    """The two numbers whose distance a is; a root or an extremum has none."""
    symbols: dict[Value, Symbol] = field(default_factory=dict)
    """The symbol of a value in terms of a."""
    taken: set[Value] = field(default_factory=set[Value])
    """Values that are this kink in another shape, and symbols of another one."""

    def __post_init__(self) -> None:
        self.symbols[self.size] = _as_it_is if self.sign > 0 else _negative

    def is_tie(self, b: ArrayBuilder, env: Environment) -> Value:
        """Return where a is 0: not where two infinities are equal."""
        size = env.get(self.size, self.size)
        return b.compare("eq", size, b.zeros(size.type))

    def a(self, b: ArrayBuilder, env: Environment) -> Value:
        """The kink."""
        size = env.get(self.size, self.size)
        return size if self.sign > 0 else b.neg(size)

    def square(self, b: ArrayBuilder, env: Environment) -> Value:
        """Its square."""
        if self.numbers is None:
            size = env.get(self.size, self.size)
            emit = square_of_extremum(size) or square_of(size)
            assert emit is not None
            return emit(b)
        distance = b.sub(*self._numbers(b, env))
        return b.mul(distance, distance)

    def _numbers(self, b: ArrayBuilder, env: Environment) -> tuple[Value, Value]:
        assert self.numbers is not None
        zeros = b.zeros(self.size.type)
        x, y = (zeros if v is None else env.get(v, v) for v in self.numbers)
        return x, y


def kinks_of(block: Block) -> list[Kink]:
    """The kinks of a block, in the order of its ops."""
    found = _kinks(block)
    return _joined(found) if len(found) > 1 else found


def _kinks(block: Block) -> list[Kink]:
    found: list[Kink] = []
    apart: dict[frozenset[Value | None], Kink] = {}
    for op in block.ops:
        if not op.results or not is_float(op.results[0]):
            continue
        value = op.results[0]
        distance = _distance(value)
        if distance is None:
            if is_radius(value) or square_of_extremum(value) is not None:
                found.append(Kink(value))
            continue
        numbers, sign = distance
        known = apart.get(frozenset(numbers))
        if known is None:
            apart[frozenset(numbers)] = known = Kink(value, sign, numbers)
            found.append(known)
        known.symbols[value] = _as_it_is if sign > 0 else _negative
    for op in block.ops if apart else ():
        if isinstance(op, ew.MaxOp | ew.MinOp) and magnitude_of(op.result) is None:
            known = apart.get(frozenset(numbers_of(op.lhs, op.rhs)))
            if known is not None:
                known.symbols[op.result] = _larger if isinstance(op, ew.MaxOp) else _smaller
    return found


# Multiples -----------------------------------------------------------------------------------------


def _joined(kinks: list[Kink]) -> list[Kink]:
    """The kinks, each with its multiples, if these, or what has their elements, are of the same type."""
    forms = Forms()
    alike: dict[Hashable, list[tuple[float, Kink]]] = {}
    for kink in kinks:
        multiple = _multiple(forms, kink)
        if multiple is not None:
            alike.setdefault(multiple.kind, []).append((multiple.factor, kink))
    found = list(kinks)
    for group in alike.values():
        faces = [(factor, kink, _faces(kink)) for factor, kink in group]
        shared = _shared_type([types for _, _, types in faces])
        if shared is None:
            continue
        (unit, first, values), *others = [face for face in faces if shared in face[2]]
        base = first
        if values[shared] is not first.size:
            base = Kink(values[shared], first.sign)
            first.taken.add(values[shared])
            found.insert(found.index(first), base)
        for factor, kink, values in others:
            if values[shared] is kink.size:
                found.remove(kink)
                symbols = kink.symbols
            else:
                symbols = {values[shared]: kink.symbols[kink.size]}
                kink.taken.add(values[shared])
            base.symbols.update((v, _multiplied(symbol, factor / unit)) for v, symbol in symbols.items())
    return found


def _multiple(forms: Forms, kink: Kink) -> Multiple | None:
    if kink.numbers is not None:
        return forms.of_distance(kink.size, *kink.numbers)
    return forms.of_radius(kink.size) if is_radius(kink.size) else forms.of_extremum(kink.size)


def _faces(kink: Kink) -> dict[Attribute, Value]:
    """The values that are the kink with other dimensions of extent 1, by their types; itself first."""
    found = {kink.size.type: kink.size}
    for use in kink.size.uses:
        op = use.operation
        if not isinstance(op, CHOICES) or op.parent is not kink.size.owner.parent:
            continue
        face = op.results[0]
        is_number = set(shape_of(kink.size)) | set(shape_of(face)) <= {1}
        is_same = is_number or same_order(face)[0] is kink.size
        if is_same and square_of(face) is not None:
            found.setdefault(face.type, face)
    return found


def _shared_type(faces: Sequence[Mapping[Attribute, Value]]) -> Attribute | None:
    """The first type that two kinks have, or more."""
    counts = Counter(type_ for types in faces for type_ in types)
    return next((type_ for types in faces for type_ in types if counts[type_] > 1), None)


def _multiplied(symbol: Symbol, factor: float) -> Symbol:
    return lambda b, a, operands: symbol(b, b.scaled(a, factor), operands)


def _distance(value: Value) -> tuple[Numbers, float] | None:
    """The numbers whose distance a value is, and 1; or -1 where it is the negative of that."""
    op = value.owner
    x = magnitude_of(value)
    if x is not None:
        return canonical(x, None), 1.0
    return distance_of(op) if isinstance(op, ew.SubOp) else None


def square_of_extremum(value: Value) -> Emit | None:
    """The square of the largest or smallest of magnitudes; `None` of anything else.

    It takes the place of what is written only where it is 0: elsewhere, squares that underflow would be ties.
    """
    op = value.owner
    if not isinstance(op, ReduceOp) or op.kind.data not in ("max", "min"):
        return None
    x = magnitude_of(op.operand)
    return None if x is None else lambda b: b.reduce(op.kind.data, b.mul(x, x), values_of(op.dims))


# In terms of a -------------------------------------------------------------------------------------


def _as_it_is(b: ArrayBuilder, a: Value, operands: Sequence[Value]) -> Value:
    return a


def _negative(b: ArrayBuilder, a: Value, operands: Sequence[Value]) -> Value:
    return b.neg(a)


def _larger(b: ArrayBuilder, a: Value, operands: Sequence[Value]) -> Value:
    return b.add(_mean(b, operands), b.scaled(a, 0.5))


def _smaller(b: ArrayBuilder, a: Value, operands: Sequence[Value]) -> Value:
    return b.sub(_mean(b, operands), b.scaled(a, 0.5))


def _mean(b: ArrayBuilder, operands: Sequence[Value]) -> Value:
    x, y = (b.scaled(o, 0.5) for o in operands)
    return b.add(x, y)
