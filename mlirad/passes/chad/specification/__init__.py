"""The specification of CHAD, with elements of powers and copowers: the pass `chad`.

CHAD is a specification. A collection of calls is a list of dynamic length whose entries hold functions, and a
pullback captures the pullbacks of its callees. Compiled, these are records in memory, and functions run again
for every collection. Eliminating closures first costs what reverse sweeps are known to cost; the copower form
says what these have to compute.

- A sweep is code, not a map expression. With maps of maps, the record over a context would be a tuple for
  every let, and the interpreter would apply shared maps once per path. As code in one `linear.lambda` per
  block, the record is a table of the compiler, sharing is sharing of values, and anything absent from the
  table is 0.
- Loops carry the map of their iterations: the map before an iteration is a value that the map after it
  captures. So loops stay loops; a stack of maps would be an array of maps, for which there is no type. No
  loop carries and no branch yields elements of spaces of functions, since maps are passed in their place.
"""

from mlirad.passes.chad.specification.specification import ChadPass

__all__ = ["ChadPass"]
