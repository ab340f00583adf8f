"""From the upstream dialects to the array dialect: `convert-to-array`."""

from mlirad.passes.convert_to_array.convert_to_array import ConvertToArrayPass

__all__ = ["ConvertToArrayPass"]
