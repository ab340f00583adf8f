"""Programs by way of the disk: the same bits, found again when nothing has changed and only then.

Every call of a maker gives a new function, and this process has no programs for it yet.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

import mlirad as ad
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.shapes import shape_of
from mlirad.disk_cache import sources, store
from mlirad.disk_cache.folder import Folder
from mlirad.errors import NotANumberError, PositionError
from mlirad.frontend.compiling.compilation import executable
from mlirad.frontend.compiling.options import Options
from mlirad.frontend.compiling.recompiles import shared_programs
from mlirad.frontend.compiling.stats import Stats
from tests.generators.programs import random_program

X = np.linspace(-1.0, 2.0, 7)


def times(value: Any) -> Callable[..., Any]:
    """x to value x, where value is captured."""
    return lambda x: np.sum(value * x)


def of_global(value: Any) -> Callable[..., Any]:
    """The same with a global of a module of its own."""
    names: dict[str, Any] = {"np": np, "value": value}
    exec("def f(x):\n    return np.sum(value * x)", names)
    return names["f"]


def of_default(value: Any) -> Callable[..., Any]:
    return lambda x, by=value: np.sum(by * x)


def of_code(value: Any) -> Callable[..., Any]:
    names: dict[str, Any] = {"np": np}
    exec(f"def f(x):\n    return np.sum({value!r} * x)", names)
    return names["f"]


def of_helper(value: Any) -> Callable[..., Any]:
    def helper(x: Any) -> Any:
        return value * x

    return lambda x: np.sum(helper(x))


@pytest.mark.parametrize("make", [times, of_global, of_default, of_code, of_helper])
def test_what_a_function_reads_is_never_stale(
    make: Callable[[Any], Callable[..., Any]], folder: Path, compiles: list[str]
) -> None:
    for value in (2.0, 3.0, 2.0 + 2.0**-51, 2.0, 3.0):
        np.testing.assert_array_equal(ad.grad(make(value))(X), np.full(7, value))
    assert len(compiles) == len(list(folder.glob("*.program"))) == 3


def test_arrays_that_a_function_reads_are_never_stale(folder: Path, compiles: list[str]) -> None:
    large = np.arange(7.0)
    for k in (0, 1, 0):
        changed = large.copy()
        changed[3] += k * 2.0**-40
        np.testing.assert_array_equal(ad.grad(times(changed))(X), changed)
    for dtype in (np.float32, np.float64):
        assert ad.jit(lambda x: x + 1)(X.astype(dtype)).dtype == dtype
    assert len(compiles) == 4


def test_everything_that_decides_the_code_is_in_the_key(
    folder: Path, compiles: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def gradient(*given: Any, **options: Any) -> Any:
        shared_programs.forget()
        return ad.grad(lambda x: np.sum(np.exp(x) / x), **options)(*given or (X,))

    gradient()
    variants: list[dict[str, Any]] = [
        {"method": "jacobian"},
        {"method": "chad"},
        {"chunk": 1},
        {"check_nans": True},
        {"check_absorbed": True},
        {"check_bounds": True},
        {"flush_subnormals": False},
    ]
    for variant in variants:
        gradient(**variant)
    gradient(X[:5])
    assert len(compiles) == len(variants) + 2
    gradient(timeout=100.0)  # of a call, not of a program
    assert len(compiles) == len(variants) + 2
    monkeypatch.setenv("MLIRAD_TARGET_FEATURES", "baseline")
    gradient()
    assert len(compiles) == len(variants) + 3
    monkeypatch.delenv("MLIRAD_TARGET_FEATURES")
    monkeypatch.setattr(sources, "versions", lambda: {"numpy": "2.99"})
    other = sources.fingerprint(sources.AT_IMPORT)
    assert other != sources.compiler()
    monkeypatch.setattr("mlirad.disk_cache.encoding.compiler", lambda: other)
    gradient()
    gradient()
    assert len(compiles) == len(variants) + 4


def test_a_compiler_that_is_not_known_keeps_nothing(
    folder: Path, compiles: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(sources, "are_unchanged", lambda _: False)  # edited while it compiled
        patched.setattr(sources, "_confirmed", set())
        ad.jit(lambda x: x + 1.0)(X)
        assert not folder.exists()
    monkeypatch.setattr("mlirad.disk_cache.encoding.compiler", lambda: None)  # edited before
    ad.jit(lambda x: x + 1.0)(X)
    assert not folder.exists()
    assert len(compiles) == 2


def test_nothing_is_kept_of_the_interpreter_nor_when_the_cache_is_off(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ad.jit(lambda x: x + 1.0, interpret=True)(1.0) == 2.0
    monkeypatch.setenv("MLIRAD_CACHE", "off")
    assert ad.jit(lambda x: x + 1.0)(1.0) == 2.0
    assert not folder.exists()


def test_where_a_line_is_counts_only_for_what_reports_it(folder: Path, compiles: list[str]) -> None:
    def at(line: int) -> Callable[..., Any]:
        names: dict[str, Any] = {"np": np}
        exec(compile("\n" * line + "def f(x, i):\n    return np.log(x)[i]", f"cell{line}.py", "exec"), names)
        return names["f"]

    for line in (3, 8):
        ad.jit(at(line))(X, 2)
    assert len(compiles) == 1
    for line in (3, 8, 8):
        with pytest.raises(PositionError, match=rf"cell{line}\.py:{line + 2}:"):
            ad.jit(at(line), check_bounds=True)(X, 9)
        with pytest.raises(NotANumberError, match=rf"cell{line}\.py:{line + 2}:"):
            ad.jit(at(line), check_nans=True)(X, 2)
    assert len(compiles) == 5


def test_a_loaded_program_can_be_looked_into(folder: Path, compiles: list[str]) -> None:
    def make() -> Any:
        return ad.grad(lambda x: np.sum(np.sin(x) ** 2))

    make()(X)
    compiles.clear()
    g = make()
    compiled = g.lower(X).compile()
    np.testing.assert_array_equal(compiled(X), g(X))
    assert not compiles
    assert "array.sin" in g.ir(X)
    assert "kernel.nest" in g.ir(X, after="plan-memory")
    assert "@mlirad_main" in g.llvm(X)
    for stats in (compiled.stats(), g.stats(X)):
        assert stats.kernels > 0
        assert {"linearize", "llvm"} <= {stage.name for stage in stats.stages}
    matrix = ad.jacobian(lambda x: x[1:] * x[:-1], sparse=True)
    for again in (matrix, ad.jacobian(lambda x: x[1:] * x[:-1], sparse=True)):
        again(X)
        assert again.stats(X).kernels > 0


def test_maps_and_linearisations_are_kept(folder: Path, compiles: list[str]) -> None:
    def result() -> Any:
        y, J = ad.linearize(lambda x: np.tanh(x) * x, X)
        return y, J(X), J.T(X), (J.T @ J).to_dense()

    first = result()
    made = len(compiles)
    for one, other in zip(first, result(), strict=True):
        np.testing.assert_array_equal(one, other)
    assert made == len(compiles) == len(list(folder.glob("*.program")))


def test_programs_with_all_kinds_of_external_functions(folder: Path, compiles: list[str]) -> None:
    from scipy.special import gammaln

    @ad.function
    def power(x: Any, n: Any) -> Any:
        return ad.cond(n <= 0, lambda: 1.0, lambda: x * power(x, n - 1))

    matrix = np.random.default_rng(0).random((96, 96))
    table = np.random.default_rng(1).random(3000)
    cases: list[tuple[Callable[[], Callable[..., Any]], tuple[Any, ...]]] = [
        (lambda: lambda a: a @ a, (matrix,)),
        (lambda: lambda x: np.sum(gammaln(x)), (X + 2.0,)),
        (lambda: lambda x: power(x, 20) + power(x, 3), (1.1,)),
        (lambda: lambda n: ad.while_loop(lambda c: c < n, lambda c: 2.0 * c, 1.0), (1e9,)),
        (lambda: lambda i: ad.index(table, [i]) + np.sum(table), (17,)),
    ]
    for make, given in cases:
        first, second = ad.jit(make())(*given), ad.jit(make())(*given)
        np.testing.assert_array_equal(first, second)
        np.testing.assert_allclose(first, ad.jit(make(), interpret=True)(*given), rtol=1e-12)
    assert len(compiles) == len(cases)


@pytest.mark.parametrize("seed", range(10))
def test_random_programs_are_loaded_with_the_same_bits(seed: int, folder: Path, compiles: list[str]) -> None:
    rng = np.random.default_rng(seed)
    results: list[Any] = []
    for _ in range(2):
        module = random_program(seed, 12)
        main = next(op for op in module.body.block.ops if isinstance(op, FuncOp))
        stats = Stats()
        run, _ = executable(module, Options(), stats)
        if not results:
            types = main.function_type.inputs
            given = [rng.uniform(-3, 3, shape_of(t)).astype(numpy_dtype(t)) for t in types]
        results.append(run(*given))
    assert stats.is_loaded
    assert len(compiles) == 1
    first, second = (r if isinstance(r, tuple) else (r,) for r in results)
    assert [np.asarray(a).tobytes() for a in first] == [np.asarray(a).tobytes() for a in second]


def test_programs_of_all_large_sizes_are_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code for all sizes, or the note that there is none, as for transforms: the second time nothing is
    lowered.
    """
    making: Any = importlib.import_module("mlirad.frontend.compiling.run_compiler")
    lowered: list[Any] = []
    lower = making.compile_module
    monkeypatch.setattr(making, "compile_module", lambda *a, **k: lowered.append("one") or lower(*a, **k))
    large = making.compile_large
    monkeypatch.setattr(making, "compile_large", lambda *a, **k: lowered.append("all") or large(*a, **k))

    def values(n: int) -> tuple[Any, Any]:
        x = np.linspace(0, 1, n)
        halves = ad.jit(lambda x: np.sum(x[::2] * 2), dynamic="x:0")
        rows = ad.jit(lambda x: np.fft.rfft(x[:, None] + np.ones(7)).real[0, 0], dynamic="x:0")
        return halves(x), rows(x)

    first = values(300)
    assert lowered == ["all", "all", "one"]
    shared_programs.forget()
    assert values(300) == first
    assert lowered == ["all", "all", "one"]


PROGRAM = """
import sys, numpy as np, mlirad as ad
def loss(x): return np.sum(np.tanh(x) @ x.T)
x = np.linspace(0, 1, 12).reshape(3, 4)
gradient = ad.grad(loss)
print(gradient(x).tobytes().hex(), "mlirad.passes.linearize" in sys.modules)
"""


def test_processes_share_programs(folder: Path) -> None:
    """Two that make the same one at once, beside glue, and one that loads it without any pass."""

    def start() -> subprocess.Popen[str]:
        return subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True)

    both = [start(), start()]
    made = [process.communicate()[0].split() for process in both]
    kept = store.entries(Folder(str(folder), is_named=True, limit=1 << 20))
    assert [entry.is_trace for entry in kept].count(True) == 1
    names = [record.name for record in map(store.examine, kept) if record is not None]
    assert sorted(names) == ["loss", "loss", "mlirad_call", "mlirad_entry"]
    found = start().communicate()[0].split()
    assert [bits for bits, _ in (*made, found)] == [found[0]] * 3
    assert found[1] == "False"


def test_the_fingerprint_is_that_of_the_contents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "PACKAGE", str(tmp_path))
    (tmp_path / "room").mkdir()
    (tmp_path / "a.py").write_text("x = 1")
    (tmp_path / "room" / "b.py").write_text("y = 1")
    before = sources.take_snapshot()
    digest = sources.fingerprint(before)
    assert digest is not None
    assert sources.fingerprint(before) == digest
    (tmp_path / "room" / "b.py").write_text("y = 2")
    assert not sources.are_unchanged(before)
    assert sources.fingerprint(before) is None
    assert sources.fingerprint(sources.take_snapshot()) not in (digest, None)
    (tmp_path / "room" / "b.py").write_text("y = 1")
    assert sources.fingerprint(sources.take_snapshot()) == digest
    (tmp_path / "room" / "c.py").touch()
    assert sources.fingerprint(sources.take_snapshot()) not in (digest, None)
    (tmp_path / "a.py").rename(tmp_path / "d.py")
    assert sources.fingerprint(before) is None
    monkeypatch.setattr(sources, "PACKAGE", str(tmp_path / "archive.zip"))
    assert sources.fingerprint(sources.take_snapshot()) is None


def test_the_source_files_are_noted_before_they_are_loaded() -> None:
    text = Path(ad.__file__).read_text()
    assert text.index("mlirad.disk_cache") < text.index("from mlirad.errors")
    assert importlib.import_module("mlirad.disk_cache.sources").AT_IMPORT
