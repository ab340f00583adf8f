"""Comprehensions and generator expressions on traced conditions, and functions that take their elements."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from tests.generators.python_control import defined

CONDITIONS = (
    "for k, v in enumerate(x) if v > 0",
    "for k, v in enumerate(x) if not v > 0",
    "for k, v in enumerate(x) if 0 < v < 1 or v < -1",
    "for k, v in enumerate(x) if k % 2 == 0 if v > -1",
    "for k, v in enumerate(x) if v > -50",
    "for k, v in enumerate(x) if v > 50",
    "for k in range(4) for v in x[k:] if v > x[k]",
    "for k in range(4) if x[k] > 0 for v in x if v > x[k]",
    "for k, v in enumerate([w for w in x if w < 1]) if v > -1",
    "for k, v in zip(range(5), x) if (y := v * v) > 0.1",
)
ELEMENTS = ("v", "v * v", "math.sqrt(abs(v))", "h(v)", "k", "1.0")
USES = (
    "sum({})",
    "sum({}, x[1])",
    "len(list({})) * x[0]",
    "max({})",
    "min({}, default=x[2])",
    "max({}, key=lambda e: -e * e) * 2",
    "sum(sorted({})[:2])",
    "sorted({}, key=abs, reverse=True)[0]",
    "sum(e * e for e in {} if e < 1.5)",
    "sum([e for e in {}] + [x[0], 2.0])",
    "next(iter_ := {}) * 1.0",
    "next({}, x[0])",
    "float(any(e > 0.5 for e in {})) + all(e > -0.5 for e in {})",
    "math.fsum({}) + math.prod({})",
    "statistics.mean([*range(3), x[0]]) + statistics.fmean(list({}))",
    "functools.reduce(lambda s, e: s * 0.5 + e, {}, x[0])",
    "sum(map(lambda e: e + 1.0, filter(lambda e: e < 1.0, {})))",
    "sum(itertools.takewhile(lambda e: e < 1.0, {}))",
    "sum(n * e for n, e in enumerate({}))",
    "np.fromiter({}, float).sum()",
    "np.sum(np.array(list({})) ** 2)",
    "walk({})",
    "spread(list({}))",
    "list({})[-1] + list({})[0]",
    "math.hypot(*x) * (2.0 if x[0] in list({}) else 3.0)",
)
"""Expressions that take a list comprehension, or a generator expression, in the place of `{}`."""

HELPERS = """
def h(v):
    if v > 1:
        return v * v
    return math.exp(v)

def walk(values):
    total = 0.0
    for value in values:
        if total > 3.0:
            break
        total = total + value * value
    return total

def spread(values):
    if not values:
        return -1.0
    if len(values) == 1:
        return values[0] * 2.0
    middle = sum(values) / len(values)
    return sum((value - middle) ** 2 for value in values) + max(values) - min(values)
"""

POINTS = (np.array([0.7, -1.3, 2.1, 0.4, -0.2]), np.array([-0.3, -1.1, 0.6, -2.2, 1.4]))


def made(lines: list[str]) -> Callable[[Any], Any]:
    text = [*HELPERS.strip("\n").splitlines(), "def script(x):", *(f"    {line}" for line in lines)]
    return defined("script", text, f"<comprehensions {hash(tuple(lines))}>")[0]


def outcome(function: Callable[[Any], Any], x: Any) -> Any:
    try:
        return function(x)
    except (ValueError, IndexError, StopIteration, ZeroDivisionError) as error:
        return type(error)


def require_the_same(function: Callable[[Any], Any], x: Any, *, interpret: bool) -> None:
    """Compare value and gradient with Python's value and its differences, or the exceptions."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        wanted = outcome(function, x)
        found = outcome(ad.value_and_grad(function, interpret=interpret), x)
        if isinstance(wanted, type):
            assert found is wanted
            return
        value, gradient = found
        steps = 1e-6 * np.eye(x.size)
        slopes = [(function(x + step) - function(x - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(value, wanted, rtol=1e-12)
    np.testing.assert_allclose(gradient, slopes, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("use", USES)
def test_comprehensions_are_those_of_python(use: str, condition: str, element: str) -> None:
    for brackets in ("[]", "()"):
        if brackets == "[]" and use.startswith("next"):
            continue
        text = f"{brackets[0]}{element} {condition}{brackets[1]}"
        if ":=" in condition and "for e in {}" in use:
            continue  # Python has no assignments there
        function = made([f"return 1.0 * ({use.replace('{}', text)})"])
        for x in POINTS:
            require_the_same(function, x, interpret=True)


ORDERED: dict[str, str] = {
    "key": "min(x, key=lambda v: (v - 0.5) ** 2) ** 2",
    "key of positions": "x[max(range(5), key=lambda k: x[k] * x[k])] ** 2",
    "positions by a method": "x[max(range(5), key=x.__getitem__)] ** 2",
    "pairs": "min((v * v, k) for k, v in enumerate(x))[1] * x[0]",
    "items of pairs": "max(enumerate(x), key=lambda pair: pair[1])[0] * x[1]",
    "names": "{'p': x[0], 'q': x[1], 'r': x[2]}[max('pqr', key={'p': x[0], 'q': x[1], 'r': x[2]}.get)] ** 2",
    "functions": "min([np.sin, np.cos, np.exp], key=lambda f: f(x[0]))(x[1])",
    "pairs with names": "max(zip('abcde', x), key=lambda pair: pair[1])[1] ** 2",
    "two with a key": "min(x[0], x[1], key=abs) ** 3",
    "ties": "max([x[0], 0.0, x[0]], key=lambda v: v * 0.0) * 2.0",
    "tuples of ties": "max((round(v), v) for v in x)[1]",
    "sorted pairs": "sum(n * v for n, (v, k) in enumerate(sorted((v, k) for k, v in enumerate(x))))",
    "sorted positions": "sum(n * x[k] for n, k in enumerate(sorted(range(5), key=lambda k: -x[k])))",
    "sorted names": "sum(n * v for n, (t, v) in enumerate(sorted(zip('abcde', x), key=lambda e: e[1])))",
    "smallest": "sum(n * v for n, v in enumerate(heapq.nsmallest(3, x)))",
    "largest by a key": "sum(n * v for n, v in enumerate(heapq.nlargest(3, x, key=abs)))",
    "running": "sum(itertools.accumulate(x, max))",
    "median": "statistics.median(x) + statistics.pstdev(x) + statistics.variance(x, statistics.mean(x))",
    "product": "math.prod(v for v in x)",
    "places": "list(x).index(max(x)) * x[0] + list(x).count(x[1])",
    "dropped": "sum(itertools.dropwhile(lambda v: v > -1, x)) + sum(itertools.filterfalse(None, x > 0))",
}


@pytest.mark.parametrize("case", ORDERED)
def test_orders_by_traced_keys_are_those_of_python(case: str) -> None:
    function = made([f"return 1.0 * ({ORDERED[case]})"])
    for x in POINTS:
        require_the_same(function, x, interpret=False)


def test_lists_are_sorted_in_place() -> None:
    function = made(
        ["z = [v * v for v in x]", "z.sort(key=lambda v: (v > 1, -v))", "return z[0] + 3 * z[-1]"]
    )
    for x in POINTS:
        require_the_same(function, x, interpret=False)


def test_derivatives_of_second_order_go_through_comprehensions() -> None:
    function = made(["return sum(v ** 3 for v in x if v > 0) * max(v * v for v in x)"])
    x = POINTS[0]
    hessian = ad.hessian(function, control="rewrite")(x)
    rows = [
        (ad.grad(function, control="rewrite")(x + step) - ad.grad(function, control="rewrite")(x - step))
        / 2e-6
        for step in 1e-6 * np.eye(5)
    ]
    np.testing.assert_allclose(hessian, rows, rtol=1e-5, atol=1e-6)


REFUSED: dict[str, tuple[str, str]] = {
    "inserted": (
        "z = [v for v in x if v > 0]\nz.insert(1, 1.0)\nreturn sum(z)",
        "`insert` puts one before it",
    ),
    "parts": ("z = [v for v in x if v > 0]\nz[:2] = [1.0]\nreturn sum(z)", "which ones this part"),
    "repeated": ("return sum([v for v in x if v > 0] * 2)", "`mul` of lists"),
    "compared": ("return [v for v in x if v > 0] < [1.0]", "`lt` of lists"),
    "objects": ("return np.sum([{'a': v} for v in x if v > 0])", "not all numbers"),
    "texts": ("return sum(['a' if v > 1 else 'b' for v in x if v > 0])", "which ones these are"),
    "one by one": ("return ''.join(v for v in x if v > 0)", "elements are taken one by one"),
    "beside one another": (
        "return sum(a for a, b in zip([v for v in x if v > 0], x, strict=True))",
        "which `strict` asks for",
    ),
    "changes": ("z = []\n[z.append(v) for v in x if v > 0]\nreturn sum(z)", "changes z"),
    "used up": ("g = (v for v in x if v > 0)\nreturn next(g) + next(g)", "how far it went"),
    "dictionary": (
        "return sum({k: v for k, v in enumerate(x) if v > 0}.values())",
        "what a dictionary compr",
    ),
    "set": ("return len({v for v in x if v > 0})", "what a set comprehension has"),
    "zipped": (
        "g = (v for v in x if v > 0)\nreturn sum(a for a, b in zip(g, x)) + sum(g)",
        "how far it went",
    ),
    "sliced": (
        "g = (v for v in x if v > 0)\nreturn sum(itertools.islice(g, 2)) + sum(g)",
        "how far it went",
    ),
    "joined": (
        "return np.concatenate([v * np.eye(2) for v in x if v > 0], axis=1).sum()",
        "the size of",
    ),
    "stacked": ("return np.stack([v * np.ones(2) for v in x if v > 0], axis=1).sum()", "the size of"),
    "returned": ("return [v for v in x if v > 0]", "elements are decided by traced conditions"),
    "endless": ("return next(k for k in itertools.count() if x[0] * k > 5.0)", "more than 10000 elements"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_needs_the_number_of_elements_is_refused(case: str) -> None:
    text, message = REFUSED[case]
    with pytest.raises(ad.TracingError, match=message) as caught:
        ad.jit(made(text.splitlines()), control="rewrite", interpret=True)(POINTS[0])
    assert "<comprehensions" in str(caught.value)


CHANGING: dict[str, str] = {
    "elements": "sum(len([z.append(v)]) for v in x if v > 0)",
    "elements of a list": "sum([z.append(v) or v for v in x if v > 0])",
    "conditions": "sum(v for v in x if v > 0 if z.append(v) or v < 1)",
    "operands of conditions": "sum(v for v in x if v > 0 and (z.append(v) or v < 1))",
    "iterables": "sum(w for v in x if v > 0 for w in [z.append(v) or v])",
    "iterables of iterables": "sum(w for v in (v for v in x if v > 0) for w in [z.append(v) or v])",
    "map": "sum(map(lambda v: z.append(v) or v, (v for v in x if v > 0)))",
    "filter": "sum(filter(lambda v: z.append(v) or v > 1, (v for v in x if v > 0)))",
    "takewhile": "sum(itertools.takewhile(lambda v: z.append(v) or v < 1, x))",
    "dropwhile": "sum(itertools.dropwhile(lambda v: z.append(v) or v < 1, x))",
    "reduce": "functools.reduce(lambda s, v: z.append(v) or s + v, (v for v in x if v > 0), 0.0)",
    "keys of min": "min((v for v in x if v > 0), key=lambda v: z.append(v) or -v)",
    "keys of sorted": "sorted((v for v in x if v > 0), key=lambda v: z.append(v) or -v)[0]",
}


@pytest.mark.parametrize("case", CHANGING)
def test_changes_under_conditions_are_refused(case: str) -> None:
    """Wherever Python would make them for some elements only."""
    function = made(["z = []", f"y = {CHANGING[case]}", "return y + len(z)"])
    with pytest.raises(ad.TracingError, match=r"with a traced condition changes z, .*which happens once"):
        ad.jit(function, control="rewrite", interpret=True)(POINTS[0])


FEW: dict[str, str] = {
    "mean": "statistics.mean({})",
    "fmean": "statistics.fmean({})",
    "median": "statistics.median({})",
    "geometric mean": "statistics.geometric_mean({})",
    "variance": "statistics.variance({})",
    "standard deviation": "statistics.stdev({})",
    "variance of all": "statistics.pvariance({})",
    "standard deviation of all": "statistics.pstdev({})",
}


@pytest.mark.parametrize("least", [0.0, 0.5, 1.0, 50.0])
@pytest.mark.parametrize("name", FEW)
def test_statistics_of_few_numbers_are_those_of_python(name: str, least: float) -> None:
    """Statistics of three, two, one and no numbers; some raise an exception."""
    for values in (f"[v for v in x if v > {least}]", f"[x[0]] * {2 if least < 1 else 1}"):
        function = made([f"return {FEW[name].replace('{}', values)} + 0.0 * x[0]"])
        wanted = outcome(function, POINTS[0])
        found = outcome(ad.jit(function, control="rewrite", interpret=True), POINTS[0])
        if isinstance(wanted, type):
            assert found is wanted
        else:
            np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-15)


PYTHONS_NUMBERS: dict[str, str] = {
    "sum": "sum({})",
    "product": "math.prod({})",
    "least": "min({}, default=x[0])",
    "least by a key": "min({}, key=lambda k: -k)",
    "next": "next((e for e in {}), x[0])",
    "first in order": "sorted({})[0]",
    "first": "{}[0]",
    "of pairs": "max((v, k) for k, v in enumerate(x) if v > 0)[1]",
    "number of elements": "len({})",
    "place": "{}.index({}[0]) + 1",
    "sum of rows": "sum(e for e in {} if e < 4)",
    "numbers of rows": "next((n for n, e in enumerate({}) if e < 4), x[0])",
}


@pytest.mark.parametrize("elements", ["k", "1.5 * k", "k > 1"])
@pytest.mark.parametrize("case", PYTHONS_NUMBERS)
def test_numbers_of_python_stay_such(case: str, elements: str) -> None:
    """So that they adapt to the dtypes of arrays."""
    values = f"[{elements} for k, v in enumerate(x) if v > 0]"
    function = made([f"return x[1] * ({PYTHONS_NUMBERS[case].replace('{}', values)})"])
    for x in POINTS:
        x = x.astype(np.float32)
        wanted = function(x)
        found = ad.jit(function, control="rewrite", interpret=True)(x)
        assert found.dtype == wanted.dtype == np.float32
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_iterators_of_plain_values_stay_lazy() -> None:
    function = made([
        "squares = (k * k for k in itertools.count() if k % 2)",
        "first = next(squares) + next(squares)",
        "found = any(k > 5 for k in itertools.count())",
        "return x[0] * first * found if x[0] > 0 else x[0]",
    ])  # fmt: skip
    for x in POINTS:
        require_the_same(function, x, interpret=True)
