"""Tangents taken along with values: from a function to that of values and tangents, as first order code.

`taking.py` goes through a block; `control.py` takes tangents along in loops and branches.
"""

from mlirad.passes.tangents.taking import interleaved, with_tangents

__all__ = ["interleaved", "with_tangents"]
