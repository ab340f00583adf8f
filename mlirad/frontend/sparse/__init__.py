"""Sparse derivatives: sparsity patterns, compression by colouring, and matrices of SciPy.

A `SparsityPattern` (`linear_maps/sparsity/analysis.py`) follows from the map expression alone. Where results
repeat along their leading axis it has block rows (`linear_maps/sparsity/block_rows.py`).
"""
