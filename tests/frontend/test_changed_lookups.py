"""Values that Python finds by look-ups of all kinds: after each change a compiled call gives what Python
gives.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from tests.generators.changed_lookups import LOOKUPS, in_groups, program

MADE: dict[str, Callable[..., Callable[[float], Any]]] = {
    "jit": ad.jit,
    "made again": lambda f, **o: lambda x: ad.jit(f, **o)(x),
    "grad": lambda f, **o: lambda x: ad.grad(lambda x: f(x), **o)(x) * x,
    "of a closure": lambda f, **o: ad.jit(lambda x: f(x), **o),
}
"""The compiled forms of a linear function, as functions that give the same."""


def judge(names: list[str], folder: Path, seed: int, *, interpret: bool) -> None:
    """Compare compiled calls with Python's own after changes; each comes once, and some come twice."""
    rng = random.Random(seed)
    module = program(names, str(folder), seed)
    try:
        made = {name: make(module.f, interpret=interpret) for name, make in MADE.items()}
        changes = [getattr(module, f"change_{k}") for k in range(module.CHANGES)]
        for change in (lambda: None, *changes):
            change()
            wanted = module.f(1.25)
            for name in rng.sample(sorted(made), 3):
                for _ in range(rng.choice((1, 3))):
                    found = made[name](1.25)
                    assert np.allclose(found, wanted, rtol=1e-12), (
                        f"{names}: {name} gives {found}, not {wanted}, after {change.__name__} of {changes}"
                    )
    finally:
        module.restore()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", LOOKUPS)
def test_changes_of_what_is_found_are_seen(name: str, tmp_path: Path) -> None:
    judge([name], tmp_path, 0, interpret=True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", [(0, 6, True), (1, 6, True), (2, 3, False)], ids=str)
def test_changes_of_several_are_seen(case: tuple[int, int, bool], tmp_path: Path) -> None:
    group, most, interpret = case
    names = list(in_groups(sorted(LOOKUPS), 6, random.Random(0)))[group]
    judge(names[:most], tmp_path, group + 1, interpret=interpret)


@pytest.mark.fuzz
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(2, 12))
def test_changes_of_many_are_seen(seed: int, tmp_path: Path) -> None:
    for k, names in enumerate(in_groups(sorted(LOOKUPS), 2 + seed, random.Random(seed))):
        judge(names, tmp_path, 100 * seed + k + 1, interpret=seed % 2 == 0)
