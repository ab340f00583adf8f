"""Derivatives of Python functions, custom ones, and checks of them."""
