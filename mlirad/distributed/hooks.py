"""What the frontend calls where arguments lie in chunks: the only names of this package that it knows.

`called` runs a call of a transformed function, `linearized` is `ad.linearize`.
"""

from mlirad.distributed.calls import called
from mlirad.distributed.linear_maps import linearized

__all__ = ["called", "linearized"]
