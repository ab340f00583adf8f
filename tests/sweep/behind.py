"""Functions of which some points are not yet right: a list that only becomes shorter."""

from __future__ import annotations

BEHIND: frozenset[str] = frozenset((
    "special.agm", "special.airy", "special.ellipj", "special.expn", "special.gammainccinv",
    "special.hyp2f1", "special.k1", "special.k1e", "special.kn", "special.kve",
))  # fmt: skip
