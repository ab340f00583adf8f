"""What functions of NumPy are given and return: which function traces which, its arguments, its result."""
