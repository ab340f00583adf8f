"""Distributions of `scipy.stats` that cannot be traced: why not, and what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mlirad.frontend.tracing.raising import unsupported_error

_CALL_BACK = (
    "compute it outside of the function, or inside by ad.callback with a rule from ad.custom_derivative"
)

REASONS: Final[dict[str, tuple[str, str]]] = {
    "levy_stable": (
        "it is an oscillating integral without a formula",
        f"{_CALL_BACK}; for alpha = 2 it is scipy.stats.norm(scale=2**0.5)",
    ),
    "studentized_range": ("it is a double integral without a formula", _CALL_BACK),
    "gausshyper": (
        "its shares are integrals without a formula, and it is divided by a hypergeometric function",
        "write its density as x**(a - 1) * (1 - x)**(b - 1) * (1 + z * x)**-c / (scipy.special.beta(a, b) * "
        "scipy.special.hyp2f1(c, a, a + b, -z)), which has derivatives in all shapes",
    ),
    "ksone": (
        "its shares are sums of as many terms as n, which is not known in a trace",
        "for large n the share above x is about exp(-2 * n * x**2); of a known n it is a sum over j from 0 "
        "to n * (1 - x) of binom(n, j) * x * (x + j / n)**(j - 1) * (1 - x - j / n)**(n - j)",
    ),
    "kstwo": (
        "its shares are sums of products of matrices, of a size by n and x that a trace does not know",
        f"for large n use scipy.stats.kstwobign at x * np.sqrt(n); else {_CALL_BACK}",
    ),
    "nchypergeom_fisher": (
        "it is divided by a sum over the support, whose length is not known in a trace",
        "for known M, n and N use scipy.stats.hypergeom.pmf(k, M, n, N) * odds**k at all k of the support, "
        "divided by the sum of these products",
    ),
    "nchypergeom_wallenius": ("it is an integral without a formula", _CALL_BACK),
}
"""The reason that a distribution cannot be traced, and a way out, by its name."""


def refused_methods(name: str) -> dict[str, Callable[[], Any]]:
    """The methods of a distribution by their names, each an error that says why, with a way out."""
    reason, hint = REASONS[name]
    densities = ("pmf", "logpmf") if name.startswith("nchypergeom") else ("pdf", "logpdf")
    shares = ("cdf", "sf", "logcdf", "logsf", "ppf", "isf", "mean", "var", "std", "median")

    def refusal(method: str) -> Callable[[], Any]:
        def refuse() -> Any:
            raise unsupported_error(f"scipy.stats.{name}.{method} cannot be traced: {reason}", hint)

        return refuse

    return {method: refusal(method) for method in (*densities, *shares)}
