"""Iterators that are gone on with after a consumer has taken elements, and iterators that have no end."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.frontend.control_flow import endless, generators
from tests.frontend.control_flow.test_comprehensions import POINTS, made, outcome

MAKERS: dict[str, str] = {
    "generator expression": "it = (v for v in x if v > 0)",
    "generator": "def g(a):\n    for v in a:\n        if v > 0: yield v\nit = g(x)",
    "filter": "it = filter(lambda v: v > 0, x)",
    "takewhile": "it = itertools.takewhile(lambda v: v > -1.2, x)",
    "enumerate of kept": "it = (p[1] for p in enumerate([v for v in x if v > 0]))",
    "map of kept": "it = map(lambda v: v * 2, (v for v in x if v > 0))",
    "iter of array": "it = iter(x)",
    "plain": "it = (v * 2 for v in x)",
    "iter of list": "it = iter([*x])",
    "iter of kept list": "it = iter([v for v in x if v > 0])",
    "chain": "it = itertools.chain((v for v in x if v > 0), x)",
    "reversed": "it = reversed([v for v in x if v > 0])",
    "zip": "it = map(lambda p: p[0], zip((v for v in x if v > 0), x))",
    "numbers": "it = iter([1, 2, 3, 4, 5])",
}
"""Iterators, which decide by traced conditions what they give, or do not."""

CONSUMERS: dict[str, str] = {
    "takewhile": "sum(itertools.takewhile(lambda v: v < 1.0, it))",
    "takewhile of all": "sum(itertools.takewhile(lambda v: v < 100, it))",
    "dropwhile": "next(itertools.dropwhile(lambda v: v < 0.5, it), 7.0)",
    "islice": "sum(itertools.islice(it, 2))",
    "islice 2": "sum(itertools.islice(it, 1, 3))",
    "filter": "next(filter(lambda v: v < 0.65, it), 7.0)",
    "filterfalse": "next(itertools.filterfalse(lambda v: v < 0.65, it), 7.0)",
    "map": "next(map(lambda v: v * 2, it), 7.0)",
    "map two": "sum(map(lambda v, w: v * w, it, [1, 2]))",
    "zip": "sum(v * w for v, w in zip(it, [1, 2]))",
    "zip after": "sum(v * w for v, w in zip([1, 2], it))",
    "zip with itself": "sum(v * w for v, w in zip(it, it))",
    "enumerate": "next(enumerate(it), (1, 7.0))[1]",
    "enumerate all": "sum(k * v for k, v in enumerate(it))",
    "next": "next(it, 7.0)",
    "next twice": "next(it, 7.0) + next(it, 8.0)",
    "next bare": "next(it)",
    "in": "float(1.0 in it)",
    "in traced": "float(x[0] in it)",
    "list": "sum(list(it))",
    "tuple": "len(tuple(it))",
    "star": "sum([*it])",
    "sum": "sum(it)",
    "any": "float(any(v > 0.5 for v in it))",
    "any itself": "float(any(it))",
    "all itself": "float(all(it))",
    "all": "float(all(v > 0.5 for v in it))",
    "max": "max(it, default=7.0)",
    "min by key": "min(it, default=7.0, key=lambda v: v * v)",
    "sorted": "sum(sorted(it)[:1])",
    "accumulate": "sum(itertools.accumulate(it))",
    "accumulate next": "next(itertools.accumulate(it), 7.0)",
    "chain": "next(itertools.chain(it, [1.0]), 7.0)",
    "from_iterable": "next(itertools.chain.from_iterable([it]), 7.0)",
    "pairwise": "sum(v * w for v, w in itertools.pairwise(it))",
    "zip_longest": "sum(v * w for v, w in itertools.zip_longest(it, [1, 2], fillvalue=1.0))",
    "compress": "sum(itertools.compress(it, [1, 0, 1]))",
    "starmap": "sum(itertools.starmap(lambda a, b: a * b, zip(it, [1, 2])))",
    "tee": "sum(itertools.tee(it)[0])",
    "for break": "first(it)",
    "for traced break": "below(it)",
    "unpack": "two(it)",
    "reduce": "functools.reduce(lambda s, v: s * 0.5 + v, it, 1.0)",
    "fromiter": "np.sum(np.fromiter(it, float))",
    "fromiter count": "np.sum(np.fromiter(it, float, 1))",
    "extend": "extended(it)",
    "expression": "next((v * v for v in it), 7.0)",
    "expression if": "next((v for v in it if v < 0.65), 7.0)",
    "prod": "math.prod(it)",
    "fsum": "math.fsum(it)",
    "mean": "statistics.mean(it)",
    "nsmallest": "sum(heapq.nsmallest(1, it))",
    "reversed": "sum(reversed(list(it)))",
    "dict": "sum(dict(enumerate(it)).values())",
    "slice next": "next(itertools.islice(it, 1, None), 7.0)",
    "delegated": "next(through(it), 7.0)",
    "array": "np.sum(np.array(list(it)))",
    "deque": "len(collections.deque(it, 1))",
    "length": "len(list(itertools.islice(it, 2)))",
    "join": "len(','.join('a' for v in it))",
}
"""Expressions that take some elements of an iterator, or all."""

HELPERS = """import collections
def first(it):
    for v in it:
        return v
    return 7.0
def below(it):
    y = 0.0
    for v in it:
        if v < 0.5: break
        y += v
    return y
def two(it):
    a, *b = it
    return a
def extended(it):
    z = []
    z.extend(it)
    return sum(z)
def through(it):
    yield from it
def numbers():
    k = 0
    while True:
        yield k
        k += 1
"""

RESTS = ("sum(it)", "next(it, 3.0)", "len(list(it))", "walk(it)")

KNOWN = ("iter of array", "iter of list", "numbers")
"""Iterators whose elements are taken one by one."""

STOPPED_BY_VALUES = frozenset((
    "takewhile", "takewhile of all", "dropwhile", "filter", "filterfalse", "in", "in traced", "any",
    "any itself", "all itself", "all", "for traced break", "expression if", "delegated",
))  # fmt: skip
"""Consumers that stop where a value lets them."""


def script(*lines: str) -> Callable[[Any], Any]:
    return made([*HELPERS.splitlines(), *(line for text in lines for line in text.splitlines())])


@pytest.mark.parametrize("rest", RESTS)
@pytest.mark.parametrize("consumer", CONSUMERS)
@pytest.mark.parametrize("maker", MAKERS)
def test_iterators_are_left_where_python_leaves_them(maker: str, consumer: str, rest: str) -> None:
    """Or going on with them is an error."""
    function = script(MAKERS[maker], f"a = {CONSUMERS[consumer]}", f"return 1.0 * a + 100.0 * ({rest})")
    for x in POINTS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = outcome(function, x)
            try:
                found = outcome(ad.jit(function, control="rewrite", interpret=True), x)
            except ad.TracingError as error:
                assert "<comprehensions" in str(error)
                assert maker not in KNOWN or consumer in STOPPED_BY_VALUES
                continue
        if isinstance(wanted, type) or isinstance(found, type):
            assert found is wanted
        else:
            np.testing.assert_allclose(found, wanted, rtol=1e-12)


ENDLESS: dict[str, str] = {
    "own": "def g(a):\n    for k in numbers():\n        if a[k % 5] > 0: yield a[k % 5]\n",
    "nested count": (
        "def e():\n    return itertools.count()\ndef g(a):\n"
        "    for k in e():\n        if a[k % 5] > 0: yield a[k % 5]\n"
    ),
    "iter f": (
        "n=[0]\ndef f():\n    return 1\ndef g(a):\n    for k in iter(f, 0):\n"
        "        if a[k % 5] > 0: yield a[k % 5]\n"
    ),
    "next": (
        "class E:\n    def __iter__(self): return self\n    def __next__(self): return 2\n"
        "def g(a):\n    for k in E():\n        if a[k % 5] > 0: yield a[k % 5]\n"
    ),
    "getitem": (
        "class E:\n    def __getitem__(self, k): return k\ndef g(a):\n"
        "    for k in E():\n        if a[k % 5] > 0: yield a[k % 5]\n"
    ),
    "flag": (
        "def g(a):\n    k = 0\n    alive = True\n    while alive:\n"
        "        if a[k % 5] > 0: yield a[k % 5]\n        k += 1\n"
    ),
    "grows": (
        "def g(a):\n    q = [0]\n    for k in q:\n"
        "        if a[k % 5] > 0: yield a[k % 5]\n        q.append(k + 1)\n"
    ),
    "from": "def g(a):\n    if a[0] > 0: yield a[0]\n    yield from numbers()\n",
    "recursion": "def g(a, k=0):\n    if a[k % 5] > 0: yield a[k % 5]\n    yield from g(a, k + 1)\n",
    "no yields": ("def g(a):\n    for k in numbers():\n        if k < 7 and a[k % 5] > 0: yield a[k % 5]\n"),
    "break": "y = 0.0\nfor k in numbers():\n    if x[0] * k > 1.0: break\n    y += k\ndef g(a): yield y",
    "cycle": "def g(a):\n    c = itertools.cycle\n    for v in c(a):\n        if v > 0: yield v\n",
    "comp": "def g(a):\n    for v in (a[k % 5] for k in numbers() if a[k % 5] > 0):\n        yield v\n",
    "map": (
        "def g(a):\n    for v in map(lambda k: a[k % 5], itertools.count()):\n        if v > 0: yield v\n"
    ),
    "zip": (
        "def g(a):\n    c = itertools.count()\n    for v, k in zip(c, c):\n        if a[v % 5] > 0: yield v\n"
    ),
}
"""Generators that go over what has no end."""


@pytest.mark.parametrize("taken", ["sum(itertools.islice(g(x), 2))", "next(g(x), 0.0)"])
@pytest.mark.parametrize("case", ENDLESS)
def test_iterators_without_end_are_refused(case: str, taken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endless, "MOST_OPERATIONS", 500)
    monkeypatch.setattr(endless, "MOST_ITERATIONS", 1000)
    monkeypatch.setattr(generators, "DEEPEST", 50)
    function = script(ENDLESS[case], f"return 1.0 * ({taken})")
    message = r"has not ended after|calls itself more than|the truth of"
    with pytest.raises(ad.TracingError, match=message) as caught:
        ad.jit(function, control="rewrite", interpret=True)(POINTS[0])
    assert "<comprehensions" in str(caught.value)


@pytest.mark.parametrize("case", ["from", "no yields"])
def test_the_limits_that_programs_have(case: str) -> None:
    function = script(ENDLESS[case], "return 1.0 * sum(itertools.islice(g(x), 2))")
    with pytest.raises(ad.TracingError, match="has not ended after 100001 iterations"):
        ad.jit(function, control="rewrite", interpret=True)(POINTS[0])


FINITE: dict[str, str] = {
    "list": "for k in [*range(n)]:",
    "dictionary": "for k in dict.fromkeys(range(n)):",
    "iterator of a list": "for k in iter([*range(n)]):",
    "numbers of an iterator": "for k, _ in enumerate(iter([*range(n)])):",
    "pairs": "for k, _ in zip([*range(n)], numbers()):",
    "results": "for k in map(int, [*range(n)]):",
    "elements": "for k, v in enumerate(np.concatenate([a] * (n // 5))):",
    "range": "for k in range(n):",
}


@pytest.mark.parametrize("case", FINITE)
def test_long_loops_that_end_have_no_limit(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endless, "MOST_OPERATIONS", 50)
    monkeypatch.setattr(endless, "MOST_ITERATIONS", 20)
    text = f"n = 40\ndef g(a):\n    {FINITE[case]}\n        if a[k % 5] > 0: yield a[k % 5] * k"
    function = script(text, "return sum(g(x))")
    for x in POINTS:
        found = ad.jit(function, control="rewrite", interpret=True)(x)
        np.testing.assert_allclose(found, function(x), rtol=1e-12)
