"""The structure of linear maps: which entries of their matrices can differ from zero."""

from mlirad.structure.analysis import Structure, structure_of
from mlirad.structure.known import Known

__all__ = ["Known", "Structure", "structure_of"]
