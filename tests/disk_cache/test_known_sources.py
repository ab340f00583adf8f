"""Source files that did not change since an earlier process read them are not read again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mlirad.disk_cache import known_sources, sources

pytestmark = pytest.mark.skipif(os.name != "posix", reason="times of change that no program can set")


class Reads:
    """The number of source files read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.count = 0
        self._read = sources._content  # pyright: ignore[reportPrivateUsage]
        monkeypatch.setattr(sources, "_content", self)

    def __call__(self, path: str, size: int) -> bytes:
        self.count += 1
        return self._read(path, size)

    def during_fingerprint(self) -> tuple[bytes | None, int]:
        before = self.count
        return sources.fingerprint(sources.take_snapshot()), self.count - before


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of two files, and a folder for the cache."""
    found = tmp_path / "package"
    found.mkdir()
    (found / "a.py").write_text("x = 1")
    (found / "b.py").write_text("y = 1")
    (tmp_path / "cache").mkdir(mode=0o700)
    monkeypatch.setenv("MLIRAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sources, "PACKAGE", str(found))
    return found


def test_settled_files_are_read_once(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads = Reads(monkeypatch)
    monkeypatch.setattr(known_sources, "SETTLED_SECONDS", -3600.0)
    first = reads.during_fingerprint()
    assert first[1] == 2
    assert reads.during_fingerprint() == (first[0], 0)
    times = os.stat(package / "b.py")
    (package / "b.py").write_text("y = 2")
    os.utime(package / "b.py", ns=(times.st_atime_ns, times.st_mtime_ns))
    edited = reads.during_fingerprint()
    assert edited[1] == 2
    assert edited[0] not in (first[0], None)
    (package / "c.py").write_text("y = 2")
    os.replace(package / "c.py", package / "b.py")
    assert reads.during_fingerprint() == (edited[0], 2)
    monkeypatch.setenv("MLIRAD_CACHE", "off")
    assert reads.during_fingerprint() == (edited[0], 2)


def test_files_that_may_be_written_in_the_same_tick_are_read_again(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = Reads(monkeypatch)
    assert [reads.during_fingerprint()[1] for _ in range(2)] == [2, 2]
    assert not list((package.parent / "cache").iterdir())


@pytest.mark.parametrize("damage", ["bytes", "short", "rights"])
def test_a_file_that_cannot_be_trusted_is_not_read(
    damage: str, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = Reads(monkeypatch)
    monkeypatch.setattr(known_sources, "SETTLED_SECONDS", -3600.0)
    first, _ = reads.during_fingerprint()
    (kept,) = (package.parent / "cache").iterdir()
    content = kept.read_bytes()
    if damage == "bytes":
        kept.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    elif damage == "short":
        kept.write_bytes(content[:20])
    else:
        kept.chmod(0o622)
    assert reads.during_fingerprint() == (first, 2)


def test_two_places_do_not_share_a_digest(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads = Reads(monkeypatch)
    monkeypatch.setattr(known_sources, "SETTLED_SECONDS", -3600.0)
    reads.during_fingerprint()
    other = package.parent / "other"
    package.rename(other)
    monkeypatch.setattr(sources, "PACKAGE", str(other))
    assert reads.during_fingerprint()[1] == 2
