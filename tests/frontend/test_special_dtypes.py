"""The dtypes of results of `scipy.special`: SciPy's, for floats, integers, booleans and Python's scalars."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy import special

import mlirad as ad
from mlirad.frontend.numpy_functions.meanings.special import SPECIAL_MEANINGS

ARGUMENTS: dict[str, Any] = {
    "float32": np.full(2, 0.5, np.float32),
    "float64": np.full(2, 0.5),
    "int64": np.full(2, 1),
    "int32": np.full(2, 1, np.int32),
    "bool": np.array([True, False]),
    "float": 0.5,
    "int": 1,
}

NAMES = ("lambertw", "sinc", "factorial", "comb", "perm", "zeta", "softmax", "logsumexp")

OTHERS = {
    **{name: getattr(special, name) for name in NAMES},
    **{f"polygamma {n}": lambda x, n=n: special.polygamma(n, x) for n in (0, 2)},
    "multigammaln": lambda x: special.multigammaln(x + 2, 2),
    "spherical_jn": lambda x: special.spherical_jn(1, x),
}
"""Functions that are not ufuncs, of traced operands."""

ARITIES = {"comb": 2, "perm": 2, "zeta": 2}

FUNCTIONS = {name: getattr(special, name) for name in SPECIAL_MEANINGS if hasattr(special, name)} | OTHERS


def arity_of(name: str) -> int:
    return getattr(FUNCTIONS[name], "nin", ARITIES.get(name, 1))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_dtypes_are_those_of_scipy(name: str) -> None:
    function, compared = FUNCTIONS[name], 0
    kinds = ARGUMENTS if arity_of(name) < 3 else ("float32", "float64", "int64", "float")
    for chosen in itertools.product(kinds, repeat=arity_of(name)):
        operands = [ARGUMENTS[kind] for kind in chosen]
        if not any(isinstance(x, np.ndarray) for x in operands) or is_mended(name, chosen):
            continue
        try:
            want = function(*operands)
        except (TypeError, ValueError):
            continue
        traced = [k for k, x in enumerate(operands) if isinstance(x, np.ndarray)]

        def called(*given: Any, operands: Any = operands, traced: Any = traced) -> Any:
            places = dict(zip(traced, given, strict=True))
            return function(*[places.get(k, x) for k, x in enumerate(operands)])

        found = ad.eval_shape(called, *[operands[k] for k in traced])
        several = isinstance(want, tuple)
        for one, other in zip(found if several else [found], want if several else [want], strict=True):
            assert one.dtype == other.dtype, chosen
        compared += 1
    assert compared


def is_mended(name: str, chosen: tuple[str, ...]) -> bool:
    """Counts and sums for booleans are in double precision, as SciPy's for other integers are."""
    return (name in ("comb", "perm") and "bool" in chosen) or (name == "zeta" and set(chosen) == {"bool"})
