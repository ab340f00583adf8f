"""Arrays that calls get as arguments under a traced condition, and write."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest

import mlirad as ad

CALLS = (
    "np.negative(y, y)", "np.sin(x, y)", "np.sin(x, y[:])", "np.add(y[1:], 1.0, y[1:])",
    "np.copyto(y, x + 1.0)",
    "np.put(y, [1], x[0])", "np.add.at(y, [0, 0], x[1])", "np.place(y, y > 0, [1.0])",
    "np.putmask(y, y > 1.5, 0.0)",
    "np.clip(y, 0.0, 1.0, y)", "np.fill_diagonal(z, x[1])", "written(y)", "written(y=y)", "written(z[1])",
)  # fmt: skip

STATEMENTS = (
    "if x[0] > 0:\n        {}",
    "while x[0] > n:\n        {}\n        n += 1",
    "for k in range(20):\n        if x[0] > k:\n            {}",
)


def written(y: Any) -> None:
    y[0] = 7.0 * y[1]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_writes_show(statement: str, call: str) -> None:
    body = statement.format(call)
    text = f"def f(x):\n    y, z, n = x * 0.5, np.outer(x, x), 0\n    {body}\n    return y * x[2] + z[0]\n"
    file = f"<written {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"np": np, "written": written}
    exec(compile(text, file, "exec"), names)
    f = names["f"]
    for x in (np.array([1.5, 2.0, 0.3]), np.array([-1.5, 2.0, 0.3])):
        np.testing.assert_allclose(ad.jit(f, control="rewrite", interpret=True)(x), f(x), rtol=1e-14)
