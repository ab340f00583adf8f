"""The names in `docs/papers.md` exist: files, tests, passes, methods and papers."""

from __future__ import annotations

import ast
import re

import pytest

from docs.generate import DOCS
from mlirad.pipeline_options import ALL_METHODS
from mlirad.registry import PASS_MODULES

ROOT = DOCS.parent
PAGE = (DOCS / "papers.md").read_text()
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in PAGE.splitlines()
    if line.startswith("|") and not line.startswith("| ---")
]
TABLES = [row for row in ROWS if len(row) == 5 and row[1][:8] != "term of "]
"""The rows section, term, name, file, test."""


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_there_is_a_table_for_every_paper() -> None:
    assert PAGE.count(" | term of the ") == PAGE.count("\n## ") == 5
    assert len(TABLES) > 45


@pytest.mark.parametrize("row", TABLES, ids=lambda row: row[1][:30])
def test_files_and_tests_exist(row: list[str]) -> None:
    """A row without a name here says `none`, and names nothing."""
    section, term, here, files, tests = row
    assert section and term and here
    if here == "none":
        assert not quoted(files) and not quoted(tests)
        return
    assert quoted(files) and quoted(tests), row
    for name in quoted(files):
        assert (ROOT / "mlirad" / name).is_file(), name
    for name in quoted(tests):
        path, _, test = name.partition("::")
        assert (ROOT / path).is_file(), name
        if test:
            body = ast.parse((ROOT / path).read_text()).body
            assert test in [node.name for node in body if isinstance(node, ast.FunctionDef)], name


def test_every_method_is_told_of() -> None:
    (table,) = re.findall(r"^\| paper \|.*?\n\n", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert set(ALL_METHODS) <= set(quoted(table))


def test_passes_that_are_named_exist() -> None:
    hyphenated = {
        name for row in TABLES for name in quoted(row[2]) if re.fullmatch(r"[a-z]+(-[a-z]+)+", name)
    }
    assert hyphenated and hyphenated <= {*PASS_MODULES, "mlirad-demo"}
