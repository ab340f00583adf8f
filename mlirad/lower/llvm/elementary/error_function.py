"""erf, erfc and erfinv.

Up to ½ (erf: 1) erf is x + x Q(x²). Beyond, erfc x = exp(-x²) G(t)/(1 + x) with t = (x - 3)/(x + 3),
the square taken in two parts.

erfinv x is x (√π/2 + w P(w)) for w = -log(1 - x²) up to 5, where |x| is 0.9966, and √w Q(√w) beyond.
(M. Giles, *Approximating the erfinv function*, GPU Computing Gems, 2011.)
"""

from __future__ import annotations

from math import pi, sqrt

from mlirad.lower.llvm.elementary import coefficients as c
from mlirad.lower.llvm.elementary.calls import in_double, where_unlikely
from mlirad.lower.llvm.elementary.exponential import reduce_exp, scale_twice
from mlirad.lower.llvm.elementary.floats import (
    DOUBLE,
    at_most,
    full,
    magnitude,
    polynomial,
    two_product,
    with_sign_of,
)
from mlirad.lower.llvm.elementary.logarithm import log
from mlirad.lower.llvm.text import IRBuilder, Value


@in_double
def erf(f: IRBuilder, x: Value) -> Value:
    a = magnitude(f, x)
    tail = f.fsub(1.0, _erfc_tail(f, at_most(f, a, 6.0)))
    return f.select(f.fcmp("olt", a, 1.0), _erf_near_zero(f, x), with_sign_of(f, tail, x))


@in_double
def erfc(f: IRBuilder, x: Value) -> Value:
    a = magnitude(f, x)
    tail = _erfc_tail(f, at_most(f, a, 27.5))
    tail = f.select(f.fcmp("olt", x, 0.0), f.fsub(2.0, tail), tail)
    return f.select(f.fcmp("olt", a, 0.5), f.fsub(1.0, _erf_near_zero(f, x)), tail)


def erfinv(f: IRBuilder, x: Value) -> Value:
    a = magnitude(f, x)
    w = f.fneg(log(f, f.fmul(f.fsub(1.0, a), f.fadd(a, 1.0))))
    factor = f.multiply_add(w, polynomial(f, f.fsub(w, 2.5), c.ERFINV.of(x.kind)), sqrt(pi) / 2)
    y = f.fmul(x, factor)
    y = where_unlikely(f, f.fcmp("ogt", w, 5.0), w, y, lambda w: with_sign_of(f, _erfinv_near_one(f, w), x))
    y = f.select(f.fcmp("oeq", a, 1.0), with_sign_of(f, full(f, float("inf"), x), x), y)
    return f.fadd(y, 0.0)  # SciPy's is 0 at -0, too


def _erf_near_zero(f: IRBuilder, x: Value) -> Value:
    return f.multiply_add(x, polynomial(f, f.fmul(x, x), c.ERF.double), x)


def _erfinv_near_one(f: IRBuilder, w: Value) -> Value:
    s = f.intrinsic("sqrt", w)
    return f.fmul(s, polynomial(f, f.fsub(s, 4.0), c.ERFINV_TAIL.of(w.kind)))


def _erfc_tail(f: IRBuilder, a: Value) -> Value:
    """erfc a for 0.45 ≤ a ≤ 27.5, where it has vanished."""
    inverse = f.fdiv(full(f, 1.0, a), f.fmul(f.fadd(a, 1.0), f.fadd(a, 3.0)))
    t = f.fmul(f.fsub(a, 3.0), f.fmul(f.fadd(a, 1.0), inverse))
    scale = f.fmul(f.fadd(a, 3.0), inverse)
    square, square_low = two_product(f, a, a)
    reduced = reduce_exp(f, f.fneg(square), f.fneg(square_low), 2 * DOUBLE.bias)
    factor = f.fmul(polynomial(f, t, c.ERFCX.double), scale)
    p = f.fadd(reduced.r, reduced.tail)
    return scale_twice(f, DOUBLE, f.multiply_add(p, factor, factor), reduced.counter)
