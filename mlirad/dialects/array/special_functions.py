"""The special functions of `array.special`: which there are, of what, and which ufunc of SciPy computes them.

    SPECIAL_FUNCTIONS["gammainc"].parameters      ("a", "x")
    SPECIAL_FUNCTIONS["airy_ai"]                  the first of four results of scipy.special.airy
    SPECIAL_FUNCTIONS["log_ratio"]                a function that SciPy does not have

Names are those of `scipy.special`; where a ufunc has several results, each is a function with a name of its
own. Arguments and result are floats of one type, orders and degrees among them. Functions with an op of their
own, such as `array.erf`, are not listed.

A function is here and no formula where it is differentiated, because its derivatives are better stated than
made of those of its formula's parts, which overflow or cancel. Programs compute a function by machine code of
its own if it is `NATIVE`, else by that formula (`mlirad.passes.expand_formulas`) if there is one, else by
SciPy's loop.

Special functions are one op, `array.special`, with a name; a table says what the name means: parameters,
SciPy's ufunc, derivatives. An op for each of a hundred functions would be a hundred lines in every package,
all alike. Functions on which programs spend their time, such as `array.erf`, have ops and vector code of
their own.
"""

from __future__ import annotations

from mlirad.lazy_dataclass import dataclass

NATIVE = frozenset(("log_ratio", "sincpi_slope"))
"""Functions with machine code of their own, as `array.exp` has it. Other compilers get their formulas."""

OF_WHOLE = "whole_"
"""The prefix of names of functions of whole orders, for which SciPy has a loop of its own."""


@dataclass(frozen=True)
class SpecialFunction:
    """A function of `parameters`: result number `output` of the ufunc of that name, which has `outputs`.

    One that SciPy does not have has no `ufunc`. A part of a result for complex numbers has `ufunc_of_complex`
    instead: its last two parameters are the parts of the last operand.
    """

    parameters: tuple[str, ...]
    meaning: str
    ufunc: str
    output: int = 0
    outputs: int = 1
    ufunc_of_complex: str = ""
    is_imaginary: bool = False
    is_of_whole: bool = False
    """A flag for the loop of the ufunc whose first argument is an integer, in double precision."""

    @property
    def arity(self) -> int:
        """Return how many arguments there are."""
        return len(self.parameters)

    @property
    def loop(self) -> str:
        """The ufunc, as domains call it."""
        if self.ufunc_of_complex:
            return f"complex_{self.ufunc_of_complex}"
        return f"{OF_WHOLE}{self.ufunc}" if self.is_of_whole else self.ufunc


_POLYNOMIALS = {
    "eval_legendre n x": "Legendre function of the first kind, a polynomial for whole n",
    "eval_chebyt n x": "Chebyshev function of the first kind, cos(n arccos(x))",
    "eval_chebyu n x": "Chebyshev function of the second kind",
    "eval_gegenbauer n a x": "Gegenbauer function",
    "eval_jacobi n a b x": "Jacobi function",
    "eval_genlaguerre n a x": "generalised Laguerre function",
}
"""Orthogonal polynomials, of any order."""

_OF_WHOLE = _POLYNOMIALS | {
    "eval_hermite n x": "Hermite polynomial H",
    "eval_hermitenorm n x": "Hermite polynomial He",
}
"""Those whose loops for whole orders are recurrences."""

_TABLE = {
    "gamma x": "gamma function",
    "rgamma x": "1 / gamma(x), entire",
    "beta a b": "gamma(a) gamma(b) / gamma(a + b)",
    "betaln a b": "log |beta(a, b)|",
    "binom n k": "binomial coefficient of real arguments",
    "poch z m": "rising factorial gamma(z + m) / gamma(z)",
    "gammainc a x": "regularised lower incomplete gamma function",
    "gammaincc a x": "regularised upper incomplete gamma function",
    "gammaincinv a y": "the x with gammainc(a, x) = y",
    "gammainccinv a y": "the x with gammaincc(a, x) = y",
    "betainc a b x": "regularised incomplete beta function",
    "betaincc a b x": "1 - betainc(a, b, x), accurate near 0",
    "betaincinv a b y": "the x with betainc(a, b, x) = y",
    "betainccinv a b y": "the x with betaincc(a, b, x) = y",
    "log_ndtr x": "logarithm of the normal distribution function",
    "ndtri p": "the x with ndtr(x) = p",
    "ndtri_exp y": "the x with log_ndtr(x) = y",
    "stdtr df t": "Student's distribution function",
    "erfcinv x": "inverse of erfc on (0, 2)",
    "erfcx x": "e^(x^2) erfc(x)",
    "erfi x": "-i erf(i x)",
    "dawsn x": "Dawson's integral, sqrt(pi) / 2 e^(-x^2) erfi(x)",
    "owens_t h a": "Owen's T function",
    "expi x": "exponential integral Ei",
    "exp1 x": "exponential integral E1",
    "expn n x": "generalised exponential integral of order n",
    "exprel x": "(e^x - 1) / x, 1 at 0",
    "cosm1 x": "cos(x) - 1, accurate near 0",
    "powm1 x y": "x^y - 1, accurate near 0",
    "spence x": "dilogarithm, the integral of log(t) / (1 - t) from 1 to x",
    "wrightomega x": "Wright's omega function, the w with w + log(w) = x",
    "boxcox x lmbda": "(x^lmbda - 1) / lmbda, log(x) for lmbda 0",
    "boxcox1p x lmbda": "boxcox(1 + x, lmbda)",
    "inv_boxcox y lmbda": "the x with boxcox(x, lmbda) = y",
    "inv_boxcox1p y lmbda": "the x with boxcox1p(x, lmbda) = y",
    "j0 x": "Bessel function of the first kind of order 0",
    "j1 x": "Bessel function of the first kind of order 1",
    "jv v x": "Bessel function of the first kind",
    "y0 x": "Bessel function of the second kind of order 0",
    "y1 x": "Bessel function of the second kind of order 1",
    "yn n x": "Bessel function of the second kind of whole order",
    "yv v x": "Bessel function of the second kind",
    "i0 x": "modified Bessel function of the first kind of order 0",
    "i0e x": "e^-|x| i0(x)",
    "i1 x": "modified Bessel function of the first kind of order 1",
    "i1e x": "e^-|x| i1(x)",
    "iv v x": "modified Bessel function of the first kind",
    "ive v x": "e^-|x| iv(v, x)",
    "k0 x": "modified Bessel function of the second kind of order 0",
    "k0e x": "e^x k0(x)",
    "k1 x": "modified Bessel function of the second kind of order 1",
    "k1e x": "e^x k1(x)",
    "kn n x": "modified Bessel function of the second kind of whole order",
    "kv v x": "modified Bessel function of the second kind",
    "kve v x": "e^x kv(v, x)",
    "struve v x": "Struve function",
    "modstruve v x": "modified Struve function",
    "hyp0f1 b x": "confluent hypergeometric limit function",
    "hyp1f1 a b x": "Kummer's confluent hypergeometric function",
    "hyperu a b x": "Tricomi's confluent hypergeometric function",
    "hyp2f1 a b c x": "Gauss's hypergeometric function",
    "ellipk m": "complete elliptic integral of the first kind",
    "ellipkm1 p": "ellipk(1 - p), accurate near p = 0",
    "ellipe m": "complete elliptic integral of the second kind",
    "ellipkinc phi m": "incomplete elliptic integral of the first kind",
    "ellipeinc phi m": "incomplete elliptic integral of the second kind",
    "agm a b": "arithmetic-geometric mean",
    "sindg x": "sine of x in degrees",
    "cosdg x": "cosine of x in degrees",
    "tandg x": "tangent of x in degrees",
    "cotdg x": "cotangent of x in degrees",
    "zetac x": "Riemann's zeta function minus 1",
    "xlogy x y": "x log(y), 0 where x is 0",
    "xlog1py x y": "x log(1 + y), 0 where x is 0",
    "entr x": "-x log(x), 0 at 0",
    "rel_entr x y": "x log(x / y), 0 where x is 0",
    "kl_div x y": "x log(x / y) - x + y",
    "pseudo_huber delta r": "delta (sqrt(delta^2 + r^2) - delta)",
    "fdtr dfn dfd x": "distribution function of the F distribution",
    "fdtrc dfn dfd x": "1 - fdtr(dfn, dfd, x), accurate in the tail",
    "stdtrit df p": "the t with stdtr(df, t) = p",
    "gdtrib a p x": "the b with gammainc(b, a x) = p",
    "btdtria p b x": "the a with betainc(a, b, x) = p",
    "btdtrib a p x": "the b with betainc(a, b, x) = p",
    "elliprf x y z": "Carlson's symmetric elliptic integral of the first kind",
    "elliprg x y z": "Carlson's symmetric elliptic integral of the second kind, without a pole",
    "ber x": "Kelvin function ber",
    "bei x": "Kelvin function bei",
    "ker x": "Kelvin function ker",
    "kei x": "Kelvin function kei",
    "berp x": "derivative of the Kelvin function ber",
    "beip x": "derivative of the Kelvin function bei",
    "kerp x": "derivative of the Kelvin function ker",
    "keip x": "derivative of the Kelvin function kei",
    "itstruve0 x": "integral of struve(0, t) over t from 0 to x",
    "it2struve0 x": "integral of struve(0, t) / t over t from x on",
    "itmodstruve0 x": "integral of modstruve(0, t) over t from 0 to x",
    "wright_bessel a b x": "Wright's generalised Bessel function",
    "log_wright_bessel a b x": "log(wright_bessel(a, b, x))",
    "lpmv m v x": "associated Legendre function of whole order m and any degree, on the cut",
    "besselpoly a lmb nu": "integral of x^lmb jv(nu, 2 a x) over x from 0 to 1",
    "tklmbda x lmbda": "Tukey's lambda distribution function",
    "pdtrik p m": "the k with gammaincc(k + 1, m) = p",
    "bdtrik y n p": "the k with betaincc(k + 1, n - k, p) = y",
    "bdtrin k y p": "the n with betaincc(k + 1, n - k, p) = y",
    "nbdtrik y n p": "the k with betainc(n, k + 1, p) = y",
    "nbdtrin k y p": "the n with betainc(n, k + 1, p) = y",
    "mathieu_a m q": "characteristic value of the even Mathieu function of whole order m",
    "mathieu_b m q": "characteristic value of the odd Mathieu function of whole order m",
    "stdtridf p t": "the df with stdtr(df, t) = p",
    "fdtridfd dfn p x": "the dfd with fdtr(dfn, dfd, x) = p",
    **_POLYNOMIALS,
}
"""Ufuncs with one result: name and parameters, and what is computed."""

_OF_OTHER_NAMES = {
    "zeta x q": ("_zeta", "Hurwitz's zeta function"),
    "riemann_zeta x": ("_riemann_zeta", "Riemann's zeta function"),
}
"""Those whose ufunc has another name."""

_OWN = {
    "unit x y r": "x / r, where r is hypot(x, y); 0 at the origin",
    "log_ratio x y": "log(x / y) of positive numbers",
    "pseudo_huber_by_delta delta r": "derivative of pseudo_huber by delta",
    "pseudo_huber_by_r delta r": "derivative of pseudo_huber by r",
    "sinc x": "sin(x) / x, 1 at 0",
    "sinc_slope x": "derivative of sin(x) / x",
    "sincpi x": "sin(pi x) / (pi x), 1 at 0, with pi x rounded",
    "sincpi_reduced x": "sin(pi x) / (pi x), also where x is so large that pi x has no fraction",
    "sincpi_slope x": "derivative of sin(pi x) / (pi x)",
    "lambert_w x": "Lambert's W of real numbers, the branch from -1 on: the w with w e^w = x",
    "lambert_w_lower x": "Lambert's W of real numbers, the branch down from -1",
    "lambert_w_slope x w": "e^-w / (1 + w), where w is lambert_w(x)",
    "lambert_w_lower_slope x w": "w / (1 + w) / -|x|, where w is lambert_w_lower(x)",
    "exp_over x": "e^x / x",
    "spence_slope x": "log(x) / (1 - x), the derivative of spence",
    "ellipk_slope m": "derivative of ellipk",
    "ellipkm1_slope p": "derivative of ellipkm1",
    "ellipe_slope m": "derivative of ellipe",
    "agm_slope a b": "derivative of agm by a",
    "gamma_power j a x": "x^(a - 1 - j) e^-x / gamma(a)",
    "log_gamma_power j a x": "logarithm of gamma_power",
    "beta_power i j a b x": "x^(a - 1 - i) (1 - x)^(b - 1 - j) / beta(a, b)",
    "log_beta_power i j a b x": "logarithm of beta_power",
    "binomial_power i j k m x": "binom(k + m, k) x^(k - i) (1 - x)^(m - j), for whole k and m",
    "log_binomial_power i j k m x": "logarithm of binomial_power",
    "log_beta a b": "log(beta(a, b)) of positive numbers, accurate where one is much larger",
    "square_sine x": "sin(pi x^2 / 2)",
    "square_cosine x": "cos(pi x^2 / 2)",
    "faddeeva_real x y": "real part of e^(-z^2) erfc(-iz) for z = x + iy",
    "faddeeva_imag x y": "imaginary part of it",
    "complex_erf_real x y": "real part of erf(x + iy)",
    "complex_erf_imag x y": "imaginary part of it",
    "complex_erfc_real x y": "real part of erfc(x + iy)",
    "complex_erfc_imag x y": "imaginary part of it",
    "complex_dawson_real x y": "real part of Dawson's integral of x + iy",
    "complex_dawson_imag x y": "imaginary part of it",
    "complex_zeta_real s x y": "real part of the sum over k from 0 of (z + k)^-s, for whole s > 1 and x > 0",
    "complex_zeta_imag s x y": "imaginary part of it",
    "sinc_series x": "-sinc_slope(x) / x for |x| up to 1",
    "sinc_series_slope x": "-1 / x times the derivative of sinc_series, for |x| up to 1",
}
"""Those that SciPy does not have: derivatives, and what derivatives are made of."""

_WAVES = {
    "mathieu_cem m q x": "even Mathieu function of x in degrees",
    "mathieu_sem m q x": "odd Mathieu function of x in degrees",
    "mathieu_modcem1 m q x": "even modified Mathieu function of the first kind",
    "mathieu_modcem2 m q x": "even modified Mathieu function of the second kind",
    "mathieu_modsem1 m q x": "odd modified Mathieu function of the first kind",
    "mathieu_modsem2 m q x": "odd modified Mathieu function of the second kind",
}
"""Ufuncs whose results are a function and its derivative, by angles in radians."""

_SEVERAL = {
    "airy x": ("airy_ai", "airy_aip", "airy_bi", "airy_bip"),
    "airye x": ("airye_ai", "airye_aip", "airye_bi", "airye_bip"),
    "ellipj u m": ("ellipj_sn", "ellipj_cn", "ellipj_dn", "ellipj_am"),
    "sici x": ("sici_si", "sici_ci"),
    "shichi x": ("shichi_shi", "shichi_chi"),
    "fresnel x": ("fresnel_s", "fresnel_c"),
    "itj0y0 x": ("itj0y0_j", "itj0y0_y"),
    "it2j0y0 x": ("it2j0y0_j", "it2j0y0_y"),
    "iti0k0 x": ("iti0k0_i", "iti0k0_k"),
    "it2i0k0 x": ("it2i0k0_i", "it2i0k0_k"),
    "itairy x": ("itairy_ai", "itairy_bi", "itairy_ai_below", "itairy_bi_below"),
    "pbwa a x": ("pbwa_w", "pbwa_wp"),
    "pbdv v x": ("pbdv_d", "pbdv_dp"),
    "pbvv v x": ("pbvv_v", "pbvv_vp"),
    **{signature: tuple(f"{signature.split()[0]}_{k}" for k in ("y", "yp")) for signature in _WAVES},
}
"""Ufuncs with several results, and what each is called."""

_OF_COMPLEX = (
    "gamma z", "rgamma z", "loggamma z", "psi z",
    "expi z", "exp1 z", "log_ndtr z", "spence z", "wrightomega z",
    "sici z", "shichi z", "fresnel z", "airy z",
    "jv v z", "yv v z", "iv v z", "kv v z", "hankel1 v z", "hankel2 v z",
    "hyp0f1 b z", "hyp2f1 a b c z",
)  # fmt: skip
"""Ufuncs whose last operand may be complex, as programs compute them by the loops of SciPy."""

_MEANINGS_OF_PARTS = {
    "airy_ai": "Airy function Ai",
    "airy_aip": "derivative of the Airy function Ai",
    "airy_bi": "Airy function Bi",
    "airy_bip": "derivative of the Airy function Bi",
    "airye_ai": "Airy function Ai times e^(2/3 x^1.5), from x = 0 on",
    "airye_aip": "derivative of the Airy function Ai times e^(2/3 x^1.5), from x = 0 on",
    "airye_bi": "Airy function Bi, times e^(-2/3 x^1.5) from x = 0 on",
    "airye_bip": "derivative of the Airy function Bi, times e^(-2/3 x^1.5) from x = 0 on",
    "ellipj_sn": "Jacobi's elliptic function sn",
    "ellipj_cn": "Jacobi's elliptic function cn",
    "ellipj_dn": "Jacobi's elliptic function dn",
    "ellipj_am": "Jacobi's amplitude, the phi with ellipkinc(phi, m) = u",
    "sici_si": "sine integral",
    "sici_ci": "cosine integral",
    "shichi_shi": "hyperbolic sine integral",
    "shichi_chi": "hyperbolic cosine integral",
    "fresnel_s": "Fresnel's sine integral",
    "fresnel_c": "Fresnel's cosine integral",
    "itj0y0_j": "integral of j0 from 0 to x",
    "itj0y0_y": "integral of y0 from 0 to x",
    "it2j0y0_j": "integral of (1 - j0(t)) / t over t from 0 to x",
    "it2j0y0_y": "integral of y0(t) / t over t from x on",
    "iti0k0_i": "integral of i0 from 0 to x",
    "iti0k0_k": "integral of k0 from 0 to x",
    "it2i0k0_i": "integral of (i0(t) - 1) / t over t from 0 to x",
    "it2i0k0_k": "integral of k0(t) / t over t from x on",
    "itairy_ai": "integral of Ai from 0 to x",
    "itairy_bi": "integral of Bi from 0 to x",
    "itairy_ai_below": "integral of Ai(-t) over t from 0 to x",
    "itairy_bi_below": "integral of Bi(-t) over t from 0 to x",
    "pbwa_w": "parabolic cylinder function W",
    "pbwa_wp": "derivative of the parabolic cylinder function W",
    "pbdv_d": "parabolic cylinder function D",
    "pbdv_dp": "derivative of the parabolic cylinder function D",
    "pbvv_v": "parabolic cylinder function V",
    "pbvv_vp": "derivative of the parabolic cylinder function V",
    **{f"{signature.split()[0]}_y": meaning for signature, meaning in _WAVES.items()},
    **{f"{signature.split()[0]}_yp": f"derivative of the {meaning}" for signature, meaning in _WAVES.items()},
}


def _special_functions() -> dict[str, SpecialFunction]:
    found: dict[str, SpecialFunction] = {}
    for signature, meaning in _TABLE.items():
        name, *parameters = signature.split()
        found[name] = SpecialFunction(tuple(parameters), meaning, name)
    for signature, meaning in _OF_WHOLE.items():
        name, *parameters = signature.split()
        found[f"{OF_WHOLE}{name}"] = SpecialFunction(
            tuple(parameters), f"{meaning}, for whole n", name, is_of_whole=True
        )
    for signature, (ufunc, meaning) in _OF_OTHER_NAMES.items():
        name, *parameters = signature.split()
        found[name] = SpecialFunction(tuple(parameters), meaning, ufunc)
    for signature, meaning in _OWN.items():
        name, *parameters = signature.split()
        found[name] = SpecialFunction(tuple(parameters), meaning, "")
    for signature, names in _SEVERAL.items():
        ufunc, *parameters = signature.split()
        for k, name in enumerate(names):
            meaning = _MEANINGS_OF_PARTS[name]
            found[name] = SpecialFunction(tuple(parameters), meaning, ufunc, k, len(names))
    for ufunc, (orders, names) in FUNCTIONS_OF_COMPLEX.items():
        operands = ", ".join((*orders, "x + iy"))
        for k, name in enumerate(names):
            place = f", result {k}" if len(names) > 1 else ""
            for part in ("real", "imag"):
                found[f"{name}_{part}"] = SpecialFunction(
                    (*orders, "x", "y"),
                    f"{part.replace('imag', 'imaginary')} part of {ufunc}({operands}){place}",
                    "",
                    k,
                    len(names),
                    ufunc,
                    part == "imag",
                )
    return found


RESULTS_OF: dict[str, tuple[str, ...]] = {
    signature.split()[0]: names for signature, names in _SEVERAL.items()
}
"""The functions that a ufunc with several results stands for, by its name."""

FUNCTIONS_OF_COMPLEX: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    ufunc: (tuple(orders), tuple(f"complex_{name}" for name in RESULTS_OF.get(ufunc, (ufunc,))))
    for ufunc, *orders in (signature.split()[:-1] for signature in _OF_COMPLEX)
}
"""The real operands of a ufunc whose last operand may be complex, and the functions that its results are."""


SPECIAL_FUNCTIONS: dict[str, SpecialFunction] = _special_functions()
"""The special functions, by name."""

MAX_ARITY = max(function.arity for function in SPECIAL_FUNCTIONS.values())
