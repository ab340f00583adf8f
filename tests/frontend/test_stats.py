"""The contents of a compile's `.stats`: stages, kernels, and the memory of a call by source line."""

from __future__ import annotations

import numpy as np

import mlirad as ad

X = np.linspace(0.1, 1.0, 64)


def kept_values(x, w):
    """A hundred steps; the reverse sweep needs the slopes of two lines."""

    def step(c, _):
        a = np.sin(c * w)
        b = np.cos(a[::-1])
        return a * b, None

    return np.sum(ad.scan(step, x, None, length=100)[0])


def line_of(function, text):
    import inspect

    lines, first = inspect.getsourcelines(function)
    return f"{__file__}:{first + next(k for k, line in enumerate(lines) if text in line)}"


def test_memory_is_listed_by_the_lines_that_need_it():
    stats = ad.grad(kept_values).stats(X, X)
    assert sum(stats.memory.values()) == stats.peak_bytes == ad.grad(kept_values).lower(X, X).arena_bytes
    stacked = 100 * X.nbytes
    sine, cosine = line_of(kept_values, "np.sin"), line_of(kept_values, "np.cos")
    assert stacked <= stats.memory[sine] <= 2.5 * stacked
    assert stacked <= stats.memory[cosine] <= 2.5 * stacked
    assert sum(size for line, size in stats.memory.items() if line not in (sine, cosine)) < 0.1 * stacked
    assert sine in str(stats)


def test_a_primal_keeps_nothing():
    stats = ad.jit(kept_values).stats(X, X)
    assert stats.peak_bytes < 4 * X.nbytes
    assert stats.kernels >= 1
    assert stats.work >= 100 * X.size


def test_checkpoints_keep_less():
    def loss(x, checkpoint):
        step = lambda c, _: (np.sin(c[::-1]) * c, None)  # noqa: E731
        return np.sum(ad.scan(step, x, None, length=400, checkpoint=checkpoint)[0])

    gradient = ad.grad(loss, static_argnames="checkpoint")
    peaks = [gradient.stats(X, checkpoint=c).peak_bytes for c in ("store", "recompute", "sqrt")]
    assert peaks[0] >= peaks[1] > 4 * peaks[2]


def test_the_interpreter_has_no_kernels():
    stats = ad.jit(kept_values, interpret=True).stats(X, X)
    assert (stats.kernels, stats.peak_bytes, stats.memory) == (0, 0, {})
    assert "kernels" not in str(stats)


def normalised(x):
    y = np.exp(x - np.max(x, axis=1, keepdims=True))
    return y / np.sum(y, axis=1, keepdims=True)


def test_moves_of_lowering_are_explained():
    stats = ad.jit(normalised).stats(np.ones((2000, 300)))
    (strips,) = (m for s in stats.stages if s.name == "strip-mine" for m in s.moves if m.is_done)
    assert strips.what.startswith("strips of ")
    assert strips.after < strips.before
    assert strips.unit == "cycles"
    assert strips.place.startswith(f"{__file__}:")
    assert str(strips) in stats.explain()
    passes = [line for line in stats.explain().splitlines() if not line.startswith(" ")]
    assert passes[-1] == "schedule-kernels"
    assert ad.jit(normalised, interpret=True).stats(np.ones((3, 4))).explain() == ""
