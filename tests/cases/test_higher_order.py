"""Reference cases about derivatives of derivatives, linear maps, norms, and training."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad
from examples.programs import gmm

from .case import assert_agree
from .horde_ad import (
    blowup,
    blowup_gradient,
    foo,
    fully_connected,
    fully_connected_parameters,
)

both_evaluators = pytest.mark.parametrize("interpret", [False, True], ids=["compiled", "interpreted"])


def reverse(f):
    return ad.grad(f)


def forward(f):
    return lambda x: ad.jvp(f, (x,), (1.0,))[1]


def composed(*modes):
    """sin differentiated once per mode, innermost first."""
    f = np.sin
    for mode in modes:
        f = mode(f)
    return f


MODES = {"r": reverse, "f": forward}
DERIVATIVES_OF_SINE = {1: 0.4535961214255773, 2: -0.8912073600614354, 3: -0.4535961214255773}


@both_evaluators
@pytest.mark.parametrize(
    "word",
    ["r", "f", "rr", "rf", "fr", "ff", "rrr", "rrf", "rfr", "rff", "frr", "frf", "ffr", "fff"],
)
def test_nested_derivatives_of_sine(word, interpret):
    """hd-nested-derivatives-sin (Mikolaj/horde-ad): every mixture of the two modes."""
    f = composed(*(MODES[letter] for letter in word))
    result = ad.jit(f, interpret=interpret)(1.1)
    assert_agree(result, DERIVATIVES_OF_SINE[len(word)], 1e-9)


@both_evaluators
@pytest.mark.parametrize("inner", "rf")
@pytest.mark.parametrize("outer", "rf")
def test_derivative_of_a_composed_derivative(inner, outer, interpret):
    """hd-nested-derivatives-sin: (D sin)((D sin) x) and its derivative, and a scaled tangent."""
    slope = MODES[inner](np.sin)
    twice = lambda x: slope(slope(x))  # noqa: E731
    assert_agree(ad.jit(twice, interpret=interpret)(1.1), 0.8988770945225438, 1e-9)
    derivative = ad.jit(MODES[outer](twice), interpret=interpret)(1.1)
    assert_agree(derivative, 0.39052780643689855, 1e-9)
    _, scaled = ad.jvp(slope, (1.1,), (1.1,), interpret=interpret)
    assert_agree(scaled, -0.9803280960675791, 1e-9)


def bell(x):
    return np.exp(0.5 * np.sum(x**2))


@both_evaluators
@pytest.mark.parametrize(
    "hessian_vector_product",
    [
        lambda x, v: ad.jvp(ad.grad(bell), (x,), (v,))[1],
        lambda x, v: ad.grad(lambda y: ad.jvp(bell, (y,), (v,))[1])(x),
        lambda x, v: ad.grad(lambda y: np.sum(ad.grad(bell)(y) * v))(x),
        lambda x, v: ad.hvp(bell, (x,), (v,)),
    ],
    ids=["forward-over-reverse", "reverse-over-forward", "reverse-over-reverse", "hvp"],
)
def test_hessian_vector_product(hessian_vector_product, interpret):
    """dex-hvp-all-orders (google-research/dex-lang): H v = f ((x . v) x + v)."""
    x, v = np.array([0.1, 0.2, 0.3]), np.array([0.2, 0.3, 0.4])
    assert_agree(ad.jit(bell, interpret=interpret)(x), 1.072508, 5e-7)
    product = ad.jit(hessian_vector_product, interpret=interpret)(x, v)
    assert_agree(product, [0.235952, 0.364653, 0.493354], 5e-6)
    assert_agree(product, np.exp(0.5 * x @ x) * ((x @ v) * x + v), 1e-9)


@both_evaluators
@pytest.mark.parametrize(
    ("function", "primals", "cotangent", "expected"),
    [
        (lambda x: x + (x + x) * 2, (2.0,), 1.0, 5.0),
        (lambda x: (x, 2 * x), (2.0,), (1.0, 3.0), 7.0),
        (lambda x, y: x + 2 * y, (2.0, 3.0), 1.0, (1.0, 2.0)),
        (lambda x: ad.build((2,), lambda i: x), (2.0,), np.array([1.0, 2.0]), 3.0),
        (
            lambda xs: ad.build((2,), lambda i: xs[i] * 2),
            (np.array([5.0, 6.0]),),
            np.array([1.0, 2.0]),
            [2.0, 4.0],
        ),
    ],
    ids=["sum", "pair", "two-arguments", "replicated", "elementwise"],
)
def test_transposed_linear_map(function, primals, cotangent, expected, interpret):
    """dex-transpose-linear (google-research/dex-lang)."""
    _, linear_map = ad.linearize(function, *primals, interpret=interpret)
    assert_agree(linear_map.T(cotangent), expected, 1e-9)


@both_evaluators
def test_transposing_twice_is_the_map_itself(interpret):
    """dex-transpose-linear: the transpose of the transpose of x -> x + x + x."""
    _, triple = ad.linearize(lambda x: x + x + x, 2.0, interpret=interpret)
    assert_agree(triple.T.T(1.0), 3.0, 1e-9)


@both_evaluators
def test_gradient_of_gather_is_constant(interpret):
    """jax-indexing-grad (jax-ml/jax): the gradient of sum(x[i]) does not depend on x."""
    x, rows = np.ones((3, 4)), np.array([1, 1, 1])
    gradient = ad.grad(lambda x: np.sum(x[rows]))
    value, dvalue = ad.jvp(gradient, (x,), (np.ones_like(x),), interpret=interpret)
    assert_agree(value, [[0] * 4, [3] * 4, [0] * 4], 1e-9)
    np.testing.assert_array_equal(dvalue, np.zeros((3, 4)))


def test_gradients_keep_the_dtype_of_their_argument():
    """hd-foo-readme: single precision among double, as the argument and as the result."""
    mixed = lambda x, y, z: foo(x, y.astype(np.float64), z)  # noqa: E731
    parts = ad.grad(mixed, argnums=(0, 1, 2))(1.1, np.float32(2.2), 3.3)
    assert [part.dtype for part in parts] == [np.float64, np.float32, np.float64]
    narrowed = lambda x, y, z: foo(x, y, z).astype(np.float32)  # noqa: E731
    value, parts = ad.value_and_grad(narrowed, argnums=(0, 1, 2))(1.1, 2.2, 3.3)
    assert value.dtype == np.float32
    assert [part.dtype for part in parts] == [np.float64] * 3


def test_shared_values_are_differentiated_once():
    """hd-sharing-blowup (Mikolaj/horde-ad), of 400 steps: a tree of 2^400 nodes."""
    gradient = ad.grad(blowup(400))(np.array([2.0, 3.0]))
    assert_agree(gradient, blowup_gradient(400), 1e-9)


@both_evaluators
def test_gradient_norms_of_a_fully_connected_network(interpret):
    """hd-mnist-fcnn2 (Mikolaj/horde-ad): one input, 784 - 30 - 10 - 10."""
    value, gradient = ad.value_and_grad(fully_connected, argnums=(0, 1, 2, 3, 4, 5), interpret=interpret)(
        *fully_connected_parameters()
    )
    assert_agree(value, 9.013530603083728, 1e-9)
    norms = [5.575146084700562, 0.3248691057326179, 3.7063024008126755]
    norms += [0.9708304621515655, 2.0569101563688985, 1.1524319397599667]
    assert_agree(np.array([np.linalg.norm(part) for part in gradient]), norms, 1e-9)


def xor_loss(w):
    """Squared errors of a net of three tanh neurons, nine weights, on the four points of XOR."""

    def neuron(x, y, k):
        return np.tanh(x * w[k] + y * w[k + 1] + w[k + 2])

    def output(x, y):
        return np.tanh(neuron(x, y, 0) * w[6] + neuron(x, y, 3) * w[7] + w[8])

    return sum((output(x, y) - (x != y)) ** 2 for x in (0, 1) for y in (0, 1))


def test_gradient_descent_learns_xor():
    """hd-xor-sgd (Mikolaj/horde-ad): 500 steps of size 0.1; the figures are single precision."""
    w = np.array([0.37, 0.28, 0.19] * 3)
    gradient = ad.grad(xor_loss)
    for _ in range(500):
        w = w - 0.1 * gradient(w)
    weights = [2.256964, 2.255974, -0.6184606, 0.943269, 0.9431414]
    weights += [-1.2784432, 1.805072, -1.9925138, -0.704399]
    assert_agree(w, weights, 2e-6)
    assert_agree(xor_loss(w), 0.0120509565, 1e-5)


@both_evaluators
def test_a_training_loop_learns_xor(interpret):
    """hd-xor-sgd: the same descent as a loop of the language; after 5000 steps single precision drifts."""
    descend = ad.jit(
        lambda w, steps: ad.fori_loop(0, steps, lambda _, w: w - 0.1 * ad.grad(xor_loss)(w), w),
        static_argnames="steps",
        interpret=interpret,
    )
    start = np.array([0.37, 0.28, 0.19] * 3)
    assert_agree(xor_loss(descend(start, steps=500)), 0.0120509565, 1e-5)
    if not interpret:
        weights = [2.4474504, 2.4467778, -0.8350617, 1.3046894, 1.3045748, -1.8912042]
        weights += [2.3819275, -2.5550227, -0.8139653]
        w = descend(start, steps=5000)
        assert_agree(w, weights, 1e-3)
        assert_agree(xor_loss(np.array(weights)), 0.00018524402, 1e-2)
        assert xor_loss(w) < 0.0002


def hashed(seed, shape):
    """The numbers in [0, 1) that Knossos' counter-based generator gives for seed, seed + 1, ..."""
    word = (1 << 64) - 1

    def number(v):
        v = (v * 3935559000370003845 + 2691343689449507681) & word
        v ^= v >> 21
        v ^= (v << 37) & word
        v ^= v >> 4
        v = (v * 4768777513237032717) & word
        v ^= (v << 20) & word
        v ^= v >> 41
        v ^= (v << 5) & word
        return v * 5.42101086242752217e-20

    size = int(np.prod(shape))
    return np.array([number(seed + position) for position in range(size)]).reshape(shape)


@both_evaluators
def test_knossos_gmm(interpret):
    """ks-gmm-golden (microsoft/knossos-ksc): the gradient in every real argument, gamma too."""
    d, n, k = 4, 5, 10
    alpha, mu = hashed(1000, (k,)), hashed(2000, (k, d))
    q, l = 0.1 * hashed(3000, (k, d)), hashed(4000, (k, d * (d - 1) // 2))  # noqa: E741
    x = hashed(0, (n, d))
    value, gradient = ad.value_and_grad(
        gmm.adbench_objective, argnums=(0, 1, 2, 3, 4, 6), interpret=interpret
    )(alpha, mu, q, l, x, 7, 3.1)
    assert_agree(value, 76.0882, 1e-6)
    assert_agree(value, 76.08824504948234, 1e-9)
    norms = [0.38256471166574096, 1.7539982481031404, 25.885617786485646]
    norms += [42.68228213018534, 1.6925952043407073, 44.169999106865106]
    assert_agree(np.array([np.linalg.norm(part) for part in gradient]), norms, 1e-9)


@both_evaluators
def test_holomorphic_and_complex_gradients(interpret):
    """jax-holomorphic-complex"""
    holomorphic = ad.grad(np.sin, holomorphic=True, interpret=interpret)
    assert_agree(holomorphic(1 + 2j), 2.0327230070196656 - 3.0518977991518j, 1e-12)
    cosines = ad.grad(lambda z: np.sum(np.cos(np.abs(z))), interpret=interpret)
    stated = [0, -0.80430663 + 0.40215331j, -0.70368982 + 0.35184491j, 0.1886467 - 0.09432335j]
    stated.append(0.86873727 - 0.43436864j)
    assert_agree(cosines((1 + 0.5j) * np.arange(5)), stated, 1e-7)
    squared = ad.grad(lambda x, y: np.abs(x) ** 2 + y, argnums=(0, 1), interpret=interpret)
    assert_agree(squared(1 + 1j, 2.0), (2 - 2j, 1.0), 1e-12)
