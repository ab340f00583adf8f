"""Odd functions that are written with a magnitude and a sign: sign(x) f(|x|) and copysign(f(|x|), x).

    sign(x) log1p(|x|)        where x = 0: x, its derivative at 0 times x, elsewhere as it is
    copysign(x, x)            x

Both factors have the derivative 0 at x = 0, where that of the product is f'(0) if f(0) = 0. Its second one,
which may have two limits there, is 0, their mean.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.indexing import MOVES
from mlirad.dialects.shapes import Value
from mlirad.errors import DifferentiationError
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.free_values import own_operands
from mlirad.ir.structural import scalar_of
from mlirad.passes.smooth_identities.products import factors_of, replaced
from mlirad.passes.smooth_identities.roots import magnitude_of, sign_of

_MOST_OPS = 40
"""The most ops in which a magnitude is looked for."""


def odd_product(b: ArrayBuilder, x: Value, y: Value) -> Value | None:
    """x y, if one has the sign of something as a factor, and the other a function of its magnitude."""
    for signs, others, is_left in ((x, y, True), (y, x, False)):
        for sign in factors_of(signs):
            inside = sign_of(sign)
            if inside is None:
                continue
            for size in factors_of(others):
                line = _line(b, size, inside)
                if line is None:
                    continue
                unit = b.splat(1.0, sign.type)
                sides = replaced(b, signs, sign, unit), replaced(b, others, size, line)
                at_zero = b.mul(*(sides if is_left else sides[::-1]))
                return _where_zero(b, inside, b.add(at_zero, b.zeros(x.type)), b.mul(x, y))
    return None


def with_sign(b: ArrayBuilder, size: Value, x: Value) -> Value | None:
    """copysign(size, x), if the size is x, or a function of |x|."""
    if size is x:
        return x
    line = _line(b, size, x)
    return None if line is None else _where_zero(b, x, line, b.binary(ew.CopysignOp, size, x))


def _where_zero(b: ArrayBuilder, x: Value, value: Value, other: Value) -> Value:
    return b.select(b.compare("eq", x, b.zeros(x.type)), value, other)


def _line(b: ArrayBuilder, value: Value, x: Value) -> Value | None:
    """f'(0) x, where a value is f(|x|) with f(0) = 0; `None` if it does not have this form."""
    if magnitude_of(value) is x:
        return x
    if not _between(value, x, _any):
        return None
    from mlirad.passes.code_jets import is_followed, polynomials

    ops = _between(value, x, is_followed)
    sizes = [op.results[0] for op in ops if magnitude_of(op.results[0]) is x]
    if not sizes:
        return None
    try:
        (f,) = polynomials(b, ops, [value], dict.fromkeys(sizes, lambda b, a, operands: a), {}, degree=1)
    except DifferentiationError:
        return None
    return None if f.linear is None or scalar_of(f.constant) != 0 else b.absorbing_mul(f.linear, x)


def _any(_: Operation) -> bool:
    return True


def _between(value: Value, x: Value, is_followed: Callable[[Operation], bool]) -> list[Operation]:
    """The ops that make a value of |x|, in order; none if it is made of too many, or of none."""
    found: list[Operation] = []
    seen: dict[Operation, bool] = {}

    def visit(v: Value) -> bool:
        """Return whether a value depends on |x|."""
        op = v.owner
        if not isinstance(op, Operation) or len(seen) >= _MOST_OPS:
            return False
        if op not in seen:
            seen[op] = magnitude_of(v) is x
            if not seen[op] and is_followed(op) and not isinstance(op, MOVES):
                reached = [visit(o) for o in own_operands(op)]
                seen[op] = any(reached)
            if seen[op]:
                found.append(op)
        return seen[op]

    return found if visit(value) and len(seen) < _MOST_OPS else []
