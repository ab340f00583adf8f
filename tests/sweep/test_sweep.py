"""First and second derivatives are right over all exponents, at special points and in both precisions.

A few functions are swept every day, in a part of their points; `make fuzz` sweeps all of them at every point,
and prints how many derivatives are right, and how many are a convention of each kind. The counts by function
are what `python -m tests.sweep` prints.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from itertools import takewhile
from math import inf
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.special
from scipy import stats

import mlirad as ad
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.special_functions import SPECIAL_FUNCTIONS
from mlirad.errors import MliradError
from mlirad.frontend.numpy_functions.meanings.ufuncs import MEANINGS, all_meanings
from mlirad.frontend.numpy_functions.protocols.functions import FUNCTIONS
from mlirad.frontend.numpy_functions.scipy_functions import special as special_calls
from mlirad.frontend.tracing.array import made
from mlirad.frontend.tracing.frames import emitting
from mlirad.ir.formulas import Formula
from mlirad.rules.elementwise_derivatives import BINARY, UNARY
from mlirad.rules.special_derivatives.table import SPECIAL_DERIVATIVES
from tests.sweep.case import Case
from tests.sweep.conventions import CONVENTIONS
from tests.sweep.functions import CASES
from tests.sweep.sweeping import NO_REFERENCE, Tally, both_orders, sweep

EVERYDAY_CASES, EVERYDAY_POINTS = 77, 5
"""Every day looks at one in this many cases, and at one in this many of their points."""


def assert_right(case: Case, every: int) -> list[Tally]:
    """The tallies of both dtypes, in which nothing is wrong."""
    tallies = [sweep(case, dtype, every) for dtype in (np.float64, np.float32)]
    for tally in tallies:
        assert not tally.wrong, "\n".join(map(str, tally.wrong[:10]))
        judged = [sum(counts.values()) - counts[NO_REFERENCE] for counts in tally.counts.values()]
        assert min(judged) > 4
    return tallies


@pytest.mark.parametrize("case", CASES[::EVERYDAY_CASES], ids=str)
def test_derivatives_at_some_points(case: Case) -> None:
    assert_right(case, EVERYDAY_POINTS)


ONCE_WRONG = (
    ("special.spherical_in order 1 by argument 1", (710.0, -104.0)),
    ("special.spherical_in order 3 by argument 1", (710.0, -104.0)),
    ("special.modstruve by argument 1", (inf,)),
    *((f"special.elliprj by argument {k}", (2.0,)) for k in range(4)),
    *((f"special.hyp2f1 by argument {k}", (20.0,)) for k in range(2)),
)
"""Points of functions that a part of the points may miss."""


@pytest.mark.parametrize("case", ONCE_WRONG, ids=str)
def test_derivatives_at_points_that_were_wrong(case: tuple[str, tuple[float, ...]]) -> None:
    name, at = case
    swept = next(c for c in CASES if str(c) == name)
    for dtype in (np.float64, np.float32):
        tally = sweep(swept, dtype, at=at)
        assert not tally.wrong, "\n".join(map(str, tally.wrong))
        assert all(sum(counts.values()) == len(at) * len(swept.others) for counts in tally.counts.values())


OF_SEVERAL = [case for case in CASES if case.others[0]]
"""Cases with other arguments."""


@pytest.mark.parametrize("case", OF_SEVERAL, ids=str)
def test_other_arguments_may_be_constants(case: Case) -> None:
    """Constants fold before differentiation: derivatives stay, also where the arguments are equal."""
    given = case.others[-1]
    low, high = case.domain_at(given)
    inner = 0.37 * np.clip(case.usual[0], low, high) + 0.63 * np.clip(case.usual[1], low, high)
    x = np.array(sorted({float(inner), *(v for v in (*case.special, *given) if low <= v <= high)})[:12])

    both = both_orders(case)

    def of_constants(x: Any) -> Any:
        return both(x, *(np.full(x.shape, v) for v in given))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = ad.jit(both)(x, *(np.full(x.shape, v) for v in given))
        found = ad.jit(of_constants)(x)
    size = max((abs(v) for v in np.ravel(expected) if np.isfinite(v)), default=0.0)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-14 * size)


@pytest.fixture(scope="module")
def totals(request: pytest.FixtureRequest) -> Iterator[Counter[str]]:
    """Verdicts on all cases, which are printed in the end."""
    counts = Counter[str]()
    yield counts
    if counts:
        with (
            request.getfixturevalue("pytestconfig")
            .pluginmanager.getplugin("capturemanager")
            .global_and_fixture_disabled()
        ):
            print("\nsweep:", dict(counts.most_common()))  # noqa: T201


@pytest.mark.fuzz
@pytest.mark.parametrize("case", CASES, ids=str)
def test_derivatives_at_all_points(case: Case, totals: Counter[str]) -> None:
    for tally in assert_right(case, 1):
        for order, counts in tally.counts.items():
            totals.update({f"order {order}: {kind}": n for kind, n in counts.items()})


def test_conventions_are_in_the_docs() -> None:
    """Each with its reason, and no others."""
    lines = Path(__file__, "../../../docs/differentiation.md").resolve().read_text().splitlines()
    start = lines.index("| convention | what holds | because |")
    rows = list(takewhile(lambda line: line.startswith("| "), lines[start + 2 :]))
    assert rows == [f"| {c.name} | {c.what} | {c.why} |" for c in CONVENTIONS]


MADE_BY_DERIVATIVES = {
    "array.absorbing_mul", "array.deviation", "array.logistic_slope", "array.tanh_slope",
}  # fmt: skip
"""Ops that programs do not have until they are differentiated."""

OF_COMPLEX_NUMBERS = {name for name in SPECIAL_FUNCTIONS if name.startswith(("complex_", "faddeeva_"))}
"""Parts of functions in the plane: compared with their slopes by `test_complex_error_functions.py` and
`test_complex_special_functions.py`."""

DENSITIES = (
    lambda x: stats.gamma.pdf(x, 2.5), lambda x: stats.gamma.logpdf(x, 2.5),
    lambda x: stats.beta.pdf(x, 2.5, 3.5), lambda x: stats.beta.logpdf(x, 2.5, 3.5),
    lambda df: stats.t.logpdf(0.3, df),
    lambda p: stats.binom.pmf(2.0, 5.0, p), lambda p: stats.binom.logpmf(2.0, 5.0, p),
)  # fmt: skip
"""Programs with the special functions that densities are made of: `tests/distributions` sweeps these."""


def _functions_of(function: Any, arity: int) -> set[str]:
    """The elementwise ops of a program, and the special functions, by their names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ops = list(ad.trace(function, *[np.array([0.5])] * arity).walk())
    special = {op.function.data for op in ops if isinstance(op, ew.SpecialOp)}
    return special | {op.name for op in ops if isinstance(op, ew.ElementwiseOp)}


def _in_derivatives(name: str) -> set[str]:
    """The special functions that the derivatives of one are made of."""
    arity = SPECIAL_FUNCTIONS[name].arity
    found: set[str] = set()
    for partial in SPECIAL_DERIVATIVES[name]:

        def derivative(*x: Any, partial: Any = partial) -> Any:
            return made(partial(*(Formula(emitting(), v.value) for v in (*x, x[0]))).value)

        if partial is not None:
            found |= _functions_of(derivative, arity)
    return found & set(SPECIAL_DERIVATIVES)


def test_every_function_of_the_table_of_derivatives_is_swept() -> None:
    """Elementwise ops with a derivative are in cases, special functions there or in a derivative of one."""
    found: set[str] = set()
    for case in CASES:
        found |= _functions_of(case.call, 1 + len(case.others[0]))
    for density in DENSITIES:
        found |= _functions_of(density, 1)
    reached = found & set(SPECIAL_DERIVATIVES)
    while reached:
        new = set[str]().union(*map(_in_derivatives, reached)) - found
        found, reached = found | new, new
    special = {name for name, partials in SPECIAL_DERIVATIVES.items() if any(partials)}
    missing = sorted(
        ({op.name for op in (*UNARY, *BINARY)} | special) - found - MADE_BY_DERIVATIVES - OF_COMPLEX_NUMBERS
    )
    assert not missing, ", ".join(missing)


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
    """Return whether a derivative exists without an error: some arguments, such as orders, have none."""
    given = max((kinds.partition("->")[0][: ufunc.nin] for kinds in ufunc.types), key=lambda t: t.count("d"))
    at = [2.0 if kind == "d" else 2 for kind in given]

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
    known = set(special_calls.FUNCTIONS)
    missing = sorted(name for name in known if f"special.{name}" not in swept)
    assert not missing, ", ".join(missing)


def _is_elementwise(function: Any) -> bool:
    """Return whether a function makes floats of floats, each of one, and not all of them the same."""
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
            assert attrgetter(name.partition(" ")[0])({"np": np, "special": scipy.special}[module])
    labels = [str(case) for case in CASES]
    assert len(labels) == len(set(labels))
