"""Derivatives of the special functions, and what programs compute of those that SciPy does not compute.

A file for each family of functions; `table.py` has all of them.

Every derivative is a formula in functions that have one themselves, so orders of derivatives need no rules.
Formulas that would divide 0 by 0, or subtract equal numbers, are replaced by others that are equal there,
such as a hypergeometric function: a limit put in by hand would have wrong derivatives. Where there is no
formula it is an error, as differences would be wrong from the second derivative on.
"""
