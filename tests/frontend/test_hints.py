"""Hints of errors about lines that need elements of a traced value are run, beside NumPy."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.optimize

import mlirad as ad

NAMES: dict[str, Any] = {
    "x": np.array([3.0, -1.0, 2.0, 0.5, 1.0]),
    "k": np.int64(2),
    "t": 0.75,
}
"""The variables that the lines read, all traced."""

STATIC: dict[str, Any] = {"np": np, "ad": ad, "a": np.arange(5.0), "values": np.array([1.0, 2.0]), "n": 3}

LINES: dict[str, tuple[str, str, str]] = {
    "sorted": ("sorted(x)", "np.sort(x)", "{}"),
    "sorted by a key": ("sorted(x, key=np.abs)", "x[np.argsort(key(x))]", "(lambda key: {})(np.abs)"),
    "min": ("min(x)", "np.min(x)", "{}"),
    "min of two": ("min(t, x[0])", "np.minimum(a, b)", "(lambda a, b: {})(t, x[0])"),
    "min by a key": ("min(x, key=np.abs)", "x[np.argmin(key(x))]", "(lambda key: {})(np.abs)"),
    "max": ("max(x)", "np.max(x)", "{}"),
    "max of two": ("max(t, x[0])", "np.maximum(a, b)", "(lambda a, b: {})(t, x[0])"),
    "max by a key": ("max(x, key=np.abs)", "x[np.argmax(key(x))]", "(lambda key: {})(np.abs)"),
    "any": ("any(x > 2.0)", "np.any(x)", "(lambda x: {})(x > 2.0)"),
    "all": ("all(x > 2.0)", "np.all(x)", "(lambda x: {})(x > 2.0)"),
    "bool": ("bool(t)", "x.astype(bool)", "(lambda x: {})(t)"),
    "not": ("not t", "np.logical_not(x)", "(lambda x: {})(t)"),
    "in": ("t in values", "np.any(values == x)", "(lambda x: {})(t)"),
    "not in": ("t not in values", "np.any(values == x)", "(lambda x: ~{})(t)"),
    "filter": ("sum(filter(lambda e: e > 0, x))", "x[x > 0]", "{}.sum()"),
    "arange": (
        "np.arange(t, t + 1.4, 0.5)", "start + step * np.arange(n)", "(lambda start, step: {})(t, 0.5)",
    ),
    "masked": ("np.ma.masked_less(x, 0.0).mean()", "np.mean(x, where=~mask)", "(lambda mask: {})(x < 0)"),
    "poly1d": ("np.poly1d(x)(0.5)", "np.polyval(c, x)", "(lambda c, x: {})(x, 0.5)"),
    "float64": ("np.float64(t)", "x.astype(np.float64)", "(lambda x: {})(t)"),
    "int64": ("np.int64(t)", "x.astype(np.int64)", "(lambda x: {})(t)"),
    "nditer": ("sum(float(e) for e in np.nditer(x))", "x.flat", "sum({})"),
    "key": ("{0: 5.0, 2: 7.0}[k]", "ad.asarray([a, b])[k]", "(lambda a, b, k: {})(5.0, 7.0, k // 2)"),
    "key, switched": (
        "{0: 5.0, 2: 7.0}[k]", "ad.switch(k, [f, g])",
        "(lambda f, g, k: {})(lambda: 5.0, lambda: 7.0, k // 2)",
    ),
    "random": ("np.random.normal(x, 0.0, 5)", "mean + scale * ad.random.normal(key, shape)",
               "(lambda mean, scale, key, shape: {})(x, 0.0, ad.random.key(0), 5)"),
}  # fmt: skip
"""The line, the text of the hint, and the way to put that into a line that gives the same, by what is done.
"""


def compiled_line(text: str) -> Any:
    """A function of the names, of one line, whose source Python finds."""
    source = f"def f(x, k, t):\n    return {text}\n"
    file = f"<line {text}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names = dict(STATIC)
    exec(compile(source, file, "exec"), names)
    return names["f"]


@pytest.mark.parametrize("name", LINES)
def test_what_hints_say_gives_what_the_line_gives(name: str) -> None:
    line, hint, around = LINES[name]
    with pytest.raises(ad.MliradError) as caught:
        ad.jit(compiled_line(line), interpret=True, control="plain")(**NAMES)
    assert hint in str(caught.value.hint)
    assert str(caught.value.location) == f"<line {line}>:2"
    found = ad.jit(compiled_line(around.format(hint)), interpret=True)(**NAMES)
    np.testing.assert_allclose(found, compiled_line(line)(**NAMES))


def test_hints_know_whether_the_source_is_rewritten() -> None:
    def sent(x: Any) -> Iterator[Any]:
        for y in x:
            if y > 0:
                _ = yield y

    def f(x: Any) -> Any:
        return sum(sent(x))

    def checked(x: Any) -> Any:
        assert np.all(x > -5.0)
        return x

    with pytest.raises(ad.TracingError, match="or have the source rewritten"):
        ad.jit(f, control="plain", interpret=True)(NAMES["x"])
    for control in ("auto", "rewrite"):
        with pytest.raises(
            ad.TracingError,
            match=r"generators that have no end, or are sent values, .* and code without source",
        ):
            ad.jit(f, control=control, interpret=True)(NAMES["x"])
    with pytest.raises(ad.TracingError, match="it is checked when the program runs"):
        ad.jit(checked, control="plain", interpret=True)(NAMES["x"])
    assert ad.jit(checked, control="rewrite", interpret=True)(NAMES["x"])[0] == 3.0


def test_lines_without_source_have_a_hint() -> None:
    names: dict[str, Any] = {}
    exec("def f(x):\n    return 1 if x > 0 else 2\n", names)
    with pytest.raises(ad.TracingError, match="a choice between values"):
        ad.jit(names["f"], interpret=True)(1.0)


@pytest.mark.parametrize("name", ["root", "minimize", "minimize_scalar"])
def test_solvers_of_scipy_have_counterparts(name: str) -> None:
    solvers = {
        "root": lambda x: scipy.optimize.root(lambda t: t * t - x, np.ones(1)).x,
        "minimize": lambda x: scipy.optimize.minimize(lambda t: (t[0] - x) ** 2, np.ones(1)).x,
        "minimize_scalar": lambda x: scipy.optimize.minimize_scalar(lambda t: (t - x) ** 2).x,
    }
    with pytest.raises(ad.TracingError, match=f"SciPy's {name}") as caught:
        ad.jit(lambda x: solvers[name](x), interpret=True)(0.5)
    assert ("ad.minimize(f, x0)" if "minimize" in name else "ad.root(f, x0)") in str(caught.value.hint)


def test_functions_that_solvers_call_have_hints_of_their_own() -> None:
    compiled = ad.jit(lambda x: x if x > 0 else -x, interpret=True, control="plain")
    with pytest.raises(ad.TracingError, match="a choice between values"):
        scipy.optimize.brentq(compiled, -1.0, 2.0)
