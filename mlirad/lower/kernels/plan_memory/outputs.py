"""Intermediate results that lie where a function writes its results, before these are made.

    %a = dot %x, %y          tensor<512x512xf64>, read by %b last
    %b = dot %a, %y
    %c = dot %b, %x          the result: its memory is free until now, so %a lies there

Results are memory that a call needs in any case, so what fits there makes the arena smaller. The largest
intermediate results are placed first.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable

from mlirad.dialects.extents import at_most, nominal
from mlirad.lower.kernels.plan_memory.storage import Storage


def use_outputs(pieces: Iterable[Storage], values: Collection[Storage], taken: Container[int]) -> None:
    """Move those of the pieces of a function's memory that are `values` from the arena to outputs, where
    nothing else needs these at that time.

    Outputs `taken` hold arguments from the beginning.
    """
    owners = [s for s in pieces if s.output is not None and s.output not in taken]
    tenants = {owner.output: [owner] for owner in owners}
    for storage in sorted(values, key=lambda s: -nominal(s.size)):
        for owner in owners:
            others = tenants[owner.output]
            if at_most(storage.size, owner.size) and not any(_meet(storage, s) for s in others):
                storage.output = owner.output
                others.append(storage)
                break


def _meet(a: Storage, b: Storage) -> bool:
    """Return whether both are live at some time."""
    return a.start <= b.end and b.start <= a.end
