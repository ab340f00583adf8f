"""Scatters that can be inverted: each of their positions is that of one element, or follows from others.

scatter x at (i + 1, 9 - j)        element (p, q) is x[p - 1, 9 - q], where there is such an element
"""

from __future__ import annotations

from collections.abc import Sequence

from mlirad.dialects.array import indexing
from mlirad.dialects.shapes import Shape, Value, shape_of
from mlirad.ir.affine import Affine, AffineForms
from mlirad.ir.arrays import extents_of
from mlirad.ir.builder import yields
from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True)
class Inverse:
    """Positions of a scatter that determine the element they come from.

    `targets[k]` is (argument, sign, offset) when position k is `sign * argument + offset`, or (None, 0, 0)
    when it follows from the others: what is read there has been written only if the two are equal.
    """

    targets: tuple[tuple[int | None, int, int], ...]


def inverted_positions(op: indexing.ScatterOp) -> Inverse | None:
    """Return how to invert the positions of a scatter, or `None` when they may collide or be clamped.

    Every region argument must alone determine one position, `±argument + constant`, inside its dimension. The
    other positions are computed from the arguments that these give.
    """
    arguments: list[Value] = list(op.body.block.args)
    space = extents_of(op)
    forms = AffineForms()
    targets: list[tuple[int | None, int, int]] = []
    sources: set[int] = set()
    for target, extent in zip(yields(op.body), shape_of(op.result), strict=False):
        found = _inverse_of_one(forms.of(target), arguments, space, extent)
        if found is not None and found[0] not in sources:
            sources.add(found[0])
            targets.append(found)
        else:
            targets.append((None, 0, 0))
    if len(sources) != len(arguments):
        return None
    return Inverse(tuple(targets))


def _inverse_of_one(
    form: Affine, arguments: Sequence[Value], space: Shape, extent: int
) -> tuple[int, int, int] | None:
    """The argument that determines a position, the sign and offset of the two, if there is one."""
    if len(form.terms) != 1:
        return None
    ((variable, sign),) = form.terms
    if variable not in arguments or abs(sign) != 1:
        return None
    argument = arguments.index(variable)
    reach = sign * max(space[argument] - 1, 0)
    low, high = form.constant + min(reach, 0), form.constant + max(reach, 0)
    return (argument, sign, form.constant) if low >= 0 and high < extent else None
