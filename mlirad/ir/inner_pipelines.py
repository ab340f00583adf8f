"""Pipelines that passes run on a part of what they rewrite. `mlirad.pipelines` enters them: it decides order.

INNER["lower-remaining-builds"](ctx, module)    run by the pass of this name where builds are left
PREPARATIONS["chad"]                            how `linearize{method=chad}` prepares functions
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mlirad.lazy_dataclass import dataclass

INNER: Final[dict[str, Callable[..., None]]] = {}
"""Pipelines that rewrite a module in place, given a context and the module: by a pass that runs one, or by
`expand-METHOD` for a method. Rows for records of each type may follow.
"""


@dataclass(frozen=True)
class Preparation:
    """Passes, by name, whose transformations of single functions bring these to what `linearize` needs.

    `callee` are those of a function that is differentiated, `kept` those of one whose calls stay and that
    holds derivatives itself.
    """

    callee: tuple[str, ...]
    kept: tuple[str, ...]


PREPARATIONS: Final[dict[str, Preparation]] = {}
"""By method, how functions are prepared."""
