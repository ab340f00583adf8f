"""The comparison of methods: counts grow as its page says, and the page has every program and method."""

from __future__ import annotations

import re

import pytest

from benchmarks import methods
from benchmarks.protocol import Limits
from docs.generate import DOCS

PAGE = (DOCS / "methods-compared.md").read_text()


def test_the_page_has_every_program_and_method() -> None:
    tables = re.findall(r"^\| program \| (.*) \|\n\| [-| ]* \|\n((?:\|.*\n)*)", PAGE, flags=re.MULTILINE)
    told, *figures = [(head.split(" | "), re.findall(r"^\| (.*?) \|", body, re.M)) for head, body in tables]
    assert told == (["is"], list(methods.CASES))
    assert len(figures) == 3
    for head, names in figures:
        assert tuple(head[-len(methods.ALL) :]) == methods.ALL
        assert names == list(methods.CASES)


SQUARED = {"composition": ("chad-copower", "curry-calls"), "Horner's rule": ("chad-copower",)}


@pytest.mark.parametrize("name", SQUARED)
def test_work_grows_as_the_page_says(name: str) -> None:
    found = {n: methods.measured(methods.CASES[name], n) for n in (8, 16, 32)}
    for method in methods.ALL:
        first, second, third = (found[n][method].operations for n in (8, 16, 32))
        growth = (third - second) / (second - first)
        assert growth > 3 if method in SQUARED[name] else growth < 2.5, method


def test_tables_of_a_small_program() -> None:
    name = "Horner's rule"
    case = methods.CASES[name]._replace(size=4)
    lines = list(methods.tables({name: case}, Limits(min_runs=1, min_seconds=0)))
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith(f"| {name}")]
    assert [len(row) for row in rows] == [2 + len(methods.ALL), *[1 + len(methods.ALL)] * 2]
    assert all(re.fullmatch(r"[\d.e+-]+( × [\d.]+)?", cell) for row in rows for cell in row[1:])


@pytest.mark.parametrize("name", methods.CASES)
def test_all_methods_find_the_same_gradient(name: str) -> None:
    assert list(methods.measured(methods.CASES[name], 3)) == list(methods.ALL)
