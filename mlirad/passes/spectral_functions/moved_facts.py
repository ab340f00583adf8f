"""Facts about arrays of vectors, or of values, whose dimensions an op moves or slices.

label_moved(fact, moves)         with its batch and columns where these are now, or None if it is lost
"""

from __future__ import annotations

from dataclasses import replace

from mlirad.passes.spectral_functions.dimension_moves import Moves
from mlirad.passes.spectral_functions.facts import Factor, Mixed, Spectral, Vectors


def label_moved(fact: Vectors | Spectral, moves: Moves) -> Vectors | Spectral | None:
    """Vectors or values whose dimensions have moved; `None` where one that has to stay whole has not."""
    *batch, label = fact.kept
    if any(d not in moves.to or d in moves.picks for d in batch) or label not in moves.to:
        return None
    kept = tuple(moves.to[d] for d in fact.kept)
    pick, new = fact.pick, moves.picks.get(label)
    if new is not None:
        if new.index is not None and pick.index is None and pick.positions is None:
            pick = new
        elif new.index is None and new.positions is not None:
            pick = pick.then(new.positions)
        else:
            return None
    if isinstance(fact, Spectral):
        return replace(fact, kept=kept, pick=pick)
    if fact.factors and new is not None:
        return None
    factors: list[Factor] = []
    for f in fact.factors:
        if any(d not in moves.to or d in moves.picks for d in f.dims):
            return None
        factors.append(replace(f, dims=tuple(moves.to[d] for d in f.dims)))
    return replace(fact, kept=kept, factors=tuple(factors), pick=pick)


def mixed_moved(fact: Mixed, moves: Moves) -> Mixed | None:
    """A sum of vectors whose dimensions have all moved."""
    used = {d for part in fact.parts for d in (*part.dims, *(d for f in part.factors for d in f.dims))}
    if moves.picks or any(d not in moves.to for d in used):
        return None

    def to(dims: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(moves.to[d] for d in dims)

    parts = tuple(
        replace(part, dims=to(part.dims), factors=tuple(replace(f, dims=to(f.dims)) for f in part.factors))
        for part in fact.parts
    )
    return replace(fact, kept=to(fact.kept), parts=parts)
