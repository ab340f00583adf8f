"""Linear maps as SciPy's linear operators, so that its iterative solvers run on them without a matrix.

dx = scipy.sparse.linalg.lsmr(J.as_linear_operator(), -r)[0]
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse.linalg import LinearOperator

from mlirad.frontend.linear_map.linear_maps import LinearMap

_Base: Any = LinearOperator


class MapOperator(_Base):
    """A map on flat vectors. Products with matrices are batches: one program for all columns."""

    def __init__(self, map_: LinearMap):
        self.map = map_
        _Base.__init__(self, map_.dtype, map_.shape)

    def _matvec(self, x: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return self.map @ np.ravel(x)

    def _rmatvec(self, x: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return self.map.T @ np.ravel(x)

    def _matmat(self, X: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return self.map @ X

    def _rmatmat(self, X: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return self.map.T @ X

    def _transpose(self) -> MapOperator:
        return MapOperator(self.map.T)

    _adjoint = _transpose
