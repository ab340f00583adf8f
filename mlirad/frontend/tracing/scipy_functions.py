"""Functions of SciPy that are not ufuncs: they need elements, which traced values do not have.

    special.logsumexp(x, axis=0)     -->  a TracingError that says: write np.logaddexp.reduce(a, axis)
    linalg.cho_factor(x)             -->  what traces it: while a function is traced, the name stands for that

NumPy hands its functions to traced arrays, SciPy does not. So while a function is traced, the names of
`scipy.linalg` in `TRACED` stand for functions that do so, and hand all other arguments to SciPy's own. A name
that was imported from the module before stands for SciPy's own still, and the error says what to write.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final

from mlirad.jit.forking import CompileLock
from mlirad.packages import folder_of

_FOLDER = str(Path(folder_of("scipy"))) + "/"

LINALG: Final = "scipy.linalg"
"""The module whose functions are traced."""

TRACED: Final[dict[str, Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]]] = {}
"""By its name in `scipy.linalg` what a function does with arguments, some of which may be traced."""

WRITTEN_OUT = {
    "logsumexp": "np.logaddexp.reduce(a, axis=axis); np.logaddexp.reduce(np.ravel(a)) for all elements",
    "softmax": "s = np.expand_dims(np.logaddexp.reduce(x, axis=axis), axis); np.exp(x - s)",
    "log_softmax": "s = np.expand_dims(np.logaddexp.reduce(x, axis=axis), axis); x - s",
    "eig": "linalg.eigh, of symmetric matrices: the eigenvalues of others may be complex",
    "eigvals": "linalg.eigvalsh, of symmetric matrices: the eigenvalues of others may be complex",
    "multigammaln": "the sum of special.gammaln(a - j / 2) over j in range(d), "
    "plus d * (d - 1) / 4 * np.log(np.pi)",
}
"""How to write such a function with what can be traced."""


def hint_for(name: str) -> str:
    """What to write instead of a function of SciPy."""
    if name in TRACED:
        return f"call it as an attribute of its module: import scipy.linalg, and scipy.linalg.{name}(...)"
    if name in WRITTEN_OUT:
        return f"write {WRITTEN_OUT[name]}"
    return "write it with NumPy's functions and SciPy's ufuncs"


def scipy_function() -> str | None:
    """The name of the outermost function of SciPy around the innermost call, `None` outside of SciPy."""
    found = None
    frame: FrameType | None = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith(_FOLDER):
            wrapped = frame.f_locals.get("f") if code.co_name == "wrapper" else None
            found = getattr(wrapped, "__name__", code.co_name)
        elif found is not None:
            return found if found.isidentifier() else None
        frame = frame.f_back
    return None


class _Names:
    """The functions of SciPy whose names stand for others, and how many traces are under way."""

    def __init__(self) -> None:
        self.lock = CompileLock()
        self.traces = 0
        self.own: dict[str, Callable[..., Any]] = {}


_names: Final = _Names()


@contextmanager
def scipy_names() -> Generator[None]:
    """Let names of `scipy.linalg`, where it is imported, stand for functions that take traced arrays too."""
    module = sys.modules.get(LINALG)
    if module is None:
        yield
        return
    with _names.lock:
        if not _names.traces:
            for name in TRACED:
                if hasattr(module, name):
                    _names.own[name] = getattr(module, name)
                    setattr(module, name, _handing_over(name, _names.own[name]))
        _names.traces += 1
    try:
        yield
    finally:
        with _names.lock:
            _names.traces -= 1
            if not _names.traces:
                for name, function in _names.own.items():
                    setattr(module, name, function)
                _names.own.clear()


@functools.cache
def _handing_over(name: str, own: Callable[..., Any]) -> Callable[..., Any]:
    """A function of SciPy, or what traces it where an argument is traced."""

    @functools.wraps(own)
    def function(*args: Any, **kwargs: Any) -> Any:
        return TRACED[name](own, args, kwargs)

    return function
