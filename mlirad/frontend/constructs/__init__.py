"""Constructs that NumPy has no word for: builds, loops, branches, recursion, batches.

`closures.py` and `sums.py` define leaves that are not arrays. Loops (`carries.py`), branches (`results.py`)
and functions of the program (`recursion.py`) join them. Outside of traces, constructs run on NumPy values
(`eager.py`); each is compared with its compiled form (`tests/frontend/test_eager.py`).
"""
