"""Forward mode: from a function to the function of its values and tangents, as first-order code.

`forward_mode.py` goes through a block; `control.py` has the rules of loops and branches.

Tangents of called functions are computed op by op, beside the values. Elsewhere forward mode applies a map
after the values are computed. In a recursive function that would mean one call for the values and another for
the tangents, at every level: the cost would be quadratic in the depth.
"""

from mlirad.passes.tangents.forward_mode import forward_derivative, interleaved

__all__ = ["forward_derivative", "interleaved"]
