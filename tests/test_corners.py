"""The versions that the project says it supports, and what runs the suite at the ends of their ranges."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

from tests import corners

ROOT = Path(__file__).parents[1]


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", version)[:2])


def test_every_python_from_the_oldest_on_is_listed() -> None:
    listed = [numbers(v)[1] for v in corners.pythons()]
    assert listed == list(range(listed[0], listed[-1] + 1))
    assert corners.project()["requires-python"] == f">={corners.pythons()[0]}"


def test_what_runs_here_is_supported() -> None:
    assert sys.version_info[:2] >= numbers(corners.pythons()[0])
    for package in ("numpy", "scipy"):
        assert numbers(importlib.metadata.version(package)) >= numbers(corners.lowest(package))


def test_the_readme_states_the_same_ranges() -> None:
    text = (ROOT / "README.md").read_text()
    oldest, *_, newest = corners.pythons()
    stated = f"Python {oldest} to {newest}, NumPy {corners.lowest('numpy')} or newer"
    assert f"{stated} and SciPy {corners.lowest('scipy')} or newer" in text.replace("\n", " ")


def test_corners_are_listed_with_their_interpreters() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.corners", "--list"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    lines = run.stdout.splitlines()
    assert [line.partition(":")[0] for line in lines] == [c.name for c in corners.corners()]
    assert f"numpy=={corners.lowest('numpy')}, scipy=={corners.lowest('scipy')}" in lines[0]
    this = f"Python {sys.version_info.major}.{sys.version_info.minor},"
    for line in lines:
        assert "skipped" not in line or this not in line
        assert "skipped, no python3." in line or Path(line.rpartition(": ")[2]).exists()


def test_a_version_that_is_not_installed_is_found_nowhere() -> None:
    assert corners.interpreter("3.99") is None
