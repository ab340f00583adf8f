"""Scatters that add, in parts that threads share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.frontend.tracing.pytree import flatten
from mlirad.jit.call import NativeFunction
from mlirad.lower.native_program import NativeProgram
from tests.threads.sharing import digests, everything_shared

rng = np.random.default_rng(17)
LABELS = rng.integers(-9, 9, 401)


def sums(x: Any) -> Any:
    s = 0.0 * x[:9]
    np.add.at(s, LABELS, x)
    return np.sin(s)


def added_to(x: Any, base: Any) -> Any:
    s = base * 2.0
    np.add.at(s, LABELS, x)
    return s


def histogram(k: Any) -> Any:
    return ad.bincount(k, length=20)


def sums_of_50(k: Any, x: Any) -> Any:
    return ad.bincount(k, x, length=50)


def rows(x: Any) -> Any:
    return np.sum(np.sin(x)[LABELS] * np.arange(5.0))


def exponentials(x: Any, k: Any) -> Any:
    return np.sum(np.exp(x[k]))


CALLS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "sums": (ad.jit(sums), (rng.normal(size=401),)),
    "single precision": (ad.jit(sums), (rng.normal(size=401).astype(np.float32),)),
    "base": (ad.jit(added_to), (rng.normal(size=401), rng.normal(size=9))),
    "histogram": (ad.jit(histogram), (rng.integers(0, 20, 333),)),
    "weights": (ad.jit(sums_of_50), (rng.integers(0, 50, 333), rng.normal(size=333))),
    "rows": (ad.grad(rows), (rng.normal(size=(9, 5)),)),
    "labels as data": (ad.grad(exponentials), (rng.normal(size=11), rng.integers(0, 11, 97))),
    "few": (ad.jit(histogram), (rng.integers(0, 20, 5),)),
}


@pytest.mark.parametrize("name", CALLS)
def test_same_bits_for_any_number_of_threads(name: str) -> None:
    function, arguments = CALLS[name]
    with everything_shared():
        program = function.lower(*arguments).program
    leaves = flatten(arguments)[0]
    assert has_parts(program)
    assert len(set(digests(program, leaves).values())) == 1
    whole = function.lower(*arguments).program
    assert not has_parts(whole)
    for found, expected in zip(
        NativeFunction(program, threads=2)(*leaves), NativeFunction(whole)(*leaves), strict=True
    ):
        one, other = np.asarray(found, np.float64), np.asarray(expected, np.float64)
        tolerance = 2e-5 if name == "single precision" else 1e-11
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


def has_parts(program: NativeProgram) -> bool:
    """Return whether threads may share what a program adds up."""
    return any(kernel.what == "add" and kernel.is_shared for kernel in program.kernels)


@pytest.mark.parametrize(("segments", "is_cut"), [(50, True), (400_000, False)])
def test_as_many_parts_as_cost_little(segments: int, is_cut: bool) -> None:
    """Sums of their own for each part take memory and time: none where they are as many as what is added."""
    n = 400_000
    labels, x = rng.integers(0, segments, n), rng.normal(size=n)

    def sums_by_label(k: Any, x: Any) -> Any:
        return ad.bincount(k, x, length=segments)

    program = ad.jit(sums_by_label).lower(labels, x).program
    assert has_parts(program) is is_cut
    found = np.asarray(NativeFunction(program, threads=2)(labels, x)[0], np.float64)
    np.testing.assert_allclose(found, np.bincount(labels, x, minlength=segments), rtol=1e-9, atol=1e-9)


def test_a_long_sum_in_parts_is_accurate() -> None:
    n = 600_000
    labels, x = rng.integers(0, 50, n), rng.random(n).astype(np.float32)
    program = ad.jit(sums_of_50).lower(labels, x).program
    assert has_parts(program)
    expected = np.bincount(labels, x.astype(np.float64), minlength=50)
    found = np.asarray(NativeFunction(program, threads=2)(labels, x)[0], np.float64)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
