"""Changes of what Python finds by look-ups of all kinds: no process recalls a trace of another state."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.generators.changed_lookups import LOOKUPS

ROOT = Path(__file__).parents[2]

DRIVER = """
import json, sys, warnings
import numpy as np
import mlirad as ad
from mlirad.frontend.compiling.recall import TracePlace
from tests.generators.changed_lookups import program

warnings.simplefilter("ignore")
recalled, find = [], TracePlace.find

def noting(place):
    found = find(place)
    recalled.append(found is not None)
    return found

TracePlace.find = noting
outcomes = {{}}
for number, name in enumerate({names!r}):
    module = program(name, {folder!r}, number)
    try:
        for k in range(min({changes}, module.CHANGES)):
            module.f(1.25)
            getattr(module, f"change_{{k}}")()
        recalled.clear()
        wanted = module.f(1.25)
        found = ad.jit(module.f)(1.25)
        is_right = bool(np.allclose(found, wanted, rtol=1e-12))
        outcomes[name] = (is_right, any(recalled), float(found), float(wanted))
    finally:
        module.restore()
print(json.dumps(outcomes))
"""
"""Calls the functions of look-ups after some of their changes, and Python's own beside them."""


def outcomes(names: list[str], changes: int, folder: Path) -> dict[str, list[object]]:
    """The outcome of each look-up after changes: is the compiled call right, was its trace recalled, and both
    values.
    """
    (folder / "files").mkdir(exist_ok=True)
    code = DRIVER.format(names=names, folder=str(folder / "files"), changes=changes)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"MLIRAD_CACHE": str(folder / "cache"), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def require_fresh(names: list[str], folder: Path, most: int) -> set[str]:
    """Require that processes compute what Python does after more and more changes; says what is recalled."""
    recalled: set[str] = set()
    for changes in (0, 0, *range(1, most + 1)):
        found = outcomes(names, changes, folder)
        stale = {name: outcome for name, outcome in found.items() if not outcome[0]}
        assert not stale, f"after {changes} changes: {stale}"
        recalled |= {name for name, outcome in found.items() if outcome[1]}
    return recalled


@pytest.mark.fuzz
def test_no_other_state_is_recalled(tmp_path: Path) -> None:
    recalled = require_fresh(sorted(LOOKUPS), tmp_path, 4)
    assert len(recalled) > 10, f"only {recalled} are recalled at all"


def test_no_other_state_of_what_can_be_recalled_is_recalled(tmp_path: Path) -> None:
    names = [
        "default",
        "cell",
        "global",
        "array",
        "order in memory",
        "order of a frozenset",
        "partial",
        "code",
    ]
    assert require_fresh(names, tmp_path, 1) == set(names)
