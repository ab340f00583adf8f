"""Spectral functions: sums over all eigenvectors or singular vectors, and their derivatives at equal
values.

Sums over all eigenvectors or singular vectors become Taylor expansions (`expansions.py`).

- `reading.py` finds them, from facts about values (`facts.py`, `known_facts.py`, `dimension_moves.py`,
  `moved_facts.py`, `pairs.py`, `signatures.py`; those of sums and contractions by `contracted_facts.py`);
  `columns.py` finds those that are written column by column, as builds of values that are alike
  (`alike_values.py`). Batches lose dimensions of extent 1 before (`batches.py`).
- `products.py`, `singular.py` and `traces.py` write the expansions, by the divided differences of
  `differences.py`.
- `doubts.py` makes the derivative of anything else that depends on the choice of vectors NaN, from
  `doubt_sources.py` by `doubt_moves.py`.

The derivative of V divides by differences of eigenvalues. In that of V f(w) V^T the numerators are
differences of f, so the quotient has a limit; a rule for V alone cannot know f, and can only drop terms or
give NaN. The pass therefore reads the program forward, keeps facts about each value (linear in the columns of
V, a function of each eigenvalue, a product of two columns), and finds sums over all columns. Such a sum keeps
its value and gets the derivative of its Taylor expansion, whose coefficients are divided differences of f: a
polynomial in *deviations* of the matrix. `array.deviation` is 0 and has the derivative of its operand, so any
method of differentiation applies; the rest is dropped when all derivatives are code. An op for spectral
functions would need a rule in every method, and a region for f. Derivatives of f replace quotients where they
give the difference to within rounding, so nearly equal eigenvalues lose no digits.
"""

from __future__ import annotations

from mlirad.passes.spectral_functions.spectral_functions import (
    SpectralFunctionsPass,
    expand_spectral_functions,
)

__all__ = ["SpectralFunctionsPass", "expand_spectral_functions"]
