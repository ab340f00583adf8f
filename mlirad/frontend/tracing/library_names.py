"""Functions that are not handed to traced arrays: those of SciPy that are no ufuncs, and a few of NumPy.

    linalg.cho_factor(x)             -->  what traces it: while a function is traced, the name stands for that
    stats.norm.logpdf(x)             -->  the same, of a method
    np.vectorize(f)(x)               -->  the same, of a method `__call__`
    interpolate.CubicSpline(t, x)    -->  the same, of a constructor
    np.array([x, 1.0])               -->  the same; NumPy dispatches on arguments, not on what is in lists
    linalg.logm(x)                   -->  a TracingError that says what to write

While a function is traced, the names in `TRACED` stand, in their modules, for functions that take traced
values, and hand other arguments to the library's own. A name that was imported from the module beforehand
remains the library's own function, and the error says what to write. The methods in `TRACED_METHODS` stand in
the classes of objects, so they are found however an object is.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, Final, TypeAlias, cast

from mlirad.frontend.tracing.source import is_user_file
from mlirad.jit.forking import CompileLock
from mlirad.packages import folder_of

_FOLDER = str(Path(folder_of("scipy"))) + "/"

Handing: TypeAlias = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]
"""What a function, given the library's own, does with arguments, some of which may be traced."""

TRACED: Final[dict[str, dict[str, Handing]]] = {}
"""By the module, such as `scipy.linalg`, and the name there, what stands for a function."""

MethodHanding: TypeAlias = Callable[[Any, Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]
"""The same of a method, given the object too."""

TRACED_METHODS: Final[dict[str, Callable[[], dict[str, dict[str, MethodHanding]]]]] = {}
"""By the module, such as `scipy.stats`, what finds, by the name of a class or an object of it, such as
`norm`, and by the name of a method, what stands for that. It is asked once the module is imported."""


_OWN = str(Path(__file__).parents[2]) + "/"

_WRITTEN = {
    **dict.fromkeys(
        ("brentq", "brenth", "bisect", "ridder", "newton", "fsolve", "root", "root_scalar"),
        "write ad.root(f, x0), which solves f(x) = 0",
    ),
    **dict.fromkeys(("minimize", "minimize_scalar", "fmin", "fmin_bfgs"), "write ad.minimize(f, x0)"),
    **dict.fromkeys(("solve_ivp", "odeint"), "write ad.odeint(f, y0, t), with f of y and t"),
    "fixed_point": "write ad.fixed_point(f, x0)",
}
"""What to write instead of SciPy's solvers."""


def hint_for(name: str) -> str:
    """What to write instead of a function of SciPy."""
    if name in _WRITTEN:
        return _WRITTEN[name]
    module = next((m for m, names in TRACED.items() if m.startswith("scipy") and name in names), None)
    if module is not None:
        return f"call it as an attribute of its module: import {module}, and {module}.{name}(...)"
    owners = sorted(
        owner
        for module, methods in TRACED_METHODS.items()
        if module in sys.modules and module.startswith("scipy")
        for owner, names in methods().items()
        if name in names
    )
    if owners:
        return f"write it with NumPy's functions; of traced arrays {name} is known of {', '.join(owners)}"
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
            found = _name_of(frame)
        elif found is not None:
            return found if found.isidentifier() else None
        elif is_user_file(file):
            is_within = True
        elif is_within and file.startswith(_OWN):
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


@dataclass(frozen=True)
class _Replaced:
    """A name of a module or a class, and what stood for it there, if it had an entry of its own."""

    owner: Any
    name: str
    own: Any
    had_own: bool

    def restore(self) -> None:
        """Let the name stand for what it stood for."""
        if self.had_own:
            setattr(self.owner, self.name, self.own)
        else:
            delattr(self.owner, self.name)


class _Names:
    """The functions whose names stand for others, and how many traces are under way."""

    def __init__(self) -> None:
        self.lock = CompileLock()
        self.traces = 0
        self.replaced: list[_Replaced] = []

    def replace(self, owner: Any, name: str, other: Callable[[Any], Any]) -> None:
        """Let a name stand for what `other` makes of what it stands for; nothing if it does not exist."""
        if hasattr(owner, name):
            own = getattr(owner, name)
            self.replaced.append(_Replaced(owner, name, own, name in vars(owner)))
            setattr(owner, name, other(own))


_names: Final = _Names()


@contextmanager
def library_names() -> Generator[None]:
    """Let names of modules that are imported stand for functions that take traced values too."""
    with _names.lock:
        if not _names.traces:
            _replace_all()
        _names.traces += 1
    try:
        yield
    finally:
        with _names.lock:
            _names.traces -= 1
            if not _names.traces:
                for replaced in _names.replaced:
                    replaced.restore()
                _names.replaced.clear()


def _replace_all() -> None:
    for module, names in TRACED.items():
        if module in sys.modules:
            for name in names:
                _names.replace(sys.modules[module], name, partial(_standing, module, name))
    for module, methods in TRACED_METHODS.items():
        for owner, names in methods().items() if module in sys.modules else ():
            if hasattr(sys.modules[module], owner):
                found: Any = getattr(sys.modules[module], owner)
                type_ = cast("type[Any]", found if isinstance(found, type) else type(found))
                for name, handing in names.items():
                    _names.replace(type_, name, partial(_handing_method, type_, handing))


class _Standing:
    """What a name stands for while functions are traced: a function, or what traces it.

    It equals the function that the name stands for otherwise, so tables by functions know either.
    """

    def __init__(self, module: str, name: str, own: Callable[..., Any]):
        functools.update_wrapper(self, own)
        self._own, self._hand = own, TRACED[module][name]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._hand(self._own, args, kwargs)

    def __eq__(self, other: object) -> bool:
        return other is self._own or (isinstance(other, _Standing) and other._own is self._own)

    def __hash__(self) -> int:
        return hash(self._own)

    def __repr__(self) -> str:
        return repr(self._own)


_standing = functools.cache(_Standing)


@functools.cache
def _handing_method(type_: type[Any], handing: MethodHanding, own: Callable[..., Any]) -> Callable[..., Any]:
    """A method of SciPy's, or what traces it where an argument is traced. Subclasses have their own."""

    @functools.wraps(own)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if type(self) is not type_:
            return own(self, *args, **kwargs)
        return handing(self, partial(own, self), args, kwargs)

    return method
