"""`ad.associative_scan` against a loop over the slices: values, derivatives of orders 1 and 2, mistakes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.frontend.constructs.associative import FEW

pytestmark = pytest.mark.filterwarnings("ignore::mlirad.RecompileWarning")

LENGTHS = (0, 1, 2, 3, FEW, FEW + 1, 2 * FEW + 3, 4 * FEW + 2)


def composed(first: Any, second: Any) -> Any:
    """The composition of y -> a y + b with another of its kind."""
    return {"a": first["a"] * second["a"], "b": second["a"] * first["b"] + second["b"]}


def multiplied(a: Any, b: Any) -> Any:
    return a @ b


def scanned(f: Any, xs: Any, reverse: bool = False) -> Any:
    """One slice after the other along the first dimension."""
    leaves, structure = ad.tree.flatten(xs)
    count = len(leaves[0])
    order = range(count)[::-1] if reverse else range(count)
    results: list[Any] = []
    for k in order:
        x = ad.tree.unflatten(structure, [a[k] for a in leaves])
        results.append(f(results[-1], x) if results else x)
    results = results[::-1] if reverse else results
    columns = zip(*(ad.tree.leaves(r) for r in results), strict=True) if count else [[]] * len(leaves)
    stacked = [np.array(c, a.dtype).reshape(a.shape) for c, a in zip(columns, leaves, strict=True)]
    return ad.tree.unflatten(structure, stacked)


def agree(found: Any, wanted: Any, tolerance: float = 1e-12) -> None:
    assert ad.tree.structure(found) == ad.tree.structure(wanted)
    for one, other in zip(ad.tree.leaves(found), ad.tree.leaves(wanted), strict=True):
        assert (np.shape(one), one.dtype) == (other.shape, other.dtype)
        np.testing.assert_allclose(one, other, tolerance, tolerance)


def recurrence(count: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    return {"a": rng.uniform(0.5, 1.1, count), "b": rng.normal(size=count)}


def matrices(count: int, seed: int = 0) -> Any:
    return 0.7 * np.random.default_rng(seed).normal(size=(count, 2, 2))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("count", LENGTHS)
def test_values(count: int, reverse: bool) -> None:
    for f, xs in (
        (composed, recurrence(count)),
        (multiplied, matrices(count)),
        (np.maximum, matrices(count)),
    ):
        wanted = scanned(f, xs, reverse)
        agree(ad.associative_scan(f, xs, reverse=reverse), wanted)
        for interpret in (False, True):
            found = ad.jit(lambda xs, f=f: ad.associative_scan(f, xs, reverse=reverse), interpret=interpret)
            agree(found(xs), wanted)


@pytest.mark.parametrize(
    "dtype", [np.float32, np.int64, np.int32, bool, np.complex128], ids=lambda d: d.__name__
)
def test_dtypes(dtype: Any) -> None:
    for count in (1, 5, FEW + 4):
        xs = (np.arange(count) % 2).astype(dtype)
        xs = (xs + 0.5j if dtype is np.complex128 else xs).astype(dtype)
        f = np.logical_xor if dtype is bool else np.multiply
        agree(ad.associative_scan(f, xs), scanned(f, xs))
        agree(ad.jit(lambda xs, f=f: ad.associative_scan(f, xs))(xs), scanned(f, xs))


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2])
def test_axes(axis: int) -> None:
    xs = np.random.default_rng(0).normal(size=(3, 4, 5))
    for function in (np.add, np.maximum):
        wanted = function.accumulate(xs, axis=axis)
        np.testing.assert_allclose(ad.associative_scan(function, xs, axis), wanted)
        traced = ad.jit(lambda xs, f=function: ad.associative_scan(f, xs, axis=axis))
        np.testing.assert_allclose(traced(xs), wanted, atol=1e-14)


@pytest.mark.parametrize("options", [{}, {"interpret": True}, {"method": "chad"}], ids=str)
@pytest.mark.parametrize("count", [1, 3, FEW + 2])
def test_derivatives(count: int, options: dict[str, Any]) -> None:
    """Derivatives of orders 1 and 2: those of the loop, and differences."""
    xs, direction = matrices(count), matrices(count, 1)

    def loss(m: Any) -> Any:
        return np.sum(np.sin(ad.associative_scan(multiplied, m)))

    def looped(m: Any) -> Any:
        return np.sum(np.sin(ad.scan(lambda p, x: (p @ x, p @ x), np.eye(2), m)[1]))

    np.testing.assert_allclose(ad.grad(loss, **options)(xs), ad.grad(looped)(xs), rtol=1e-10, atol=1e-12)
    found = ad.hvp(loss, (xs,), (direction,), **options)
    np.testing.assert_allclose(found, ad.hvp(looped, (xs,), (direction,)), rtol=1e-9, atol=1e-11)
    tangent = ad.jvp(lambda m: ad.associative_scan(multiplied, m), (xs,), (direction,), **options)[1]
    step = 1e-6 * direction
    slopes = (scanned(multiplied, xs + step) - scanned(multiplied, xs - step)) / 2e-6
    np.testing.assert_allclose(tangent, slopes, atol=1e-7)


def test_batches_and_what_the_function_reads() -> None:
    xs, scale = np.random.default_rng(0).normal(size=(3, FEW + 5)), 0.5

    def one(x: Any, s: Any) -> Any:
        return ad.associative_scan(lambda a, b: s * a * b, x)

    found = ad.vmap(one, (0, None))(xs, scale)
    np.testing.assert_allclose(found, [scanned(lambda a, b: scale * a * b, x) for x in xs], 1e-10)
    gradient = ad.grad(lambda s: np.sum(one(xs[0, :5], s)))(scale)
    slope = (np.sum(one(xs[0, :5], scale + 1e-6)) - np.sum(one(xs[0, :5], scale - 1e-6))) / 2e-6
    assert abs(gradient - slope) < 1e-8


def test_applications_are_few_and_programs_small() -> None:
    """Fewer than 2n applications to elements, in a program that grows with the logarithm of n."""
    for count in (2, 7, FEW, 100, 1000):
        calls: list[int] = []

        def counted(a: Any, b: Any, calls: list[int] = calls) -> Any:
            calls.append(1)
            return a + b

        ad.associative_scan(counted, np.ones(count))
        assert count - 1 <= len(calls) < 2 * count
    sizes = [
        ad.jit(lambda x: ad.associative_scan(np.hypot, x)).ir(np.ones(n)).count(" = ")
        for n in (4 * FEW, 8 * FEW, 16 * FEW, 32 * FEW)
    ]
    growth = np.diff(sizes)
    assert max(growth) - min(growth) <= 4
    assert max(growth) < 60


MISTAKES = {
    "lengths": (lambda x: ad.associative_scan(composed, {"a": x, "b": x[1:]}), ad.ShapeError, "slices"),
    "scalar": (lambda x: ad.associative_scan(np.add, x[0]), ad.ShapeError, "is a scalar"),
    "nothing": (lambda x: ad.associative_scan(np.add, ()), ad.ShapeError, "needs"),
    "structure": (lambda x: ad.associative_scan(lambda a, b: (a, b), x), ad.TracingError, "returns one like"),
    "shape": (
        lambda x: ad.associative_scan(lambda a, b: np.array([a, b]), x),
        ad.ShapeError,
        r"float64\[2\]",
    ),
    "dtype": (lambda x: ad.associative_scan(lambda a, b: a + 0.5 * b, x > 0), ad.DtypeError, "float64"),
    "axis": (
        lambda x: ad.associative_scan(np.add, x, axis=1),
        ad.ArgumentError,
        "axis is 1",
    ),
    "flag": (lambda x: ad.associative_scan(np.add, x, reverse=2), ad.ArgumentError, "reverse is 2"),
    "function": (lambda x: ad.associative_scan(lambda a: a, x), ad.ArgumentError, "argument"),
}


@pytest.mark.parametrize("count", [3, FEW + 2])
@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str, count: int) -> None:
    call, kind, message = MISTAKES[name]
    for traced in (True, False):
        with pytest.raises(kind, match=message) as caught:
            (ad.jit(call) if traced else call)(np.ones(count))
        assert caught.value.hint
        assert "associative_scan" in caught.value.message
        assert __file__ in str(caught.value.location)
