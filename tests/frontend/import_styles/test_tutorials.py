"""Programs after the ideas of tutorials, in every style of imports: values and gradients are NumPy's."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from tests.frontend.import_styles import learning, science
from tests.frontend.import_styles.styles import STYLES, programs_in

ORIGINAL = learning.PROGRAMS | science.PROGRAMS


@functools.cache
def programs(style: str) -> dict[str, Any]:
    return programs_in(learning, style) | programs_in(science, style)


def slopes(f: Callable[[Any], Any], x: Any) -> Any:
    """The gradient by differences of fourth order."""
    found = []
    for step in np.eye(len(x)) * 1e-4 * np.maximum(1, np.abs(x)):
        near, far = f(x + step) - f(x - step), f(x + 2 * step) - f(x - 2 * step)
        found.append((8 * near - far) / (12 * step.sum()))
    return np.array(found)


def test_there_are_forty() -> None:
    assert len(ORIGINAL) == 40
    assert all(len(programs(style)) == 40 for style in STYLES)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", ORIGINAL)
def test_values_and_gradients(name: str, style: str) -> None:
    plain, start = ORIGINAL[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ad.ControlFlowWarning)
        value, gradient = ad.value_and_grad(programs(style)[name][0], interpret=style != "modules")(start)
    np.testing.assert_allclose(value, plain(start), rtol=1e-9)
    np.testing.assert_allclose(gradient, slopes(plain, start), rtol=2e-6, atol=1e-7)
