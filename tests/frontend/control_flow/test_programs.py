"""Functions in plain Python control flow, rewritten: values as of Python, derivatives as differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from tests.frontend.control_flow.programs import PROGRAMS


def differences(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """The gradient with respect to the first argument, by central differences of Python's own runs."""
    x = np.asarray(args[0], float)
    found = np.zeros(x.shape)
    for k in np.ndindex(x.shape):
        step = np.zeros(x.shape)
        step[k] = 1e-6 * max(1.0, abs(float(x[k])))
        values = [function(_scalar(x + s), *args[1:]) for s in (step, -step)]
        found[k] = (values[0] - values[1]) / (2 * step[k])
    return found


def _scalar(x: Any) -> Any:
    return x if x.shape else float(x)


@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case[0].__name__)
def test_rewritten_programs(case: tuple[Callable[..., Any], list[tuple[Any, ...]]]) -> None:
    function, points = case
    is_smooth = not isinstance(points[0][0], int)
    transform = ad.value_and_grad if is_smooth else ad.jit
    transformed = transform(function, control="rewrite", interpret=True)
    for args in points:
        expected = function(*args)
        if not is_smooth:
            assert transformed(*args) == expected
            continue
        value, gradient = transformed(*args)
        np.testing.assert_allclose(value, expected, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(gradient, differences(function, args), rtol=2e-4, atol=1e-5)


def test_there_are_many() -> None:
    assert len(PROGRAMS) >= 40
