"""Forward mode: from a function to the function of its values and tangents, as first-order code.

`forward_mode.py` goes through a block; `control.py` has the rules of loops and branches.
"""

from mlirad.passes.tangents.forward_mode import forward_derivative, interleaved

__all__ = ["forward_derivative", "interleaved"]
