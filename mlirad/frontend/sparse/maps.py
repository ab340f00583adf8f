"""`LinearMap.to_sparse`: the matrix of a map, by the same patterns and products as sparse derivatives.

The map is a program of its residuals; the integers among these determine the pattern. The pattern and the
program of a map expression are kept with it, and serve all points.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from mlirad.errors import UnsupportedError
from mlirad.frontend.compiling.compilation import compiling
from mlirad.frontend.compiling.stats import Stats
from mlirad.frontend.linear_map.linear_maps import LinearMap
from mlirad.frontend.linear_map.programs import cache_of, options_of
from mlirad.frontend.sparse.derivatives import Matrices
from mlirad.frontend.sparse.expressions import Expression
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.source import user_line
from mlirad.ir.builder import returned
from mlirad.passes.expand_lambdas import expand_lambdas


def to_sparse(map_: LinearMap) -> Any:
    """Return what `LinearMap.to_sparse` gives."""
    matrices, leaves = _known(map_)
    return matrices.at(leaves)


def structure(map_: LinearMap, *, lower: bool = False) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return what `LinearMap.structure` gives."""
    matrices, leaves = _known(map_)
    return matrices.positions(leaves, lower=lower)


def _known(map_: LinearMap) -> tuple[Matrices, list[Any]]:
    """Return what is known of the matrices of an expression, and the arrays of this map."""
    if is_tracing():
        raise UnsupportedError(
            "sparse matrices are made outside of traced functions only",
            location=user_line(),
            hint="inside, apply the map to vectors",
        )
    options_of(map_.expression).require_expressions()
    found = cache_of(map_.expression).of((map_.expression, "sparse"), lambda: _matrices(map_))
    return found, [np.asarray(a) for a in map_.arrays]


def _matrices(map_: LinearMap) -> Matrices:
    main = compiling(lambda: expand_lambdas(map_.function()))()
    types = [LeafType(np.shape(a), np.asarray(a).dtype) for a in map_.arrays]
    rows = tuple(LeafType(leaf.shape, leaf.dtype) for leaf in map_.codomain.moving)
    columns = tuple(LeafType(leaf.shape, leaf.dtype) for leaf in map_.domain.moving)
    expression = Expression(
        ModuleOp([main]), main, returned(main)[0], len(types), columns, tuple(enumerate(rows)), 0, None
    )
    return Matrices("map", expression, options_of(map_.expression), False, types, Stats())
