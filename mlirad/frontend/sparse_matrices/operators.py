"""`scipy.sparse.linalg.LinearOperator` in traced functions: operators of traced functions and matrices.

    LinearOperator((n, n), matvec=f) @ x         f may read traced values
    aslinearoperator(a).matvec(x)                a sparse or dense, traced or not

The operators are SciPy's own objects. Values that SciPy converts to arrays on the way stay traced.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import BuiltinFunctionType
from typing import Any

import numpy as np

from mlirad.frontend.sparse_matrices.arithmetic import product
from mlirad.frontend.sparse_matrices.objects import is_dense, is_sparse
from mlirad.frontend.splicing.questions import MISS
from mlirad.frontend.tracing.complex_pairs import real_or_complex
from mlirad.frontend.tracing.control import as_traced
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.raising import shape_error
from mlirad.packages import scipy_module


def _operand(x: Any) -> Any:
    return x if is_sparse(x) else real_or_complex(x)


def _applied(operator: Any, name: str, x: Any, length: int, result: int) -> Any:
    """The results of `_matvec` and its relatives for vectors or columns, in the shape of these."""
    x = _operand(x)
    is_vector = name.endswith("vec")
    fits = x.ndim in (1, 2) if is_vector else x.ndim == 2
    if not fits or x.shape[0] != length or (is_vector and x.ndim == 2 and x.shape[1] != 1):
        raise shape_error(
            f"{name} of an operator of shape {tuple(operator.shape)} and an array of shape {tuple(x.shape)}",
            "matvec takes a vector as long as the operator has columns, matmat columns",
        )
    given: Any = getattr(operator, f"_CustomLinearOperator__{name}_impl", None)
    if type(given) in (BuiltinFunctionType, partial):  # such as `solve` of factors
        y = as_traced(given)(x)
    elif hasattr(operator, "A"):
        y = _held(operator, name, x)
    else:
        y = getattr(operator, f"_{name}")(x)
    return y if is_sparse(y) else real_or_complex(y).reshape((result, *x.shape[1:]))


def _held(operator: Any, name: str, x: Any) -> Any:
    """A product with a matrix, which SciPy's operators of matrices and their adjoints hold as `A`."""
    matrix = operator.A
    if isinstance(matrix, scipy_module("sparse.linalg").LinearOperator):
        return getattr(operator, f"_{name}")(x)
    if name.startswith("r"):
        matrix = matrix.T.conj()
    return product(matrix, x) if is_sparse(matrix) else real_or_complex(matrix) @ x


def _matvec(own: Any, x: Any) -> Any:
    return _applied(own, "matvec", x, own.shape[1], own.shape[0])


def _rmatvec(own: Any, x: Any) -> Any:
    return _applied(own, "rmatvec", x, own.shape[0], own.shape[1])


def _matmat(own: Any, x: Any) -> Any:
    return _applied(own, "matmat", x, own.shape[1], own.shape[0])


def _rmatmat(own: Any, x: Any) -> Any:
    return _applied(own, "rmatmat", x, own.shape[0], own.shape[1])


def _dot(own: Any, x: Any) -> Any:
    if isinstance(x, scipy_module("sparse.linalg").LinearOperator):
        return MISS
    x = _operand(x)
    if x.ndim == 0:
        return scipy_module("sparse.linalg._interface")._ScaledLinearOperator(own, x)
    return _matvec(own, x) if x.ndim == 1 or x.shape[1:] == (1,) else _matmat(own, x)


def _dot_from_right(own: Any, x: Any) -> Any:
    if isinstance(x, scipy_module("sparse.linalg").LinearOperator):
        return MISS
    x = _operand(x)
    if x.ndim == 0:
        return _dot(own, x)
    return own.T.matvec(x) if x.ndim == 1 else xp.transpose(own.T.matmat(xp.transpose(x)))


METHODS: dict[str, Callable[..., Any]] = {
    "matvec": _matvec,
    "rmatvec": _rmatvec,
    "matmat": _matmat,
    "rmatmat": _rmatmat,
    "dot": _dot,
    "__mul__": _dot,
    "__matmul__": _dot,
    "_rdot": _dot_from_right,
    "__rmul__": _dot_from_right,
    "__rmatmul__": _dot_from_right,
}
"""Methods of an operator and an array."""


def init_dtype(own: Any) -> None:
    """The dtype of what an operator gives for floats."""
    if own.dtype is None:
        own.dtype = real_or_complex(own._matvec(np.zeros(own.shape[-1]))).dtype


def aslinearoperator(a: Any) -> Any:
    """A matrix, sparse or dense, as an operator."""
    linalg = scipy_module("sparse.linalg")
    if isinstance(a, linalg.LinearOperator) or not (is_sparse(a) or is_dense(a)):
        return linalg.aslinearoperator(a)
    return scipy_module("sparse.linalg._interface").MatrixLinearOperator(a)
