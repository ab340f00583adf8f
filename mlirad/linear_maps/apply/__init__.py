"""The images of elements under map expressions, as array code.

`MapEvaluator` (`evaluator.py`) applies a map expression: forward, one image per node; transposed, by the
reverse sweep, one cotangent accumulator per node (`reverse_sweep.py`). A cotangent is pulled back through a
map by applying its transpose (`linear_maps/transposes.py`); `update` and `recurrence` alone have code of
their own (`primitives.py`). A map with regions, or of a call, has one rule for both directions (`CONTROL` in
`control_flow.py`).

- A small image is added to a large sum in place (`in_place.py`), and so are images that pulls of a second
  derivative find (`sums_of_pulls.py`).
- Cotangent accumulators go through loops and branches as values that the body adds to in place; one that is
  structurally zero in every iteration is not carried.
- `contributions.py` orders the sweep: whole arrays first, parts last, so that a loop whose iterations read
  and update single cells of an array costs O(1) per iteration.
"""
