"""Linear maps as values become closures, elements of powers and copowers too.

`elements.py` represents elements of powers and copowers, `images.py` applies maps that are known.
"""

from mlirad.passes.maps_to_closures.maps_to_closures import maps_to_closures

__all__ = ["maps_to_closures"]
