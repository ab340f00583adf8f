"""The product of all elements, by a loop: dy/dx_i is the product of all others.

One of horde-ad's benchmarks: each step is a single multiplication, so what is measured is the loop itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import mlirad as ad


def by_fold(x):
    """The product of x [n], from the left."""
    return ad.fold(lambda product, factor: product * factor, 1.0, x)


def random_instance(n: int, seed: int = 0) -> NDArray[Any]:
    """n factors around 1, whose product neither overflows nor underflows."""
    return np.exp(np.random.default_rng(seed).normal(size=n) / np.sqrt(n))
