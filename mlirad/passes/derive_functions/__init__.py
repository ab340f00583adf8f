"""The pass `derive-functions`: calls of derived functions, and the functions that they call."""

from mlirad.passes.derive_functions.derive_functions import DeriveFunctionsPass

__all__ = ["DeriveFunctionsPass"]
