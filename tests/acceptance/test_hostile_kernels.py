"""Kernel programs as no pass would write them are refused, or do what the interpreter does."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.acceptance.hostile_kernels import PLANNED, PROGRAMS, Mutant, mutants, outcome, planned

STEP = 101
"""Every day tries one in this many mutants."""


SOUND = ("refused", "refused by the interpreter", "same")


def check_mutants(start: int, step: int, seconds: float = 0.0) -> Counter[str]:
    """Try mutants in a process of its own, which none of them may end; how many came to what."""
    words = [str(start), str(step), str(seconds)]
    command = [sys.executable, "-m", "tests.acceptance.hostile_kernels", *words]
    root = Path(__file__).parents[2]
    run = subprocess.run(command, capture_output=True, text=True, cwd=root, check=False)
    lines = run.stdout.splitlines()
    assert run.returncode == 0, f"{lines[-1]} ended the process with {run.returncode}: {run.stderr}"
    outcomes = [line.rsplit(" -> ", 1)[-1] for line in lines]
    wrong = [line for line, what in zip(lines, outcomes, strict=True) if what not in SOUND]
    assert not wrong, "\n".join(wrong)
    assert outcomes
    return Counter(outcomes)


@pytest.mark.parametrize("program", range(len(PROGRAMS)))
def test_nothing_changed(program: int) -> None:
    assert outcome(Mutant(program, 0, "changed", None)) == "same"


def test_one_attribute_changed() -> None:
    check_mutants(11, STEP)


@pytest.mark.fuzz
def test_many_attributes_changed(fuzz_seconds: float, judged: Counter[str]) -> None:
    judged.update(check_mutants(random.SystemRandom().randrange(10**6), 7919, fuzz_seconds))


def test_the_programs_have_every_op_and_every_attribute() -> None:
    walks = [list(planned(k).walk()) for k in range(len(PROGRAMS))]
    ops = {type(op) for walk in walks for op in walk}
    # A branch with two regions stands for one with more.
    assert {op.name for op in PLANNED} - {op.name for op in ops} == {"array.switch"}
    changed = {(type(walks[k][m.op]), m.name) for k in range(len(PROGRAMS)) for m in mutants(k)}
    kernels = [op for op in ops if op.name.startswith("kernel.")]
    assert {(op, name) for op in kernels for name in op.get_irdl_definition().properties} <= changed
