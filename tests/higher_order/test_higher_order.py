"""Random programs with functions as values: some always, and as many as the time allows when fuzzing."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.higher_order.campaign import Campaign
from tests.higher_order.judging import judge, size_of


@pytest.mark.parametrize("seed", range(300))
def test_witnesses_agree(seed: int) -> None:
    judge(seed, min(size_of(seed), 5))


@pytest.mark.fuzz
def test_witnesses_agree_about_many(fuzz_seconds: float, judged: Counter[str]) -> None:
    campaign = Campaign()
    first = random.SystemRandom().randrange(2**30)
    campaign.run(range(first, first + 10**6), fuzz_seconds)
    judged.update(campaign.counts)
    assert not campaign.failures, campaign.report()
