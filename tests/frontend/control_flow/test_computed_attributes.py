"""Attributes that objects compute when they are first asked for, in rewritten control flow: as in Python."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad


class Beam:
    def __init__(self, length: Any) -> None:
        self.length = length
        self.asked = 0

    @functools.cached_property
    def area(self) -> Any:
        return np.sqrt(self.length) * 2.0

    @functools.cached_property
    def stiffness(self) -> Any:
        return self.area / self.length if self.length > 1.0 else self.area * self.length


def in_one_branch(x):
    beam = Beam(x * x)
    return beam.area * x if x > 0 else x


def in_both_branches_and_after(x):
    beam = Beam(x * x)
    if x > 0:
        y = beam.area
    else:
        y = beam.area + 1.0
    return y + beam.area


def in_one_branch_and_after(x):
    beam = Beam(x * x)
    y = x
    if x > 0:
        y = beam.stiffness
    return y * beam.stiffness


def before_and_in_a_branch(x):
    beam = Beam(x * x)
    y = beam.area
    if x > 0:
        y = y + beam.stiffness
    return y * beam.stiffness


def in_nested_branches(x):
    beam = Beam(x * x)
    y = 0.0
    if x > 0:
        if x > 2.0:
            y = beam.stiffness
        y = y + beam.stiffness
    return y + beam.area


def in_a_loop_and_after(x):
    beam = Beam(x * x)
    y = 0.0
    while y < 10.0 + x:
        y = y + beam.stiffness
    return y + beam.stiffness


def in_a_loop_of_known_length(x):
    beam = Beam(x * x)
    y = x
    for _ in range(100):
        y = 0.5 * y + beam.area
    return y * beam.area


def in_the_test_of_a_loop(x):
    beam = Beam(x * x)
    y = 0.0
    while y < beam.area:
        y = y + 0.77
    return y + beam.area


def in_a_branch_that_changes_another_attribute(x):
    beam = Beam(x * x)
    if x > 0:
        beam.asked = beam.area
    return beam.asked + beam.area


OUTSIDE = Beam(3.0)


def of_an_object_from_outside(x):
    OUTSIDE.__dict__.pop("area", None)
    y = OUTSIDE.area * x if x > 0 else x
    return y + OUTSIDE.area


FUNCTIONS = [
    in_one_branch, in_both_branches_and_after, in_one_branch_and_after, before_and_in_a_branch,
    in_nested_branches, in_a_loop_and_after, in_a_loop_of_known_length, in_the_test_of_a_loop,
    in_a_branch_that_changes_another_attribute, of_an_object_from_outside,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_computed_attributes(function: Callable[..., Any]) -> None:
    compiled = ad.value_and_grad(function, control="rewrite")
    for x in (-1.25, 0.6, 1.5, 2.5):
        value, slope = compiled(x)
        step = 1e-6
        np.testing.assert_allclose(value, function(x), rtol=1e-12)
        want = (function(x + step) - function(x - step)) / (2 * step)
        np.testing.assert_allclose(slope, want, rtol=1e-6, atol=1e-7)
