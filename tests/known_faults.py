"""Cases that are known to fail, and why: `conftest.py` expects them to.

A case that is mended leaves the list.
"""

from __future__ import annotations

from typing import Final

_NAN: Final = "NaN for a derivative that exists, of complex vectors of equal eigenvalues or singular values"
_SPECTRAL: Final = "tests/frontend/test_spectral_functions.py::"

KNOWN_FAULTS: Final[dict[str, str]] = {
    f"{_SPECTRAL}test_functions_of_singular_matrices[('u f v', True)]": _NAN,
    f"{_SPECTRAL}test_functions_of_any_matrices[('u f v', True)]": _NAN,
    f"{_SPECTRAL}test_functions_of_symmetric_matrices[('columns', True)]": _NAN,
    "tests/frontend/test_vector_uses.py::test_derivatives_are_right_or_nan[14]": (
        "forward mode is NaN where reverse mode has the derivative"
    ),
    "tests/acceptance/test_cells.py::test_programs[updates-by-recursion]": (
        "the gradient by `jacobian` of recursion that updates an array costs the square of the steps"
    ),
    "tests/threads/test_same_bits.py::test_checked_random_programs[6]": (
        "a program with checks of addresses computes other last bits than one without"
    ),
    "tests/frontend/test_adopted_arrays.py::test_random_programs[11]": "differences go across a kink",
}
"""By the name of the case."""
