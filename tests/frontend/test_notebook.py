"""What transformed functions and linear maps show of themselves in notebooks."""

from __future__ import annotations

from typing import Any

import numpy as np

import mlirad as ad
from mlirad.frontend.tracing.notebook import LONGEST, html_table


def squared(x: Any) -> Any:
    return np.sum(x * x)


def test_a_transformed_function_shows_its_signatures() -> None:
    gradient: Any = ad.grad(squared, check_bounds=True)
    assert "0 signatures" in gradient._repr_html_()
    gradient(np.ones(3))
    text = gradient._repr_html_()
    assert "squared, transformed by mlirad" in text
    assert "check_bounds=True" in text
    assert "(float64[3]) → (float64[3])" in text
    assert f"{__file__}:" in text


def test_a_linear_map_shows_its_spaces() -> None:
    _, map_ = ad.linearize(lambda x: np.sin(x)[:2], np.ones(3))
    text = map_._repr_html_()
    assert "LinearMap, 2 × 3" in text
    assert f"{len(map_.arrays)} arrays, {map_.nbytes} bytes" in text


def test_text_is_escaped_and_cut() -> None:
    text = html_table("<b>", [("<i>", "&" * (LONGEST + 5))])
    assert "<b>" not in text.replace("<b></b>", "") and "&lt;i&gt;" in text
    assert text.count("&amp;") == LONGEST
