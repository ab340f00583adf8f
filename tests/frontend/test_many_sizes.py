"""Functions of arguments of many sizes: the warning says what to write instead, and that compiles once."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.frontend.compiling.recompiles import PADDING

CAPACITY = 12
SIZES = range(2, 11)


def hinted(beginning: str) -> Callable[..., Any]:
    """The expression of the hint that begins so, as a function of its variables."""
    found = re.search(re.escape(beginning) + r".*?\)(?=$|;)", PADDING)
    assert found is not None
    code = compile(found[0], "<hint>", "eval")
    return lambda **names: eval(code, {"np": np, "ad": ad}, names)


def padded(rows: Any) -> Any:
    return np.concatenate([rows, np.repeat(rows[-1:], CAPACITY - len(rows), axis=0)])


def compare_all_sizes(of_padded: Callable[..., Any], of_rows: Callable[..., Any]) -> None:
    """Gradients in a parameter and in rows, for every size, with one trace of the first."""
    traces: list[int] = []

    def counted(w: Any, x: Any, n: Any) -> Any:
        traces.append(1)
        return of_padded(w, x, n)

    gradient = ad.grad(counted, argnums=(0, 1), interpret=True)
    rng = np.random.default_rng(0)
    w = rng.normal(size=(2, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in SIZES:
            x = rng.uniform(0.5, 2.0, (n, 2))
            of_w, of_x = gradient(w, padded(x), n)
            np.testing.assert_allclose(of_x[n:], 0.0)
            for component in np.ndindex(2, 2):
                step = np.zeros((2, 2))
                step[component] = 1e-6
                slope = (of_rows(w + step, x) - of_rows(w - step, x)) / 2e-6
                np.testing.assert_allclose(of_w[component], slope, rtol=1e-6, atol=1e-8)
    assert len(traces) == 1


def test_the_warning_says_how_to_compile_once():
    total = ad.jit(lambda x: np.sum(np.log(x)), interpret=True)
    with pytest.warns(ad.RecompileWarning, match=re.escape(PADDING)) as caught:
        for n in SIZES:
            total(np.ones(n))
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_padded_rows_are_left_out_of_sums():
    def terms(w: Any, x: Any) -> Any:
        return np.sum((np.log(x) @ w) ** 2, axis=1)

    masked = hinted("np.sum(terms")
    compare_all_sizes(lambda w, x, n: masked(terms=terms(w, x), n=n), lambda w, x: float(np.sum(terms(w, x))))


def test_loops_make_as_many_iterations_as_there_are_rows():
    loop = hinted("ad.fori_loop(")

    def last(w: Any, x: Any, n: Any) -> Any:
        final = loop(step=lambda t, state: np.tanh(w @ state + x[t]), start=np.zeros(2), n=n)
        return np.sum(final**2)

    compare_all_sizes(last, lambda w, x: float(last(w, x, len(x))))
