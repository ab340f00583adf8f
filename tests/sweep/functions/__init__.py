"""The table of functions: a file for each family."""

from __future__ import annotations

from tests.sweep.case import Case
from tests.sweep.functions import (
    bessel_functions,
    distribution_functions,
    families,
    numpy_functions,
    several_elements,
    special_functions,
    wave_equations,
)

CASES: tuple[Case, ...] = (
    *numpy_functions.CASES,
    *special_functions.CASES,
    *distribution_functions.CASES,
    *bessel_functions.CASES,
    *several_elements.CASES,
    *families.CASES,
    *wave_equations.CASES,
)
"""Every function that is swept, in each argument that it has derivatives in."""
