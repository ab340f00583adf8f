"""`scipy.special` on traced values: SciPy's figures, at all kinds of points, and what is loaded when."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import special

import mlirad as ad
from mlirad.dialects.array.special_functions import SPECIAL_FUNCTIONS
from mlirad.errors import DifferentiationError, TracingError, UnsupportedError
from mlirad.frontend.numpy_functions.meanings.special import SPECIAL_MEANINGS
from mlirad.ir.parsing import parse_module
from mlirad.rules.special_derivatives.table import DEFINITIONS
from tests.passes.derivatives import differentiated

X = np.array([[1.0, 2.0, 4.0], [0.5, -1.0, 3.0]])


def test_importing_mlirad_leaves_scipy_special_alone():
    code = "import sys, mlirad; print('scipy.special' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_polygamma_has_a_highest_order():
    text = """func.func @f(%x: f64) -> f64 {
      %y = array.polygamma %x {order = ORDER} : f64
      func.return %y : f64
    }"""
    differentiated(parse_module(text.replace("ORDER", "99")), "f", (0,), "reverse")
    with pytest.raises(DifferentiationError, match="polygamma of order 101 is beyond what floats hold"):
        differentiated(parse_module(text.replace("ORDER", "100")), "f", (0,), "reverse")


SPECIAL_UFUNCS = sorted(
    {
        f.ufunc
        for name, f in SPECIAL_FUNCTIONS.items()
        if f.ufunc and name not in DEFINITIONS and not f.is_of_whole
    }
    - {"_zeta", "_riemann_zeta"}
)

AT_POINTS: dict[str, tuple[Any, ...]] = {
    "bdtr": (3.0, 10, 0.3), "bdtrc": (3.0, 10, 0.3), "bdtri": (3.0, 10, 0.3),
    "nbdtr": (3, 10, 0.3), "nbdtrc": (3, 10, 0.3), "nbdtri": (3, 10, 0.3),
    "chdtri": (3.0, 0.3), "chdtriv": (0.3, 2.0), "pdtri": (3, 0.3), "gdtrix": (1.5, 2.5, 0.3),
    "gdtria": (0.3, 2.5, 1.5), "fdtri": (3.0, 5.0, 0.3), "nrdtrimn": (0.3, 2.0, 1.0),
    "nrdtrisd": (1.0, 0.3, 0.0), "elliprc": (0.3, -1.5), "elliprd": (0.3, 1.5, 0.8),
    "elliprj": (0.3, 1.5, 0.8, -1.1), "jve": (1.5, 2.0),
    "yve": (1.5, 2.0), "eval_hermite": (5, 0.3), "eval_hermitenorm": (5, 0.3), "eval_laguerre": (5, 0.3),
    "eval_chebyc": (5, 0.3), "eval_chebys": (2.5, 0.3), "eval_sh_legendre": (5, 0.3),
    "eval_sh_chebyt": (2.5, 0.3), "eval_sh_chebyu": (5, 0.3), "eval_sh_jacobi": (5, 2.5, 0.7, 0.3),
    "kolmogorov": (0.7,), "kolmogi": (0.3,), "chndtr": (2.0, 3.0, 1.5), "chndtrix": (0.3, 3.0, 1.5),
    "ncfdtr": (3.0, 5.0, 1.5, 2.0), "ncfdtri": (3.0, 5.0, 1.5, 0.3), "nctdtr": (3.0, 1.5, 0.7),
    "nctdtrit": (3.0, 1.5, 0.3), "hankel1": (1.5, 2.0), "hankel2": (1.5, 2.0), "hankel1e": (1.5, 2.0),
    "hankel2e": (1.5, 2.0), "mathieu_a": (2.0, 1.5), "mathieu_b": (2.0, 1.5), "mathieu_cem": (2.0, 1.5, 30.0),
    "mathieu_sem": (2.0, 1.5, 30.0), "kelvin": (2.0,),
    "modfresnelp": (0.7,), "modfresnelm": (0.7,),
}  # fmt: skip
"""Functions in other parameters, or of arrays, at a point of their domain."""

COMPOSED = sorted(set(SPECIAL_MEANINGS) - set(SPECIAL_UFUNCS) - set(AT_POINTS) - {"_zeta", "_riemann_zeta"})
POINTS = np.array([0.0, -0.0, 0.3, -0.3, 1.0, -1.0, 2.5, -3.0, 12.0, 1e-300, 1e300, np.inf, -np.inf, np.nan])


def called(names: list[str], *operands: Any) -> list[Any]:
    """The results of all ufuncs of these names for that many operands, each on the first ones."""
    found: list[Any] = []
    with np.errstate(all="ignore"):
        for name in names:
            ufunc = getattr(special, name)
            result = ufunc(*operands[: ufunc.nin])
            found += result if isinstance(result, tuple) else [result]
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("interpret", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_what_scipy_computes_is_what_scipy_computes(dtype, interpret):
    """Results of the same loops, at poles, infinities, NaN and numbers beyond the domain."""
    grids = np.meshgrid(POINTS[:8], POINTS, indexing="ij")
    x, y = (g.ravel().astype(dtype) for g in grids)
    operands = (x, y, y[::-1].copy(), np.roll(y, 3))
    names = [n for n in SPECIAL_UFUNCS if getattr(special, n).nin < 3]
    found = ad.jit(lambda *a: called(names, *a), interpret=interpret)(*operands)
    for got, want in zip(found, called(names, *operands), strict=True):
        assert got.dtype == dtype
        np.testing.assert_allclose(got, want, rtol=1e-12)


def test_functions_of_three_arguments_and_more():
    rng = np.random.default_rng(0)
    operands = [rng.uniform(0.1, 0.9, 20) for _ in range(5)]
    names = [n for n in SPECIAL_UFUNCS if getattr(special, n).nin > 2]
    assert len(names) == 32
    for got, want in zip(
        ad.jit(lambda *a: called(names, *a))(*operands), called(names, *operands), strict=True
    ):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_what_is_composed_agrees_with_scipy(dtype):
    grids = np.meshgrid([0.0, 0.3, 1.0, 2.5, 12.0], [0.0, 0.3, 1.0, 2.5, 12.0], indexing="ij")
    x, y = (g.ravel().astype(dtype) for g in grids)
    operands = (x, y, y[::-1].copy())
    tolerance = 1e-12 if dtype is np.float64 else 2e-5
    # Before 1.15, gammasgn was 0 at 0.
    names = [n for n in COMPOSED if hasattr(special, n)]
    found = ad.jit(lambda *a: called(names, *a))(*operands)
    for name, got, want in zip(names, found, called(names, *operands), strict=True):
        inside = ~np.isnan(want)
        np.testing.assert_allclose(got[inside], want[inside], rtol=tolerance, atol=tolerance, err_msg=name)


@pytest.mark.parametrize("name", AT_POINTS)
def test_functions_in_other_parameters(name: str) -> None:
    """Values, and derivatives in the last argument that has one, against differences of SciPy's values."""
    ufunc, point = getattr(special, name), AT_POINTS[name]
    expected = ufunc(*point)
    found = ad.jit(lambda *x: ufunc(*x))(*point)
    np.testing.assert_allclose(found, expected, rtol=1e-11)
    assert np.asarray(found).dtype == np.asarray(expected).dtype
    h = 1e-4
    ends = [np.asarray(ufunc(*point[:-1], point[-1] + s)) for s in (h, -h)]
    slope = ad.jvp(lambda x: ufunc(*point[:-1], x), (point[-1],), (1.0,))[1]
    np.testing.assert_allclose(slope, (ends[0] - ends[1]) / (2 * h), rtol=1e-5)


def test_binomial_probabilities_at_the_ends() -> None:
    k, n, p = (
        np.array([0.0, 3.0, 3.0, 4.0, -1.0, 0.5]),
        np.array([3, 3, 3, 3, 3, 3]),
        np.array([0.3, 0.4, 1.0, 0.5, 0.5, 0.2]),
    )
    for function in (special.bdtr, special.bdtrc, special.nbdtr, special.nbdtrc):
        ks = k.astype(int) if function in (special.nbdtr, special.nbdtrc) else k
        np.testing.assert_allclose(ad.jit(function)(ks, n, p), function(ks, n, p), rtol=1e-12)


def test_orders_may_be_integers_and_shapes_broadcast():
    n, x = np.arange(3)[:, None], np.array([0.5, 2.0, 7.0])
    for function in (special.jv, special.yn, special.kn, special.expn):
        np.testing.assert_allclose(ad.jit(function)(n, x), function(n, x), rtol=1e-13)
        np.testing.assert_allclose(ad.jit(lambda x, f=function: f(2, x))(x), function(2, x), rtol=1e-13)


FUNCTIONS = {
    "logsumexp": (lambda a: special.logsumexp(a, axis=1), 1e-13),
    "logsumexp of all": (lambda a: special.logsumexp(a), 1e-13),
    "logsumexp kept": (lambda a: special.logsumexp(a, axis=(0, 1), keepdims=True), 1e-13),
    "logsumexp weighted": (lambda a: special.logsumexp(a, axis=0, b=np.array([[0.5], [2.0]])), 1e-13),
    "logsumexp signed": (
        lambda a: special.logsumexp(a, b=np.array([[0.5], [-2.0]]), return_sign=True),
        1e-13,
    ),
    "softmax": (lambda a: special.softmax(a, axis=1), 1e-13),
    "softmax of all": (lambda a: special.softmax(a), 1e-13),
    "log_softmax": (lambda a: special.log_softmax(a, axis=0), 1e-13),
    "polygamma": (lambda a: special.polygamma(2, a), 1e-13),
    "polygamma of orders": (lambda a: special.polygamma(np.arange(3), a), 1e-13),
    "multigammaln": (lambda a: special.multigammaln(a + 4.0, 3), 1e-13),
    "zeta": (lambda a: special.zeta(a + 3.0), 1e-13),
    "Hurwitz": (lambda a: special.zeta(2.5, a + 3.0), 1e-13),
    "spherical_jn": (lambda a: special.spherical_jn(1, a - 1.0), 1e-12),
    "spherical_yn": (lambda a: special.spherical_yn(2, a), 1e-12),
    "spherical_in": (lambda a: special.spherical_in(3, a), 1e-12),
    "spherical_kn": (lambda a: special.spherical_kn(2, abs(a)), 1e-12),
    "spherical_jn'": (lambda a: special.spherical_jn(1, a - 1.0, derivative=True), 1e-12),
    "spherical_yn'": (lambda a: special.spherical_yn(0, a, derivative=True), 1e-12),
    "spherical_in'": (lambda a: special.spherical_in(2, a, derivative=True), 1e-12),
    "spherical_kn'": (lambda a: special.spherical_kn(1, abs(a), derivative=True), 1e-12),
    "comb": (lambda a: special.comb(a + 2.0, np.array([1.0, 2.0, 7.0])), 1e-12),
    "comb with repetition": (lambda a: special.comb(a + 2.0, 2.0, repetition=True), 1e-12),
    "perm": (lambda a: special.perm(a + 2.0, 2.0), 1e-12),
    "factorial": (lambda a: special.factorial(a), 1e-12),
    "gammasgn": (lambda a: special.gammasgn(a) * a, 1e-13),
    "loggamma": (lambda a: special.loggamma(abs(a)), 1e-13),
    "kl_div": (lambda a: special.kl_div(a, 2.0 * abs(a) + 1.0), 1e-12),
    "round": (lambda a: special.round(a) * a, 1e-13),
    "radian": (lambda a: special.radian(a, 2.0, 3.0 * a), 1e-13),
    "chdtr": (lambda a: special.chdtr(3.0, abs(a)) * special.chdtrc(2.5, abs(a)), 1e-12),
    "gdtr": (lambda a: special.gdtr(2.0, 1.5, abs(a)) * special.gdtrc(0.5, 2.5, abs(a)), 1e-12),
    "pdtr": (lambda a: special.pdtr(3.0, abs(a)) * special.pdtrc(2.0, abs(a)), 1e-12),
    "fdtr": (lambda a: special.fdtr(2.0, 3.0, abs(a)) * special.fdtrc(4.0, 5.0, abs(a)), 1e-12),
    "np.i0": (np.i0, 1e-13),
}


def test_f_distribution_at_its_ends():
    ends = np.array([0.0, np.inf])
    found = ad.jit(lambda x: (special.fdtr(2.0, 3.0, x), special.fdtrc(2.0, 3.0, x)), interpret=True)(ends)
    np.testing.assert_array_equal(found, [[0, 1], [1, 0]])
    none = np.array([0.0, -1.0])
    found = ad.jit(lambda d: (special.fdtrc(d, 2.0, -3.0), special.fdtr(2.0, d, 1.0)), interpret=True)(none)
    assert np.isnan(found).all()


def test_poisson_distribution_of_negative_counts():
    found = ad.jit(lambda k: (special.pdtr(k, 2.0), special.pdtrc(k, 2.0)), interpret=True)(np.array([-0.5]))
    assert np.isnan(found).all()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_that_are_no_ufuncs(name):
    function, tolerance = FUNCTIONS[name]
    want = function(X)
    got = ad.jit(lambda x: function(x))(X)
    for g, w in zip(got, want, strict=True) if isinstance(want, tuple) else [(got, want)]:
        assert np.shape(g) == np.shape(w)
        np.testing.assert_allclose(g, w, rtol=tolerance, atol=tolerance)


POSITIVE = np.array([[0.4, 1.3, 2.2], [3.1, 0.7, 1.6]])


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - {"zeta"}))
def test_their_derivatives(name):
    function, _ = FUNCTIONS[name]

    def first(x):
        found = function(x)
        return found[0] if isinstance(found, tuple) else found

    ad.check_derivatives(first, POSITIVE, interpret=True)


def test_the_sum_of_exponentials_at_special_points():
    gradient = ad.grad(lambda a: special.logsumexp(a))
    np.testing.assert_array_equal(gradient(np.array([-np.inf, -np.inf])), [0, 0])
    np.testing.assert_array_equal(gradient(np.array([1000.0, 1000.0])), [0.5, 0.5])
    np.testing.assert_array_equal(gradient(np.array([-np.inf, 3.0])), [0, 1])
    masked = ad.grad(lambda a: special.logsumexp(a, b=np.array([1.0, 0.0])))
    np.testing.assert_array_equal(masked(np.array([1.0, 2000.0])), [1, 0])


@pytest.mark.parametrize("kind", ["jn", "yn", "in", "kn"])
def test_spherical_functions_have_the_dtypes_of_scipy(kind: str):
    x, function = np.array([0.5, 2.0], np.float32), getattr(special, f"spherical_{kind}")
    assert ad.jit(lambda x: function(1, x))(x).dtype == function(1, x).dtype


def test_derivatives_of_spherical_functions_at_zero():
    np.testing.assert_allclose(ad.grad(lambda z: special.spherical_jn(1, z))(0.0), 1 / 3, rtol=1e-14)
    np.testing.assert_allclose(ad.hessian(lambda z: special.spherical_jn(0, z))(0.0), -1 / 3, rtol=1e-14)


def test_what_scipy_raises_ends_the_call():
    x = np.array([-1.0, -2.0])
    gamma = ad.jit(lambda x: special.gamma(x))
    with special.errstate(singular="raise"), pytest.raises(special.SpecialFunctionError, match="singularity"):
        gamma(x)
    assert np.isnan(gamma(x)).all()
    whole = ad.jit(lambda x: special.yn(x, x))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="truncated to an integer"):
            whole(np.array([2.5]))
    many = np.full(100_000, -1.0)  # long enough to release the global lock
    with special.errstate(singular="raise"), pytest.raises(special.SpecialFunctionError):
        gamma(many)


def test_errors_name_the_function():
    with pytest.raises(TracingError, match="polygamma"):
        ad.jit(lambda n, x: special.polygamma(n, x))(np.arange(2), X[0, :2])
    with pytest.raises(UnsupportedError, match="polygamma of order 200"):
        ad.jit(lambda x: special.polygamma(200, x))(X)
    with pytest.raises(ad.MliradError, match="multigammaln: the dimension d is 0"):
        ad.jit(lambda x: special.multigammaln(x, 0))(X)
    with pytest.raises(ad.MliradError, match="spherical_jn: the order is -1"):
        ad.jit(lambda x: special.spherical_jn(-1, x))(X)
    with pytest.raises(ad.MliradError, match=r"scipy\.special\.smirnov cannot be traced"):
        ad.jit(lambda x: special.smirnov(20, x))(X)


def test_loops_are_called_in_vectors_and_batches():
    x = np.linspace(0.1, 5, 37)
    np.testing.assert_array_equal(
        ad.jit(lambda x: ad.vmap(lambda v: special.jv(2.0, v) * 2)(x))(x), special.jv(2, x) * 2
    )
    scan = ad.jit(lambda x: ad.build(37, lambda i: special.gammainc(1.5, x[i]) + x[i]))
    np.testing.assert_array_equal(scan(x), special.gammainc(1.5, x) + x)


def test_lambert_w_on_its_real_branches():
    x = np.array(
        [-0.3678794, -0.36787, -0.3, -0.25, -0.1, -1e-300, 0.0, 1e-8, 0.3, 0.51, 10.0, 1e300, np.inf]
    )
    for branch, at in ((0, x), (-1, x[:7])):
        found = ad.jit(lambda x, k=branch: special.lambertw(x, k), interpret=True)(at)
        np.testing.assert_allclose(found, special.lambertw(at, branch), rtol=1e-12)
        slopes = ad.grad(lambda x, k=branch: np.sum(special.lambertw(x, k).real), interpret=True)(at[1:6])
        w = found.real[1:6]
        np.testing.assert_allclose(slopes, np.exp(-w) / (1 + w), rtol=1e-10)
    assert np.isnan(ad.jit(lambda x: special.lambertw(x), interpret=True)(np.array([-0.5, np.nan]))).all()
    assert np.isnan(ad.jit(lambda x: special.lambertw(x, -1), interpret=True)(0.5))
    with pytest.raises(UnsupportedError, match="branch 1 of lambertw"):
        ad.jit(lambda x: special.lambertw(x, 1))(0.5)


def test_all_derivatives_of_lambert_w_satisfy_its_equation():
    """Those of w e^w by x: 1, and then 0."""
    for branch, at in ((0, -0.2), (0, 0.3), (0, 2.0), (-1, -0.2), (-1, -0.35)):

        def identity(x: Any, k: int = branch) -> Any:
            w = special.lambertw(x, k).real
            return w * np.exp(w)

        slope = ad.grad(identity)
        second = ad.grad(slope)
        found = ad.jit(lambda x, f=slope, g=second: (f(x), g(x), ad.grad(g)(x)), interpret=True)(at)
        np.testing.assert_allclose(found, [1.0, 0.0, 0.0], atol=1e-7)


@pytest.mark.parametrize("kind", ["jn", "yn", "in", "kn"])
@pytest.mark.parametrize("n", range(4))
@pytest.mark.parametrize("derivative", [False, True])
def test_spherical_bessel_functions_are_scipys_at_infinity(kind, n, derivative):
    function = getattr(special, f"spherical_{kind}")
    x = np.array([np.inf, 0.5, 700.0] if kind == "kn" else [np.inf, -np.inf, 0.5, -700.0])
    want = function(n, x, derivative)
    known = ~np.isnan(want)
    found = ad.jit(lambda x: function(n, x, derivative))(x)
    np.testing.assert_allclose(found[known], want[known], rtol=1e-12, atol=1e-300)
