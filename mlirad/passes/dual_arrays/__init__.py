"""The dual-arrays transformation: code, loops and branches with the maps of what they compute.

`DualArrays` goes through a block and gives every float value that depends on the inputs a tangent map, the
map from the inputs' tangents to its own. Ops of straight code have a line in the derivative table; the ops
with regions have a construct each: `scan`, `loops` (while) and `branches`; `calls` has those of calls.
`steps` traces a region on its own space of inputs and separates its values from its maps; `residuals` decides
which values the maps keep.
"""
