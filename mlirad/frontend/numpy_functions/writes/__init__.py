"""Writes to traced arrays, which are visible in all arrays that share elements.

`writes.py` implements `x[key] = values`, `at.py` the copies of `x.at[key]` and `x.flat`, `colliding.py`
updates at indices that may collide, as by `np.multiply.at`, and `chosen_places.py` writes at indices whose
number is unknown.
"""
