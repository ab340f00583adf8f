"""The number of positions of a build that are computed at a time: the option and the argument, compiled."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad
from mlirad import compiler
from mlirad.errors import ArgumentError, UnsupportedError

X = np.random.default_rng(0).normal(size=(6, 5))
W = np.random.default_rng(1).normal(size=5)


def rows(x, w, **how):
    """A build of two results whose positions read rows, captured vectors and single elements."""

    def position(i):
        row = np.sort(x[i]) * w
        return np.sum(row * np.cumsum(row)), row[0]

    total, first = ad.build(6, position, **how)
    return np.sum(total**2) + np.sum(np.sin(first))


@pytest.mark.parametrize("interpret", [False, True])
@pytest.mark.parametrize("chunk", [1, 2, 4, 7, "all", None])
def test_all_chunks_agree(chunk, interpret):
    expected = ad.value_and_grad(rows, argnums=(0, 1), chunk="all")(X, W)
    value, gradient = ad.value_and_grad(rows, argnums=(0, 1), chunk=chunk, interpret=interpret)(X, W)
    np.testing.assert_allclose(value, expected[0], rtol=1e-13)
    for actual, wanted in zip(gradient, expected[1], strict=True):
        np.testing.assert_allclose(actual, wanted, rtol=1e-11)


@pytest.mark.parametrize("how", [{"chunk": 1}, {"chunk": 4}, {"chunk": 1, "checkpoint": "store"}])
def test_a_single_build_is_kept(how):
    def kept(x, w):
        return rows(x, w, **how)

    text = ad.grad(kept).ir(X, W, after="apply-linear-maps")
    assert "kept" in text
    np.testing.assert_allclose(ad.grad(kept)(X, W), ad.grad(rows)(X, W), rtol=1e-11)
    np.testing.assert_allclose(
        ad.hessian(kept, argnums=1)(X, W), ad.hessian(rows, argnums=1)(X, W), rtol=1e-9, atol=1e-9
    )
    _, tangent = ad.jvp(kept, (X, W), (X, None))
    np.testing.assert_allclose(tangent, ad.jvp(rows, (X, W), (X, None))[1], rtol=1e-11)


def test_vmap_and_jacobians_by_blocks():
    def f(x):
        return np.sin(x) * np.sum(x)

    for chunk in (1, 2):
        np.testing.assert_allclose(ad.vmap(f, chunk=chunk)(X), [f(x) for x in X])
        np.testing.assert_allclose(ad.jacobian(f, chunk=chunk)(W), ad.jacobian(f)(W))
        batch = ad.vmap(ad.jacobian(f), chunk=chunk)(X)
        np.testing.assert_allclose(batch, [ad.jacobian(f)(x) for x in X])


JACOBIANS = {"jacobian": ad.jacobian, "jacfwd": ad.jacfwd, "jacrev": ad.jacrev}


def tangled(p):
    """Two results of two leaves, all of different ranks."""
    total = np.sum(p["a"] ** 2)
    return {"u": np.sin(p["a"]) * total, "v": np.cumsum(p["b"] * total)}


@pytest.mark.parametrize("chunk", [1, 2, 3, 4, 5, 6, 7, 1000])
@pytest.mark.parametrize("is_inside", [False, True])
@pytest.mark.parametrize("name", JACOBIANS)
def test_jacobians_of_structures_at_any_number_of_columns_at_a_time(name, is_inside, chunk):
    p = {"a": X[:2, :3], "b": W}
    chunked = JACOBIANS[name](tangled, chunk=chunk)
    found = ad.jit(lambda p: chunked(p))(p) if is_inside else chunked(p)
    expected = JACOBIANS[name](tangled)(p)
    for result in "uv":
        for leaf in "ab":
            np.testing.assert_allclose(found[result][leaf], expected[result][leaf], rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("chunk", [1, 2, 3, 5, 9])
def test_hessians_and_derivatives_of_jacobians_by_chunks(chunk):
    def f(x):
        return np.sum(np.sin(x) * x[0]) ** 2

    def squares(x, **how):
        return np.sum(ad.jacrev(lambda x: np.sin(x) * np.sum(x), **how)(x) ** 2)

    expected = ad.hessian(f)(W)
    np.testing.assert_allclose(ad.hessian(f, chunk=chunk)(W), expected, rtol=1e-12)
    np.testing.assert_allclose(ad.jit(lambda x: ad.hessian(f, chunk=chunk)(x))(W), expected, rtol=1e-12)
    for order in (ad.grad, ad.hessian):
        np.testing.assert_allclose(order(lambda x: squares(x, chunk=chunk))(W), order(squares)(W), rtol=1e-11)


@pytest.mark.parametrize("name", JACOBIANS)
def test_jacobians_of_nothing_by_chunks(name):
    chunked = JACOBIANS[name](lambda x: 2 * x, chunk=3)
    assert chunked(np.zeros(0)).shape == ad.jit(lambda x: chunked(x))(np.zeros(0)).shape == (0, 0)
    assert JACOBIANS[name](lambda x: 2 * x, chunk=3)(1.5) == 2.0
    assert JACOBIANS[name](lambda x: x[:0], chunk=2)(W).shape == (0, 5)


@pytest.mark.parametrize("is_inside", [False, True])
@pytest.mark.parametrize("name", ["jacrev", "jacfwd"])
def test_memory_follows_the_chunk(name, is_inside):
    """Each row takes a matrix of n x n, and the Jacobian another one; no strips of these have prefix sums."""
    n = 192
    x = np.random.default_rng(3).normal(size=n)

    def f(x):
        outer = np.sin(np.sin(np.outer(x, x)) @ np.diag(x))
        return np.sin(np.cumsum(outer @ outer).reshape(n, n)) @ x

    def arena(chunk):
        chunked = JACOBIANS[name](f, chunk=chunk)
        return (ad.jit(lambda x: chunked(x)) if is_inside else chunked).lower(x).arena_bytes

    sizes = {chunk: arena(chunk) for chunk in (1, 4, 16, "all")}
    assert sizes[1] < sizes[4] <= sizes[16] < sizes["all"] / 8


@pytest.mark.parametrize("chunk", [1, 2, 4, 100])
def test_vmap_inside_by_chunks(chunk):
    def f(x):
        return np.sort(x)[0] * x, 3.0

    mapped = ad.vmap(f, out_axes=(1, None), chunk=chunk)
    (rows, constant), text = ad.jit(lambda x: mapped(x))(X), ad.jit(lambda x: mapped(x)).ir(X)
    np.testing.assert_allclose(rows, np.stack([f(x)[0] for x in X], 1))
    assert constant == 3.0
    assert ("array.scan" in text) == (chunk < len(X))


@pytest.mark.parametrize("transform", [*JACOBIANS.values(), ad.hessian, ad.vmap])
@pytest.mark.parametrize("chunk", [0, -1, 2.0, True, "3"])
def test_chunks_that_are_no_numbers_of_columns(transform, chunk):
    with pytest.raises(ArgumentError, match=r"(?s)chunk is .*must be an integer from 1 on.*chunk=1"):
        transform(np.sum, chunk=chunk)


def test_builds_are_cut_into_blocks_where_memory_would_not_do(monkeypatch):
    def f(x):
        return np.sum(ad.build(x.shape[0], lambda i: np.sum(np.sort(x[i]) * x[i])))

    x = np.random.default_rng(2).normal(size=(300, 40))
    whole = ad.grad(f, chunk="all").lower(x).arena_bytes
    expected = ad.grad(f, chunk="all")(x)
    monkeypatch.setattr(compiler, "MEMORY_LIMIT", whole // 2)
    monkeypatch.setattr(compiler, "BLOCK_LIMIT", whole // 8)
    blocks = ad.grad(f)
    np.testing.assert_allclose(blocks(x), expected)
    assert any(stage.name == "builds-to-loops" for stage in blocks.stats(x).stages)


def test_lanes_that_are_no_number_of_positions():
    with pytest.raises(ArgumentError, match="chunk is 0"):
        ad.grad(rows, chunk=0)
    with pytest.raises(ArgumentError, match="chunk is 0"):
        ad.jit(lambda x: ad.build(3, lambda i: x[i], chunk=0))(W)
    with pytest.raises(ArgumentError, match="no checkpoint 'all'"):
        ad.jit(lambda x: ad.build(3, lambda i: x[i], chunk=1, checkpoint="all"))(W)
    with pytest.raises(UnsupportedError, match=r"(?s)no option 'lane'.*there are interpret, method, chunk"):
        ad.grad(rows, lane=1)


def test_transformations_as_decorators_with_options():
    @ad.value_and_grad(argnums=1, has_aux=True)
    def f(x, w):
        """Doc."""
        return x * w**2, x

    @ad.jit(static_argnames="n")
    def power(x, n):
        return x**n

    (value, aux), gradient = f(3.0, 2.0)
    assert (value, aux, gradient) == (12.0, 3.0, 12.0)
    assert f.__doc__ == "Doc." and power(2.0, n=3) == 8.0
