"""The packages that mlirad uses: where they are, and modules of SciPy, imported when they are needed.

    scipy_module("special").erf
    folder_of("scipy")               "/usr/lib/python3/dist-packages/scipy"

Importing SciPy takes longer than what most programs do with it. So no file imports it at its top, nor asks
for a module of it there.
"""

from __future__ import annotations

import time
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

IMPORTED: Final = time.time()
"""When mlirad was imported, in seconds since the epoch, as files have the time of their last change."""


def scipy_module(name: str) -> Any:
    """The module `scipy.<name>`. Raises `ImportError` where SciPy does not have it."""
    return import_module(f"scipy.{name}")


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
    """A ufunc that `numpy.fft` calls, of rows and a factor. Raises `ImportError` where there is none."""
    found = getattr(import_module("numpy.fft._pocketfft_umath"), name, None)
    if found is None:
        raise ImportError(f"numpy.fft has no ufunc {name!r}")
    return found


@cache
def folder_of(package: str) -> str:
    """The folder of an installed package, without importing it. Raises `ImportError` where there is none."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ImportError(f"no package {package!r} is installed")
    return spec.submodule_search_locations[0]
