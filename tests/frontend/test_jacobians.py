"""`jacobian`, `jacfwd`, `jacrev`, `hessian`, `hvp` and `vmap`, alone and in each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import mlirad as ad
from mlirad.errors import ShapeError, TracingError

RNG = np.random.default_rng(5)
A = RNG.normal(size=(3, 4))
X = RNG.normal(size=4)
ALL = pytest.mark.parametrize("transformation", [ad.jacobian, ad.jacfwd, ad.jacrev])


def layer(x, a):
    return np.tanh(a @ x)


SLOPES = 1 - np.tanh(A @ X) ** 2
BY_X = SLOPES[:, None] * A
BY_A = np.zeros((3, 3, 4))
BY_A[range(3), range(3)] = SLOPES[:, None] * X


@ALL
@pytest.mark.parametrize("interpret", [False, True])
def test_jacobian_of_a_layer(transformation, interpret):
    np.testing.assert_allclose(transformation(layer, interpret=interpret)(X, A), BY_X)
    by_x, by_a = transformation(layer, argnums=(0, "a"), interpret=interpret)(X, A)
    np.testing.assert_allclose(by_x, BY_X)
    np.testing.assert_allclose(by_a, BY_A)
    by_a = transformation(layer, argnums="a", interpret=interpret)(X, A)
    np.testing.assert_allclose(by_a, BY_A)


class Pair(NamedTuple):
    first: object
    second: object


@dataclass
class Point:
    v: object
    s: object


@ALL
def test_jacobian_of_structures(transformation):
    def function(p, n):
        return Pair(p.v * p.s, {"sum": np.sum(p.v) * n, "count": n + 1})

    found = transformation(function, interpret=True)(Point(X, 2.0), 3)
    assert isinstance(found, Pair)
    assert isinstance(found.first, Point)
    np.testing.assert_allclose(found.first.v, 2 * np.eye(4))
    np.testing.assert_allclose(found.first.s, X)
    np.testing.assert_allclose(found.second["sum"].v, np.full(4, 3.0))
    assert found.second["sum"].s == 0
    assert found.second["count"].v is None


@ALL
def test_shapes_of_jacobians(transformation):
    def function(x):
        return np.sum(x, axis=1)[:, None] * np.ones((2, 3, 2))

    assert transformation(function, interpret=True)(np.ones((3, 4))).shape == (2, 3, 2, 3, 4)
    assert transformation(np.sin, interpret=True)(1.0).shape == ()
    assert transformation(lambda x: x[:0], interpret=True)(X).shape == (0, 4)
    assert transformation(lambda x: np.sum(x) * np.ones(2), interpret=True)(np.ones((0, 3))).shape == (
        2,
        0,
        3,
    )
    single = transformation(lambda x: x * 2, interpret=True)(X.astype(np.float32))
    assert single.dtype == np.float32


@ALL
def test_auxiliary_results(transformation):
    found, aux = transformation(lambda x: (x * x, {"x": x}), has_aux=True, interpret=True)(X)
    np.testing.assert_allclose(found, np.diag(2 * X))
    np.testing.assert_array_equal(aux["x"], X)
    with pytest.raises(ad.DifferentiationError, match="has_aux"):
        transformation(lambda x: x, has_aux=True, interpret=True)(X)


def test_the_mode_follows_the_shape():
    """The map is applied to basis vectors of the smaller side only."""
    wide = ad.jacobian(lambda x: np.sum(np.sin(x))).ir(np.ones(5))
    assert "linear.apply_transpose" in wide
    tall = ad.jacobian(lambda x: np.sin(x) * np.ones(5)).ir(1.0)
    assert "linear.apply " in tall
    assert "apply_transpose" not in tall


@pytest.mark.parametrize("interpret", [False, True])
def test_hessian(interpret):
    function = lambda x: np.sum(x**3) + x[0] * x[1]  # noqa: E731
    expected = np.diag(6 * X)
    expected[0, 1] = expected[1, 0] = 1
    np.testing.assert_allclose(ad.hessian(function, interpret=interpret)(X), expected)
    np.testing.assert_allclose(ad.hvp(function, (X,), (X,), interpret=interpret), expected @ X)
    np.testing.assert_allclose(ad.jacrev(ad.jacrev(function), interpret=interpret)(X), expected)
    np.testing.assert_allclose(ad.jacfwd(ad.jacfwd(function), interpret=interpret)(X), expected)


def test_hessian_of_several_arguments():
    function = lambda x, y: np.sum(x * x) * y  # noqa: E731
    (xx, xy), (yx, yy) = ad.hessian(function, argnums=(0, 1), interpret=True)(X, 3.0)
    np.testing.assert_allclose(xx, 6 * np.eye(4))
    np.testing.assert_allclose(xy, 2 * X)
    np.testing.assert_allclose(yx, 2 * X)
    assert yy == 0
    hx, hy = ad.hvp(function, (X, 3.0), (X, 1.0), interpret=True)
    np.testing.assert_allclose(hx, 8 * X)
    np.testing.assert_allclose(hy, 2 * X @ X)


def test_jacobians_through_loops():
    function = lambda x: ad.scan(lambda c, t: (c * t, c * t), 1.0, x)[1]  # noqa: E731
    for transformation in (ad.jacfwd, ad.jacrev):
        found = transformation(function, interpret=True)(X)
        np.testing.assert_allclose(found, np.tril(np.cumprod(X)[:, None] / X))


def test_no_floats_are_an_error():
    with pytest.raises(ad.DifferentiationError, match="returns no floats"):
        ad.jacobian(lambda x: x > 0, interpret=True)(X)


# vmap --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("interpret", [False, True])
def test_vmap_along_axes(interpret):
    dot = lambda x, y: np.sum(x * y)  # noqa: E731
    np.testing.assert_allclose(ad.vmap(dot, (0, None), interpret=interpret)(A, X), A @ X)
    np.testing.assert_allclose(ad.vmap(dot, (1, 0), interpret=interpret)(A.T, A), np.sum(A * A, axis=1))
    np.testing.assert_allclose(
        ad.vmap(lambda x: np.sum(x) * x, in_axes=1, out_axes=-1, interpret=interpret)(A), A * A.sum(axis=0)
    )


def test_vmap_of_structures():
    function = lambda p, y: {"a": p["v"] * y, "b": (p["s"], 1)}  # noqa: E731
    found = ad.vmap(function, in_axes=({"v": 1, "s": None}, 0), out_axes={"a": 1, "b": 0}, interpret=True)(
        {"v": A, "s": 2.0}, X
    )
    np.testing.assert_allclose(found["a"], A * X)
    np.testing.assert_array_equal(found["b"][0], np.full(4, 2.0))
    np.testing.assert_array_equal(found["b"][1], np.ones(4))


def test_vmap_of_derivatives_and_derivatives_of_vmap():
    cube = lambda x: np.sum(x**3)  # noqa: E731
    np.testing.assert_allclose(ad.vmap(ad.grad(cube), interpret=True)(A), 3 * A**2)
    np.testing.assert_allclose(ad.grad(lambda a: np.sum(ad.vmap(cube)(a)), interpret=True)(A), 3 * A**2)
    np.testing.assert_allclose(
        ad.vmap(ad.hessian(cube), interpret=True)(A), 6 * A[:, :, None] * np.eye(4), atol=1e-14
    )
    nested = ad.vmap(ad.vmap(lambda x, y: x * y, (None, 0)), (0, None), interpret=True)
    np.testing.assert_allclose(nested(A[:, 0], X), np.outer(A[:, 0], X))


def test_vmap_of_loops_and_branches():
    halvings = lambda x: ad.while_loop(lambda s: s[0] > 1, lambda s: (s[0] / 2, s[1] + 1), (x, 0))[1]  # noqa: E731
    np.testing.assert_array_equal(ad.vmap(halvings, interpret=True)(np.array([0.5, 1.5, 9.0])), [0, 1, 4])
    products = lambda x: ad.fold(lambda c, t: c * t, 1.0, x)  # noqa: E731
    np.testing.assert_allclose(ad.vmap(products, interpret=True)(A), np.prod(A, axis=1))
    signs = lambda x: ad.cond(x > 0, lambda: 1.0, lambda: -1.0)  # noqa: E731
    np.testing.assert_array_equal(ad.vmap(signs, interpret=True)(X), np.sign(X))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ad.vmap(np.sin)(1.0), "scalar and has no axis 0"),
        (lambda: ad.vmap(np.add)(A, X), "args[0] has 3, args[1] has 4"),
        (lambda: ad.vmap(np.sin, in_axes=None)(X), "all in_axes are None"),
        (lambda: ad.vmap(np.add, in_axes=(0,))(X, X), "1 entries"),
        (lambda: ad.vmap(np.sin, in_axes=2)(A), "axis 2"),
        (lambda: ad.vmap(np.sin, out_axes=None)(X), "out_axes"),
        (lambda: ad.vmap(lambda p: p[0], in_axes=((0, 0, 0),))((X, X)), "does not fit"),
    ],
)
def test_errors_of_vmap(call, words):
    with pytest.raises(ad.MliradError) as error:
        call()
    assert words in str(error.value)


@dataclass
class Batch:
    """A structure with named parts."""

    a: object
    b: object


@pytest.mark.parametrize("chunk", [None, 1])
def test_results_that_are_the_same_for_the_batch_need_no_axis(chunk):
    def f(x, w):
        return {"y": x @ w, "n": np.sum(w), "size": x.shape[0]}

    axes = {"y": 0, "n": None, "size": None}
    found = ad.vmap(f, (0, None), axes, chunk=chunk)(A, X)
    np.testing.assert_allclose(found["y"], A @ X)
    assert found["n"] == pytest.approx(np.sum(X)) and found["size"] == 4
    gradient = ad.grad(lambda w: np.sum(ad.vmap(f, (0, None), axes)(A, w)["n"]))(X)
    np.testing.assert_array_equal(gradient, np.ones_like(X))


def test_results_that_differ_need_an_axis():
    with pytest.raises(TracingError, match=r"result\[1\] differs between the elements of the batch"):
        ad.vmap(lambda x: (x, np.sum(x)), out_axes=(0, None))(A)
    with pytest.raises(TracingError, match="result differs"):
        ad.vmap(lambda x: ad.cond(x[0] > 0, lambda: 1.0, lambda: 2.0), out_axes=None)(A)


def test_axes_of_dataclasses_by_field():
    def f(p):
        return Batch(p.a * p.b, p.b)

    found = ad.vmap(f, (Batch(0, None),), Batch(1, None))(Batch(A, 2.0))
    np.testing.assert_array_equal(found.a, 2 * A.T)
    assert found.b == 2.0
    with pytest.raises(ShapeError, match=r"in_axes .* does not fit the structure"):
        ad.vmap(lambda p: p["a"], in_axes=({"c": 0},))({"a": A})


@ALL
@pytest.mark.parametrize("chunk", [1, 3])
def test_columns_and_rows_in_chunks(transformation, chunk):
    np.testing.assert_allclose(transformation(layer, chunk=chunk, interpret=True)(X, A), BY_X)
