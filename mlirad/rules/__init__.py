"""The derivative of every op, as a linear map.

A rule is a function `(b, op) -> linear map` per operand, or None, where `op` is the newly built op. Only the
rules of operands that depend on the inputs are called. An n-ary op has one `Joint` map from the tuple of its
operands.

- `elementwise_derivatives.py`: coefficients of smooth elementwise ops in `UNARY` and `BINARY`, ops of
  derivative zero in `FLAT`, and the conventions at special points.
- `derivatives.py`: every other op, in `DERIVATIVES` or in `ZERO`. An op in no table is an error when it is
  differentiated, never a zero.
- `ordering_derivatives.py`: sorts, cumulative ops and products (of many factors in blocks; loops that
  multiply are in `passes/dual_arrays/products.py`).
- `factorisation_derivatives.py`, `cholesky_derivatives.py`, `eigenvalue_derivatives.py`: matrices, by the
  maps of real or complex matrices in `matrix_maps.py`.
- `special_derivatives/`: special functions, as formulas (`ir/formulas.py`); without a formula, integrals
  (`incomplete_functions.py`, `bessel_orders.py`, by `quadratures.py`) or sums of differentiated terms
  (`hypergeometric_parameters.py`).
- `series.py`: Taylor coefficients, in `SERIES` or `BY_DERIVATIVE`, of ops whose derivative is not a factor of
  an elementwise op (`tests/passes/test_taylor.py`).

Tests of rules are in `tests/rules/`. A wrong derivative is found by `ad.check_derivatives(f, x)`, see
`docs/internals.md`.
"""
