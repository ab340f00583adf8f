"""The types of arguments that may be functions and sums of the program.

structure_type([closure], tree, ["f"])      its signature, in the structure of the arguments
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlirad.frontend.tracing.argument_types import leaf_type
from mlirad.frontend.tracing.pytree import Tree
from mlirad.frontend.tracing.values import Higher, StructureType


def structure_type(leaves: Sequence[Any], tree: Tree, paths: Sequence[str]) -> StructureType:
    """The types of leaves that may be functions and sums, in their structure; raises for other leaves."""
    types = (
        leaf.kind if isinstance(leaf, Higher) else leaf_type(leaf, path)
        for leaf, path in zip(leaves, paths, strict=True)
    )
    return StructureType(tree, tuple(types))
