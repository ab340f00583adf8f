"""Derivatives of Bessel functions by their order, as integrals along paths of steepest descent.

With w = u + iv, x > 0 and orders from 0 on, Schläfli's integrals are (Watson, *A treatise on the theory of
Bessel functions*, 6.2 and 8.31)

    K            the integral of e^(-x cosh(t)) cosh(order t) over t from 0 to infinity
    pi I         the imaginary part of that of e^(x cosh(w) - order w) from the real axis to infinity + i pi
    i pi (J + iY)          that of e^(x sinh(w) - order w) from -infinity to infinity + i pi

The order brings a factor -w down. Nothing cancels where the exponent has a constant imaginary part, and that
path is known in closed form with v as the variable: sin(v) sinh(u) is proportional to v for I, sin(v) cosh(u)
a line in v for J and Y. Where x is small I and J are their power series, and Y is Bessel's integral along the
real axis and around half a turn.

First and second derivatives are accurate to 1e-12, those of J and Y relative to sqrt(J^2 + Y^2) where these
oscillate, and beside the rounding of x, for orders up to 1e4. They are NaN for x below 0, those of K and Y
for x below 1e-11, too.
"""

from __future__ import annotations

from math import nan, pi

from mlirad.ir.formulas import (
    Formula,
    absorbing,
    arcsinh,
    arctan2,
    cos,
    cosh,
    exp,
    expm1,
    log,
    log1p,
    maximum,
    minimum,
    sin,
    sinh,
    special,
    sqrt,
    where,
)
from mlirad.rules.angles import is_even, less_cosine, less_sine, turned
from mlirad.rules.quadratures import (
    DECAY,
    Nodes,
    after_decay,
    area_cosine,
    between,
    evenly,
    fixed,
    over_half_line,
    terms,
)
from mlirad.rules.special_derivatives.gammas import rgamma_slope
from mlirad.rules.special_derivatives.parts import INFINITY

_LEAST = 1e-11
"""The bound below which K and Y are integrals over a part of the real axis that is too long for the nodes."""

_NEAR = 6.0
"""The bound on order and x below which Y is Bessel's integral."""

_SERIES_ENDS = 100.0
"""J of larger orders is not a power series: 1 / gamma would underflow before it does."""


def _size(v: Formula) -> Formula:
    """|v|, with a slope at 0."""
    return where(v < 0, -v, v)


def _undefined(v: Formula, x: Formula) -> Formula:
    """NaN, with derivatives that are."""
    return (v + x) * nan


def _to_half_turn(scale: Formula, start: Formula) -> tuple[Nodes, Formula, Formula]:
    """Nodes from `start` to pi for what falls off at the scale from the start, v there, and sin(v)."""
    line = over_half_line(scale)
    length = pi - line.spread(fixed(start))
    share = length / (line.points + length)
    distance = line.points * share
    nodes = Nodes(distance, line.weights * share * share)
    v = line.spread(fixed(start)) + distance
    return nodes, v, sin(where(v < 1.5, v, length * share))


# K --------------------------------------------------------------------------------------------------


def _nodes_of_k(a: Formula, x: Formula) -> tuple[Nodes, Formula, Formula]:
    """Nodes t, a t + x - x cosh(t) at these, and what is largest of it, for orders from 0 on."""
    size = sqrt(a * a + x * x)
    peak = arcsinh(a / x)
    last = peak + area_cosine(DECAY / size)
    back = minimum(after_decay(a, DECAY), area_cosine(DECAY / maximum(x * (x / (size + a)), 1e-100)))
    nodes = evenly(128, maximum(peak - back, 0.0), last)
    t, half, top = nodes.points, sinh(nodes.points * 0.5), sinh(0.5 * peak)
    exponent = nodes.spread(a) * t - 2 * nodes.spread(x) * half * half
    return nodes, exponent, fixed(a * peak - 2 * x * top * top)


def k_by_order(v: Formula, x: Formula, *, scaled: bool) -> Formula:
    """The derivative of kv(v, x) in v, of kve(v, x) if it is scaled."""
    is_known = (x > _LEAST) & (x < INFINITY)
    a, own = _size(v), where(is_known, x, 1.0)
    nodes, exponent, top = _nodes_of_k(a, own)
    t = nodes.points
    found = nodes.total(-0.5 * t * expm1(-2 * nodes.spread(a) * t) * exp(exponent - nodes.spread(top)))
    unit = exp(0.5 * (top if scaled else top - own))
    found = found * unit * unit
    return where(x == INFINITY, 0.0, where(is_known, where(v < 0, -found, found), _undefined(v, x)))


def log_scaled_k(v: Formula, x: Formula) -> Formula:
    """log(e^x kv(v, x)), differentiable by both, where kv may overflow; NaN for x below 1e-11."""
    is_known = (x > _LEAST) & (x < INFINITY)
    a, own = _size(v), where(is_known, x, 1.0)
    nodes, exponent, top = _nodes_of_k(a, own)
    both = 1 + exp(-2 * nodes.spread(a) * nodes.points)
    found = top + log(0.5 * nodes.total(both * exp(exponent - nodes.spread(top))))
    return where(is_known, found, where(x == INFINITY, -INFINITY, _undefined(v, x)))


# I --------------------------------------------------------------------------------------------------


def i_by_order(v: Formula, x: Formula, *, scaled: bool) -> Formula:
    """The derivative of iv(v, x) in v, of ive(v, x) if it is scaled."""
    is_near, is_inside = x < 1, (x > 0) & (x < INFINITY)
    near = where(is_near & is_inside, x, 0.5)
    series = _series(where(is_near, v, 1.0), near, 1.0, 14)
    a, far = where(is_near, 1.0, _size(v)), where(is_near, 1.0, where(is_inside, x, 1.0))
    found = where(a > 3, _i_along_curve(a, far), _i_of_small_order(a, far))
    by_k = k_by_order(a, far, scaled=True)
    cosine, sine = turned(a)
    mirrored = -found - exp(-2 * far) * (2 * cosine * special("kve", a, far) + (2 / pi) * sine * by_k)
    found = where(v < 0, mirrored, found)
    half = exp(0.5 * (-near if scaled else far))
    found = (
        where(is_near, series * half * half, found) if scaled else where(is_near, series, found * half * half)
    )
    return _at_ends(v, x, found, 0.0 if scaled else -INFINITY)


def _at_ends(v: Formula, x: Formula, found: Formula, at_infinity: float) -> Formula:
    """At x = 0 the derivative of a power, 0 for positive orders, else infinite or NaN; NaN below."""
    at_zero = where(v > 0, x.like(0.0), where(v == 0, x.like(-INFINITY), _undefined(v, x)))
    found = where(x == INFINITY, at_infinity, where(x == 0, at_zero, found))
    return where(x < 0, _undefined(v, x), found)


def _series(v: Formula, x: Formula, sign: float, count: int) -> Formula:
    """The derivative by v of the sum of (x / 2)^(v + 2k) sign^k / (k! gamma(v + k + 1)): I, or J."""

    def term(k: Formula, v: Formula, x: Formula) -> Formula:
        shape = v + k + 1
        slope = rgamma_slope(shape) + log(0.5 * x) * special("rgamma", shape)
        odd = where(is_even(k), k.like(1.0), sign)
        return odd * special("rgamma", k + 1) * exp(2 * absorbing(k, log(0.5 * x))) * slope

    return (0.5 * x) ** v * terms(count, term, v, x)


def _i_of_small_order(a: Formula, x: Formula) -> Formula:
    """e^-x times the derivative, by an integral around half a turn, for x from 1 on and orders up to 3."""
    turn = between(48, x * 0.0, minimum(14.1 / sqrt(x), pi))
    t, order, point = turn.points, turn.spread(a), turn.spread(x)
    half = sin(0.5 * t)
    around = turn.total(t * sin(order * t) * exp(-2 * point * half * half))
    line = between(48, x * 0.0, area_cosine(DECAY / x))
    t, order, point = line.points, line.spread(a), line.spread(x)
    half = sinh(0.5 * t)
    cosine, sine = turned(order)
    decay = exp(-2 * point * (half * half + 1) - order * t)
    return -around / pi - line.total((cosine - t * sine / pi) * decay)


def _i_along_curve(a: Formula, x: Formula) -> Formula:
    """e^-x times the derivative, for x from 1 on and orders from 3 on."""
    nodes, v, sine = _to_half_turn(1 / sqrt(sqrt(a * a + x * x)), x * 0.0)
    order, point = nodes.spread(a), nodes.spread(x)
    ratio = fixed(order) / fixed(point)
    height = ratio * (v / sine)
    width = sqrt(1 + height * height)
    u = arcsinh(height)
    slope = ratio * less_cosine(v, sine) / (width * sine * sine)
    half = sin(0.5 * v)
    growth = height * (height / (1 + width))
    real = point * (growth * cos(v) - 2 * half * half) - order * u
    imaginary = point * (height * sine) - order * v
    first, second = u * slope - v, u + v * slope
    return -nodes.total(exp(real) * (first * sin(imaginary) + second * cos(imaginary))) / pi


# J and Y --------------------------------------------------------------------------------------------


def j_by_order(v: Formula, x: Formula) -> Formula:
    """The derivative of jv(v, x) in v."""
    is_mirrored = (v < 0) & ((v < -_NEAR) | (x > _NEAR))
    j, _, mirrored, _ = _of_either_sign(v, x, where(v < -_NEAR, -v, v))
    mirrored = where(x < _LEAST, _undefined(v, x), mirrored)
    return _at_ends(v, x, where(is_mirrored, mirrored, j), 0.0)


def y_by_order(v: Formula, x: Formula) -> Formula:
    """The derivative of yv(v, x) in v."""
    _, y, _, mirrored = _of_either_sign(v, x, _size(v))
    found = where(x < _LEAST, _undefined(v, x), where(v < 0, mirrored, y))
    return where(x == INFINITY, 0.0, found)


def _of_either_sign(
    v: Formula, x: Formula, series_order: Formula
) -> tuple[Formula, Formula, Formula, Formula]:
    """For x > 0 the derivatives of J and Y at the order |v|, then those for v < 0.

    Where J is its power series, its order is `series_order`.
    """
    x = where((x > 0) & (x < INFINITY), x, 1.0)
    a, inner = _size(v), maximum(x, _LEAST)
    is_near = maximum(x, a) < _NEAR
    j, y = _along_paths(where(is_near, 1.0, a), where(is_near, 8.0, inner))
    y = where(is_near, _y_of_small(where(is_near, a, 1.0), where(is_near, inner, 1.0)), y)
    is_series = (x < _NEAR) & (a < _SERIES_ENDS)
    j = where(is_series, _series(where(is_series, series_order, 1.0), where(is_series, x, 1.0), -1.0, 34), j)
    cosine, sine = turned(a)
    safe = where(v < 0, a, 1.0)
    first, second = special("jv", safe, x), special("yv", safe, x)
    j_below = pi * (sine * first + cosine * second) - cosine * j + sine * y
    y_below = pi * (sine * second - cosine * first) - sine * j - cosine * y
    return j, y, j_below, y_below


def _y_of_small(a: Formula, x: Formula) -> Formula:
    """The derivative of Y for x and orders from 0 to `_NEAR`."""
    turn = between(32, x * 0.0, x.like(pi))
    t, order, point = turn.points, turn.spread(a), turn.spread(x)
    around = turn.total(t * cos(point * sin(t) - order * t))
    # t = log(1 + exp(s - e^-s)) goes to 0 as fast as an integrand that has no end there would
    start = -3.8
    line = evenly(160, x.like(start), arcsinh((DECAY + 30 * a) / x) + 1)
    s = line.points
    power = exp(s - exp(-s))
    t, slope = log1p(power), power / (1 + power) * (1 + exp(-s))
    order, point = line.spread(a), line.spread(x)
    cosine, sine = turned(order)
    up, down = exp(order * t), exp(-order * t)
    along = (t * (up - down * cosine) - pi * sine * down) * exp(-point * sinh(t))
    return -(around + line.total(slope * along)) / pi


def _along_paths(a: Formula, x: Formula) -> tuple[Formula, Formula]:
    """The derivatives of J and Y for orders from 0 on, where the order or x is not near 0."""
    is_above = x > a
    small, large = fixed(minimum(x, a)), fixed(maximum(x, a))
    ratio = small / large
    spread = sqrt((large - small) * (large + small))
    angle = where(is_above, arctan2(spread / large, ratio), 0.0)
    scale = minimum(1 / (sqrt(spread) + large ** (1 / 3)), 1.0)
    real, imaginary = _along_curve(a, x, angle, scale)
    is_low = is_above & (spread > minimum(5 * a ** (2 / 3), 1.5 * a))
    below = _along_lower_curve(where(is_low, a, 1.0), where(is_low, x, 8.0), where(is_low, angle, 1.4), scale)
    line = _along_line(where(is_low, 6.0, a), where(is_low, 6.0, x), angle, spread, ratio)
    real = real + where(is_low, below[0], line[0])
    imaginary = imaginary + where(is_low, below[1], where(is_above, line[1], 0.0))
    return imaginary / pi, -real / pi


def _along_curve(a: Formula, x: Formula, angle: Formula, scale: Formula) -> tuple[Formula, Formula]:
    """The integral over v from the saddle, at the angle, to pi; below x = order from one on the real axis."""
    nodes, v, sine = _to_half_turn(scale, angle)
    start, order, point = nodes.spread(fixed(angle)), nodes.spread(a), nodes.spread(x)
    is_above, ratio = point > order, fixed(minimum(point, order) / maximum(point, order))
    distance = nodes.points
    excess = _excess_of_line(start, distance, ratio, sine)
    excess = where(is_above, excess, (1 - ratio + less_sine(v) / sine) / ratio)
    root = sqrt(excess * (excess + 2))
    rise = _rise_of_line(start, v, distance, excess) / (root * sine)
    rise = where(is_above, rise, less_cosine(v, sine) / (ratio * root * sine * sine))
    return _of_path(nodes, log1p(excess + root), v, rise, order, point)


def _excess_of_line(start: Formula, distance: Formula, ratio: Formula, sine: Formula) -> Formula:
    """cosh(u) - 1 where sin(v) cosh(u) = sin(start) + cos(start) (v - start), with ratio = cos(start)."""
    half = sin(0.5 * distance)
    return (2 * sin(start) * half * half + ratio * less_sine(distance)) / sine


def _rise_of_line(start: Formula, v: Formula, distance: Formula, excess: Formula) -> Formula:
    """sinh(u) sin(v) times the derivative of u by v there, cos(start) - cosh(u) cos(v)."""
    return 2 * sin(0.5 * (start + v)) * sin(0.5 * distance) - excess * cos(v)


def _along_lower_curve(a: Formula, x: Formula, angle: Formula, scale: Formula) -> tuple[Formula, Formula]:
    """The integral over v from 0 to the saddle, at the angle."""
    line = over_half_line(scale)
    start, order, point = line.spread(fixed(angle)), line.spread(a), line.spread(x)
    share = start / (line.points + start)
    distance, v = line.points * share, start * share
    nodes = Nodes(distance, line.weights * share * share)
    sine = sin(v)
    excess = _excess_of_line(start, -distance, cos(start), sine)
    root = sqrt(excess * (excess + 2))
    rise = _rise_of_line(start, v, -distance, excess) / (-root * sine)
    return _of_path(nodes, -log1p(excess + root), v, rise, order, point)


def _along_line(
    a: Formula, x: Formula, angle: Formula, spread: Formula, ratio: Formula
) -> tuple[Formula, Formula]:
    """The integral along a line parallel to the real axis, to the saddle, or to the greater one of two."""
    is_above, rate = x > a, DECAY / a
    back = minimum((6 * rate) ** (1 / 3), arcsinh(rate + arcsinh(rate) + 1))
    bend = maximum(spread, 1e-100)
    saddle = where(is_above, 0.0, area_cosine((1 - ratio) / ratio))
    ahead = after_decay(bend * (1 / 1.6), DECAY)
    last = where(ahead < saddle, ahead - saddle, saddle)
    back = where(is_above, back, minimum(back, area_cosine(DECAY / bend)))
    nodes = between(96, -saddle - back, last)
    v = nodes.spread(where(is_above, fixed(angle), 0.0))
    return _of_path(nodes, nodes.points, v, None, nodes.spread(a), nodes.spread(x))


def _of_path(
    nodes: Nodes, u: Formula, v: Formula, rise: Formula | None, order: Formula, x: Formula
) -> tuple[Formula, Formula]:
    """Real and imaginary part of the integral of -w e^(x sinh(w) - order w) along a path, by v.

    `rise` is the derivative of u by v; without, the path is a line parallel to the real axis, by u.
    """
    real = x * (sinh(u) * cos(v)) - order * u
    angle = x * (cosh(u) * sin(v)) - order * v
    first, second = (u, v) if rise is None else (u * rise - v, u + v * rise)
    size, cosine, sine = -exp(real), cos(angle), sin(angle)
    return nodes.total(size * (first * cosine - second * sine)), nodes.total(
        size * (first * sine + second * cosine)
    )
