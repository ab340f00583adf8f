"""Literals of `mlirad-run`, read as the types that a function takes."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType, f64

from mlirad.errors import ShapeError, UnsupportedError
from mlirad.tools.arguments import read_arguments, read_example

VECTOR = TensorType(f64, [3])


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("zeros", [0.0, 0.0, 0.0]),
        ("iota", [0.0, 1.0, 2.0]),
        ("ones(3)", [1.0, 1.0, 1.0]),
        ("full(0.5)", [0.5, 0.5, 0.5]),
        ("full(7)", [7.0, 7.0, 7.0]),
        ("full(-1e3)", [-1e3, -1e3, -1e3]),
        ("full(3, 0.5)", [0.5, 0.5, 0.5]),
        ("[1, 2.5, inf]", [1.0, 2.5, np.inf]),
    ],
)
def test_literals(text: str, values: list[float]) -> None:
    (found,) = read_arguments([text], [VECTOR], "f")
    np.testing.assert_array_equal(found, values)


def test_random_numbers_come_from_the_seed() -> None:
    first, second, other = read_arguments(["random(7)", "random(3, 7)", "random(8)"], [VECTOR] * 3, "f")
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, other)


def test_examples_have_their_shapes_written_out() -> None:
    shapes = {"random(3x4)": (3, 4), "random(3x4, 1)": (3, 4), "random(5x)": (5,), "full(2x, 0.5)": (2,)}
    assert {text: np.shape(read_example(text)) for text in shapes} == shapes
    np.testing.assert_array_equal(read_example("random(3x4)"), read_example("random(3x4, 0)"))
    np.testing.assert_array_equal(read_example("random(20)"), read_example("random(20x, 0)"))
    assert read_example("random(0)").shape == (0,)
    for text in ("random", "random()", "full(7)"):
        with pytest.raises(UnsupportedError, match="has no shape"):
            read_example(text)


def test_a_written_shape_must_be_that_of_the_parameter() -> None:
    with pytest.raises(ShapeError, match="does not write an array"):
        read_arguments(["full(4, 0.5)"], [VECTOR], "f")
