"""The identity of this compiler: a digest of the source files of mlirad, and the versions of its
dependencies.

A program is kept under the contents of all source files, so a checkout that was edited never finds what it
made before. When this module is imported, before what it describes, the sizes and times of the files are
noted. With the first key they are read, unless an earlier process has kept their digest. Before a program is
stored they are looked at once more, if modules were loaded meanwhile: these might have been edited after the
digest was made.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

from mlirad.packages import folder_of

if TYPE_CHECKING:
    from mlirad.disk_cache.known_sources import Snapshot

PACKAGE: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def fingerprint(snapshot: Snapshot) -> bytes | None:
    """The digest of the files of a snapshot, and of the versions of what they import.

    None where it cannot be told which code runs: where files have changed since, or are missing, as
    in an archive.
    """
    import hashlib  # which loads OpenSSL, and `import mlirad` does without

    content = _digest(snapshot)
    if content is None:
        return None
    digest = hashlib.sha256(content)
    for name, version in versions().items():
        digest.update(f"{name}\0{version}\0".encode())
    return digest.digest()


def _digest(snapshot: Snapshot) -> bytes | None:
    """The digest of the contents of a snapshot's files: a kept one, or by reading them."""
    from mlirad.disk_cache.folder import find_folder
    from mlirad.disk_cache.known_sources import keep_digest, known_digest

    folder = find_folder()
    known = None if folder is None else known_digest(folder, PACKAGE, snapshot)
    if known is not None:
        return known
    read = _read_digest(snapshot)
    if read is not None and folder is not None:
        keep_digest(folder, PACKAGE, snapshot, read)
    return read


def _read_digest(snapshot: Snapshot) -> bytes | None:
    """The digest of the contents of a snapshot's files, None where they are not those any more."""
    import hashlib

    digest = hashlib.sha256()
    for name, size, *_ in snapshot:
        try:
            content = _content(os.path.join(PACKAGE, name), size)
        except OSError:
            return None
        digest.update(f"{name}\0{size}\0".encode())
        digest.update(content)
    return digest.digest() if snapshot and are_unchanged(snapshot) else None


def are_unchanged(snapshot: Snapshot) -> bool:
    """Return whether the source files are those of a snapshot."""
    return take_snapshot() == snapshot


def take_snapshot() -> Snapshot:
    """The source files as they are."""
    try:
        return tuple(sorted(_files(PACKAGE)))
    except OSError:
        return ()


def _content(path: str, size: int) -> bytes:
    """The first `size` bytes of a file, without what Python's file objects cost."""
    file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        return os.read(file, size)
    finally:
        os.close(file)


def _files(package: str) -> list[tuple[str, int, int, int, int, int]]:
    found: list[tuple[str, int, int, int, int, int]] = []
    folders = [("", package)]
    while folders:
        prefix, folder = folders.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                if name.endswith((".py", ".ll")):
                    s = entry.stat()
                    stated = (s.st_size, s.st_dev, s.st_ino, s.st_mtime_ns, s.st_ctime_ns)
                    found.append((prefix + name, *stated))
                elif name != "__pycache__" and entry.is_dir():
                    folders.append((f"{prefix}{name}/", entry.path))
    return found


AT_IMPORT: Final = take_snapshot()
"""The source files when mlirad was imported."""


@cache
def versions() -> dict[str, str]:
    """The versions of all that has a part in what a program is compiled to."""
    import numpy as np

    from mlirad.jit.llvm_binding import llvm_version

    return {
        "python": f"{sys.implementation.name} {sys.version}",
        "numpy": np.__version__,
        "scipy": _version("scipy"),
        "xdsl": _version("xdsl"),
        "llvm": llvm_version(),
    }


def _version(package: str) -> str:
    """The folder beside a package that has its version in its name: packages take 20 ms to tell it."""
    try:
        beside = os.listdir(os.path.dirname(folder_of(package)))
    except OSError:  # in an archive
        beside = []
    found = sorted(name for name in beside if name.startswith(f"{package}-") and name.endswith(".dist-info"))
    return " ".join(found) or str(import_module(package).__version__)


_confirmed: set[str] = set()
"""Modules that were found unchanged after they had been loaded."""


def runs_what_was_read() -> bool:
    """Return whether all code that is loaded is that of the files when mlirad was imported."""
    loaded = {name for name in list(sys.modules) if name.startswith("mlirad.")}
    if loaded <= _confirmed:
        return True
    if not are_unchanged(AT_IMPORT):
        return False
    _confirmed.update(loaded)
    return True


@cache
def compiler() -> bytes | None:
    """The fingerprint of the compiler that this process runs, None where it cannot be told."""
    return fingerprint(AT_IMPORT)
