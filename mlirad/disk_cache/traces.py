"""Results of traces, stored under everything that decided them: a process with the same key need not trace.

    keep(folder, Trace(key, program, result, "loss", made))      once a program is compiled and kept
    find(folder, key)                                            the trace, or None

The file holds the key of the program and the structure of its results, which `TreeData` states. The program
is in a file of its own, and one that is gone is traced and compiled again.
"""

from __future__ import annotations

import json
from typing import Any, Final, TypeAlias, cast

from mlirad.disk_cache.checked_files import DamagedError, checked_content, content_behind
from mlirad.lazy_dataclass import dataclass

MAGIC: Final = b"mlirad trace\n"

TreeData: TypeAlias = list[Any]
"""A structure: the name of its kind, its parts, and what is fixed in it, as JSON has them."""


@dataclass(frozen=True)
class Trace:
    """Under the key of what decides a trace, that of its program, and the structure of the results.

    `name` is what `mlirad-cache list` shows, `made` in seconds since 1970.
    """

    key: str
    program: str
    result: TreeData
    name: str
    made: int


def trace_bytes(trace: Trace) -> bytes:
    """A trace as the contents of a file."""
    stated = {
        "key": trace.key,
        "program": trace.program,
        "result": trace.result,
        "name": trace.name,
        "made": trace.made,
    }
    return checked_content(MAGIC, [json.dumps(stated).encode()])


def read_trace(content: bytes, key: str) -> Trace:
    """The trace that a file holds under a key. Raises `DamagedError` if it does not."""
    rest = content_behind(MAGIC, content)
    try:
        stated = cast("dict[str, Any]", json.loads(bytes(rest)))
        found = Trace(
            str(stated["key"]),
            str(stated["program"]),
            list(stated["result"]),
            str(stated["name"]),
            int(stated["made"]),
        )
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise DamagedError from error
    if found.key != key:
        raise DamagedError
    return found
