"""The pass `apply-linear-maps`, and what it does for a function and for a call of a map."""

from mlirad.passes.apply_linear_maps.apply_linear_maps import ApplyLinearMapsPass

__all__ = ["ApplyLinearMapsPass"]
