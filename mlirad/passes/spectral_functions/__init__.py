"""Spectral functions: sums over all eigenvectors or singular vectors, and their derivatives at equal
values.

Sums over all eigenvectors or singular vectors become Taylor expansions (`expansions.py`).

- `reading.py` finds them, from facts about values (`facts.py`, `moves.py`, `moved_facts.py`, `pairs.py`,
  `signatures.py`); `columns.py` those that are written column by column, as builds of values that are alike
  (`alike_values.py`).
- `products.py`, `singular.py` and `traces.py` write the expansions, by the divided differences of
  `differences.py`.
- `doubts.py` makes the derivative of anything else that depends on the choice of vectors NaN, from
  `doubt_sources.py` by `doubt_moves.py`.
"""

from __future__ import annotations

from mlirad.passes.spectral_functions.spectral_functions import (
    SpectralFunctionsPass,
    expand_spectral_functions,
)

__all__ = ["SpectralFunctionsPass", "expand_spectral_functions"]
