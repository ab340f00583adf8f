"""From the array dialect to the upstream dialects: `convert-from-array`."""

from mlirad.passes.convert_from_array.convert_from_array import ConvertFromArrayPass

__all__ = ["ConvertFromArrayPass"]
