"""The meanings of ufuncs: array code on operands of one shape.

`ufuncs.py` has a line per ufunc of NumPy, `special.py` one per ufunc of `scipy.special`. Ufuncs that are
other functions of other parameters are in `counted.py` and `orthogonal_polynomials.py`.

A special function that SciPy computes needs a line in `dialects/array/special_functions.py`, its derivative
in a file of `rules/special_derivatives/` and in `interpreter/deltas/special_partials.py`, a line in
`tests/sweep/functions/`, and `CASES` in `tests/rules/test_special_derivatives.py`. If its formula gives wrong
derivatives somewhere in its range, the rules' file has the formula in `DEFINITIONS`; if SciPy lacks the
function, `dialects/array/own_functions.py` says how NumPy computes it. `passes/expand_formulas.py` expands
special functions that are formulas; those with machine code of their own are named in `NATIVE`
(`dialects/array/special_functions.py`) and written in `lower/llvm/elementary/`.
"""
