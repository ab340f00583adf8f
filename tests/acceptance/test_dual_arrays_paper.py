"""The examples of the dual-numbers paper, section by section, through the public interface."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad
from mlirad.dialects import linear
from mlirad.ir.free_values import free_values
from mlirad.pipelines import expansion
from tests.acceptance.test_cost import run
from tests.generators import random_program
from tests.passes.derivatives import function_of, run_passes

both_evaluators = pytest.mark.parametrize("interpret", [False, True], ids=["compiled", "interpreted"])


@both_evaluators
def test_discrete_arguments_and_results(interpret):
    """Section 2.7: integers are constants, discrete results have no derivative, round has none either."""

    def function(n, x, b):
        y = np.where(b, x * n, x**2)
        return np.sum(y) * 3, np.round(y), np.argmax(y), y > 1

    arguments = (np.int64(3), np.array([0.4, 1.3]), np.array([True, False]))
    value, pullback = ad.vjp(function, *arguments, interpret=interpret)
    assert value[2] == 1
    np.testing.assert_array_equal(value[1], [1, 2])
    gradient = pullback((2.0, np.ones(2), None, None))
    assert (gradient[0], gradient[2]) == (None, None)
    np.testing.assert_allclose(gradient[1], 2 * 3 * np.array([3, 2.6]))
    _, tangent = ad.jvp(function, arguments, (None, np.ones(2), None), interpret=interpret)
    assert tangent[0] == pytest.approx(3 * 5.6)
    np.testing.assert_array_equal(tangent[1], [0, 0])
    assert tangent[2] is None
    assert tangent[3] is None


@both_evaluators
def test_matrix_product_by_build(interpret):
    """Section 3.1: elementwise, and by replicate, transpose and sum; both are one contraction in the end."""

    def by_build(x, y):
        return ad.build((3, 5), lambda i, j: np.sum(ad.build((4,), lambda k: x[i, k] * y[k, j])))

    def by_replicate(x, y):
        left = np.broadcast_to(x[:, None, :], (3, 5, 4))
        return np.sum(left * np.transpose(y)[None], axis=2)

    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(3, 4)), rng.normal(size=(4, 5))
    weights = rng.normal(size=(3, 5))
    for function in (by_build, by_replicate):
        np.testing.assert_allclose(ad.jit(function, interpret=interpret)(x, y), x @ y, rtol=1e-13)
        _, pullback = ad.vjp(function, x, y, interpret=interpret)
        for got, want in zip(pullback(weights), (weights @ y.T, x.T @ weights), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-13)
        module = run_passes(ad.trace(function, x, y), ",".join(expansion()))
        assert [op.name for op in module.walk() if op.name.startswith("array.")] == ["array.dot"]


@both_evaluators
def test_generalised_transposition(interpret):
    """Section 3.2: tr_{3,0,1,2} of shape [5, 3, 6, 9] has shape [9, 5, 3, 6]."""
    x = np.arange(5.0 * 3 * 6 * 9).reshape(5, 3, 6, 9)
    turned = ad.jit(lambda x: np.transpose(x, (3, 0, 1, 2)), interpret=interpret)(x)
    assert turned.shape == (9, 5, 3, 6)
    np.testing.assert_array_equal(turned, np.moveaxis(x, 3, 0))


@both_evaluators
def test_scatter(interpret):
    """Section 3.3: scatter [6] [1..9] (i -> i div 2); its pullback is the gather along the same positions."""
    function = lambda x: ad.scatter(x, (6,), lambda i: (i // 2,))  # noqa: E731
    x = np.arange(1.0, 10.0)
    value, pullback = ad.vjp(function, x, interpret=interpret)
    np.testing.assert_array_equal(value, [3, 7, 11, 15, 9, 0])
    (gradient,) = pullback(np.arange(6.0))
    np.testing.assert_array_equal(gradient, [0, 0, 1, 1, 2, 2, 3, 3, 4])


@both_evaluators
def test_conditional_inside_build(interpret):
    """Section 5.2: build 20 (i. cond (i < 10) a[i] a[i - 10]), and with branches that differ."""
    a = np.arange(10.0)
    function = lambda a: ad.build((20,), lambda i: np.where(i < 10, a[i], 3 * a[i - 10]))  # noqa: E731
    value, pullback = ad.vjp(function, a, interpret=interpret)
    np.testing.assert_array_equal(value, np.concatenate([a, 3 * a]))
    weights = np.arange(20.0)
    np.testing.assert_array_equal(pullback(weights)[0], weights[:10] + 3 * weights[10:])


@both_evaluators
def test_positions_from_integer_arrays_and_from_floats(interpret):
    """Sections 6.2 and 6.3: what positions are computed from is read as it is, without derivative."""
    table, at = np.array([2.0, 3.0, 5.0, 7.0]), np.array([3, 0, 3])

    def by_table(t):
        positions = ad.asarray(at)
        return np.sum(ad.gather(t, (3,), lambda i: (positions[i],)) ** 2)

    np.testing.assert_array_equal(ad.grad(by_table, interpret=interpret)(table), [4, 0, 0, 28])

    def by_floats(x):
        return np.sum(ad.build((3,), lambda i: x[np.floor(x[i]).astype(np.int64)] * x[i]))

    x = np.array([1.5, 2.25, 0.75])
    y = x[np.floor(x).astype(int)]
    expected = y.copy()
    np.add.at(expected, np.floor(x).astype(int), x)
    np.testing.assert_allclose(ad.grad(by_floats, interpret=interpret)(x), expected)


@both_evaluators
def test_condition_on_reals_over_whole_arrays(interpret):
    """Section 6.3: a condition on a real chooses between two arrays."""
    function = lambda x: np.sum(np.where(np.sum(x) > 1, x**2, np.sin(x)))  # noqa: E731
    gradient = ad.grad(function, interpret=interpret)
    np.testing.assert_allclose(gradient(np.array([0.1, 0.2])), np.cos([0.1, 0.2]))
    np.testing.assert_allclose(gradient(np.array([1.1, 0.2])), [2.2, 0.4])


@both_evaluators
def test_one_hot_by_gather(interpret):
    """Section 6.4: a one-hot array is a gather that reads outside everywhere but at one position."""

    def one_hot(v, k):
        return ad.gather(v[None], (5,), lambda i: (np.where(i == k, 0, 1),))

    for k in range(5):
        value, pullback = ad.vjp(one_hot, 2.5, k, interpret=interpret)
        np.testing.assert_array_equal(value, 2.5 * np.eye(5)[k])
        assert pullback(np.arange(10.0, 15.0))[0] == 10.0 + k


@pytest.mark.parametrize("seed", range(20))
def test_the_primal_part_never_uses_a_map(seed):
    """Section 7.6: only maps and their applications read maps, and both stand after what they need."""
    module = random_program(seed, 12, smooth=True, straight=True)
    derive = "differentiate{function=main wrt=0},mlirad-inline,bulk-operations,linearize"
    linearized = run_passes(module, derive)
    for op in linearized.walk():
        reads_map = any(isinstance(v.type, linear.MapType) for v in free_values(op))
        if reads_map and not op.name.startswith(("func.", "builtin.")):
            assert isinstance(op, linear.MapOp | linear.ApplicationOp), op.name


@both_evaluators
def test_an_array_of_results(interpret):
    """Appendix A: the gradient of a weighted sum of an array result, for weights that differ."""
    function = lambda x: np.sin(x)[:, None] * x[None, :]  # noqa: E731
    x, c = np.array([0.3, -0.4, 1.1]), np.arange(9.0).reshape(3, 3)
    _, pullback = ad.vjp(function, x, interpret=interpret)
    expected = np.cos(x) * (c @ x) + c.T @ np.sin(x)
    np.testing.assert_allclose(pullback(c)[0], expected, rtol=1e-13)


def test_thirty_doublings_are_not_expanded():
    """Appendix B: a Python variable used twice is one value; 2^30 of them would not end."""

    def function(x):
        for _ in range(30):
            x = np.sin(x) + x
        return x

    module = run_passes(ad.trace(ad.grad(function), 0.1), ",".join(expansion()))
    assert sum(1 for _ in module.walk()) < 300


def test_n_reads_by_index_cost_n():
    """Section 4.4: n reads of single elements, each in a line of its own, and their gradient."""

    def reads(n):
        return lambda x: sum(np.sin(x[i]) * x[n - 1 - i] for i in range(n))

    counts = [run(ad.grad(reads(n)), (np.ones(n),), expansion()).operations for n in (40, 80)]
    assert counts[1] <= 2.2 * counts[0]
    x = np.linspace(0.1, 1.0, 20)
    expected = np.cos(x) * x[::-1] + np.sin(x[::-1])
    np.testing.assert_allclose(ad.grad(reads(20))(x), expected)


def test_a_build_of_reads_is_a_gather_and_a_broadcast():
    """Section 4.5: build k (i. a[p(i)] + 1)."""
    module = run_passes(
        ad.trace(lambda a: ad.build((4,), lambda i: ad.index(a, (2 * i,)) + 1.0), np.ones(8)),
        "mlirad-canonicalize,bulk-operations,mlirad-dce",
    )
    names = [op.name for op in function_of(module, "main").body.block.ops]
    assert names.count("array.gather") == names.count("array.broadcast") == names.count("array.add") == 1
    assert "array.build" not in names


@both_evaluators
def test_a_filter_is_an_error_and_a_mask_is_not(interpret):
    """Section 5.2: an array whose extent depends on elements has no type; a sum over a mask does."""
    with pytest.raises(
        ad.TracingError, match=r"is used where its length is needed, which depends on a traced mask"
    ):
        ad.jit(lambda x: np.sort(x[x > 0]))(np.ones(3))
    gradient = ad.grad(lambda x: np.sum(np.where(x > 0, x**2, 0.0)), interpret=interpret)
    np.testing.assert_array_equal(gradient(np.array([1.0, -2.0, 3.0])), [2, 0, 6])


@both_evaluators
def test_conditions_on_reals_and_floors_choose_between_whole_arrays(interpret):
    """Section 6.3, with a real branch, and a position that is computed from a float array."""

    def function(x):
        chosen = ad.cond(x[0] > x[1], lambda: np.sin(x), lambda: x**2)
        return np.sum(chosen) * ad.gather(x, (2,), lambda i: (np.floor(x[i]).astype(np.int64),))[1]

    for x in (np.array([1.2, 0.4]), np.array([0.4, 1.2])):
        k = int(np.floor(x[1]))
        chosen, slope = (np.sin(x), np.cos(x)) if x[0] > x[1] else (x**2, 2 * x)
        expected = slope * x[k] + np.sum(chosen) * np.eye(2)[k]
        np.testing.assert_allclose(ad.grad(function, interpret=interpret)(x), expected, rtol=1e-14)


@pytest.mark.parametrize("n", [5, 9])
def test_the_self_convolution_broadcasts_its_cotangent_once(n):
    """Section 7.1: one broadcast of the cotangent, two contributions, added."""

    def convolution(a):
        return np.sum(ad.build((n,), lambda i: a[i] * a[n - 1 - i]))

    module = ad.trace(lambda a, c: ad.vjp(convolution, a)[1](c), np.ones(n), 1.0)
    expanded = run_passes(module, ",".join((*expansion(), "mlirad-dce")))
    names = [op.name for op in function_of(expanded, "main").body.block.ops]
    assert names.count("array.broadcast") == 1
    assert names.count("array.scatter") <= 1
    a = np.arange(1.0, n + 1)
    np.testing.assert_allclose(ad.vjp(convolution, a)[1](3.0)[0], 6.0 * a[::-1])
