"""Lists that are filled and changed under traced conditions, and all that takes them."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from tests.frontend.control_flow.test_comprehensions import POINTS, made, require_the_same
from tests.frontend.control_flow.test_random_scripts import agrees
from tests.generators.grown_lists import grown_lists

FILLED: dict[str, str] = {
    "append": "out = []\nfor v in x:\n    if v > 0: out.append(v)",
    "append to some": "out = [x[0]]\nfor v in x:\n    if v > 0: out.append(v * v)",
    "other branch": "out = []\nfor v in x:\n    if v > 0: pass\n    else: out.append(v)",
    "both branches": "out = []\nfor v in x:\n    if v > 0: out.append(v)\n    else: out += [v, 0.5]",
    "nested": (
        "out = []\nfor v in x:\n    if v > -1:\n        if v < 1: out.append(v)\n"
        "        elif v > 2: out.append(0.5)"
    ),
    "chain": (
        "out, low = [], []\nfor v in x:\n    if v > 1: out.append(v)\n    elif v > 0: low.append(v)\n"
        "    else: out.insert(0, v)\nout.extend(low)"
    ),
    "extend": "out = []\nfor k, v in enumerate(x):\n    if v > 0: out.extend([v, k * v])",
    "at the front": "out = []\nfor v in x:\n    if v > 0: out.insert(0, v)",
    "stack": "out = [x[1]]\nfor v in x:\n    if v > 0: out.append(v)\n    elif out: out.pop()",
    "queue": (
        "out = [x[1], x[2]]\nfor v in x:\n    if v > 0 and out: y = out.pop(0) * v\n    else: out.append(v)"
    ),
    "break": "out = []\nfor v in x:\n    if v < -1.2: break\n    out.append(v)",
    "continue": "out = []\nfor v in x:\n    if v < -0.25: continue\n    out.append(v)",
    "new list": "out = []\nfor v in x:\n    if v > 0: out = out + [v]",
    "unpacked": "out = [x[0]]\nfor v in x:\n    if v > 0: out = [v, *out]",
    "last one": "out = [x[0]]\nfor v in x:\n    if v > 0: out[-1] += v\n    else: out.append(v)",
    "cleared": "out = []\nfor v in x:\n    out.append(v)\n    if v > 1: out.clear()",
    "begun again": "out = []\nfor v in x:\n    if v > 1: out = []\n    else: out.append(v)",
    "removed": "out = [w for w in x if w > -1]\nfor v in x:\n    if v in out and v < 0.5: out.remove(v)",
    "deleted": "out = [*x]\nif x[0] > 0: del out[0]\nif x[1] < -1.2: del out[-1]",
    "returned": (
        "def some(v):\n    if v > 0: return [v]\n    return []\nout = [*some(x[0])] + some(x[3]) + some(x[1])"
    ),
    "helper": (
        "def put(o, v):\n    if v > 0: o.append(v)\nout = [v for v in x if v > 1]\nfor v in x: put(out, v)"
    ),
    "attribute": (
        "class Log:\n    def __init__(self): self.seen = []\n    def note(self, v):\n"
        "        if v > 0: self.seen.append(v)\nlog = Log()\nfor v in x: log.note(v)\nout = log.seen"
    ),
    "dictionary": (
        "table = {'low': [], 'high': [x[0]]}\nfor v in x:\n    table['low'].append(0.1)\n"
        "    if v < 0: table['low'].append(v)\n    else: table['high'].append(v)\n"
        "out = table['low'] + table['high']"
    ),
    "changed element": (
        "out = [v for v in x if v > -1]\nif x[0] > 0 and out: out[0] = x[1]\nif len(out) > 1: out[1] *= 2.0"
    ),
    "sorted": (
        "out = []\nfor v in x:\n    if v > -0.25: out.append(v)\nout.sort(key=lambda e: -e)\nout.reverse()"
    ),
    "runs": (
        "out, run = [], 0\nfor v in x:\n    if v > 0: run += 1\n    else:\n"
        "        if run: out.append(run * x[0])\n        run = 0\nif run: out.append(run)"
    ),
    "many": (
        "out = []\nfor v in np.concatenate([x, 0.51 * x, x - 0.31, 0.9 * x * x, -1.07 * x]):\n"
        "    if v > 0.13: out.append(v)"
    ),
}
USES = (
    "sum(out) + len(out) * x[0]",
    "max(out, default=x[2]) - min(out, default=x[0])",
    "sum(k * e for k, e in enumerate(out))",
    "np.sum(np.array(out) ** 2) + np.asarray(out).sum()",
    "walk(out)",
    "spread(out)",
    "out[-1] * out[0] if out else x[0]",
    "sum(sorted(out)[:2]) + sum(out[1:]) + sum(out[::-1])",
    "out.count(x[0]) + (out.index(x[0]) if x[0] in out else -1.0)",
    "sum([e for e in out if e < 1.5]) + any(e > 0.5 for e in out)",
    "float(isinstance(out, list)) + sum(list(out) + [x[0]]) + sum(tuple(out))",
    "np.sum(np.diff(np.array(out))) * 2.0",
    "sum(k * e for k, e in enumerate(reversed(out))) + sum(map(lambda e, f: e * f, out, x))",
    "sum(e * f for e, f in zip(out[1:], out))",
    "sum(e * f for e, f, g in zip(out, [w for w in x if w < 1], 'abc'))",
    "sum(out.copy()) + sum(e * f for e, f in zip(out, out))",
)


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("filled", FILLED)
def test_lists_are_those_of_python(filled: str, use: str) -> None:
    function = made([*FILLED[filled].splitlines(), f"return 1.0 * ({use})"])
    for x in POINTS:
        require_the_same(function, x, interpret=True)


LONG: dict[str, str] = {
    "one branch": "for v in x:\n    if v > 0: out.append(np.sin(v) * v)",
    "both branches": "for v in x:\n    if v > 0: out.append(v * v)\n    else: out.append(-v)",
    "two lists": (
        "low = []\nfor v in x:\n    if v > 0: out.append(v * v)\n    elif v < -1: low.append(v)\n"
        "    else: out.append(v); low.append(v)\nout += low"
    ),
    "attribute": (
        "class Log:\n    def __init__(self): self.seen = []\n    def note(self, v):\n"
        "        if v > 0: self.seen.append(v)\nlog = Log()\nfor v in x: log.note(v)\nout = log.seen"
    ),
}


@pytest.mark.parametrize("case", LONG)
def test_traces_of_long_lists_take_calls_in_proportion(case: str) -> None:
    """Each `if` looks at what it adds, and goes over the list before it by few calls."""

    def count(n: int) -> int:
        calls = 0

        def called(frame: FrameType, event: str, arg: Any) -> None:
            nonlocal calls
            calls += event == "call"

        function = ad.jit(made(["out = []", *LONG[case].splitlines(), "return sum(out)"]), control="rewrite")
        before = sys.getprofile()
        sys.setprofile(called)
        try:
            function.ir(np.cos(np.arange(n)))
        finally:
            sys.setprofile(before)
        return calls

    count(8)
    one, two, three = (count(n) for n in (16, 32, 64))
    assert three - two < 3.0 * (two - one)


def test_elements_of_other_kinds() -> None:
    texts = made([
        "kinds, events, rows = [], [], []",
        "for k, v in enumerate(x):",
        "    if v > 1: kinds.append('high')",
        "    elif v > 0: kinds.append('low')",
        "    if v > 0: events.append((k, v))",
        "    if v < 1: rows.append(np.array([v, k]))",
        "total = kinds.count('high') * x[0] + len(kinds) + ('low' in kinds) * x[1]",
        "for kind in kinds:",
        "    if kind == 'low': total += x[2]",
        "for k, v in events: total += k * v",
        "return total + np.sum(np.array(rows).mean(axis=0)) + np.array(rows)[0, 0]",
    ])  # fmt: skip
    for x in POINTS:
        require_the_same(texts, x, interpret=True)


def test_removed_numbers_of_known_lists() -> None:
    function = made(
        ["out = [*x, 0.5]", "out.remove(max(out))", "out.remove(0.5)", "return walk(out) * out[1]"]
    )
    for x in POINTS:
        require_the_same(function, x, interpret=True)


def test_batches_of_filled_lists() -> None:
    function = made([*FILLED["stack"].splitlines(), "return sum(out) * len(out)"])
    batch = np.stack(POINTS)
    np.testing.assert_allclose(ad.vmap(ad.grad(function))(batch), [ad.grad(function)(x) for x in batch])


ONE_OBJECT: dict[str, tuple[str, str]] = {
    "another name": (
        "out = names = []\nif x[0] > 0: out.append(x[0])\nreturn len(names)",
        "holds this list",
    ),
    "a caller": (
        "def put(o, v):\n    if v > 0: o.append(v)\nout = [x[1]]\nput(out, x[0])\nreturn sum(out)",
        "holds this list",
    ),
    "an element": (
        "row = [x[0]]\nout = []\nif x[1] < 0: out.append(row)\nrow[0] = 2.0\nreturn sum(map(sum, out))",
        "written later",
    ),
    "one of two": (
        ("out, others = [], [x[0], x[1]]\nif x[0] > 0: out = others\nout.append(x[2])\nreturn sum(others)"),
        "written later",
    ),
    "made in a branch": (
        (
            "if x[0] > 0:\n    row = [x[1]]\n    out = row\nelse: row, out = [x[2]], [x[3]]\nrow[0] = 7.0\n"
            "return out[0]"
        ),
        "written later",
    ),
    "in two places": (
        (
            "if x[0] > 0:\n    row = [x[1]]\n    out = [row, row]\nelse: out = [[x[2]], [x[3]]]\n"
            "out[0][0] = 7.0\nreturn out[1][0]"
        ),
        "written later",
    ),
}


@pytest.mark.parametrize("case", ONE_OBJECT)
def test_lists_that_others_hold_are_refused(case: str) -> None:
    """A write by the other name would not be seen."""
    text, message = ONE_OBJECT[case]
    with pytest.raises(ad.TracingError, match=message):
        ad.jit(made(text.splitlines()), control="rewrite", interpret=True)(POINTS[0])


def test_random_lists() -> None:
    assert sum(agrees(*grown_lists(seed), interpret=True) for seed in range(8)) > 3


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(100, 300))
def test_many_random_lists(seed: int) -> None:
    agrees(*grown_lists(seed), interpret=seed % 6 > 0, control=("rewrite", "auto")[seed % 2])
