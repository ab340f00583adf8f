"""Functions of all elements along an axis: sums, orders, quantiles, counts.

Results have NumPy's dtypes (`reductions.py`). Counts have no derivative; weights and edges of histograms
have. A new function is an entry of the `FUNCTIONS` of its file.
"""
