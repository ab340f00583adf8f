"""Programs from the disk, and those of the quick tier, run on several threads as others do."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.disk_cache import store
from mlirad.disk_cache.folder import Folder
from mlirad.disk_cache.records import Record
from mlirad.jit import engine
from mlirad.jit.call import NativeFunction
from mlirad.jit.threads import Threads
from tests.threads.sharing import counted, digests, everything_shared, is_shared

X = np.random.default_rng(4).normal(size=300_000)


def gradient(threads: Threads | None) -> Callable[..., Any]:
    """A new function, without a program in this process yet."""
    return ad.grad(lambda x: np.sum(np.exp(np.sin(x)) * x), threads=threads)


def test_programs_from_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One file serves all numbers of threads, and each call has those that were asked for."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("MLIRAD_CACHE", str(folder))
    making: Any = importlib.import_module("mlirad.frontend.compiling.run_compiler")
    made = gradient(1)(X)
    monkeypatch.delattr(making, "machine_code")
    for threads, loops in ((1, 0), (2, 1), (3, 1)):
        found = gradient(threads)
        results: list[Any] = []
        assert counted(lambda f=found, r=results: r.append(f(X))).loops == loops
        np.testing.assert_array_equal(results[0], made)
    kept = store.entries(Folder(str(folder), is_named=True, limit=1 << 20))
    names = [found.name for found in map(store.examine, kept) if isinstance(found, Record)]
    assert names.count("lambda") == 1


def test_programs_of_the_quick_tier(monkeypatch: pytest.MonkeyPatch) -> None:
    with everything_shared():
        program = gradient(None).lower(X[:1000]).program  # pyright: ignore[reportFunctionMemberAccess]
    assert is_shared(program)
    usual = NativeFunction(program)(X[:1000])
    engine_caches: Any = engine
    monkeypatch.setattr(engine, "QUICK_FROM", 0)
    engine_caches._compiled.cache_clear()
    try:
        assert len(set(digests(program, [X[:1000]]).values())) == 1
        for one, other in zip(usual, NativeFunction(program, threads=2)(X[:1000]), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-13)
    finally:
        engine_caches._compiled.cache_clear()
