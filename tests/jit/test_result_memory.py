"""Memory of large results: it is used again, is bounded, and outlives whoever made it."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.jit import object_layout, result_memory
from mlirad.jit.kept_memory import KEPT_BYTES, LARGE_RESULT_BYTES
from mlirad.jit.result_memory import empty, kept_bytes

pytestmark = pytest.mark.skipif(not object_layout.is_layout_known(), reason="layout unknown")

F64 = np.dtype(np.float64)
LARGE = LARGE_RESULT_BYTES // 8


def address(array: Any) -> int:
    return array.ctypes.data


def test_a_block_is_used_again_for_its_size_only() -> None:
    first = empty((LARGE,), F64)
    place, before = address(first), kept_bytes()
    del first
    assert kept_bytes() == before + LARGE_RESULT_BYTES
    other = empty((LARGE + 1,), F64)
    again = empty((2, LARGE // 2), F64)
    assert address(again) == place and address(other) != place
    assert kept_bytes() == before
    assert again.flags.owndata and again.flags.writeable and again.base is None


def test_small_arrays_are_numpys_own() -> None:
    before = kept_bytes()
    del (small := [empty((LARGE - 1,), F64)])[0]
    assert not small and kept_bytes() == before


def test_results_of_calls_take_turns() -> None:
    """While a result is alive its memory is its own; when it is dropped the next one has it."""
    f = ad.jit(lambda x: (x + 1, 2 * x))
    x = np.zeros((LARGE, 2))
    for _ in range(3):
        f(x)
    kept = f(x)
    places = set[int]()
    for k in range(6):
        a, b = f(x + k)
        assert (a == k + 1).all() and (b == 2 * k).all()
        places |= {address(a), address(b)}
    assert len(places) <= 4
    assert (kept[0] == 1).all() and (kept[1] == 0).all()
    assert not places & {address(kept[0]), address(kept[1])}


def test_what_is_kept_is_bounded() -> None:
    rng = random.Random(3)
    alive: list[Any] = []
    for _ in range(400):
        size = rng.choice([1, 2, 3, 5, 40, 200, 1100]) * LARGE
        array = empty((size,), F64)
        array[0] = array[-1] = size
        alive.append(array)
        while len(alive) > 12:
            dropped = alive.pop(rng.randrange(12))
            assert dropped[0] == dropped[-1] == dropped.size
            del dropped
        assert 0 <= kept_bytes() <= KEPT_BYTES
    many = [empty((LARGE,), F64) for _ in range(KEPT_BYTES // LARGE_RESULT_BYTES + 64)]
    many.clear()
    assert kept_bytes() <= KEPT_BYTES


def test_resizing_and_zeros_keep_their_meaning() -> None:
    array = empty((LARGE,), F64)
    array[:] = 7
    array.resize((2 * LARGE,), refcheck=False)
    assert (array[:LARGE] == 7).all() and (array[LARGE:] == 0).all()


def test_threads_have_memory_of_their_own() -> None:
    f = ad.jit(lambda x: x + 1)
    inputs = [np.full(LARGE, float(k)) for k in range(4)]
    f(inputs[0])
    wrong: list[int] = []

    def work(k: int) -> None:
        for _ in range(50):
            if not (f(inputs[k]) == k + 1).all():
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_results_may_outlive_the_interpreter() -> None:
    code = f"""
import builtins
import numpy as np
from mlirad.jit.result_memory import empty
builtins.kept = [empty(({LARGE},), np.dtype("float64")) for _ in range(3)]
del builtins.kept[0]
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_without_a_known_layout_it_is_numpys_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_memory.layout, "is_layout_known", lambda: False)
    before = kept_bytes()
    del (arrays := [empty((LARGE,), F64)])[0]
    assert not arrays and kept_bytes() == before
