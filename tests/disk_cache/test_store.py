"""The files of the cache: whatever happens to them, a program is whole or is not there."""

from __future__ import annotations

import errno
import hashlib
import os
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.dialects import extents
from mlirad.disk_cache import folder as folders
from mlirad.disk_cache import store
from mlirad.disk_cache.checked_files import DIGEST_BYTES, DamagedError
from mlirad.disk_cache.folder import DEFAULT_BYTES, Folder, find_folder, system_folder
from mlirad.disk_cache.records import (
    MAGIC,
    Record,
    read_record,
    record_bytes,
)
from mlirad.errors import ArgumentError, CacheWarning
from mlirad.frontend.compiling.recompiles import shared_programs
from mlirad.jit.machine_program import MachineProgram
from mlirad.lower.native_program import ArraySpec

KEY = "0123456789abcdef" * 2 + "01234567"


def record(key: str = KEY, size: int = 5) -> Record:
    rows, columns = extents.size("n"), extents.size("m")
    program = MachineProgram(
        (ArraySpec("float64", (2, 3)), ArraySpec("float64", (rows, columns // 3)), ArraySpec("bool", ())),
        (ArraySpec("int32", (0,)),),
        (np.arange(3.0), np.array([[True], [False]]), np.array([1, -2], np.int32)),
        640 * rows * columns - (rows + 2 * columns + 1) // 7 + 64,
        ("mlirad_blas_dgemm",),
        1234,
        ((0, 1),),
        ("n", "m"),
        2,
        rooms=(64, 4),
        object_code=bytes(range(256)) * size,
    )
    return Record(key, program, "loss", "znver3", 12)


def assert_same(one: Record, other: Record) -> None:
    """Every field is the same; a field that records leave out would have its default."""
    for field in ("key", "name", "processor", "made"):
        assert getattr(one, field) == getattr(other, field)
    mine, theirs = vars(one.program).copy(), vars(other.program).copy()
    for a, b in zip(mine.pop("constants"), theirs.pop("constants"), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
    assert mine == theirs
    assert all(vars(one.program).values()), "give every field a value that is not its default"


@pytest.fixture
def place(tmp_path: Path) -> Folder:
    return Folder(str(tmp_path / "cache"), True, DEFAULT_BYTES)


def file_of(place: Folder, key: str = KEY) -> Path:
    return Path(place.path, f"{key}.program")


def test_a_record_is_read_as_it_was_written(place: Folder) -> None:
    assert store.read(place, KEY) is None
    store.write(place, record())
    found = store.read(place, KEY)
    assert found is not None
    assert_same(record(), found)
    (entry,) = store.entries(place)
    assert (entry.key, entry.size) == (KEY, file_of(place).stat().st_size)


def test_every_flipped_bit_and_every_truncation_is_seen() -> None:
    content = record_bytes(record(size=1))
    for position in range(len(content)):
        damaged = bytearray(content)
        damaged[position] ^= 1 << position % 8
        with pytest.raises(DamagedError):
            read_record(bytes(damaged), KEY)
        with pytest.raises(DamagedError):
            read_record(content[:position], KEY)
    with pytest.raises(DamagedError):
        read_record(content + b"\0", KEY)
    with pytest.raises(DamagedError):
        read_record(content, KEY.replace("0", "f"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"key"', b'"kay"'),
        (b'{"key"', b'["key"'),
        (b'"float64", [2, 3]', b'"float96", [2, 3]'),
        (b'"float64", [2, 3]', b'"float64", [2, ""]'),
        (b'"bool", [2, 1]', b'"bool", [9, 9]'),
        (b'"bool", [2, 1]', b'"bool", [-2, -1]'),
        (b'"object_bytes": ', b'"object_bytes": 1'),
    ],
)
def test_what_a_header_states_is_checked(old: bytes, new: bytes) -> None:
    """Contents that have the right checksum, and are not what mlirad writes."""
    content = record_bytes(record())[len(MAGIC) + DIGEST_BYTES :]
    assert old in content
    changed = content.replace(old, new)
    changed = (int.from_bytes(content[:8], "little") + len(new) - len(old)).to_bytes(8, "little") + changed[
        8:
    ]
    with pytest.raises(DamagedError):
        read_record(MAGIC + hashlib.blake2b(changed, digest_size=DIGEST_BYTES).digest() + changed, KEY)


def test_a_damaged_file_is_removed_and_made_again(folder: Path, compiles: list[str]) -> None:
    def gradient() -> Any:
        shared_programs.forget()
        return ad.grad(lambda x: np.sum(np.sin(x)))(np.arange(3.0))

    first = gradient()
    (file,) = folder.glob("*.program")
    whole = file.read_bytes()
    for damaged in (whole[:-1], b"", whole[:40], whole.replace(b"\0", b"\1"), b"mlirad program\n"):
        file.write_bytes(damaged)
        np.testing.assert_array_equal(gradient(), first)
        assert len(file.read_bytes()) == len(whole)
    assert len(compiles) == 6
    # Whole, and object code that cannot be linked.
    found = store.read(Folder(str(folder), True, DEFAULT_BYTES), file.stem)
    assert found is not None
    broken = Record(found.key, MachineProgram(**{**vars(found.program), "object_code": b"ELF"}), "", "", 0)
    file.write_bytes(record_bytes(broken))
    np.testing.assert_array_equal(gradient(), first)
    np.testing.assert_array_equal(gradient(), first)
    assert len(compiles) == 7


def test_nothing_is_left_of_a_write_that_fails(place: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk without room, at whatever step."""

    def full(*_: object, **__: object) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    for name in ("replace", "open", "makedirs"):
        with monkeypatch.context() as patched, warnings.catch_warnings():
            warnings.simplefilter("ignore", CacheWarning)
            patched.setattr(store.os, name, full)
            store.write(place, record())
        assert store.entries(place) == []
        assert not os.path.exists(place.path) or os.listdir(place.path) == []

    def interrupt(*_: object) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(store.os, "replace", interrupt)
        store.write(place, record())
    assert os.listdir(place.path) == []
    store.write(place, record())
    assert len(store.entries(place)) == 1


def test_a_folder_that_cannot_be_written_to_is_read(
    folder: Path, compiles: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def call(k: float) -> Any:
        shared_programs.forget()
        return ad.jit(lambda x: x * k)(2.0)

    def refuse(*_: object, **__: object) -> Any:
        raise PermissionError(errno.EACCES, "Permission denied")

    call(3.0)
    os.utime(next(folder.glob("*.program")), (1.0, 1.0))
    for name in ("open", "replace", "utime", "unlink"):
        monkeypatch.setattr(store.os, name, refuse)
    assert [call(3.0), call(4.0), call(4.0)] == [6.0, 8.0, 8.0]
    assert len(compiles) == 3
    assert len(list(folder.glob("*.program"))) == 1


def test_what_a_process_left_that_was_killed_is_removed(place: Folder) -> None:
    store.write(place, record())
    aside = [Path(place.path, f"{KEY}.program.{k:016x}") for k in range(2)]
    for file in aside:
        file.write_bytes(record_bytes(record())[:100])
    os.utime(aside[0], (1.0, 1.0))
    other = Path(place.path, "notes.txt")
    other.write_text("not ours")
    assert [entry.key for entry in store.entries(place)] == [KEY]
    store._written.clear()
    store.write(place, record())
    assert [file.exists() for file in aside] == [False, True]
    assert store.clear(place) == []
    assert list(Path(place.path).iterdir()) == [other]


def test_readers_see_all_of_a_file_or_nothing(place: Folder) -> None:
    """Threads that write one key, each its own contents, remove it, and read it."""
    found: set[bool] = set()
    least, most = time.monotonic() + 0.2, time.monotonic() + 30

    def goes_on() -> bool:
        return time.monotonic() < (least if len(found) == 2 else most)

    def write(size: int) -> None:
        while goes_on():
            store.write(place, record(size=size))
            store.clear(place)

    def read() -> None:
        while goes_on():
            one = store.read(place, KEY)
            found.add(one is not None)
            if one is not None:
                code = one.program.object_code
                assert code == bytes(range(256)) * (len(code) // 256)

    threads = [threading.Thread(target=write, args=(k,)) for k in (1, 100)]
    threads += [threading.Thread(target=read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {False, True}
    assert store.entries(place) == []


def test_the_files_that_were_not_used_for_longest_are_removed(place: Folder) -> None:
    size = len(record_bytes(record()))
    small = Folder(place.path, True, 10 * size)
    keys = [f"{k:040x}" for k in range(12)]
    for k, key in enumerate(keys):
        store._written.clear()
        if k == 9:
            assert store.read(small, keys[0]) is not None  # notes its use
        store.write(small, record(key))
        if k < 9:
            os.utime(file_of(small, key), (1000.0 + k, 1000.0 + k))
        assert sum(entry.size for entry in store.entries(small)) <= small.limit
    left = {entry.key for entry in store.entries(small)}
    assert left == {keys[0], *keys[3:]}
    store.write(Folder(place.path, True, 3 * size), record("f" * 40))
    assert "f" * 40 not in {entry.key for entry in store.entries(small)}  # a third of all there is room for


def test_a_folder_that_others_could_write_to_is_not_used(
    place: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.name != "posix":
        pytest.skip("Windows keeps others out of the folder by other means")
    store.write(place, record())
    assert os.stat(place.path).st_mode & 0o777 == 0o700
    assert os.stat(file_of(place)).st_mode & 0o777 == 0o600
    monkeypatch.setattr(folders, "_complained", set())
    for spoiled in (Path(place.path), file_of(place)):
        before = spoiled.stat().st_mode
        for mode in (0o770, 0o707):
            spoiled.chmod(mode)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", CacheWarning)
                assert store.read(place, KEY) is None
        spoiled.chmod(before)
        assert store.read(place, KEY) is not None
    uid = os.geteuid()
    with monkeypatch.context() as patched, pytest.warns(CacheWarning, match="other users"):
        patched.setattr(folders, "_complained", set())
        patched.setattr(folders.os, "geteuid", lambda: uid + 1)
        patched.setattr(folders, "_ROOT", -1)
        assert store.read(place, KEY) is None
        store.write(place, record("a" * 40))
    assert [entry.key for entry in store.entries(place)] == [KEY]


def test_a_folder_that_is_none_is_one_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiles: list[str]
) -> None:
    def call(x: float) -> Any:
        shared_programs.forget()
        return ad.jit(lambda x: x + 1.0)(x)

    monkeypatch.setattr(folders, "_complained", set())
    file = tmp_path / "file"
    file.write_text("")
    for named, why in ((file, "is not a folder"), (file / "below", "cannot be")):
        monkeypatch.setenv("MLIRAD_CACHE", str(named))
        with pytest.warns(CacheWarning) as given:
            assert [call(k) for k in (1.0, 2.0)] == [2.0, 3.0]
        (warning,) = given
        assert str(warning.message).startswith(f"MLIRAD_CACHE is {named}, which {why}")
    monkeypatch.delenv("MLIRAD_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(file))
    monkeypatch.setenv("LOCALAPPDATA", str(file))
    monkeypatch.setenv("HOME", str(file))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert call(1.0) == 2.0
    assert len(compiles) == 5
    assert file.read_text() == ""


def test_the_folder_is_the_one_that_the_system_has_for_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders.os.path, "expanduser", lambda path: path.replace("~", "/home/u"))
    home = os.path.join("/home/u", ".cache", "mlirad")
    assert system_folder("linux", {}) == home
    assert system_folder("linux", {"XDG_CACHE_HOME": "relative"}) == home
    assert system_folder("linux", {"XDG_CACHE_HOME": "/c"}) == os.path.join("/c", "mlirad")
    mac = os.path.join("/home/u", "Library", "Caches", "mlirad")
    assert system_folder("darwin", {"XDG_CACHE_HOME": "/c"}) == mac
    assert system_folder("win32", {"LOCALAPPDATA": "/l"}) == os.path.join("/l", "mlirad", "Cache")
    assert system_folder("win32", {}) is None
    monkeypatch.setattr(folders.os.path, "expanduser", lambda path: path)
    assert system_folder("linux", {}) is None
    assert system_folder("darwin", {}) is None


def test_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLIRAD_CACHE", "/somewhere")
    for text, size in (("", 2**29), ("100", 100), ("512M", 2**29), ("1.5 GiB", 3 * 2**29), ("2kb", 2048)):
        monkeypatch.setenv("MLIRAD_CACHE_SIZE", text)
        found = find_folder()
        assert found is not None
        assert found.limit == size
    for text in ("large", "-1", "M", "1X"):
        monkeypatch.setenv("MLIRAD_CACHE_SIZE", text)
        with pytest.raises(ArgumentError, match="is not a size"):
            ad.jit(lambda x: x)(1.0)


@pytest.mark.filterwarnings("ignore::mlirad.errors.CaptureWarning")
@pytest.mark.parametrize("word", ["off", "OFF", "0", "", " ", "no", "None", "false"])
def test_words_that_keep_nothing(
    word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiles: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("MLIRAD_CACHE", word)
    assert find_folder() is None
    for _ in range(2):
        shared_programs.forget()
        assert ad.jit(lambda x: x + 1.5)(1.0) == 2.5
    assert len(compiles) == 2
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("word", ["on", "On", "1", "yes", " true "])
def test_words_that_mean_the_folder_of_the_system(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MLIRAD_CACHE")
    usual = find_folder()
    assert usual is not None
    monkeypatch.setenv("MLIRAD_CACHE", word)
    assert find_folder() == usual


def test_other_words_are_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for word in ("./0", "./off", "kept", str(tmp_path / "on")):
        monkeypatch.setenv("MLIRAD_CACHE", word)
        found = find_folder()
        assert found is not None
        assert found.path == os.path.join(str(tmp_path), os.path.basename(word))
