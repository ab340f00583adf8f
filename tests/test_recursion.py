"""Room for frames: Python maps and unmaps a chunk of them in a loop whose calls do not fit."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

import pytest

from mlirad.recursion import deep_recursion, in_large_frame

resource = pytest.importorskip("resource")

CALLS = 300

with_room = in_large_frame(globals())


def leaf() -> None:
    pass


def calls() -> int:
    """The pages that a loop of calls maps."""
    before = resource.getrusage(resource.RUSAGE_THREAD).ru_minflt
    for _ in range(CALLS):
        leaf()
    return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt - before


def at_depth(depth: int, action: Callable[[], int]) -> int:
    return action() if depth == 0 else at_depth(depth - 1, action)


def worst() -> int:
    """The most pages at any of the depths that a chunk of Python's has."""
    return max(at_depth(depth, calls) for depth in range(200))


def in_thread(function: Callable[[], int]) -> int:
    """The result of a function in a thread, which has the stack that Python gives it."""
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


@pytest.mark.skipif(sys.platform != "linux", reason="counts the pages of one thread")
def test_no_depth_of_calls_maps_memory_again_and_again() -> None:
    assert in_thread(worst) >= CALLS
    assert in_thread(lambda: with_room(worst, (), {})) < CALLS / 3
    assert in_thread(deep_recursion(worst)) < CALLS / 3


def test_results_and_exceptions_pass() -> None:
    assert with_room(divmod, (7, 2), {}) == (3, 1)
    assert with_room(dict, (), {"a": 1}) == {"a": 1}
    with pytest.raises(ZeroDivisionError):
        with_room(divmod, (1, 0), {})
