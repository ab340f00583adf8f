"""`scipy.interpolate` on traced values: polynomials between points, splines, grids, and objects of them."""
