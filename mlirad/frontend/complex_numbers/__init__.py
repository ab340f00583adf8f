"""NumPy on traced complex arrays, as operations on their real and imaginary parts."""
