"""The packages that mlirad uses: where they are, and modules that are imported when they are needed.

    scipy_module("special").erf
    load("mlirad.frontend.tracing.functions")
    folder_of("scipy")               "/usr/lib/python3/dist-packages/scipy"

Importing SciPy takes longer than what most programs do with it. So no file imports it at its top, nor asks
for a module of it there.

While one thread imports a package, Python lets another one import a module of it. Where each then waits for
what the other one imports, one of them goes on with modules that are half made, and names are missing. So
what calls import, and what brings many modules along, is imported by one thread at a time, by `load`.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from threading import RLock
from types import ModuleType
from typing import Any, Final

IMPORTED: Final = time.time()
"""When mlirad was imported, in seconds since the epoch, as files have the time of their last change."""


class _Loading:
    """Held by the thread that imports."""

    lock: Any = RLock()


def load(name: str) -> ModuleType:
    """The module of a name, once no other thread is importing by this function.

    Of what imports make nothing is garbage, so none is looked for meanwhile, nor soon after.
    """
    with _Loading.lock:
        if name in sys.modules:
            return import_module(name)
        collects = gc.isenabled()
        gc.disable()
        try:
            return import_module(name)
        finally:
            _take_for_old()
            if collects:
                gc.enable()


KEPT_BY_PYTHON: Final = 1_000
"""Objects that Python 3.12 keeps apart by itself are fewer (375, immortal ones); other versions keep none.

A program that calls `gc.freeze` keeps apart at least the 4 000 that Python starts with.
"""


def _take_for_old() -> None:
    """Have the next collections pass by all objects that there are, as those of imports stay."""
    if gc.get_freeze_count() < KEPT_BY_PYTHON:  # else the program keeps some apart, which would come back
        gc.freeze()
        gc.unfreeze()


def _forget_others() -> None:
    """A child process has the thread that forked, and no other."""
    _Loading.lock = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_others)


def scipy_module(name: str) -> Any:
    """The module `scipy.<name>`. Raises `ImportError` where SciPy does not have it."""
    return load(f"scipy.{name}")


def special_ufunc(name: str) -> Any:
    """A ufunc of `scipy.special`, those that are not public among them.

    Raises `ImportError` where this version of SciPy does not have it.
    """
    found = getattr(scipy_module("special"), name, None) or getattr(
        scipy_module("special._ufuncs"), name, None
    )
    if found is None:
        raise ImportError(f"scipy.special has no ufunc {name!r}; install a newer SciPy")
    return found


def transform_ufunc(name: str) -> Any:
    """A ufunc that `numpy.fft` calls, of rows and a factor. Raises `ImportError` if it is missing."""
    found = getattr(import_module("numpy.fft._pocketfft_umath"), name, None)
    if found is None:
        raise ImportError(f"numpy.fft has no ufunc {name!r}")
    return found


@cache
def folder_of(package: str) -> str:
    """The folder of an installed package, without importing it. Raises `ImportError` if there is no such
    package.
    """
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ImportError(f"no package {package!r} is installed")
    return spec.submodule_search_locations[0]
