"""Blocks of networks in float32: gradients in their parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

import mlirad as ad
from benchmarks.side_by_side import Call, given, is_jax

HEADS, KEPT = 4, 0.9


def transformer_loss(params: Any, x: Any, target: Any, key: Any) -> Any:
    """The mean square after a block with causal attention and dropout: x [batch, length, width]."""
    first, second = ad.random.split(key)
    batch, length, width = x.shape
    heads = (batch, length, HEADS, width // HEADS)
    q, k, v = (
        (standardised(x, params["before"]) @ params[name]).reshape(heads).swapaxes(1, 2) for name in "qkv"
    )
    scores = q @ k.swapaxes(2, 3) / np.float32(np.sqrt(width // HEADS))
    scores = np.where(np.tri(length, dtype=bool), scores, np.float32(-1e9))
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights = weights / np.sum(weights, axis=-1, keepdims=True)
    mixed = (weights @ v).swapaxes(1, 2).reshape(x.shape) @ params["out"]
    x = x + dropped(first, mixed)
    y = standardised(x, params["after"]) @ params["up"]
    y = y * 0.5 * (1 + np.tanh(np.float32(0.7978845608) * (y + np.float32(0.044715) * y**3)))
    x = x + dropped(second, y @ params["down"])
    return np.mean((x - target) ** 2)


def standardised(x: Any, scale: Any) -> Any:
    """Layer normalisation."""
    x = x - np.mean(x, axis=-1, keepdims=True)
    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + np.float32(1e-5)) * scale


def dropped(key: Any, x: Any) -> Any:
    """Dropout: each element is kept with probability `KEPT`."""
    return np.where(ad.random.bernoulli(key, KEPT, x.shape), x / np.float32(KEPT), np.float32(0))


def transformer(system: Any, programs: Any) -> Call:
    """Transformer block with causal mask and dropout, 4 x 128 x 128, float32"""
    rng = np.random.default_rng(0)
    width = 128
    shapes = dict.fromkeys(("q", "k", "v", "out"), (width, width))
    shapes |= {"up": (width, 4 * width), "down": (4 * width, width)}
    params = {name: single(rng, shape) / np.float32(np.sqrt(shape[0])) for name, shape in shapes.items()}
    params |= {name: np.ones(width, np.float32) for name in ("before", "after")}
    slope = system.value_and_grad(programs(this()).transformer_loss)
    arguments = given(system, params, single(rng, (4, 128, width)), single(rng, (4, 128, width)))
    key = system.random.key(0)
    return lambda: slope(*arguments, key)


def residual_loss(params: Any, images: Any, target: Any, convolution: Any) -> Any:
    """The mean square after a residual block of two convolutions with batch normalisation."""
    x = images
    for name in ("first", "second"):
        x = convolution(x, params[name])
        mean = np.mean(x, axis=(0, 2, 3), keepdims=True)
        spread = np.sqrt(np.mean((x - mean) ** 2, axis=(0, 2, 3), keepdims=True) + np.float32(1e-5))
        x = (x - mean) / spread * params[f"{name} scale"][:, None, None] + params[f"{name} bias"][
            :, None, None
        ]
        x = np.maximum(x, np.float32(0)) if name == "first" else x
    return np.mean((np.maximum(x + images, np.float32(0)) - target) ** 2)


def residual(system: Any, programs: Any) -> Call:
    """Residual block of two convolutions of 16 channels, 16 images of 24 x 24, float32"""
    rng = np.random.default_rng(1)
    if is_jax(system):
        import jax

        def convolution(x: Any, kernel: Any) -> Any:
            return jax.lax.conv(x, kernel, (1, 1), "SAME")
    else:

        def convolution(x: Any, kernel: Any) -> Any:
            return ad.convolution(x, kernel, padding=1)

    params: dict[str, Any] = {}
    for name in ("first", "second"):
        params[name] = single(rng, (16, 16, 3, 3)) / np.float32(12)
        params |= {f"{name} scale": np.ones(16, np.float32), f"{name} bias": np.zeros(16, np.float32)}
    loss = programs(this()).residual_loss
    slope = system.value_and_grad(lambda params, x, target: loss(params, x, target, convolution))
    arguments = given(system, params, single(rng, (16, 16, 24, 24)), single(rng, (16, 16, 24, 24)))
    return lambda: slope(*arguments)


def gru_loss(params: Any, x: Any, target: Any) -> Any:
    """The mean square of the last state of a gated recurrent network: x [length, batch, inputs]."""

    def step(h: Any, x: Any) -> Any:
        gates = sigmoid(x @ params["gates in"] + h @ params["gates"] + params["gates bias"])
        reset, update = np.split(gates, 2, axis=-1)
        new = np.tanh(x @ params["new in"] + (reset * h) @ params["new"] + params["new bias"])
        return update * h + (1 - update) * new, None

    start = np.zeros((x.shape[1], params["new"].shape[0]), x.dtype)
    return np.mean((ad.scan(step, start, x)[0] - target) ** 2)


def sigmoid(x: Any) -> Any:
    """The logistic function."""
    return 1 / (1 + np.exp(-x))


def gru(system: Any, programs: Any) -> Call:
    """Gated recurrent network, 60 steps, batch 32, 64 units, float32"""
    rng = np.random.default_rng(2)
    inputs, units = 24, 64
    shapes = {
        "gates in": (inputs, 2 * units), "gates": (units, 2 * units), "gates bias": (2 * units,),
        "new in": (inputs, units), "new": (units, units), "new bias": (units,),
    }  # fmt: skip
    params = {name: single(rng, shape) / np.float32(np.sqrt(units)) for name, shape in shapes.items()}
    slope = system.value_and_grad(programs(this()).gru_loss)
    arguments = given(system, params, single(rng, (60, 32, inputs)), single(rng, (32, units)))
    return lambda: slope(*arguments)


def single(rng: Any, shape: tuple[int, ...]) -> Any:
    """Normal numbers of float32."""
    return rng.normal(size=shape).astype(np.float32)


def this() -> Any:
    """This module."""
    import benchmarks.workloads.networks as module

    return module


TASKS = (transformer, residual, gru)

RANDOM = (transformer,)
