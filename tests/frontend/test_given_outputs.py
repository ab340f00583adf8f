"""Arrays that results are written to: `f(x, out=buffer)`."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import mlirad as ad

X = np.array([1.0, 2.0, 3.0])


class Parts(NamedTuple):
    double: Any
    total: Any


def parts(x: Any) -> Parts:
    return Parts({"x": 2 * x}, np.sum(x))


def buffers() -> Parts:
    return Parts({"x": np.empty(3)}, np.empty(()))


@pytest.mark.parametrize("interpret", [False, True])
def test_every_call_writes_there_and_returns_it(interpret: bool) -> None:
    f = ad.jit(parts, interpret=interpret)
    for k in range(4):
        out = buffers()
        x = X + k
        assert f(x, out=out) is out
        np.testing.assert_array_equal(out.double["x"], 2 * x)
        np.testing.assert_array_equal(out.total, np.sum(x))
    np.testing.assert_array_equal(f(X).double["x"], 2 * X)


@pytest.mark.parametrize("layout", ["strided", "reversed", "column"])
def test_strided_buffers_are_copied_into(layout: str) -> None:
    f = ad.jit(lambda x: x + 1)
    for _ in range(4):
        block = np.zeros((6, 2))
        out = {"strided": block[::2, 1], "reversed": block[3:, 0][::-1], "column": block[:3, 1]}[layout]
        assert f(X, out=out) is out
        np.testing.assert_array_equal(out, X + 1)
        assert np.count_nonzero(block) == 3


@pytest.mark.parametrize("shift", [-2, -1, 0, 1, 2])
def test_buffers_may_overlap_arguments(shift: int) -> None:
    """Elements read there are read before they are written."""
    f = ad.jit(lambda x: x[::-1] + np.sum(x))
    for _ in range(4):
        memory = np.arange(10.0)
        x, out = memory[3:6], memory[3 + shift : 6 + shift]
        expected = x[::-1] + np.sum(x)
        f(x, out=out)
        np.testing.assert_array_equal(out, expected)


PARTS = (slice(0, 6), slice(10, 16), slice(5, None, -1), slice(3, 9), slice(8, 20, 2), slice(15, 9, -1))
"""Parts of six elements that may share elements, in one order or another."""


@pytest.mark.parametrize("donate", [(), "a", "b", ("a", "b")])
@pytest.mark.parametrize("kind", ["products", "others", "sums"])
def test_buffers_may_overlap_donated_arguments(kind: str, donate: Any) -> None:
    """A result that lies in a donated argument is read before another one is written over it."""
    functions: dict[str, Any] = {
        "products": lambda a, b: (b * 2.0, a * 3.0),
        "others": lambda a, b: (b, a),
        "sums": lambda a, b: (np.cumsum(b) + a, b * a[0]),
    }
    function = functions[kind]
    f = ad.jit(function, donate=donate)
    places = [(None, p) for p in PARTS] + [(p, None) for p in PARTS] + list(itertools.product(PARTS, PARTS))
    for k, m in itertools.product(PARTS, PARTS):
        for first, second in places:
            memory = np.arange(1.0, 21.0)
            a, b = memory[k], memory[m]
            out = tuple(np.empty(6) if p is None else memory[p] for p in (first, second))
            if np.shares_memory(*out):
                continue
            expected = function(a.copy(), b.copy())
            assert f(a, b, out=out) is out
            np.testing.assert_array_equal(out, expected, err_msg=f"{k}, {m}, to {first}, {second}")


def test_with_names_static_arguments_and_gradients() -> None:
    f = ad.grad(lambda w, x, power: np.sum((w * x) ** power), static_argnames="power")
    out = np.empty(3)
    for k in range(4):
        assert f(X, power=2, x=X + k, out=out) is out
        np.testing.assert_allclose(out, 2 * X * (X + k) ** 2)
        assert f(X, X, 3, out=out) is out
        np.testing.assert_allclose(out, 3 * X**5)


def test_a_parameter_of_the_name_is_the_functions_own() -> None:
    own = ad.jit(lambda x, out: x * out)
    any_name = ad.jit(lambda x, **named: x * named["out"])
    for _ in range(3):
        np.testing.assert_array_equal(own(X, out=X), X * X)
        np.testing.assert_array_equal(any_name(X, out=X), X * X)


def frozen(x: Any) -> Any:
    x.flags.writeable = False
    return x


ONE = np.empty(3)


@pytest.mark.parametrize(
    ("out", "kind", "says"),
    [
        (np.empty(3), ad.ArgumentError, "out must be structured like"),
        (Parts({"x": np.empty(3)}, None), ad.ArgumentError, "out.total is of the type NoneType"),
        (Parts({"x": np.empty(4)}, np.empty(())), ad.ShapeError, r"out.double\['x'\] has shape \(4,\)"),
        (Parts({"x": np.empty(3, np.float32)}, np.empty(())), ad.DtypeError, "has dtype float32"),
        (Parts({"x": frozen(np.empty(3))}, np.empty(())), ad.ArgumentError, "is read-only"),
        (Parts({"x": [1.0]}, np.empty(())), ad.ArgumentError, "is of the type list"),
        (Parts({"x": np.empty(3)}, np.float64(0)), ad.ArgumentError, "out.total is of the type float64"),
        (Parts({"x": np.ma.ones(3)}, np.empty(())), ad.ArgumentError, "is of the type MaskedArray"),
        (Parts({"x": ONE}, ONE[0, ...]), ad.ArgumentError, "share memory"),
        (Parts({"x": as_strided(ONE, (3,), (0,))}, np.empty(())), ad.ArgumentError, "elements that share"),
    ],
)
def test_mistakes_name_the_place_and_the_line(out: Any, kind: type[Exception], says: str) -> None:
    f = ad.jit(parts)
    for warm in range(4):
        if warm:
            f(X, out=buffers())
        with pytest.raises(kind, match=says) as raised:
            f(X, out=out)
        location = raised.value.location  # pyright: ignore[reportAttributeAccessIssue]
        assert location.startswith(__file__)


def test_there_is_no_out_in_a_trace() -> None:
    f = ad.jit(lambda x: x + 1)
    with pytest.raises(ad.ArgumentError, match="outside of traced functions"):
        ad.jit(lambda x: f(x, out=np.empty(3)))(X)
