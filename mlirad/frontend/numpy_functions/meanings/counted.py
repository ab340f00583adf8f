"""Ufuncs of `scipy.special` that are other functions in other parameters: distributions, and quantiles.

bdtrc(k, n, p)        betainc(floor(k) + 1, n - floor(k), p)
gdtrix(a, b, p)       gammaincinv(b, p) / a
"""

from __future__ import annotations

from typing import Final

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value, element_of
from mlirad.frontend.numpy_functions.meanings.special_ops import Meaning, special
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.formulas import Formula, absolute, where
from mlirad.rules.carlson import elliprd, elliprj

NAN = float("nan")


def _known(b: ArrayBuilder, condition: Value, found: Value, other: float = NAN) -> Value:
    return b.select(condition, found, b.splat(other, found.type))


def _counts(b: ArrayBuilder, k: Value, n: Value, p: Value) -> tuple[Value, Value, Value]:
    """Whole numbers of k and n, as SciPy takes them: k + 1, n - k, and k."""
    whole, total = (b.unary(ew.FloorOp, b.convert(x, element_of(p))) for x in (k, n))
    return b.add(whole, b.splat(1.0, p.type)), b.sub(total, whole), whole


def _inside(b: ArrayBuilder, whole: Value, rest: Value) -> Value:
    zero = b.zeros(whole.type)
    return b.logical_and(b.compare("ge", whole, zero), b.compare("ge", rest, zero))


def _binomial(b: ArrayBuilder, k: Value, n: Value, p: Value) -> Value:
    first, rest, whole = _counts(b, k, n, p)
    all_of_them = b.compare("eq", rest, b.zeros(p.type))
    is_share = b.compare("eq", p, p)
    certain = _known(b, is_share, b.splat(1.0, p.type))
    found = b.select(all_of_them, certain, special(b, "betaincc", first, rest, p))
    return _known(b, _inside(b, whole, rest), found)


def _binomial_above(b: ArrayBuilder, k: Value, n: Value, p: Value) -> Value:
    first, rest, whole = _counts(b, k, n, p)
    zero = b.zeros(p.type)
    found = b.select(b.compare("eq", rest, zero), zero, special(b, "betainc", first, rest, p))
    found = b.select(b.compare("lt", whole, zero), b.splat(1.0, p.type), found)
    return _known(b, b.compare("ge", rest, zero), found)


def _binomial_share(b: ArrayBuilder, k: Value, n: Value, y: Value) -> Value:
    first, rest, whole = _counts(b, k, n, y)
    regular = b.logical_and(_inside(b, whole, rest), b.compare("gt", rest, b.zeros(y.type)))
    return _known(b, regular, special(b, "betainccinv", first, rest, y))


def _negative_binomial(function: str) -> Meaning:
    def meaning(b: ArrayBuilder, k: Value, n: Value, p: Value) -> Value:
        first, rest, whole = _counts(b, k, n, p)
        found = special(b, function, b.add(rest, whole), first, p)
        return _known(b, b.compare("ge", whole, b.zeros(p.type)), found)

    return meaning


def _chi_square_above(b: ArrayBuilder, v: Value, p: Value) -> Value:
    return b.scaled(special(b, "gammainccinv", b.scaled(v, 0.5), p), 2.0)


def _freedom(b: ArrayBuilder, p: Value, x: Value) -> Value:
    return b.scaled(special(b, "gdtrib", b.splat(1.0, p.type), p, b.scaled(x, 0.5)), 2.0)


def _poisson_mean(b: ArrayBuilder, k: Value, y: Value) -> Value:
    whole = b.unary(ew.FloorOp, b.convert(k, element_of(y)))
    found = special(b, "gammainccinv", b.add(whole, b.splat(1.0, y.type)), y)
    return _known(b, b.compare("ge", whole, b.zeros(y.type)), found)


def _gamma_quantile(b: ArrayBuilder, a: Value, shape: Value, p: Value) -> Value:
    return b.div(special(b, "gammaincinv", shape, p), a)


def _gamma_rate(b: ArrayBuilder, p: Value, shape: Value, x: Value) -> Value:
    return b.div(special(b, "gammaincinv", shape, p), x)


def _f_quantile(b: ArrayBuilder, dfn: Value, dfd: Value, p: Value) -> Value:
    first, second = b.scaled(dfn, 0.5), b.scaled(dfd, 0.5)
    share = special(b, "betaincinv", first, second, p)
    rest = special(b, "betainccinv", second, first, p)
    return b.div(b.mul(dfd, share), b.mul(dfn, rest))


def _normal_mean(b: ArrayBuilder, p: Value, std: Value, x: Value) -> Value:
    return b.sub(x, b.mul(std, special(b, "ndtri", p)))


def _normal_deviation(b: ArrayBuilder, mean: Value, p: Value, x: Value) -> Value:
    return b.div(b.sub(x, mean), special(b, "ndtri", p))


def _carlson_second(b: ArrayBuilder, x: Value, y: Value, z: Value) -> Value:
    first, second, third = (Formula(b, v) for v in (x, y, z))
    both = (first == 0) & (second == 0)
    return where(both, float("inf"), elliprd(first, second, third)).value


def _carlson_third(b: ArrayBuilder, x: Value, y: Value, z: Value, p: Value) -> Value:
    """R_J, and for negative p Cauchy's principal value.

    (*NIST Handbook of Mathematical Functions*, 2010, 19.20.14, for x <= y <= z.)
    """
    low, mid, high, given = (Formula(b, v) for v in (x, y, z, p))
    low, mid = _ascending(low, mid)
    mid, high = _ascending(mid, high)
    low, mid = _ascending(low, mid)
    is_negative = given < 0
    q = where(is_negative, -given, 1.0)
    beside = (high * (low + mid + q) - low * mid) / (high + q)
    found = elliprj(low, mid, high, where(is_negative, beside, given))
    product, sum_ = beside * q, low * mid + beside * q
    first_kind = Formula(b, special(b, "elliprf", low.value, mid.value, high.value))
    degenerate = Formula(b, _carlson_degenerate(b, sum_.value, product.value))
    root = Formula(b, b.unary(ew.SqrtOp, (low * mid * high / sum_).value))
    principal = ((beside - high) * found - 3 * first_kind + 3 * root * degenerate) / (high + q)
    found = where(is_negative, principal, found)
    found = where(mid == 0, float("inf"), where((low < 0) | (given == 0), float("nan"), found))
    is_far = (high == float("inf")) | (absolute(given) == float("inf"))
    return where(is_far, 0.0, found).value


def _ascending(x: Formula, y: Formula) -> tuple[Formula, Formula]:
    """Two numbers, the smaller first; equal ones stay apart, for derivatives of what is symmetric in them."""
    is_descending = x > y
    return where(is_descending, y, x), where(is_descending, x, y)


def _carlson_degenerate(b: ArrayBuilder, x: Value, y: Value) -> Value:
    """R_F(x, y, y), Cauchy's principal value for negative y, and NaN for y = 0, as in SciPy."""
    first, second = Formula(b, x), Formula(b, y)
    is_negative = second < 0
    inner = where(is_negative, first - second, first)
    size = where(is_negative, -second, second)
    found = Formula(b, special(b, "elliprf", inner.value, size.value, size.value))
    factor = Formula(b, b.unary(ew.SqrtOp, (first / inner).value))
    finite = where(is_negative, factor * found, found)
    return where(second == 0, float("nan"), finite).value


def _same(function: str) -> Meaning:
    def meaning(b: ArrayBuilder, *operands: Value) -> Value:
        return special(b, function, *operands)

    return meaning


COUNTED: Final[dict[str, Meaning]] = {
    "bdtr": _binomial,
    "bdtrc": _binomial_above,
    "bdtri": _binomial_share,
    "nbdtr": _negative_binomial("betainc"),
    "nbdtrc": _negative_binomial("betaincc"),
    "nbdtri": _negative_binomial("betaincinv"),
    "chdtri": _chi_square_above,
    "chdtriv": _freedom,
    "pdtri": _poisson_mean,
    "gdtrix": _gamma_quantile,
    "gdtria": _gamma_rate,
    "fdtri": _f_quantile,
    "nrdtrimn": _normal_mean,
    "nrdtrisd": _normal_deviation,
    "elliprc": _carlson_degenerate,
    "elliprd": _carlson_second,
    "elliprj": _carlson_third,
    "jve": _same("jv"),
    "yve": _same("yv"),
}
"""The meanings, by the names of ufuncs. Of real numbers, `jve` and `yve` are not scaled."""
