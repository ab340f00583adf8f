"""Calls under random options, with arguments and buffers of any layout: what NumPy gives, and nothing else.

Arguments stay as they are unless they are donated or a buffer has parts of them, and results that were given
before stay as they are for good.
"""

from __future__ import annotations

import random
import time
import warnings
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.frontend.compiling.recompiles import shared_programs
from tests.generators.optioned_calls import Call, Session, buffers_for, random_session
from tests.threads.sharing import everything_shared

TOLERANCES = {np.float64: 1e-8, np.float32: 2e-3}
MOST_FAILURES = 5


def judge(seed: int) -> None:
    """Calls of one session, one after the other."""
    session, rng = random_session(seed), random.Random(seed + 1)
    held: list[tuple[list[Any], list[Any]]] = []
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        stack.enter_context(np.errstate(all="ignore"))
        warnings.simplefilter("ignore")
        if rng.random() < 0.3:
            stack.enter_context(everything_shared())
        for _ in range(rng.randint(2, 6)):
            held.append(judge_call(session, rng))
            if rng.random() < 0.3:
                shared_programs.forget()
    for found, before in held:
        for one, other in zip(found, before, strict=True):
            np.testing.assert_array_equal(one, other, err_msg=f"seed {seed}: a result has changed")


def judge_call(session: Session, rng: random.Random) -> tuple[list[Any], list[Any]]:
    """The arrays that a call makes, and copies of them; those that are in arguments are left out."""
    call = session.call(rng)
    expected = session.expected(call)
    compiled = session.another(rng)
    out = buffers_for(expected, rng, call.arrays) if rng.random() < 0.4 else None
    told = (
        f"{session.kind} of {session.function}, {session.options}, {np.shape(call.plain[0])}, {out is None}"
    )
    found = compiled(*call.given, **call.named, **({} if out is None else {"out": out}))
    assert out is None or found is out, told
    leaves, tolerance = ad.tree.leaves(found), TOLERANCES[session.floats]
    for one, other in zip(leaves, ad.tree.leaves(expected), strict=True):
        assert (np.shape(one), np.asarray(one).dtype) == (np.shape(other), np.asarray(other).dtype), told
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance, err_msg=told)
    changed = [call.arrays[name] for name in session.donated] + ([] if out is None else leaves)
    require_unchanged(call, changed, told)
    own = [x for x in leaves if not any(np.may_share_memory(x, a) for a in call.arrays.values())]
    return own, [np.copy(x) for x in own]


def require_unchanged(call: Call, changed: list[Any], told: str) -> None:
    """The arguments that share nothing with what may have changed are what they were."""
    for (name, array), plain in zip(call.arrays.items(), call.plain, strict=True):
        if not any(np.shares_memory(array, other) for other in changed):
            np.testing.assert_array_equal(array, plain, err_msg=f"{told}: {name} has changed")


@pytest.mark.parametrize("seed", range(3))
def test_calls_under_options(seed: int) -> None:
    judge(seed)


@pytest.mark.fuzz
@pytest.mark.parametrize("cache", ["off", "on"])
def test_many_calls_under_options(
    cache: str, fuzz_seconds: float, judged: Counter[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if cache == "on":
        monkeypatch.setenv("MLIRAD_CACHE", str(tmp_path / "cache"))
    end, seeds = time.monotonic() + fuzz_seconds, random.SystemRandom()
    wrong: list[str] = []
    while time.monotonic() < end and len(wrong) < MOST_FAILURES:
        seed = seeds.randrange(2**32)
        judged["sessions of calls"] += 1
        try:
            judge(seed)
        except Exception as error:
            wrong.append(f"seed {seed}: {error}")
    assert not wrong, "\n\n".join(wrong)
