"""The page of NumPy's and SciPy's functions that can be traced, by module, and of what to write for others.

| `fft`  | `fft2` | `fftn` | `fftshift` |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from docs.markdown import cell, code
from mlirad.frontend.interface import Array  # with all methods, and with all tables complete
from mlirad.frontend.numpy_functions.calls.alternatives import ALTERNATIVES
from mlirad.frontend.numpy_functions.calls.binding import qualified_name
from mlirad.frontend.numpy_functions.meanings.ufuncs import all_meanings
from mlirad.frontend.numpy_functions.protocols.functions import FUNCTIONS, SCIPY_MODULES, scipy_functions
from mlirad.frontend.numpy_functions.protocols.ufuncs import SPECIAL
from mlirad.frontend.numpy_functions.scipy_functions.distributions import DISTRIBUTIONS
from mlirad.frontend.numpy_functions.scipy_functions.distributions.methods import names_of
from mlirad.frontend.numpy_functions.scipy_functions.distributions.refused import REASONS
from mlirad.frontend.numpy_functions.scipy_functions.interpolation.objects import METHODS as INTERPOLANTS
from mlirad.frontend.numpy_functions.scipy_functions.stats import METHODS
from mlirad.frontend.numpy_functions.scipy_functions.ufunc_calls import BY_CALLS

COLUMNS = 4
"""The number of names in a row of a table."""

HEAD = """\
# NumPy and SciPy in traced functions

The functions of each module that take traced values, however they are imported. Functions of SciPy that are
written in Python with these can be traced as well, and so can code of other packages. NumPy's own signatures
read the arguments: its errors are errors here, and an option that is missing is refused by its name. Options
are static (`static_argnames`) unless they take arrays. [The last table](#not-supported) says what to write
instead of functions that cannot be traced."""

METHODS_OF_UFUNCS = """\
Ufuncs of two operands also have `.reduce`, `.accumulate`, `.reduceat`, and `.outer`, with
`dtype=`, `axis=`, `keepdims=`, `initial=` and, in `.reduce`, `where=`. Sums, products, extrema, tests and
`np.logaddexp.reduce` are operations of the language; others are loops over the elements."""

SERIES = """\
`Polynomial`, `Chebyshev`, `Legendre`, `Hermite`, `HermiteE` and `Laguerre` of traced coefficients or at
traced arguments, and the functions of their modules: NumPy's own code is recorded. Coefficients at the end
that may be 0 stay, as what is traced has one shape whatever the values are; `trim` is refused."""

ROTATIONS = """\
`Rotation`, `RigidTransform`, `Slerp` and `RotationSpline` of SciPy 1.17 and later, made of traced values or
applied to them: SciPy's own code in Python is recorded, so all of their methods that have such code can be
traced. By the angle 0 it computes by series, and all derivatives are right there; `as_rotvec` and `magnitude`
have one-sided ones at the angle pi, and `magnitude` 0 at the angle 0. `from_matrix` has the derivative of the
nearest rotation."""

_INTERNAL = frozenset({"value", "weak", "item", "tolist", "view", "nonzero"})
"""Attributes that are not part of the interface, or raise."""


def page() -> Iterator[str]:
    """The lines of the page."""
    yield HEAD
    for module, names in sorted(by_module().items()):
        yield from section(module, names)
        if module == "numpy":
            yield from ("", METHODS_OF_UFUNCS)
        if module == "scipy.interpolate":
            yield from ("", "Objects, made of traced values or called at traced points:", "")
            yield from grid(INTERPOLANTS)
    yield from ("", "## `scipy.stats`", "", "Methods of the distributions, of frozen ones too:", "")
    yield from distribution_methods()
    yield from ("", "## `numpy.polynomial`", "", SERIES)
    yield from ("", "## `scipy.spatial.transform`", "", ROTATIONS)
    yield from ("", "## Attributes and methods of traced arrays", "")
    yield from grid(name for name in dir(Array) if not name.startswith("_") and name not in _INTERNAL)
    yield from ("", "## Not supported", "", "| function | instead |", "| --- | --- |")
    for name, hint in sorted(ALTERNATIVES.items()):
        package = "scipy" if name.startswith("special.") else "np"
        yield f"| `{package}.{name}` | {cell(hint)} |"
    for name, (reason, hint) in sorted(REASONS.items()):
        yield f"| `scipy.stats.{name}` | {cell(f'{reason}: {hint}')} |"


def by_module() -> dict[str, list[str]]:
    """The names of the functions of each module."""
    found: dict[str, list[str]] = {}
    names = {_name_of_ufunc(ufunc) for ufunc in (*all_meanings(), *SPECIAL)}
    names |= {_full_name(function) for function in FUNCTIONS}
    names |= {f"scipy.special.{name}" for name in BY_CALLS}
    names |= {f"{module}.{name}" for module in SCIPY_MODULES for name in scipy_functions(module)}
    for full in sorted(names):
        module, _, name = full.rpartition(".")
        found.setdefault(module, []).append(name)
    return found


def section(module: str, names: Iterable[str]) -> Iterator[str]:
    """A heading and the names of a module."""
    yield from ("", f"## `{module}`", "")
    yield from grid(names)


def grid(names: Iterable[str]) -> Iterator[str]:
    """A table of names in alphabetical order, row by row."""
    listed = sorted(set(names), key=lambda name: (name.lower(), name))
    yield "| " + " | ".join([" "] * COLUMNS) + " |"
    yield "| " + " | ".join(["---"] * COLUMNS) + " |"
    for k in range(0, len(listed), COLUMNS):
        row = [*map(code, listed[k : k + COLUMNS])]
        yield "| " + " | ".join(row + [""] * (COLUMNS - len(row))) + " |"


def distribution_methods() -> Iterator[str]:
    """A table of the distributions that have the same methods."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, methods in METHODS.items():
        d = DISTRIBUTIONS.get(name)
        alike.setdefault(tuple(names_of(d) if d else methods), []).append(code(name))
    yield "| distributions | methods |"
    yield "| --- | --- |"
    for methods, names in sorted(alike.items(), key=lambda item: -len(item[1])):
        yield f"| {', '.join(sorted(names))} | {', '.join(map(code, methods))} |"


def _name_of_ufunc(ufunc: np.ufunc) -> str:
    name = ufunc.__name__
    return f"numpy.{name}" if getattr(np, name, None) is ufunc else f"scipy.special.{name}"


def _full_name(function: Callable[..., object]) -> str:
    name = qualified_name(function)
    return name.replace("np.", "numpy.", 1) if name.startswith("np.") else name
