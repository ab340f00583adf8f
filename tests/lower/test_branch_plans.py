"""Plans of branches that read many arrays: each block is planned a few times, whatever it reads."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.lower.kernels.plan_memory.lifetimes import Lifetimes


def _branching(x: Any) -> Any:
    """A branch that reads many arrays last, and can write over few of them."""
    arrays = [np.sin(k * x) for k in range(1, 12)]

    def then() -> Any:
        return np.cumsum(sum(np.cumsum(a)[::-1] for a in arrays))

    return ad.cond(np.sum(x) > 0, then, lambda: np.zeros(5))


class _Every:
    """All values."""

    def __contains__(self, _: object) -> bool:
        return True


def test_branches_are_not_planned_for_each_array_that_they_read(monkeypatch: pytest.MonkeyPatch) -> None:
    planned = Counter[str]()
    make = Lifetimes.__init__

    def counted(self: Lifetimes, *args: Any) -> None:
        planned["blocks"] += 1
        make(self, *args)

    monkeypatch.setattr(Lifetimes, "__init__", counted)
    x = np.linspace(0.1, 0.9, 5)
    asked = ad.jit(_branching).stats(x).peak_bytes
    few = planned.pop("blocks")
    monkeypatch.setattr(Lifetimes, "updatable", lambda *_: _Every())
    assert ad.jit(lambda x: _branching(x)).stats(x).peak_bytes == asked
    assert few < planned["blocks"] / 3


def test_a_result_is_followed_once_for_all_arrays_that_a_branch_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    followed: list[Any] = []
    find = Lifetimes.updatable

    def counted(self: Lifetimes, k: int) -> Any:
        followed.append((self, k))
        return find(self, k)

    monkeypatch.setattr(Lifetimes, "updatable", counted)
    ad.jit(_branching).stats(np.linspace(0.1, 0.9, 5))
    assert followed
    assert len(followed) == len({(id(plan), k) for plan, k in followed})
