"""`scipy.interpolate` on traced values: polynomials between points, splines, grids, and objects of them.

Each kind of interpolant is a file of formulas; `constructors.py` has the results of constructors and
functions, `objects.py` SciPy's classes. An object of traced values becomes one of a class derived from
SciPy's, which holds a formula; methods of an object of plain arrays are traced only where they get traced
points.

`searchsorted` finds an interval, without a derivative; the polynomial of the interval has one. Slopes of
cubic splines are solved for by an elimination in the language, so that points can be traced as well as
values; B-splines through values are a matrix that SciPy finds, times the values, so their points cannot.
"""
