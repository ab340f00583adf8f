"""An array that a variable or a part of one held before a branch or loop replaced it, written behind that.

The program's way decides what the holder is then, so the write may show in it: it does as in Python, or is
refused.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import mlirad as ad
from tests.generators.python_control import defined

HOLDERS = {
    "u = v": "u",
    "u = [v, x]": "u[0]",
    "u = [[v], x]": "u[0][0]",
    "u = {'p': v}": "u['p']",
    "u = (x, [v])": "u[1][0]",
    "u = [v[::-1]]": "u[0]",
    "u = Box(v)": "u.limit",
    "u = [Box(v)]": "u[0].limit",
}
"""The place where a holder holds v, by the statement that makes the holder."""

STATEMENTS = {
    "if": ["if x > 0.5:", "    PLACE = w"],
    "while": ["k = 0", "while k < n and x > 0.5:", "    k += 1", "    PLACE = w"],
    "for": ["for k in range(n):", "    PLACE = w * k"],
    "for with break": ["for k in range(20):", "    if x < 0.5: break", "    PLACE = w"],
    "branch in a loop": ["for k in range(n):", "    if x > 0.5:", "        PLACE = w"],
}
"""Statements that may replace what the holder holds."""

WRITES = {"by its name": "v[1] = 0.25", "by a part": "s[0] = 0.25", "of the new array": "w[1] = 0.25"}

CASES = list(itertools.product(HOLDERS, STATEMENTS, WRITES))


@pytest.mark.parametrize("case", CASES, ids=" | ".join)
def test_writes_show_or_are_refused(case: tuple[str, str, str]) -> None:
    made, statement, write = case
    place = HOLDERS[made]
    lines = [
        "def held(x, n):",
        "    v = np.zeros(3) + x",
        "    w = np.arange(3) * x",
        "    s = v[1:]",
        f"    {made}",
    ]
    lines += [f"    {line.replace('PLACE', place)}" for line in STATEMENTS[statement]]
    lines += [f"    {WRITES[write]}", f"    return {place}, v, w"]
    held, text = defined("held", lines, f"<held {case}>")
    compiled = ad.jit(held, interpret=True, control="rewrite")
    for x, n in ((0.4, 3), (0.9, 2), (0.9, 0)):
        try:
            found = compiled(x, n)
        except ad.TracingError as error:
            assert error.hint
            return
        for one, other in zip(found, held(x, n), strict=True):
            np.testing.assert_allclose(one, other, err_msg=text)
