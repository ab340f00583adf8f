"""Random programs of rows: each split agrees with the program of all rows, or is refused."""

from __future__ import annotations

import time

import pytest

from tests.distributed.random_functions import tried_function
from tests.distributed.random_programs import tried


@pytest.mark.parametrize("seed", range(24))
def test_random_programs(seed: int) -> None:
    tried(seed)


def test_enough_programs_can_be_split() -> None:
    outcomes = [tried(seed, 4) for seed in range(100, 120)]
    assert outcomes.count("agrees") >= 6
    assert outcomes.count("unsettled") <= 2


@pytest.mark.fuzz
def test_more_random_programs(fuzz_seconds: float) -> None:
    end, seed = time.monotonic() + fuzz_seconds, time.time_ns() % 2**31
    while time.monotonic() < end:
        tried(seed)
        seed += 1


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("seed", range(24))
def test_random_functions(seed: int) -> None:
    tried_function(seed)


@pytest.mark.fuzz
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_more_random_functions(fuzz_seconds: float) -> None:
    end, seed = time.monotonic() + fuzz_seconds, time.time_ns() % 2**31
    while time.monotonic() < end:
        tried_function(seed)
        seed += 1
