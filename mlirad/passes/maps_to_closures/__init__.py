"""Linear maps as values become closures, elements of powers and copowers too."""

from mlirad.passes.maps_to_closures.maps_to_closures import maps_to_closures

__all__ = ["maps_to_closures"]
