"""Identity of two values after control flow on traced conditions: told, or an error."""

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import mlirad as ad


def pair(x):
    z = np.sin(np.stack([x, x]))
    return z, z * 2


def told_after_a_branch_on_something_else(x):
    z, w = pair(x)
    if x > 0.5:
        x = x + 1
    return 1.0 * (z is w) + 2.0 * (z is z)


def told_after_a_branch_that_makes_another(x):
    z, w = pair(x)
    if x > 0.5:
        w = w * x
    return 1.0 * (z is w) + 2.0 * (z is z)


def told_after_checks(x):
    z, w = pair(x)
    if np.any(z > 9):
        raise ValueError("large")
    kept = z
    return 1.0 * (kept is w) + 2.0 * (kept is z)


def told_in_a_loop_that_is_written_out(x):
    z, y = pair(x)
    n = 0.0
    for _ in range(20):
        n = n + (1.0 if y is z else 0.0)
        y = z
        if x > 0.5:
            x = x / 1.01
    return n


def told_of_lists(x):
    kept = [x]
    other = kept
    if x > 0.5:
        x = x * 2
    return 1.0 * (other is kept) + x * 0


TOLD = [found for name, found in [*globals().items()] if name.startswith("told_")]


@pytest.mark.parametrize("function", TOLD)
def test_what_is_known_is_told(function) -> None:
    compiled = ad.jit(function, control="rewrite")
    for x in (0.25, 0.75):
        assert compiled(x) == function(x)


def after_a_loop(x):
    z, y = pair(x)
    while x > 0.5:
        x, y = x / 2, z
    return 1.0 if y is z else 0.0


def after_a_branch(x):
    z, y = pair(x)
    if x > 0.5:
        y = z
    return 1.0 if y is z else 0.0


def after_an_expression(x):
    z, w = pair(x)
    y = z if x > 0.5 else w
    return 1.0 if y is z else 0.0


def chosen(x, z):
    if x > 0.5:
        return z
    return z * 2


def after_a_call(x):
    z, _ = pair(x)
    return 1.0 if chosen(x, z) is z else 0.0


def after_an_attribute(x):
    held = SimpleNamespace()
    held.z, held.y = pair(x)
    if x > 0.5:
        held.y = held.z
    return 1.0 if held.y is held.z else 0.0


def after_a_tuple(x):
    z, w = pair(x)
    y = (w, z)
    if x > 0.5:
        y = (z, w)
    return 1.0 if y[0] is z else 0.0


def after_both(x):
    z, w = pair(x)
    if x > 0.5:
        y, v = z, w
    else:
        y, v = w, z
    return 1.0 if v is y else 0.0


def after_a_long_loop(x):
    z, y = pair(x)
    for _ in range(50):
        if x > 0.5:
            y = z
        x = x / 1.01
    return 1.0 if y is z else 0.0


def in_a_branch(x):
    z, w = pair(x)
    if x > 0.5:
        x = x * 2 if z is w else x
    return x


NOT_TOLD = [
    found for name, found in [*globals().items()] if name.startswith(("after_", "in_a_")) and callable(found)
]


@pytest.mark.parametrize("function", NOT_TOLD)
def test_what_is_not_known_is_an_error(function) -> None:
    for x in (0.25, 0.75):
        with pytest.raises(ad.TracingError, match="`is` asks whether two values are one object"):
            ad.jit(function, control="rewrite")(x)
