"""Products, systems of equations, factorisations, norms."""
