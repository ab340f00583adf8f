"""Functions of SciPy on traced arrays, by their names there."""
