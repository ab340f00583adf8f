"""Memory that programs allocate while they run: calls use it again, and keep no more than a bound of it."""

from __future__ import annotations

import ctypes
import sys
import threading
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.jit.kept_memory import KEEPER, KEPT_BYTES, LARGE_RECORD_BYTES, allocation_address


def kept_record_bytes() -> int:
    return ctypes.c_int64.from_address(allocation_address(KEEPER)).value


@ad.function
def depth(x: Any, k: Any) -> Any:
    return ad.cond(k <= 0, lambda: x, lambda: np.sin(depth(x * 1.01, k - 1)) + x)


def batch(xs: Any, ks: Any) -> Any:
    return np.sum(ad.vmap(depth)(xs, ks))


def chain(x: Any, n: Any) -> Any:
    """A loop on data, whose gradient keeps a tape."""
    return ad.while_loop(lambda s: s[1] < n, lambda s: (np.cos(s[0]), s[1] + 1), (x, 0))[0]


@pytest.mark.skipif(sys.platform != "linux", reason="page faults are counted by Linux")
@pytest.mark.parametrize("transform", [ad.jit, ad.value_and_grad], ids=["value", "gradient"])
def test_a_call_maps_nothing_that_the_last_one_had(transform: Any) -> None:
    import resource

    f, arguments = transform(batch), (np.linspace(0.1, 1, 2000), np.full(2000, 40))
    for _ in range(5):
        f(*arguments)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        f(*arguments)
    # The call before would have some 500 pages mapped.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < 1000
    assert LARGE_RECORD_BYTES <= kept_record_bytes() <= KEPT_BYTES


def test_results_are_the_same_in_memory_that_was_used() -> None:
    f = ad.value_and_grad(chain)
    first = {n: f(0.3, n) for n in (10, 3000, 20_000, 100_000)}
    for n in (100_000, 10, 20_000, 3000, 100_000):
        assert f(0.3, n) == first[n]


def test_threads_have_memory_of_their_own() -> None:
    f = ad.value_and_grad(chain)
    expected = [f(0.1 * k, 20_000 + k) for k in range(4)]
    wrong: list[int] = []

    def work(k: int) -> None:
        wrong.extend(k for _ in range(20) if f(0.1 * k, 20_000 + k) != expected[k])

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_tape_beyond_the_bound_is_given_back() -> None:
    f = ad.grad(chain)
    kept = []
    for n in (10_000_000, 20_000_000):
        f(0.3, n)
        kept.append(kept_record_bytes())
    assert max(kept) <= KEPT_BYTES
