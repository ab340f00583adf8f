"""The specification of CHAD, with elements of powers and copowers: the pass `chad`."""

from mlirad.passes.chad.specification.specification import ChadPass

__all__ = ["ChadPass"]
