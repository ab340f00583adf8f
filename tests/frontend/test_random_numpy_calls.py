"""Random calls of every function of NumPy's and SciPy's that can be traced, with right options and wrong
ones.

Whatever is passed, a traced function gives what NumPy gives, or raises an error of mlirad's own that says
what to do. The calls run in a child process, so a crash is the outcome of its call and not the end of the
tests. `--fuzz-seconds` tries fresh calls for as long as it says, and prints how many came to what.
"""

from __future__ import annotations

import random
import time
from collections import Counter

import numpy as np
import pytest
import scipy.special

from tests.generators.numpy_calls import Call, Leaf, random_call
from tests.generators.numpy_outcomes import (
    AGREED,
    DEVIATES,
    DISAGREED,
    RAW,
    REFUSED,
    WRONG,
    outcome_of,
    run_calls,
    summary,
)

INTERPRETED, COMPILED = 40, 5


def check(first: int, count: int, *, interpret: bool, counts: Counter[str]) -> list[str]:
    """The failures among the calls of some seeds."""
    wrong: list[str] = []
    for outcome in run_calls(first, count, interpret=interpret):
        counts[outcome.kind] += 1
        if outcome.kind in WRONG:
            wrong.append(f"seed {outcome.seed}, {outcome.kind}: {outcome.call}\n    {outcome.detail}")
    assert sum(counts.values()) >= count
    return wrong


@pytest.mark.parametrize("case", range(3))
def test_calls_interpreted(case):
    counts: Counter[str] = Counter()
    wrong = check(case * INTERPRETED, INTERPRETED, interpret=True, counts=counts)
    assert not wrong, "\n".join(wrong)
    assert counts[AGREED] + counts[DEVIATES] > 0.9 * INTERPRETED  # few are refused


@pytest.mark.parametrize("case", range(2))
def test_calls_compiled(case):
    wrong = check(case * COMPILED, COMPILED, interpret=False, counts=Counter())
    assert not wrong, "\n".join(wrong)


@pytest.mark.fuzz
def test_fresh_calls(fuzz_seconds, capsys):
    end = time.monotonic() + fuzz_seconds
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    while time.monotonic() < end:
        seed = random.SystemRandom().randrange(10**9)
        wrong += check(seed, 1000, interpret=True, counts=counts)
        wrong += check(seed, 50, interpret=False, counts=Counter())
    with capsys.disabled():
        print("\n" + summary(counts))  # noqa: T201
    assert not wrong, "\n".join(wrong)


# The judge itself --------------------------------------------------------------------------------


def test_calls_are_functions_of_their_seeds():
    assert all(
        str(random_call(s)) == str(random_call(s)) for s in range(50) if "object" not in str(random_call(s))
    )
    assert len({random_call(s).name for s in range(2000)}) > 200


def test_wrong_values_and_foreign_exceptions_are_noticed(monkeypatch):
    calls = (random_call(s) for s in range(9999))
    seed = next(
        c.seed
        for c in calls
        if c.name == "np.cumsum"
        and not c.options
        and any(a.size and np.all(np.abs(a) < 1e9) for a in c.leaves)
    )
    assert outcome_of(random_call(seed)).kind == AGREED
    call = random_call(seed)
    monkeypatch.setattr(call, "with_mlirad", lambda interpret: call.with_numpy() + 1)
    assert outcome_of(call).kind == DISAGREED
    monkeypatch.setattr(call, "with_mlirad", lambda interpret: [][0])
    assert outcome_of(call).kind == RAW


@pytest.mark.parametrize(
    ("function", "leaves", "options"),
    [
        (np.log1p, [np.array([True, False]), np.zeros(2, np.float32)], {"out": Leaf(1)}),
        (scipy.special.pseudo_huber, [np.float64(1e-310), np.float64(np.inf)], {}),
    ],
)
def test_what_is_documented_is_no_disagreement(function, leaves, options):
    args = tuple(Leaf(k) for k in range(function.nin))
    call = Call(0, function.__name__, function, args, options, leaves)
    assert outcome_of(call).kind == DEVIATES


def test_strings_among_arguments_are_no_numbers():
    call = Call(0, "np.any", np.any, (Leaf(0),), {"axis": b"x"}, [np.array([1, 2])])
    assert outcome_of(call).kind == AGREED
    call = Call(0, "np.negative", np.negative, (Leaf(0),), {"order": b"x"}, [np.array([1, 2])])
    assert outcome_of(call).kind in (AGREED, REFUSED)
