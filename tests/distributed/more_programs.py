"""More programs by name: statistics, physics and networks on rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.special

import mlirad as ad
from tests.distributed.programs import ROWS, Case, data, program


@program("least squares by normal equations")
def _() -> Case:
    def solved(a: Any, x: Any, y: Any) -> Any:
        return np.linalg.solve(x.T @ x + a * np.eye(8), x.T @ y)

    _, x, y = data()
    return Case(ad.jit(solved), (0.1, x, y), (None, 0, 0))


@program("ridge on standardised columns")
def _() -> Case:
    def loss(w: Any, x: Any, y: Any) -> Any:
        d = x - np.mean(x, 0)
        return np.mean((d / np.sqrt(np.mean(d**2, 0)) @ w - y) ** 2) + 0.1 * w @ w

    return Case(ad.value_and_grad(loss), data(), (None, 0, 0), rounds=2)


def poisson(w: Any, x: Any, y: Any) -> Any:
    z = 0.1 * x @ w
    return np.mean(np.exp(z) - y * z + scipy.special.gammaln(y + 1.0)) + 0.1 * w @ w


@program("Poisson regression")
def _() -> Case:
    return Case(ad.value_and_grad(poisson), data(), (None, 0, 0))


@program("Newton step of a Poisson regression")
def _() -> Case:
    def step(w: Any, x: Any, y: Any) -> Any:
        return w - np.linalg.solve(ad.hessian(poisson)(w, x, y), ad.grad(poisson)(w, x, y))

    return Case(ad.jit(step), data(), (None, 0, 0))


def network(p: Any, x: Any, y: Any) -> Any:
    h = x
    for k in range(3):
        h = np.tanh(h @ p[f"w{k}"] + p[f"b{k}"])
    z = h @ p["o"]
    m = np.max(z, 1, keepdims=True)
    return -np.mean(np.sum((z - np.log(np.sum(np.exp(z - m), 1, keepdims=True)) - m) * y, 1))


@program("network with cross-entropy")
def _() -> Case:
    rng = np.random.default_rng(3)
    p: dict[str, Any] = {f"w{k}": rng.normal(size=(8, 8)) * 0.2 for k in range(3)}
    p |= {f"b{k}": np.zeros(8) for k in range(3)}
    p["o"] = rng.normal(size=(8, 4))
    y = np.eye(4)[rng.integers(0, 4, ROWS)]
    return Case(ad.value_and_grad(network), (p, data()[1], y), (None,) * 7 + (0, 0))


@program("Huber loss")
def _() -> Case:
    def loss(w: Any, x: Any, y: Any) -> Any:
        r = np.abs(x @ w - y)
        return np.sum(np.where(r < 1, 0.5 * r**2, r - 0.5))

    return Case(ad.value_and_grad(loss), data(), (None, 0, 0))


@program("quantile regression")
def _() -> Case:
    def loss(w: Any, x: Any, y: Any) -> Any:
        r = y - x @ w
        return np.mean(np.maximum(0.9 * r, -0.1 * r))

    return Case(ad.value_and_grad(loss), data(), (None, 0, 0))


@program("mean over a mask")
def _() -> Case:
    def loss(w: Any, x: Any, y: Any) -> Any:
        return np.mean(((x @ w - y) ** 2)[y > 0])

    return Case(ad.value_and_grad(loss), data(), (None, 0, 0), rounds=2)


@program("evidence of a linear model")
def _() -> Case:
    def evidence(a: Any, x: Any, y: Any) -> Any:
        g = x.T @ x + np.exp(a) * np.eye(8)
        b = x.T @ y
        return np.sum(np.log(np.diag(np.linalg.cholesky(g)))) - 0.5 * b @ np.linalg.solve(g, b)

    _, x, y = data()
    return Case(ad.value_and_grad(evidence), (0.3, x, y), (None, 0, 0), rounds=2)


@program("Gaussian process by inducing points")
def _() -> Case:
    def kernel(a: Any, b: Any, scale: Any) -> Any:
        return np.exp(-0.5 * np.sum((a[:, None] - b[None]) ** 2, 2) * np.exp(scale))

    def bound(z: Any, scale: Any, x: Any, y: Any) -> Any:
        m, n = 5, x.shape[0]
        factor = np.linalg.cholesky(kernel(z, z, scale) + 1e-6 * np.eye(m))
        a = scipy.linalg.solve_triangular(factor, kernel(z, x, scale), lower=True)
        b = np.eye(m) + a @ a.T / 0.1
        c = np.linalg.solve(b, a @ y) / 0.1
        trace = n - np.sum(a * a)
        logdet = np.linalg.slogdet(b)[1]
        return 0.5 * (logdet + (y @ y - (a @ y) @ c) / 0.1 + trace / 0.1)

    _, x, y = data(columns=2)
    return Case(
        ad.value_and_grad(bound, argnums=(0, 1)), (x[:5].copy(), 0.2, x, y), (None, None, 0, 0), rounds=2
    )


@program("matrix factorisation by rows")
def _() -> Case:
    def loss(users: Any, items: Any, ratings: Any) -> Any:
        return np.sum((users @ items.T - ratings) ** 2) + 0.1 * np.sum(users**2) + 0.1 * np.sum(items**2)

    rng = np.random.default_rng(5)
    args = rng.normal(size=(ROWS, 3)), rng.normal(size=(10, 3)), rng.normal(size=(ROWS, 10))
    return Case(ad.value_and_grad(loss, argnums=(0, 1)), args, (0, None, 0))


def reprojection(cameras: Any, points: Any, ci: Any, pi: Any, seen: Any) -> Any:
    c = cameras[ci]
    q = points[pi] + c[:, :3]
    r2 = np.sum(q[:, :2] ** 2, axis=1, keepdims=True)
    return q[:, :2] / q[:, 2:] * c[:, 3:4] * (1 + c[:, 4:5] * r2) - seen


def bundle() -> tuple[Any, ...]:
    rng = np.random.default_rng(6)
    cameras = rng.normal(size=(6, 5)) + np.array([0, 0, 5, 1, 0])
    at = rng.integers(0, 6, ROWS), rng.integers(0, 40, ROWS)
    return cameras, rng.normal(size=(40, 3)), *at, rng.normal(size=(ROWS, 2))


@program("bundle adjustment")
def _() -> Case:
    def loss(*args: Any) -> Any:
        return np.sum(reprojection(*args) ** 2)

    return Case(ad.value_and_grad(loss, argnums=(0, 1)), bundle(), (None, None, 0, 0, 0))


@program("bundle adjustment, Jacobian times vector")
def _() -> Case:
    def product(c: Any, p: Any, dc: Any, dp: Any, *at: Any) -> Any:
        return ad.jvp(lambda a, b: reprojection(a, b, *at), (c, p), (dc, dp))[1]

    c, p, *at = bundle()
    return Case(ad.jit(product), (c, p, 0.1 * c, 0.1 * p, *at), (None,) * 4 + (0, 0, 0))


@program("bundle adjustment, normal matrix times vector")
def _() -> Case:
    def product(c: Any, p: Any, dc: Any, dp: Any, *at: Any) -> Any:
        j = ad.linearize(lambda a, b: reprojection(a, b, *at), c, p)[1]
        return j.T(j(dc, dp))

    c, p, *at = bundle()
    return Case(ad.jit(product), (c, p, 0.1 * c, 0.1 * p, *at), (None,) * 4 + (0, 0, 0))


@program("Kalman filters, one for each row")
def _() -> Case:
    def loss(theta: Any, series: Any) -> Any:
        def likelihood(line: Any) -> Any:
            def step(state: Any, y: Any) -> Any:
                mean, variance, total = state
                mean, variance = theta[0] * mean, theta[0] ** 2 * variance + np.exp(theta[1])
                s = variance + np.exp(theta[2])
                gain, r = variance / s, y - mean
                return (mean + gain * r, (1 - gain) * variance, total + np.log(s) + r**2 / s), None

            return ad.scan(step, (0.0, 1.0, 0.0), line)[0][2]

        return np.sum(ad.vmap(likelihood)(series))

    return Case(ad.value_and_grad(loss), (np.array([0.9, -1.0, 0.1]), data()[1]), (None, 0))


def pendulum(theta: Any, x: Any) -> Any:
    return ad.odeint(lambda y, t: np.stack([y[1], -theta * np.sin(y[0])]), x, np.array([0.0, 0.5]))[-1]


@program("ensemble by odeint, gradients of rows")
def _() -> Case:
    def gradients(theta: Any, x: Any) -> Any:
        return ad.vmap(ad.grad(lambda x: np.sum(pendulum(theta, x) ** 2)))(x)

    return Case(ad.jit(gradients), (1.3, data(columns=2)[1]), (None, 0))


@program("ensemble by odeint, gradient in a parameter")
def _() -> Case:
    def loss(theta: Any, x: Any) -> Any:
        return np.mean(ad.vmap(lambda x: np.sum(pendulum(theta, x) ** 2))(x))

    return Case(ad.value_and_grad(loss), (1.3, data(columns=2)[1]), (None, 0))


@program("variational inference with draws for each row")
def _() -> Case:
    def bound(q: Any, x: Any, y: Any) -> Any:
        def local(x: Any, y: Any, noise: Any) -> Any:
            z = q[0] + np.exp(q[1]) * noise
            return -0.5 * (y - x @ z[:8]) ** 2 - 0.5 * np.sum(z**2) + np.sum(q[1])

        noise = ad.random.normal(ad.random.key(4), (y.shape[0], 8))
        return np.mean(ad.vmap(local)(x, y, noise))

    w, x, y = data()
    return Case(ad.value_and_grad(bound), (np.stack([w, 0.1 * w]), x, y), (None, 0, 0))


@program("hierarchical model, groups of rows")
def _() -> Case:
    def energy(p: Any, group: Any, y: Any) -> Any:
        return 0.5 * np.sum((y - p["mean"][group]) ** 2) + 0.5 * np.sum((p["mean"] - p["all"]) ** 2)

    rng = np.random.default_rng(8)
    p = {"mean": rng.normal(size=12), "all": 0.3}
    return Case(ad.value_and_grad(energy), (p, rng.integers(0, 12, ROWS), data()[2]), (None, None, 0, 0))


@program("sums of groups, squared")
def _() -> Case:
    def loss(w: Any, x: Any, group: Any) -> Any:
        return np.sum(ad.bincount(group, x @ w, length=12) ** 2)

    w, x, _ = data()
    group = np.random.default_rng(9).integers(0, 12, ROWS)
    return Case(ad.value_and_grad(loss), (w, x, group), (None, 0, 0), rounds=2)


@program("labels of clusters")
def _() -> Case:
    def labels(c: Any, x: Any) -> Any:
        return np.argmin(np.sum((x[:, None] - c[None]) ** 2, 2), 1)

    return Case(ad.jit(labels), (data()[1][:5].copy(), data(1)[1]), (None, 0))


@program("attention over rows")
def _() -> Case:
    def loss(w: Any, x: Any) -> Any:
        z = x @ w
        a = np.exp(z - np.max(z))
        return np.sum(((a / np.sum(a)) @ x) ** 2)

    return Case(ad.value_and_grad(loss), data()[:2], (None, 0), rounds=2)


@program("principal components")
def _() -> Case:
    def spread(w: Any, x: Any) -> Any:
        return np.sum(np.linalg.eigvalsh((x * w).T @ (x * w))[-2:])

    return Case(ad.value_and_grad(spread), data()[:2], (None, 0), rounds=2)


@program("covariance")
def _() -> Case:
    return Case(ad.jit(lambda x: np.cov(x.T)), (data()[1],), (0,), rounds=3)


@program("correlation")
def _() -> Case:
    def loss(w: Any, x: Any, y: Any) -> Any:
        return -np.corrcoef(x @ w, y)[0, 1]

    return Case(ad.value_and_grad(loss), data(), (None, 0, 0), rounds=7)


@program("survival with censoring")
def _() -> Case:
    def loss(w: Any, x: Any, died: Any) -> Any:
        time = np.abs(x[:, 0]) + 0.1
        rate = np.exp(0.1 * x @ w)
        return np.sum(rate * time**1.5 - died * (np.log(1.5 * rate) + 0.5 * np.log(time)))

    return Case(ad.value_and_grad(loss), data(), (None, 0, 0))


@program("spectra of rows")
def _() -> Case:
    def loss(w: Any, x: Any) -> Any:
        return np.sum(np.abs(np.fft.rfft(x * w, axis=1)) ** 2 * np.arange(5.0))

    return Case(ad.value_and_grad(loss), data()[:2], (None, 0))


@program("medians of rows")
def _() -> Case:
    return Case(ad.value_and_grad(lambda w, x: np.sum(np.median(x * w, axis=1))), data()[:2], (None, 0))


@program("layer norm")
def _() -> Case:
    def loss(w: Any, x: Any, y: Any) -> Any:
        m = np.mean(x, 1, keepdims=True)
        h = (x - m) / np.sqrt(np.mean((x - m) ** 2, 1, keepdims=True) + 1e-5)
        return np.mean((np.tanh(h * w).sum(1) - y) ** 2)

    return Case(ad.value_and_grad(loss), data(), (None, 0, 0))


@program("recurrent network over columns")
def _() -> Case:
    def loss(w: Any, x: Any, y: Any) -> Any:
        def step(h: Any, column: Any) -> Any:
            return np.tanh(w[0] * h + w[1] * column + w[2]), None

        h, _ = ad.scan(step, np.zeros_like(y), x.T)
        return np.mean((h - y) ** 2)

    return Case(ad.value_and_grad(loss), data(), (None, 0, 0))


@program("naive Bayes counts")
def _() -> Case:
    def fitted(x: Any, y: Any) -> Any:
        one = y[:, None]
        n = np.sum(one)
        return np.sum(x * one, 0) / n, np.sum(x * (1 - one), 0) / (x.shape[0] - n), np.max(np.abs(x), 0)

    return Case(ad.jit(fitted), data()[1:], (0, 0))


@program("variance by np.var")
def _() -> Case:
    return Case(ad.jit(lambda x: np.var(x, axis=0)), (data()[1],), (0,), rounds=2)
