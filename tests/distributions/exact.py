"""Distributions of `scipy.stats` as mpmath computes them: densities and distribution functions.

    EXACT["gamma"].cdf(x, a)       P(a, x), at the precision at hand

Nothing is shared with the formulas under test: most distribution functions are those of textbooks, others are
integrals of the density. Logarithms and upper tails are made of these at as many digits as it takes.
"""

# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from mpmath import mp, mpf

Function = Callable[..., Any]


@dataclass(frozen=True)
class Exact:
    """A distribution: density, distribution function, support, shapes to look at, and points if not the usual."""

    density: Function
    cdf: Function | None
    shapes: Sequence[tuple[float, ...]] = ((),)
    low: float | Function = -inf
    high: float | Function = inf
    knots: Sequence[float] | Function = ()
    mean: Function | None = None
    var: Function | None = None
    is_discrete: bool = False
    at: Sequence[float] | None = None
    whole: Sequence[int] = ()


def exp(x: Any) -> Any:
    """e^x where that is not too large, or too small, to be worth the time."""
    if not isinstance(x, mp.mpf | int | float) or x > 10**6:
        raise OverflowError
    return mp.exp(x) if x > -(10**6) else mpf(0)


def expm1(x: Any) -> Any:
    if x > 10**6:
        raise OverflowError
    return mp.expm1(x) if x > -(10**6) else mpf(-1)


def phi(x: Any) -> Any:
    return exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def Phi(x: Any) -> Any:
    if x > 0:
        return 1 - Phi(-x)
    z = -x / mp.sqrt(2)
    if z < 100:
        return mp.erfc(z) / 2
    if z > mpf(10) ** 8:
        return exp(-z * z) / (2 * z * mp.sqrt(mp.pi)) * (1 - 1 / (2 * z * z) + 3 / (4 * z**4))
    total, term, k = mpf(1), mpf(1), 0
    while abs(term) > mp.eps and k < z * z:
        k += 1
        term *= -(2 * k - 1) / (2 * z * z)
        total += term
    return exp(-z * z) / (2 * z * mp.sqrt(mp.pi)) * total


def P(a: Any, x: Any) -> Any:
    if x <= 0:
        return mpf(0)
    # far out the series cancels
    return (
        1 - mp.gammainc(a, x, mp.inf, regularized=True)
        if x > a + 50
        else mp.gammainc(a, 0, x, regularized=True)
    )


def B(a: Any, b: Any, x: Any) -> Any:
    if x <= 0 or x >= 1:
        return mpf(x > 0)
    return mp.betainc(a, b, 0, x, regularized=True)


def power(x: Any, p: Any) -> Any:
    """x^p, also for x = 0 and exponents that are 0."""
    return mpf(1) if p == 0 else mpf(x) ** p


def gamma_density(x: Any, a: Any) -> Any:
    return power(x, a - 1) * exp(-x) / mp.gamma(a)


def beta_density(x: Any, a: Any, b: Any) -> Any:
    return power(x, a - 1) * power(1 - x, b - 1) / mp.beta(a, b)


def below(density: Function, low: float, scale: float = 1.0) -> Function:
    """The integral of a density from the lower end."""

    def cdf(x: Any, *shapes: Any) -> Any:
        ends = (
            [low, x] if low != -inf else [-mp.inf, *(x - scale * mpf(4) ** k for k in (4, 3, 2, 1, 0, -1)), x]
        )
        return mp.quad(lambda t: density(t, *shapes), ends)

    return cdf


def both(f: Function) -> Function:
    """A distribution function of sizes as one of numbers of either sign."""
    return lambda x, *s: (1 + f(x, *s)) / 2 if x >= 0 else (1 - f(-x, *s)) / 2


def log_at(cdf: Function, to: Function) -> Function:
    return lambda x, *s: cdf(to(x, *s))


def xlog(x: Any, c: Any) -> Any:
    """log(1 + c x) / c."""
    return mp.log1p(c * x) / c if c else x


def expit(x: Any) -> Any:
    return 1 / (1 + exp(-x))


def sech2(x: Any) -> Any:
    return 1 / (4 * mp.cosh(x / 2) ** 2)


def folded(f: Function) -> Function:
    return lambda x, c: f(x - c) + f(x + c)


def cauchy_density(x: Any) -> Any:
    return 1 / (mp.pi * (1 + x * x))


def cauchy(x: Any) -> Any:
    return mp.atan2(1, -x) / mp.pi


def skew_cauchy(x: Any, a: Any) -> Any:
    s = 1 + a if x > 0 else 1 - a
    return (1 - a) / 2 + s * mp.atan(x / s) / mp.pi


def student_density(x: Any, df: Any) -> Any:
    return (1 + x * x / df) ** (-(df + 1) / 2) / (mp.sqrt(df) * mp.beta(mpf(1) / 2, df / 2))


def student(x: Any, df: Any) -> Any:
    tail = B(df / 2, mpf(1) / 2, df / (df + x * x)) / 2
    return tail if x < 0 else 1 - tail


def passage(x: Any, mu: Any) -> Any:
    root = 1 / mp.sqrt(x)
    return Phi((x / mu - 1) * root) + exp(2 / mu) * Phi(-(x / mu + 1) * root)


def passage_density(x: Any, mu: Any) -> Any:
    return exp(-((x - mu) ** 2) / (2 * x * mu * mu)) / mp.sqrt(2 * mp.pi * x**3)


def skewed(x: Any, a: Any) -> Any:
    """By Owen's function, where it is not too far out for that."""
    if abs(x) > 50:
        raise OverflowError
    ends = mp.linspace(0, a, 2 + int(abs(x * a) / 2))
    owen = mp.quad(lambda t: exp(-x * x * (1 + t * t) / 2) / (1 + t * t), ends) / (2 * mp.pi)
    return Phi(x) - 2 * owen


def ball_parts(beta: Any, m: Any) -> tuple[Any, Any]:
    return m / beta / (m - 1) * exp(-beta * beta / 2), mp.sqrt(2 * mp.pi) * Phi(beta)


def ball_density(x: Any, beta: Any, m: Any) -> Any:
    whole = sum(ball_parts(beta, m))
    if x > -beta:
        return exp(-x * x / 2) / whole
    return (m / beta) ** m * exp(-beta * beta / 2) * (m / beta - beta - x) ** -m / whole


def ball(x: Any, beta: Any, m: Any) -> Any:
    tail, core = ball_parts(beta, m)
    if x > -beta:
        return (tail + mp.sqrt(2 * mp.pi) * (Phi(x) - Phi(-beta))) / (tail + core)
    part = (m / beta) ** m * exp(-beta * beta / 2) * (m / beta - beta - x) ** (1 - m) / (m - 1)
    return part / (tail + core)


def kappa4(x: Any, h: Any, k: Any) -> Any:
    y = exp(-xlog(x, -k) if k else -x)
    return exp(mp.log1p(-h * y) / h) if h else exp(-y)


def kappa4_density(x: Any, h: Any, k: Any) -> Any:
    y = exp(-xlog(x, -k))
    return kappa4(x, h, k) ** (1 - h) * y ** (1 - k)


def burr(x: Any, c: Any, d: Any) -> Any:
    return (1 + x**-c) ** -d


def burr_density(x: Any, c: Any, d: Any) -> Any:
    return c * d * x ** (-c - 1) * (1 + x**-c) ** (-d - 1)


def genextreme_y(x: Any, c: Any) -> Any:
    return exp(xlog(x, -c) * (-1)) if c == 0 else exp(mp.log1p(-c * x) / c)


def asymmetric(x: Any, k: Any) -> Any:
    share = k * k / (1 + k * k)
    return share * exp(x / k) if x < 0 else 1 - exp(-x * k) / (1 + k * k)


def skewed_share(x: Any, a: Any, b: Any) -> Any:
    root = mp.sqrt(a + b + x * x)
    return (1 + x / root) / 2 if x > 0 else (a + b) / (2 * root * (root - x))


def wrapped(x: Any, c: Any) -> Any:
    return mp.atan2((1 + c) * mp.sin(x / 2), (1 - c) * mp.cos(x / 2)) / mp.pi


def tukey(x: Any, lam: Any) -> tuple[Any, Any]:
    """The density and the share at x, by the logit of the share."""

    def missing(t: Any) -> Any:
        below, above = -mp.log1p(exp(-t)), -mp.log1p(exp(t))
        return (expm1(lam * below) - expm1(lam * above)) / lam - x if lam else below - above - x

    t = mp.findroot(missing, (-20, 20), solver="anderson", tol=mpf(10) ** (3 - 2 * mp.dps))
    share = expit(t)
    return 1 / (share ** (lam - 1) + (1 - share) ** (lam - 1)), share


def bridge(x: Any) -> Any:
    """The share by the series of Jacobi's function that converges quickly for small x."""
    return mp.sqrt(2 * mp.pi) / x * mp.fsum(exp(-z) for z in bridge_exponents(x))


def bridge_density(x: Any) -> Any:
    return mp.sqrt(2 * mp.pi) / x**2 * mp.fsum((2 * z - 1) * exp(-z) for z in bridge_exponents(x))


def bridge_exponents(x: Any) -> list[Any]:
    if x > 40:
        raise OverflowError
    return [((2 * k - 1) * mp.pi / x) ** 2 / 8 for k in range(1, 5 + int(x * mp.sqrt(mp.dps)))]


def inverse_mixture(x: Any, a: Any, b: Any) -> Any:
    root = mp.sqrt(1 + x * x)
    return a * mp.besselk(1, a * root) * exp(mp.sqrt(a * a - b * b) + b * x) / (mp.pi * root)


def inverse_mixture_below(x: Any, a: Any, b: Any) -> Any:
    """An integral of the density, which looks for its peak not far out."""
    if x > 5:
        raise OverflowError
    return below(inverse_mixture, -inf, 0.5)(x, a, b)


def _mills(x: Any) -> Any:
    return Phi(-x) / phi(x)


def double_pareto_density(x: Any, u: Any, s: Any, a: Any, b: Any) -> Any:
    z = (mp.log(x) - u) / s
    return a * b / ((a + b) * x) * phi(z) * (_mills(a * s - z) + _mills(b * s + z))


def double_pareto(x: Any, u: Any, s: Any, a: Any, b: Any) -> Any:
    z = (mp.log(x) - u) / s
    return Phi(z) - phi(z) * (b * _mills(a * s - z) - a * _mills(b * s + z)) / (a + b)


def resonance_density(x: Any, rho: Any) -> Any:
    size = rho * mp.sqrt(rho * rho + 1)
    k = 2 * mp.sqrt(2) * rho * size / (mp.pi * mp.sqrt(rho * rho + size))
    return k / ((x * x - rho * rho) ** 2 + rho * rho)


def resonance(x: Any, rho: Any) -> Any:
    pole = mp.sqrt(mp.mpc(rho * rho, rho))
    part = mp.atanh(x / pole) / pole
    return mp.im(part) / mp.im(mp.mpc(0, -mp.pi / 2) / pole)


def signed(f: Function) -> Function:
    """The density of sizes as one of numbers of either sign."""
    return lambda x, *s: f(abs(x), *s) / 2


def of_gamma(to: Function, shape: Function = lambda a: a) -> Function:
    return lambda x, *s: P(shape(*s), to(x, *s))


HALF = mpf(1) / 2


def halves(x: Any, df: Any) -> tuple[Any, Any]:
    return x / 2, df / 2


def pearson_density(x: Any, skew: Any) -> Any:
    return abs(2 / skew) * gamma_density(4 / skew**2 + 2 * x / skew, 4 / skew**2)


def pearson(x: Any, skew: Any) -> Any:
    share = P(4 / skew**2, 4 / skew**2 + 2 * x / skew)
    return share if skew > 0 else 1 - share


def uniforms_density(x: Any, n: Any) -> Any:
    ways = (mp.binomial(n, k) * (-1) ** k * power(x - k, n - 1) for k in range(int(mp.floor(x)) + 1))
    return mp.fsum(ways) / mp.factorial(n - 1)


def uniforms(x: Any, n: Any) -> Any:
    if x > n / 2:
        return 1 - uniforms(n - x, n)
    ways = (mp.binomial(n, k) * (-1) ** k * (x - k) ** n for k in range(int(mp.floor(x)) + 1))
    return mp.fsum(ways) / mp.factorial(n)


def poisson_mixture(of_number: Function, x: Any, nc: Any) -> Any:
    """The sum of a function of 0, 1, 2, ... by their probabilities, up to terms that vanish."""
    total, weight, j = mpf(0), exp(-nc / 2), 0
    while True:
        term = weight * of_number(j)
        total += term
        if j > mp.sqrt(abs(x * nc)) / 2 and abs(term) <= abs(total) * mp.eps:
            return total
        j += 1
        weight *= nc / (2 * j)


def ratio_density(x: Any, m: Any, n: Any) -> Any:
    """The density of odds of a share with the beta distribution."""
    return power(x, m - 1) * (1 + x) ** (-m - n) / mp.beta(m, n)


def noncentral_ratio_density(x: Any, m: Any, n: Any, nc: Any) -> Any:
    odds = m * x / n
    return m / n * poisson_mixture(lambda j: ratio_density(odds, m / 2 + j, n / 2), min(x, n), nc)


def noncentral_ratio(x: Any, m: Any, n: Any, nc: Any) -> Any:
    share = m * x / (m * x + n)
    return poisson_mixture(lambda j: B(m / 2 + j, n / 2, share), min(x, n), nc)


def noncentral_density(x: Any, df: Any, nc: Any) -> Any:
    if abs(nc) < 1:
        return poisson_mixture(lambda j: gamma_density(x / 2, df / 2 + j) / 2, x, nc)
    root = mp.sqrt(x * nc)
    return exp(-(x + nc) / 2) * (x / nc) ** (df / 4 - HALF) * mp.besseli(df / 2 - 1, root) / 2


def noncentral_student_density(t: Any, df: Any, nc: Any) -> Any:
    total = df + t * t
    z = nc * nc * t * t / (2 * total)
    odd = mp.sqrt(2) * nc * t * mp.hyp1f1(df / 2 + 1, 3 * HALF, z) / (total * mp.gamma((df + 1) / 2))
    even = mp.hyp1f1((df + 1) / 2, HALF, z) / (mp.sqrt(total) * mp.gamma(df / 2 + 1))
    scale = mp.exp(df / 2 * mp.log(df / total) - df * mp.log(2) - nc * nc / 2)
    return scale * mp.gamma(df + 1) / mp.gamma(df / 2) * (odd + even)


def generalized_hyperbolic_density(x: Any, p: Any, a: Any, b: Any) -> Any:
    rate, root = mp.sqrt((a - b) * (a + b)), mp.sqrt(1 + x * x)
    scale = rate**p / (mp.sqrt(2 * mp.pi) * a ** (p - HALF) * mp.besselk(p, rate))
    return scale * exp(b * x) * mp.besselk(p - HALF, a * root) * root ** (p - HALF)


EXACT: dict[str, Exact] = {
    # of the normal distribution
    "norm": Exact(phi, Phi, mean=lambda: 0, var=lambda: 1),
    "halfnorm": Exact(lambda x: 2 * phi(x), lambda x: 2 * Phi(x) - 1 if x > 1 else mp.erf(x / mp.sqrt(2)), low=0.0,
                      mean=lambda: mp.sqrt(2 / mp.pi), var=lambda: 1 - 2 / mp.pi),
    "lognorm": Exact(lambda x, s: phi(mp.log(x) / s) / (s * x), lambda x, s: Phi(mp.log(x) / s), [(0.5,), (2.0,)], 0.0,
                     mean=lambda s: exp(s * s / 2), var=lambda s: expm1(s * s) * exp(s * s)),
    "gibrat": Exact(lambda x: phi(mp.log(x)) / x, lambda x: Phi(mp.log(x)), low=0.0,
                    mean=lambda: mp.sqrt(mp.e), var=lambda: mp.e * (mp.e - 1)),
    "johnsonsb": Exact(lambda x, a, b: b * phi(a + b * mp.log(x / (1 - x))) / (x * (1 - x)),
                       lambda x, a, b: Phi(a + b * mp.log(x / (1 - x))), [(1.5, 0.7), (-0.4, 2.0)], 0.0, 1.0),
    "johnsonsu": Exact(lambda x, a, b: b * phi(a + b * mp.asinh(x)) / mp.sqrt(1 + x * x),
                       lambda x, a, b: Phi(a + b * mp.asinh(x)), [(1.5, 0.7), (-0.4, 2.0)],
                       mean=lambda a, b: -exp(1 / (2 * b * b)) * mp.sinh(a / b),
                       var=lambda a, b: expm1(b**-2) * (exp(b**-2) * mp.cosh(2 * a / b) + 1) / 2),
    "fatiguelife": Exact(lambda x, c: (x + 1) / (2 * c * x ** mpf(1.5)) * phi((x - 1) / (c * mp.sqrt(x))),
                         lambda x, c: Phi((x - 1) / (c * mp.sqrt(x))), [(0.4,), (3.0,)], 0.0,
                         mean=lambda c: 1 + c * c / 2, var=lambda c: c * c * (1 + 5 * c * c / 4)),
    "levy": Exact(lambda x: exp(-1 / (2 * x)) / mp.sqrt(2 * mp.pi * x**3), lambda x: mp.erfc(1 / mp.sqrt(2 * x)), low=0.0),
    "levy_l": Exact(lambda x: exp(1 / (2 * x)) / mp.sqrt(2 * mp.pi * (-x) ** 3), lambda x: mp.erf(1 / mp.sqrt(-2 * x)), high=0.0),
    "powernorm": Exact(lambda x, c: c * phi(x) * Phi(-x) ** (c - 1), lambda x, c: 1 - Phi(-x) ** c, [(0.6,), (4.4,)]),
    "powerlognorm": Exact(lambda x, c, s: c * phi(mp.log(x) / s) * Phi(-mp.log(x) / s) ** (c - 1) / (x * s),
                          lambda x, c, s: 1 - Phi(-mp.log(x) / s) ** c, [(2.1, 0.45), (0.6, 2.0)], 0.0),
    "foldnorm": Exact(folded(phi), lambda x, c: Phi(x - c) - Phi(-x - c), [(0.5,), (3.0,)], 0.0,
                      mean=lambda c: mp.sqrt(2 / mp.pi) * exp(-c * c / 2) + c * mp.erf(c / mp.sqrt(2))),
    "truncnorm": Exact(lambda x, a, b: phi(x) / (Phi(b) - Phi(a)), lambda x, a, b: (Phi(x) - Phi(a)) / (Phi(b) - Phi(a)),
                       [(-1.0, 2.0), (3.0, 9.0), (-30.0, -25.0), (0.1, 0.3)], lambda a, b: a, lambda a, b: b,
                       mean=lambda a, b: (phi(a) - phi(b)) / (Phi(b) - Phi(a))),
    "exponnorm": Exact(lambda x, K: exp(1 / (2 * K * K) - x / K) * Phi(x - 1 / K) / K,
                       lambda x, K: Phi(x) - exp(1 / (2 * K * K) - x / K) * Phi(x - 1 / K), [(0.2,), (3.0,)],
                       mean=lambda K: K, var=lambda K: 1 + K * K),
    "skewnorm": Exact(lambda x, a: 2 * phi(x) * Phi(a * x), skewed, [(4.0,), (-0.7,)],
                      mean=lambda a: mp.sqrt(2 / mp.pi) * a / mp.sqrt(1 + a * a)),
    "alpha": Exact(lambda x, a: phi(a - 1 / x) / (x * x * Phi(a)), lambda x, a: Phi(a - 1 / x) / Phi(a), [(0.5,), (3.6,)], 0.0),
    "crystalball": Exact(ball_density, ball, [(2.0, 3.0), (0.7, 1.5)], knots=lambda beta, m: (-beta,)),
    "invgauss": Exact(passage_density, passage, [(0.15,), (4.0,)], 0.0, mean=lambda mu: mu, var=lambda mu: mu**3),
    "wald": Exact(lambda x: passage_density(x, 1), lambda x: passage(x, 1), low=0.0, mean=lambda: 1, var=lambda: 1),
    "recipinvgauss": Exact(lambda x, mu: passage_density(1 / x, mu) / x**2, lambda x, mu: 1 - passage(1 / x, mu), [(0.6,), (4.0,)], 0.0,
                           mean=lambda mu: 1 / mu + 1, var=lambda mu: 1 / mu + 2),
    # of the exponential distribution
    "expon": Exact(lambda x: exp(-x), lambda x: -expm1(-x), low=0.0, mean=lambda: 1, var=lambda: 1),
    "laplace": Exact(lambda x: exp(-abs(x)) / 2, both(lambda x: -expm1(-x)), knots=(0.0,), mean=lambda: 0, var=lambda: 2),
    "laplace_asymmetric": Exact(lambda x, k: exp(x / k if x < 0 else -x * k) / (k + 1 / k), asymmetric, [(0.7,), (2.0,)], knots=(0.0,),
                                mean=lambda k: 1 / k - k, var=lambda k: k**-2 + k * k),
    "weibull_min": Exact(lambda x, c: c * power(x, c - 1) * exp(-(x**c)), lambda x, c: -expm1(-(x**c)), [(0.6,), (1.0,), (2.9,)], 0.0,
                         mean=lambda c: mp.gamma(1 + 1 / c), var=lambda c: mp.gamma(1 + 2 / c) - mp.gamma(1 + 1 / c) ** 2),
    "weibull_max": Exact(lambda x, c: c * power(-x, c - 1) * exp(-((-x) ** c)), lambda x, c: exp(-((-x) ** c)), [(0.6,), (2.9,)], high=0.0,
                         mean=lambda c: -mp.gamma(1 + 1 / c)),
    "dweibull": Exact(signed(lambda x, c: c * power(x, c - 1) * exp(-(x**c))), both(lambda x, c: -expm1(-(x**c))), [(0.6,), (2.9,)], knots=(0.0,),
                      mean=lambda c: 0, var=lambda c: mp.gamma(1 + 2 / c)),
    "invweibull": Exact(lambda x, c: c * x ** (-c - 1) * exp(-(x**-c)), lambda x, c: exp(-(x**-c)), [(0.6,), (4.5,)], 0.0,
                        mean=lambda c: mp.gamma(1 - 1 / c) if c > 1 else mp.inf),
    "rayleigh": Exact(lambda x: x * exp(-x * x / 2), lambda x: -expm1(-x * x / 2), low=0.0, mean=lambda: mp.sqrt(mp.pi / 2), var=lambda: 2 - mp.pi / 2),
    "exponweib": Exact(lambda x, a, c: a * c * power(x, c - 1) * exp(-(x**c)) * power(-expm1(-(x**c)), a - 1),
                       lambda x, a, c: (-expm1(-(x**c))) ** a, [(2.9, 1.95), (0.5, 0.8)], 0.0),
    "exponpow": Exact(lambda x, b: b * power(x, b - 1) * exp(x**b - expm1(x**b)), lambda x, b: -expm1(-expm1(x**b)), [(0.6,), (2.7,)], 0.0),
    "gompertz": Exact(lambda x, c: c * exp(x - c * expm1(x)), lambda x, c: -expm1(-c * expm1(x)), [(0.01,), (0.95,)], 0.0),
    "genexpon": Exact(lambda x, a, b, c: (a - b * expm1(-c * x)) * exp(-(a + b) * x - b / c * expm1(-c * x)),
                      lambda x, a, b, c: -expm1(-(a + b) * x - b / c * expm1(-c * x)), [(9.1, 16.2, 3.3), (0.5, 0.1, 1.2)], 0.0),
    "pareto": Exact(lambda x, b: b * x ** (-b - 1), lambda x, b: 1 - x**-b, [(0.7,), (2.6,)], 1.0,
                    mean=lambda b: b / (b - 1) if b > 1 else mp.inf),
    "lomax": Exact(lambda x, c: c * (1 + x) ** (-c - 1), lambda x, c: 1 - (1 + x) ** -c, [(0.7,), (2.6,)], 0.0,
                   mean=lambda c: 1 / (c - 1) if c > 1 else mp.inf),
    "genpareto": Exact(lambda x, c: exp(-(1 + c) * xlog(x, c)), lambda x, c: -expm1(-xlog(x, c)), [(0.1,), (0.0,), (-0.4,), (1.5,)], 0.0,
                       lambda c: -1 / c if c < 0 else inf, mean=lambda c: 1 / (1 - c) if c < 1 else mp.inf),
    "powerlaw": Exact(lambda x, a: a * power(x, a - 1), lambda x, a: x**a, [(0.66,), (3.0,)], 0.0, 1.0,
                      mean=lambda a: a / (a + 1), var=lambda a: a / ((a + 2) * (a + 1) ** 2)),
    "loglaplace": Exact(lambda x, c: c / 2 * (power(x, c - 1) if x < 1 else x ** (-c - 1)), lambda x, c: x**c / 2 if x < 1 else 1 - x**-c / 2,
                        [(0.7,), (3.3,)], 0.0, knots=(1.0,), mean=lambda c: c * c / (c * c - 1) if c > 1 else mp.inf),
    "truncexpon": Exact(lambda x, b: exp(-x) / -expm1(-b), lambda x, b: expm1(-x) / expm1(-b), [(0.5,), (4.7,)], 0.0, lambda b: b,
                        mean=lambda b: 1 - b / expm1(b)),
    "truncpareto": Exact(lambda x, b, c: b * x ** (-b - 1) / (1 - c**-b), lambda x, b, c: (1 - x**-b) / (1 - c**-b), [(2.0, 5.0), (-1.5, 3.0)], 1.0, lambda b, c: c),
    "truncweibull_min": Exact(lambda x, c, a, b: c * power(x, c - 1) * exp(-(x**c)) / (exp(-(a**c)) - exp(-(b**c))),
                              lambda x, c, a, b: (exp(-(a**c)) - exp(-(x**c))) / (exp(-(a**c)) - exp(-(b**c))),
                              [(2.5, 0.25, 1.75), (0.7, 1.0, 30.0)], lambda c, a, b: a, lambda c, a, b: b),
    "loguniform": Exact(lambda x, a, b: 1 / (x * mp.log(b / a)), lambda x, a, b: mp.log(x / a) / mp.log(b / a), [(0.01, 1.25), (2.0, 3.0)],
                        lambda a, b: a, lambda a, b: b, mean=lambda a, b: (b - a) / mp.log(b / a)),
    "bradford": Exact(lambda x, c: c / (mp.log1p(c) * (1 + c * x)), lambda x, c: mp.log1p(c * x) / mp.log1p(c), [(0.3,), (20.0,)], 0.0, 1.0,
                      mean=lambda c: (c - mp.log1p(c)) / (c * mp.log1p(c))),
    "gumbel_r": Exact(lambda x: exp(-x - exp(-x)), lambda x: exp(-exp(-x)), mean=lambda: mp.euler, var=lambda: mp.pi**2 / 6),
    "gumbel_l": Exact(lambda x: exp(x - exp(x)), lambda x: -expm1(-exp(x)), mean=lambda: -mp.euler, var=lambda: mp.pi**2 / 6),
    "genextreme": Exact(lambda x, c: exp(-genextreme_y(x, c)) * genextreme_y(x, c) ** (1 - c), lambda x, c: exp(-genextreme_y(x, c)),
                        [(-0.1,), (0.0,), (0.5,)], lambda c: 1 / c if c < 0 else -inf, lambda c: 1 / c if c > 0 else inf,
                        mean=lambda c: (1 - mp.gamma(1 + c)) / c if c else mp.euler),
    "uniform": Exact(lambda x: mpf(1), lambda x: x, low=0.0, high=1.0, mean=lambda: HALF, var=lambda: mpf(1) / 12),
    # of the logistic distribution
    "logistic": Exact(sech2, expit, mean=lambda: 0, var=lambda: mp.pi**2 / 3),
    "halflogistic": Exact(lambda x: 2 * sech2(x), lambda x: mp.tanh(x / 2), low=0.0, mean=lambda: mp.log(4), var=lambda: mp.pi**2 / 3 - mp.log(4) ** 2),
    "genlogistic": Exact(lambda x, c: c * exp(-x) / (1 + exp(-x)) ** (c + 1), lambda x, c: (1 + exp(-x)) ** -c, [(0.4,), (3.0,)],
                         mean=lambda c: mp.euler + mp.psi(0, c), var=lambda c: mp.pi**2 / 6 + mp.psi(1, c)),
    "genhalflogistic": Exact(lambda x, c: 2 * genextreme_y(x, c) ** (1 - c) / (1 + genextreme_y(x, c)) ** 2,
                             lambda x, c: (1 - genextreme_y(x, c)) / (1 + genextreme_y(x, c)), [(0.3,), (0.8,)], 0.0, lambda c: 1 / c),
    "hypsecant": Exact(lambda x: 1 / (mp.pi * mp.cosh(x)), lambda x: 2 / mp.pi * mp.atan(exp(x)), mean=lambda: 0, var=lambda: mp.pi**2 / 4),
    "fisk": Exact(lambda x, c: burr_density(x, c, 1), lambda x, c: burr(x, c, 1), [(0.8,), (3.1,)], 0.0),
    "burr": Exact(burr_density, burr, [(10.5, 4.3), (1.5, 0.4)], 0.0),
    "mielke": Exact(lambda x, k, s: burr_density(x, s, k / s), lambda x, k, s: burr(x, s, k / s), [(10.4, 4.6), (0.6, 1.5)], 0.0),
    "burr12": Exact(lambda x, c, d: c * d * power(x, c - 1) * (1 + x**c) ** (-d - 1), lambda x, c, d: 1 - (1 + x**c) ** -d, [(10.0, 4.0), (0.6, 1.5)], 0.0),
    "kappa3": Exact(lambda x, a: a * (a + x**a) ** (-(a + 1) / a), lambda x, a: x * (a + x**a) ** (-1 / a), [(0.6,), (1.0,), (3.0,)], 0.0),
    "kappa4": Exact(kappa4_density, kappa4, [(0.1, 0.0), (0.5, 0.4), (-0.3, -0.2), (0.0, 0.1)],
                    lambda h, k: float((1 - mpf(h) ** -k) / k if k else mp.log(h)) if h > 0 else (1 / k if k < 0 else -inf),
                    lambda h, k: 1 / k if k > 0 else inf),
    # of the gamma distribution
    "gamma": Exact(gamma_density, lambda x, a: P(a, x), [(0.5,), (1.0,), (2.5,), (300.0,)], 0.0, mean=lambda a: a, var=lambda a: a),
    "erlang": Exact(gamma_density, lambda x, a: P(a, x), [(1.0,), (10.0,)], 0.0, mean=lambda a: a, var=lambda a: a),
    "chi2": Exact(lambda x, df: gamma_density(x / 2, df / 2) / 2, lambda x, df: P(df / 2, x / 2), [(1.0,), (2.0,), (3.0,), (55.0,)], 0.0,
                  mean=lambda df: df, var=lambda df: 2 * df),
    "chi": Exact(lambda x, df: power(x, df - 1) * exp(-x * x / 2) * mp.mpf(2) ** (1 - df / 2) / mp.gamma(df / 2), lambda x, df: P(df / 2, x * x / 2),
                 [(1.0,), (2.0,), (3.5,), (78.0,)], 0.0, mean=lambda df: mp.sqrt(2) * mp.gammaprod([(df + 1) / 2], [df / 2])),
    "maxwell": Exact(lambda x: mp.sqrt(2 / mp.pi) * x * x * exp(-x * x / 2), lambda x: P(mpf(3) / 2, x * x / 2), low=0.0,
                     mean=lambda: 2 * mp.sqrt(2 / mp.pi), var=lambda: 3 - 8 / mp.pi),
    "nakagami": Exact(lambda x, nu: 2 * nu**nu / mp.gamma(nu) * power(x, 2 * nu - 1) * exp(-nu * x * x), lambda x, nu: P(nu, nu * x * x),
                      [(0.5,), (0.7,), (5.0,)], 0.0, mean=lambda nu: mp.gammaprod([nu + HALF], [nu]) / mp.sqrt(nu)),
    "invgamma": Exact(lambda x, a: gamma_density(1 / x, a) / x**2, lambda x, a: 1 - P(a, 1 / x), [(0.7,), (4.1,)], 0.0,
                      mean=lambda a: 1 / (a - 1) if a > 1 else mp.inf),
    "gengamma": Exact(lambda x, a, c: abs(c) * power(x, c * a - 1) * exp(-(x**c)) / mp.gamma(a), lambda x, a, c: P(a, x**c) if c > 0 else 1 - P(a, x**c),
                      [(4.4, 3.1), (4.4, -3.1), (0.6, 0.9)], 0.0, mean=lambda a, c: mp.gammaprod([a + 1 / c], [a]) if a + 1 / c > 0 else mp.inf),
    "loggamma": Exact(lambda x, c: exp(c * x - exp(x)) / mp.gamma(c), lambda x, c: P(c, exp(x)), [(0.4,), (7.0,)],
                      mean=lambda c: mp.psi(0, c), var=lambda c: mp.psi(1, c)),
    "moyal": Exact(lambda x: exp(-(x + exp(-x)) / 2) / mp.sqrt(2 * mp.pi), lambda x: mp.erfc(exp(-x / 2) / mp.sqrt(2)),
                   mean=lambda: mp.euler + mp.log(2), var=lambda: mp.pi**2 / 2),
    "dgamma": Exact(signed(gamma_density), both(lambda x, a: P(a, x)), [(0.6,), (1.1,), (3.0,)], knots=(0.0,), mean=lambda a: 0, var=lambda a: a * (a + 1)),
    "halfgennorm": Exact(lambda x, b: b / mp.gamma(1 / b) * exp(-(x**b)), lambda x, b: P(1 / b, x**b), [(0.7,), (2.0,), (3.5,)], 0.0),
    "gennorm": Exact(lambda x, b: b / (2 * mp.gamma(1 / b)) * exp(-(abs(x) ** b)), both(lambda x, b: P(1 / b, x**b)), [(0.7,), (2.0,), (4.0,)],
                     knots=lambda b: () if b in (2, 4) else (0.0,), mean=lambda b: 0, var=lambda b: mp.gammaprod([3 / b], [1 / b])),
    "pearson3": Exact(pearson_density, pearson, [(0.02,), (-0.095,), (0.12,), (-1.1,), (2.5,)], lambda s: -2 / s if s > 0 else -inf, lambda s: -2 / s if s < 0 else inf,
                      at=(-60.0, -11.0, -3.0, -1.5, -0.7, -0.3, -1e-8, 0.05, 1e-5, 0.4, 1.2, 1.7, 5.0, 19.5, 38.0, 300.0), mean=lambda s: 0, var=lambda s: 1),
    "ncx2": Exact(noncentral_density, lambda x, df, nc: poisson_mixture(lambda j: P(df / 2 + j, x / 2), x, nc), [(0.7, 0.4), (21.0, 1.06), (5.5, 300.0)], 0.0,
                  at=(1e-100, 1e-8, 0.01, 0.5, 3.0, 11.0, 40.0, 95.0, 250.0, 700.0, 3000.0), mean=lambda df, nc: df + nc, var=lambda df, nc: 2 * (df + 2 * nc)),
    "ncf": Exact(noncentral_ratio_density, noncentral_ratio, [(27.0, 27.0, 0.4), (1.0, 5.0, 3.0), (3.0, 12.0, 60.0)], 0.0,
                 at=(1e-100, 1e-8, 0.01, 0.3, 0.9, 2.2, 8.0, 40.0, 900.0, 1e8, 1e100), mean=lambda m, n, nc: n * (m + nc) / (m * (n - 2)) if n > 2 else mp.nan),
    "nct": Exact(noncentral_student_density, None, [(14.0, 0.24), (1.5, -2.0), (60.0, 5.0)], at=(-300.0, -8.0, -0.5, 0.0, 0.7, 5.0, 12.0, 1e4)),
    # of Bessel functions
    "geninvgauss": Exact(lambda x, p, b: power(x, p - 1) * exp(-b * (x + 1 / x) / 2) / (2 * mp.besselk(p, b)), None, [(2.3, 1.5), (-0.7, 0.2), (11.7, 30.0)], 0.0,
                         at=(1e-3, 0.01, 0.3, 1.0, 2.5, 7.0, 40.0, 1e3), mean=lambda p, b: mp.besselk(p + 1, b) / mp.besselk(p, b)),
    "genhyperbolic": Exact(generalized_hyperbolic_density, None, [(0.5, 1.5, -0.5), (-2.2, 1.2, 0.3), (2.8, 0.8, 0.5)],
                           at=(-300.0, -30.0, -5.0, -1.0, 0.0, 0.4, 2.0, 9.0, 40.0)),
    # of the beta distribution
    "beta": Exact(beta_density, lambda x, a, b: B(a, b, x), [(1.0, 1.0), (2.3, 0.6), (0.5, 3.0), (200.0, 50.0)], 0.0, 1.0,
                  mean=lambda a, b: a / (a + b), var=lambda a, b: a * b / (a + b) ** 2 / (a + b + 1)),
    "betaprime": Exact(lambda x, a, b: power(x, a - 1) * (1 + x) ** (-a - b) / mp.beta(a, b), lambda x, a, b: B(a, b, x / (1 + x)), [(5.0, 6.0), (0.6, 1.5), (30.0, 20.0)], 0.0,
                       mean=lambda a, b: a / (b - 1) if b > 1 else mp.inf),
    "f": Exact(lambda x, m, n: (m / n) ** (m / 2) * power(x, m / 2 - 1) * (1 + m * x / n) ** (-(m + n) / 2) / mp.beta(m / 2, n / 2),
               lambda x, m, n: B(m / 2, n / 2, m * x / (m * x + n)), [(29.0, 18.0), (1.0, 3.0), (2.0, 5.0)], 0.0,
               mean=lambda m, n: n / (n - 2) if n > 2 else mp.inf),
    "t": Exact(student_density, student, [(0.5,), (2.7,), (40.0,)], mean=lambda df: 0 if df > 1 else mp.inf),
    "arcsine": Exact(lambda x: 1 / (mp.pi * mp.sqrt(x * (1 - x))), lambda x: 2 / mp.pi * mp.asin(mp.sqrt(x)), low=0.0, high=1.0, mean=lambda: HALF, var=lambda: mpf(1) / 8),
    "rdist": Exact(lambda x, c: power((1 - x) * (1 + x), c / 2 - 1) / mp.beta(HALF, c / 2), lambda x, c: B(c / 2, c / 2, (1 + x) / 2), [(0.6,), (1.6,), (5.0,)], -1.0, 1.0,
                   mean=lambda c: 0, var=lambda c: 1 / (c + 1)),
    "semicircular": Exact(lambda x: 2 / mp.pi * mp.sqrt(1 - x * x), lambda x: HALF + (x * mp.sqrt(1 - x * x) + mp.asin(x)) / mp.pi, low=-1.0, high=1.0,
                          mean=lambda: 0, var=lambda: mpf(1) / 4),
    "jf_skew_t": Exact(lambda x, a, b: (2 * skewed_share(x, a, b)) ** (a + HALF) * (2 - 2 * skewed_share(x, a, b)) ** (b + HALF) * mpf(2) ** (1 - a - b) / (mp.beta(a, b) * mp.sqrt(a + b)),
                       lambda x, a, b: B(a, b, skewed_share(x, a, b)), [(8.0, 4.0), (0.7, 1.5)]),
    # of trigonometric functions
    "cauchy": Exact(cauchy_density, cauchy),
    "halfcauchy": Exact(lambda x: 2 * cauchy_density(x), lambda x: 2 * mp.atan(x) / mp.pi, low=0.0),
    "foldcauchy": Exact(folded(cauchy_density), lambda x, c: cauchy(x - c) - cauchy(-x - c), [(0.5,), (4.7,)], 0.0),
    "skewcauchy": Exact(lambda x, a: cauchy_density(x / (1 + a if x > 0 else 1 - a)), skew_cauchy, [(0.5,), (-0.8,)], knots=(0.0,)),
    "anglit": Exact(lambda x: mp.cos(2 * x), lambda x: mp.sin(x + mp.pi / 4) ** 2, low=-0.7853981633974483, high=0.7853981633974483,
                    mean=lambda: 0, var=lambda: mp.pi**2 / 16 - HALF),
    "cosine": Exact(lambda x: (1 + mp.cos(x)) / (2 * mp.pi), lambda x: (mp.pi + x + mp.sin(x)) / (2 * mp.pi), low=-3.141592653589793, high=3.141592653589793,
                    mean=lambda: 0, var=lambda: mp.pi**2 / 3 - 2),
    "wrapcauchy": Exact(lambda x, c: (1 - c * c) / (2 * mp.pi * (1 + c * c - 2 * c * mp.cos(x))), wrapped, [(0.03,), (0.9,)], 0.0, 6.283185307179586),
    "vonmises": Exact(lambda x, k: exp(k * (mp.cos(x) - 1)) / (2 * mp.pi * mp.besseli(0, k) * exp(-k)), None, [(0.0,), (4.0,), (300.0,)], -3.141592653589793, 3.141592653589793),
    # between two ends
    "triang": Exact(lambda x, c: 2 * x / c if x < c else 2 * (1 - x) / (1 - c), lambda x, c: x * x / c if x < c else 1 - (1 - x) ** 2 / (1 - c),
                    [(0.3,), (1.0,)], 0.0, 1.0, knots=lambda c: (c,), mean=lambda c: (1 + c) / 3, var=lambda c: (1 - c + c * c) / 18),
    "trapezoid": Exact(lambda x, c, d: 2 / (d - c + 1) * min(x / c, 1, (1 - x) / (1 - d)),
                       lambda x, c, d: x * x / (c * (d - c + 1)) if x < c else (2 * x - c) / (d - c + 1) if x < d else 1 - max(1 - x, 0) ** 2 / ((1 - d) * (d - c + 1)),
                       [(0.2, 0.8), (0.05, 0.3)], 0.0, 1.0),
    "argus": Exact(lambda x, chi: chi**3 / (mp.sqrt(mp.pi / 2) * P(mpf(1.5), chi * chi / 2)) * x * mp.sqrt(1 - x * x) * exp(-chi * chi * (1 - x * x) / 2),
                   lambda x, chi: 1 - P(mpf(1.5), chi * chi * (1 - x * x) / 2) / P(mpf(1.5), chi * chi / 2), [(1.0,), (0.3,), (9.0,)], 0.0, 1.0),
    "tukeylambda": Exact(lambda x, lam: tukey(x, lam)[0], lambda x, lam: tukey(x, lam)[1], [(3.1,), (0.0,), (-0.4,), (0.5,)],
                         lambda lam: -1 / lam if lam > 0 else -inf, lambda lam: 1 / lam if lam > 0 else inf),
    "irwinhall": Exact(uniforms_density, uniforms, [(1.0,), (2.0,), (5.0,), (30.0,), (128.0,)], 0.0, lambda n: n, knots=lambda n: tuple(range(int(n) + 1)), whole=(0,),
                       at=(1e-200, 1e-8, 0.01, 0.4, 0.7, 1.3, 1.99, 2.2, 2.5, 3.6, 4.98, 7.7, 12.1, 15.3, 28.4, 55.6, 68.2, 127.7), mean=lambda n: n / 2, var=lambda n: n / 12),
    # normal numbers and others
    "dpareto_lognorm": Exact(double_pareto_density, double_pareto, [(3.0, 1.2, 1.5, 2.0), (-0.5, 0.3, 6.0, 0.7)], 0.0),
    "norminvgauss": Exact(inverse_mixture, inverse_mixture_below, [(1.25, 0.5), (7.0, -3.0), (0.3, 0.0)], mean=lambda a, b: b / mp.sqrt(a * a - b * b)),
    "rice": Exact(lambda x, b: x * exp(-((x - b) ** 2) / 2) * mp.besseli(0, x * b) * exp(-x * b), None, [(1e-9,), (0.8,), (30.0,)], 0.0,
                  mean=lambda b: mp.sqrt(mp.pi / 2) * mp.hyp1f1(-HALF, 1, -b * b / 2)),
    "kstwobign": Exact(bridge_density, bridge, low=0.0),
    "rel_breitwigner": Exact(resonance_density, resonance, [(1.7,), (36.5,), (0.2,)], 0.0),
}  # fmt: skip

EXACT["vonmises_line"] = EXACT["vonmises"]
EXACT["reciprocal"] = EXACT["loguniform"]
