"""Profiles of calls, and what is known of kernels before they run."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.disk_cache import peaks as kept
from mlirad.frontend.compiling import profile
from mlirad.jit import caches, peaks

X = np.linspace(0.1, 1.0, 4096)


@pytest.fixture(autouse=True)
def few_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile, "MOST_CALLS", profile.LEAST_CALLS)
    known = peaks.Peaks(dict.fromkeys(("L1", "L2", "L3", "memory"), 1e11), 5e10)
    monkeypatch.setattr(profile, "kept_peaks", lambda: known)


def looped(x: Any) -> Any:
    y = np.cumsum(np.sin(x))
    return ad.fori_loop(0, 17, lambda i, c: c + np.sqrt(y[i] + c), x)


def line_of(function: Any, text: str) -> str:
    lines, first = inspect.getsourcelines(function)
    return f"{__file__}:{first + next(k for k, line in enumerate(lines) if text in line)}"


def test_every_kernel_is_timed_where_it_stands_in_the_source() -> None:
    found = ad.jit(looped).profile(X)
    assert found.calls == profile.LEAST_CALLS
    lines = {k.line: k for k in found.kernels}
    assert set(lines) == {line_of(looped, "np.sin"), line_of(looped, "ad.fori_loop")}
    assert lines[line_of(looped, "ad.fori_loop")].runs == 17
    assert lines[line_of(looped, "np.sin")].runs == 1
    seconds = [k.seconds for k in found.kernels]
    assert all(s > 0 for s in seconds) and seconds == sorted(seconds, reverse=True)
    assert sum(seconds) < found.seconds
    assert sum(found.lines.values()) == pytest.approx(sum(seconds))
    loop = lines[line_of(looped, "ad.fori_loop")]
    assert 17 * X.nbytes <= loop.nbytes <= 17 * 4 * X.nbytes
    assert loop.operations >= 17 * X.size
    text = str(found)
    assert "np.cumsum(np.sin(x))" in text and "outside of kernels" in text


def test_functions_that_call_themselves_are_profiled() -> None:
    @ad.function
    def power(x: Any, n: Any) -> Any:
        return ad.cond(n > 0, lambda: x * power(x, n - 1), lambda: np.ones(64))

    found = ad.jit(lambda x: power(x, 5)).profile(X[:64])
    assert max(k.runs for k in found.kernels) >= 5


def test_what_is_profiled_computes_the_same_and_no_other_program_reads_the_clock() -> None:
    f = ad.grad(lambda x: np.sum(looped(x)), donate="x")
    x = X.copy()
    expected = ad.grad(lambda x: np.sum(looped(x)))(X)
    f.profile(x)
    np.testing.assert_array_equal(x, X)
    assert "mlirad_rt_clock" not in f.llvm(X)
    np.testing.assert_array_equal(f(x), expected)


def test_mistakes() -> None:
    with pytest.raises(ad.UnsupportedError, match="the interpreter runs no kernels") as raised:
        ad.jit(looped, interpret=True).profile(X)
    assert raised.value.location is not None and raised.value.location.startswith(__file__)
    with pytest.raises(ad.ArgumentError, match="is compiled for x"):
        ad.jit(looped).lower(X).profile(X[1:])


def test_bytes_are_counted_by_the_cache_that_holds_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "cache_bytes", lambda: {"L1": 1 << 10, "L2": 1 << 20})
    f = ad.jit(lambda x: np.sin(x))
    assert f.stats(np.ones(64)).traffic == {"L1": 2 * 64 * 8}
    assert f.stats(np.ones(1 << 12)).traffic == {"L2": 2 * 8 << 12}
    assert f.stats(np.ones(1 << 18)).traffic == {"memory": 2 * 8 << 18}
    assert "in memory" in str(f.stats(np.ones(1 << 18)))
    monkeypatch.setattr(caches, "cache_bytes", dict)
    stats = f.stats(np.ones(64))
    assert stats.traffic == {} and "read and write" not in str(stats)


def test_caches_of_this_machine_grow() -> None:
    sizes = list(caches.cache_bytes().values())
    assert sizes == sorted(sizes) and all(size >= 1 << 12 for size in sizes)


def test_shares_of_the_peak() -> None:
    """Shares by the closer bound: of 8e8 bytes at 1e11 a second, and of operations at 5e10 a second."""

    def kernel(seconds: float, operations: float, element_bytes: int = 8) -> profile.KernelTime:
        return profile.KernelTime("k0", "add", None, seconds, 1, 8e8, operations, "L2", element_bytes)

    assert kernel(0.016, 1e8).peak_share == pytest.approx(0.5)
    assert kernel(0.016, 6e8).peak_share == pytest.approx(0.75)
    assert kernel(0.016, 6e8, 4).peak_share == pytest.approx(0.5)
    assert kernel(0.0, 6e8).peak_share == 0


def test_kernels_say_how_wide_their_elements_are() -> None:
    widths = [ad.jit(lambda x: np.sin(x)).profile(X.astype(t)).kernels[0].element_bytes for t in ("f4", "f8")]
    assert widths == [4, 8]


def test_peaks_are_those_of_a_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr(peaks, "SECONDS", 1e-4)
    monkeypatch.setattr(peaks, "REPETITIONS", 1)
    monkeypatch.setattr(peaks, "cache_bytes", lambda: {"L1": 1 << 15})
    found = peaks.measured()
    assert found.bandwidth.keys() == {"L1", caches.MEMORY}
    assert all(1e8 < rate < 1e13 for rate in found.bandwidth.values())
    assert 1e8 < found.operations < 1e13


def test_peaks_are_measured_once_and_damaged_files_are_made_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    made: list[peaks.Peaks] = []

    def measured() -> peaks.Peaks:
        made.append(peaks.Peaks({"L1": 1e10 * (1 + len(made))}, 2e10))
        return made[-1]

    monkeypatch.setenv("MLIRAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kept, "measured", measured)
    read = kept.kept_peaks.__wrapped__
    assert read() == read() == made[0] and len(made) == 1
    (tmp_path / "cache" / kept.FILE).write_text('{"machine": 3')
    assert read() == made[1]
    monkeypatch.setattr(kept, "cache_bytes", lambda: {"L1": 1})
    assert read() == made[2]
    monkeypatch.setenv("MLIRAD_CACHE", "off")
    assert read() == made[3]
