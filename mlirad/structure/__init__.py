"""The structure of linear maps: which entries of their matrices can differ from zero."""

from mlirad.structure.analysis import Structure, from_lanes, from_positions, structure_of
from mlirad.structure.known import Known
from mlirad.structure.lanes import Lanes, find_lanes

__all__ = ["Known", "Lanes", "Structure", "find_lanes", "from_lanes", "from_positions", "structure_of"]
