"""From the upstream dialects to the array dialect: `convert-to-array`.

`convert_to_array.py` has handlers by the names of ops, in the table of the file for their dialect;
`structured.py` is for `linalg`, with the maps of named ops in `named_ops.py`. To add an op of an upstream
dialect, write its handler, a class in `dialects/upstream/` if MLIR prints it in a form that xDSL does not
read, and a program in `tests/upstream/programs.mlir`, which MLIR's own tools run too.

Foreign ops are read by name. xDSL's declarations of upstream dialects differ from version to version, and
lack some ops. So operands, attributes and regions are taken as generic syntax writes them, from classes of
xDSL and from unregistered ops alike. `linalg.generic` is array code or a build: an elementwise body is
emitted on whole arrays, any other one at an index of a build, which is then made fast and differentiated like
any build. Named ops are the same op with other maps; their bodies come with them, so only their maps are a
table.
"""

from mlirad.passes.convert_to_array.convert_to_array import ConvertToArrayPass

__all__ = ["ConvertToArrayPass"]
