"""Programs of statistics and machine learning, as tutorials have them: losses of one vector of parameters."""

from __future__ import annotations

import numpy as np
import scipy.linalg as la
import scipy.special as sp
from scipy import stats

PROGRAMS = {}
RNG = np.random.default_rng(11)
X = RNG.normal(size=(12, 3))
Y = np.sin(X[:, 0]) + 0.3 * X[:, 1] * X[:, 2]
LABELS = (Y > 0).astype(float)
T = np.linspace(0.0, 3.0, 15)
COUNTS = np.array([0, 2, 1, 3, 1, 0, 4, 2, 2, 1, 0, 3])


def at(*start):
    def add(function):
        PROGRAMS[function.__name__] = function, np.array(start)
        return function

    return add


@at(0.2, -0.4, 0.7, 0.1, -0.3, 0.5, 0.3, -0.2, 0.4, 0.6, -0.5)
def perceptron_of_two_layers(p):
    w, b, v, c = p[:6].reshape(3, 2), p[6:8], p[8:10], p[10]
    hidden = np.tanh(np.dot(X, w) + b)
    return np.mean((hidden @ v + c - Y) ** 2)


@at(0.4, -0.3, 0.2, 0.1)
def logistic_regression(p):
    scores = X @ p[:3] + p[3]
    return -np.sum(LABELS * np.log(sp.expit(scores)) + (1 - LABELS) * sp.log_expit(-scores)) + 0.1 * p @ p


@at(0.1, 0.2, -0.1, 0.3, -0.2, 0.05, 0.4, 0.1, -0.3)
def softmax_classes(p):
    scores = np.matmul(X, np.reshape(p, (3, 3)))
    classes = np.digitize(Y, [-0.3, 0.3])
    log_shares = scores - sp.logsumexp(scores, axis=1, keepdims=True)
    return -np.mean(log_shares[np.arange(12), classes])


@at(0.3, -0.5, -1.2)
def gaussian_process(p):
    scale, width, noise = np.exp(p)
    d = T[:, None] - T[None, :]
    k = scale * np.exp(-0.5 * (d / width) ** 2) + (noise + 1e-6) * np.eye(15)
    factor = la.cho_factor(k, lower=True)
    y = np.sin(2 * T)
    fit, size = 0.5 * y @ la.cho_solve(factor, y), np.sum(np.log(np.diag(factor[0])))
    return fit + size + 7.5 * np.log(2 * np.pi)


@at(0.5, -0.4, -1.0, 1.2, 0.1, -0.2)
def mixture_of_two(p):
    weights = sp.log_softmax(p[:2])
    return -np.sum(sp.logsumexp(weights + stats.norm.logpdf(Y[:, None], p[2:4], np.exp(p[4:])), axis=1))


@at(-0.7, 0.8, 0.3, 0.2)
def means_of_clusters(p):
    d = (X[:, None, :2] - p.reshape(2, 2)[None]) ** 2
    return np.sum(np.min(np.sum(d, axis=2), axis=1))


@at(0.3, -0.2, 0.1, 0.4, -0.6, -0.3)
def variational_autoencoder(p):
    mean, log_scale = X @ p[:3], p[3]
    noise = np.linspace(-1, 1, 12)
    z = mean + np.exp(log_scale) * noise
    misfit = np.sum((X - np.outer(z, [p[4], p[5], 0.5])) ** 2)
    divergence = -0.5 * np.sum(1 + 2 * log_scale - mean**2 - np.exp(2 * log_scale))
    return misfit + divergence


@at(0.2, 0.3)
def poisson_counts(p):
    rate = np.exp(p[0] + p[1] * np.arange(12) / 12)
    return -np.sum(stats.poisson.logpmf(COUNTS, rate))


@at(0.1, 0.5, 2.0)
def robust_regression(p):
    residuals = Y - p[0] - p[1] * X[:, 0]
    return np.sum(
        np.where(np.abs(residuals) < p[2], 0.5 * residuals**2, p[2] * (np.abs(residuals) - 0.5 * p[2]))
    )


@at(0.4, 1.2, 0.8)
def students_errors(p):
    return -np.sum(stats.t.logpdf(Y, np.exp(p[1]) + 1, loc=p[0], scale=p[2]))


@at(1.5, 2.5)
def beta_of_shares(p):
    shares = sp.expit(Y)
    return -np.sum((p[0] - 1) * np.log(shares) + (p[1] - 1) * np.log1p(-shares) - sp.betaln(p[0], p[1]))


@at(0.2, -0.1, 0.3, 0.9, 0.1, 0.7)
def normals_in_two_dimensions(p):
    factor = np.array([[np.exp(p[3]), 0.0], [p[4], np.exp(p[5])]])
    z = la.solve_triangular(factor, (X[:, :2] - p[:2]).T, lower=True)
    return 0.5 * np.sum(z**2) + 12 * np.trace(np.log(np.abs(factor) + np.eye(2)[::-1])) + p[2] ** 2


@at(0.3, 0.4, 0.2)
def kalman_filter(p):
    drift, q, r = p[0], np.exp(p[1]), np.exp(p[2])
    mean, variance, total = 0.0, 1.0, 0.0
    for y in Y:
        mean, variance = drift * mean, drift**2 * variance + q
        innovation, s = y - mean, variance + r
        total += 0.5 * (np.log(2 * np.pi * s) + innovation**2 / s)
        gain = variance / s
        mean, variance = mean + gain * innovation, (1 - gain) * variance
    return total


@at(0.6, -0.3)
def leapfrog_of_hamiltonian_paths(p):
    def energy(q):
        return 0.5 * np.sum(q**2) + 0.1 * np.sum(q**4)

    def slope(q):
        return q + 0.4 * q**3

    q, v = p, np.array([0.5, 0.2])
    v = v - 0.05 * slope(q)
    for _ in range(9):
        q = q + 0.1 * v
        v = v - 0.1 * slope(q)
    return energy(q) + 0.5 * np.dot(v, v)


@at(0.4, 0.3, -0.2)
def hinge_of_support_vectors(p):
    signs = 2 * LABELS - 1
    return 0.5 * p @ p + np.sum(np.maximum(0, 1 - signs * np.matmul(X, p)))


@at(0.2, 0.7, -0.4, 0.1)
def attention_to_rows(p):
    q, k = X * p[0], X * p[1] + p[2]
    weights = sp.softmax(q @ k.T / np.sqrt(3.0), axis=-1)
    return np.sum((weights @ X) ** 2) * p[3]


@at(0.3, -0.2, 0.5)
def recurrent_network(p):
    h, loss = np.zeros(2), 0.0
    for t in range(12):
        h = np.tanh(p[0] * h + p[1] * X[t, :2] + p[2])
        loss = loss + (np.sum(h) - Y[t]) ** 2
    return loss / 12


@at(0.2, 0.4, 0.4)
def portfolio(p):
    returns = 0.1 * X
    weights = np.exp(p) / np.sum(np.exp(p))
    path = returns @ weights
    return -np.mean(path) / np.std(path) + 0.1 * np.linalg.norm(weights)


@at(100.0, 0.2, 1.5)
def price_of_an_option(p):
    spot, volatility, years = p
    spread = volatility * np.sqrt(years)
    d = (np.log(spot / 105.0) + (0.02 + 0.5 * volatility**2) * years) / spread
    return spot * stats.norm.cdf(d) - 105.0 * np.exp(-0.02 * years) * stats.norm.cdf(d - spread)


@at(0.3, 0.1)
def survival_with_censoring(p):
    times, is_seen = np.abs(Y) + 0.1, LABELS
    shape, scale = np.exp(p)
    z = (times / scale) ** shape
    return np.sum(z) - np.sum(is_seen * (np.log(shape / scale) + (shape - 1) * np.log(times / scale)))
