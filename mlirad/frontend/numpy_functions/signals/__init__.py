"""Convolutions, polynomials and Fourier transforms."""
