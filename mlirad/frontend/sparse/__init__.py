"""Sparse derivatives: sparsity patterns, compression by colouring, and matrices of SciPy."""
