"""Random Python functions with control flow, rewritten: values and derivatives as of Python's own runs."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad
from tests.generators.python_control import control_program

POINTS = ((0.4, -0.3, 3), (-1.2, 0.8, 0), (0.9, 1.7, 6))


def judge(seed: int, *, interpret: bool) -> None:
    """Compare one program at some points; derivatives where differences of two steps agree."""
    program, text = control_program(seed)
    compiled = ad.value_and_grad(program, argnums=(0, 1), control="rewrite", interpret=interpret)
    for x, y, n in POINTS:
        value, gradient = compiled(x, y, n)
        np.testing.assert_allclose(value, program(x, y, n), rtol=1e-9, atol=1e-11, err_msg=text)
        for k, slope in enumerate(gradient):
            steps: list[float] = []
            for h in (1e-6, 3e-6):
                shift = (h, 0.0) if k == 0 else (0.0, h)
                ahead = program(x + shift[0], y + shift[1], n)
                steps.append((ahead - program(x - shift[0], y - shift[1], n)) / (2 * h))
            is_smooth = abs(steps[0] - steps[1]) < 1e-4 * (1 + abs(steps[0]))  # no jump in between
            if is_smooth and abs(value) < 1e6:
                np.testing.assert_allclose(slope, steps[0], rtol=2e-3, atol=2e-4, err_msg=text)


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed: int) -> None:
    judge(seed, interpret=True)


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(100, 220))
def test_many_random_programs(seed: int) -> None:
    judge(seed, interpret=seed % 6 > 0)
