"""The sparsity of linear maps: which entries of their matrices can differ from zero.

The pattern comes from the map, not from probes. Probing with vectors of NaN or with dense columns costs as
much as the matrix, and sees one point. The map expression is at hand, linear in the size of the program, and
has few kinds of ops; a rule for each gives the pattern for all points. Sets are products over axes: a list of
columns per element would cost as much as the entries at every op; in a union of products, independent batch
axes cost nothing, and only the result is listed. Patterns are structural, so an entry may happen to be zero:
solvers factorise symbolically once, and an entry that came and went with the data would break that; a row
padded to the largest block would cost time in every solve.
"""

from mlirad.linear_maps.sparsity.analysis import SparsityPattern, from_block_rows, from_positions, sparsity_of
from mlirad.linear_maps.sparsity.block_rows import BlockRows, find_block_rows
from mlirad.linear_maps.sparsity.known_values import Known

__all__ = [
    "BlockRows",
    "Known",
    "SparsityPattern",
    "find_block_rows",
    "from_block_rows",
    "from_positions",
    "sparsity_of",
]
