"""Recursions over sequences: gradients through tables, partition functions and searches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import log_softmax, logsumexp

import mlirad as ad
from benchmarks.side_by_side import Call, given, is_jax

WIDTH = 4


def warped_distance(x: Any, y: Any, softness: float) -> Any:
    """Soft dynamic time warping of two series [n, d] and [m, d], as a loop over rows in one over columns."""
    costs = np.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)
    start = np.where(np.arange(len(y) + 1) == 0, 0.0, 1e9)

    def row(above: Any, costs: Any) -> Any:
        def cell(left: Any, given: Any) -> Any:
            cost, up, corner = given
            least = -softness * logsumexp(np.stack([left, up, corner]) / -softness)
            return cost + least, cost + least

        below = ad.scan(cell, 1e9, (costs, above[1:], above[:-1]))[1]
        return np.concatenate([np.full(1, 1e9), below]), None

    return ad.scan(row, start, costs)[0][-1]


def warping(system: Any, programs: Any) -> Call:
    """Soft dynamic time warping of two series of 96 and 80 points"""
    rng = np.random.default_rng(0)
    distance = programs(this()).warped_distance
    slope = system.value_and_grad(lambda x, y: distance(x, y, 0.5))
    arguments = given(system, rng.normal(size=(96, 3)), rng.normal(size=(80, 3)))
    return lambda: slope(*arguments)


def tagging_loss(params: Any, features: Any, tags: Any) -> Any:
    """Minus the mean log-likelihood of tags [batch, length] under a linear-chain conditional random field."""
    scores = features @ params["emit"]  # [batch, length, tags]
    moves = params["move"]
    steps = np.arange(tags.shape[1])
    own = np.sum(scores[np.arange(len(tags))[:, None], steps, tags], axis=1)
    own = own + np.sum(moves[tags[:, :-1], tags[:, 1:]], axis=1)

    def step(alpha: Any, emitted: Any) -> Any:
        return logsumexp(alpha[:, :, None] + moves, axis=1) + emitted, None

    alpha = ad.scan(step, scores[:, 0], np.moveaxis(scores[:, 1:], 1, 0))[0]
    return np.mean(logsumexp(alpha, axis=1) - own)


def tagging(system: Any, programs: Any) -> Call:
    """Conditional random field: 16 sentences of 60 words, 20 tags"""
    rng = np.random.default_rng(1)
    params = {"emit": rng.normal(size=(32, 20)) / 6, "move": rng.normal(size=(20, 20))}
    slope = system.value_and_grad(programs(this()).tagging_loss)
    arguments = given(system, params, rng.normal(size=(16, 60, 32)), rng.integers(0, 20, size=(16, 60)))
    return lambda: slope(*arguments)


def beam_score(params: Any, state: Any, largest: Callable[[Any], Any], length: int) -> Any:
    """The log-probability of the best sentence that a beam search of `WIDTH` finds."""

    def step(carry: Any, _: Any) -> Any:
        states, scores = carry
        logs = log_softmax(states @ params["words"], axis=1)
        count = logs.shape[1]
        total = (scores[:, None] + logs).reshape(-1)
        best = largest(total)
        states = np.tanh(states[best // count] @ params["state"] + params["embedding"][best % count])
        return (states, total[best]), None

    beams = np.broadcast_to(state, (WIDTH, *state.shape)) + 0.0
    first = np.where(np.arange(WIDTH) == 0, 0.0, -1e9)
    return ad.scan(step, (beams, first), None, length)[0][1][0]


def beam(system: Any, programs: Any) -> Call:
    """Beam search of width 4 over 40 words of 200: gradient of the best sentence's score"""
    rng = np.random.default_rng(2)
    units, words = 48, 200
    params = {
        "words": rng.normal(size=(units, words)) / 4,
        "state": rng.normal(size=(units, units)) / 7,
        "embedding": rng.normal(size=(words, units)),
    }
    if is_jax(system):
        import jax

        def largest(x: Any) -> Any:
            return jax.lax.top_k(x, WIDTH)[1]
    else:

        def largest(x: Any) -> Any:
            return np.argsort(-x)[:WIDTH]

    score = programs(this()).beam_score
    slope = system.value_and_grad(lambda params, state: score(params, state, largest, 40))
    arguments = given(system, params, rng.normal(size=units))
    return lambda: slope(*arguments)


def this() -> Any:
    """This module."""
    import benchmarks.workloads.sequences as module

    return module


TASKS = (warping, tagging, beam)

RANDOM = ()
