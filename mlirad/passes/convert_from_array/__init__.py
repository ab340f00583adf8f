"""From the array dialect to the upstream dialects: `convert-from-array`.

`convert_from_array.py` has handlers by classes, and why some ops have none (`REFUSED`); `scalars.py` the
formulas of elementwise ops (`FORMULAS`), emitted by `emitter.py`. Tests are in `tests/upstream/`.

Indices of structured ops become `linalg.generic`, not `tensor.generate`: MLIR fuses and vectorises the
former.
"""

from mlirad.passes.convert_from_array.convert_from_array import ConvertFromArrayPass

__all__ = ["ConvertFromArrayPass"]
