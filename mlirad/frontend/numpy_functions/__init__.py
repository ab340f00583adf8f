"""NumPy on traced arrays: its functions, ufuncs, operators, and writes."""
