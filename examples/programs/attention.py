"""A block of self-attention with several heads, and its distance from a target.

    q, k, v = x W_q, x W_k, x W_v           cut into heads of equal width
    a = softmax(q k^T / sqrt(d)) v          for each head, of width d
    y = x + a W_o

The loss is the mean square of y - target.

Source: Vaswani et al., "Attention is all you need", 2017.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

HEADS = 4


def loss(w_query, w_key, w_value, w_out, x, target):
    """The mean square of the error: weights [w, w], x and target [n, w], where `HEADS` divides w."""
    return np.mean((block(w_query, w_key, w_value, w_out, x) - target) ** 2)


def block(w_query, w_key, w_value, w_out, x):
    """The output y [n, w] for the sequence x [n, w]."""
    query, key, value = in_heads(x @ w_query), in_heads(x @ w_key), in_heads(x @ w_value)
    scores = query @ np.swapaxes(key, 1, 2) / np.sqrt(query.shape[2]).astype(x.dtype)
    attended = softmax(scores) @ value
    return x + np.reshape(np.swapaxes(attended, 0, 1), x.shape) @ w_out


def in_heads(y):
    """The columns of y [n, w] cut into heads [h, n, w / h]."""
    return np.swapaxes(np.reshape(y, (len(y), HEADS, -1)), 0, 1)


def softmax(scores):
    """Weights that sum to 1 over the last axis, shifted by the maximum so that nothing overflows."""
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return powers / np.sum(powers, axis=-1, keepdims=True)


def random_instance(
    length: int, width: int, dtype: DTypeLike = np.float64, seed: int = 0
) -> tuple[NDArray[Any], ...]:
    """Normal weights, scaled by the width, and a normal sequence and target."""
    rng = np.random.default_rng(seed)
    weights = [rng.normal(size=(width, width)) / np.sqrt(width) for _ in range(4)]
    sequences = [rng.normal(size=(length, width)) for _ in range(2)]
    return tuple(a.astype(dtype) for a in (*weights, *sequences))
