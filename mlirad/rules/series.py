"""The series table: how each Taylor coefficient of a result follows from those of the operands.

    SERIES[op class] = a function (b, op, c, k) -> the coefficient of order k >= 1 of the result
                       c(value, j) -> the coefficient of order j of an operand, or of the result below order k

    add x y = z        z_k = x_k + y_k                               linear ops act on each coefficient
    mul x y = z        z_k = x_0 y_k + x_1 y_(k-1) + ...             products are convolutions
    div x y = z        z_k = (x_k - y_1 z_(k-1) - y_2 z_(k-2) - ...) / y_0
    sin x = y          k y_k = 1 x_1 c_(k-1) + 2 x_2 c_(k-2) + ...   where c = cos x, dy = c dx

The last form is that of every smooth elementwise op: its factor c is the one of the derivative table, and is
made of ops of this table, among them the op itself, as in exp, or others that need it, as cos does sin. So
the recurrences of the elementary functions are those that their differential equations give, all of cost k,
and a function of an op table has a series as soon as it has a derivative. `None` stands for a coefficient
that is 0. An op in `BY_DERIVATIVE` has a derivative that is not a factor; k y_k is the coefficient of order k
- 1 of its image.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import factorisations, ordering, reductions
from mlirad.dialects.linear.linearity import ALL, LINEAR_IN
from mlirad.dialects.shapes import Value, shape_of
from mlirad.ir.arrays import ArrayBuilder, Environment, extents_of
from mlirad.ir.free_values import own_operands
from mlirad.rules.elementwise_derivatives import BINARY, UNARY
from mlirad.rules.special_derivatives.table import special_coefficient

Coefficients: TypeAlias = Callable[[Value, int], Value | None]
"""The coefficient of a value of an order, `None` for 0; of order 0 it is the value."""

SeriesRule: TypeAlias = Callable[[ArrayBuilder, Any, Coefficients, int], Value | None]


def total(b: ArrayBuilder, terms: Sequence[Value]) -> Value | None:
    """The sum of terms, `None` of none."""
    found: Value | None = None
    for term in terms:
        found = term if found is None else b.add(found, term)
    return found


# Linear and bilinear ops -------------------------------------------------------------------------


def _linear(b: ArrayBuilder, op: Operation, c: Coefficients, k: int) -> Value | None:
    """The op on the coefficients of the operands in which it is linear."""
    operands = own_operands(op)
    (group,) = LINEAR_IN[type(op)]
    places = range(len(operands)) if group == (ALL,) else group
    parts = {n: c(operands[n], k) for n in places}
    if all(part is None for part in parts.values()):
        return None
    given = list(operands)
    for n, part in parts.items():
        given[n] = b.zeros(operands[n].type) if part is None else part
    return applied(b, op, given)


def applied(b: ArrayBuilder, op: Operation, operands: Sequence[Value]) -> Value:
    """An op like this one on other operands; what its regions capture stays."""
    if op.regions:
        regions = [b.clone_region(region, {}, extents_of(op)) for region in op.regions]
        return b.insert(type(op), operands, op.result_types, op.properties, regions).results[0]
    own = own_operands(op)
    if len(set(own)) == len(own):
        env: Environment = dict(zip(own, operands, strict=True))
        b.rebuild(op, env)
        return env[op.results[0]]
    if isinstance(op, ew.ElementwiseOp):
        return b.apply_elementwise(type(op), operands, op.properties)
    return b.insert(type(op), operands, op.result_types, op.properties).results[0]


def _same(b: ArrayBuilder, op: ew.DeviationOp, c: Coefficients, k: int) -> Value | None:
    """Those of the operand: a deviation moves with it."""
    return c(op.operand, k)


def _product(b: ArrayBuilder, op: Operation, c: Coefficients, k: int) -> Value | None:
    """The convolution of the coefficients of two operands."""
    x, y = own_operands(op)
    pairs = ((c(x, j), c(y, k - j)) for j in range(k + 1))
    return total(b, [applied(b, op, (p, q)) for p, q in pairs if p is not None and q is not None])


def _quotient(b: ArrayBuilder, op: ew.DivOp, c: Coefficients, k: int) -> Value | None:
    """The coefficient k of z, from those of z y = x."""
    x, y = own_operands(op)
    rest = _remainder(b, c, k, c(x, k), lambda j, z: b.mul(j, z), y, op.results[0])
    return None if rest is None else b.div(rest, y)


def _remainder(
    b: ArrayBuilder,
    c: Coefficients,
    k: int,
    given: Value | None,
    times: Callable[[Value, Value], Value],
    factor: Value,
    result: Value,
) -> Value | None:
    """The coefficient k of factor * result, less what the lower ones of the result contribute."""
    pairs = ((c(factor, j), c(result, k - j)) for j in range(1, k + 1))
    taken = total(b, [times(p, q) for p, q in pairs if p is not None and q is not None])
    if taken is None:
        return given
    return b.neg(taken) if given is None else b.sub(given, taken)


def _solution(b: ArrayBuilder, op: factorisations.SolveOp, c: Coefficients, k: int) -> Value | None:
    """The coefficient k of X, from those of A X = B."""
    matrix, operand = own_operands(op)
    batch = range(len(shape_of(matrix)) - 2)
    row = len(batch)

    def times(a: Value, x: Value) -> Value:
        return b.dot(a, x, batch, batch, (row + 1,), (row,))

    rest = _remainder(b, c, k, c(operand, k), times, matrix, op.results[0])
    return None if rest is None else applied(b, op, (matrix, rest))


# Powers ------------------------------------------------------------------------------------------

MOST_MULTIPLIED = 64
"""The highest exponent at which a power is a product."""


def _power(b: ArrayBuilder, op: ew.PowOp, c: Coefficients, k: int) -> Value | None:
    """x^a for a number a: x z' = a x' z, so k x_0 z_k is the sum of (a j - (k - j)) x_j z_(k-j).

    At x = 0 the coefficients below order a are 0. For whole exponents see `multiplied`.
    """
    x, exponent = own_operands(op)
    a = b.scalar_of(exponent)
    assert a is not None
    terms: list[Value] = []
    for j in range(1, k + 1):
        part, lower = c(x, j), c(op.results[0], k - j)
        weight = a * j - (k - j)
        if part is not None and lower is not None and weight:
            terms.append(b.mul(b.scaled(part, weight / k), lower))
    summed = total(b, terms)
    if summed is None:
        return None
    quotient = b.div(summed, x)
    if k >= a:
        return quotient
    zero = b.zeros(x.type)
    return b.select(b.compare("eq", x, zero), zero, quotient)


def multiplied(b: ArrayBuilder, op: Operation) -> Value | None:
    """A power with a small whole exponent as products, which have coefficients at 0 too; else `None`."""
    if not isinstance(op, ew.PowOp):
        return None
    x, exponent = own_operands(op)
    a = b.scalar_of(exponent)
    if a is None or a != int(a) or not 1 <= a <= MOST_MULTIPLIED:
        return None
    found: Value | None = None
    square, rest = x, int(a)
    while rest:
        if rest % 2:
            found = square if found is None else b.mul(found, square)
        rest //= 2
        if rest:
            square = b.mul(square, square)
    return found


# Smooth elementwise ops --------------------------------------------------------------------------


def factor_of(b: ArrayBuilder, op: Operation, place: int) -> Value | None:
    """The factor of the tangent of an operand in the derivative table; `None` where that is 0.

    Raises `DifferentiationError` for a special function without a formula.
    """
    operands, result = own_operands(op), op.results[0]
    if isinstance(op, ew.SpecialOp):
        return special_coefficient(place)(b, op)
    assert isinstance(op, ew.ElementwiseOp)
    if type(op) in UNARY:
        return UNARY[type(op)](b, operands[0], result)
    coefficient = BINARY[type(op)][place]
    return None if coefficient is None else coefficient(b, operands[0], operands[1], result)


def by_factors(
    b: ArrayBuilder, op: Operation, factors: Sequence[Value | None], c: Coefficients, k: int
) -> Value | None:
    """The coefficient of a smooth elementwise op from those of its operands and of its factors."""
    last: list[Value] = []
    lower: list[Value] = []
    for operand, factor in zip(own_operands(op), factors, strict=True):
        for j in range(1, k + 1):
            part, rate = c(operand, j), None if factor is None else c(factor, k - j)
            if part is None or rate is None:
                continue
            if j == k:
                last.append(b.absorbing_mul(rate, part))
            else:
                lower.append(b.absorbing_mul(rate, b.scaled(part, j)))
    summed = total(b, lower)
    return total(b, last if summed is None else [*last, b.scaled(summed, 1 / k)])


# The table ---------------------------------------------------------------------------------------

_BILINEAR = (ew.MulOp, ew.AbsorbingMulOp, reductions.DotOp)
_NO_LINEAR_PART = (
    ew.DivOp,
    ordering.CumulativeOp,
    factorisations.TriangularSolveOp,
    factorisations.SolveOp,
)

SERIES: dict[type[Operation], SeriesRule] = {
    **{op: _linear for op, groups in LINEAR_IN.items() if len(groups) == 1 and op not in _NO_LINEAR_PART},
    **dict.fromkeys(_BILINEAR, _product),
    ew.DivOp: _quotient,
    ew.DeviationOp: _same,
    factorisations.SolveOp: _solution,
    ew.PowOp: _power,
}
"""The ops whose coefficients follow from those of their operands at once."""

FACTORED: frozenset[type[Operation]] = frozenset((*UNARY, *BINARY, ew.SpecialOp)) - frozenset(SERIES)
"""The smooth elementwise ops, by the factors of the derivative table."""

BY_DERIVATIVE: frozenset[type[Operation]] = frozenset(
    (
        ew.MaxOp,
        ew.MinOp,
        reductions.ReduceOp,
        ordering.SortOp,
        ordering.CumulativeOp,
        factorisations.LuOp,
        factorisations.CholeskyOp,
        factorisations.QrOp,
        factorisations.EighOp,
        factorisations.SvdOp,
        factorisations.EigOp,
        factorisations.SchurOp,
        factorisations.TriangularSolveOp,
    )
)
"""The ops by the image of the tangent under their derivative."""


def has_own_rule(b: ArrayBuilder, op: Operation) -> bool:
    """Tell whether an op is in `SERIES`, with these operands and properties."""
    match op:
        case ew.PowOp():
            return b.scalar_of(own_operands(op)[1]) is not None
        case factorisations.SolveOp():
            return op.complex is None and len(shape_of(op.operand)) == len(shape_of(op.matrix))
        case _:
            return type(op) in SERIES
