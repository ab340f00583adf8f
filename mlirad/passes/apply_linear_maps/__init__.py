"""The pass `apply-linear-maps`, and what it does for a function and for a call of a map."""

from mlirad.passes.apply_linear_maps.application import apply_maps
from mlirad.passes.apply_linear_maps.application_functions import (
    PRIVATE,
    add_applications,
    application,
    called,
    made_map,
)
from mlirad.passes.apply_linear_maps.apply_linear_maps import ApplyLinearMapsPass

__all__ = [
    "PRIVATE",
    "ApplyLinearMapsPass",
    "add_applications",
    "application",
    "apply_maps",
    "called",
    "made_map",
]
