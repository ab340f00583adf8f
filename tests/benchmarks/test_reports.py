"""Runs, their tables and charts, and what the command line says of mistakes."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks import by_hand, charts, command_line, compare, machine, table
from benchmarks.problems import PROBLEMS
from benchmarks.results import Measurement, Run
from benchmarks.runs import WrongFigures, checked, timed, with_memory
from benchmarks.systems import SYSTEMS
from mlirad.explorer.svg import LogScale

ROOT = Path(__file__).resolve().parents[2]


def a_run() -> Run:
    """Two instances: in one a peer is faster, in the other C."""
    run = Run("A machine, 2 cores", "2026-01-01", 0.1, {"JAX": "1"})
    run.peaks = {"L1": 1e11, "memory": 1e10, "operations": 4e10}
    run.measurements = [
        Measurement("lse", "1e4", "mlirad", 1, 1e-3, 3e-3, 0.1, 1 << 20, 10**6, {"L1": 10**6}),
        Measurement("lse", "1e4", "mlirad", 2, 1e-3, 2e-3, 0.1),
        Measurement("lse", "1e4", "jax", 1, 2e-3, 2e-3, 0.4, 3 << 20),
        Measurement("lse", "1e4", "c", 1, None, 2.5e-3),
        Measurement("gmm", "d64 f32", "mlirad", 1, 1e-3, 4e-3, 0.2, None, 10**8, {"memory": 10**6}),
        Measurement("gmm", "d64 f32", "jax", 1, 1e-3, 8e-3, 0.5),
        Measurement("gmm", "d64 f32", "torch", 1, 1e-3, 6e-3, 0.0),
        Measurement("gmm", "d64 f32", "c", 1, None, 1e-3),
    ]
    return run


def test_a_run_is_read_as_it_was_written(tmp_path: Path):
    a_run().write(tmp_path / "run.json")
    assert Run.read(tmp_path / "run.json") == a_run()


def test_tables():
    lines = list(table.times(a_run()))
    assert lines[0].startswith("| problem | size | mlirad value | mlirad derivative | ratio | JAX |")
    assert (
        lines[2] == "| lse | 1e4 | 1 ms · 1 ms | 3 ms · 2 ms | 3.00 · 2.00 | 2 ms | 2.5 ms |  | 0.67 | 0.83 |"
    )
    assert lines[3].endswith("| 8 ms | 1 ms | 6 ms | 1.50 | 0.25 |")
    assert list(table.first_calls(a_run()))[2] == "| lse | 1e4 | 0.10 s | 0.40 s |  | 4.00 |"
    assert list(table.memory(a_run()))[2] == "| lse | 1e4 | 1 MiB | 3 MiB |  |  |"


def test_where_mlirad_is_behind():
    assert list(table.behind(a_run())) == [
        "- gmm d64 f32, 1 thread: C by hand takes 0.25 of mlirad's time",
        "- lse 1e4, 1 thread: the best peer takes 0.67 of mlirad's time",
    ]
    run = a_run()
    for n, m in enumerate(run.measurements):
        if m.peak_bytes is not None:
            run.measurements[n] = replace(m, peak_bytes=4 * 2**20 - m.peak_bytes)
    assert list(table.behind(run))[2:] == ["- lse 1e4: the best peer needs 0.33 of mlirad's memory"]


def test_charts_are_well_formed_and_say_what_they_are_of(tmp_path: Path):
    paths = list(charts.written(a_run(), tmp_path))
    assert [path.name for path in paths] == ["ratios.svg", "roofline.svg"]
    for path in paths:
        root = ElementTree.parse(path).getroot()
        text = path.read_text()
        assert root.tag.endswith("svg") and "prefers-color-scheme: dark" in text
        assert "A machine, 2 cores; 2026-01-01; 1 thread" in text
    marks = {path.name: path.read_text().count("<circle") for path in paths}
    # ratios: five measurements of others and three systems in the key; roofline: two derivatives, two dtypes
    assert marks == {"ratios.svg": 5 + 3, "roofline.svg": 2 + 2}
    assert list(charts.written(Run("", "", 0.0, {}), tmp_path)) == []


def test_scales():
    scale = LogScale(1, 100, 10, 30)
    assert [scale(1), scale(10), scale(100)] == pytest.approx([10, 20, 30])
    assert scale.ticks(10) == [1, 10, 100]


# Running --------------------------------------------------------------------------------------------


@pytest.mark.fuzz
def test_figures_are_checked_and_times_and_memory_measured_in_other_processes():
    systems = checked(["segment-sum"], ["mlirad"])
    assert systems == {"segment-sum": ["mlirad"]}
    from benchmarks.protocol import Limits

    limits = Limits(min_runs=3, min_seconds=0.0)
    (found,) = timed(systems, {"segment-sum": ["n1e4 k100"]}, [1], limits)
    assert found.derivative and found.value and found.first_call and found.first_call > found.derivative
    assert found.work and found.work > 10**4
    (measured,) = with_memory([found])
    if sys.platform == "linux":
        assert measured.peak_bytes is not None and 80_000 <= measured.peak_bytes < 50_000_000


def test_wrong_figures_stop_a_run(monkeypatch: Any):
    from benchmarks import runs

    answers = [{"problem": "lse", "system": "mlirad", "dtype": "float64", "error": 1e-3}]
    monkeypatch.setattr(runs, "worker", lambda _: iter(answers))
    with pytest.raises(WrongFigures, match="mlirad is wrong on lse in float64"):
        checked(["lse"], ["mlirad"])
    answers[0] = {"problem": "lse", "system": "jax", "dtype": "float64", "failure": "no compiler"}
    assert checked(["lse"], ["jax"]) == {"lse": []}


def test_an_empty_cc_means_none(monkeypatch: Any):
    monkeypatch.setattr(by_hand, "compiler", lambda: None)
    assert by_hand.why_not() in (
        "there is no C compiler (set CC to one)",
        "the sources are compiled for POSIX systems only",
    )
    from benchmarks.runs import available

    assert available(["mlirad", "c"]) == ["mlirad"]


@pytest.mark.skipif(by_hand.why_not() is not None, reason="there is no C compiler")
@pytest.mark.parametrize("name", by_hand.DERIVATIVES)
def test_derivatives_by_hand(name: str):
    from benchmarks.figures import golden_error

    assert golden_error(SYSTEMS["c"], PROBLEMS[name]) < 1e-10


# Comparing ------------------------------------------------------------------------------------------


def test_what_is_slower_is_beyond_the_noise():
    quiet, noisy = [1.0, 1.01, 1.0, 1.01], [1.0, 1.2, 1.0, 1.2]
    slower = compare.Comparison("lse", "1e4", quiet, [1.2 * t for t in quiet])
    assert slower.is_slower and not slower.is_faster and slower.ratio == pytest.approx(1.2)
    assert not compare.Comparison("lse", "1e4", noisy, [1.2 * t for t in noisy]).is_slower
    assert compare.Comparison("lse", "1e4", [1.2 * t for t in quiet], quiet).is_faster
    report = compare.lines([slower])
    assert "| lse | 1e4 | 1e+03 ms | 1.21e+03 ms | 1.200 | 1.0 % | slower |" in report
    assert report[-1].startswith("1 of 1 slower; geometric mean 1.200")


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_a_commit_is_checked_out_for_the_time_being():
    with compare.checkout("HEAD") as folder:
        assert (folder / "mlirad" / "__init__.py").exists()
    assert not folder.exists()
    with (
        pytest.raises(compare.BadCommit, match=r"README\.md' is not a commit"),
        compare.checkout("HEAD~0:README.md"),
    ):
        pass


def test_two_compilers_take_turns():
    with compare.Process(ROOT) as before, compare.Process(ROOT) as after:
        found = compare.compared(before, after, ["cross-entropy"], 0.0)
        assert found == []  # no time at all
        before.ask({"prepare": ["no such problem", "1"]})
        after.ask({"prepare": ["lse", "1e4"]})
        with pytest.raises(compare.BadCommit, match="has ended: KeyError"):
            before.answer()
        assert after.answer()["seconds"] > 0
        after.ask({"burst": ["lse", "1e4"]})
        assert after.answer()["median"] > 0


# Mistakes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options, says",
    [
        (("--problems", "lse,gmn"), "unknown: gmn; choose from gmm, lse"),
        (("--peers", "tensorflow"), "unknown: tensorflow; choose from jax, torch, torch-compiled"),
        (("--threads", "0"), "0 is not a list of numbers of threads"),
        (("--threads", "1,x"), "is not a list of numbers of threads"),
        (("--read", "nowhere.json"), "there is no file nowhere.json"),
        (("--quick", "no-such-commit"), "'no-such-commit' is not a commit of this repository"),
        (("--problems", "lse", "--sizes", "1e9", "--check"), "no size of lse has one of the words 1e9"),
    ],
)
def test_mistakes_on_the_command_line(options: tuple[str, ...], says: str, capsys: Any):
    if "--quick" in options and not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    with pytest.raises(SystemExit) as caught:
        command_line.main("", options)
    assert says in f"{capsys.readouterr().err} {caught.value}"


@pytest.mark.parametrize(
    ("variables", "kernels", "said"),
    [
        ({}, "Haswell", None),
        ({"OPENBLAS_CORETYPE": "SkylakeX"}, "SkylakeX", None),
        (
            {"OPENBLAS_CORETYPE": "Haswell"},
            "Haswell",
            "for Haswell where it would choose SkylakeX",
        ),
        ({"OPENBLAS_L2_SIZE": "1024"}, "SkylakeX", "computes in other blocks, as OPENBLAS_L2_SIZE says"),
    ],
)
def test_kernels_that_are_not_the_processors_are_named(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], kernels: str, said: str | None
) -> None:
    for name in machine.CHOICES:
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(machine, "blas_kernels", lambda chosen=True: kernels if chosen else "SkylakeX")
    found = machine.warning()
    assert found is None if said is None else said in str(found)
