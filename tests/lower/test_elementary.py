"""Elementary functions against mpmath (accuracy) and NumPy (special values), scalar and vector."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from functools import cache

import mpmath as mp
import numpy as np
import numpy.typing as npt
import pytest
import scipy.special

import mlirad as ad
from mlirad.dialects.array.scalars import SCALARS
from mlirad.dialects.array.special_functions import NATIVE, SPECIAL_FUNCTIONS
from mlirad.errors import CompileError
from mlirad.jit import engine
from mlirad.jit.external import external_address
from mlirad.jit.target import find_target
from mlirad.lower.llvm.elementary import ELEMENTARY, WITH_SLOPE, emit
from mlirad.lower.llvm.instructions import Instructions
from mlirad.lower.llvm.text import Kind, ModuleText, Parameter

Array = npt.NDArray[np.floating]
KINDS: dict[str, Kind] = {"float64": "double", "float32": "float"}
ORDERS = (0, 1, 2, 3)
NAMES = [name for name in ELEMENTARY if name != "polygamma"] + [f"polygamma{n}" for n in ORDERS]


def arity(name: str) -> int:
    return ELEMENTARY[base_name(name)].arity


def base_name(name: str) -> str:
    return name.rstrip("0123") if name.startswith("polygamma") else name


def widths(dtype: str) -> tuple[int, int]:
    return 1, find_target().vector_bytes // np.dtype(dtype).itemsize


@cache
def compiled(dtype: str, width: int, fuses: bool) -> engine.LoadedCode:
    """One function `void name(ptr x, ptr y, ptr out, i64 n)` per elementary function."""
    module = ModuleText(instructions=Instructions(fuses=fuses))
    kind = KINDS[dtype]
    for name in NAMES:
        parameters = [Parameter(p, "ptr") for p in ("x", "y", "out")] + [Parameter("n", "i64")]
        f = module.function("test_" + name, parameters, linkage="")
        x, y, out, n = f.arguments
        attributes = {"order": int(name[-1])} if name.startswith("polygamma") else {}
        with f.loop(0, n, width) as loop:
            sources = (x, y)[: arity(name)]
            args = [f.load(f.gep(p, loop.index, kind), kind, width) for p in sources]
            f.store(emit(f, base_name(name), args, **attributes), f.gep(out, loop.index, kind))
        f.ret()
    externals = {symbol: external_address(symbol) for symbol in module.externals}
    symbols = tuple("test_" + name for name in NAMES)
    return engine.load(module.text(), symbols=symbols, externals=externals)


def evaluate(name: str, width: int, x: Array, y: Array | None = None, *, fuses: bool = True) -> Array:
    size = -(-len(x) // width) * width
    padded = [np.ones(size, x.dtype) if v is None else np.resize(v, size) for v in (x, y)]
    out = np.empty(size, x.dtype)
    address = compiled(str(x.dtype), width, fuses).addresses["test_" + name]
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64)(address)
    call(padded[0].ctypes.data, padded[1].ctypes.data, out.ctypes.data, size)
    return out[: len(x)]


def exact_polygamma(n: int) -> Callable[..., mp.mpf]:
    return lambda x: mp.psi(n, x)


EXACT: dict[str, Callable[..., mp.mpf]] = {
    "sqrt": mp.sqrt,
    "floor": mp.floor,
    "ceil": mp.ceil,
    "round": lambda x: mp.mpf(round(float(x))),
    "trunc": lambda x: mp.mpf(math.trunc(float(x))),
    "sign": mp.sign,
    "exp": mp.exp,
    "exp2": lambda x: mp.power(2, x),
    "expm1": mp.expm1,
    "sinh": mp.sinh,
    "cosh": mp.cosh,
    "tanh": mp.tanh,
    "logistic": lambda x: 1 / (1 + mp.exp(-x)),
    "log": mp.log,
    "log2": lambda x: mp.log(x, 2),
    "log1p": mp.log1p,
    "softplus": lambda x: mp.log1p(mp.exp(x)),
    "tanh_slope": lambda x, y: mp.sech(x) ** 2,
    "logistic_slope": lambda x, y: mp.sech(x / 2) ** 2 / 4,
    "asinh": mp.asinh,
    "acosh": mp.acosh,
    "atanh": mp.atanh,
    "sin": mp.sin,
    "cos": mp.cos,
    "tan": mp.tan,
    "asin": mp.asin,
    "acos": mp.acos,
    "atan": mp.atan,
    "atan2": mp.atan2,
    "pow": mp.power,
    "rsqrt": lambda x: 1 / mp.sqrt(x),
    "hypot": mp.hypot,
    "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
    "erf": mp.erf,
    "erfc": mp.erfc,
    "erfinv": mp.erfinv,
    "log_ratio": lambda x, y: mp.log(x / y),
    "sincpi_slope": mp.workprec(2500)(lambda x: (mp.cospi(x) - mp.sincpi(x)) / x),
    "lgamma": lambda x: mp.log(abs(mp.gamma(x))),
    **{f"polygamma{n}": exact_polygamma(n) for n in ORDERS},
}


def everywhere(rng: np.random.Generator, dtype: str) -> Array:
    """Both signs, log-uniform over all magnitudes, and dense around the scale of 1."""
    info = np.finfo(dtype)
    exponents = rng.uniform(math.log2(float(info.smallest_subnormal)), info.maxexp - 0.01, 60)
    ordinary = np.concatenate([rng.normal(size=60), rng.normal(size=60) * 10, rng.uniform(-1, 1, 60)])
    far = 2.0**exponents * rng.choice([-1, 1], 60)
    near_one = 1 + rng.normal(size=40) * 2.0 ** rng.uniform(-30, -1, 40)
    return np.concatenate([far, ordinary, near_one]).astype(dtype)


def positive(rng: np.random.Generator, dtype: str) -> Array:
    return np.abs(everywhere(rng, dtype))


def unit(rng: np.random.Generator, dtype: str) -> Array:
    x = everywhere(rng, dtype)
    near_ends = (1 - 2.0 ** rng.uniform(-20, -1, 40)) * rng.choice([-1, 1], 40)
    return np.concatenate([x[np.abs(x) < 1], near_ends.astype(dtype)])


def over_range(low: float, high: float) -> Callable[[np.random.Generator, str], Array]:
    """Uniform over an interval in double precision, over its seventh part in single."""

    def sample(rng: np.random.Generator, dtype: str) -> Array:
        share = 1.0 if dtype == "float64" else 0.14
        return np.concatenate(
            [
                rng.uniform(low * share, high * share, 200).astype(dtype),
                everywhere(rng, dtype)[60:],
            ]
        )

    return sample


def near_multiples(rng: np.random.Generator, dtype: str) -> Array:
    multiples = np.round(2.0 ** rng.uniform(0, 40, 80)) * (np.pi / 2)
    return np.concatenate([everywhere(rng, dtype), multiples.astype(dtype), -multiples.astype(dtype)])


def beside_whole(rng: np.random.Generator, dtype: str) -> Array:
    """Arguments whose sines are small beside cosines, and others around 0."""
    whole = np.round(2.0 ** rng.uniform(0, 20 if dtype == "float32" else 50, 80))
    near = whole + rng.uniform(-0.2, 0.2, 80)
    x = everywhere(rng, dtype)
    return np.concatenate([x[np.abs(x) < 1.2], near.astype(dtype), -near.astype(dtype)])


def gamma_points(rng: np.random.Generator, dtype: str) -> Array:
    return np.concatenate(
        [rng.uniform(0, 30, 60), rng.uniform(-20, 0, 60), 10.0 ** rng.uniform(-8, 8, 40)]
    ).astype(dtype)


DOMAINS: dict[str, Callable[[np.random.Generator, str], Array]] = {
    **dict.fromkeys(["sqrt", "log", "log2", "rsqrt"], positive),
    **dict.fromkeys(["exp", "sinh", "cosh", "logistic", "softplus"], over_range(-745, 712)),
    **dict.fromkeys(["expm1", "tanh"], over_range(-60, 712)),
    "exp2": over_range(-1080, 1025),
    "log1p": lambda rng, dtype: np.maximum(everywhere(rng, dtype), -1 + np.finfo(dtype).eps),
    "acosh": lambda rng, dtype: 1 + positive(rng, dtype) / 2,
    **dict.fromkeys(["asin", "acos", "atanh", "erfinv"], unit),
    **dict.fromkeys(["sin", "cos", "tan"], near_multiples),
    "sincpi_slope": beside_whole,
    "erf": over_range(-7, 7),
    "erfc": over_range(-7, 27.5),
    **dict.fromkeys(["lgamma", *[f"polygamma{n}" for n in ORDERS]], gamma_points),
}


SLOPES: dict[str, Callable[[Array], Array]] = {"tanh_slope": np.tanh, "logistic_slope": scipy.special.expit}
"""The functions whose slopes these are; a slope is given the value of its function."""


def pairs(name: str, rng: np.random.Generator, dtype: str) -> tuple[Array, Array]:
    if name in SLOPES:
        x = np.concatenate([everywhere(rng, dtype), over_range(-712, 712)(rng, dtype)])
        return x, SLOPES[name](x.astype("f8")).astype(dtype)
    if name == "log_ratio":
        x, y = map(np.abs, pairs("hypot", rng, dtype))
        beside = (x * (1 + 2.0 ** rng.uniform(-60, -1, len(x)))).astype(dtype)
        x, y = np.concatenate([x, x]), np.concatenate([y, beside])
        return x[(x > 0) & (y > 0)], y[(x > 0) & (y > 0)]
    if name != "pow":
        x = everywhere(rng, dtype)
        y = rng.permutation(x)
        with np.errstate(over="ignore"):
            close = (x * rng.uniform(0.1, 10, len(x))).astype(dtype)
        close = np.where(np.isfinite(close), close, x)
        return np.concatenate([x, x]), np.concatenate([y, close])
    x = positive(rng, dtype)
    # Exponents that make the result anything from underflow to overflow.
    with np.errstate(divide="ignore"):
        y = rng.uniform(-1.05, 1.05, len(x)) * np.finfo(dtype).maxexp / np.log2(x.astype("f8"))
    whole = rng.integers(-8, 9, len(x)).astype(dtype)
    x = np.concatenate([x, everywhere(rng, dtype), np.abs(rng.normal(size=100)).astype(dtype)])
    y = np.concatenate([y, whole, rng.choice([2, 3, 0.5, -0.5, 1.5, -1], 100)])
    return x, y.astype(dtype)


def points(name: str, dtype: str) -> list[Array]:
    rng = np.random.default_rng(NAMES.index(name))
    if arity(name) == 2:
        return list(pairs(name, rng, dtype))
    with np.errstate(over="ignore", invalid="ignore"):
        x = DOMAINS.get(name, everywhere)(rng, dtype)
    return [x[np.isfinite(x)]]


def error_in_ulp(name: str, got: float, exact: mp.mpf, dtype: str) -> float:
    info = np.finfo(dtype)
    limit = mp.mpf(float(info.max)) * (1 + mp.mpf(2) ** (-info.nmant - 2))
    if abs(exact) >= limit:
        return 0.0 if math.isinf(got) and (got > 0) == (exact > 0) else math.inf
    if not math.isfinite(got):
        # Half an ulp beyond the largest number, rounding may go either way.
        return 1.0 if abs(exact) >= float(info.max) * (1 - float(info.eps)) else math.inf
    exponent = mp.frexp(exact)[1] if exact != 0 else info.minexp
    exponent = max(exponent, info.minexp + 1)
    if name == "lgamma" or name.startswith("polygamma"):
        exponent = max(exponent, 1)
    return float(abs(mp.mpf(got) - exact) / mp.mpf(2) ** (exponent - info.nmant - 1))


def worst_error(name: str, dtype: str, width: int, *, fuses: bool = True) -> tuple[float, tuple[float, ...]]:
    args = points(name, dtype)
    got = evaluate(name, width, *args, fuses=fuses)
    worst: tuple[float, tuple[float, ...]] = (0.0, ())
    for result, *operands in zip(got.tolist(), *[a.tolist() for a in args], strict=True):
        with mp.workprec(140):
            try:
                exact = EXACT[name](*[mp.mpf(v) for v in operands])
            except (ValueError, ZeroDivisionError):
                continue
            if isinstance(exact, mp.mpc):
                continue
            worst = max(worst, (error_in_ulp(name, result, exact, dtype), tuple(operands)))
    return worst


@pytest.mark.parametrize("fuses", [True, False])
@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_accuracy(name: str, dtype: str, fuses: bool) -> None:
    error, where = worst_error(name, dtype, widths(dtype)[1], fuses=fuses)
    assert error <= max(0.501, ELEMENTARY[base_name(name)].ulp), where


def test_native_functions_are_the_special_functions_that_are_written_here() -> None:
    assert set(ELEMENTARY) & set(SPECIAL_FUNCTIONS) == NATIVE


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_scalar_and_vector_code_agree_to_the_bit(name: str, dtype: str) -> None:
    args = [a[:64] for a in points(name, dtype)]
    one, many = (evaluate(name, width, *args) for width in widths(dtype))
    assert np.array_equal(one, many, equal_nan=True)
    assert np.array_equal(np.signbit(one), np.signbit(many))


def pole_or_lgamma(x: float) -> float:
    if math.isnan(x) or x == math.inf:
        return x
    with mp.workprec(140):
        return math.inf if x <= 0 and x % 1 == 0 else float(EXACT["lgamma"](mp.mpf(x)))


NUMPY: dict[str, Callable[..., Array]] = {
    **{
        name: getattr(np, {"pow": "power", "round": "rint"}.get(name, name))
        for name in NAMES
        if hasattr(np, {"pow": "power"}.get(name, name))
    },
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "atan2": np.arctan2,
    "logistic": scipy.special.expit,
    "softplus": lambda x: np.logaddexp(x.dtype.type(0), x),
    "tanh_slope": SCALARS["tanh_slope"],
    "logistic_slope": SCALARS["logistic_slope"],
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "erf": scipy.special.erf,
    "erfc": scipy.special.erfc,
    "erfinv": scipy.special.erfinv,
    "log_ratio": lambda x, y: np.where(
        (x >= 0) & (y >= 0), np.log(np.abs(x)) - np.log(np.abs(y)), x * np.nan
    ),
    "sincpi_slope": lambda x: SCALARS["special"](x, function="sincpi_slope"),
    "lgamma": np.vectorize(lambda x: pole_or_lgamma(float(x))),
    **{
        f"polygamma{n}": lambda x, n=n: scipy.special.polygamma(n, x.astype("f8")).astype(x.dtype)
        for n in ORDERS
    },
}


def special_values(dtype: str) -> Array:
    info = np.finfo(dtype)
    tiny = [0.0, info.smallest_subnormal, info.smallest_normal, info.eps, 1e-20]
    ordinary = [0.5, 1 - float(info.epsneg), 1.0, 1 + float(info.eps), 1.5, 2.0, 2.5, 3.0, 4.0]
    large = [100.0, 2.0**24, 2.0**52 + 1, 2.0**53, 2.0**60, info.max, math.inf]
    with np.errstate(over="ignore"):
        values = np.array([float(v) for v in tiny + ordinary + large] + [math.nan]).astype(dtype)
    return np.concatenate([values, -values])


def check_special(name: str, got: Array, expected: Array, *args: Array) -> None:
    wrong = np.isnan(got) != np.isnan(expected)
    same = (got == expected) & (np.signbit(got) == np.signbit(expected))
    # If NumPy's result is ordinary, accuracy is tested elsewhere; here only the magnitude.
    ordinary = np.isfinite(expected) & (expected != 0)
    tolerance = max(64, ELEMENTARY[base_name(name)].ulp) * np.finfo(got.dtype).eps
    with np.errstate(invalid="ignore"):
        close = (
            np.abs(got - expected)
            <= tolerance * np.abs(expected) + 8 * np.finfo(got.dtype).smallest_subnormal
        )
    # A power halfway between 0 and the smallest number may go either way.
    half_way = (name == "pow") & (expected == 0) & close
    wrong |= ~np.isnan(expected) & ~same & ~(ordinary & close) & ~half_way
    assert not wrong.any(), [(name, *operands) for operands in zip(*args, got, expected, strict=True)][
        int(np.argmax(wrong))
    ]


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore")
def test_special_values(name: str, dtype: str) -> None:
    values = special_values(dtype)
    args = [values]
    if arity(name) == 2:
        args = [v.ravel() for v in np.meshgrid(values, values)]
    if name in SLOPES:
        args = [values, SLOPES[name](values.astype("f8")).astype(dtype)]
    if name.startswith("polygamma"):
        # SciPy has no values at -inf and, for orders above 0, at negative fractions.
        args = [values[(values > -math.inf) & ((values >= 0) | (values == np.floor(values)))]]
        args = [args[0][np.abs(args[0]) < 2.0**24]]
    if name == "lgamma":
        args = [values[np.abs(values) < 2.0**24]]
    # Some of SciPy's functions are rough in single precision.
    expected = NUMPY[name](*[a.astype("f8") for a in args]).astype(dtype)
    for width in widths(dtype):
        for fuses in (True, False):
            check_special(name, evaluate(name, width, *args, fuses=fuses), expected, *args)


def test_powers_with_huge_exponents_where_products_are_not_fused() -> None:
    y = np.array([sign * size for sign in (1.0, -1.0) for size in (2.0**53, 2.0**64, 2.0**1000, 1.7e308)])
    for base in (1.0, -1.0, 0.5, 1 + 2.0**-52, 1 - 2.0**-53):
        x = np.full_like(y, base)
        with np.errstate(all="ignore"):
            expected = np.power(x, y)
        np.testing.assert_allclose(evaluate("pow", 1, x, y, fuses=False), expected, rtol=1e-15)


def test_literal_powers() -> None:
    module = ModuleText()
    f = module.function("test", [Parameter("x", "ptr"), Parameter("out", "ptr")], linkage="")
    x, out = f.load(f.arguments[0], "double"), f.arguments[1]
    exponents = [-1, 0, 1, 2, 3, 0.5]
    for k, exponent in enumerate(exponents):
        f.store(emit(f, "pow", [x, f.value(float(exponent), "double")]), f.gep(out, k, "double"))
    f.ret()
    code = engine.load(module.text(), symbols=("test",))
    for number in (1.7, -0.0, 0.0, -3.3, math.inf, -math.inf, math.nan):
        out_array = np.empty(len(exponents))
        call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code.addresses["test"])
        call(np.array([number]).ctypes.data, out_array.ctypes.data)
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(out_array, np.power(number, exponents), rtol=1e-15)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("name", WITH_SLOPE)
def test_values_beside_slopes_are_those_without(name: str, dtype: str) -> None:
    function = {"tanh": np.tanh, "logistic": scipy.special.expit}[name]
    x = everywhere(np.random.default_rng(0), dtype)
    found, slopes = ad.jit(lambda x: ad.jvp(function, (x,), (np.ones_like(x),)))(x)
    exact = function(x.astype(np.float64))
    np.testing.assert_allclose(found, exact, rtol=4 * np.finfo(dtype).eps, atol=np.finfo(dtype).tiny)
    assert np.all(slopes[np.abs(x) < 30] > 0)


def test_unknown_symbol_is_an_error() -> None:
    with pytest.raises(CompileError, match="mlirad_c_nothing"):
        external_address("mlirad_c_nothing")
