"""The views of transformed functions and linear maps in notebooks."""

from __future__ import annotations

import html
import re
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

import mlirad as ad
from mlirad.frontend.tracing.notebook import LONGEST, MOST_LINES, html_columns, html_program, html_table


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


def rows_of(text: str) -> list[list[str]]:
    """The cells of the tables in a text."""
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall(r"<tr>(.*?)</tr>", text)]


def test_stats_show_their_stages() -> None:
    stats: Any = ad.grad(squared).stats(np.ones(3))
    head, *rows = rows_of(stats._repr_html_())
    assert head == ["ms", "ops", "stage"]
    assert [row[2] for row in rows] == [stage.name for stage in stats.stages]
    assert f"{stats.kernels} kernels" in stats._repr_html_()
    assert repr(stats) == str(stats)
    assert rows_of(ad.jit(squared, interpret=True).stats(1.0)._repr_html_())[1:]


def test_profiles_show_their_kernels() -> None:
    profile: Any = ad.jit(squared).profile(np.ones(300))
    head, *rows = rows_of(profile._repr_html_())
    assert head[0] == "share" and head[-2:] == ["kernel", "line"]
    assert len(rows) == len(profile.kernels) and all(len(row) == len(head) for row in rows)
    assert profile._repr_html_().count("linear-gradient") == len(rows)
    assert "outside of kernels" in profile._repr_html_()
    assert repr(profile) == str(profile)


def test_traces_show_the_program() -> None:
    traced: Any = ad.trace(squared, np.ones(3))
    text = traced._repr_html_()
    assert text.startswith("<div><strong>squared, traced by mlirad</strong><pre>builtin.module {\n")
    assert html.unescape(text).count(str(traced)) == 1
    assert isinstance(traced, ModuleOp) and str(traced.clone()) == str(traced)
    many = html_program("f", "line\n" * (MOST_LINES + 5))
    assert many.count("\nline") == MOST_LINES - 1 and "… and 6 more lines" in many


def test_text_is_escaped_and_cut() -> None:
    assert "<b>" not in html_columns("<b>", ["<b>"], [["<b>", "<b>"]], [2.0], ["<b>"])
    assert "<b>" not in html_program("<b>", "<b>")
    text = html_table("<b>", [("<i>", "&" * (LONGEST + 5))])
    assert "<b>" not in text.replace("<b></b>", "") and "&lt;i&gt;" in text
    assert text.count("&amp;") == LONGEST
