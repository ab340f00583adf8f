"""Every way to write, to arrays of rank 0, to views of one element and under `vmap`: nothing is lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad

pytestmark = pytest.mark.filterwarnings("ignore::mlirad.CaptureWarning")

POINTS = (2.0, -1.5)

WRITES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "o[m] = v": lambda o, m, v: o.__setitem__(m, v),
    "o[m] = [v]": lambda o, m, v: o.__setitem__(m, v[None] if isinstance(v, ad.Array) else [v]),
    "o[m, ...] = v": lambda o, m, v: o.__setitem__((m, ...), v),
    "o[..., m] = v": lambda o, m, v: o.__setitem__((..., m), v),
    "o[None, m] = v": lambda o, m, v: o.__setitem__((None, m), v),
    "o[m] += v": lambda o, m, v: o.__setitem__(m, o[m] + v),
    "o[m] = w[m]": lambda o, m, v: o.__setitem__(m, (v * 2)[m] if isinstance(v, ad.Array) else v * 2),
    "o[()] = v": lambda o, m, v: o.__setitem__((), v),
    "o[...] = v": lambda o, m, v: o.__setitem__(..., v),
    "o[...] += v": lambda o, m, v: o[...].__iadd__(v),
    "o.flat[0] = v": lambda o, m, v: o.flat.__setitem__(0, v),
    "o.fill(v)": lambda o, m, v: o.fill(v),
    "o.put(0, v)": lambda o, m, v: o.put(0, v),
    "out=": lambda o, m, v: np.add(o, v, out=o[...]),
    "where=": lambda o, m, v: np.add(o, v, out=o[...], where=m),
    "np.copyto": lambda o, m, v: np.copyto(o, v, where=m),
    "np.putmask": lambda o, m, v: np.putmask(o, m, v),
    "np.place": lambda o, m, v: np.place(o, m, v),
    "np.put": lambda o, m, v: np.put(o, [0], v),
    "np.add.at(o, m, v)": lambda o, m, v: np.add.at(o, m, v),
    "np.multiply.at(o, m, v)": lambda o, m, v: np.multiply.at(o, m, v),
    "np.negative.at(o, m)": lambda o, m, v: np.negative.at(o, m),
    "np.add.at(o, (), v)": lambda o, m, v: np.add.at(o, (), v),
    "np.nan_to_num": lambda o, m, v: np.nan_to_num(o, copy=False),
    "o[m][...] = v": lambda o, m, v: o[...].__setitem__(m, v),
}  # fmt: skip


def of_rank_zero(write: Callable[..., Any]) -> Callable[..., Any]:
    def function(x: Any, m: Any) -> Any:
        o = x * 3.0 if isinstance(x, ad.Array) else np.array(x * 3.0)
        other = o[..., None]
        write(o, m, 5.0 * x)
        return o, other

    return function


def of_an_element(write: Callable[..., Any]) -> Callable[..., Any]:
    def function(x: Any, m: Any) -> Any:
        row = np.stack([x, x * 3.0, x])
        write(row[1, ...], m, 5.0 * x)
        return row

    return function


@pytest.mark.parametrize("place", [of_rank_zero, of_an_element], ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", WRITES)
def test_as_numpy(name, place):
    function = place(WRITES[name])
    for x in POINTS:
        expected = function(x, np.bool_(x > 0))
        compiled = {
            "a traced mask": ad.jit(lambda x: function(x, x > 0), interpret=True)(x),
            "a static mask": ad.jit(lambda x, m=x > 0: function(x, np.bool_(m)), interpret=True)(x),
        }
        for what, found in compiled.items():
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_array_equal(one, other, what)
                assert np.shape(one) == np.shape(other)


@pytest.mark.parametrize("name", WRITES)
def test_in_batches_and_derivatives(name):
    function = of_rank_zero(WRITES[name])

    def masked(x: Any) -> Any:
        return function(x, x > 0)[0]

    expected = [function(x, np.bool_(x > 0))[0] for x in POINTS]
    np.testing.assert_array_equal(ad.vmap(masked, interpret=True)(np.array(POINTS)), expected)
    slopes = [(function(x + 1e-6, x > 0)[0] - function(x - 1e-6, x > 0)[0]) / 2e-6 for x in POINTS]
    found = [ad.grad(masked, interpret=True)(x) for x in POINTS]
    np.testing.assert_allclose(found, slopes, atol=1e-6)


def test_updated_copies():
    for x in POINTS:
        for m in (lambda x: x > 0, lambda x: np.bool_(x is not None), lambda x: False):
            found = ad.jit(
                lambda x, m=m: (x.at[m(x)].set(5.0), x.at[m(x)].add(5.0), x.at[m(x)].multiply(5.0)),
                interpret=True,
            )(x)
            assert found == ((5.0, x + 5.0, 5.0 * x) if m(x) else (x, x, x))


KEYS: list[Any] = [
    True, False, np.True_, np.array(False), (True, 0), (0, True), (..., True), (True, ...), (None, True),
    (slice(1, None), True), (True, slice(1, None)), (True, [0, 1]), ([0], True, [1]), (True, True),
    (True, np.array([True, False])), ([[True, False, True], [False, True, True]], True), (False, [0]),
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_static_booleans_in_keys(key):
    x = np.arange(6.0).reshape(2, 3)

    def written(x: Any) -> Any:
        x[key] = 7.0
        return x

    found = ad.jit(lambda x: x[key], interpret=True)(x)
    np.testing.assert_array_equal(found, x[key])
    assert found.shape == x[key].shape
    np.testing.assert_array_equal(ad.jit(written, interpret=True)(x), written(x.copy()))
    np.testing.assert_array_equal(ad.jit(lambda x: x.at[key].set(7.0), interpret=True)(x), written(x.copy()))
