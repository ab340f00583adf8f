"""Random programs with functions as values: some always, and as many as the time allows when fuzzing."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.higher_order.__main__ import JUDGES
from tests.higher_order.campaign import Campaign
from tests.higher_order.judging import judge, size_of
from tests.higher_order.machine_code import WAYS, judge_compiled


@pytest.mark.parametrize("seed", range(300))
def test_witnesses_agree(seed: int) -> None:
    judge(seed, min(size_of(seed), 5))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(2, 12))
def test_machine_code_of_all_methods_agrees(seed: int, way: str) -> None:
    """Program 10 holds values of its own kind."""
    judge_compiled(seed, min(size_of(seed), 4), way)


@pytest.mark.fuzz
@pytest.mark.parametrize("by", JUDGES)
def test_witnesses_agree_about_many(by: str, fuzz_seconds: float, judged: Counter[str]) -> None:
    campaign = Campaign(by=by)
    first = random.SystemRandom().randrange(2**30)
    campaign.run(range(first, first + 10**6), fuzz_seconds)
    judged.update(campaign.counts)
    assert not campaign.failures, campaign.report()
