"""Every refusal says what to do, in plain words, and the code that it shows can be traced."""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
import re
from collections import defaultdict
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.signal
import scipy.sparse.linalg

import mlirad as ad
from tests.docs.prose import UNKNOWN
from tests.hint_code import advice, code_in, refusals

PLACES: dict[str, list[str]] = defaultdict(list)
for place, text in advice():
    for piece in code_in(text):
        PLACES[piece].append(place)

V = np.array([3.0, -1.0, 2.0, 0.5, 1.0])


def square(x: Any) -> Any:
    return np.sum(x * x)


def double(*x: Any) -> Any:
    return 2.0 * x[0] if x else V


STATIC: dict[str, Any] = {
    "np": np, "ad": ad, "scipy": scipy, "f": double, "g": double, "key": np.abs, "body": lambda i, c: c,
    "n": 3, "m": 2, "seed": 3, "shape": (5,), "dtype": np.float32, "float": float, "complex": complex,
    "int": int, "bool": bool, "range": range, "list": list, "value": (1.0, V), "leaves": [1.0, V],
    "subscripts": "i,i->", "Shape": ad.sum_of(1.0, (1.0, 2.0)), "J": ad.linearize(np.sin, V)[1],
    "K": ad.linearize(np.cos, V)[1],
}  # fmt: skip
"""Names that stand for what is known when a function is traced."""

TRACED: dict[str, Any] = {
    **dict.fromkeys(["x", "a", "b", "c", "d", "t", "u", "v", "q", "y0", "xs", "values", "other"], V),
    **dict.fromkeys(["result", "params"], V), **dict.fromkeys(["i", "j", "k"], 1),
    **dict.fromkeys(["mask", "condition"], V > 0),
    "y": V + 1.0, "z": V + 1j, "p": True, "terms": np.ones(3), "mean": 0.0, "scale": 1.0, "rate": 0.1,
    "init": 1.0, "start": 0.0, "x0": 1.0,
}  # fmt: skip
"""Names that stand for traced arrays."""

INTEGERS = np.arange(5)
MATRIX: Any = scipy.sparse.eye_array(5).tolil()
KEY = {"key": ad.random.key(0)}

CONTEXTS: dict[str, dict[str, Any]] = {
    "Shape(number, value)": {"number": 0, "value": 1.0},
    "Shape(0, value)": {"value": 1.0},
    "Shape(value)": {"value": 1.0},
    "[(before, after)] * hole": {"hole": 2, "before": 1, "after": 2},
    "ad.cond(condition, f, g)": {"condition": True},
    "ad.cond(p, lambda: a, lambda: b)": {},
    'ad.debug_print("x = {}, y = {:.3f}", x, y)': {"y": 2.0},
    "J[0, 1]": {"J": ad.linearize(lambda x, y: (x * y, y), 1.0, 2.0)[1]},
    "ad.scan(f, init, xs)": {"f": lambda c, x: (c + x, c)},
    "ad.scan(f, init, length=n)": {"f": lambda c, x: (c + 1.0, c)},
    "np.expand_dims(x, axis)": {"axis": 0},
    "np.expand_dims(indices, axis)": {"indices": INTEGERS, "axis": 0},
    "ad.grad(f)(x)": {"f": square},
    "ad.random.normal(key)": KEY,
    "ad.random.split(key)": KEY,
    "ad.random.split(key, 3)": KEY,
    "ad.while_loop(condition, body, init)": {"condition": lambda c: c < 3, "body": lambda c: c + 1},
    "dict(a)": {"a": {"b": 1.0}},
    "init(params)": {"init": ad.optimize.adam(0.1).init},
    "update(gradients, state, params)": {
        "update": ad.optimize.adamw(0.1).update, "gradients": V, "state": ad.optimize.adamw(0.1).init(V),
    },
    "mean + scale * ad.random.normal(key, shape)": KEY,
    "np.reshape(bits, (-1, 8)) @ 2 ** np.arange(7, -1, -1)": {"bits": np.ones(16, int)},
    "np.sum((np.abs(x)[..., None] >> np.arange(63)) & 1, axis=-1)": {"x": INTEGERS},
    "q = scipy.signal.lfilter(u, v, np.eye(1, len(u) - len(v) + 1)[0])": {"v": np.ones(2)},
    "np.linspace(t0, t1, 100)": {"t0": 0.0, "t1": 1.0},
    "scipy.stats.hypergeom.pmf(k, M, n, N) * odds**k": {"M": 9, "N": 4, "odds": 2.0},
    "t_eval=np.linspace(t0, t1, 100)": {"t0": 0.0, "t1": 1.0},
    "start + step * np.arange(n)": {"step": 0.5},
    "x.to_device('cpu')": {},
    "x**n % m": {"x": INTEGERS},
    "x[::k]": {"k": 2},
    "(x[..., None] >> np.arange(7, -1, -1)) & 1": {"x": INTEGERS},
    "ad.bincount(x, length=n)": {"x": INTEGERS},
    "ad.fori_loop(0, n, step, start)": {"step": lambda i, c: c + i},
    "ad.hvp(f, (x,), (x,))": {"f": square},
    "ad.jet(f, (x,), ([dx, ddx],))": {"f": square, "dx": V, "ddx": V},
    "x[i] = v": {"v": 2.0},
    "y[i] = x": {"x": 1.0},
    "x[np.arange(m)[:, None], np.arange(n)]": {"x": np.ones((5, 5))},
    "x ** -1.0": {"x": INTEGERS},
    "x.astype(np.float64) ** -1": {"x": INTEGERS},
}  # fmt: skip
"""Other values of names by line: those of `STATIC`, and what no array can be, are known, others traced."""

FILLED: dict[str, list[str]] = {
    "ad.hole(f, (x,), (dx,))": ["ad.jvp(f, (x,), (x,))", "ad.hvp(f, (x,), (x,))"],
    "ad.numpy.hole(n)": [f"ad.numpy.{name}(n)" for name in ("zeros", "ones", "empty", "eye", "identity")],
    "hole = ad.asarray(hole)": ["y = ad.asarray(y)"],
    "hole.astype(float)": ["x.astype(float)"],
    "hole(x)": ["np.exp(x)"],
    "hole.real": ["x.real"],
    "hole.hole(x)": ["np.exp(x)", "np.linalg.norm(x)", "scipy.special.erf(x)"],
    "holehole.flags.writeable = False": ["table = table.copy(); table.flags.writeable = False"],
    "x.astype(np.hole)": [f"x.astype(np.{name})" for name in ("float64", "float32", "int64", "int32")],
    "np.empty(hole)": ["np.empty((3, 2))"],
    "lu.solve(b.astype(np.hole))": ["lu.solve(b.astype(np.float64))"],
    "x.to_device(hole)": ["x.to_device('cpu')"],
}
"""The lines with their holes filled, by line."""

OUTSIDE: dict[str, dict[str, Any]] = {
    "a.data": {"a": MATRIX},
    "a.tocsr()": {"a": MATRIX},
    "event.terminal = True": {"event": square},
    "lu.solve(b.astype(np.float64))": {"lu": scipy.sparse.linalg.splu(MATRIX.tocsc()), "b": V},
    "float(x)": {"x": Fraction(1, 2)},
    "out[...] = f(x)": {"out": np.ones(5), "x": V},
    "out[...] = result.astype(dtype)": {"out": np.ones(5), "result": V},
    "sol.y[:, -1]": {"sol": SimpleNamespace(y=np.ones((2, 3)))},
    "sol.y_events": {"sol": SimpleNamespace(y_events=[np.ones((1, 2))])},
    "p.cutdeg(n)": {"p": np.polynomial.Polynomial(V)},
    "p.truncate(n)": {"p": np.polynomial.Polynomial(V)},
    "table = table.copy(); table.flags.writeable = False": {"table": np.ones(3)},
}
"""Lines for code outside of traced functions, with what they need."""

OTHERS = {
    "x.double()": "of PyTorch",
    "x.to_dense()": "of PyTorch",
    "f.split(w, da.from_array(X, chunks=(100_000, -1)))": "of Dask",
    "call(hole)": "source that is written for Python to compile",
    "D({self.name})": "the name of a map",
    "D({self.program.name})": "the name of a map",
}
"""Lines that are not of mlirad, and why."""

LINES = sorted(line for piece in PLACES for line in FILLED.get(piece, [piece]) if piece not in OTHERS)


def is_known(name: str, value: Any) -> bool:
    """Tell whether a value is no traced one."""
    return name in STATIC or callable(value) or (isinstance(value, int) and not isinstance(value, bool))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("line", LINES)
def test_the_code_of_hints_runs(line: str) -> None:
    if line in OUTSIDE:
        exec(line, {**STATIC, **OUTSIDE[line]})
        return
    others = CONTEXTS.get(line, {})
    known = {**STATIC, **{name: value for name, value in others.items() if is_known(name, value)}}
    traced = {name: value for name, value in {**TRACED, **others}.items() if name not in known}
    names = {node.id for node in ast.walk(ast.parse(line)) if isinstance(node, ast.Name)}
    read = sorted(names & traced.keys())
    source = f"def line({', '.join(read)}):\n    {line}\n    return 0.0\n"
    linecache.cache["<hint>"] = (len(source), None, source.splitlines(keepends=True), "<hint>")
    exec(compile(source, "<hint>", "exec"), known)
    with contextlib.redirect_stdout(io.StringIO()):
        ad.trace(known["line"], *(traced[name] for name in read))


def test_no_context_is_left_over() -> None:
    assert set(FILLED) | set(OTHERS) <= set(PLACES)
    assert set(CONTEXTS) | set(OUTSIDE) <= set(LINES)


JARGON = re.compile(
    r"(?<!there )\b(is|are|be) no (?!longer)|\bis none\b"
    rf"|\bwritten out\b|{UNKNOWN.pattern}"
)
"""Words that only those who wrote the compiler understand, and negations that nobody says."""


def test_every_refusal_says_what_to_do_in_plain_words() -> None:
    found = list(refusals())
    assert len(found) > 500
    assert [place for place, _, hint in found if hint is None] == []
    texts = [(place, text) for place, *both in found for text in both if text]
    assert [(place, text) for place, text in texts if JARGON.search(text)] == []
