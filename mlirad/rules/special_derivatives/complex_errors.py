"""The error function of complex numbers and its relatives, as functions of the parts x and y of z.

    w(z) = e^(-z^2) erfc(-iz)              w' = 2i / sqrt(pi) - 2 z w
    erf, erfc                              2 / sqrt(pi) e^(-z^2), and minus that
    D(z) = sqrt(pi) / 2 e^(-z^2) erfi(z)   D' = 1 - 2 z D

In the upper half-plane w is a sum by the trapezoidal rule with twelve nodes and the residue of a pole, as
M. Al Azah and S. N. Chandler-Wilde have it ("Computation of the complex error function using modified
trapezoidal rules", 2021). The others are made of w, and are power series beside 0.
"""

from __future__ import annotations

from math import exp as exponential
from math import factorial, pi
from math import sqrt as root

from mlirad.ir.formulas import (
    Condition,
    Formula,
    absolute,
    cos,
    exp,
    floor,
    maximum,
    minimum,
    sin,
    special,
    where,
)
from mlirad.rules.special_derivatives.complex_parts import (
    Complex,
    Function,
    chosen,
    definitions,
    derivatives,
    reciprocal,
    times,
)
from mlirad.rules.special_derivatives.parts import INFINITY, Definition, Derivatives

_NODES = 12
_STEP = root(pi / _NODES)
_SLOPE = 2 / root(pi)

_NEAR = 1.0
"""Up to this modulus erf and Dawson's integral are power series."""

_FAR = 12.0
"""The size of a part from which derivatives are asymptotic series, which do not cancel."""

_TERMS = 13

_ENDLESS = 1e8
"""From this modulus on, w is i / (sqrt(pi) z)."""

_ERF_SERIES = [_SLOPE * (-1.0) ** n / (factorial(n) * (2 * n + 1)) for n in range(20)]
_DAWSON_SERIES = [(-4.0) ** n * factorial(n) / factorial(2 * n + 1) for n in range(24)]


def _odd_series(z: Complex, coefficients: list[float]) -> Complex:
    """The sum of c z^(2n+1), where z is near 0; z is small elsewhere, too."""
    is_near = _is_within(z, _NEAR)
    z = where(is_near, z[0], 0.0), where(is_near, z[1], 0.0)
    square = times(z, z)
    total = z[0].like(coefficients[-1]), z[0].like(0.0)
    for coefficient in reversed(coefficients[:-1]):
        real, imag = times(total, square)
        total = real + coefficient, imag
    return times(total, z)


def _is_within(z: Complex, radius: float) -> Condition:
    """Tell whether the modulus of z, or about that, is less than this."""
    x, y = minimum(absolute(z[0]), 2 * radius), minimum(absolute(z[1]), 2 * radius)
    return x * x + y * y < radius * radius


def _gaussian(x: Formula, y: Formula) -> Complex:
    """e^(-z^2), real on the axes."""
    return _with_gaussian(x, y, (x.like(1.0), x.like(0.0)))


def _with_gaussian(x: Formula, y: Formula, w: Complex) -> Complex:
    """The product of e^(-z^2) and w, whose parts are 0 where those of w turned by the angle are."""
    size = exp((y - x) * (y + x))
    angle = where((x == 0) | (y == 0) | (size == 0), 0.0, -2 * x * y)
    real, imag = times((cos(angle), sin(angle)), w)
    return where(real == 0, 0.0, size * real), where(imag == 0, 0.0, size * imag)


def _first_quadrant(x: Formula, y: Formula) -> Complex:
    """The function w where neither part of z is negative."""
    is_endless = maximum(x, y) > _ENDLESS
    near = _by_nodes(where(is_endless, x.like(1.0), x), where(is_endless, y.like(1.0), y))
    real, imag = reciprocal(where(is_endless, x, 1.0), where(is_endless, y, 1.0))
    is_infinite = maximum(x, y) == INFINITY
    far = where(is_infinite, 0.0, -imag / root(pi)), where(is_infinite, 0.0, real / root(pi))
    return chosen(is_endless, far, near)


def _by_nodes(x: Formula, y: Formula) -> Complex:
    """The same by the nodes n h, or by (n + 1/2) h where x is close to one of those."""
    steps = x / _STEP
    part = steps - floor(steps)
    is_between = absolute(part - 0.5) > 0.25
    square = x * x + y * y
    real, imag = x.like(0.0), x.like(0.0)
    for n in range(_NODES):
        whole, half = n * _STEP, (n + 0.5) * _STEP
        node = where(is_between, x.like(half), whole)
        weight = where(
            is_between,
            x.like(exponential(-half * half)),
            exponential(-whole * whole) * (0.5 if n == 0 else 1.0),
        )
        before, after = x - node, x + node
        share = weight / ((before * before + y * y) * (after * after + y * y))
        real = real + share * (square + node * node)
        imag = imag + share * (square - node * node)
    scale = 2 * _STEP / pi
    real, imag = scale * y * real, scale * x * imag
    pole_real, pole_imag = _pole(x, y, part, is_between)
    is_below = maximum(x, x.like(pi / _STEP)) > y
    return real + where(is_below, pole_real, 0.0), imag + where(is_below, pole_imag, 0.0)


def _pole(x: Formula, y: Formula, part: Formula, is_between: Condition) -> Complex:
    """2 e^(-z^2) q / (q + 1) or 2 e^(-z^2) q / (q - 1) for q = e^(2 pi i z / h): q is not near the pole."""
    size = exp(y * (-2 * pi / _STEP))
    cosine, sine = absolute(cos(part * (2 * pi))), sin(part * (2 * pi))
    scale = 2 * size / (size * (size + 2 * cosine) + 1)
    quotient = scale * (size + cosine), scale * where(is_between, sine, -sine)
    return times(_gaussian(x, minimum(y, maximum(x, x.like(7.0)))), quotient)


def _faddeeva(x: Formula, y: Formula) -> Complex:
    """The function w: w(-z) = 2 e^(-z^2) - w(z), and the conjugate of w(z) at minus that of z."""
    real, imag = _first_quadrant(absolute(x), absolute(y))
    imag = where(x < 0, -imag, imag)
    gauss_real, gauss_imag = _gaussian(x, y)
    return where(y < 0, 2 * gauss_real - real, real), where(y < 0, 2 * gauss_imag + imag, imag)


def _right_tail(x: Formula, y: Formula) -> Complex:
    """The function erfc where x is not negative: e^(-z^2) w(iz)."""
    real, imag = _first_quadrant(absolute(y), x)
    return _with_gaussian(x, y, (real, where(y > 0, -imag, imag)))


def _erfc(x: Formula, y: Formula) -> Complex:
    is_left = x < 0
    real, imag = _right_tail(absolute(x), where(is_left, -y, y))
    real = where(x == 0, 1.0, real)
    return where(is_left, 2 - real, real), where(is_left, -imag, imag)


def _erf(x: Formula, y: Formula) -> Complex:
    is_left = x < 0
    real, imag = _right_tail(absolute(x), where(is_left, -y, y))
    far = where(x == 0, 0.0, where(is_left, real - 1, 1 - real)), where(is_left, imag, -imag)
    return chosen(_is_within((x, y), _NEAR), _odd_series((x, y), _ERF_SERIES), far)


def _dawson(x: Formula, y: Formula) -> Complex:
    real, imag = _first_quadrant(absolute(x), absolute(y))
    gauss_real, gauss_imag = _gaussian(absolute(x), absolute(y))
    half = root(pi) / 2
    far_real, far_imag = half * (imag - gauss_imag), half * where(y == 0, 0.0, gauss_real - real)
    far = where(x < 0, -far_real, far_real), where(y < 0, -far_imag, far_imag)
    return chosen(_is_within((x, y), _NEAR), _odd_series((x, y), _DAWSON_SERIES), far)


def _falling_series(z: Complex) -> Complex:
    """The sum over n of (2n - 1)!! / (2 z^2)^n, from n = 1: asymptotic, to 1e-18 from |z| = 12."""
    inverse = reciprocal(*z)
    real, imag = times(inverse, inverse)
    half = 0.5 * real, 0.5 * imag
    total = z[0].like(0.0), z[0].like(0.0)
    for odd in range(2 * _TERMS - 1, 0, -2):
        real, imag = times(half, (1 + total[0], total[1]))
        total = odd * real, odd * imag
    return total


def _erf_slope(x: Formula, y: Formula) -> Complex:
    real, imag = _gaussian(x, y)
    return _SLOPE * real, _SLOPE * imag


def _erfc_slope(x: Formula, y: Formula) -> Complex:
    real, imag = _erf_slope(x, y)
    return -real, -imag


def _faddeeva_slope(x: Formula, y: Formula) -> Complex:
    """2i / sqrt(pi) - 2 z w; far out that is a series, and in the lower half-plane -4 z e^(-z^2) more."""
    real, imag = times((x, y), (special("faddeeva_real", x, y), special("faddeeva_imag", x, y)))
    near = -2 * real, _SLOPE - 2 * imag
    is_far, (far_x, far_y) = _far(x, y)
    real, imag = _falling_series((far_x, far_y))
    gauss_real, gauss_imag = times((x, y), _gaussian(x, y))
    far = (
        _SLOPE * imag - where(y < 0, 4 * gauss_real, 0.0),
        -_SLOPE * real - where(y < 0, 4 * gauss_imag, 0.0),
    )
    return chosen(is_far, far, near)


def _dawson_slope(x: Formula, y: Formula) -> Complex:
    """1 - 2 z D; far out that is a series, and off the real line +-i sqrt(pi) z e^(-z^2) more."""
    real, imag = times((x, y), (special("complex_dawson_real", x, y), special("complex_dawson_imag", x, y)))
    near = 1 - 2 * real, -2 * imag
    is_far, (far_x, far_y) = _far(x, y)
    real, imag = _falling_series((far_x, far_y))
    gauss_real, gauss_imag = times((x, y), _gaussian(x, y))
    side = root(pi) * where(y == 0, 0.0, where(y < 0, y.like(-1.0), 1.0))
    return chosen(is_far, (side * gauss_imag - real, -(side * gauss_real) - imag), near)


def _far(x: Formula, y: Formula) -> tuple[Condition, Complex]:
    """A flag for z far from 0, and z, replaced by a number that is far where z is not."""
    is_far = maximum(absolute(x), absolute(y)) > _FAR
    return is_far, (where(is_far, x, _FAR), where(is_far, y, _FAR))


_FUNCTIONS: dict[str, tuple[Function, Function]] = {
    "faddeeva": (_faddeeva, _faddeeva_slope),
    "complex_erf": (_erf, _erf_slope),
    "complex_erfc": (_erfc, _erfc_slope),
    "complex_dawson": (_dawson, _dawson_slope),
}
"""The functions and their complex derivatives."""

DEFINITIONS: dict[str, Definition] = definitions({name: value for name, (value, _) in _FUNCTIONS.items()})

DERIVATIVES: Derivatives = derivatives({name: slope for name, (_, slope) in _FUNCTIONS.items()})
