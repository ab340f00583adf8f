"""Carried arrays that are restored instead of kept: the same bits, and no array of every iteration."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import mlirad as ad
from mlirad.dialects.array.control import ScanOp, TapeType
from mlirad.dialects.shapes import shape_of
from mlirad.interpreter import run_function
from mlirad.pipeline_options import METHODS
from mlirad.pipelines import expansion
from tests.acceptance.test_random_programs import run_for
from tests.passes.derivatives import run_passes

ITERATIONS = 6
PASS = "stacks-to-undo-logs"


def random_updates(seed: int, size: int) -> Callable[[Any, Any, Any], Any]:
    """A loop whose iterations update few parts of an array, anywhere in it or beside it, and read all
    of it.
    """
    rng = random.Random(seed)
    kinds = [rng.choice(("set", "add", "multiply", "row")) for _ in range(rng.randint(1, size))]
    shifts = [rng.choice((-120, -1, 0, 0, 1, 2, 120)) for _ in kinds]
    loop, backwards, depth = rng.choice(("scan", "while")), rng.random() < 0.3, rng.choice((1, 2))

    def read(v: Any, s: Any, p: Any) -> Any:
        """A loop on data, which runs again when the derivative is applied."""
        iteration = lambda j, s: np.sin(s + v[(p + j) % len(v), j % v.shape[1]])  # noqa: E731
        for _ in range(depth):
            s = ad.fori_loop(0, p % 4, iteration, s)
        return s

    def step(v: Any, s: Any, p: Any) -> Any:
        s = read(v, s, p)
        for kind, shift in zip(kinds, shifts, strict=True):
            if kind == "row":
                v = v.at[p + shift].set(np.cos(s) * v[0])
            else:
                v = getattr(v.at[p + shift, p % v.shape[1]], kind)(s)
        return v, s

    def function(v: Any, s: Any, positions: Any) -> Any:
        if loop == "scan":
            iteration = lambda t, p: (step(*t, p), None)  # noqa: E731
            v, s = ad.scan(iteration, (v, s), positions, reverse=backwards)[0]
        else:
            count = ad.asarray(len(positions))
            body = lambda c: (c[0] + 1, *step(*c[1:], positions[c[0]]))  # noqa: E731
            v, s = ad.while_loop(lambda c: c[0] < count, body, (0, v, s))[1:]
        return np.sum(v) + s

    return function


def arguments(seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(80, 100)), int(rng.integers(1, 4)))
    return [rng.normal(size=shape), rng.normal(), rng.integers(0, shape[0], size=ITERATIONS)]


def check(seed: int, size: int) -> None:
    """The gradients, and a derivative of a gradient, are those without the pass, bit for bit."""
    f, given = random_updates(seed, size), arguments(seed)
    gradient = ad.grad(f, argnums=(0, 1))
    along = ad.grad(lambda v, s, p: np.sum(np.sin(gradient(v, s, p)[0])), argnums=1)
    method = METHODS[seed % len(METHODS)]
    for function in (gradient, along):
        module = ad.trace(function, *given)
        passes = expansion(method)
        assert PASS in passes
        without = run_passes(module.clone(), ",".join(p for p in passes if p != PASS))
        restored = run_passes(module, ",".join(passes))
        for a, b in zip(*(run_function(m, given, function="main") for m in (restored, without)), strict=True):
            assert np.asarray(a).tobytes() == np.asarray(b).tobytes()
        if function is gradient:
            assert keeps_arrays(without, given) and not keeps_arrays(restored, given)


def keeps_arrays(module: ModuleOp, given: list[Any]) -> bool:
    """Return whether an array of the shape of the first argument is kept of every iteration."""
    shape = given[0].shape
    stacks = [y for op in module.walk() if isinstance(op, ScanOp) for y in op.stacked]
    tapes = [r.type for op in module.walk() for r in op.results if isinstance(r.type, TapeType)]
    entries = [shape_of(e) for t in tapes for e in t.types.data]
    return (ITERATIONS, *shape) in map(shape_of, stacks) or shape in entries


@pytest.mark.parametrize("seed", range(6))
def test_derivatives_are_the_same_bits(seed):
    check(seed, 3)


@pytest.mark.fuzz
def test_many_derivatives_are_the_same_bits(fuzz_seconds, judged):
    run_for(lambda seed, size: check(seed, min(size, 6)), "restored-carries", fuzz_seconds, judged)
