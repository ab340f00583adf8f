"""The fixed tree: the same bits whoever has which chunks."""

from __future__ import annotations

import numpy as np
import pytest

from mlirad.distributed.combinations import COMBINATIONS, combine
from mlirad.distributed.plan import Combination, Program, Stage
from mlirad.distributed.trees import climb

STAGE = Stage(Program("", ()), (Combination("add", (0,)), Combination("logsumexp", (1, 2))), 0)


@pytest.mark.parametrize("chunks", [1, 2, 7, 8, 9, 17, 63, 64, 65, 200, 513])
def test_groupings_and_placements_have_the_same_bits(chunks: int) -> None:
    rng = np.random.default_rng(chunks)
    parts = {(0, c): (rng.normal(size=3), rng.normal(), rng.random()) for c in range(chunks)}
    (whole,) = climb(parts, chunks, combine(STAGE)).values()
    for _ in range(20):
        owners = rng.integers(0, 4, size=chunks) if rng.random() < 0.5 else np.arange(chunks) * 4 // chunks
        nodes = {}
        for owner in rng.permutation(4):
            own = {(0, c): parts[0, c] for c in range(chunks) if owners[c] == owner}
            nodes |= climb(own, chunks, combine(STAGE))
        (found,) = climb(nodes, chunks, combine(STAGE)).values()
        assert [np.asarray(x).tobytes() for x in found] == [np.asarray(x).tobytes() for x in whole]


@pytest.mark.parametrize("gap", [0.0, 3.0, np.inf])
def test_logsumexp_of_pairs(gap: float) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=12)
    x[3] -= gap
    pairs = [(np.max(part), np.sum(np.exp(part - np.max(part)))) for part in (x[:5], x[5:])]
    top, total = COMBINATIONS["logsumexp"](*pairs)
    np.testing.assert_allclose(top + np.log(total), np.log(np.sum(np.exp(x))), rtol=1e-14)


def test_logsumexp_where_all_are_minus_infinity() -> None:
    empty = (-np.inf, 2.0)
    with np.errstate(invalid="ignore"):
        assert COMBINATIONS["logsumexp"](empty, empty) == (-np.inf, 4.0)
