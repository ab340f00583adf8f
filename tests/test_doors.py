"""All ways to a program, or to a look at it, run the same passes with the same options."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad import compiler
from mlirad.jit.target import ENVIRONMENT_VARIABLE, find_target
from mlirad.passes import linearize
from mlirad.pipeline_options import METHODS, SPECIFICATIONS, Options
from mlirad.pipelines import BY_SPECIFICATION, PassRun, lowering, pipeline
from mlirad.tools import opt, run
from mlirad.tools.instrumentation import module_text

X = np.random.default_rng(3).normal(size=(40, 30))
Runs = list[tuple[str, ...]]
Capture = pytest.CaptureFixture[str]


@dataclass(frozen=True)
class Case:
    """The options with which a function is compiled, the target, and the limit of memory."""

    options: dict[str, Any]
    target: str = "native"
    limit: int | None = None

    def prepare(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(ENVIRONMENT_VARIABLE, self.target)
        if self.limit is not None:
            monkeypatch.setattr(compiler, "MEMORY_LIMIT", self.limit)
            monkeypatch.setattr(compiler, "BLOCK_LIMIT", self.limit // 4)

    def function(self) -> Any:
        """A gradient that nothing is compiled for yet."""

        def total(x: Any) -> Any:
            rows = ad.build(x.shape[0], lambda i: np.sum(np.sort(x[i]) * x[i]))
            return np.sum(rows) + np.sum(np.tanh(x @ x.T))

        return ad.grad(total, **self.options)


CASES = {
    "default": Case({}),
    "short vectors": Case({}, target="baseline"),
    "chunk": Case({"chunk": 3}),
    "memory": Case({}, limit=20_000),
    "memory, short vectors": Case({}, target="baseline", limit=20_000),
    "jacobian": Case({"method": "jacobian"}),
    "jacobian, memory": Case({"method": "jacobian"}, limit=20_000),
    "chad": Case({"method": "chad"}),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Case:
    found = CASES[request.param]
    found.prepare(monkeypatch)
    return found


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Runs:
    """The arguments of `run_passes`, run by run."""
    found: Runs = []
    run_passes = compiler.run_passes

    def recorded(module: Any, passes: Sequence[Any], **rest: Any) -> None:
        found.append(tuple(map(str, passes)))
        run_passes(module, passes, **rest)

    monkeypatch.setattr(compiler, "run_passes", recorded)
    return found


def taken(runs: Runs, work: Callable[[], object]) -> Runs:
    """The runs that some work makes."""
    runs.clear()
    work()
    return list(runs)


def wanted(case: Case) -> Runs:
    """The runs that a compile should make."""
    options = Options(**case.options)
    blocks = () if case.limit is None else (Options(**case.options, block_bytes=case.limit // 4),)
    return [tuple(map(str, pipeline(each, find_target(case.target)))) for each in (options, *blocks)]


def test_every_door_runs_the_same_passes(case: Case, runs: Runs) -> None:
    doors: dict[str, Callable[[Any], object]] = {
        "call": lambda f: f(X),
        "llvm": lambda f: f.llvm(X),
        "asm": lambda f: f.asm(X),
        "stats": lambda f: f.stats(X),
        "compile": lambda f: f.lower(X).compile()(X),
        "memory": lambda f: f.lower(X).arena_bytes,
        "ir": lambda f: f.ir(X, after="complete-schedules"),
    }
    # Each door is tried in half of the cases.
    for name, door in list(doors.items())[list(CASES.values()).index(case) % 2 :: 2]:
        assert taken(runs, lambda door=door: door(case.function())) == wanted(case), name


def test_stages_are_those_of_the_compile(case: Case) -> None:
    """If a second run is made, in blocks, the stages are those of the run that is taken.

    Each case looks at a third of the stages, its neighbour in the table at the next third.
    """
    texts: dict[tuple[Options, str], str] = {}

    def observe(options: Options, step: PassRun) -> None:
        texts[options, step.name] = module_text(step.module)

    module = ad.trace(case.function(), X)
    compiled = compiler.compile_module(module, Options(**case.options), observe=observe)
    names = list(dict.fromkeys(p.name for p in pipeline(compiled.options)))
    for name in names[list(CASES.values()).index(case) % 3 :: 3]:
        assert case.function().ir(X, after=name) == texts[compiled.options, name]
    stats = case.function().stats(X)
    shown = [stage.name for stage in stats.stages if stage.name not in ("trace", "emit", "llvm")]
    assert shown == [text.partition("{")[0] for run in wanted(case) for text in run]
    assert stats.peak_bytes == compiled.program.arena_bytes == case.function().lower(X).arena_bytes


def test_kernels_as_text_give_the_same_code(case: Case, runs: Runs, tmp_path: Path, capsys: Capture) -> None:
    """After all passes and after every pass by `mlirad-opt`: what is left to do is done, once."""
    f = case.function()
    source, kernels = tmp_path / "source.mlir", tmp_path / "kernels.mlir"
    source.write_text(f.ir(X))
    kernels.write_text(f.ir(X, after="complete-schedules"))
    taken_options = compiler.compile_module(ad.trace(f, X), Options(**case.options)).options
    passes = tuple(map(str, pipeline(taken_options)))
    runs.clear()
    assert opt.main(["--emit=llvm", "--trust-kernels", str(kernels)]) == 0
    assert without_names(capsys.readouterr().out) == without_names(f.llvm(X))
    assert opt.main(["-p", ",".join(passes), str(source)]) == 0
    assert capsys.readouterr().out == kernels.read_text()
    assert passes in runs


def without_names(text: str) -> str:
    """The text without the lines of sources that kernels are named after."""
    return re.sub(r"@k(\d+)_\w+", r"@k\1", text)


@pytest.mark.parametrize("name", ["default", "short vectors", "memory"])
def test_tools_compile_programs_as_calls_do(
    name: str, runs: Runs, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = CASES[name]
    case.prepare(monkeypatch)
    f = case.function()
    source, given, found = (str(tmp_path / file) for file in ("source.mlir", "x.npy", "y.npy"))
    Path(source).write_text(f.ir(X))
    np.save(given, X)
    expected = [(), *wanted(case)]
    assert taken(runs, lambda: opt.main(["--emit=llvm", source])) == expected
    assert without_names(capsys.readouterr().out) == without_names(f.llvm(X))
    assert taken(runs, lambda: run.main([source, "-o", found, "--args", given])) == expected
    np.testing.assert_allclose(np.load(found), f(X))


@pytest.mark.parametrize("method", ["dual-arrays", "jacobian"])
def test_programs_of_maps_and_matrices_are_compiled_by_the_method(method: str, runs: Runs) -> None:
    def f(x: Any) -> Any:
        return np.sin(x) * x[::-1]

    x = np.linspace(0.1, 0.9, 5)

    def work() -> None:
        _, derivative = ad.linearize(f, x, method=method)
        derivative.T(derivative(x))
        (derivative.T @ derivative)(x)
        ad.vjp(f, x, method=method)[1](x)
        ad.jacobian(f, sparse=True, method=method)(x)

    found = taken(runs, work)
    options = Options(method=method)
    ends = {end: tuple(map(str, pipeline(Options(method=method, end=end)))) for end in ("maps", "plain-maps")}
    assert set(found) - set(ends.values()) == {
        tuple(map(str, pipeline(options))),
        tuple(map(str, pipeline(Options(method=method, entry="primal")))),
    }
    assert set(ends.values()) <= set(found)


def test_interpreted_programs_stop_before_kernels(runs: Runs) -> None:
    found = taken(runs, lambda: Case({"interpret": True}).function()(X))
    assert found == [tuple(map(str, pipeline(Options(end="arrays"))))]


def test_kernels_are_shown_with_the_vectors_of_the_target(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture
) -> None:
    """A matrix product has a tile that depends on how wide vectors are."""
    shown: dict[int, str] = {}
    for target in ("native", "baseline"):
        monkeypatch.setenv(ENVIRONMENT_VARIABLE, target)
        width = find_target().vector_bytes
        assert f"schedule-kernels{{vector-bytes={width}}}" in lowering()
        text = CASES["default"].function().ir(X, after="schedule-kernels")
        assert shown.setdefault(width, text) == text
        source = tmp_path / "source.mlir"
        source.write_text(CASES["default"].function().ir(X))
        assert opt.main(["--pipeline=compile", str(source)]) == 0
        assert capsys.readouterr().out == CASES["default"].function().ir(X, after="complete-schedules")
    widths = {width: re.findall(r"width = \d+", text) for width, text in shown.items()}
    assert all(widths.values())
    assert len(set(shown.values())) == len(shown)


def test_pipelines_know_the_methods_of_the_pass() -> None:
    assert tuple(linearize.METHODS) == METHODS
    assert tuple(BY_SPECIFICATION) == SPECIFICATIONS
