"""The digest of source files that an earlier process read, kept for those that find the same files.

    known_digest(folder, package, snapshot)            None where it has to be made
    keep_digest(folder, package, snapshot, digest)

Reading a thousand files takes a tenth of a first call. A file is taken to be the one that was read if it has
the same inode, size and times: POSIX systems set the time of change (ctime) themselves at every write, and no
program can set it back. Two writes within one tick of the clock have the same time, so nothing is kept of
files that changed less than `SETTLED_SECONDS` before they were read.

A version number would let those who work on mlirad run code of yesterday's compiler. Reading all source files
takes 13 milliseconds, so their digest is kept for processes that find the same inodes, sizes and times. Times
of modification alone would be wrong where an installer or an archive sets them; the system sets the time of
change at every write, and nobody can set it back. Files that changed within the last 5 seconds are read in
every process, as two writes may fall into one tick.
"""

from __future__ import annotations

import hashlib
import os
import time
from typing import Final, TypeAlias

from mlirad.disk_cache.checked_files import DamagedError, checked_content, content_behind
from mlirad.disk_cache.files import trusted_content, write_whole
from mlirad.disk_cache.folder import Folder, objection

Snapshot: TypeAlias = tuple[tuple[str, int, int, int, int, int], ...]
"""The name of each source file inside the package, its size, device and inode, and when content and entry
last changed.
"""

MAGIC: Final = b"mlirad sources\n"
SUFFIX: Final = ".sources"

SETTLED_SECONDS: Final = 5.0
"""The time for which a file must have been left alone; some file systems count in steps of 2 s."""


def known_digest(folder: Folder, package: str, snapshot: Snapshot) -> bytes | None:
    """The digest that is kept of the files of a snapshot of a package."""
    if os.name != "posix" or objection(folder) is not None:
        return None
    found = trusted_content(_path(folder, package))
    if found is None:
        return None
    try:
        rest = bytes(content_behind(MAGIC, found[0]))
    except DamagedError:
        return None
    stated = _of(snapshot)
    return rest[len(stated) :] if rest.startswith(stated) else None


def keep_digest(folder: Folder, package: str, snapshot: Snapshot, digest: bytes) -> None:
    """Keep the digest of files that were just read, if they have settled and the folder can be written to."""
    latest = max((max(changed, entered) for *_, changed, entered in snapshot), default=0)
    if os.name != "posix" or latest > (time.time() - SETTLED_SECONDS) * 1e9 or objection(folder) is not None:
        return
    try:
        os.makedirs(folder.path, mode=0o700, exist_ok=True)
    except OSError:
        return
    write_whole(_path(folder, package), checked_content(MAGIC, [_of(snapshot), digest]))


def _path(folder: Folder, package: str) -> str:
    """The path of the digest of a package: one file for each installation of mlirad."""
    name = hashlib.blake2b(os.fsencode(package), digest_size=8).hexdigest()
    return os.path.join(folder.path, name + SUFFIX)


def _of(snapshot: Snapshot) -> bytes:
    return hashlib.blake2b(repr(snapshot).encode(errors="surrogatepass"), digest_size=32).digest()
