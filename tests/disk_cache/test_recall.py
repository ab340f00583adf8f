"""Traces that another process made: never stale, the same bits, and without xDSL."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

from tests.generators.changed_programs import PARTS, program, random_change

ROOT = Path(__file__).parents[2]

DRIVER = """
import builtins, contextlib, importlib, json, math, sys, warnings
import numpy as np
import mlirad as ad
from mlirad.frontend import interface  # while NumPy is as it was made
from mlirad.frontend.compiling.recall import TracePlace

np.core_sin, np.core_sqrt, np.core_abs = np.sin, math.sqrt, abs
sys.path.insert(0, {folder!r})
x = np.array([0.5, 1.25, 2.0])
found, places = [], []
find = TracePlace.find

def noting(place):
    places.append(place)
    result = find(place)
    found.append(result is not None)
    return result

TracePlace.find = noting
outcomes = {{}}
for number in range({count}):
    module = importlib.import_module(f"program_{{number}}")
    module.setup()
    try:
        found.clear()
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = lambda *args: None
            got = ad.grad(module.f)(x)
            is_found = any(found)
            witness = ad.grad(module.f, interpret=True)(x) if {compares} else got
        outcomes[number] = (got.tobytes().hex(), is_found, bool(np.allclose(got, witness, rtol=1e-12)))
    finally:
        module.teardown()
print(json.dumps(outcomes))
"""
"""Calls the gradient of every program, and the interpreter's of the same function."""


def run(code: str, cache: Path, **variables: str) -> str:
    """What a process prints that keeps its programs in a folder."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"MLIRAD_CACHE": str(cache), "PYTHONPATH": str(ROOT)} | variables,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def outcomes(
    folder: Path, programs: list[tuple[list[str], list[str]]], *, compares: bool
) -> list[tuple[str, bool, bool]]:
    """Of each program the bits of its gradient, whether its trace was found, and whether it is right."""
    for number, (names, values) in enumerate(programs):
        for name, text in program(names, values, number, str(folder)).items():
            (folder / name).write_text(text)
            (folder / name).touch()
    code = DRIVER.format(folder=str(folder), count=len(programs), compares=compares)
    found = json.loads(run(code, folder / "cache", PYTHONDONTWRITEBYTECODE="1"))
    return [tuple(found[str(number)]) for number in range(len(programs))]


def require_fresh(folder: Path, changes: list[tuple[list[str], list[str], list[str]]]) -> None:
    """Run programs twice, and changed ones after that: each gives what it says, and the same bits."""
    before = [(names, values) for names, values, _ in changes]
    after = [(names, values) for names, _, values in changes]
    first = outcomes(folder, before, compares=True)
    second = outcomes(folder, before, compares=False)
    third = outcomes(folder, after, compares=True)
    for number, (names, _, _) in enumerate(changes):
        assert first[number][2] and third[number][2], f"stale: {names}"
        assert first[number][0] == second[number][0], f"other bits: {names}"
        can_be = all(PARTS[name].is_recalled for name in names)
        assert second[number][1] == can_be, f"traced again {not can_be}: {names}"


def test_what_decides_a_trace_is_never_stale(tmp_path: Path) -> None:
    require_fresh(tmp_path, [([name], ["2.0"], ["3.0"]) for name in PARTS])


def test_random_changes_are_never_stale(tmp_path: Path) -> None:
    rng = random.Random(0)
    require_fresh(tmp_path, [random_change(rng) for _ in range(20)])
