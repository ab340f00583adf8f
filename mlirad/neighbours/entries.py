"""The entries of the table of neighbours' names.

entry("jax.lax.scan", "ad.scan", "ad.scan(lambda c, x: (c + x, c), 0.0, np.ones(3))")
"""

from __future__ import annotations

from collections.abc import Iterable

from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True)
class Entry:
    """Names of one thing in other systems, the way to say it here, and an example, which runs as it stands.

    `here` is a name, or the end of a sentence that begins with a verb.
    """

    names: tuple[str, ...]
    here: str
    example: str

    def sentence(self, theirs: str) -> str:
        """The sentence that says what one of the names is here."""
        return f"{theirs} {self.predicate}"

    @property
    def predicate(self) -> str:
        """The end of such a sentence."""
        return self.here if " " in self.here else f"is {self.here} here"


def entry(names: str, here: str, example: str) -> Entry:
    """Make an entry of names between blanks."""
    return Entry(tuple(names.split()), here, example)


def named(text: str, entries: Iterable[Entry]) -> tuple[Entry, str] | None:
    """Return the entry with a name that ends with `text`, and that name.

    The same letters count before letters in another case, and short names before long ones.
    """
    parts = text.split(".")
    folded = text.lower().split(".")
    found = [
        (not _ends(theirs, parts), theirs.count("."), entry, theirs)
        for entry in entries
        for theirs in entry.names
        if _ends(theirs.lower(), folded)
    ]
    best = min(found, key=lambda each: each[:2], default=None)
    return None if best is None else best[2:]


def _ends(name: str, parts: list[str]) -> bool:
    return name.split(".")[-len(parts) :] == parts
