"""Random numbers that packages draw in a trace: every call draws them again, with a warning."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import mlirad as ad

PACKAGE = """
import random
import numpy as np
import numpy.random as npr
from numpy.random import normal, default_rng

_generator = np.random.default_rng(3)
_state = np.random.RandomState(3)

def legacy(x): return x + np.random.normal()
def by_module(x): return x + npr.uniform()
def imported(x): return x + normal()
def pythons(x): return x + random.random()
def of_generator(x): return x + _generator.normal()
def of_state(x): return x + _state.normal()
def fresh(x): return x + np.random.default_rng().normal()
def fresh_imported(x): return x + default_rng().normal()
def fresh_state(x): return x + np.random.RandomState().normal()
def fresh_pythons(x): return x + random.Random().random()

class Noise:
    def __init__(self): self.generator = np.random.default_rng(5)
    def __call__(self, x): return x + self.generator.normal()

_noise = Noise()
def of_object(x): return _noise(x)
def nested(x): return legacy(x) * 2.0
def seeded(x): return x + np.random.default_rng(7).normal()
def quiet(x): return x + 1.0
"""

DRAWING = (
    "legacy", "by_module", "imported", "pythons", "of_generator", "of_state", "fresh", "fresh_imported",
    "fresh_state", "fresh_pythons", "of_object", "nested",
)  # fmt: skip


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    folder: Path = tmp_path_factory.mktemp("installed") / "site-packages"
    folder.mkdir()
    (folder / "noisy_package.py").write_text(PACKAGE)
    sys.path.insert(0, str(folder))
    try:
        yield importlib.import_module("noisy_package")
    finally:
        sys.path.remove(str(folder))
        del sys.modules["noisy_package"]


@pytest.mark.parametrize("way", ["itself", "by a lambda"])
@pytest.mark.parametrize("function", DRAWING)
def test_every_call_draws(package: ModuleType, function: str, way: str) -> None:
    noisy: Any = getattr(package, function)
    f: Any = ad.jit(noisy) if way == "itself" else ad.grad(lambda x: noisy(x) ** 2)
    with pytest.warns(ad.CaptureWarning, match="traced at every call"):
        found = [f(1.0), f(1.0), f(1.0)]
    assert len(set(map(float, found))) == 3


@pytest.mark.parametrize("function", ["seeded", "quiet"])
@pytest.mark.filterwarnings("error")
def test_what_draws_nothing_new_is_kept(package: ModuleType, function: str) -> None:
    quiet: Any = getattr(package, function)
    f: Any = ad.jit(quiet)
    assert f(1.0) == f(1.0) == quiet(1.0)


@pytest.mark.filterwarnings("error")
def test_drawing_elsewhere_is_no_matter(package: ModuleType) -> None:
    f: Any = ad.jit(lambda x: package.quiet(x) * 2.0)
    generator = np.random.default_rng(0)
    assert f(1.0) == 4.0
    generator.normal()
    np.random.normal()
    assert f(1.0) == 4.0


def test_fresh_generators_of_the_program() -> None:
    def f(x: Any) -> Any:
        return x + np.random.default_rng().normal()

    compiled: Any = ad.jit(f)
    with pytest.warns(ad.CaptureWarning, match="urandom"):
        assert compiled(1.0) != compiled(1.0)
