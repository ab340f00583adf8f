"""The algebra of linear maps against that of their dense matrices."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.linear_maps.apply import evaluator

Map = ad.LinearMap
rng = np.random.default_rng(0)


@ad.custom_derivative
def logistic(x):
    return 1 / (1 + np.exp(-x))


@logistic.rule
def _(x):
    y = 1 / (1 + np.exp(-x))
    return lambda dx: y * (1 - y) * dx


def loop(x):
    return ad.scan(lambda c, t: (np.tanh(c + t), c * t), x[0], x)[1]


def until_small(x):
    return ad.while_loop(lambda s: np.sum(s * s) > 0.1, lambda s: 0.5 * np.sin(s), x)


def branch(x):
    return ad.cond(x[0] > 0, lambda: x * x[1], lambda: np.exp(x))


FUNCTIONS = (
    np.sin,
    lambda x: x[::-1] * np.sum(x),
    lambda x: np.sort(x) ** 2,
    lambda x: ad.vmap(lambda a: np.exp(a) * x[0])(x),
    lambda x: ad.build(4, lambda i: x[i] * x[3 - i]),
    lambda x: x[np.array([0, 0, 3, 1])] / 2,
    logistic,
    loop,
    until_small,
    branch,
)
"""From four numbers to four."""


def leaf(choice: random.Random, interpret: bool) -> tuple[Any, Any]:
    """A random map of four numbers, and its matrix."""
    kind = choice.randrange(len(FUNCTIONS) + 3)
    if kind < len(FUNCTIONS):
        f, x = FUNCTIONS[kind], np.array([choice.gauss(0, 1) for _ in range(4)])
        return ad.linearize(f, x, interpret=interpret)[1], ad.jacobian(f, interpret=interpret)(x)
    if kind == len(FUNCTIONS):
        return Map.identity(np.ones(4)), np.eye(4)
    entries = np.array([choice.gauss(0, 1) for _ in range(16)]).reshape(4, 4)
    if kind == len(FUNCTIONS) + 1:
        return Map.diagonal(entries[0]), np.diag(entries[0])
    return Map.from_dense(entries), entries


def expression(choice: random.Random, size: int, interpret: bool) -> tuple[Any, Any]:
    """A random expression of maps with shared parts, and its matrix."""
    pool = [leaf(choice, interpret) for _ in range(2)]
    for _ in range(size):
        (a, m), (b, n) = choice.choice(pool), choice.choice(pool)
        s = choice.choice([2.0, -0.5, np.float32(3), 1])
        pool.append(
            choice.choice(
                [
                    lambda a=a, b=b, m=m, n=n: (a @ b, m @ n),
                    lambda a=a, b=b, m=m, n=n: (a + b.T, m + n.T),
                    lambda a=a, b=b, m=m, n=n: (a - b, m - n),
                    lambda a=a, m=m, s=s: (s * a, float(s) * m),
                    lambda a=a, m=m, s=s: (-(a / s), -m / float(s)),
                    lambda a=a, m=m: (a.T, m.T),
                    lambda a=a, b=b, m=m, n=n: (
                        Map.hstack([a, b]) @ Map.vstack((b, a)),
                        m @ n + n @ m,
                    ),
                    lambda a=a, b=b, m=m, n=n: (Map.block([[a, None], [b, a]])[1, 0], n),
                ]
            )()
        )
    return pool[-1]


@pytest.mark.parametrize("seed", range(24))
def test_random_expressions(seed):
    made, matrix = expression(random.Random(seed), 2 + seed % 6, interpret=seed % 4 != 0)
    size = 1 + np.max(np.abs(matrix))
    v, wide = rng.normal(size=4), rng.normal(size=(4, 3))
    np.testing.assert_allclose(made(v), matrix @ v, atol=1e-11 * size)
    np.testing.assert_allclose(made.T(v), matrix.T @ v, atol=1e-11 * size)
    if seed % 3 == 0:
        np.testing.assert_allclose(made.to_dense(), matrix, atol=1e-11 * size)
        np.testing.assert_allclose(made @ wide, matrix @ wide, atol=1e-11 * size)
        np.testing.assert_allclose(wide.T @ made, wide.T @ matrix, atol=1e-11 * size)
        np.testing.assert_allclose(v @ made, v @ matrix, atol=1e-11 * size)


@pytest.mark.parametrize("seed", range(6))
def test_random_expressions_in_a_trace(seed):
    """The same algebra on maps of the trace, and on maps from outside of it."""
    choice = random.Random(100 + seed)
    f, g = choice.choice(FUNCTIONS), choice.choice(FUNCTIONS)
    x, v = rng.normal(size=4), rng.normal(size=4)
    outer = ad.linearize(g, x, interpret=True)[1]

    def program(x, v, s):
        y, a = ad.linearize(f, x)
        b = ad.linearize(g, x)[1]
        made = s * (a.T @ Map.diagonal(x) @ b) + outer - Map.identity(v)
        return y, made(v), made.T(v), made.to_dense(), made @ v

    y, image, transposed, matrix, product = ad.jit(program, interpret=seed % 2 == 0)(x, v, 0.7)
    m, n = ad.jacobian(f, interpret=True)(x), ad.jacobian(g, interpret=True)(x)
    expected = 0.7 * m.T @ np.diag(x) @ n + n - np.eye(4)
    np.testing.assert_allclose(matrix, expected, atol=1e-12)
    np.testing.assert_allclose(image, expected @ v, atol=1e-12)
    np.testing.assert_allclose(product, expected @ v, atol=1e-12)
    np.testing.assert_allclose(transposed, expected.T @ v, atol=1e-12)
    np.testing.assert_allclose(y, ad.jit(f, interpret=True)(x))


# Structures ------------------------------------------------------------------------------------------


@dataclass
class Layer:
    w: Any
    b: Any


def network(layer, x, n):
    h = np.tanh(layer.w @ x + layer.b) * n
    return {"out": h, "loss": np.sum(h * h), "best": np.argmax(h)}


LAYER = Layer(rng.normal(size=(2, 3)), rng.normal(size=2))
X = rng.normal(size=3)


def test_structured_maps_are_matrices_of_flat_vectors():
    _, jacobian = ad.linearize(network, LAYER, X, 2, interpret=True)
    matrix = jacobian.to_dense()
    assert jacobian.shape == matrix.shape == (3, 11)
    dl, dx = Layer(rng.normal(size=(2, 3)), rng.normal(size=2)), rng.normal(size=3)
    image = jacobian(dl, dx, None)
    flat = np.concatenate([dl.w.ravel(), dl.b, dx])
    np.testing.assert_allclose(np.append(image["loss"], image["out"]), matrix @ flat)
    assert image["best"] is None
    blocks = jacobian.to_dense(blocks=True)
    expected = ad.jacobian(network, (0, 1), interpret=True)(LAYER, X, 2)
    np.testing.assert_allclose(blocks["out"][0].w, expected["out"][0].w)
    np.testing.assert_allclose(blocks["loss"][1], expected["loss"][1])
    assert blocks["out"][0].w.shape == (2, 2, 3)
    gram = jacobian.T @ jacobian
    np.testing.assert_allclose(gram.to_dense(), matrix.T @ matrix)
    back = gram(dl, dx, None)
    np.testing.assert_allclose(
        np.concatenate([back[0].w.ravel(), back[0].b, back[1]]), gram.to_dense() @ flat
    )


def test_parts_of_arguments_and_results():
    _, jacobian = ad.linearize(network, LAYER, X, 2, interpret=True)
    matrix = jacobian.to_dense()
    np.testing.assert_allclose(jacobian["loss"].to_dense(), matrix[:1])
    np.testing.assert_allclose(jacobian["out", "x"].to_dense(), matrix[1:, 8:])
    np.testing.assert_allclose(jacobian[:, 1].to_dense(), matrix[:, 8:])
    np.testing.assert_allclose(jacobian.restrict("x", 0).to_dense(), matrix[:, [8, 9, 10, *range(8)]])
    np.testing.assert_allclose(jacobian[:, "layer"].restrict("b").to_dense(), matrix[:, 6:8])
    np.testing.assert_allclose(jacobian.T[1].to_dense(), matrix[:, 8:].T)
    np.testing.assert_allclose(jacobian[:, "x"](X)["loss"], matrix[0, 8:] @ X)
    assert jacobian[:, "n"].shape == (3, 0)
    with pytest.raises(ad.PositionError, match="has no part 'y'"):
        jacobian.restrict("y")
    with pytest.raises(ad.PositionError, match="single array"):
        jacobian["out"][0]


def test_parts_of_a_single_argument():
    def f(p):
        return np.sin(p["w"]) * p["b"][0]

    point = {"w": X, "b": (2.0, X)}
    _, jacobian = ad.linearize(f, point, interpret=True)
    np.testing.assert_allclose(jacobian[:, "w"].to_dense(), np.diag(2 * np.cos(X)))
    np.testing.assert_allclose(jacobian.restrict("p").restrict("b")[:, 0].to_dense(), np.sin(X)[:, None])
    both = jacobian.restrict("w", "b")
    np.testing.assert_allclose(both(X, (None, X)), 2 * np.cos(X) * X)
    assert str(both.domain) == "(w: float64[3], b[0]: float64[], b[1]: float64[3])"
    with pytest.raises(ad.PositionError, match="has no part 'c'"):
        jacobian.restrict("c")


@pytest.mark.parametrize("method", ["dual-arrays", "jacobian"])
def test_every_method_makes_the_same_map(method):
    _, jacobian = ad.linearize(network, LAYER, X, 2, interpret=True, method=method)
    expected = ad.jacobian(network, (0, 1), interpret=True)(LAYER, X, 2)
    np.testing.assert_allclose(jacobian.to_dense(blocks=True)["out"][0].w, expected["out"][0].w)
    np.testing.assert_allclose(
        jacobian.T({"out": X[:2], "loss": 1.0, "best": None})[1],
        X[:2] @ expected["out"][1] + expected["loss"][1],
    )


@pytest.mark.parametrize("f", [np.sin, until_small, loop, branch, logistic], ids=lambda f: f.__name__)
def test_maps_from_outside_in_every_construct(f):
    x, v = np.array([0.3, -0.7, 1.1, 0.2]), rng.normal(size=4)
    jacobian = ad.linearize(f, x, interpret=True)[1]
    m = jacobian.to_dense()
    uses = {
        "vmap": (lambda v: ad.vmap(lambda v: jacobian(v))(np.eye(4)), m.T),
        "loop": (lambda v: ad.fori_loop(0, 3, lambda i, c: jacobian(c), v), m @ m @ m @ v),
        "branch": (lambda v: ad.cond(v[0] > 99, lambda: v, lambda: jacobian.T(v)), m.T @ v),
        "gradient": (ad.grad(lambda v: np.sum(jacobian(v) ** 2)), 2 * m.T @ m @ v),
    }
    for use, expected in uses.values():
        np.testing.assert_allclose(ad.jit(use, interpret=True)(v), expected, atol=1e-12)


def test_maps_are_carries_of_loops():
    def step(m, t):
        return Map.diagonal(m.arrays[0] * t), m(X)

    last, images = ad.jit(lambda d: ad.scan(step, Map.diagonal(d), np.full(3, 2.0)), interpret=True)(X)
    np.testing.assert_allclose(images, [X * X, 2 * X * X, 4 * X * X])
    np.testing.assert_allclose(last(X), 8 * X * X)


def test_stacking():
    a, b = Map.from_dense(rng.normal(size=(2, 3))), Map.from_dense(rng.normal(size=(4, 3)))
    m, n = a.to_dense(), b.to_dense()
    np.testing.assert_allclose(Map.vstack([a, b]).to_dense(), np.vstack([m, n]))
    stacked = Map.vstack({"p": b, "a": a})
    np.testing.assert_allclose(stacked(X)["p"], n @ X)
    np.testing.assert_allclose(stacked.to_dense(), np.vstack([m, n]))
    _, jacobian = ad.linearize(lambda x: (np.sin(x), np.sum(x)), X, interpret=True)
    twice = Map.stack([jacobian, 2.0 * jacobian])
    np.testing.assert_allclose(twice(X)[0], np.stack([np.cos(X) * X, 2 * np.cos(X) * X]))
    np.testing.assert_allclose(twice.T((np.ones((2, 3)), np.ones(2))), 3 * (np.cos(X) + 1))
    with pytest.raises(ad.ShapeError, match="between the same spaces"):
        Map.stack([a, b])
    side = Map.hstack([a.T, b.T])
    np.testing.assert_allclose(side.to_dense(), np.hstack([m.T, n.T]))
    np.testing.assert_allclose(side(np.ones(2), None), m.T @ np.ones(2))
    whole = Map.block([[a, None], [None, b]])
    assert whole.shape == (6, 6)
    np.testing.assert_allclose(whole.to_dense()[2:, :3], 0)
    np.testing.assert_allclose(whole.to_dense()[2:, 3:], n)
    with pytest.raises(ad.ShapeError, match="one domain"):
        Map.vstack([a, a.T])
    with pytest.raises(ad.ShapeError, match="every row"):
        Map.block([[a, None], [b, None]])


def test_single_precision_and_mixed():
    x, z = np.ones(3, np.float32), 2.0
    _, jacobian = ad.linearize(lambda x, z: (x * 2, z * z), x, z, interpret=True)
    assert jacobian.dtype == np.float64
    image = (0.5 * jacobian)(x, 1.0)
    assert image[0].dtype == np.float32 and image[1].dtype == np.float64
    single = jacobian[0, 0]
    assert single.dtype == np.float32
    assert single.to_dense().dtype == np.float32
    assert (single @ np.ones(3)).dtype == np.float32


def test_spaces_without_dimensions_and_empty_arrays():
    none = np.zeros((0, 2))
    _, jacobian = ad.linearize(lambda x, e: (e * 2, np.sum(e) + np.sum(x)), X, none, interpret=True)
    assert jacobian.shape == (1, 3)
    np.testing.assert_allclose(jacobian.to_dense(), np.ones((1, 3)))
    assert jacobian[0].shape == (0, 3)
    assert jacobian[0].to_dense().shape == (0, 3)
    assert (jacobian[0].T @ np.zeros(0)).tolist() == [0.0] * 3
    np.testing.assert_allclose((jacobian[0].T @ jacobian[0]).to_dense(), np.zeros((3, 3)))
    _, discrete = ad.linearize(lambda x: np.argmax(x), X, interpret=True)
    assert discrete.shape == (0, 3)
    assert discrete(X) is None
    assert discrete.to_dense().shape == (0, 3)
    np.testing.assert_array_equal(discrete.T(None), np.zeros(3))
    unit = Map.zero(X, ())
    assert unit.shape == (0, 3) and unit(X) == ()
    np.testing.assert_array_equal((unit.T @ unit)(X), np.zeros(3))


def test_maps_from_values():
    assert Map.identity({"a": X, "n": 3})({"a": X, "n": None})["a"].tolist() == X.tolist()
    diagonal = Map.diagonal([X, 2.0])
    np.testing.assert_allclose(diagonal([np.ones(3), 1.0])[0], X)
    assert diagonal.to_dense().shape == (4, 4)
    pole = Map.diagonal(np.array([np.inf, 1.0]))
    np.testing.assert_array_equal(pole(np.array([0.0, 1.0])), [0.0, 1.0])
    with pytest.raises(ad.ShapeError, match="matrix of floats"):
        Map.from_dense(X)


# Compiles and memory ------------------------------------------------------------------------------


def test_one_program_serves_all_points_and_copies_nothing(monkeypatch):
    from mlirad.frontend.linear_map import programs as map_programs

    compiled = []
    original = map_programs.executable
    monkeypatch.setattr(
        map_programs, "executable", lambda *a, **k: compiled.append(a[1]) or original(*a, **k)
    )

    def f(x):
        return np.tanh(x) * x

    for _ in range(3):
        x = rng.normal(size=5)
        _, jacobian = ad.linearize(f, x, interpret=True)
        damped = jacobian.T @ jacobian + rng.normal() * Map.identity(x)
        damped(x)
        assert len(damped.arrays) == len(jacobian.arrays) + 1
        assert all(any(a is b for b in damped.arrays) for a in jacobian.arrays)
    assert len(compiled) == 1


@pytest.mark.parametrize("length", [2, 8])
def test_a_chain_holds_one_array_however_long_it_is(length):
    def chain(x):
        for _ in range(length):
            x = np.sin(np.exp(-x * x)) / 3
        return x

    jacobian = ad.linearize(chain, np.linspace(-1, 1, 1_000_000))[1]
    assert jacobian.nbytes == 8_000_000


def test_arguments_are_not_copied():
    x, w = np.linspace(-1, 1, 1000), np.ones((1000, 2))
    _, jacobian = ad.linearize(lambda x, w: x @ w, x, w)
    assert {id(a) for a in jacobian.arrays} == {id(x), id(w)}


def test_repeated_squaring_is_refused_in_time(monkeypatch):
    monkeypatch.setattr(evaluator, "MAX_NESTED_NODES", 1000)
    power = ad.linearize(lambda x: np.sin(x) * x[0], X, interpret=True)[1]
    matrix = power.to_dense()
    for _ in range(4):
        power, matrix = power @ power, matrix @ matrix
    np.testing.assert_allclose(power(X), matrix @ X)
    for _ in range(30):
        power = power @ power
    with pytest.raises(ad.UnsupportedError, match="applies composite maps"):
        power(X)


def test_sums_of_many_maps():
    _, jacobian = ad.linearize(np.sin, X, interpret=True)
    total = sum((k * jacobian for k in range(50)), Map.zero(X, X))
    np.testing.assert_allclose(total(X), sum(range(50)) * np.cos(X) * X)
    assert sum([jacobian, jacobian])(X).tolist() == (2 * np.cos(X) * X).tolist()


# Traces ------------------------------------------------------------------------------------------------


def test_maps_are_arguments_of_programs():
    program = ad.jit(lambda J, v: (J.T @ J)(v), interpret=True)
    for x in (X, 2 * X):
        _, jacobian = ad.linearize(np.sin, x, interpret=True)
        np.testing.assert_allclose(program(jacobian, X), np.cos(x) ** 2 * X)


def test_a_map_of_the_trace_does_not_leave_it():
    leaked = []

    def keep(x):
        leaked.append(ad.linearize(np.sin, x)[1])
        return x

    ad.jit(keep, interpret=True)(X)
    with pytest.raises(ad.TracingError, match="has ended"):
        leaked[0](X)
    with pytest.raises(ad.TracingError, match="LinearMap"):
        ad.jit(lambda x: ad.linearize(np.sin, x)[1], interpret=True)(X)


def test_differentiating_through_applications():
    """The gradient of |J(x) v|² / 2, with the map made in the function."""

    def f(x):
        return np.sin(x) * x[0]

    def objective(x, v):
        _, jacobian = ad.linearize(f, x)
        return (v @ (jacobian.T @ jacobian)(v)) / 2

    direct = ad.grad(lambda x, v: np.sum(ad.jvp(f, (x,), (v,))[1] ** 2) / 2, interpret=True)
    v = rng.normal(size=3)
    np.testing.assert_allclose(ad.grad(objective, interpret=True)(X, v), direct(X, v))
    np.testing.assert_allclose(
        ad.hessian(objective, interpret=True)(X, v),
        ad.hessian(lambda x, v: np.sum(ad.jvp(f, (x,), (v,))[1] ** 2) / 2, interpret=True)(X, v),
    )


def test_maps_in_builds_and_loops():
    """One map per row, and powers of a map by a loop."""
    rows = rng.normal(size=(5, 3))

    def gram(x):
        return ad.linearize(lambda x: np.sin(x) * x[0], x)[1]

    made = ad.vmap(lambda x: (gram(x).T @ gram(x))(x), interpret=True)(rows)
    for row, image in zip(rows, made, strict=True):
        m = ad.jacobian(lambda x: np.sin(x) * x[0], interpret=True)(row)
        np.testing.assert_allclose(image, m.T @ m @ row)
    power = ad.jit(lambda x: ad.fori_loop(0, 5, lambda i, v: gram(x)(v), x), interpret=True)(X)
    m = ad.jacobian(lambda x: np.sin(x) * x[0], interpret=True)(X)
    np.testing.assert_allclose(power, np.linalg.matrix_power(m, 5) @ X)


# Words ---------------------------------------------------------------------------------------------------


def test_expressions_print_as_they_are_written():
    _, jacobian = ad.linearize(network, LAYER, X, 2, interpret=True)
    damped = jacobian["out"].T @ jacobian["out"] - 0.25 * Map.identity((LAYER, X, 2))
    assert repr(damped) == "LinearMap(11 x 11: D(network)['out'].T @ D(network)['out'] - 0.25 * I)"
    other = jacobian["out", "x"]
    assert repr(-(other + other) @ other.T) == (
        "LinearMap(2 x 2: -(D(network)['out'].restrict('x') + D(network)['out'].restrict('x')) "
        "@ D(network)['out'].restrict('x').T)"
    )
    assert "linear.compose" in damped.ir() and "func.func @map" in damped.ir()
    assert str(jacobian.domain) == "(layer.w: float64[2, 3], layer.b: float64[2], x: float64[3], n: none)"


def test_errors_name_the_spaces():
    a = Map.from_dense(rng.normal(size=(2, 3)))
    with pytest.raises(ad.ShapeError, match=r"ends in float64\[2\], the left one starts from float64\[3\]"):
        _ = a @ a
    with pytest.raises(ad.ShapeError, match="cannot be added"):
        _ = a + a.T
    with pytest.raises(ad.ShapeError, match="3 columns and cannot be multiplied"):
        _ = a @ np.ones(2)
    with pytest.raises(ad.ShapeError, match="by a scalar") as error:
        _ = a * np.ones(2)
    assert "LinearMap.diagonal" in error.value.hint
    with pytest.raises(ad.UnsupportedError, match="composed by @"):
        _ = a * a
    with pytest.raises(TypeError):
        _ = a + 1.0
