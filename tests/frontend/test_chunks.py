"""How many positions of a build are computed at a time: the option and the argument, compiled."""

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
