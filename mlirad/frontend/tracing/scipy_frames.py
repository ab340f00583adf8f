"""The SciPy function that wants the elements of a traced value, and the replacement to suggest.

scipy_function()          "brentq"
hint_for("brentq")        "write ad.root(f, x0), which solves f(x) = 0"
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any, Final, cast

from mlirad.frontend.splicing import questions
from mlirad.frontend.tracing.source import is_user_file
from mlirad.packages import folder_of

_FOLDER: Final = str(Path(folder_of("scipy"))) + "/"

PREFIX: Final = "ad_"
"""How the names of parts of rewritten functions begin."""

_OWN: Final = str(Path(__file__).parents[2]) + "/"

_WRITTEN: Final = {
    **dict.fromkeys(
        ("brentq", "brenth", "bisect", "ridder", "newton", "fsolve", "root", "root_scalar"),
        "write ad.root(f, x0), which solves f(x) = 0",
    ),
    **dict.fromkeys(("minimize", "minimize_scalar", "fmin", "fmin_bfgs"), "write ad.minimize(f, x0)"),
    **dict.fromkeys(("solve_ivp", "odeint"), "write ad.odeint(f, y0, t), with f of y and t"),
    "fixed_point": "write ad.fixed_point(f, x0)",
}
"""What to write instead of SciPy's solvers."""

OWNERS: Final[dict[str, list[str]]] = {}
"""By the name of a method of SciPy's objects those of which it can be traced."""


def hint_for(name: str) -> str:
    """Return what to write instead of a function of SciPy."""
    if name in _WRITTEN:
        return _WRITTEN[name]
    if name in OWNERS:
        known = ", ".join(sorted(OWNERS[name]))
        return f"write it with NumPy's functions; of traced arrays {name} is known of {known}"
    return "write it with NumPy's functions and SciPy's ufuncs"


def scipy_function() -> str | None:
    """The name of the outermost function of SciPy around the innermost call, `None` outside of SciPy.

    One that calls a function which is traced is not around what that does.
    """
    found, is_within = None, False
    frame: FrameType | None = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(_FOLDER):
            name = _name_of(frame)
            found = name if found is None or not name.startswith(PREFIX) else found
        elif found is not None:
            return found if found.isidentifier() and not found.startswith(PREFIX) else None
        elif is_user_file(file):
            is_within = True
        elif file == questions.__file__ or (is_within and file.startswith(_OWN)):
            return None
        frame = frame.f_back
    return None


def _name_of(frame: FrameType) -> str:
    """The name of the function that a frame runs; of a constructor or a call that of the class."""
    name = frame.f_code.co_name
    if name in ("__init__", "__call__") and "self" in frame.f_locals:
        return cast("type[Any]", type(frame.f_locals["self"])).__name__
    wrapped = frame.f_locals.get("f") if name == "wrapper" else None
    return getattr(wrapped, "__name__", name)
