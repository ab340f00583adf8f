"""First and second derivatives are right over all exponents, at special points and in both precisions.

A few functions are swept every day, in a part of their points; `make fuzz` sweeps all of them. The counts by
function are what `python -m tests.sweep` prints.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.special

import mlirad as ad
from mlirad.errors import MliradError
from mlirad.frontend.numpy_functions.meanings.ufuncs import MEANINGS, all_meanings
from mlirad.frontend.numpy_functions.protocols.functions import FUNCTIONS
from mlirad.frontend.numpy_functions.scipy_functions import special as special_calls
from tests.sweep.case import Case
from tests.sweep.functions import CASES
from tests.sweep.sweeping import sweep

EVERYDAY = 5
"""Every day looks at every so many points of a function."""


@pytest.mark.parametrize("case", CASES, ids=str)
def test_derivatives(case: Case, fuzz_seconds: float) -> None:
    for dtype in (np.float64, np.float32):
        tally = sweep(case, dtype, 1 if fuzz_seconds else EVERYDAY)
        assert not tally.wrong, "\n".join(map(str, tally.wrong[:10]))
        judged = [sum(counts.values()) - counts["no reference"] for counts in tally.counts.values()]
        assert min(judged) > 4


SEVERAL_ELEMENTS = {"logsumexp", "softmax", "log_softmax"}
"""Functions of SciPy whose results depend on several elements each."""


def _arguments() -> Iterator[tuple[str, int, Any]]:
    """Name and number of every argument of a ufunc that is a float, if the result is one, and the ufunc."""
    for ufunc in all_meanings():
        module = "np" if ufunc in MEANINGS else "special"
        kinds = [kind.partition("->") for kind in ufunc.types]
        floats = [(given, found) for given, _, found in kinds if "d" in given and "d" in found]
        for k in range(ufunc.nin):
            if any(given[k] == "d" for given, _ in floats):
                yield f"{module}.{ufunc.__name__}", k, ufunc


def _has_derivative(ufunc: Any, k: int) -> bool:
    """Whether anything comes out that is no error: some arguments, such as orders, have none."""
    at = [2.0 if kind == "d" else 2 for kind in ufunc.types[-1].partition("->")[0][: ufunc.nin]]

    def first(*args: Any) -> Any:
        found = ufunc(*args)
        return found[0] if isinstance(found, tuple) else found

    try:
        ad.grad(first, argnums=k, interpret=True)(*at)
    except MliradError:
        return False
    return True


def test_every_ufunc_is_swept_in_every_argument() -> None:
    swept = {(case.name, case.argument) for case in CASES}
    missing = [
        f"{name} by argument {k}"
        for name, k, ufunc in _arguments()
        if (name, k) not in swept and _has_derivative(ufunc, k)
    ]
    assert not missing, ", ".join(missing)


def test_every_other_special_function_is_swept() -> None:
    swept = {case.name for case in CASES}
    known = set(special_calls.FUNCTIONS) - SEVERAL_ELEMENTS
    missing = sorted(name for name in known if f"special.{name}" not in swept)
    assert not missing, ", ".join(missing)


def _is_elementwise(function: Any) -> bool:
    """Whether a function makes floats of floats, each of one, and not all of them the same."""
    x = np.array([0.3, 0.6])
    try:
        y, first, other = function(x), function(x[:1]), function(np.array([0.3, 0.8]))
    except Exception:
        return False
    results = (y, first, other)
    if not all(isinstance(r, np.ndarray) and r.dtype == np.float64 for r in results) or y is x:
        return False
    return y.shape == (2,) and first.shape == (1,) and y[0] == first[0] == other[0] and y[1] != other[1]


COPIES = {
    "array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "atleast_1d", "copy",
    "expand_dims", "ravel", "reshape", "squeeze", "transpose", "require", "asarray_chkfinite",
    "real_if_close", "nancumsum", "cumsum", "cumprod", "nancumprod", "concatenate", "astype",
    "matrix_transpose", "permute_dims", "flip", "block", "hstack", "stack", "sort", "cumulative_sum",
    "cumulative_prod",
}  # fmt: skip
"""Functions that move elements, and sums of a single one."""


def test_every_elementwise_function_of_numpy_is_swept() -> None:
    swept = {case.name for case in CASES}
    missing = sorted(
        f"np.{function.__name__}"
        for function in FUNCTIONS
        if function.__name__ not in COPIES
        and f"np.{function.__name__}" not in swept
        and _is_elementwise(function)
    )
    assert not missing, ", ".join(missing)


def test_names_are_those_of_functions() -> None:
    for case in CASES:
        module, _, name = case.name.partition(".")
        if module in ("np", "special"):
            assert hasattr({"np": np, "special": scipy.special}[module], name.partition(" ")[0]), case.name
    labels = [str(case) for case in CASES]
    assert len(labels) == len(set(labels))
