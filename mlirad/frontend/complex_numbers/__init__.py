"""NumPy on traced complex arrays, as operations on their real and imaginary parts.

A complex array is a pytree of two leaves (`tracing/complex_array.py`, `tracing/pytree.py`): in a trace, a
`ComplexArray`. Calls with one come here. A ufunc is a formula of parts (`elementwise.py`), a product a sum of
products (`products.py`), and most other functions are called once for each part (`partwise.py`). Functions in
no table are refused, and so are complex arguments that are not operands. Transforms and linear algebra read
complex arrays themselves: `numpy_functions/linear_algebra/factors.py` passes matrices of either kind to ops,
complex ones as pairs.
"""
