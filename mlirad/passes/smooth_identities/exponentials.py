"""Logarithms of sums of two exponentials that are written with an extremum and a distance.

    max(x, y) + log1p(exp(-|x - y|))        logaddexp(x, y)
    max(x, 0) + log1p(exp(-|x|))            softplus(x)
    min(x, y) - log1p(exp(-|x - y|))        -logaddexp(-x, -y)

Where x = y the kinks of both terms cancel; each by itself has a first derivative there, and no second one.
Where the terms do not stand beside each other, as in max(x, 0) - x y + log1p(exp(-|x|)), the order of the sum
tells small results from rounding, and stays.

The tail may also be written as log(1 + exp(-|x - y|)) or -log(1 / (1 + exp(-|x - y|))), the distance as
max(x, y) - min(x, y), and the larger one of x and 0 as where(x > 0, x, 0).
"""

from __future__ import annotations

from collections.abc import Iterator

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.structural import scalar_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.smooth_identities.roots import are_opposite, magnitude_of
from mlirad.passes.smooth_identities.sides import Test, sided


@dataclass(frozen=True)
class _Pair:
    """Two numbers; the second one is 0 if it is missing."""

    x: Value
    y: Value | None

    def negated(self, b: ArrayBuilder) -> _Pair:
        """The pair of the negative numbers."""
        return _Pair(b.neg(self.x), None if self.y is None else b.neg(self.y))

    def log_sum(self, b: ArrayBuilder) -> Value:
        """The logarithm of the sum of the exponentials."""
        if self.y is None:
            return b.unary(ew.SoftplusOp, self.x)
        is_larger = b.compare("ge", self.x, self.y)
        larger, smaller = b.select(is_larger, self.x, self.y), b.select(is_larger, self.y, self.x)
        return b.add(larger, b.unary(ew.SoftplusOp, b.sub(smaller, larger)))


def log_sum(b: ArrayBuilder, x: Value, y: Value) -> Value | None:
    """x + y as the logarithm of a sum of exponentials, if it is one."""
    for one, other in ((x, y), (y, x)):
        pair = _extremum(other, _tail(one), largest=True)
        if pair is not None:
            return pair.log_sum(b)
    return None


def log_sum_of_difference(b: ArrayBuilder, x: Value, y: Value) -> Value | None:
    """x - y as the logarithm of a sum of exponentials, or the negative of one, if it is one."""
    if isinstance(x.owner, ew.NegOp):
        found = log_sum(b, x.owner.operand, y)
        return None if found is None else b.neg(found)
    pair = _extremum(x, _tail(y), largest=False)
    if pair is not None:
        return b.sub(b.zeros(x.type), pair.negated(b).log_sum(b))
    pair = _extremum(y, _tail(x), largest=False)
    return None if pair is None else pair.negated(b).log_sum(b)


# Parts ---------------------------------------------------------------------------------------------


def beside_choice(b: ArrayBuilder, x: Value, y: Value) -> tuple[Value, Value] | None:
    """The operands of a sum, if one has where(x > 0, x, 0) as a term and the other the tail that fits it.

    The distance in the tail takes the side that the choice takes. So the sum keeps its order.
    """
    test = _matching_choice(x, y)
    if test is not None:
        return x, sided(b, y, test)
    test = _matching_choice(y, x)
    return None if test is None else (sided(b, x, test), y)


def _matching_choice(x: Value, y: Value) -> Test | None:
    """The test by which a term of x is chosen, if y has the tail for it."""
    for term in _terms(x):
        choice = term.owner
        chosen = _extremum_of(term, largest=True) if isinstance(choice, ew.SelectOp) else None
        if chosen is None or not isinstance(choice, ew.SelectOp):
            continue
        for pair in (pair for other in _terms(y) for pair in _tail(other)):
            if pair.y is None and (pair.x is chosen.x or are_opposite(pair.x, chosen.x)):
                return Test.of(choice.condition)
    return None


def _terms(value: Value, depth: int = 4) -> Iterator[Value]:
    """Yield what a value is a sum of, with any factors."""
    op = value.owner
    if isinstance(op, ew.AddOp | ew.SubOp) and depth:
        yield from _terms(op.lhs, depth - 1)
        yield from _terms(op.rhs, depth - 1)
    elif isinstance(op, ew.NegOp):
        yield from _terms(op.operand, depth)
    else:
        yield value


def _tail(value: Value) -> list[_Pair]:
    """The pairs x, y for which a value is log(1 + exp(-|x - y|))."""
    op = value.owner
    match op:
        case ew.Log1pOp() if isinstance(op.operand.owner, ew.ExpOp):
            return list(_distances(op.operand.owner.operand))
        case ew.SoftplusOp():
            return list(_distances(op.operand))
        case ew.LogOp():
            exponent = exponent_of_one_more(op.operand)
            return [] if exponent is None else list(_distances(exponent))
        case ew.NegOp() if isinstance(op.operand.owner, ew.LogOp):
            share = op.operand.owner.operand.owner
            if isinstance(share, ew.DivOp) and scalar_of(share.lhs) == 1:
                exponent = exponent_of_one_more(share.rhs)
                return [] if exponent is None else list(_distances(exponent))
            return list(_between(share.operand)) if isinstance(share, ew.LogisticOp) else []
        case _:
            return []


def is_distance(value: Value) -> bool:
    """Return whether a value is -|x - y| for some numbers."""
    return any(True for _ in _distances(value))


def exponent_of_one_more(value: Value) -> Value | None:
    """The t of 1 + exp(t)."""
    op = value.owner
    if isinstance(op, ew.AddOp):
        for one, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            if scalar_of(one) == 1 and isinstance(other.owner, ew.ExpOp):
                return other.owner.operand
    return None


def _distances(value: Value) -> Iterator[_Pair]:
    """The pairs x, y for which a value is -|x - y|."""
    op = value.owner
    match op:
        case ew.NegOp():
            yield from _between(op.operand)
        case ew.SubOp():
            yield from _apart(op.rhs, op.lhs)
        case _:
            pass


def _between(value: Value) -> Iterator[_Pair]:
    """The pairs x, y for which a value is |x - y|."""
    op = value.owner
    x = magnitude_of(value)
    if x is not None:
        yield _Pair(x, None)
        if isinstance(x.owner, ew.SubOp):
            yield _Pair(x.owner.lhs, x.owner.rhs)
    elif isinstance(op, ew.SubOp):
        yield from _apart(op.lhs, op.rhs)


def _apart(larger: Value, smaller: Value) -> Iterator[_Pair]:
    """The pair whose larger number and smaller number are these values."""
    one, other = larger.owner, smaller.owner
    if not isinstance(one, ew.MaxOp) or not isinstance(other, ew.MinOp):
        return
    if {one.lhs, one.rhs} == {other.lhs, other.rhs}:
        yield _pair_of(one)


def _pair_of(op: ew.MaxOp | ew.MinOp) -> _Pair:
    for one, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        if scalar_of(other) == 0:
            return _Pair(one, None)
    return _Pair(op.lhs, op.rhs)


def _extremum(value: Value, pairs: list[_Pair], *, largest: bool) -> _Pair | None:
    """The first of the pairs, or of their negatives, whose larger or smaller number is a value."""
    found = _extremum_of(value, largest=largest) if pairs else None
    if found is None:
        return None
    for pair in pairs:
        if {found.x, found.y} == {pair.x, pair.y}:
            return found
        if found.y is None and pair.y is None and are_opposite(found.x, pair.x):
            return found
    return None


def _extremum_of(value: Value, *, largest: bool) -> _Pair | None:
    op = value.owner
    if isinstance(op, ew.MaxOp if largest else ew.MinOp):
        return _pair_of(op)
    if isinstance(op, ew.SelectOp):
        test = Test.of(op.condition)
        if test is None:
            return None
        for x, holds in ((test.positive, largest), (test.negative, not largest)):
            chosen, other = (op.on_true, op.on_false) if holds else (op.on_false, op.on_true)
            if x is not None and chosen is x and scalar_of(other) == 0:
                return _Pair(x, None)
    return None
