"""Programs written for JAX: layers, losses, loops, sorts, sums of segments, optimisers, integrators.

`PROGRAMS` has each function with its arguments. `generate.py` has JAX lower and run them. The tests read what
it wrote, so they need no JAX.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {}
_random = np.random.default_rng(20)


def normal(*shape: int) -> Any:
    return np.round(_random.normal(size=shape), 3)


def program(*arguments: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[function.__name__] = function, arguments
        return function

    return enter


LABELS = np.array([2, 0, 1, 3, 1])


@program(normal(5, 3), normal(3, 4), normal(4))
def dense_tanh(x, w, b):
    return jnp.tanh(x @ w + b)


@program(normal(4, 6), normal(6, 5), normal(5, 3))
def mlp_gelu(x, w1, w2):
    return jax.nn.gelu(x @ w1) @ w2


@program(normal(5, 4))
def softmax(x):
    return jax.nn.softmax(x, axis=-1)


@program(normal(5, 4))
def cross_entropy(logits):
    return -jnp.mean(jax.nn.log_softmax(logits)[jnp.arange(5), LABELS])


@program(normal(5, 4))
def one_hot_cross_entropy(logits):
    return -jnp.sum(jax.nn.one_hot(LABELS, 4) * jax.nn.log_softmax(logits)) / 5


@program(normal(4, 6), normal(6), normal(6))
def layer_norm(x, scale, shift):
    mean, variance = jnp.mean(x, -1, keepdims=True), jnp.var(x, -1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + shift


@program(normal(8, 3), normal(3), normal(3))
def batch_norm(x, scale, shift):
    return (x - x.mean(0)) / jnp.sqrt(x.var(0) + 1e-3) * scale + shift


@program(normal(3, 5))
def log_sum_exp(x):
    return jax.scipy.special.logsumexp(x, axis=1)


@program(normal(6, 4), np.array([3, 0, 5, 3, -1]))
def embedding(table, tokens):
    return table[tokens]


@program(normal(1, 2, 6, 6), normal(3, 2, 3, 3))
def convolution_same(x, k):
    return lax.conv_general_dilated(x, k, (1, 1), "SAME")


@program(normal(2, 7, 7, 4), normal(3, 3, 2, 6))
def convolution_strided_groups(x, k):
    return lax.conv_general_dilated(
        x, k, (2, 2), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=2
    )


@program(normal(1, 8, 2), normal(3, 2, 3))
def convolution_dilated(x, k):
    return lax.conv_general_dilated(
        x, k, (1,), [(2, 1)], rhs_dilation=(2,), lhs_dilation=(2,), dimension_numbers=("NWC", "WIO", "NWC")
    )


@program(normal(9), normal(4))
def convolve(x, k):
    return jnp.convolve(x, k)


@program(normal(2, 3, 6, 6))
def max_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")


@program(normal(1, 5, 5, 2))
def average_pool(x):
    return lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME") / 9


@program(normal(1, 4, 4, 1))
def max_pool_gradient(x):
    def pooled(y):
        return (lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 1, 1, 1), "VALID") ** 2).sum()

    return jax.grad(pooled)(x)


@program(normal(2, 5, 6), normal(6, 6), normal(6, 6), normal(6, 6), normal(6, 6))
def attention(x, wq, wk, wv, wo):
    def heads(y):
        return y.reshape(2, 5, 2, 3).transpose(0, 2, 1, 3)

    q, k, v = heads(x @ wq), heads(x @ wk), heads(x @ wv)
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(3.0)
    scores = jnp.where(jnp.tril(jnp.ones((5, 5), bool)), scores, -1e9)
    mixed = jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores), v)
    return mixed.transpose(0, 2, 1, 3).reshape(2, 5, 6) @ wo


@program(normal(4, 6), normal(6, 18), normal(6, 6), normal(6, 8), normal(8, 6), normal(6))
def transformer_block(x, wqkv, wo, w1, w2, scale):
    def norm(y):
        return (y - y.mean(-1, keepdims=True)) / jnp.sqrt(y.var(-1, keepdims=True) + 1e-6) * scale

    q, k, v = jnp.split(norm(x) @ wqkv, 3, axis=-1)
    x = x + jax.nn.softmax(q @ k.T / np.sqrt(6.0)) @ v @ wo
    return x + jax.nn.silu(norm(x) @ w1) @ w2


@program(normal(7, 3), normal(3, 4), normal(4, 4), normal(4))
def recurrent_network(xs, wx, wh, start):
    def step(h, x):
        h = jnp.tanh(x @ wx + h @ wh)
        return h, h.sum()

    return lax.scan(step, start, xs)


@program(normal(5, 2, 3), normal(3, 16), normal(4, 16), normal(16))
def lstm(xs, wx, wh, bias):
    def step(carry, x):
        h, c = carry
        i, f, g, o = jnp.split(x @ wx + h @ wh + bias, 4, axis=-1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zeros = jnp.zeros((2, 4))
    return lax.scan(step, (zeros, zeros), xs)[1]


@program(normal(6, 3), normal(3))
def reverse_scan(xs, start):
    def step(c, x):
        c = 0.5 * c + jnp.sin(x)
        return c, c * x

    return lax.scan(step, start, xs, reverse=True)


@program(normal(4), normal(4))
def for_loop(x, v):
    return lax.fori_loop(0, 6, lambda i, c: jnp.sin(c) * v + i * 0.1, x)


@program(np.array(1.7))
def while_loop(x):
    return lax.while_loop(lambda c: c[0] < 50.0, lambda c: (c[0] * c[1], c[1] + 0.1), (x, x))[0]


@program(normal(3), np.array(1))
def branches(x, k):
    picked = lax.switch(k, [jnp.sin, jnp.exp, lambda y: y * y], x)
    return lax.cond(x.sum() > 100.0, lambda y: y * 2, lambda y: y * picked, x)


@program(normal(4, 5))
def sorts(x):
    return jnp.sort(x, axis=1), jnp.sort(x, axis=0, descending=True) * 2


@program(normal(6), normal(6, 2))
def argsort_and_take(x, y):
    order = jnp.argsort(-x)
    return y[order] * x[order][:, None]


@program(normal(3, 7))
def top_k(x):
    values, positions = lax.top_k(x, 3)
    return values, positions


@program(normal(4, 5))
def extremes(x):
    return jnp.max(x, 0), jnp.min(x), jnp.argmax(x, 1), jnp.argmin(x, 0), jnp.median(x)


@program(normal(6), normal(6))
def prefixes(x, y):
    return jnp.cumsum(x), jnp.cumprod(y), lax.cummax(x), lax.cumlogsumexp(y), lax.cumsum(y, reverse=True)


@program(normal(7, 2))
def segment_sum(x):
    return jax.ops.segment_sum(x, jnp.array([0, 2, 1, 2, 0, 5, 2]), 4)


@program(normal(7))
def segment_max(x):
    return jax.ops.segment_max(x, jnp.array([0, 2, 1, 2, 0, 1, 2]), 3)


@program(normal(5, 3), normal(2, 3), np.array(3))
def updates(x, y, i):
    x = x.at[jnp.array([0, 4])].add(y).at[i].set(y[0] * 2).at[1, 2].multiply(3.0)
    return lax.dynamic_update_slice(x, y[:, :2], (i - 2, 1)) * x.at[7].get(mode="fill", fill_value=1.5)


@program(normal(6, 4), np.array(2), np.array(1))
def slices(x, i, j):
    return (
        lax.dynamic_slice(x, (i, j), (3, 2)),
        x[::-1, 1::2],
        jnp.roll(x, 2, 0),
        jnp.take_along_axis(x, jnp.array([[0, 3], [1, 1], [2, 0], [3, 3], [0, 0], [2, 1]]), 1),
        jnp.pad(x, ((1, 0), (0, 2)), mode="edge"),
    )


@program(normal(5), np.abs(normal(5)) + 0.5)
def special_functions(x, y):
    small = 0.9 * jnp.tanh(x)
    return (
        lax.erf(x) + lax.erfc(x) * x + lax.erf_inv(small) + lax.lgamma(y) * lax.digamma(y),
        jnp.arcsinh(x) + jnp.arctanh(small) + jnp.arccosh(1 + y) + jnp.cbrt(y) + jnp.log1p(y) * jnp.expm1(x),
        jnp.hypot(x, y) + jnp.arctan2(x, y) + y**x + y**3.5 + lax.integer_pow(x, 5) + jnp.logaddexp(x, y),
    )


@program(normal(6, 3), normal(3), np.array([1.0, 0, 1, 1, 0, 1]))
def logistic_regression(x, w, y):
    z = x @ w
    return jnp.mean(jnp.logaddexp(0.0, z) - y * z) + 0.1 * jnp.sum(w**2)


@program(normal(5), normal(5))
def huber_and_norms(x, y):
    d = jnp.abs(x - y)
    huber = jnp.sum(jnp.where(d < 1.0, 0.5 * d * d, d - 0.5))
    return huber, jnp.linalg.norm(x), jnp.clip(x, -0.5, 0.5), jnp.maximum(x, y), jax.nn.softplus(x)


@program(normal(4), normal(4), normal(4), np.abs(normal(4)))
def adam_step(w, g, m, v):
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return w - 1e-2 * (m / (1 - 0.9**3)) / (jnp.sqrt(v / (1 - 0.999**3)) + 1e-8), m, v


@program(normal(4, 3), normal(4), normal(3))
def gradient_descent(x, y, w):
    loss = lambda w: jnp.mean((x @ w - y) ** 2)  # noqa: E731
    return lax.fori_loop(0, 5, lambda _, w: w - 0.1 * jax.grad(loss)(w), w)


@program(np.array([1.0, 0.5]), np.array([1.1, 0.4, 0.2, 0.3]))
def predators_by_runge_kutta(state, rates):
    a, b, c, d = rates

    def slope(s):
        return jnp.array([s[0] * (a - b * s[1]), s[1] * (c * s[0] - d)])

    def step(s, _):
        k1 = slope(s)
        k2 = slope(s + 0.05 * k1)
        k3 = slope(s + 0.05 * k2)
        k4 = slope(s + 0.1 * k3)
        s = s + 0.1 / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return s, s

    return lax.scan(step, state, None, length=12)[1]


@program(normal(4, 4), normal(4, 2))
def linear_algebra(a, b):
    spd = a @ a.T + 4 * jnp.eye(4)
    factor = jnp.linalg.cholesky(spd)
    solved = jax.scipy.linalg.solve_triangular(factor, b, lower=True)
    return factor, solved, jnp.linalg.solve(spd, b), jnp.linalg.slogdet(spd)[1], jnp.linalg.inv(spd)


@program(normal(4, 3))
def gaussian_process(x):
    d = jnp.sum((x[:, None] - x[None]) ** 2, -1)
    k = jnp.exp(-0.5 * d) + 0.1 * jnp.eye(4)
    chol = jnp.linalg.cholesky(k)
    alpha = jax.scipy.linalg.cho_solve((chol, True), x[:, 0])
    return 0.5 * x[:, 0] @ alpha + jnp.sum(jnp.log(jnp.diagonal(chol)))


@program(normal(6, 2), normal(3, 2))
def kmeans_step(points, centres):
    distances = jnp.sum((points[:, None] - centres[None]) ** 2, -1)
    nearest = jnp.argmin(distances, 1)
    sums = jax.ops.segment_sum(points, nearest, 3)
    counts = jax.ops.segment_sum(jnp.ones(6), nearest, 3)
    return sums / jnp.maximum(counts, 1.0)[:, None], jnp.min(distances, 1).sum()


@program(normal(3, 4))
def dropout_by_key(x):
    key = jax.random.PRNGKey(3)
    mask = jax.random.bernoulli(key, 0.6, x.shape)
    noise = jax.random.normal(jax.random.split(key)[0], x.shape)
    return jnp.where(mask, x / 0.6, 0.0) + noise


@program(normal(5), np.linspace(-2.0, 2.0, 6), normal(6))
def interpolation(x, knots, heights):
    return jnp.interp(x, knots, heights), jnp.searchsorted(knots, x)


@program(normal(4), normal(4))
def associative_scan(a, b):
    return lax.associative_scan(lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), (a, b))


@program(normal(3, 4), normal(4))
def mapped_gradients(x, w):
    return jax.vmap(jax.grad(lambda w, r: jnp.sin(r @ w) ** 2), (None, 0))(w, x)


@program(normal(4))
def stopped_and_rematerialised(x):
    return jax.checkpoint(lambda y: jnp.sin(y) * jnp.exp(jnp.cos(y)))(x)
