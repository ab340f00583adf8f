"""Random structures as arguments, results, carries, tangents: compared leaf by leaf with what NumPy says."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from tests.generators.structures import children_of, is_static, leaves_of, mapped, structure

RTOL = 1e-5  # some leaves have single precision


def is_float(leaf: Any) -> bool:
    return np.asarray(leaf).dtype.kind == "f" if not hasattr(leaf, "value") else leaf.dtype.kind == "f"


def require_equal(found: Any, expected: Any) -> None:
    """Require the same classes, keys in the same order, static values and leaves."""
    opened = children_of(expected)
    if opened is None:
        if is_static(expected):
            assert found is expected
            return
        kind = np.asarray(expected).dtype
        assert (np.asarray(found).dtype, np.shape(found)) == (kind, np.shape(expected))
        np.testing.assert_allclose(found, expected, rtol=RTOL, atol=1e-6)
        return
    assert type(found) is type(expected)
    for name in ("name", "power", "label"):
        assert getattr(found, name, None) == getattr(expected, name, None)
    if isinstance(expected, dict):
        assert list(found) == list(expected)
    parts = children_of(found)
    assert parts is not None
    assert len(parts[0]) == len(opened[0])
    for one, other in zip(parts[0], opened[0], strict=True):
        require_equal(one, other)


def energy(value: Any) -> Any:
    """A number that every float counts in."""
    total = 0.0
    for k, leaf in enumerate(leaves_of(value)):
        if is_float(leaf):
            total = total + (1.0 + 0.25 * k) * np.sum(np.sin(leaf) * leaf)
    return total


def slope_of(value: Any) -> Any:
    """Its gradient, by hand."""
    weights = iter(range(1000))

    def slope(leaf: Any) -> Any:
        weight = 1.0 + 0.25 * next(weights)
        x = np.asarray(leaf)
        return ((np.cos(x) * x + np.sin(x)) * weight).astype(x.dtype) if is_float(leaf) else None

    return mapped(slope, value)


def along(value: Any, direction: Any) -> float:
    """The slope of `energy` in a direction."""
    pairs = zip(leaves_of(slope_of(value)), leaves_of(direction), strict=True)
    return sum(float(np.sum(np.asarray(a, float) * np.asarray(b, float))) for a, b in pairs)


def direction_of(value: Any) -> Any:
    """A tangent, which is `None` for integers and booleans."""
    return mapped(
        lambda leaf: (
            np.cos(np.asarray(leaf) * 3.0).astype(np.asarray(leaf).dtype) if is_float(leaf) else None
        ),
        value,
    )


def known(value: Any) -> Any:
    """Python's numbers as NumPy's."""
    return mapped(lambda leaf: np.asarray(leaf)[()], value)


def judge(seed: int) -> None:
    """One structure through every transformation."""
    value, other = structure(seed), structure(seed + 10_000)
    require_equal(ad.jit(lambda v: v, interpret=True)(value), known(value))
    slope, direction = slope_of(value), direction_of(value)
    found, gradient = ad.value_and_grad(energy, interpret=True)(value)
    np.testing.assert_allclose(found, energy(value), rtol=RTOL, atol=1e-6)
    require_equal(gradient, slope)
    both = ad.grad(lambda a, x, b: energy(a) * x + energy(b), argnums=(2, 0), interpret=True)(
        value, 1.0, other
    )
    require_equal(both, (slope_of(other), slope))
    (_, aux), gradient = ad.value_and_grad(lambda v: (energy(v), v), has_aux=True, interpret=True)(value)
    require_equal((gradient, aux), (slope, known(value)))
    _, pushed = ad.jvp(energy, (value,), (direction,), interpret=True)
    np.testing.assert_allclose(pushed, along(value, direction), rtol=1e-4, atol=1e-4)
    _, back = ad.vjp(energy, value, interpret=True)
    require_equal(back(1.0), (slope,))
    sines = lambda v: mapped(lambda leaf: np.sin(leaf) if is_float(leaf) else leaf, v)  # noqa: E731
    _, image = ad.jvp(sines, (value,), (direction,), interpret=True)
    curved = mapped(lambda leaf, d: np.cos(leaf) * d if is_float(leaf) else None, known(value), direction)
    require_equal(image, curved)


def judge_floats(seed: int) -> None:
    """A structure of floats as a carry, a batch, a vector, a branch; its second derivatives."""
    value = known(structure(seed, kinds="fz"))
    direction = direction_of(value)
    carried, rows = ad.jit(
        lambda v: ad.scan(lambda c, x: (mapped(lambda leaf: leaf * x, c), c), v, np.array([2.0, 3.0])),
        interpret=True,
    )(value)
    require_equal(carried, mapped(lambda leaf: leaf * 6.0, value))
    require_equal(rows, mapped(lambda leaf: np.stack([leaf, leaf * 2.0]), value))
    batch = mapped(lambda leaf: np.stack([leaf, leaf * 0.5, leaf - 1.0]), value)
    slopes = ad.vmap(ad.grad(energy, interpret=True), interpret=True)(batch)
    for k in range(3):
        member = operator.itemgetter(k)
        require_equal(mapped(member, slopes), slope_of(mapped(member, batch)))
    vector, unravel = ad.tree.ravel(value)
    require_equal(unravel(vector), value)
    raveled = np.concatenate([np.ravel(leaf) for leaf in leaves_of(value)])  # except for the order of keys
    np.testing.assert_array_equal(np.sort(vector), np.sort(raveled))
    chosen = ad.jit(lambda v, x: ad.cond(x > 0, lambda: v, lambda: mapped(np.cos, v)), interpret=True)
    require_equal(chosen(value, 1.0), value)
    require_equal(chosen(value, -1.0), mapped(np.cos, value))
    step = mapped(lambda leaf, d: leaf + 1e-6 * d, value, direction)
    before = mapped(lambda leaf, d: leaf - 1e-6 * d, value, direction)
    difference = mapped(lambda a, b: (a - b) / 2e-6, slope_of(step), slope_of(before))
    products = ad.hvp(energy, (value,), (direction,), interpret=True)
    for one, other in zip(leaves_of(products), leaves_of(difference), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_random_structures(seed: int) -> None:
    judge(seed)
    judge_floats(seed)


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(100, 200))
def test_many_random_structures(seed: int) -> None:
    judge(seed)
    judge_floats(seed)
