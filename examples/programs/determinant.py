"""The determinant of a matrix by expansion by minors, as in cmpad: each minor is computed once.

    det of the last m + 1 rows at columns S = sum_{j in S} (-1)^(place of j in S) A[row, j] det of the last m
    at S - {j}

The minors of one number of rows are a vector, by the subsets of the columns in order. The gradient is the
adjugate, transposed. An n x n matrix has 2^n minors, so this is for small ones.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray


def primal(a):
    """The determinant of a [n, n]."""
    n = len(a)
    minors = a[n - 1]
    for rows in range(2, n + 1):
        columns, without = subsets(n, rows)
        signs = (-1.0) ** np.arange(rows)
        minors = np.sum(signs * a[n - rows][columns] * minors[without], axis=1)
    return minors[0]


@cache
def subsets(n: int, m: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """The subsets of m of n columns [k, m], and the positions of each of them less one of its columns [k, m]
    among the subsets of m - 1.

    >>> subsets(3, 2)[0].tolist(), subsets(3, 2)[1].tolist()
    ([[0, 1], [0, 2], [1, 2]], [[1, 0], [2, 0], [2, 1]])
    """
    position = {subset: k for k, subset in enumerate(combinations(range(n), m - 1))}
    found = list(combinations(range(n), m))
    without = [[position[subset[:j] + subset[j + 1 :]] for j in range(m)] for subset in found]
    return np.array(found), np.array(without)
