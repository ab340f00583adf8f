"""The structure of linear maps: which entries of their matrices can differ from zero."""

from mlirad.linear_maps.sparsity.analysis import Structure, from_lanes, from_positions, structure_of
from mlirad.linear_maps.sparsity.block_rows import Lanes, find_lanes
from mlirad.linear_maps.sparsity.known import Known

__all__ = ["Known", "Lanes", "Structure", "find_lanes", "from_lanes", "from_positions", "structure_of"]
