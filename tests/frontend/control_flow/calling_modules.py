"""Names of the modules whose code is being called, for functions that look at their callers.

It stands alone: whoever reads the globals of frames reads those of its own module, with all that they reach.
"""

from __future__ import annotations

import inspect


def calling_modules() -> frozenset[str]:
    """The names of the modules of all frames, from here outwards."""
    frame = inspect.currentframe()
    names: set[str] = set()
    while frame is not None:
        names.add(str(frame.f_globals["__name__"]))
        frame = frame.f_back
    return frozenset(names)
