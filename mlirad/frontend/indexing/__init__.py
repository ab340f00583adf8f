"""The meaning of `x[key]`: keys, selections, views, reads and updates.

`keys.py` reads a key by NumPy's rules into a selection, `selections.py` composes selections, `reads.py` emits
the read and `updates.py` the value of an array with some elements set or added. `views.py` says which results
are views, and how they follow their base. Static booleans in a key are dimensions of extent 1 (`truths.py`).
Selections of unknown length are values of their own: `masks.py` for `x[mask]`, `chosen_positions.py` for
`x[np.where(mask)]`. `frontend/numpy_functions/writes` decides what a write means for arrays that share
elements.
"""
