"""The same bits in every call, thread and process, wherever arrays lie, and with or without checks."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlirad.jit.call import NativeFunction
from tests.acceptance.same_bits import CALLS, digest, leaves, lines, native_program

PROGRAMS = 2
SEEDS = range(20, 24)


def in_a_process(seed: str) -> subprocess.Popen[str]:
    """The digests as another process finds them, whose sets and dictionaries are in another order."""
    command = [sys.executable, "-m", "tests.acceptance.same_bits", str(PROGRAMS)]
    root = Path(__file__).parents[2]
    environment = os.environ | {"PYTHONHASHSEED": seed}
    return subprocess.Popen(command, cwd=root, env=environment, stdout=subprocess.PIPE, text=True)


def test_processes_compile_and_compute_the_same() -> None:
    with in_a_process("7") as other:
        here = list(lines(PROGRAMS))
        there, _ = other.communicate(timeout=300)
    assert there.splitlines() == here


@pytest.mark.parametrize("name", CALLS)
def test_calls_and_threads_compute_the_same(name: str) -> None:
    function, arguments = CALLS[name]
    expected = digest(*leaves(function(*arguments)))
    found: list[str] = []

    def run() -> None:
        found.extend(digest(*leaves(function(*arguments))) for _ in range(3))

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 9


def moved(value: Any, offset: int) -> Any:
    """A copy of an array at an address that is a multiple of its elements' size and of nothing more."""
    if not isinstance(value, np.ndarray) or not value.ndim:
        return value
    block = np.empty(value.nbytes + 64 + offset * value.itemsize, np.uint8)
    start = -block.ctypes.data % 64 + offset * value.itemsize
    copy = block[start : start + value.nbytes].view(value.dtype).reshape(value.shape)
    copy[...] = value
    return copy


def placed(arguments: tuple[Any, ...], offset: int) -> tuple[Any, ...]:
    move: Callable[[Any], Any] = lambda v: (  # noqa: E731
        {k: moved(each, offset) for k, each in v.items()} if isinstance(v, dict) else moved(v, offset)
    )
    return tuple(move(v) for v in arguments)


@pytest.mark.parametrize("name", CALLS)
def test_it_does_not_matter_where_arrays_lie(name: str) -> None:
    function, arguments = CALLS[name]
    expected = digest(*leaves(function(*arguments)))
    for offset in (0, 1, 3):
        assert digest(*leaves(function(*placed(arguments, offset)))) == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_checks_change_no_bit(seed: int) -> None:
    plain, given = native_program(seed)
    checked, _ = native_program(seed, checked=True)
    expected = digest(*NativeFunction(plain)(*given))
    assert digest(*NativeFunction(checked)(*given)) == expected
    assert digest(*NativeFunction(checked, debug=True)(*given)) == expected
    for offset in (1, 2):
        assert digest(*NativeFunction(plain)(*(moved(v, offset) for v in given))) == expected
