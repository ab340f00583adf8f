"""Random functions batched by `ad.vmap`, and derivatives of and in batches: one slice after the other."""

from __future__ import annotations

import random
import time
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from tests.generators.batches import (
    LENGTH,
    Axes,
    random_arguments,
    random_axes,
    random_slice,
    slices,
)

FLOATS = (0, 1, 2)
"""The positions of the arguments that derivatives are taken by."""

MOST_FAILURES = 5


def loss_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """A number that all floats count in."""

    def loss(*args: Any) -> Any:
        s, v, m, _ = function(*args)
        return np.tanh(s) + np.mean(np.sin(v)) + np.mean(m * m)

    return loss


def values(f: Callable[..., Any], axes: Axes, rng: random.Random, options: Any) -> Any:
    """A batch against slices that run in NumPy."""
    args = random_arguments(rng.randrange(999), axes)
    return ad.vmap(f, axes.given, axes.results, **options)(*args), slices(f, args, axes)


def batches(f: Callable[..., Any], axes: Axes, rng: random.Random, options: Any) -> Any:
    """A batch of batches."""
    outer = random_axes(rng)
    args = random_arguments(rng.randrange(999), axes, outer)
    inner = ad.vmap(f, axes.given, axes.results)
    found = ad.vmap(inner, outer.given, outer.results, **options)(*args)
    return found, slices(lambda *one: slices(f, one, axes), args, outer)


def gradients(f: Callable[..., Any], axes: Axes, rng: random.Random, options: Any) -> Any:
    """Gradients of the slices."""
    args = random_arguments(rng.randrange(999), axes)
    slope = ad.grad(loss_of(f), argnums=FLOATS, **options)
    axes = Axes(axes.given, axes.results[:3])
    return ad.vmap(slope, axes.given, axes.results, **options)(*args), slices(slope, args, axes)


def gradient(f: Callable[..., Any], axes: Axes, rng: random.Random, options: Any) -> Any:
    """The gradient of a sum over the batch: those of the slices, or their sum where an argument is shared."""
    args = random_arguments(rng.randrange(999), axes)
    loss = loss_of(f)
    slope = ad.grad(lambda *given: np.sum(ad.vmap(loss, axes.given)(*given)), argnums=FLOATS, **options)
    apart = slices(ad.grad(loss, argnums=FLOATS, **options), args, Axes(axes.given, (0, 0, 0)))
    expected = (
        np.sum(found, axis=0) if axis is None else np.moveaxis(found, 0, axis)
        for found, axis in zip(apart, axes.given[:3], strict=True)
    )
    return slope(*args), tuple(expected)


def tangents(f: Callable[..., Any], axes: Axes, rng: random.Random, options: Any) -> Any:
    """Values and tangents of the batch."""
    args = random_arguments(rng.randrange(999), axes)
    moves = random_arguments(rng.randrange(999), axes)[:3]

    def pushed(g: Any, *given: Any) -> Any:
        (s, v, m, i, key), moves = given[:5], given[5:]
        floats = lambda *three: g(*three, i, key)[:3]  # noqa: E731
        one, other = ad.jvp(floats, (s, v, m), moves)
        return (*one, *other)

    both = Axes((*axes.given, *axes.given[:3]), axes.results[:3] * 2)
    batch = ad.vmap(f, axes.given, axes.results)
    found = ad.jit(lambda *given: pushed(batch, *given), **options)(*args, *moves)
    expected = slices(ad.jit(lambda *given: pushed(f, *given), **options), (*args, *moves), both)
    return found, expected


def second(f: Callable[..., Any], axes: Axes, rng: random.Random, options: Any) -> Any:
    """Derivatives of gradients of the slices, along the vector, in a batch that is compiled again."""
    args = random_arguments(rng.randrange(999), axes)
    loss = loss_of(f)

    def product(s: Any, v: Any, m: Any, i: Any, key: Any) -> Any:
        return (ad.hvp(lambda v: loss(s, v, m, i, key), (v,), (np.cos(v),)),)

    axes = Axes(axes.given, axes.results[1:2])
    found = ad.jit(ad.vmap(ad.jit(product), axes.given, axes.results), **options)(*args)
    return found, slices(ad.jit(product, interpret=True), args, axes)


KINDS = (values, batches, gradients, gradient, tangents, second)


def random_options(seed: int) -> dict[str, Any]:
    """Options of compiled batches that leave results what they are."""
    rng, options = random.Random(seed), dict[str, Any]()
    if rng.random() < 0.6:
        options["chunk"] = rng.choice((1, 2, 3, "all"))
    if rng.random() < 0.4:
        options["method"] = rng.choice(("jacobian", "chad"))
    if rng.random() < 0.3:
        options["threads"] = rng.choice((1, 2, 3))
    return options


def judge(seed: int, kind: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Compare one batch."""
    rng = random.Random(seed)
    axes = random_axes(rng)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found, expected = kind(random_slice(seed), axes, rng, options)
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert np.shape(one) == np.shape(other)
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6, err_msg=f"{axes} of {LENGTH}, {options}")


@pytest.mark.parametrize("kind", KINDS)
def test_random_batches(kind: Callable[..., Any]) -> None:
    judge(4, kind, {"interpret": True})


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("kind", KINDS)
def test_many_random_batches(kind: Callable[..., Any], seed: int) -> None:
    judge(100 + seed, kind, {"interpret": seed % 4 > 0})


@pytest.mark.fuzz
def test_many_compiled_batches(fuzz_seconds: float, judged: Counter[str]) -> None:
    end, seeds = time.monotonic() + fuzz_seconds, random.SystemRandom()
    wrong: list[str] = []
    while time.monotonic() < end and len(wrong) < MOST_FAILURES:
        seed, kind = seeds.randrange(2**32), seeds.choice(KINDS)
        judged[f"compiled batches: {kind.__name__}"] += 1
        try:
            judge(seed, kind, random_options(seed))
        except Exception as error:
            wrong.append(f"{kind.__name__} of seed {seed}: {error}")
    assert not wrong, "\n\n".join(wrong)
