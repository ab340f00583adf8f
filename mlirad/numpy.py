"""NumPy, with functions that make arrays for traced functions: `import mlirad.numpy as np`.

    def f(x):
        y = np.zeros(3)          a traced array while f is traced, which takes y[0] = x
        y[0] = x
        return np.sum(y * np.array([x, 1.0, 2.0]))

Outside of traced functions all of it is NumPy.
"""

from __future__ import annotations

from typing import Any

from mlirad.frontend.numpy_functions.arrays.array_api import NAMESPACE
from mlirad.frontend.numpy_functions.arrays.creation import CREATING

globals().update(CREATING)


def __getattr__(name: str) -> Any:
    """All other names are NumPy's."""
    return getattr(NAMESPACE, name)


def __dir__() -> list[str]:
    return dir(NAMESPACE)
