"""Traced values written into arrays of NumPy that the function makes: values, derivatives, or an error."""

from __future__ import annotations

import copy
import operator
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy import eye, zeros

import mlirad as ad

X = np.array([0.3, -0.2, 0.5])
TABLE = np.array([1.0, 2.0, 3.0])


class Filter:
    """Makes arrays in its constructor, in operators and in properties, and writes into them elsewhere."""

    def __init__(self) -> None:
        self.buffer = zeros(3)
        self.calls = 0

    def step(self, x: Any) -> Any:
        self.calls += 1
        self.buffer[0] += x[0]
        self.buffer[self.calls] = x[1]
        return np.sum(self.buffer**2)

    def __add__(self, x: Any) -> Any:
        made = np.zeros(2)
        made[1] = x[1]
        return np.sum(made**2)

    @property
    def fresh(self) -> Any:
        return np.ones((2, 2))


@dataclass
class State:
    values: Any = field(default_factory=lambda: np.zeros(3))


FILTER = Filter()


def helper(target: Any, x: Any) -> Any:
    target[0] = x[0]
    return target


def views(x: Any) -> Any:
    """A view that is made before the first write sees it, and so do all other names."""
    a = zeros((3, 3))
    old, row, turned = a[:2], a[1], a.T
    a[0, 1] = x[0]
    row[2] = x[1]
    turned[2, 2] = x[2]
    return np.sum(old**2) + 2 * np.sum(a) + row[2] * old[0, 1]


def held(x: Any) -> Any:
    """An array held by a list, a dictionary, a closure and an object."""
    a = np.ones(3)
    table, items, space = {"a": a}, [a, a], State(a)
    table["a"][0] = x[1]
    items[1][1] = x[0]
    space.values[2] = x[2] * x[0]
    return np.sum(np.sin(a)) * (lambda: a.sum())() + items[0] @ a


def rows(x: Any) -> Any:
    total = np.zeros(3)
    for k in range(3):
        row = np.zeros(3)
        row[k] = x[k] ** 2
        total += row
    return np.sum(total * x)


def sizes(x: Any) -> Any:
    """One function makes what is written and what is a size."""

    def make(n: int) -> Any:
        return np.zeros(n, int if n == 2 else float)

    a, b = make(3), make(2)
    b[0] = 3
    a[1] = x[1]
    return np.sum(a**2) * b[0] + len(range(b[0])) * x[0]


def matrix(x: Any) -> Any:
    t = 2 * eye(3)
    t[:, 1] = x
    t += x[0]
    return np.sum(np.linalg.inv(t + t.T))


def nested(x: Any) -> Any:
    def one(y: Any) -> Any:
        a = np.zeros(2)
        a[0], a[1] = y, y**2
        return np.prod(a)

    return np.sum(ad.vmap(one)(x)) + ad.grad(one)(x[0]) + ad.fori_loop(0, 2, lambda k, c: c + one(c), x[1])


def masks(x: Any) -> Any:
    a = np.zeros((3, 2))
    a[np.array([0, 2]), 1] = x[:2]
    a[a == 0] = x[2]
    flags = np.zeros(3, bool)
    flags[1] = x[0] > 0
    return np.sum(a**2) + np.sum(np.where(flags, x, 2 * x))


def swallowed(x: Any) -> Any:
    """The program catches what ends the trace."""
    a = np.zeros(2)
    for k in range(2):
        try:
            a[k] = x[k]
        except BaseException:
            a[k] = 17.0
    return np.sum(a**2)


def out(x: Any) -> Any:
    a, b, c = np.zeros(3), np.empty(3), np.empty((3, 3))
    np.add(x, 1.0, out=a)
    np.cumsum(x, out=b)
    np.outer(x, x, out=c)
    return np.sum(a * b) + np.sum(c)


def functions(x: Any) -> Any:
    a, b, c, d = np.zeros(3), np.zeros(3), np.zeros((3, 3)), np.zeros(3)
    np.copyto(a, x)
    np.add.at(b, [0, 0], x[:2])
    np.fill_diagonal(c, x)
    np.put(d, [1], x[2])
    e = np.zeros(2)
    e.fill(x[0])
    return np.sum(a**2) + np.sum(b**2) + np.sum(c**3) + np.sum(d**2) + np.sum(e)


WRITES: dict[str, Callable[[Any], Any]] = {
    "views": views, "held": held, "rows": rows, "sizes": sizes, "matrix": matrix, "nested": nested,
    "masks": masks, "swallowed": swallowed, "out": out, "functions": functions,
    "object": lambda x: (lambda f: f.step(x) + f.step(x))(Filter()), "operator": lambda x: FILTER + x,
    "helper": lambda x: np.sum(helper(np.ones(2), x) ** 2),
    "factory": lambda x: helper(State().values, x) @ x,
    "copy": lambda x: helper(TABLE.copy(), x) @ x, "method": lambda x: helper(TABLE.astype(float), x)[0],
    "like": lambda x: helper(np.ones_like(TABLE), x) @ x, "sum": lambda x: helper(TABLE + 1, x) @ x,
    "negative": lambda x: helper(-TABLE, x) @ x, "chosen": lambda x: helper(TABLE[[0, 2, 1]], x) @ x,
    "reshaped": lambda x: np.linalg.det(helper(np.arange(9.0).reshape(3, 3), x) + np.eye(3)),
    "fortran": lambda x: helper(np.asfortranarray(np.arange(6.0).reshape(2, 3)), x) @ x,
    "part": lambda x: helper(np.zeros((3, 3))[1:], x)[0] @ x,
    "array": lambda x: helper(np.array([1.0, 2.0]), x) @ x[1:],
    "full": lambda x: helper(np.full((2,), 3.0), x) @ x[1:],
    "linspace": lambda x: helper(np.linspace(0, 1, 3), x) @ x,
    "comprehension": lambda x: [helper(a, x) for a in [np.zeros(2) for _ in range(2)]][1] @ x[1:],
    "list in array": lambda x: np.sum(np.array(helper([0.0, 1.0], x)) ** 2),
    "copied": lambda x: copy.copy(helper(zeros(2), x)), "int": lambda x: helper(np.arange(3), 9 * x) * x,
    "outer product": lambda x: helper(np.outer(TABLE, TABLE), x) @ x,
    "complex": lambda x: np.abs(helper(np.zeros(2, complex), x * 1j)) ** 2,
    "float32": lambda x: helper(np.zeros(2, np.float32), x), "empty": lambda x: helper(np.empty(1), x) * 2,
    "rank 0": lambda x: (lambda a: a.__setitem__((), x[0]) or a)(np.zeros(())),
    "setitem": lambda x: (lambda a: operator.setitem(a, 1, x[0]) or a)(np.zeros(2)),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITES)
def test_writes(name: str) -> None:
    function = WRITES[name]
    want = np.asarray(function(X))
    got = ad.jit(function, interpret=True)(X)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=1e-6 if want.dtype == np.float32 else 1e-12)
    slope = ad.jacobian(function, interpret=True)(X)
    step = 1e-3 if want.dtype == np.float32 else 1e-6
    if want.dtype.kind == "f" and name != "int":
        moved = [np.asarray(function(X + s * e)) for e in np.eye(3) for s in (step, -step)]
        difference = np.stack(
            [(a - b) / (2 * step) for a, b in zip(moved[::2], moved[1::2], strict=True)], -1
        )
        np.testing.assert_allclose(slope, difference, rtol=2e-3 if step > 1e-4 else 1e-6, atol=1e-6)


@pytest.mark.parametrize("seed", range(30))
def test_random_programs(seed: int) -> None:
    """Writes, reads and views of several arrays, in any order, agree with NumPy.

    The differences are those of the program with the masks that it has at `X`: it jumps where an element is
    on the edge of a mask.
    """
    draw = np.random.default_rng(seed)
    steps = [(int(k), *map(int, draw.integers(0, 3, 4))) for k in draw.integers(0, 9, 12)]

    def function(x: Any, chosen: Callable[[Any], Any] = lambda mask: mask) -> Any:
        made = [np.zeros((3, 3)), np.ones(3) * 2, np.arange(9.0).reshape(3, 3)]
        total = 0.0 * x[0]
        for kind, a, b, i, j in steps:
            one, other = made[a], made[b % len(made)]
            match kind:
                case 0:
                    one[i] = x[j] * 2
                case 1:
                    one[..., j] += x[i]
                case 2:
                    made.append(one[1:])
                case 3:
                    made.append(other.T)
                case 4:
                    total = total + np.sum(one * (i + 1)) * x[j]
                case 5:
                    one *= 0.5
                case 6:
                    made.append(other.copy())
                case 7:
                    one[chosen(one > 1.5)] = x[i]
                case _:
                    made[a] = one + other if one.shape == other.shape else one
        return total + sum(np.sum(m**2) for m in made)

    masks: list[Any] = []
    want = function(X, lambda mask: masks.append(mask) or mask)
    try:
        got, slope = ad.value_and_grad(function, interpret=True)(X)
    except ad.MliradError as error:
        assert "traced mask" in str(error) or "order in memory" in str(error) or "may be" in str(error)
        return
    np.testing.assert_allclose(got, want, rtol=1e-12)

    def piece(x: Any) -> Any:
        same = iter(masks)
        return function(x, lambda mask: next(same))

    found = [(piece(X + 1e-6 * e) - piece(X - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
    np.testing.assert_allclose(slope, found, rtol=1e-5, atol=1e-5)


CACHE: dict[str, Any] = {}


def cached() -> Any:
    if "b" not in CACHE:
        CACHE["b"] = np.zeros(3)
    return CACHE["b"]


OUTSIDE: dict[str, tuple[Callable[[Any], Any], type[Exception]]] = {
    "captured": (lambda x: helper(TABLE, x), ad.TracingError),
    "in an object": (lambda x: helper(FILTER.buffer, x), ad.TracingError),
    "the same": (lambda x: helper(np.asarray(TABLE), x), ad.TracingError),
    "a view": (lambda x: helper(TABLE.reshape(3, 1), x), ad.TracingError),
    "cached": (lambda x: helper(cached(), x), ad.TracingError),
    "overlapping": (
        lambda x: helper(np.lib.stride_tricks.as_strided(np.zeros(5), (3, 3), (8, 8)), x), ad.TracingError,
    ),
    "read-only": (lambda x: helper(np.broadcast_to(np.zeros(1), (3,)), x), ValueError),
    "flat": (lambda x: TABLE.flat.__setitem__(0, x[0]), ad.TracingError),
    "fill": (lambda x: TABLE.fill(x[0]), ad.TracingError),
    "+=": (lambda x: TABLE.__iadd__(x), ad.MliradError),
    "made by a property": (lambda x: helper(FILTER.fresh, x), ad.TracingError),
    "position": (lambda x: TABLE.__setitem__(np.argmax(x), 1.0), ad.TracingError),
    "strings": (lambda x: helper(np.zeros(2, "U3"), x), ad.TracingError),
}  # fmt: skip


@pytest.mark.parametrize("name", OUTSIDE)
def test_what_was_there_before_is_never_written(name: str) -> None:
    """It is an error at the user's line, and nothing is changed."""
    function, error = OUTSIDE[name]
    with pytest.raises(error) as raised:
        ad.jit(function, interpret=True)(X)
    if isinstance(raised.value, ad.MliradError):
        assert "test_adopted_arrays.py:" in str(raised.value) and raised.value.hint
    np.testing.assert_array_equal(TABLE, [1.0, 2.0, 3.0])
    assert type(TABLE) is np.ndarray and not FILTER.buffer.any()


def test_arrays_that_nothing_is_written_into_stay_numbers() -> None:
    seen: list[type] = []

    def function(x: Any) -> Any:
        shape, a, b = np.array([2, 2]), np.zeros(2), np.zeros(2)
        a[0] = x[0]
        seen.append(type(b))
        return np.sum(a) * float(b[1] + 1) + np.sum(np.ones(shape)) * x[1] + (3.0 if b[0] == 0 else x[0])

    np.testing.assert_allclose(ad.grad(function, interpret=True)(X), [1.0, 4.0, 0.0])
    assert set(seen) == {np.ndarray}


def test_under_a_profiler() -> None:
    """The interpreter counts one reference more there."""
    sys.setprofile(lambda *_: None)
    try:
        found = ad.grad(lambda x: np.sum(helper(np.zeros(2), x) ** 2), interpret=True)(X)
    finally:
        sys.setprofile(None)
    np.testing.assert_allclose(found, [0.6, 0.0, 0.0])


def test_rewritten_functions() -> None:
    def function(x: Any) -> Any:
        a = np.zeros(3)
        for k in range(3):
            if x[k] > 0:
                a[k] = x[k] ** 2
        return a

    found = ad.jacobian(function, control="rewrite", interpret=True)(X)
    np.testing.assert_allclose(found, np.diag([0.6, 0.0, 1.0]))


def _written(s: Any, x: Any) -> Any:
    s[1:] += x[1:]
    return s


MADE_ANEW: dict[str, Callable[[], Callable[[Any], Any]]] = {
    "zeros": lambda: lambda x: _written(np.zeros(3), x),
    "sum": lambda: lambda x: _written(np.zeros(3) + 1, x),
    "full": lambda: lambda x: _written(np.full(3, 2.0), x),
    "product": lambda: lambda x: _written(np.arange(3.0) * 2, x),
    "part": lambda: lambda x: _written(np.ones(4)[1:], x),
    "negative": lambda: lambda x: _written(-np.eye(3)[0], x),
    "copy": lambda: lambda x: _written(ONES.copy(), x),
}
ONES = np.ones(3)


@pytest.mark.parametrize("name", MADE_ANEW)
def test_functions_made_anew_whose_helper_has_asked_before(name: str) -> None:
    """The helper asks from the first of them on; the others do not ask yet where they make the array."""
    made = MADE_ANEW[name]
    x = np.array([0.5, 1.5, 2.5])
    for _ in range(3):
        np.testing.assert_allclose(ad.jit(made())(x), made()(x))
        slope = ad.grad(lambda x: np.sum(made()(x) ** 2))(x)
        np.testing.assert_allclose(slope, 2 * np.r_[0.0, made()(x)[1:]])
