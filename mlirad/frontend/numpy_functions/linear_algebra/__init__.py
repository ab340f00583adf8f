"""Products, systems of equations, factorisations, norms.

An error that NumPy raises because of matrix elements is a report (`factors.py`), made from the factors.
Systems that are solved without the ops for factorisations are in `structured_systems.py`. `factors.py` passes
real and complex matrices to ops, complex ones as pairs.
"""
