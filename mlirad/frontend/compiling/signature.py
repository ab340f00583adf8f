"""The signature that a program is compiled for, and the error for arguments that do not match it.

signature.require(other, "loss")      loss is compiled for x: float64[3], and is given float64[4]
"""

from __future__ import annotations

from mlirad.errors import ArgumentError
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.pytree import Tree
from mlirad.frontend.tracing.source import user_line
from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True)
class Signature:
    """The signature that a program is compiled for: the structure of the arguments, the type and the path of
    each leaf, and the values of static arguments.
    """

    tree: Tree
    types: tuple[LeafType, ...]
    paths: tuple[str, ...]
    static: tuple[object, ...] = ()

    def require(self, other: Signature, name: str) -> None:
        """Raise unless arguments of the other signature fit a program for this one."""
        hint = "call the function that was lowered: it compiles for each signature"
        if self.tree != other.tree:
            raise ArgumentError(
                f"{name} is compiled for arguments structured {self.tree}, and is given {other.tree}",
                location=user_line(),
                hint=hint,
            )
        if self.static != other.static:
            raise ArgumentError(
                f"{name} is compiled for other values of static arguments", location=user_line(), hint=hint
            )
        for wanted, given, path in zip(self.types, other.types, self.paths, strict=True):
            if (wanted.shape, wanted.dtype) != (given.shape, given.dtype):
                raise ArgumentError(
                    f"{name} is compiled for {path}: {wanted.dtype}{list(wanted.shape)}, and is given "
                    f"{given.dtype}{list(given.shape)}",
                    location=user_line(),
                    hint=hint,
                )
