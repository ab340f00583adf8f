"""The version of NumPy that tests run with: marks for what older ones lack, or had wrong."""

from __future__ import annotations

import re

import numpy as np
import pytest

NUMPY = tuple(map(int, re.findall(r"\d+", np.__version__)[:2]))


def since_numpy(*version: int, because: str) -> pytest.MarkDecorator:
    """A test that needs a version of NumPy."""
    return pytest.mark.skipif(version > NUMPY, reason=because)
