"""The pass `outline-derivatives`: calls of derived functions, and the functions that they call.

Pushes and pulls name functions made here: by forward mode (`passes/tangents/`), or as functions that record
and reverse. `array.save` and `array.restore` exist from here on. `passed_arrays.py` says which arrays are
passed to a reverse sweep and have their cotangents returned; all others come and go as accumulators.

A reverse sweep is never differentiated. A pull through a function that records (a recursive one, or a
data-dependent loop) stays an op until the end. Its derivative follows from the symmetry of second
derivatives: forward mode over the function with its tangents. So recording needs no derivative, and higher
orders add tangents, not records of records.
"""

from mlirad.passes.outline_derivatives.outline_derivatives import OutlineDerivativesPass

__all__ = ["OutlineDerivativesPass"]
