"""Derivatives of the special functions, and what programs compute of those that SciPy does not compute.

A file for each family of functions; `table.py` has all of them.
"""
