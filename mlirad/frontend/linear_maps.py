"""`LinearMap`: a derivative at a point, used like a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects.func import FuncOp

from mlirad.frontend.frames import is_tracing
from mlirad.frontend.map_expressions import Node, Structure, Transpose
from mlirad.frontend.map_programs import apply_traced, map_function, run
from mlirad.frontend.spaces import Space


@dataclass(frozen=True, eq=False, repr=False)
class LinearMap:
    """A derivative at a point: a linear map from the tangents of the arguments to those of the results.

    `J(dx)` for one argument, `J(dx1, dx2)` for several; `J.T` is the transposed map, so `J.T(ct)` gives the
    cotangent of the argument, or a tuple of them. `None` stands for a zero vector, and for the vector of a
    leaf that has no derivative.

    `structure` is the expression, and `arrays` are what it is made of: the residuals of a derivative.
    """

    structure: Structure = field(metadata={"static": True})
    arrays: tuple[Any, ...]

    @property
    def domain(self) -> Space:
        """The space of the arguments."""
        return self.structure.domain

    @property
    def codomain(self) -> Space:
        """The space of the results."""
        return self.structure.codomain

    @property
    def shape(self) -> tuple[int, int]:
        """The number of components of the results and of the arguments: the shape of the dense matrix."""
        return self.codomain.size, self.domain.size

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the dense matrix."""
        return np.result_type(self.domain.dtype, self.codomain.dtype)

    @property
    def nbytes(self) -> int:
        """The bytes of the arrays that the map is made of."""
        return sum(int(a.nbytes) for a in self.arrays)

    @property
    def T(self) -> LinearMap:
        """The transposed map."""
        known = self.structure
        last = known.nodes[-1]
        if isinstance(last.kind, Transpose):
            nodes = known.nodes[: last.maps[0] + 1]
        else:
            nodes = (*known.nodes, Node(Transpose(), (len(known.nodes) - 1,)))
        return LinearMap(Structure(known.codomain, known.domain, nodes), self.arrays)

    def __call__(self, *vectors: Any) -> Any:
        given = self.domain.read(vectors, "vectors" if self.domain.arguments else "the vector")
        return self.codomain.write(self.image(given))

    def image(self, leaves: Sequence[Any]) -> Sequence[Any]:
        """The image of a vector given by its leaves, as leaves."""
        if is_tracing():
            return apply_traced(self.structure, self.arrays, leaves)
        return run(self.structure, "apply", apply_traced, self.arrays, leaves)

    def function(self) -> FuncOp:
        """The map as a program: a function of `arrays` that returns it, a value of type `!linear.map`.

        Its parameters are in the order of `arrays`. Spaces are flat: the leaves that have a derivative, in
        order, are the components of a tuple, and a single one is itself. Literals and positions known when
        the function was traced are constants in it. Raises `TracingError` for a map that was made in a trace.
        """
        return map_function(self.structure, self.arrays)

    def to_sparse(self) -> Any:
        """The matrix of the map as a `scipy.sparse.csr_array`, at the cost of its entries.

        It has the entries that can differ from zero, by the program that the map is; see `ad.jacobian` with
        `sparse=True`. Raises UnsupportedError inside a trace.
        """
        from mlirad.frontend.sparse.maps import sparse_matrix

        return sparse_matrix(self)

    def __repr__(self) -> str:
        return f"LinearMap({self.shape[0]} x {self.shape[1]}: {self.structure})"
