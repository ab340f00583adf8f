"""How derivatives are expanded, for the pass that has a part of a module expanded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

EXPANSIONS: Final[dict[str, Callable[[Context, ModuleOp], None]]] = {}
"""By the method what expands the derivatives of a module, in place; `mlirad.pipelines` has put it here."""
