"""The functions that the frontend calls where arguments lie in chunks: all that it knows of this package.

`called` runs a call of a transformed function, `report` is its `split`, `linearized` is `ad.linearize`,
`row_blocks` a sparse Jacobian, `solved` the solvers `ad.minimize`, `ad.root` and `ad.fixed_point`.
"""

from mlirad.distributed.calls import called, report
from mlirad.distributed.linear_maps import linearized
from mlirad.distributed.row_blocks import row_blocks
from mlirad.distributed.solvers import solved

__all__ = ["called", "linearized", "report", "row_blocks", "solved"]
