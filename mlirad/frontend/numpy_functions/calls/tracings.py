"""The functions here that trace NumPy's, by name.

tracings(roll, sum=sum_, linalg_norm=norm)      {np.roll: roll, np.sum: sum_, np.linalg.norm: norm}
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

Tracings: TypeAlias = dict[Callable[..., Any], Callable[..., Any]]
"""The functions that trace NumPy's functions."""

_MODULES = {"linalg": np.linalg, "fft": np.fft}


def tracings(*functions: Callable[..., Any], **named: Callable[..., Any]) -> Tracings:
    """Return what traces the functions of NumPy's of the same names, and of the names given.

    Those are left out that an older NumPy lacks, or that are ufuncs in a newer one.
    """
    by_name = {function.__name__: function for function in functions} | named
    found = {_numpys(name): function for name, function in by_name.items()}
    return {theirs: own for theirs, own in found.items() if theirs and not isinstance(theirs, np.ufunc)}


def _numpys(name: str) -> Any:
    """A function of NumPy's, or `None` if there is no such function."""
    module, _, rest = name.partition("_")
    if module in _MODULES:
        return getattr(_MODULES[module], rest, None)
    return getattr(np, name, None) or getattr(np.lib.stride_tricks, name, None)
