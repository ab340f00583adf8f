"""Programs and linear maps as mathematics: `written(function)` is its text."""

from mlirad.tools.mathematics.notation import ASCII, UNICODE, Notation
from mlirad.tools.mathematics.writer import Sharing, written

__all__ = ["ASCII", "UNICODE", "Notation", "Sharing", "written"]
