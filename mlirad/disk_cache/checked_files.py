"""Contents of files with a checksum in front, by which it is known that they are what was written.

b"mlirad program\\n"     what kind of file it is
32 bytes                the digest of all that follows
...                     what was written
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

DIGEST_BYTES: Final = 32


class DamagedError(Exception):
    """A file that is not what was written."""


def checked_content(magic: bytes, parts: Sequence[bytes]) -> bytes:
    """The content of a file of a kind."""
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for part in parts:
        digest.update(part)
    return b"".join([magic, digest.digest(), *parts])


def content_behind(magic: bytes, content: bytes) -> memoryview:
    """Return what was written to a file of a kind. Raises `DamagedError` if it is not that."""
    start = len(magic) + DIGEST_BYTES
    rest = memoryview(content)[start:]
    digest = hashlib.blake2b(rest, digest_size=DIGEST_BYTES).digest()
    if content[: len(magic)] != magic or content[len(magic) : start] != digest:
        raise DamagedError
    return rest
