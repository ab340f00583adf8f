"""The dual-arrays transformation: code, loops and branches with the maps of what they compute.

`DualArrays` goes through a block and gives every float value that depends on the inputs a tangent map, the
map from the inputs' tangents to its own. Ops of straight code have a line in the derivative table; the ops
with regions have a construct each: `scan`, `loops` (while) and `branches`; `calls` has those of calls.
`steps` traces a region on its own space of inputs and separates its values from its maps; `residuals` decides
which values the maps keep.

Tangent maps are in [spine form](docs/linear-maps.md). A region is traced on its own space (carries, slices,
captured values that depend on the inputs), emitted once for its values with residuals, and once for its map
inside `linear.scan`, `linear.while`, `linear.if`, `linear.switch` or `linear.checkpoint`. `constructs.py` has
a line in `CONSTRUCTS` for every loop, branch and call.

- `residuals.py` decides what is kept, after `scales.py` has merged chains of scalings to keep only
  their products. `availability.py` says what it costs to read a value of an enclosing block: where that is
  an array that a loop would have to keep, the elements that are read are kept.
- `custom.py`: a rule of `array.custom` that is linear, as `dialects/linear/linearity.py` judges by its ops,
  becomes a map expression; any other is `linear.rule`, code that runs in its own direction
  (`linear_maps/apply/rules.py`).
- `calls.py`: calls of recursive functions, and of those marked by `passes/mark_no_inline.py`, stay.
  Their derivatives, and those of every `while` in a function that is differentiated again, are maps that name
  a function (`dialects/linear/calls.py`), applied as `linear.push` and `linear.pull`, which have derivatives
  themselves (`linear_maps/apply/calls.py`). So a reversed `array.replay` is made last of all, and has no
  derivative.
"""
