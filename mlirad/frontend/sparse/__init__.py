"""Sparse derivatives: structures, compression by colouring, and matrices of SciPy."""
