"""Functions of SciPy on traced arrays, by their names there.

A function that is not a ufunc has a line in `linalg.py`, `special.py`, `filters.py`, `recursive_filters.py`,
`spectra.py`, `transforms.py`, `integrals.py`, `optimization.py` or `distances.py`. One that calls a function
of the program is in `frontend/scipy_roots.py`, `frontend/scipy_integrals.py`, `frontend/scipy_odeint.py` or
`frontend/scipy_ivp.py`, and is answered where that function reads traced values (`solvers/scipy_calls.py`).
Each asks whether its call is answered (`splicing/questions.py`), from the first trace after its module's
import (`tracing/library_calls.py`; `protocols/functions.py` provides the answers). Ufuncs of `scipy.special`
are in `meanings/special.py`; their tests are in `tests/frontend/test_scipy_functions.py`.
"""
