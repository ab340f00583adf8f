"""How NumPy reaches the rest: its protocols, and the operators and methods of traced arrays."""
