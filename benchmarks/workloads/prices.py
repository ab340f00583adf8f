"""Prices of options: by a formula, and by paths."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtr

import mlirad as ad
from benchmarks.side_by_side import Call, given


def total_price(spot: Any, strike: Any, rate: Any, volatility: Any, time: Any) -> Any:
    """The price of a book of European calls [n] by Black and Scholes."""
    spread = volatility * np.sqrt(time)
    above = (np.log(spot / strike) + (rate + volatility**2 / 2) * time) / spread
    return np.sum(spot * ndtr(above) - strike * np.exp(-rate * time) * ndtr(above - spread))


def options(system: Any, programs: Any) -> Call:
    """Black and Scholes: 100 000 options, all five Greeks"""
    rng = np.random.default_rng(0)
    ranges = ((80, 120), (80, 120), (0.0, 0.05), (0.1, 0.5), (0.1, 2.0))
    slope = system.value_and_grad(programs(this()).total_price, (0, 1, 2, 3, 4))
    arguments = given(system, *(rng.uniform(*ends, size=100_000) for ends in ranges))
    return lambda: slope(*arguments)


def heston_price(model: Any, draws: Any) -> Any:
    """The price of an Asian call by paths of Heston's model: draws [steps, 2, paths]."""
    spot, start, speed, mean, jitter, link, rate = model
    paths, h = draws.shape[2], 1.0 / len(draws)

    def step(carry: Any, drawn: Any) -> Any:
        log_price, variance, total = carry
        floor = np.maximum(variance, 0.0)
        spread = np.sqrt(floor * h + 1e-14)
        other = link * drawn[0] + np.sqrt(1 - link**2) * drawn[1]
        log_price = log_price + (rate - floor / 2) * h + spread * drawn[0]
        variance = variance + speed * (mean - floor) * h + jitter * spread * other
        return (log_price, variance, total + np.exp(log_price)), None

    ones = np.ones(paths)
    _, _, total = ad.scan(step, (np.log(spot) * ones, start * ones, 0.0 * ones), draws)[0]
    return np.exp(-rate) * np.mean(np.maximum(total * h - 100.0, 0.0))


def asian(system: Any, programs: Any) -> Call:
    """Heston's model: an Asian call by 5000 paths of 50 steps, all Greeks"""
    rng = np.random.default_rng(1)
    model = np.array([100.0, 0.04, 2.0, 0.05, 0.4, -0.6, 0.02])
    slope = system.value_and_grad(programs(this()).heston_price)
    arguments = given(system, model, rng.normal(size=(50, 2, 5000)))
    return lambda: slope(*arguments)


def this() -> Any:
    """This module."""
    import benchmarks.workloads.prices as module

    return module


TASKS = (options, asian)

RANDOM = ()
