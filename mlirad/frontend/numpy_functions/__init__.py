"""NumPy on traced arrays: its functions, ufuncs, operators, and writes.

NumPy's protocols hand calls to `protocols`, which finds the tracing function in the other packages.

Packages, and what each may import of the others:

- `meanings`: what a ufunc means: array code on operands of one shape. Imports none.
- `writes`: `x[key] = values` and its relatives, visible in all arrays that share elements. Imports
  `meanings`.
- `calls`: which function traces which one of NumPy's; arguments by the kinds of their parameters; results;
  hints where nothing traces a function. Imports `writes`.
- `arrays`: functions that make arrays, reshape, join, choose, search and write. Imports `meanings`, `writes`,
  `calls`.
- `reductions`: sums, extrema, orders, quantiles, statistics, histograms, norms, sums of exponentials. Imports
  `calls`, `arrays`.
- `linear_algebra`: products, equations, factorisations, norms, functions of matrices. Imports `calls`,
  `arrays`, `reductions`.
- `signals`: convolutions, polynomials, Fourier transforms. Imports `calls`.
- `scipy_functions`: SciPy's functions by their names there: `linalg`, `special`, `stats`, `ndimage`,
  `signal`, `fft`, `interpolate`, `integrate`, `optimize`, `spatial.distance`. Imports `meanings`, `calls`,
  `reductions`, `linear_algebra`, `signals`.
- `protocols`: functions, ufuncs and their methods; operators and methods of `Array`; lists of traced values;
  masked elements. Imports `meanings`, `writes`, `calls`, `arrays`, `reductions`, `linear_algebra`, `signals`,
  `scipy_functions`.

To add a function of NumPy:

- a ufunc needs a line in `meanings/ufuncs.py` (`tests/frontend/test_ufuncs.py`); any other function needs a
  function with annotated parameters in one of the packages, and an entry of its `FUNCTIONS`
  (`tests/frontend/test_numpy_functions.py`);
- results that share elements with arguments are listed in `VIEWS` (`protocols/functions.py`,
  `tests/frontend/test_writes.py`); all other functions return copies;
- the hint that told users what to write instead leaves `calls/alternatives.py`;
- random calls of it go to `tests/generators/numpy_calls.py`, which are compared with NumPy by
  `tests/generators/numpy_outcomes.py`; functions of the array API standard are named in
  `tests/conformance/namespace.py` too (run `python -m tests.conformance`).
"""
