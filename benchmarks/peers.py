"""The packages that mlirad is timed beside: which are installed, and JAX as every comparison takes it.

if is_installed("jax"):
    jax = jax_in_double()
    require_agreement("softmax", by_mlirad(x), by_jax(x), 1e-8)
"""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np


def is_installed(package: str) -> bool:
    """Tell if a package can be imported, without an import of it."""
    return importlib.util.find_spec(package) is not None


def jax_in_double() -> Any:
    """JAX, with floats of 64 bits."""
    import jax

    jax.config.update("jax_enable_x64", True)
    return jax


def require_agreement(name: str, by_mlirad: Any, by_jax: Any, tolerance: float) -> None:
    """Raise `AssertionError` where an array of mlirad's is farther from JAX's than the tolerance.

    Distances are relative to the largest element.
    """
    import jax

    for own, other in zip(jax.tree.leaves(by_mlirad), jax.tree.leaves(by_jax), strict=True):
        error = np.max(np.abs(np.asarray(own) - np.asarray(other))) / np.max(np.abs(np.asarray(other)))
        if not error <= tolerance:
            raise AssertionError(f"{name}: mlirad and JAX differ by {error:.1e}")
