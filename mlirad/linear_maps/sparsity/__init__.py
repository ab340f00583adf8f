"""The sparsity of linear maps: which entries of their matrices can differ from zero."""

from mlirad.linear_maps.sparsity.analysis import SparsityPattern, from_block_rows, from_positions, sparsity_of
from mlirad.linear_maps.sparsity.block_rows import BlockRows, find_block_rows
from mlirad.linear_maps.sparsity.known import Known

__all__ = [
    "BlockRows",
    "Known",
    "SparsityPattern",
    "find_block_rows",
    "from_block_rows",
    "from_positions",
    "sparsity_of",
]
