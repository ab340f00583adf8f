"""Functions of SciPy that are Python code of NumPy's functions: traced as those of packages are."""

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false, reportUnknownLambdaType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportMissingTypeStubs=false, reportAttributeAccessIssue=false, reportArgumentType=false
# pyright: reportIndexIssue=false, reportOptionalSubscript=false

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import interpolate, linalg, optimize, signal, spatial, stats

import mlirad as ad
from mlirad.frontend.tracing.code_reads import is_scipy_code

_rng = np.random.default_rng(3)
X, Y, M = _rng.uniform(0.5, 1.5, 8), _rng.uniform(0.5, 1.5, 8), _rng.normal(size=(4, 4)) + 4 * np.eye(4)

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "gmean": stats.gmean,
    "hmean": stats.hmean,
    "pmean": lambda x: stats.pmean(x, 2.5),
    "skew": stats.skew,
    "kurtosis": lambda x: stats.kurtosis(x, bias=False),
    "sem": stats.sem,
    "zscore": stats.zscore,
    "gzscore": stats.gzscore,
    "zmap": lambda x: stats.zmap(x, Y * x[0]),
    "entropy": stats.entropy,
    "entropy of two": lambda x: stats.entropy(x, Y),
    "iqr": stats.iqr,
    "trim_mean": lambda x: stats.trim_mean(x, 0.2),
    "median_abs_deviation": stats.median_abs_deviation,
    "circmean": stats.circmean,
    "circvar": stats.circvar,
    "kstat": lambda x: stats.kstat(x, 3),
    "describe": lambda x: stats.describe(x).variance,
    "normaltest": lambda x: stats.normaltest(x).statistic,
    "jarque_bera": lambda x: stats.jarque_bera(x).statistic,
    "wasserstein_distance": lambda x: stats.wasserstein_distance(x, Y),
    "energy_distance": lambda x: stats.energy_distance(x, Y),
    "f_oneway": lambda x: stats.f_oneway(x, Y).statistic,
    "bartlett": lambda x: stats.bartlett(x, Y).statistic,
    "boxcox": lambda x: stats.boxcox(x, 0.5),
    "boxcox_llf": lambda x: stats.boxcox_llf(0.5, x),
    "yeojohnson": lambda x: stats.yeojohnson(x, 0.5),
    "companion": linalg.companion,
    "fiedler": linalg.fiedler,
    "khatri_rao": lambda x: linalg.khatri_rao(M * x[0], M),
    "cosm": lambda x: linalg.cosm(M * x[0]),
    "resample": lambda x: signal.resample(x, 16),
    "decimate": lambda x: signal.decimate(np.tile(x, 8), 2),
    "freqz": lambda x: np.abs(signal.freqz(x, worN=8)[1]),
    "freqs": lambda x: np.abs(signal.freqs(x[:3], x[3:], worN=Y)[1]),
    "cont2discrete": lambda x: signal.cont2discrete((M * x[0], M, M, M), 0.1)[0],
    "butter": lambda x: signal.butter(2, x[0] / 3)[0],
    "gaussian window": lambda x: signal.windows.gaussian(8, x[0]),
    "chirp": lambda x: signal.chirp(Y, x[0], 1.0, x[1]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_gradients(name: str) -> None:
    function = FUNCTIONS[name]
    expected = np.asarray(function(X))
    weights = np.cos(np.arange(expected.size)).reshape(expected.shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ad.ControlFlowWarning)
        np.testing.assert_allclose(ad.jit(function)(X), expected, rtol=1e-9, atol=1e-12)
        gradient = ad.grad(lambda x: np.sum(function(x) * weights))(X)
    steps = 1e-5 * np.eye(X.size)
    differences = [np.sum((function(X + e) - function(X - e)) * weights) / 2e-5 for e in steps]
    np.testing.assert_allclose(gradient, differences, rtol=1e-5, atol=1e-6)


class Held:
    """SciPy's functions as packages hold them."""

    def __init__(self, factor=linalg.cholesky):
        self.factor = factor

    def root(self, m):
        if m[0, 0] > 0:
            return self.factor(m)
        return m


def test_functions_with_a_meaning_of_their_own_keep_it_where_code_is_rewritten() -> None:
    def function(x):
        y = Held().root(M @ M.T * x)[0, 0]
        for quantile in (stats.norm.ppf, stats.norm.cdf):
            y = y + quantile(x / 9 if x < 5 else x)
        return y

    value, slope = ad.value_and_grad(function, control="rewrite")(1.5)
    assert value == pytest.approx(function(1.5), rel=1e-12)
    assert slope == pytest.approx((function(1.5 + 1e-5) - function(1.5 - 1e-5)) / 2e-5, rel=1e-8)


REFUSED: dict[str, Callable[[Any], Any]] = {
    "upfirdn": lambda x: signal.upfirdn([1.0, 2.0], x, 2),
    "decimate": lambda x: signal.decimate(np.tile(x, 6), 2, ftype="fir"),
    "nnls": lambda x: optimize.nnls(M[:, :3], x[:4])[0],
    "least_squares": lambda x: optimize.least_squares(lambda y: y - x[:2], np.zeros(2)).x,
    "curve_fit": lambda x: optimize.curve_fit(lambda t, a, b: a * np.exp(-b * t), Y, x)[0],
    "RBFInterpolator": lambda x: interpolate.RBFInterpolator(np.stack([X, Y], 1), x)(np.ones((2, 2))),
    "medfilt": lambda x: signal.medfilt(x, 3),
    "cKDTree": lambda x: spatial.cKDTree(np.stack([X, Y], 1)).query(x[:2])[0],
}


@pytest.mark.parametrize("name", REFUSED)
def test_compiled_code_that_refuses_traced_values_is_named(name: str) -> None:
    function = REFUSED[name]
    function(X)
    with (
        warnings.catch_warnings(),
        pytest.raises(ad.TracingError, match=r"traced|elements") as caught,
    ):
        warnings.simplefilter("ignore")
        ad.jit(function)(X)
    assert caught.value.location == f"{__file__}:{function.__code__.co_firstlineno}"
    assert caught.value.hint
    if name != "cKDTree":  # of Cython alone, which names nobody
        assert f"SciPy's {name} " in caught.value.message


def test_mistakes_in_calls_of_compiled_code_stay_those_of_python() -> None:
    for wrong in (
        lambda x: optimize.nnls(x),
        lambda x: optimize.least_squares(lambda: x[:2], np.zeros(2)),
    ):
        with pytest.raises(TypeError) as caught, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ad.jit(wrong, control="plain")(X)
        assert not isinstance(caught.value, ad.MliradError)


def _functions_of_the_array_api() -> dict[str, Any]:
    """The functions that SciPy's code for the array API consists of, in the folders of this version."""
    from scipy._lib import _array_api

    modules = [_array_api, *(m for m in vars(_array_api).values() if inspect.ismodule(m))]
    return {
        f"{module.__name__}.{name}": function
        for module in modules
        if module.__name__.startswith("scipy.")
        for name, function in vars(module).items()
        if inspect.isfunction(function) and "scipy" in function.__code__.co_filename
    }


def test_code_for_the_array_api_is_traced() -> None:
    functions = _functions_of_the_array_api()
    assert len(functions) > 20
    unknown = [name for name, f in functions.items() if not is_scipy_code(f.__code__.co_filename)]
    assert not unknown


def test_clip_of_the_array_api_takes_what_numpys_does() -> None:
    from scipy._lib import _array_api

    xp = _array_api.array_namespace(X)
    for function, expected in (
        (lambda x: np.sum(xp.clip(x, 0.5, 2.0) ** 2), np.where((X > 0.5) & (X < 2.0), 2 * X, 0)),
        (lambda x: np.sum(xp.clip(x[x > 0.7], 1.0, None)), np.where(X > 1.0, 1.0, 0)),
        (lambda x: np.sum(xp.clip(x[x > 0.7], min=1.0, max=3.0)), np.where((X > 1.0) & (X < 3.0), 1.0, 0)),
    ):
        value, slope = ad.value_and_grad(function)(X)
        assert value == function(X)
        np.testing.assert_array_equal(slope, expected)
