"""The folder of stored programs: its location, whether it can be trusted, and how large it may grow.

    MLIRAD_CACHE=off             nothing is kept, and nothing that is there is used; so for 0, no, none, false
    MLIRAD_CACHE=on              the folder that the system has for caches, as without it; so for 1, yes, true
    MLIRAD_CACHE=/data/mlirad    this folder instead; ./off is a folder too
    MLIRAD_CACHE_SIZE=2G         at most 2 GiB; the default is 512 MiB

Programs that are loaded from the folder run in this process. So it is used only if no other user can write to
it: on POSIX it must belong to the user or to root, and neither its group nor others may write. It is made
with access for the user alone.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import warnings
from collections.abc import Mapping
from typing import Final

from mlirad.errors import ArgumentError, CacheWarning, visible
from mlirad.jit.switches import is_off, is_on
from mlirad.lazy_dataclass import dataclass

FOLDER_VARIABLE: Final = "MLIRAD_CACHE"
SIZE_VARIABLE: Final = "MLIRAD_CACHE_SIZE"

DEFAULT_BYTES: Final = 512 * 2**20
"""The size to which the cache may grow: some ten thousand programs."""

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:I?B)?", re.IGNORECASE)
_MOST_BYTES: Final = 2**62
_UNITS: Final = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
_ROOT: Final = 0
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True)
class Folder:
    """A folder for programs, whether the user named it, and how many bytes may lie in it."""

    path: str
    is_named: bool
    limit: int


def find_folder() -> Folder | None:
    """The folder that the environment asks for, None where the cache is off or the user has no folder.

    Raises `ArgumentError` for a malformed size.
    """
    named = os.environ.get(FOLDER_VARIABLE, "on")
    if is_off(named):
        return None
    limit = _limit(os.environ.get(SIZE_VARIABLE, ""))
    if not is_on(named):
        return Folder(os.path.abspath(os.path.expanduser(named)), True, limit)
    path = system_folder(sys.platform, os.environ)
    return None if path is None else Folder(path, False, limit)


def system_folder(platform: str, environment: Mapping[str, str]) -> str | None:
    """The folder that a system has for caches of this user, None for a user without a home."""
    if platform == "win32":
        local = environment.get("LOCALAPPDATA")
        return os.path.join(local, "mlirad", "Cache") if local else None
    if platform != "darwin":
        stated = environment.get("XDG_CACHE_HOME", "")
        if os.path.isabs(stated):
            return os.path.join(stated, "mlirad")
    home = os.path.expanduser("~")
    if not os.path.isabs(home):
        return None
    return os.path.join(home, *(("Library", "Caches") if platform == "darwin" else (".cache",)), "mlirad")


def _limit(text: str) -> int:
    if not text:
        return DEFAULT_BYTES
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise ArgumentError(
            f"{SIZE_VARIABLE} is {_shortened(text)!r}, which is not a size",
            hint="write 512M or 2G, or leave it out",
        )
    return int(min(float(found[1]) * 2 ** _UNITS[found[2].upper()], _MOST_BYTES))


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:60]}..."


def is_trusted(status: os.stat_result) -> bool:
    """Return whether nobody but the user and root can have written what has this status."""
    if os.name != "posix":
        return True
    return status.st_uid in (os.geteuid(), _ROOT) and not status.st_mode & _OTHERS_WRITE


def objection(folder: Folder) -> str | None:
    """Why nothing is kept in a folder, in a few words; None where it can be read at least, or made."""
    try:
        status = os.stat(folder.path)
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    if not stat.S_ISDIR(status.st_mode):
        return "is not a folder"
    if not is_trusted(status):
        return "can be written to by other users (take the right from them: chmod go-w, chown)"
    return None


def complain(folder: Folder, why: str) -> None:
    """Warn, once per process, that a folder is not used; of one that nobody named, say nothing."""
    if folder.is_named and folder.path not in _complained:
        _complained.add(folder.path)
        text = f"{FOLDER_VARIABLE} is {folder.path}, which {why}: programs are compiled and not kept"
        warnings.warn_explicit(visible(text), CacheWarning, FOLDER_VARIABLE, 0)


_complained: set[str] = set()
