"""The names of kernels for `perf`: written where they were loaded, on request."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from mlirad.jit import engine
from mlirad.jit.perf_map import VARIABLE, note_functions

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="perf is Linux's")

TEXT = """
define internal void @k0_model_py_3_sum(ptr %x) noinline {
  store double 1.0, ptr %x
  ret void
}
define void @mlirad_main(ptr %b, ptr %a, ptr %c) {
  call void @k0_model_py_3_sum(ptr %a)
  ret void
}
"""
MAP = Path(f"/tmp/perf-{os.getpid()}.map")


def test_functions_stand_where_they_were_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    code = engine.load(TEXT)
    lines = [line.split(" ", 2) for line in MAP.read_text().splitlines()]
    MAP.unlink()
    starts = {name: (int(start, 16), int(size, 16)) for start, size, name in lines}
    assert {"k0_model_py_3_sum", "mlirad_main"} <= set(starts)
    assert starts["mlirad_main"][0] == code.addresses["mlirad_main"]
    for name, (start, size) in starts.items():
        assert size > 0
        others = (s for n, (s, _) in starts.items() if n != name and s >= start)
        assert all(other >= start + size for other in others)


def test_nothing_is_written_unasked_or_of_other_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    engine.load(TEXT)
    monkeypatch.setenv(VARIABLE, "1")
    note_functions(b"no object file", "mlirad_main", 0)
    assert not MAP.exists()


def test_only_files_of_ones_own_are_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Others can put links into the folder, under a name that they can guess."""
    monkeypatch.setenv(VARIABLE, "1")
    other = tmp_path / "precious"
    other.write_text("as it was")
    try:
        for put in (MAP.symlink_to, MAP.hardlink_to):
            put(other)
            with pytest.warns(UserWarning, match=f"{VARIABLE} is set, and {MAP} is not written"):
                engine.load(TEXT)
            assert other.read_text() == "as it was"
            MAP.unlink()
        os.mkfifo(MAP)
        with pytest.warns(UserWarning, match="is not written"):
            engine.load(TEXT)
        MAP.unlink()
        MAP.mkdir()
        with pytest.warns(UserWarning, match="is not written"):
            engine.load(TEXT)
        MAP.rmdir()
        engine.load(TEXT)
        assert MAP.stat().st_mode & 0o777 == 0o600
    finally:
        if MAP.exists() or MAP.is_symlink():
            MAP.unlink()
