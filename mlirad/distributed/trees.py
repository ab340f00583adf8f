"""The fixed tree over chunk numbers by which partials are combined, whoever combines them.

Node (height, index) has the partials of at most 8**height chunks, from index * 8**height on. It folds its
children, at most eight nodes of the height below, from left to right. So results have the same bits however
chunks are grouped and wherever they lie: who has some of the chunks passes on the nodes that these give.

    climb({(0, 8): a, ..., (0, 16): i}, 18, combine)         {(1, 1): a to h, (0, 16): i}
    climb({(1, 0): ..., (1, 1): ..., (0, 16): i, (0, 17): j}, 18, combine)       {(2, 0): all}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Final, TypeAlias, TypeVar

import numpy as np

from mlirad.distributed.combinations import Combine, Partials

ARITY: Final = 8
"""Children of a node. Results depend on it in their last bits: it is the same for all machines and sizes."""

T = TypeVar("T")

Node: TypeAlias = tuple[int, int]
"""The height of a node, chunks being 0, and its number among those of its height."""


def folded(tasks: Sequence[T], fold: Callable[[int, int, Sequence[T]], T]) -> tuple[T, int]:
    """The root of the tree over tasks that give the partials of chunks, and the number of nodes above these.

    `fold(height, index, children)` is the task of a node.
    """
    level, height, count = list(tasks), 0, 0
    while len(level) > 1:
        height += 1
        groups = [level[k : k + ARITY] for k in range(0, len(level), ARITY)]
        level = [fold(height, index, group) for index, group in enumerate(groups)]
        count += len(level)
    return level[0], count


def climb(nodes: Mapping[Node, Partials], count: int, combine: Combine) -> dict[Node, Partials]:
    """Fold every node of `count` chunks whose children are there; of all chunks one node is left."""
    found, height, width = dict(nodes), 0, count
    with np.errstate(all="ignore"):  # as compiled programs, which give no warnings
        while width > 1:
            for index in sorted({k // ARITY for h, k in found if h == height}):
                children = [(height, k) for k in range(index * ARITY, min(width, (index + 1) * ARITY))]
                if all(child in found for child in children):
                    found[height + 1, index] = reduce(combine, [found.pop(child) for child in children])
            height, width = height + 1, -(-width // ARITY)
    return found
