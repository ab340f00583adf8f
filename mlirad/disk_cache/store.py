"""The files of the cache: one per program or trace, called by its key, least recently used first out.

    write(folder, record)       and the files unused for longest go if there are too many bytes
    read(folder, key)           or None; a damaged file is removed
    write_trace, read_trace     the same of traces, which say which program they came to
    entries(folder), clear(folder)

Any number of processes may do this at once, and each may end at any moment. A file is complete when it has
its name, as far as the process is concerned; after a power loss it may have its name and not all of its
contents. So the contents carry a checksum, and writing does not wait for the disk. A program whose file
cannot be read is compiled.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from mlirad.disk_cache import files
from mlirad.disk_cache.checked_files import DamagedError
from mlirad.disk_cache.encoding import KEY_BYTES
from mlirad.disk_cache.folder import Folder, complain, objection
from mlirad.disk_cache.records import Record, read_record, record_bytes
from mlirad.disk_cache.traces import Trace, trace_bytes
from mlirad.disk_cache.traces import read_trace as trace_in
from mlirad.lazy_dataclass import dataclass

T = TypeVar("T")

SUFFIX: Final = ".program"
TRACE_SUFFIX: Final = ".trace"
_FILE: Final = re.compile(rf"([0-9a-f]{{{2 * KEY_BYTES}}})(?:{re.escape(SUFFIX)}|{re.escape(TRACE_SUFFIX)})")
_ASIDE: Final = re.compile(_FILE.pattern + files.ASIDE)

LARGEST_SHARE: Final = 0.25
"""The part of the cache that one program may take."""

KEPT_SHARE: Final = 0.9
"""The part of the limit that is left when old files are removed, so that not every program removes one."""

USED_SECONDS: Final = 3600
"""The greatest age of the note of a file's last use."""

ABANDONED_SECONDS: Final = 3600
"""The age from which a file aside belongs to no process that is still writing it."""

_WRITTEN_SHARE: Final = 0.05
"""The part of the limit that this process may write before it looks at the size of the folder again."""

_written: dict[str, float] = {}
"""Bytes written to each folder since this process looked at its size."""


@dataclass(frozen=True)
class Entry:
    """A file of the cache: its key, size in bytes, and last use in seconds since 1970."""

    key: str
    path: str
    size: int
    used: float

    @property
    def is_trace(self) -> bool:
        """Return whether it says which program a trace came to, and holds none."""
        return self.path.endswith(TRACE_SUFFIX)


def read(folder: Folder, key: str) -> Record | None:
    """Return the stored program for a key, or None if it is missing or corrupt."""
    return _read(folder, key, SUFFIX, read_record)


def read_trace(folder: Folder, key: str) -> Trace | None:
    """Return the stored trace for a key, or None if it is missing or corrupt."""
    return _read(folder, key, TRACE_SUFFIX, trace_in)


def _read(folder: Folder, key: str, suffix: str, read: Callable[[bytes, str], T]) -> T | None:
    if _is_refused(folder):
        return None
    path = _path(folder, key, suffix)
    found = files.trusted_content(path)
    if found is None:
        return None
    content, used = found
    try:
        record = read(content, key)
    except DamagedError:
        files.remove(path)
        return None
    if time.time() - used > USED_SECONDS:
        _note_use(path)
    return record


def write(folder: Folder, record: Record) -> None:
    """Keep a program, if that is possible, and make room for it."""
    if not _is_refused(folder):
        _write(folder, _path(folder, record.key, SUFFIX), record_bytes(record))


def write_trace(folder: Folder, trace: Trace) -> None:
    """Keep a trace, if that is possible, and make room for it."""
    if not _is_refused(folder):
        _write(folder, _path(folder, trace.key, TRACE_SUFFIX), trace_bytes(trace))


def _write(folder: Folder, path: str, content: bytes) -> None:
    if len(content) > LARGEST_SHARE * folder.limit:
        return
    try:
        os.makedirs(folder.path, mode=0o700, exist_ok=True)
    except OSError as error:
        complain(folder, f"cannot be made ({error.strerror})")
        return
    if files.write_whole(path, content):
        _make_room(folder, len(content))


def entries(folder: Folder) -> list[Entry]:
    """The files in a folder, last used ones first; none where it cannot be read."""
    found = [
        Entry(match[1], path, status.st_size, status.st_mtime)
        for name, path, status in _files(folder)
        if (match := _FILE.fullmatch(name))
    ]
    return sorted(found, key=lambda entry: (-entry.used, entry.key))


def examine(entry: Entry) -> Record | Trace | None:
    """The program or the trace in a file, None for a damaged one."""
    read = trace_in if entry.is_trace else read_record
    try:
        with open(entry.path, "rb") as file:
            return read(file.read(), entry.key)
    except (OSError, DamagedError):
        return None


def remove(entry: Entry) -> bool:
    """Remove a file, if that is possible; says whether it was."""
    return files.remove(entry.path)


def clear(folder: Folder) -> list[Entry]:
    """Remove all programs, and what was left by processes that ended while they wrote. Gives what is left."""
    for _, path, _ in _files(folder):
        files.remove(path)
    return entries(folder)


def _make_room(folder: Folder, written: int) -> None:
    """Remove the files that were not used for longest if there are too many bytes.

    The folder is read when this process first writes to it, and then each time it has written a share.
    """
    before = _written.get(folder.path)
    if before is not None and before + written < _WRITTEN_SHARE * folder.limit:
        _written[folder.path] = before + written
        return
    _written[folder.path] = 0.0
    now = time.time()
    for name, path, status in _files(folder):
        if _ASIDE.fullmatch(name) and now - status.st_mtime > ABANDONED_SECONDS:
            files.remove(path)
    kept = entries(folder)
    size = sum(entry.size for entry in kept)
    if size <= folder.limit:
        return
    for entry in reversed(kept):
        if size <= KEPT_SHARE * folder.limit:
            break
        files.remove(entry.path)
        size -= entry.size


def _files(folder: Folder) -> Iterator[tuple[str, str, os.stat_result]]:
    """Name, path and status of the files that are the cache's own."""
    try:
        with os.scandir(folder.path) as found:
            ours = [e for e in found if _FILE.fullmatch(e.name) or _ASIDE.fullmatch(e.name)]
    except OSError:
        return
    for entry in ours:
        try:
            yield entry.name, entry.path, entry.stat(follow_symlinks=False)
        except OSError:
            continue


def _is_refused(folder: Folder) -> bool:
    why = objection(folder)
    if why is not None:
        complain(folder, why)
    return why is not None


def _path(folder: Folder, key: str, suffix: str) -> str:
    return os.path.join(folder.path, key + suffix)


def _note_use(path: str) -> None:
    try:
        os.utime(path)
    except OSError:
        return
