"""Generator functions in which traced conditions decide what they yield."""

from __future__ import annotations

import pytest

import mlirad as ad
from tests.frontend.control_flow.test_comprehensions import POINTS, made, require_the_same

GENERATORS: dict[str, str] = {
    "filter": "def g(a):\n    for v in a:\n        if v > 0: yield v * v",
    "either": "def g(a):\n    for v in a:\n        if v > 1: yield 1.0 + 0.1 * v\n        else: yield v",
    "ends early": "def g(a):\n    for v in a:\n        if v < -1.2: return\n        yield v",
    "left": (
        "def g(a):\n    for v in a:\n        if v < -1.2: break\n        if v < 0: continue\n"
        "        yield v\n    yield 2.0"
    ),
    "sums": "def g(a):\n    s = 0.0\n    for v in a:\n        if v > 0: s += v\n        yield s",
    "changes of state": (
        "def g(a):\n    last = a[0] > 0.1\n    for v in a[1:]:\n        now = v > 0.1\n"
        "        if now != last: yield v\n        last = now"
    ),
    "previous": (
        "def g(a):\n    last = None\n    for v in a:\n"
        "        if last is not None and v > last: yield v - last\n        last = v"
    ),
    "delegates": (
        "def f(a):\n    for v in a:\n        if v > 0: yield v\n"
        "def g(a):\n    yield a[0]\n    yield from f(a)\n    if a[1] > 0: yield a[1] * 3"
    ),
    "chained": (
        "def f(a):\n    for v in a:\n        if v > 0: yield v\n"
        "def h(a):\n    for v in a:\n        if v < 1: yield v * v\n        else: yield 1.0\n"
        "def g(a): return h(f(a))"
    ),
    "recursive": (
        "def f(a, low, high):\n    if high - low == 1:\n        if a[low] > 0: yield a[low]\n    else:\n"
        "        m = (low + high) // 2\n        yield from f(a, low, m)\n        yield from f(a, m, high)\n"
        "def g(a): return f(a, 0, len(a))"
    ),
    "counts": "def g(a):\n    k = 0\n    while k < len(a):\n        if a[k] > 0: yield a[k]\n        k += 1",
    "method": (
        "class Stream:\n    def __init__(self, a): self.a = a\n    def above(self, t):\n"
        "        for v in self.a:\n            if v > t: yield v\ndef g(a): return Stream(a).above(0.3)"
    ),
    "raises": (
        "def g(a):\n    for v in a:\n        if v > 50: raise ValueError('big')\n        if v > 0: yield v"
    ),
}
USES = (
    "sum(g(x)) + len(list(g(x)))",
    "max(g(x), default=x[1]) - min(g(x), default=x[0])",
    "sum(k * v for k, v in enumerate(g(x)) if v < 2.0)",
    "walk(g(x))",
    "next(g(x), x[2]) + sum(iter(g(x)))",
    "np.fromiter(g(x), float).sum() + sum([*g(x), x[0]])",
    "sum(sorted(g(x))[:2]) + sum(a * b for a, b in zip(g(x), [1.0, 2.0, 3.0]))",
    "sum(itertools.islice(g(x), 1, 3)) + any(v > 1 for v in g(x)) * x[0]",
    "sum(map(lambda v: v * 2, g(x))) + sum(itertools.takewhile(lambda v: v < 1, g(x)))",
    "np.sum(np.array(list(g(x))) ** 2) + sum(v * v for v in g(x) if v < 1) if list(g(x)) else 0.0",
)


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("case", GENERATORS)
def test_generators_yield_what_those_of_python_do(case: str, use: str) -> None:
    function = made([*GENERATORS[case].splitlines(), f"return 1.0 * ({use})"])
    for x in POINTS:
        require_the_same(function, x, interpret=True)


WRITTEN: dict[str, tuple[str, str]] = {
    "values": (
        "def g(a):\n    for k, v in enumerate(a):\n        if v > 0: yield 'up', k, v\n"
        "        elif v < -0.5: yield 'down', k, v\n"
        "y = 0.0\nfor name, k, v in g(x):\n    if name == 'up': y += k * v\n    else: y -= v"
    ),
    "unpacked": (
        "def g(a):\n    for v in a:\n        if v > 1: yield 1.0\n        else: yield v\n"
        "a, b, *c = g(x)\ny = a * b + sum(c)"
    ),
    "left": (
        "def g(a):\n    for v in a:\n        if v > 0: yield v\n"
        "y = 0.0\nfor v in g(x):\n    if v > 1: break\n    y += v"
    ),
    "rows": (
        "def g(a):\n    for k in range(len(a) - 1):\n        w = a[k:k + 2]\n        if w[0] > 0: yield w\n"
        "y = sum(w[0] * w[1] for w in g(x)) + (np.sum(np.stack(list(g(x)))[:, 1]) if list(g(x)) else 0.0)"
    ),
    "joined": (
        "rows = [v * np.ones(2) for v in x if v > 0]\n"
        "y = np.sum(np.concatenate(rows) ** 2) + len(np.concatenate(rows)) if rows else x[0]"
    ),
}


@pytest.mark.parametrize("case", WRITTEN)
def test_elements_of_all_kinds(case: str) -> None:
    function = made([*WRITTEN[case].splitlines(), "return 1.0 * y"])
    for x in POINTS:
        require_the_same(function, x, interpret=True)


IN_TURNS: dict[str, tuple[str, str]] = {
    "changes what others see": (
        "n = [0]\ndef g(a):\n    for v in a:\n        n[0] += 1\n        if v > 0: yield v\n"
        "return sum(v * n[0] for v in g(x))",
        "changes what others can see",
    ),
    "changes a variable of others": (
        "n = 0\ndef g(a):\n    nonlocal n\n    for v in a:\n        n += 1\n        if v > 0: yield v\n"
        "return sum(v * n for v in g(x))",
        "changes what others can see",
    ),
    "changes an object": (
        "class C:\n    n = 0\n    def g(self, a):\n        for v in a:\n            self.n += 1\n"
        "            if v > 0: yield v\nc = C()\nreturn sum(v * c.n for v in c.g(x))",
        "changes what others can see",
    ),
    "changes an array": (
        "n = np.zeros(1) * x[0]\ndef g(a):\n    for v in a:\n        n[0] += v\n        if v > 0: yield v\n"
        "return sum(v * n[0] for v in g(x))",
        "changes what others can see|made outside",
    ),
    "reads what is changed": (
        "n = [1.0]\ndef g(a):\n    for v in a:\n        if v > 0: yield v * n[0]\n"
        "y = 0.0\nfor v in g(x):\n    y += v\n    n[0] += 1.0\nreturn y",
        "is changed while its elements are taken",
    ),
    "reads an array that is changed": (
        "a = x * 1.0\ndef g():\n    for k in range(5):\n        if a[k] > 0: yield a[k]\n"
        "y = 0.0\nfor v in g():\n    y += v\n    a[4] = 0.3\nreturn y",
        "is changed while its elements are taken",
    ),
    "yields a list that it changes": (
        "def g(a):\n    out = []\n    for v in a:\n        out.append(v)\n        if v > 0: yield out\n"
        "return sum(len(b) * b[0] for b in g(x))",
        "written later|is changed",
    ),
    "yields an array that it changes": (
        "def g(a):\n    s = np.zeros(2)\n    for v in a:\n        s += v\n        if v > 0: yield s\n"
        "return sum(b[0] * b[1] for b in g(x))",
        "written since",
    ),
    "is gone on with": (
        "def g(a):\n    for v in a:\n        if v > 0: yield v\nh = g(x)\nreturn next(h, 0.0) + sum(h)",
        "how far it went",
    ),
    "has no end": (
        "def g(a):\n    for k in itertools.count():\n        if a[k % 5] > -k: yield a[k % 5]\n"
        "return sum(itertools.islice(g(x), 3))",
        "the truth of",
    ),
    "is sent values": (
        "def g(a):\n    for v in a:\n        if v > 0: s = yield v\n        else: s = yield -v\n"
        "h = g(x)\nreturn next(h) + h.send(1.0)",
        "the truth of",
    ),
    "grows in a loop": (
        "def g(v):\n    while v > 0.1:\n        v = v * 0.5\n        yield v\nreturn sum(g(x[0]))",
        "what the generator yields",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", IN_TURNS)
def test_what_needs_turns_is_refused(case: str) -> None:
    """A generator that runs to its end first would give other values."""
    text, message = IN_TURNS[case]
    with pytest.raises(ad.TracingError, match=message) as caught:
        ad.jit(made(text.splitlines()), control="rewrite", interpret=True)(POINTS[0])
    assert "<comprehensions" in str(caught.value)
