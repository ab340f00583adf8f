"""Functions that make arrays, reshape, join, choose and search."""
