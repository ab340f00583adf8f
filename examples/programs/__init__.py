"""Differentiation problems of the ADBench, cmpad and GradBench collections, one per file.

Each file states its objective as a plain NumPy function. The functions run as they stand, on
arrays, and the same functions are what the compiler traces and differentiates.
"""
