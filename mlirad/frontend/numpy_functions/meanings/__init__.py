"""What ufuncs mean: array code on operands of one shape."""
