"""The methods of `Array` and `LinearMap` that need more than the rooms of these classes: bound here."""

from mlirad.frontend.numpy_functions import array_methods
from mlirad.frontend.tracing.array import Array


def bind_methods() -> None:
    """Complete the classes; called once, when the package is imported."""
    array_methods.bind(Array)
