"""The module that a trace gives to its caller: one of xDSL's that notebooks show as text.

ad.trace(np.sin, 1.0)      builtin.module { func.func @main(%x: f64) -> f64 { ... } }
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from mlirad.frontend.tracing.notebook import html_program
from mlirad.ir.printing import text_of


class TracedProgram(ModuleOp):
    """A `builtin.module` for which notebooks have a view."""

    @classmethod
    def of(cls, module: ModuleOp, name: str) -> TracedProgram:
        """Return the program of the function `name`, with the ops of a module, which is empty afterwards."""
        made = cls(module.detach_region(module.body), dict(module.attributes))
        made._title = f"{name}, traced by mlirad"
        return made

    _title = "a program of mlirad"

    def _repr_html_(self) -> str:
        return html_program(self._title, text_of(self))
