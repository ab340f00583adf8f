"""Functions of SciPy that are not ufuncs: they need elements, which traced values do not have.

    linalg.cho_factor(x)             -->  what traces it: while a function is traced, the name stands for that
    linalg.eig(x)                    -->  a TracingError that says what to write

NumPy hands its functions to traced arrays, SciPy does not. So while a function is traced, the names in
`TRACED` stand, in their modules, for functions that do so, and hand other arguments to SciPy's own. A name
that was imported from the module before stands for SciPy's own still, and the error says what to write.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, Final, TypeAlias

from mlirad.jit.forking import CompileLock
from mlirad.packages import folder_of

_FOLDER = str(Path(folder_of("scipy"))) + "/"

Handing: TypeAlias = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]
"""What a function, given SciPy's own, does with arguments, some of which may be traced."""

TRACED: Final[dict[str, dict[str, Handing]]] = {}
"""By the module, such as `scipy.linalg`, and the name there, what stands for a function."""

WRITTEN_OUT = {
    "eig": "linalg.eigh, of symmetric matrices: the eigenvalues of others may be complex",
    "eigvals": "linalg.eigvalsh, of symmetric matrices: the eigenvalues of others may be complex",
}
"""How to write such a function with what can be traced."""


def hint_for(name: str) -> str:
    """What to write instead of a function of SciPy."""
    module = next((module for module, names in TRACED.items() if name in names), None)
    if module is not None:
        return f"call it as an attribute of its module: import {module}, and {module}.{name}(...)"
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
        self.own: list[tuple[ModuleType, str, Callable[..., Any]]] = []


_names: Final = _Names()


@contextmanager
def scipy_names() -> Generator[None]:
    """Let names of SciPy's modules that are imported stand for functions that take traced arrays too."""
    imported = {name: sys.modules[name] for name in TRACED if name in sys.modules}
    if not imported:
        yield
        return
    with _names.lock:
        if not _names.traces:
            for module_name, module in imported.items():
                for name in TRACED[module_name]:
                    if hasattr(module, name):
                        own = getattr(module, name)
                        _names.own.append((module, name, own))
                        setattr(module, name, _handing_over(module_name, name, own))
        _names.traces += 1
    try:
        yield
    finally:
        with _names.lock:
            _names.traces -= 1
            if not _names.traces:
                for module, name, function in _names.own:
                    setattr(module, name, function)
                _names.own.clear()


@functools.cache
def _handing_over(module: str, name: str, own: Callable[..., Any]) -> Callable[..., Any]:
    """A function of SciPy, or what traces it where an argument is traced."""

    @functools.wraps(own)
    def function(*args: Any, **kwargs: Any) -> Any:
        return TRACED[module][name](own, args, kwargs)

    return function
