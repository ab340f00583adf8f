"""The makers of every op class of the array dialect, and the choice among them."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Operation

from mlirad.dialects.shapes import Value
from tests.generators.arrays import INDEXING_MAKERS, REDUCTION_MAKERS, STRUCTURAL_MAKERS
from tests.generators.builder import ProgramBuilder
from tests.generators.control import CONTROL_MAKERS
from tests.generators.custom import CUSTOM_MAKERS
from tests.generators.elementwise import ELEMENTWISE_MAKERS, Maker
from tests.generators.factorisations import FACTORISATION_MAKERS
from tests.generators.ordering import ORDERING_MAKERS
from tests.generators.reporting import REPORTING_MAKERS
from tests.generators.transforms import TRANSFORM_MAKERS

GROUPS: tuple[tuple[Mapping[type[Operation], Maker], int], ...] = (
    (ELEMENTWISE_MAKERS, 40),
    (STRUCTURAL_MAKERS, 25),
    (INDEXING_MAKERS, 20),
    (REDUCTION_MAKERS, 15),
    (ORDERING_MAKERS, 6),
    (CONTROL_MAKERS, 12),
    (CUSTOM_MAKERS, 2),
    (REPORTING_MAKERS, 1),
    (FACTORISATION_MAKERS, 2),
    (TRANSFORM_MAKERS, 1),
)
"""Groups of makers with their weights."""

STRAIGHT_GROUPS = 4
"""The first groups of these, which programs without loops, branches and orderings are made of."""

MAKERS: dict[type[Operation], Maker] = {op: make for group, _ in GROUPS for op, make in group.items()}
"""From every op class of the array dialect but the terminator to its maker."""


def add_random_op(g: ProgramBuilder) -> Value:
    """Append one random op; tries op classes until one can be made."""
    groups, weights = zip(*(GROUPS[:STRAIGHT_GROUPS] if g.straight else GROUPS), strict=True)
    while True:
        group = g.rng.choices(groups, weights)[0]
        op_class = g.rng.choice(list(group))
        if g.allows(op_class):
            made = MAKERS[op_class](g)
            if made is not None:
                return made
