"""`mlirad-cache`: what it shows, verifies and removes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import mlirad as ad
from mlirad.tools import cache


def half(x: float) -> float:
    return x / 2


def test_what_is_kept_is_listed_verified_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "cache"
    ad.jit(lambda x: -x)(1.0)  # with what every process makes once
    monkeypatch.setenv("MLIRAD_CACHE", str(folder))

    def said(command: str, code: int = 0) -> str:
        assert cache.main([command]) == code
        return capsys.readouterr().out

    assert said("path") == f"{folder}\n"
    assert said("list") == f"0 programs, 0 B of 512.0 MiB in {folder}\n"
    assert said("clear") == "removed 0 programs, 0 B\n"
    assert not folder.exists()
    ad.jit(half)(3.0)
    ad.jit(lambda x: 3 * x)(2.0)
    lines = said("list").splitlines()
    assert lines[0].split() == ["name", "size", "made", "last", "used", "processor", "key"]
    names = {re.split(r"  +", line)[0] for line in lines[1:-1]}
    assert names == {"half", "lambda", "trace of half", "trace of lambda"}
    assert re.fullmatch(r"2 programs, 2 traces, \d+\.\d KiB of 512\.0 MiB in .*", lines[-1])
    assert said("verify").startswith("2 programs, 2 traces, ")
    damaged = next(folder.glob("*.program"))
    damaged.write_bytes(damaged.read_bytes()[:-1])
    assert "damaged" in said("list")
    assert f"{damaged.stem}: damaged, removed\n1 program, 2 traces, " in said("verify", 1)
    assert not damaged.exists()
    damaged.mkdir()
    assert f"{damaged.stem}: damaged, could not be removed\n1 program, 2 traces, " in said("verify", 1)
    damaged.rmdir()
    assert said("clear").startswith("removed 1 program, 2 traces, ")
    assert [p for p in folder.iterdir() if p.suffix != ".sources"] == []  # digests of files stay


def test_a_folder_that_is_not_used_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MLIRAD_CACHE", "off")
    for command in ("path", "list", "verify", "clear"):
        assert cache.main([command]) == 1
        assert "no programs are kept" in capsys.readouterr().err
    file = tmp_path / "file"
    file.write_text("")
    monkeypatch.setenv("MLIRAD_CACHE", str(file))
    assert cache.main(["clear"]) == 1
    assert f"{file} is not a folder" in capsys.readouterr().err
    monkeypatch.setenv("MLIRAD_CACHE_SIZE", "large")
    assert cache.main(["list"]) == 1
    assert "'large', which is not a size" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        cache.main(["remove"])
