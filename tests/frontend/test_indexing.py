"""Indexing of traced arrays against NumPy: random keys, static and traced positions, reading and writing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mlirad as ad


def run(function: Any, *args: Any) -> Any:
    return ad.jit(function, interpret=True)(*args)


def numbered(shape: tuple[int, ...]) -> Any:
    return 1.0 + np.arange(float(np.prod(shape))).reshape(shape)


@st.composite
def keyed(draw: Any) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """A shape and a key that NumPy accepts for it."""
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    space = draw(st.sampled_from([(), (2,), (3, 2)]))
    entries: list[Any] = []
    for extent in shape[: draw(st.integers(0, len(shape)))]:
        kind = draw(st.sampled_from(["int", "slice", "array", "column", "new"]))
        if kind == "new":
            entries.append(None)
            kind = "slice"
        bound = st.none() | st.integers(-extent - 1, extent + 1)
        if kind == "int":
            entries.append(draw(st.integers(-extent, extent - 1)))
        elif kind == "slice":
            entries.append(slice(draw(bound), draw(bound), draw(st.sampled_from([None, 1, 2, -1, -2]))))
        else:
            own = space if kind == "array" else space[:-1] + (1,) * bool(space)
            size = int(np.prod(own))
            values = draw(st.lists(st.integers(-extent, extent - 1), min_size=size, max_size=size))
            entries.append(np.array(values, np.int64).reshape(own))
    consumed = sum(e is not None for e in entries)
    if draw(st.booleans()) and consumed <= len(shape):
        entries.insert(draw(st.integers(0, len(entries))) if consumed == len(shape) else len(entries), ...)
    return shape, tuple(entries)


def traced_key(key: tuple[Any, ...], which: int) -> tuple[Any, list[Any]]:
    """A function that puts traced positions in the places of the key's integers, and these integers."""
    places = [k for k, item in enumerate(key) if isinstance(item, int | np.ndarray)]
    chosen = [k for n, k in enumerate(places) if which >> n & 1]

    def rebuild(values: tuple[Any, ...]) -> tuple[Any, ...]:
        made = list(key)
        for k, value in zip(chosen, values, strict=True):
            made[k] = value
        return tuple(made)

    return rebuild, [np.asarray(key[k]) for k in chosen]


@given(keyed(), st.integers(0, 15))
def test_reading(shape_and_key, which):
    shape, key = shape_and_key
    x = numbered(shape)
    rebuild, traced = traced_key(key, which)
    actual = run(lambda x, *at: x[rebuild(at)], x, *traced)
    np.testing.assert_array_equal(actual, x[key])


@given(keyed(), st.integers(0, 15), st.booleans())
def test_writing(shape_and_key, which, adds):
    shape, key = shape_and_key
    x = numbered(shape)
    values = -numbered(x[key].shape)
    rebuild, traced = traced_key(key, which)

    def write(x: Any, values: Any, *at: Any) -> Any:
        place = x.at[rebuild(at)]
        return place.add(values) if adds else place.set(values)

    expected = x.copy()
    if adds:
        np.add.at(expected, key, values)
    else:
        expected[key] = values
    np.testing.assert_array_equal(run(write, x, values, *traced), expected)


@given(keyed(), st.integers(0, 15))
def test_gradient_of_reading_scatters(shape_and_key, which):
    shape, key = shape_and_key
    x = numbered(shape)
    weights = numbered(x[key].shape)
    rebuild, traced = traced_key(key, which)
    gradient = ad.grad(lambda x, *at: np.sum(x[rebuild(at)] * weights), interpret=True)(x, *traced)
    expected = np.zeros(shape)
    np.add.at(expected, key, weights)
    np.testing.assert_array_equal(gradient, expected)


def test_masks_are_static():
    x, mask = numbered((3, 4)), np.arange(12).reshape(3, 4) % 3 == 0
    np.testing.assert_array_equal(run(lambda x: x[mask], x), x[mask])
    np.testing.assert_array_equal(run(lambda x: x[mask[0][:3]], x), x[mask[0][:3]])
    np.testing.assert_array_equal(run(lambda x: x[:, mask[0]], x), x[:, mask[0]])


@pytest.mark.parametrize("position", [3, -4, 99, -99])
def test_traced_positions_outside_read_zero_and_write_nothing(position):
    x = numbered((3,))
    assert run(lambda x, i: x[i], x, position) == 0.0
    np.testing.assert_array_equal(run(lambda x, i: x.at[i].set(7.0), x, position), x)
    np.testing.assert_array_equal(run(lambda x, i: x.at[i].add(7.0), x, position), x)
    np.testing.assert_array_equal(ad.grad(lambda x, i: x[i], interpret=True)(x, position), np.zeros(3))
    both = np.array([position, 1])
    np.testing.assert_array_equal(run(lambda x, at: x[at], x, both), [0.0, 2.0])
    np.testing.assert_array_equal(run(lambda x, at: x.at[at].set(7.0), x, both), [1.0, 7.0, 3.0])


def test_negative_traced_positions_count_from_the_end():
    x = numbered((3,))
    assert run(lambda x, i: x[i], x, -1) == 3.0
    assert run(lambda x, i: ad.index(x, (i,)), x, -1) == 0.0


def test_assignment_rebinds_the_name_and_leaves_the_argument_alone():
    x = numbered((3,))

    def write(x: Any) -> Any:
        before = x.copy()
        x[1] = 10.0
        x[2] += 5.0
        return before, x

    before, after = run(write, x)
    np.testing.assert_array_equal(before, [1, 2, 3])
    np.testing.assert_array_equal(after, [1, 10, 8])
    np.testing.assert_array_equal(x, [1, 2, 3])


def test_guards_vanish_where_the_index_is_inside():
    text = ad.jit(lambda x: ad.build((3,), lambda i: x[i])).ir(np.ones(3), after="mlirad-canonicalize")
    assert "select" not in text
    text = ad.jit(lambda x: ad.build((3,), lambda i: x[i * i])).ir(np.ones(3), after="mlirad-canonicalize")
    assert "select" in text


def test_iteration_length_and_unpacking():
    x = numbered((2, 3))
    assert run(lambda x: sum(np.sum(row) * k for k, row in enumerate(x)) + len(x), x) == 15.0 + 2
    first, second = run(tuple, x)
    np.testing.assert_array_equal(first, x[0])
    np.testing.assert_array_equal(second, x[1])
