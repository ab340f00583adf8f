"""Mutated MLIR text ends in a result or in an error of mlirad with its place, whatever the mutation.

A fixed sample is judged every day. `--fuzz-seconds` judges fresh mutants for as long as it says; a failure
shows the reduced text, and the seed and number it can be had again with: `python -m tests.robustness --seed
5 --only 1234`.
"""

from __future__ import annotations

import random
import signal
import time

import pytest

from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from tests.robustness.texts import judging, workers
from tests.robustness.texts.campaign import Campaign
from tests.robustness.texts.corpus import Corpus, corpus, foreign_corpus
from tests.robustness.texts.judging import Depth, judge
from tests.robustness.texts.mutators import MUTATORS, mutant
from tests.robustness.texts.reduction import reduced
from tests.robustness.texts.syntax import balanced, ops, regions, types
from tests.robustness.texts.workers import Task, judged

EVERYDAY = 240
SEED = 8

PROGRAM = """\
func.func @f(%x: tensor<3xf64>, %p: i1) -> f64 {
  %s = array.sum %x {dims = [0]} : tensor<3xf64> -> f64
  %r = array.if %p : i1 -> f64 {
    %a = array.sin %s : f64
    array.yield %a : f64
  } else {
    array.yield %s : f64
  }
  func.return %r : f64
}
"""


@pytest.fixture(scope="module")
def texts() -> Corpus:
    """A small corpus."""
    return corpus(2)


@pytest.mark.long
def test_mutated_texts(texts):
    campaign = Campaign(texts, SEED, Depth(passes=0.1, native=0.02), workers=1)
    campaign.run(mutants=EVERYDAY)
    assert not campaign.found, campaign.report()
    # The sample says something: texts get to every stage.
    reached = {name.removeprefix("ends with ").partition(":")[0] for name in campaign.counts}
    assert {"parse", "verify", "print", "interpret"} <= reached


def test_mutated_texts_of_other_dialects():
    campaign = Campaign(foreign_corpus(0), SEED, Depth(passes=0.05, native=0), workers=1)
    campaign.run(mutants=40)
    assert not campaign.found, campaign.report()
    reached = {name.removeprefix("ends with ").partition(":")[0] for name in campaign.counts}
    assert {"parse", "verify", "convert", "print foreign"} <= reached


@pytest.mark.fuzz
def test_many_mutated_texts_of_other_dialects(fuzz_seconds, judged):
    campaign = Campaign(foreign_corpus(20), random.SystemRandom().randrange(10**6), Depth(), workers=2)
    campaign.run(seconds=fuzz_seconds)
    judged["mutated texts of other dialects"] += campaign.judged
    campaign.reduce()
    assert not campaign.found, campaign.report()


@pytest.mark.fuzz
def test_many_mutated_texts(fuzz_seconds, judged):
    campaign = Campaign(corpus(40), random.SystemRandom().randrange(10**6), Depth(), workers=2)
    campaign.run(seconds=fuzz_seconds)
    judged["mutated texts"] += campaign.judged
    campaign.reduce()
    assert not campaign.found, campaign.report()


def test_every_kind_of_change_is_made(texts):
    made: set[str] = set()
    for number in range(600):
        made.update(mutant(texts, SEED, number)[1])
    assert made == set(MUTATORS)


def test_a_mutant_is_known_by_its_number(texts):
    assert mutant(texts, SEED, 3) == mutant(texts, SEED, 3)
    assert mutant(texts, SEED, 3) != mutant(texts, SEED, 4)


def test_spans():
    assert [PROGRAM[a:b].split()[0] for a, b in ops(PROGRAM)] == [
        "func.func",
        "%s",
        "%r",
        "%a",
        *["array.yield"] * 2,
        "func.return",
    ]
    (_, whole), (_, choice) = ops(PROGRAM)[0], ops(PROGRAM)[2]
    assert PROGRAM[whole - 2 : whole] == "}\n"
    assert PROGRAM[:choice].endswith("array.yield %s : f64\n  }\n")
    assert len(regions(PROGRAM)) == 3
    assert balanced("(a(b)c) d", 0) == 7
    assert balanced("(a(b)c", 0) is None
    assert [("!m<tuple<f64>, f64>")[a:b] for a, b in types("!m<tuple<f64>, f64>")][:2] == [
        "!m<tuple<f64>, f64>",
        "tuple<f64>",
    ]


def test_reduction_keeps_what_fails():
    text = reduced(PROGRAM, lambda text: "array.sin" in text)
    assert "array.sin" in text
    assert len(text) < 40


# Faults that the machinery must find ----------------------------------------------------------------


def verdict_on(monkeypatch: pytest.MonkeyPatch, verify) -> str:
    """The failure of a program that a broken verifier ends in, judged in a child."""
    monkeypatch.setattr(judging, "verify_module", verify)
    ((_, verdict),) = judged([Task(0, lambda: PROGRAM, "0")], Depth(seconds=0.2), 1)
    return "" if verdict.failure is None else verdict.failure.kind


def test_exceptions_crashes_and_loops_are_found(monkeypatch):
    def raise_something(module, **_):
        raise KeyError("x")

    def crash(module, **_):
        signal.raise_signal(signal.SIGSEGV)

    def loop(module, **_):
        while True:
            pass

    assert verdict_on(monkeypatch, verify_module) == ""
    assert verdict_on(monkeypatch, raise_something) == "exception KeyError"
    assert verdict_on(monkeypatch, crash) == "crash SIGSEGV"
    assert verdict_on(monkeypatch, loop) == "slow"


def test_hangs_are_found_and_the_rest_is_judged(monkeypatch):
    monkeypatch.setattr(workers, "WALL_SECONDS", 0.5)
    monkeypatch.setattr(judging, "verify_module", lambda module: time.sleep(60))
    tasks = [Task(0, lambda: PROGRAM, "0"), Task(1, lambda: "not MLIR", "0")]
    found = {task.key: verdict for task, verdict in judged(tasks, Depth(), 1)}
    assert found[0].failure is not None and found[0].failure.kind == "hang"
    assert found[1].classes == ["parse: ParseError"]


def test_a_wrong_interpreter_is_found(monkeypatch):
    deep = Depth(passes=0, interpreter=0, native=1)
    assert judge(PROGRAM, random.Random(0), deep).failure is None
    run = judging.run_function
    monkeypatch.setattr(
        judging, "run_function", lambda *args, **named: tuple(r + 1 for r in run(*args, **named))
    )
    failure = judge(PROGRAM, random.Random(0), deep).failure
    assert failure is not None and failure.kind == "differs"


def test_text_that_is_read_back_as_another_is_found(monkeypatch):
    def forgetful(text: str, name: str):
        return parse_module(text.replace("array.sin", "array.cos") if name == "printed.mlir" else text, name)

    monkeypatch.setattr(judging, "parse_module", forgetful)
    failure = judge(PROGRAM, random.Random(0), Depth(reading=1, passes=0, interpreter=0, native=0)).failure
    assert failure is not None and failure.kind.startswith("read back as another")
