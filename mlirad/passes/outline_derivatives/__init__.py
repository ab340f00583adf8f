"""The pass `outline-derivatives`: calls of derived functions, and the functions that they call."""

from mlirad.passes.outline_derivatives.outline_derivatives import OutlineDerivativesPass

__all__ = ["OutlineDerivativesPass"]
