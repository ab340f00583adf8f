"""The pass `apply-linear-maps`, and what it does for a function and for a call of a map.

Images are computed by `linear_maps/apply/`. A map that crosses a call is `linear.call` on residuals
(`passes/defunctionalise_maps.py`); applying it calls `@f_map_apply` or `@f_map_apply_transpose`, which
`application_functions.py` adds. Accumulators that have begun are passed on: `@f_map_apply_transpose_onto_0`.
"""

from mlirad.passes.apply_linear_maps.apply_linear_maps import ApplyLinearMapsPass

__all__ = ["ApplyLinearMapsPass"]
