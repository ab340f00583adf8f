"""Single files that several processes read and write at once.

    write_whole(path, content)     into a file aside, which is renamed: a reader sees all of it or nothing
    trusted_content(path)          None for what another user could have written

Nothing that goes wrong with a file is an error of the program that asks for it.

Files are not flushed. A rename that reaches the folder before the contents reach the disk leaves an
incomplete file after a loss of power; the checksum finds it. Flushing would cost every compile milliseconds
to save that one.
"""

from __future__ import annotations

import os
import stat
from typing import Final

from mlirad.disk_cache.folder import is_trusted

ASIDE: Final = r"\.[0-9a-f]{16}"
"""The suffix of a file that is written aside, behind the name that it will get."""

_BINARY: Final = getattr(os, "O_BINARY", 0)


def trusted_content(path: str) -> tuple[bytes, float] | None:
    """The content of a regular file that only this user may write, and when it was last used."""
    try:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or not is_trusted(status):
                return None
            return file.read(), status.st_mtime
    except OSError:
        return None


def write_whole(path: str, content: bytes) -> bool:
    """Write a file that only this user may read, if that is possible; says whether it was.

    Nothing is left of a write that an exception ends.
    """
    aside = f"{path}.{os.urandom(8).hex()}"
    try:
        with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600), "wb") as file:
            file.write(content)
        os.replace(aside, path)
    except OSError:
        remove(aside)
        return False
    except BaseException:  # an interrupt
        remove(aside)
        raise
    return True


def remove(path: str) -> bool:
    """Remove a file, if that is possible; says whether it was."""
    try:
        os.unlink(path)
    except OSError:
        return False
    return True
