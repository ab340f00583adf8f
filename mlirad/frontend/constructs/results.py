"""The results of several branches, which must agree: arrays, functions and sums in one structure.

    ad.cond(p, lambda: (x, 1), lambda: (y, 2.5))        a pair of an array and a float

A Python scalar takes the dtype of the other branches, for which they are retraced. A function whose arguments
are unknown takes those of a function of another branch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlirad.dialects.shapes import Value
from mlirad.errors import DtypeError, ShapeError, TracingError
from mlirad.frontend.constructs.carries import Retrace, leaf_value, paths_of
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.dtypes import Dtype, result_type
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.operations import value_of
from mlirad.frontend.tracing.pytree import Tree, flatten
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.statics import is_function
from mlirad.frontend.tracing.tokens import with_last_token
from mlirad.frontend.tracing.values import Higher, HigherType, ValueType, type_of


class Results:
    """The results of several branches: of one structure, or dictionaries of variables."""

    def __init__(self, what: str, *, of_variables: bool = False):
        self.what = what
        self._of_variables = of_variables
        self.tree: Tree | None = None
        self.wanted: list[ValueType] = []
        self._count = 0

    def begin(self) -> None:
        """Start an attempt to trace the branches."""
        self._count = 0

    def returned(self, result: Any, branch: str) -> list[Value]:
        """Return what a branch returned, of the types that the branches agree on."""
        leaves, tree = flatten(result)
        if self.tree is None:
            self.tree = tree
        elif tree != self.tree:
            for value in filter(is_function, tree.statics()):
                leaf_value(value, "result", self.what)
            raise TracingError(
                f"{self.what}: {branch} returns a value structured like {tree}, another one like {self.tree}",
                location=user_line(),
                hint="all branches must return the same tuples, keys and fields",
            )
        paths = paths_of(tree, "result", of_variables=self._of_variables)
        given = [leaf_value(leaf, path, self.what) for leaf, path in zip(leaves, paths, strict=True)]
        found = [type_of(value) for value in given]
        if not self.wanted:
            self.wanted = list(found)
        is_late = False
        for k, (type_, path) in enumerate(zip(found, paths, strict=True)):
            common = self._common(self.wanted[k], type_, path, branch)
            if common.type != self.wanted[k].type:
                is_late = is_late or self._count > 0
            self.wanted[k] = common
        self._count += 1
        if is_late:
            raise Retrace
        return with_last_token(
            [
                self._fitted(value, wanted, path, branch)
                for value, wanted, path in zip(given, self.wanted, paths, strict=True)
            ]
        )

    def structure(self, values: Sequence[Value]) -> Any:
        """The chosen values in the structure that the branches return."""
        assert self.tree is not None
        return self.tree.unflatten([w.made(v) for v, w in zip(values, self.wanted, strict=True)])

    def _common(self, one: ValueType, other: ValueType, path: str, branch: str) -> ValueType:
        if isinstance(one, HigherType) or isinstance(other, HigherType):
            joined = None
            if isinstance(one, HigherType) and isinstance(other, HigherType):
                joined = one.joined(other)
            if joined is None:
                raise self._mismatch(one, other, path, branch)
            return joined
        if one.shape != other.shape:
            raise ShapeError(
                f"{self.what}: {path} of {branch} is {other}, that of another branch {one}",
                location=user_line(),
                hint="all branches must return arrays of the same shapes",
            )
        dtype = result_type([one.kind, other.kind])
        for leaf in (one, other):
            if (
                not leaf.weak
                and leaf.dtype != dtype
                and not (self._of_variables and _is_wider(dtype, leaf.dtype))
            ):
                raise DtypeError(
                    f"{self.what}: {path} of {branch} is {other}, that of another branch {one}",
                    location=user_line(),
                    hint=f"convert one of them with .astype(np.{dtype})",
                )
        return LeafType(one.shape, dtype, one.weak and other.weak)

    def _fitted(self, value: Array | Higher, wanted: ValueType, path: str, branch: str) -> Value:
        if isinstance(wanted, LeafType) and isinstance(value, Array):
            return value_of(value, wanted.dtype)
        fitted = wanted.fitted(value) if isinstance(wanted, HigherType) else None
        if fitted is None:
            raise self._mismatch(wanted, type_of(value), path, branch)
        return fitted.value

    def _mismatch(self, one: ValueType, other: ValueType, path: str, branch: str) -> TracingError:
        return TracingError(
            f"{self.what}: {path} of {branch} is {other}, that of another branch {one}",
            location=user_line(),
            hint="functions to choose from take and return the same structures, shapes and dtypes; sums have "
            "the same alternatives",
        )


def _is_wider(dtype: Dtype, other: Dtype) -> bool:
    """Tell whether a dtype holds all integers of another one, so that a variable may have it on all paths."""
    return other.kind == "i" and np.can_cast(other, dtype, "safe")
