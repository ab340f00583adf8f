"""The statement of a reference case, and the comparison of a figure with it.

A case is a function f, a point, and one of two statements about f's derivative J there:

    gradient     J^T cotangent,  one entry per argument   (cotangent: ones unless given)
    derivative   J tangents,     of the shape of f's result (tangents: ones unless given)

Either can be checked with both modes: the one it is stated in directly, the other by
<J dx, ct> = <dx, J^T ct> against the stated figure.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FIGURES: dict[str, Any] = json.loads(Path(__file__).with_name("figures.json").read_text())
"""Figures too long to stand beside their program, by case identifier."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One row of the table; `arguments` are all differentiated."""

    id: str
    source: str  # the repository the program and its figures come from
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    value: Any = None
    cotangent: Any = None
    gradient: tuple[Any, ...] | None = None
    tangents: tuple[Any, ...] | None = None
    derivative: Any = None
    tolerance: float = 1e-9


def leaves(tree: Any) -> Iterator[np.ndarray]:
    """The arrays of a nest of tuples, from left to right."""
    if isinstance(tree, tuple):
        for branch in tree:
            yield from leaves(branch)
    else:
        yield np.asarray(tree)


def ones_like(tree: Any) -> Any:
    """The nest of tuples with every leaf replaced by ones of its shape and dtype."""
    if isinstance(tree, tuple):
        return tuple(ones_like(branch) for branch in tree)
    return np.ones_like(tree)


def drawn_like(tree: Any, rng: np.random.Generator) -> Any:
    """The nest of tuples with every leaf replaced by normal numbers of its shape and dtype."""
    if isinstance(tree, tuple):
        return tuple(drawn_like(branch, rng) for branch in tree)
    leaf = np.asarray(tree)
    return rng.normal(size=leaf.shape).astype(leaf.dtype)


def inner(a: Any, b: Any) -> float:
    """The inner product of two nests of tuples of equal shapes."""
    pairs = zip(leaves(a), leaves(b), strict=True)
    return float(sum(np.sum(x * np.asarray(y).reshape(x.shape)) for x, y in pairs))


def magnitude(a: Any, b: Any) -> float:
    """The sum of the magnitudes of the products in `inner`: the scale of its rounding error."""
    pairs = zip(leaves(a), leaves(b), strict=True)
    return float(sum(np.sum(np.abs(x * np.asarray(y).reshape(x.shape))) for x, y in pairs))


def assert_agree(actual: Any, stated: Any, tolerance: float) -> None:
    """Leaf by leaf, agreement relative to the largest element.

    A stated list may be flat where the result has a shape; the elements are in row-major order.
    """
    for got, want in zip(leaves(actual), leaves(stated), strict=True):
        assert got.size == want.size
        largest = np.max(np.abs(want), initial=0.0)
        np.testing.assert_allclose(got.ravel(), want.ravel(), rtol=tolerance, atol=tolerance * largest)
