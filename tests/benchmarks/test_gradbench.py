"""The tool for GradBench answers transcripts of messages, with golden figures where there are some."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.gradbench import serve

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"


def conversation(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    """The answers to messages, which are numbered from 0."""
    lines = [json.dumps({"id": k, **message}) for k, message in enumerate(messages)]
    answers = io.StringIO()
    serve(io.StringIO("\n".join(lines)), answers)
    found = [json.loads(line) for line in answers.getvalue().splitlines()]
    assert [a["id"] for a in found] == list(range(len(found)))
    return found


def evaluate(module: str, function: str, given: Any) -> dict[str, Any]:
    return {"kind": "evaluate", "module": module, "function": function, "input": given}


def assert_agree(found: Any, expected: Any) -> None:
    """Equal structures, with numbers that agree to 1e-10 of the largest of their list."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for name, part in expected.items():
            assert_agree(found[name], part)
    else:
        found, expected = np.asarray(found), np.asarray(expected)
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10 * np.max(np.abs(expected)))


def test_a_session():
    answers = conversation(
        {"kind": "start", "eval": "hello"},
        {"kind": "define", "module": "hello"},
        evaluate("hello", "square", 3.0),
        {"kind": "analysis", "of": 2, "valid": True},
        evaluate("hello", "double", 3),
        {"kind": "end"},
        evaluate("hello", "double", 4.0),
    )
    assert len(answers) == 5
    assert answers[0]["tool"] == "mlirad"
    assert answers[1] == {"id": 1, "success": True}
    assert answers[3] == {"id": 3}
    for answer, output in ((answers[2], 9.0), (answers[4], 6.0)):
        assert answer["success"] and answer["output"] == output
        assert [timing["name"] for timing in answer["timings"]] == ["prepare", "evaluate"]
        assert all(timing["nanoseconds"] > 0 for timing in answer["timings"])


def test_as_many_runs_as_asked_for():
    given = {"x": [1.0, 2.0], "min_runs": 5, "min_seconds": 0}
    (answer,) = conversation(evaluate("lse", "gradient", given))
    assert [timing["name"] for timing in answer["timings"]] == ["prepare"] + 5 * ["evaluate"]
    long = {**given, "min_runs": 1, "min_seconds": 0.01}
    (answer,) = conversation(evaluate("lse", "gradient", long))
    assert sum(timing["nanoseconds"] for timing in answer["timings"][1:]) >= 1e7


@pytest.mark.parametrize(
    "name",
    [
        "gmm_d3_k4_n20",
        "lse_small",
        "llsq_n16_m8",
        "kmeans_n60_k5_d3",
        "ode_n4_s1",
        "lstm_l2_c50",
        "ba_n2_m3_p20",
        "ba_zero_rotation_n2_m2_p16",
    ],
)
def test_golden_figures(name: str):
    golden = json.loads((GOLDEN / f"{name}.json").read_text())
    module, given = golden["eval"], {**golden["input"], "min_runs": 1, "min_seconds": 0}
    functions = list(golden["output"])
    answers = conversation(*(evaluate(module, function, given) for function in functions))
    for function, answer in zip(functions, answers, strict=True):
        assert answer["success"], answer
        assert_agree(answer["output"], golden["output"][function])


def test_determinants():
    a = np.random.default_rng(0).uniform(size=(5, 5))
    given = {"A": a.ravel().tolist(), "ell": 5, "min_runs": 1, "min_seconds": 0}
    value, gradient = conversation(evaluate("det", "primal", given), evaluate("det", "gradient", given))
    assert_agree(value["output"], np.linalg.det(a))
    assert_agree(gradient["output"], (np.linalg.det(a) * np.linalg.inv(a).T).ravel())


def test_what_there_is_not_is_refused():
    answers = conversation(
        {"kind": "define", "module": "ht"},
        evaluate("hello", "triple", 3.0),
        evaluate("lse", "primal", {"y": [1.0]}),
    )
    assert [a["success"] for a in answers] == [False] * 3
    assert "there is no module 'ht'; there are hello, gmm" in answers[0]["error"]
    assert "no function 'triple'; it has square, double" in answers[1]["error"]
    assert "KeyError" in answers[2]["error"]


def test_as_a_process():
    messages = [{"id": 0, "kind": "start"}, {"id": 1, **evaluate("hello", "double", 3.0)}]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.gradbench"], cwd=ROOT, capture_output=True, text=True, check=True,
        input="".join(json.dumps(message) + "\n" for message in messages),
    )  # fmt: skip
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [0, 1] and answers[1]["output"] == 6.0
