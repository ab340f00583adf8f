"""The versions of NumPy and SciPy that tests run with: marks for what older ones lack, or had wrong."""

from __future__ import annotations

import re

import numpy as np
import pytest
import scipy

NUMPY = tuple(map(int, re.findall(r"\d+", np.__version__)[:2]))
SCIPY = tuple(map(int, re.findall(r"\d+", scipy.__version__)[:2]))


def since_numpy(*version: int, because: str) -> pytest.MarkDecorator:
    """A test that needs a version of NumPy."""
    return pytest.mark.skipif(version > NUMPY, reason=because)


def since_scipy(*version: int, because: str) -> pytest.MarkDecorator:
    """A test that needs a version of SciPy."""
    return pytest.mark.skipif(version > SCIPY, reason=because)
