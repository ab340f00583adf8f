"""Rotations and rigid transforms of `scipy.spatial.transform`, by SciPy's own Python code.

    Rotation.from_rotvec(x).apply(v)         recorded as SciPy computes it for arrays of any library
    Rotation.from_matrix(a)                  of the nearest rotation, by the polar factor of a

SciPy has each function twice, in C for NumPy and in Python for other arrays (since 1.17). Of the latter, all
but the reading of matrices is recorded as it stands: with the angle 0 it is a series, so all derivatives are
right there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

from mlirad.frontend.constructs.raising_later import raise_where
from mlirad.frontend.numpy_functions.linear_algebra.completions import unitary_factor
from mlirad.frontend.splicing.questions import MISS, Question, Values
from mlirad.frontend.tracing.library_calls import Answer
from mlirad.frontend.tracing.operations import contains_traced, xp

_PACKAGE = "scipy.spatial.transform"
_CHOOSING = ("_rotation", "_rigid_transform")
"""The modules that choose between C and Python."""


def rotations(module: ModuleType) -> Iterator[tuple[FunctionType, Answer]]:
    """The functions that choose the code in Python, and the one that reads matrices."""
    for name in _CHOOSING:
        inner: Any = sys.modules.get(f"{_PACKAGE}.{name}")
        select = getattr(inner, "select_backend", None)
        if isinstance(select, FunctionType) and hasattr(inner, "xp_backend"):
            yield select, _in_python
    read = getattr(sys.modules.get(f"{_PACKAGE}._rotation_xp"), "from_matrix", None)
    if isinstance(read, FunctionType):
        yield read, _from_matrix


def _in_python(question: Question, values: Values) -> Any:
    return question.function.__globals__["xp_backend"]


def _from_matrix(question: Question, values: Values) -> Any:
    """A quaternion of the rotation nearest to a matrix; SciPy takes matrices close to a rotation as they are.

    So a matrix that is not quite a rotation has the derivative of the nearest rotation.
    """
    matrix, assume_valid = values
    if assume_valid or not contains_traced(matrix):
        return MISS
    raise_where(
        xp.any(xp.linalg.det(matrix) <= 0),
        ValueError("Non-positive determinant (left-handed or null coordinate frame) in rotation matrix"),
    )
    return question.own(unitary_factor(matrix), assume_valid=True)
