"""From the upstream dialects to the array dialect: `convert-to-array`.

`convert_to_array.py` has handlers by the names of ops, in the table of the file for their dialect;
`structured.py` is for `linalg`, with the maps of named ops in `named_ops.py`. To add an op of an upstream
dialect, write its handler, a class in `dialects/upstream/` if MLIR prints it in a form that xDSL does not
read, and a program in `tests/upstream/programs.mlir`, which MLIR's own tools run too.
"""

from mlirad.passes.convert_to_array.convert_to_array import ConvertToArrayPass

__all__ = ["ConvertToArrayPass"]
