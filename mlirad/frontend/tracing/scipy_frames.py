"""The SciPy function that wants the elements of a traced value, and the replacement to suggest.

scipy_function()              "brentq"
asking_function()             the same, around a function that something else answers
hint_for("brentq")            "write ad.root(f, x0), which solves f(x) = 0"
refusal(error, raised)        TracingError in place of Cython's TypeError: No matching signature found
"""

from __future__ import annotations

import dis
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from traceback import walk_tb
from types import FrameType, FunctionType
from typing import Any, Final, cast

from mlirad.errors import MliradError, TracingError
from mlirad.frontend.splicing import questions
from mlirad.frontend.tracing.open_traces import Raised, Traced, TracedParts
from mlirad.frontend.tracing.source import is_own_frame, is_user_file, traceback_line
from mlirad.packages import folder_of

_FOLDER: Final = str(Path(folder_of("scipy"))) + "/"

PREFIX: Final = "ad_"
"""The prefix of names of parts of rewritten functions."""

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
"""The code to write instead of SciPy's solvers."""

OWNERS: Final[dict[str, list[str]]] = {}
"""The classes of SciPy whose method of a name can be traced, by that name."""


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
    return _outermost(_outwards(sys._getframe(2)))  # pyright: ignore[reportPrivateUsage]


def asking_function() -> str:
    """The name of the outermost function of SciPy around the one whose answer is under way."""
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    asking = next(outer for outer in _outwards(frame) if outer.f_code.co_filename == questions.__file__)
    name = _outermost(_outwards(asking.f_back))
    assert name is not None
    return name


def refusal(error: BaseException, raised: Sequence[Raised]) -> MliradError | None:
    """The error in place of one by which compiled code of SciPy refuses a traced value, else `None`.

    Compiled code answers with a TypeError in the words of Cython, Pythran or f2py, or with one of its own in
    place of the error that a function it called raised: the last of `raised`.
    """
    if isinstance(error, MliradError) or not isinstance(error, Exception):
        return None
    entries = list(walk_tb(error.__traceback__))
    calling = next((k for k, (frame, _) in reversed([*enumerate(entries)]) if _is_python(frame)), None)
    if calling is None or not entries[calling][0].f_code.co_filename.startswith(_FOLDER):
        return None
    if not _is_raised_by_call(error):
        return None
    name = _outermost(frame for frame, _ in reversed(entries[: calling + 1]) if not is_own_frame(frame))
    found = next(_traced_among(entries[calling][0].f_locals.values()), None)
    if name is not None and found is not None and isinstance(error, TypeError):
        return TracingError(
            f"SciPy's {name} works on NumPy arrays, and {found!r} is traced",
            location=traceback_line(error),
            hint=hint_for(name),
        )
    return raised[-1][0] if raised else None


def _is_python(frame: FrameType) -> bool:
    """Return whether a frame is not one that Cython adds to a traceback."""
    return frame.f_code.co_filename.endswith(".py") and not is_own_frame(frame)


def _is_raised_by_call(error: Exception) -> bool:
    """Return whether a function without a frame of Python's raised an error, and not Python for its call."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None or _OF_CALLS.search(str(error)):
        return False
    code = traceback.tb_frame.f_code
    is_cython = not code.co_filename.endswith(".py")
    return is_cython or dis.opname[code.co_code[traceback.tb_lasti]].startswith("CALL")


_OF_CALLS: Final = re.compile(r"\(\) (takes|missing|got) ")
"""Words of Python's for a call with other arguments than a function takes."""


def _traced_among(values: Iterable[object]) -> Iterator[object]:
    for value in values:
        if issubclass(type(value), Traced | TracedParts):
            yield value


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _outermost(frames: Iterable[FrameType]) -> str | None:
    """The name of SciPy's outermost function among frames, from the innermost outwards."""
    found, is_within = None, False
    for frame in frames:
        file = frame.f_code.co_filename
        if file.startswith(_FOLDER):
            name = _name_of(frame)
            found = name if found is None or not name.startswith(PREFIX) else found
        elif found is not None:
            break
        elif is_user_file(file):
            is_within = True
        elif file == questions.__file__ or (is_within and file.startswith(_OWN)):
            return None
    return found if found is not None and found.isidentifier() and not found.startswith(PREFIX) else None


def _name_of(frame: FrameType) -> str:
    """The name of the function that a frame runs; of a constructor or a call that of the class."""
    name = frame.f_code.co_name
    if name in ("__init__", "__call__") and "self" in frame.f_locals:
        return cast("type[Any]", type(frame.f_locals["self"])).__name__
    if "<locals>" in frame.f_code.co_qualname:  # of a decorator, around the function that is called
        for variable in frame.f_code.co_freevars:
            wrapped = frame.f_locals.get(variable)
            if type(wrapped) is FunctionType and wrapped.__name__.isidentifier():
                return wrapped.__name__
    return name
